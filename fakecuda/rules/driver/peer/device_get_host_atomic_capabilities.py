"""cuDeviceGetHostAtomicCapabilities: atomic operations between device and host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.core.initialized import require_driver_up, require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.driver.peer.atomic import capabilities, listed
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuDeviceGetHostAtomicCapabilities")
def device_get_host_atomic_capabilities(
    call: Call, operations: tuple[int, ...] | None, count: int, dev: int
) -> tuple[int, ...]:
    """Return which atomic operations the link between a device and the host supports, from the profile.

    Args:
        call: The call.
        operations: CUatomicOperation of each.
        count: Their number.
        dev: The device.

    Returns:
        The CUatomicOperationCapability bits of each operation.
    """
    # CHECK
    require_driver_up(call)
    wanted = listed(call, operations, count)
    require_initialized(call)
    return capabilities(wanted, device_of(call, dev).profile.host_atomics)
