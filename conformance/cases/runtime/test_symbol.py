"""Variables of compiled programs.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from conformance.cases.runtime.fixtures_of_programs import (
    COUNTER,
    FOREIGN,
    MANAGED,
    NOT_THERE,
    NOTHING,
    TABLE,
    VARIABLES_OF_PARTS,
)
from conformance.kit.case import Entry, suite
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

TO_DEVICE, TO_HOST, BETWEEN, DEFAULT = 1, 2, 3, 4
HOST = 0


def refuse_symbol(one: Entry) -> None:
    """Add the cases of host addresses without a device variable."""
    one.breaks("SYMBOL_IS_REGISTERED", symbol=NOTHING)
    one.breaks("SYMBOL_IS_REGISTERED", "not in the image", symbol=NOT_THERE)
    for rule, variable in VARIABLES_OF_PARTS.items():
        if rule:
            one.breaks(rule, symbol=variable)
    one.breaks("BINARY_IS_THE_DEVICE_S", symbol=FOREIGN)


address = Entry.of("cudaGetSymbolAddress", lambda _: (COUNTER,))
size = Entry.of("cudaGetSymbolSize", lambda _: (TABLE,))
to = Entry.of("cudaMemcpyToSymbol", lambda a: (TABLE, a.host_memory(4096), 16, 8, TO_DEVICE))
to_in_stream = Entry.of("cudaMemcpyToSymbolAsync", lambda a: (TABLE, a.host_memory(4096), 16, 8, TO_DEVICE, 0))
back = Entry.of("cudaMemcpyFromSymbol", lambda a: (a.host_memory(4096), TABLE, 16, 8, TO_HOST))
back_in_stream = Entry.of("cudaMemcpyFromSymbolAsync", lambda a: (a.host_memory(4096), TABLE, 16, 8, TO_HOST, 0))

for one in (address, size, to, to_in_stream, back, back_in_stream):
    refuse_symbol(one)
    one.also("a managed one", symbol=MANAGED)
    one.also("a managed one by its own address", symbol=lambda i: i.process.ok.cudaGetSymbolAddress(MANAGED))
    within: dict[str, Any] = {} if one in (address, size) else {"count": 4, "offset": 0}
    one.also("of linked code", symbol=VARIABLES_OF_PARTS[""], **within)
for one, result in ((address, "devPtr"), (size, "size")):
    one.undefined("RESULT_IS_THERE", code=Result.INVALID_VALUE)(
        lambda _w, i, result=result: attrs.evolve(i, null=result)
    )
for one, other, memory in (
    *((to, TO_HOST, "src"), (to_in_stream, TO_HOST, "src")),
    *((back, TO_DEVICE, "dst"), (back_in_stream, TO_DEVICE, "dst")),
):
    one.breaks("SYMBOL_IS_OF_A_DEVICE", kind=other)
    one.breaks("SYMBOL_IS_OF_A_DEVICE", "to the host alone", kind=HOST)
    fits = "COPY_FITS_THE_SYMBOL" if one in (to, back) else "RANGE_IS_ALLOCATED"
    one.breaks(fits, offset=250)
    one.breaks(fits, "far", offset=1 << 63)
    first = fits if one in (to, back) else "SYMBOL_IS_OF_A_DEVICE"  # the range of a call with a stream is the driver's
    one.also("in no direction and not within", rule=first, kind=HOST, offset=250)
    one.also("no bytes", count=0)
    one.also("no bytes of no symbol", count=0, symbol=NOTHING)
    one.also("no bytes in no direction", count=0, kind=HOST)
    one.also("in any direction", kind=DEFAULT)

    @one.also("between devices")
    def between(_w: World, i: Invocation, memory: str = memory) -> Invocation:
        return i.evolve(kind=BETWEEN, **{memory: i.process.ok.cudaMalloc(64)})


test_symbol = suite(address, size, to, to_in_stream, back, back_in_stream)
