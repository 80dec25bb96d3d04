"""cuDeviceGetP2PAtomicCapabilities: atomic operations between two devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.driver.peer.atomic import capabilities, listed
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

DEVICES_DIFFER = Rule(
    "`srcDevice` and `dstDevice` differ",
    Result.INVALID_DEVICE,
    manual("cuDeviceGetP2PAtomicCapabilities", "are not valid or if they represent the same device"),
    fix="pass two different devices; cuDeviceGetHostAtomicCapabilities is for one device and the host",
)


@DRIVER.op("cuDeviceGetP2PAtomicCapabilities")
def device_get_p2p_atomic_capabilities(
    call: Call, operations: tuple[int, ...] | None, count: int, src: int, dst: int
) -> tuple[int, ...]:
    """Return which atomic operations the link between two devices supports, from the profile.

    Args:
        call: The call.
        operations: CUatomicOperation of each.
        count: Their number.
        src: The device that operates.
        dst: The device whose memory it operates on.

    Returns:
        The CUatomicOperationCapability bits of each operation.
    """
    # CHECK
    require_initialized(call)
    wanted = listed(call, operations, count)
    pair = device_of(call, src).ordinal, device_of(call, dst).ordinal
    if src == dst:
        raise DEVICES_DIFFER.broken(device=src)
    peer = call.machine.profile.peers.get(pair)
    return capabilities(wanted, peer.atomics if peer else {})
