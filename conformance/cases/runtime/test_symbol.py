"""Variables of compiled programs.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.runtime.fixtures_of_programs import COUNTER, FOREIGN, MANAGED, NOT_THERE, NOTHING, TABLE
from conformance.kit.case import Entry, suite

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

TO_DEVICE, TO_HOST, BETWEEN, DEFAULT = 1, 2, 3, 4
HOST = 0

address = Entry.of("cudaGetSymbolAddress", lambda _: (COUNTER,))
size = Entry.of("cudaGetSymbolSize", lambda _: (TABLE,))
to = Entry.of("cudaMemcpyToSymbol", lambda a: (TABLE, a.host_memory(4096), 16, 8, TO_DEVICE))
to_in_stream = Entry.of("cudaMemcpyToSymbolAsync", lambda a: (TABLE, a.host_memory(4096), 16, 8, TO_DEVICE, 0))
back = Entry.of("cudaMemcpyFromSymbol", lambda a: (a.host_memory(4096), TABLE, 16, 8, TO_HOST))
back_in_stream = Entry.of("cudaMemcpyFromSymbolAsync", lambda a: (a.host_memory(4096), TABLE, 16, 8, TO_HOST, 0))

for one in (address, size, to, to_in_stream, back, back_in_stream):
    one.breaks("SYMBOL_IS_REGISTERED", symbol=NOTHING)
    one.breaks("SYMBOL_IS_REGISTERED", "not in the image", symbol=NOT_THERE)
    one.breaks("BINARY_IS_THE_DEVICE_S", symbol=FOREIGN)
    one.also("a managed one", symbol=MANAGED)
address.null("devPtr", "RESULTS_ARE_GIVEN")
size.null("size", "RESULTS_ARE_GIVEN")
for one, other, memory in (
    *((to, TO_HOST, "src"), (to_in_stream, TO_HOST, "src")),
    *((back, TO_DEVICE, "dst"), (back_in_stream, TO_DEVICE, "dst")),
):
    one.breaks("SYMBOL_IS_OF_A_DEVICE", kind=other)
    one.breaks("SYMBOL_IS_OF_A_DEVICE", "to the host alone", kind=HOST)
    one.breaks("COPY_FITS_THE_SYMBOL", offset=250)
    one.breaks("COPY_FITS_THE_SYMBOL", "far", offset=1 << 63)
    one.also("no bytes", count=0)
    one.also("in any direction", kind=DEFAULT)

    @one.also("between devices")
    def between(_w: World, i: Invocation, memory: str = memory) -> Invocation:
        return i.evolve(kind=BETWEEN, **{memory: i.process.ok.cudaMalloc(64)})


test_symbol = suite(address, size, to, to_in_stream, back, back_in_stream)
