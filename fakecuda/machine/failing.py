"""``fakecuda.fail``: faults on the installed machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError
from fakecuda.machine.findings import is_driver
from fakecuda.machine.install import installed

if TYPE_CHECKING:
    from typing import Unpack

    from fakecuda.machine.faults.fault import Fault
    from fakecuda.machine.faults.setting import FaultOptions


def fail(call: str, **options: Unpack[FaultOptions]) -> Fault:
    """Make a call on the installed machine fail that would otherwise succeed.

    See :meth:`fakecuda.Machine.fail`.

    Args:
        call: The function, of any API.
        options: ``nth``, ``code``, ``times``, ``process``, ``when`` and ``force``.

    Raises:
        FakeCudaError: No machine is installed; the installed machine is the real driver or belongs to another OS
            process; or an error of :meth:`fakecuda.Machine.fail`.
    """
    machine: Any = installed()
    if machine is None:
        msg = (
            "fakecuda.fail() needs a simulated machine, and none is active: call it in a test that uses the "
            "`fakecuda` fixture, or inside `with fakecuda.simulate():`"
        )
        raise FakeCudaError(msg)
    if not hasattr(machine, "fail"):
        driver = "the test runs on the real driver, where no call fails on request: skip it with --fakecuda=real"
        owner = "the machine belongs to another OS process: call fail() in that process"
        msg = f"fail({call!r}): {driver if is_driver(machine) else owner}"
        raise FakeCudaError(msg)
    fault: Fault = machine.fail(call, **options)
    return fault
