"""What fakecuda itself raises or warns, apart from the codes that calls answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakecuda.model.deadlock import Deadlock
    from fakecuda.model.finding import Finding


class FakeCudaError(Exception):
    """The base of every exception that fakecuda raises for a mistake in its use."""


class ProfileError(FakeCudaError):
    """A profile is unknown or malformed; the text names it and the fix."""


class ProcessDied(FakeCudaError):  # noqa: N818 - a fact about the process, named as the contract names it
    """A call was made through a process that has exited or was killed."""


class NotInLibrary(FakeCudaError, RuntimeError):  # noqa: N818 - a fact about the library
    """A function of HIP was called that the machine's library does not have: hip-python finds no symbol."""


class MachineClosed(FakeCudaError):  # noqa: N818 - a fact about the machine
    """A call was made through a machine whose test has ended.

    Attributes:
        waited: Whether the call was made before that, and waited.
    """

    waited = False


class HalfDone(FakeCudaError):  # noqa: N818 - a fact about the machine
    """A call was made through a machine in which an exception has cut a call in two: memory ran out, or the stack did."""


class NotAdmitted(FakeCudaError):  # noqa: N818 - a fact about the process
    """A process made a call, but the machine that it was started for does not admit it; the text says why."""


class UndefinedBehaviour(FakeCudaError):  # noqa: N818 - the manual's own term
    """The caller did what the manual calls undefined; a strict machine says so.

    Attributes:
        finding: The rule, the facts and the history of the objects involved.
    """

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


class NoMeaning(FakeCudaError):  # noqa: N818 - a fact about the kernel
    """A kernel was launched of which nobody has said what it does: see :func:`fakecuda.kernel`."""


class KernelError(FakeCudaError):
    """The Python function of a kernel has asked for what no kernel can do."""


class EndlessWait(FakeCudaError):  # noqa: N818 - a fact about the wait
    """A call waits for what nobody can bring about, or has not in the time that the machine's patience leaves.

    Attributes:
        deadlock: All calls that wait so; None in another OS process than the machine's.
    """

    deadlock: Deadlock | None = None


class UnknownBindingsWarning(UserWarning):
    """A release of cuda-bindings is installed that came after those that fakecuda imitates."""


class HookMissingWarning(UserWarning):
    """A machine is shared, and Python programs that are started would not fill the driver library."""


class UndefinedBehaviourWarning(UserWarning):
    """The caller did what the manual calls undefined, and ``fakecuda_findings = warn`` has that warn."""


class NotModelledWarning(UserWarning):
    """A call that fakecuda does not model was made; it answered CUDA_ERROR_NOT_SUPPORTED."""


class HandleSizeWarning(UserWarning):
    """An IPC handle was declared larger than it is; what lies behind its 64 bytes is not used."""
