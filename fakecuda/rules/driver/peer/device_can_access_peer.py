"""cuDeviceCanAccessPeer: whether one device can access another's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuDeviceCanAccessPeer")
def device_can_access_peer(call: Call, dev: int, peer_dev: int) -> int:
    """Return 1 when contexts on ``dev`` can access memory on ``peer_dev``, 0 otherwise and for one device."""
    # CHECK
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    pair = device_of(call, dev).ordinal, device_of(call, peer_dev).ordinal
    # EFFECT
    peer = call.machine.profile.peers.get(pair)
    return int(peer is not None and peer.can_access)
