"""Memory pools of HIP by location and type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.hip.fixtures import HERE, HOST, THERE, UNKNOWN, default_pool, entries
from conformance.kit.case import suite

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

PINNED, MANAGED = 1, 2
every = entries(
    {
        "hipMemGetDefaultMemPool": lambda _: (HERE, PINNED),
        "hipMemGetMemPool": lambda _: (HERE, PINNED),
        "hipMemSetMemPool": lambda a: (HERE, PINNED, default_pool(a)),
    }
)
for one in every.values():
    for label, place in {"null": None, "the host": HOST, "no device": (1, 2)}.items():
        one.breaks("LOCATION_IS_A_DEVICE", label, location=place)
    one.breaks("TYPE_HAS_A_POOL", type=0)
change = every["hipMemSetMemPool"]
change.breaks("POOL_IS_VALID", pool=UNKNOWN)
change.breaks("POOL_MATCHES", type=MANAGED)
change.breaks("POOL_MATCHES", "another device's", location=THERE)


@change.after("a pool for managed memory beside the one that the device allocates from")
def beside(_w: World, i: Invocation, _r: tuple[()]) -> None:
    c, own = i.process.ok, default_pool(i.process)
    default = c.hipMemGetDefaultMemPool(HERE, MANAGED)
    assert c.hipMemGetDefaultMemPool(HERE, PINNED) == own
    assert default == c.hipMemGetMemPool(HERE, MANAGED) != own
    made = c.hipMemPoolCreate((MANAGED, 0, HERE, 0, 0))
    c.hipMemSetMemPool(HERE, MANAGED, made)
    assert c.hipMemGetMemPool(HERE, MANAGED) == made
    assert c.hipDeviceGetMemPool(0) == own
    another = c.hipMemPoolCreate((PINNED, 0, HERE, 0, 0))
    c.hipMemSetMemPool(HERE, PINNED, another)
    assert c.hipDeviceGetMemPool(0) == another
    c.hipMemPoolDestroy(made)
    assert c.hipMemGetMemPool(HERE, MANAGED) == default


test_pool_of_location = suite(*every.values())
