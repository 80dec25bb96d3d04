"""The object that the fixture ``fakecuda`` gives; tests annotate their argument with its class, :class:`FakeCuda`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import fakecuda as module

if TYPE_CHECKING:
    from typing import Unpack

    from fakecuda import CallRecord, Fault, Finding, Machine, Process
    from fakecuda.simulated.faults.setting import FaultOptions


class SpawnOptions(TypedDict, total=False):
    """What a simulated process may have of its own: see :meth:`fakecuda.Machine.spawn`."""

    visible_devices: str | None
    imex_channels: tuple[int, ...] | None


class FakeCuda:
    """What the fixture ``fakecuda`` gives: the test's machine, and every public name of the module ``fakecuda``.

    Types are those of a simulated machine. With ``pytest --fakecuda=real`` the real one stands in its place and has
    what both have: see docs/public.md.

    Attributes:
        machine: The machine.
    """

    __slots__ = ("machine",)

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

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
        """The calls that were made, oldest first."""
        return self.machine.log

    @property
    def findings(self) -> list[Finding]:
        """Undefined behaviour seen; it fails the test, but for what :func:`fakecuda.expect_undefined` expected."""
        return list(self.machine.findings)

    def spawn(self, name: str | None = None, **options: Unpack[SpawnOptions]) -> Process:
        """Return a new process of the machine.

        Args:
            name: Its name; the next free letter by default.
            options: Those of :meth:`fakecuda.Machine.spawn`, of a simulated process alone.
        """
        return self.machine.spawn(name, **options)

    def fail(self, call: str, **options: Unpack[FaultOptions]) -> Fault:
        """Have a call refused that would succeed; see :meth:`fakecuda.Machine.fail`.

        Args:
            call: The function, of any API.
            options: ``nth``, ``code``, ``times``, ``process``, ``when`` and ``force``.

        Raises:
            FakeCudaError: As :meth:`fakecuda.Machine.fail`; or the machine is a driver, or another OS process's.
        """
        if not hasattr(self.machine, "fail"):
            return module.fail(call, **options)  # which says why not
        return self.machine.fail(call, **options)

    def __getattr__(self, name: str) -> Any:
        if name in module.__all__:
            return getattr(module, name)
        msg = f"neither the fixture nor the module fakecuda has {name!r}: dir(fakecuda) lists all names"
        raise AttributeError(msg)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *module.__all__})
