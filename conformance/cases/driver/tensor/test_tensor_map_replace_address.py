"""cuTensorMapReplaceAddress: replace the address of a tensor map.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.tensor.fixtures import BASE, FLOAT16, INTERLEAVED
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, Process, World


def made(a: Process, interleave: int = 0) -> bytearray:
    """Return the bytes of a new tensor map."""
    extents = (64, 64, 64), (1024, 65536), (8, 8, 8), (1, 1, 1)
    (words,) = a.ok.cuTensorMapEncodeTiled(FLOAT16, 3, BASE, *extents, interleave, 0, 0, 0)
    return bytearray(b"".join(word.to_bytes(8, "little") for word in words))


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuTensorMapReplaceAddress", tensorMap=made(a), globalAddress=BASE + 4096)


entry = Entry("cuTensorMapReplaceAddress", valid)
entry.undefined("TENSOR_MAP_IS_GIVEN", code=Result.INVALID_VALUE, tensorMap=None)
for address in (0, BASE + 8, 1 << 57):
    entry.breaks("NEW_ADDRESS_IS_ALIGNED", f"{address:x}", globalAddress=address)
entry.also("the last address", globalAddress=(1 << 57) - 16)


@entry.also("of an interleaved map")
def interleaved(_w: World, i: Invocation) -> Invocation:
    return i.evolve(tensorMap=made(i.process, INTERLEAVED), globalAddress=BASE + 16)


test_tensor_map_replace_address = entry.test()
