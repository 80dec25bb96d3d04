"""Exceptions and warnings of fakecuda itself.

They are separate from the codes that calls answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakecuda.model.finding import Finding
    from fakecuda.model.work.deadlock import Deadlock


class FakeCudaError(Exception):
    """Base of all exceptions that fakecuda raises for wrong use."""


class ProfileError(FakeCudaError):
    """A profile is unknown or malformed; the text names the profile and the fix."""


class ProcessDied(FakeCudaError):  # noqa: N818 - a fact about the process, named as the contract names it
    """A call was made through a process that has exited or was killed."""


class NotInLibrary(FakeCudaError, RuntimeError):  # noqa: N818 - a fact about the library
    """The machine's HIP library lacks the called function; hip-python finds no symbol."""


class MachineClosed(FakeCudaError):  # noqa: N818 - a fact about the machine
    """A call was made through a machine whose test has ended.

    Attributes:
        waited: Whether the call was already waiting when the test ended.
    """

    waited = False


class MachineCorrupted(FakeCudaError):  # noqa: N818 - a fact about the machine
    """An exception interrupted an earlier call on the machine half-way.

    Memory or the stack ran out.
    """


class NotAdmitted(FakeCudaError):  # noqa: N818 - a fact about the process
    """A process called a machine that does not admit it.

    The machine belongs to a test. The text says why the process is not admitted.
    """


class UndefinedBehaviour(FakeCudaError):  # noqa: N818 - the manual's own term
    """The caller did something on a strict machine that the manual calls undefined.

    Attributes:
        finding: The rule, the facts and the history of the objects involved.
    """

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


class KernelNotDefined(FakeCudaError):  # noqa: N818 - a fact about the kernel
    """A launched kernel has no Python function.

    Define it with :func:`fakecuda.kernel`.
    """


class KernelError(FakeCudaError):
    """The Python function of a kernel did something that a kernel cannot do."""


class EndlessWait(FakeCudaError):  # noqa: N818 - a fact about the wait
    """A call waits for something that cannot come.

    Or it did not come within the machine's wait timeout.

    Attributes:
        deadlock: All calls of the deadlock; None if the call has a time limit of its own.
    """

    deadlock: Deadlock | None = None


class UnknownBindingsWarning(UserWarning):
    """The installed cuda-bindings are newer than the releases that fakecuda imitates."""


class HookMissingWarning(UserWarning):
    """The start-up hook is missing.

    So Python programs that a test starts cannot reach its machine.
    """


class UndefinedBehaviourWarning(UserWarning):
    """The caller did something that the manual calls undefined.

    This is the warning of ``fakecuda_findings = warn``.
    """


class CheckWarning(UserWarning):
    """A machine left something behind, or refused calls.

    This is the warning of ``fakecuda.simulate(leaks="report")`` and ``errors="report"``.
    """


class NotModelledWarning(UserWarning):
    """A call that fakecuda does not model answered ``CUDA_ERROR_NOT_SUPPORTED``."""


class HandleSizeWarning(UserWarning):
    """An IPC handle was declared larger than 64 bytes.

    Only its first 64 bytes are used.
    """
