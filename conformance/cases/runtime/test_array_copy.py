"""Copies from and to arrays in the runtime API.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.va.fixtures import content
from conformance.cases.runtime import test_box  # noqa: F401 - its entries get cases here
from conformance.cases.runtime.fixtures import (
    DEFAULT,
    DEVICE_TO_DEVICE,
    DEVICE_TO_HOST,
    FLOATS,
    HOST_TO_DEVICE,
    HOST_TO_HOST,
    PAGE,
    array,
    box,
    memory,
    pinned,
    stream,
)
from conformance.cases.runtime.test_capture import GLOBAL, RELAXED, captured, over
from conformance.cases.runtime.test_library import current
from conformance.kit.case import ENTRIES, Entry, suite

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

ROW, ROWS = 64, 16
"""Bytes of a row of an array, and its rows."""


def counted(a: Process) -> int:
    """Return device memory with a different byte in each eighth."""
    place = memory(a)
    for number in range(8):
        a.ok.cudaMemset(place + 256 * number, number + 1, 256)
    return place


def filled(a: Process) -> int:
    """Return an array with a different byte in some rows."""
    made = array(a)
    a.ok.cudaMemcpy2DToArray(made, 0, 0, counted(a), ROW, ROW, ROWS, DEVICE_TO_DEVICE)
    return made


def to_memory(a: Process, of: int) -> bytes:
    """Return the bytes of an array."""
    back = memory(a)
    a.ok.cudaMemcpy2DFromArray(back, ROW, of, 0, 0, ROW, ROWS, DEVICE_TO_DEVICE)
    return content(a, back, ROW * ROWS)


def array_is(i: Invocation, argument: str, expected: bytes) -> None:
    """Check the first bytes of the array in an argument."""
    i.process.ok.cudaDeviceSynchronize()
    assert to_memory(i.process, i.args[argument])[: len(expected)] == expected


def memory_is(i: Invocation, argument: str, expected: bytes) -> None:
    """Check the first bytes of the device memory in an argument."""
    i.process.ok.cudaDeviceSynchronize()
    assert content(i.process, i.args[argument], len(expected)) == expected


ROWS_THERE = bytes(ROW) + bytes([1] * 16 + [0] * 48) * 2
"""Two rows of 16 bytes, from the second row on."""
rows_to = Entry.of(
    "cudaMemcpy2DToArray",
    lambda a: (array(a), 0, 1, counted(a), 32, 16, 2, DEVICE_TO_DEVICE),
    then=lambda _w, i, _: array_is(i, "dst", ROWS_THERE),
)
rows_to_async = Entry.of(
    "cudaMemcpy2DToArrayAsync",
    lambda a: (array(a), 0, 1, counted(a), 32, 16, 2, DEVICE_TO_DEVICE, stream(a)),
    then=lambda _w, i, _: array_is(i, "dst", ROWS_THERE),
)
rows_from = Entry.of(
    "cudaMemcpy2DFromArray",
    lambda a: (memory(a), 32, filled(a), 8, 3, 16, 2, DEVICE_TO_DEVICE),
    then=lambda _w, i, _: memory_is(i, "dst", bytes([1] * 16)),
)
rows_from_async = Entry.of(
    "cudaMemcpy2DFromArrayAsync",
    lambda a: (memory(a), 32, filled(a), 8, 3, 16, 2, DEVICE_TO_DEVICE, stream(a)),
    then=lambda _w, i, _: memory_is(i, "dst", bytes([1] * 16)),
)
bytes_to = Entry.of(
    "cudaMemcpyToArray",
    lambda a: (array(a), 60, 1, counted(a), 72, DEVICE_TO_DEVICE),
    then=lambda _w, i, _: array_is(i, "dst", bytes(ROW + 60) + bytes([1] * 72) + bytes(60)),
)
bytes_to_async = Entry.of(
    "cudaMemcpyToArrayAsync",
    lambda a: (array(a), 60, 1, counted(a), 72, DEVICE_TO_DEVICE, stream(a)),
    then=lambda _w, i, _: array_is(i, "dst", bytes(ROW + 60) + bytes([1] * 72) + bytes(60)),
)
bytes_from = Entry.of(
    "cudaMemcpyFromArray",
    lambda a: (memory(a), filled(a), 60, 3, 8, DEVICE_TO_DEVICE),
    then=lambda _w, i, _: memory_is(i, "dst", bytes([1] * 4 + [2] * 4)),
)
bytes_from_async = Entry.of(
    "cudaMemcpyFromArrayAsync",
    lambda a: (memory(a), filled(a), 60, 3, 8, DEVICE_TO_DEVICE, stream(a)),
    then=lambda _w, i, _: memory_is(i, "dst", bytes([1] * 4 + [2] * 4)),
)
rows_between = Entry.of(
    "cudaMemcpy2DArrayToArray",
    lambda a: (array(a), 8, 1, filled(a), 0, 7, 16, 2, DEVICE_TO_DEVICE),
    then=lambda _w, i, _: array_is(
        i, "dst", bytes(ROW + 8) + bytes([2] * 16) + bytes(48) + bytes([3] * 16) + bytes(40)
    ),
)
bytes_between = Entry.of(
    "cudaMemcpyArrayToArray",
    lambda a: (array(a), 60, 1, filled(a), 62, 3, 8, DEVICE_TO_DEVICE),
    then=lambda _w, i, _: array_is(i, "dst", bytes(ROW + 60) + bytes([1] * 2 + [2] * 6)),
)
TO = (rows_to, rows_to_async, bytes_to, bytes_to_async)
FROM = (rows_from, rows_from_async, bytes_from, bytes_from_async)
BETWEEN = (rows_between, bytes_between)
IN_ROWS = (rows_to, rows_to_async, rows_from, rows_from_async, rows_between)
BYTES_AND_MEMORY = (bytes_to, bytes_to_async, bytes_from, bytes_from_async)


def wrong(one: Entry, argument: str) -> None:
    """Add the cases of an array that is null or garbage."""
    target = one is rows_between and argument == "dst"
    one.breaks(f"{'copy.shape' if target else 'runtime.array_copy'}.ARRAY_IS_GIVEN", argument, **{argument: 0})
    one.undefined("copy.shape.ARRAY_IS_KNOWN", argument, code=1, **{argument: 0x1234_5678_9000})


for one in (*TO, *FROM, *BETWEEN):
    one.also("in a thread without a context", then=current)(lambda w, i: i.on_thread(w.thread_name()))
    if one in BYTES_AND_MEMORY:
        one.undefined("KIND_IS_ONE", code=0, kind=5)
    else:
        one.breaks("KIND_IS_KNOWN", kind=5)
    one.also("of the kind that the addresses tell", kind=DEFAULT)
    one.breaks("ARRAY_IS_OF_THE_DEVICE", "host to host", kind=HOST_TO_HOST)
    size = "height" if one in IN_ROWS else "count"
    nothing: dict[str, Any] = {size: 0}
    one.also("of nothing", **nothing)
    one.also("of nothing and of no kind", kind=5, **nothing)
    one.breaks("BOX_IS_IN_THE_ARRAY", "behind the last row", **{size: 100 if one in IN_ROWS else PAGE})
    place = "wOffset" + ("Dst" if one in BETWEEN else "")
    if one in IN_ROWS:
        one.breaks("BOX_IS_IN_THE_ARRAY", "behind the end of a row", **{place: ROW})
    else:
        behind: dict[str, Any] = {place: ROW}
        one.also("from the end of a row on", **behind)
        one.breaks("BOX_IS_IN_THE_ARRAY", "further behind the end of a row", **{place: ROW + 1})
for one in (*TO, *BETWEEN):
    wrong(one, "dst")
    one.breaks("ARRAY_IS_OF_THE_DEVICE", "device to host", kind=DEVICE_TO_HOST)
for one in (*FROM, *BETWEEN):
    wrong(one, "src")
    one.breaks("ARRAY_IS_OF_THE_DEVICE", "host to device", kind=HOST_TO_DEVICE)
for one in TO:
    one.also("from the host", src=lambda i: pinned(i.process), kind=HOST_TO_DEVICE)
    one.also("from null", src=0, rule="RANGE_IS_ALLOCATED")
    one.also("from the host's null", src=0, kind=HOST_TO_DEVICE, rule="POINTERS_ARE_GIVEN")
for one in FROM:
    one.also("to the host", dst=lambda i: pinned(i.process), kind=DEVICE_TO_HOST)
    one.also("to null", dst=0, rule="RANGE_IS_ALLOCATED")
for one in (rows_to_async, rows_from_async, bytes_to_async, bytes_from_async):
    one.also("in a captured stream", stream=lambda i: captured(i.process), then=over)


def again_while_captured(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Make the call again during captures in either mode, and end the captures."""
    for mode in (RELAXED, GLOBAL):
        begun = captured(i.process, mode)
        i.run()
        i.process.c.cudaStreamIsCapturing(begun)
        i.process.c.cudaStreamEndCapture(begun)


