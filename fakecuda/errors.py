"""Exceptions and warnings of fakecuda itself, apart from the codes that calls answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakecuda.model.finding import Finding
    from fakecuda.model.work.deadlock import Deadlock


class FakeCudaError(Exception):
    """The base of every exception that fakecuda raises for a mistake in its use."""


class ProfileError(FakeCudaError):
    """A profile is unknown or malformed; the text names it and the fix."""


class ProcessDied(FakeCudaError):  # noqa: N818 - a fact about the process, named as the contract names it
    """A call was made through a process that has exited or was killed."""


class NotInLibrary(FakeCudaError, RuntimeError):  # noqa: N818 - a fact about the library
    """A called function of HIP is missing in the machine's library; hip-python finds no symbol."""


class MachineClosed(FakeCudaError):  # noqa: N818 - a fact about the machine
    """A call was made through a machine whose test has ended.

    Attributes:
        waited: Whether the call began before the test ended, and was waiting.
    """

    waited = False


class MachineCorrupted(FakeCudaError):  # noqa: N818 - a fact about the machine
    """A call was made on a machine on which an exception cut an earlier call in two: memory or the stack ran out."""


class NotAdmitted(FakeCudaError):  # noqa: N818 - a fact about the process
    """A process called the machine of its test, which does not admit it; the text says why."""


class UndefinedBehaviour(FakeCudaError):  # noqa: N818 - the manual's own term
    """The caller did something that the manual calls undefined, on a strict machine.

    Attributes:
        finding: The rule, the facts and the history of the objects involved.
    """

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


class KernelNotDefined(FakeCudaError):  # noqa: N818 - a fact about the kernel
    """A launched kernel has no Python function that says what it does: see :func:`fakecuda.kernel`."""


class KernelError(FakeCudaError):
    """The Python function of a kernel did something that a kernel cannot do."""


class EndlessWait(FakeCudaError):  # noqa: N818 - a fact about the wait
    """A call waits for something that cannot come, or has not come within the machine's patience.

    Attributes:
        deadlock: All calls of the deadlock; None if the call has a limit of its own.
    """

    deadlock: Deadlock | None = None


class UnknownBindingsWarning(UserWarning):
    """The installed cuda-bindings is later than the releases that fakecuda imitates."""


class HookMissingWarning(UserWarning):
    """The start-up hook is missing: Python programs that a test starts would not reach its machine."""


class UndefinedBehaviourWarning(UserWarning):
    """The caller did something that the manual calls undefined, with ``fakecuda_findings = warn``."""


class NotModelledWarning(UserWarning):
    """A call that fakecuda does not model answered CUDA_ERROR_NOT_SUPPORTED."""


class HandleSizeWarning(UserWarning):
    """An IPC handle was declared larger than 64 bytes; only the first 64 are used."""
