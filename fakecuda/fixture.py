"""The object that the fixture ``fakecuda`` returns.

Tests annotate their argument with its class, :class:`FakeCuda`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import fakecuda as module

if TYPE_CHECKING:
    from typing import Unpack

    from fakecuda import CallRecord, Fault, Finding, Machine, Process
    from fakecuda.machine.faults.setting import FaultOptions


MAKING = frozenset({"Machine", "explore", "simulate", "sweep"})
"""Functions that make a machine, so that the fixture needs no call."""


class SpawnOptions(TypedDict, total=False):
    """Options of a simulated process: see :meth:`fakecuda.Machine.spawn`."""

    visible_devices: str | None
    module_loading: str | None
    imex_channels: tuple[int, ...] | None


class FakeCuda:
    """The fixture's object.

    The test's machine, and every public name of the module ``fakecuda``.
    Its annotations are those of a simulated machine. With ``pytest --fakecuda=real``, ``machine`` is the real
    machine. docs/public.md lists what both have.

    Attributes:
        machine: The machine.
    """

    __slots__ = ("_is_used", "_machine")

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._is_used = False

    @property
    def machine(self) -> Machine:
        """The test's machine."""
        self._is_used = True
        return self._machine

    @property
    def here(self) -> Process:
        """The process that stands for this OS process."""
        return self.machine.here

    @property
    def processes(self) -> dict[str, Process]:
        """The machine's processes by name."""
        return self.machine.processes

    @property
    def calls(self) -> list[CallRecord]:
        """The recorded calls, oldest first."""
        return self.machine.log

    @property
    def findings(self) -> list[Finding]:
        """Undefined behaviour so far.

        A finding fails the test unless :func:`fakecuda.expect_undefined` expects it.
        """
        return list(self.machine.findings)

    def spawn(self, name: str | None = None, **options: Unpack[SpawnOptions]) -> Process:
        """Return a new process of the machine.

        Args:
            name: Its name; the next free letter by default.
            options: Those of :meth:`fakecuda.Machine.spawn`. Only a simulated machine takes them.
        """
        return self.machine.spawn(name, **options)

    def fail(self, call: str, **options: Unpack[FaultOptions]) -> Fault:
        """Make a call fail that would succeed; see :meth:`fakecuda.Machine.fail`.

        Args:
            call: The function, of any API.
            options: ``nth``, ``code``, ``times``, ``process``, ``when`` and ``force``.

        Raises:
            FakeCudaError: As for :meth:`fakecuda.Machine.fail`; or the machine is the real driver or belongs to
                another OS process.
        """
        if not hasattr(self.machine, "fail"):
            return module.fail(call, **options)  # raises the error that says why
        return self.machine.fail(call, **options)

    def __getattr__(self, name: str) -> Any:
        if name in module.__all__:
            self._is_used |= name in MAKING
            return getattr(module, name)
        msg = f"neither the fixture `fakecuda` nor the module fakecuda has {name!r}: dir(fakecuda) lists all names"
        raise AttributeError(msg)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *module.__all__})
