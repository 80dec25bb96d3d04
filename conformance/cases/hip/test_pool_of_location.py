"""Pools of HIP by their location and type."""

from __future__ import annotations

from conformance.cases.hip.fixtures import HERE, HOST, THERE, UNKNOWN, default_pool, entries
from conformance.kit.case import suite

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

test_pool_of_location = suite(*every.values())
