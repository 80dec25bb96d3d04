"""Entry points of HIP: functions by name."""

from __future__ import annotations

from conformance.cases.hip.fixtures import NEW, OLD, entries
from conformance.kit.case import suite

every = entries(
    {
        "hipGetDriverEntryPoint": lambda _: (b"hipFree", 0),
        "hipGetProcAddress": lambda _: (b"hipFree", 600, 0),
    }
)
for one in every.values():
    one.breaks("SYMBOL_IS_GIVEN", symbol=b"")
    one.breaks("FLAGS_ARE_KNOWN", flags=3)
    one.breaks("SYMBOL_IS_FOUND", symbol=b"hipNothing")
old = every["hipGetProcAddress"]
old.only(NEW, "FLAGS_ARE_KNOWN")
old.breaks("SYMBOL_IS_READ", symbol=None)
old.only(OLD, "SYMBOL_IS_READ")

test_entry_point = suite(*every.values())