for one in (bytes_to, bytes_from, bytes_between):
    one.after("again while streams are captured")(again_while_captured)
for one in (rows_to, rows_to_async):
    one.breaks("runtime.copy.PITCH_SPANS_THE_ROW", spitch=15)
    one.also("one row with a pitch that is less", spitch=15, height=1, rule="copy.shape.PITCH_SPANS_THE_ROW")
for one in (rows_from, rows_from_async):
    one.breaks("runtime.copy.PITCH_SPANS_THE_ROW", dpitch=15)


def described(a: Process, of: tuple[int, ...] = FLOATS, **members: Plain) -> tuple[Plain, ...]:
    """Return a cudaMemcpy3DParms from an array to memory, with other members."""
    from_array = {"srcArray": array(a, channels=of), "srcPtr": (0, 0, 0, 0), "kind": DEVICE_TO_DEVICE}
    return box(a, **(from_array | {"extent": (4, 2, 1)} | members))


def row_of(a: Process) -> int:
    """Return an array of 8-byte elements, the second with bytes of 7."""
    made, place = array(a, channels=FLOATS), memory(a)
    a.ok.cudaMemset(place, 7, 8)
    a.ok.cudaMemcpyToArray(made, 8, 0, place, 8, DEVICE_TO_DEVICE)
    return made


