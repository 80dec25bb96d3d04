"""cuMulticastUnbind: unbind memory from a multicast object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, undefined
from fakecuda.rules.driver.multicast.handle import member_of, multicast_of, multicasting, ranged
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

BINDING_IS_THERE = Rule(
    "`mcOffset` and `size` are the offset and size of an existing binding of memory of the device `dev` to `mcHandle`",
    Result.INVALID_VALUE,
    undefined(
        "cuMulticastUnbind",
        "The mcOffset and the size must match the corresponding values specified during the bind call. Any other values "
        "may result in undefined behavior",
    ),
    fix="pass the offset and the size of the binding",
)


@DRIVER.op("cuMulticastUnbind")
def multicast_unbind(call: Call, value: int, dev: int, offset: int, size: int) -> None:
    """Unbind a device's memory from a range of a multicast object.

    Args:
        call: The call.
        value: The object's handle.
        dev: The device.
        offset: Where in the object it was bound, bytes.
        size: Bytes that were bound.
    """
    # CHECK
    multicasting(call)
    multicast = multicast_of(call, value)
    device = member_of(call, dev, multicast)
    ranged(call, multicast, offset, size)
    found = [one for one in multicast.bound(device, offset, size) if (one.start, one.size) == (offset, size)]
    if not found:
        bound = multicast.bound(device, offset, size)
        call.undefined(BINDING_IS_THERE, object=multicast, offset=offset, size=size, bound=bound)
        raise BINDING_IS_THERE.broken(object=multicast, offset=offset, size=size, bound=bound)
    # EFFECT
    multicast.unbind(found[0])
