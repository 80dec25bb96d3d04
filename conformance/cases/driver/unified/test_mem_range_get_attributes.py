"""cuMemRangeGetAttributes: several attributes of a range of managed memory at once.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.unified.fixtures import (
    ACCESSED,
    ATTRIBUTE,
    GPU,
    PREFERRED,
    READ_MOSTLY,
    SIZE,
    WIDTH,
    managed,
    refuse_ranges,
    wrapped,
)
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

SOME = tuple(ATTRIBUTE[name] for name in ("READ_MOSTLY", "PREFERRED_LOCATION", "ACCESSED_BY"))
SIZES = (WIDTH, WIDTH, 2 * WIDTH)


def valid(w: World) -> Invocation:
    a = w.process()
    ptr = managed(a)
    for advice in (READ_MOSTLY, PREFERRED, ACCESSED):
        a.ok.cuMemAdvise(ptr, SIZE // 2, advice, GPU)
    place: dict[str, Plain] = {"devPtr": ptr, "count": SIZE // 2}
    return a.call("cuMemRangeGetAttributes", dataSizes=SIZES, attributes=SOME, numAttributes=len(SOME), **place)


def one_by_one(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the values equal those of cuMemRangeGetAttribute."""
    number, place = i.args["numAttributes"], (i.args["devPtr"], i.args["count"])
    asked = list(zip(i.args["dataSizes"], i.args["attributes"], strict=False))[:number]
    assert results == (tuple(i.process.ok.cuMemRangeGetAttribute(*one, *place) for one in asked),)


entry = Entry("cuMemRangeGetAttributes", valid, one_by_one)
entry.null("data", "RESULT_IS_GIVEN")
refuse_ranges(entry)
wrapped(entry)
entry.breaks("COUNT_IS_POSITIVE", numAttributes=0)
entry.breaks("ARRAYS_ARE_GIVEN", "no sizes", dataSizes=None)
entry.breaks("ARRAYS_ARE_GIVEN", "no attributes", attributes=None)
for label, unknown in {"none": 0, "beyond the last": 9, "negative": -1}.items():
    entry.breaks("ATTRIBUTE_IS_KNOWN", label, attributes=(*SOME[:2], unknown))
for sizes in ((0, *SIZES[1:]), (*SIZES[:2], 0), (*SIZES[:2], 6), (2 * WIDTH, *SIZES[1:])):
    entry.breaks("SIZE_IS_THE_ATTRIBUTES", " ".join(map(str, sizes)), dataSizes=sizes)

entry.also("a range of mixed pages", count=SIZE, then=one_by_one)
entry.also("only the first", numAttributes=1, attributes=(SOME[0], 99, 99), then=one_by_one)
entry.also("room for many", dataSizes=(*SIZES[:2], 8 * WIDTH), then=one_by_one)


@entry.also("every attribute", then=one_by_one)
def every(_: World, i: Invocation) -> Invocation:
    names = [name for name in ATTRIBUTE if not name.startswith("LAST")]
    numbers = tuple(ATTRIBUTE[name] for name in names)
    return i.evolve(dataSizes=(WIDTH,) * len(names), attributes=numbers, numAttributes=len(names))


test_mem_range_get_attributes = entry.test()