@ENTRIES["cudaMemcpy3D"].also("from an array: in its elements", then=lambda _w, i, _: elements_are(i))
def from_array(_w: World, i: Invocation) -> Invocation:
    a = i.process
    return i.evolve(p=described(a, srcArray=row_of(a), srcPos=(1, 0, 0), extent=(2, 1, 1)))


def elements_are(i: Invocation) -> None:
    """Check two copied elements, of which the first has bytes of 7."""
    target = i.args["p"][5][0]
    i.process.ok.cudaDeviceSynchronize()
    assert content(i.process, target, 16) == bytes([7] * 8 + [0] * 8)


copies = ENTRIES["cudaMemcpy3D"]
copies.also("from an array by the wrong kind", p=lambda i: described(i.process, kind=HOST_TO_DEVICE))
copies.also(
    "more elements than there are",
    rule="BOX_IS_IN_THE_ARRAY",
    p=lambda i: described(i.process, extent=(65, 1, 1), dstPtr=(memory(i.process), 1024, 1024, 4)),
)
copies.also(
    "to a pitch that is less than the elements",
    rule="runtime.copy.PITCH_SPANS_THE_ROW",
    p=lambda i: described(i.process, extent=(64, 2, 1), dstPtr=(memory(i.process), 128, 128, 4)),
)

test_array_copy = suite(*TO, *FROM, *BETWEEN)
