"""Faults on the machine that is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError
from fakecuda.simulated.findings import is_driver
from fakecuda.simulated.install import installed

if TYPE_CHECKING:
    from typing import Unpack

    from fakecuda.simulated.faults.fault import Fault
    from fakecuda.simulated.faults.setting import FaultOptions


def fail(call: str, **options: Unpack[FaultOptions]) -> Fault:
    """Have a call on the installed machine refused that would succeed; see :meth:`fakecuda.Machine.fail`.

    Args:
        call: The function, of any API.
        options: ``nth``, ``code``, ``times``, ``process``, ``when`` and ``force``.

    Raises:
        FakeCudaError: No machine is installed, or it is none of this OS process; or as :meth:`fakecuda.Machine.fail`.
    """
    machine: Any = installed()
    if machine is None:
        msg = "no machine is installed: use fail() in a test with the fixture, or within fakecuda.simulate()"
        raise FakeCudaError(msg)
    if not hasattr(machine, "fail"):
        where = "a driver is never told to fail" if is_driver(machine) else "the machine is another OS process's"
        msg = f"fail({call!r}): {where}: leave the test out there"
        raise FakeCudaError(msg)
    fault: Fault = machine.fail(call, **options)
    return fault
