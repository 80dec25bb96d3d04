"""3D memory in the runtime API: cudaMalloc3D, cudaMemset3D, cudaMemcpy3D.

A cudaPitchedPtr says where the rows are: the bytes from row to row, and how many rows a slice has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.array import Array, Element
from fakecuda.model.work import timed
from fakecuda.model.work.accesses import WRITES
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.copy.memset import fillable_rows
from fakecuda.rules.driver.copy.plan import perform, queue
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.driver.copy.shape import ARRAY, DEVICE, HOST, planned
from fakecuda.rules.driver.memory.mem_alloc_pitch import mem_alloc_pitch
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.driver.stream.order import enqueue, launch
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import active, given
from fakecuda.rules.runtime.copy import PITCH_SPANS_THE_ROW, SIDES, contexts_of, kind_of
from fakecuda.rules.runtime.default import ELEMENT
from fakecuda.spec import orders
from fakecuda.spec.codes import Error, Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.work.accesses import Use
    from fakecuda.rules.driver.copy.shape import Side

Triple = tuple[int, int, int]
Pitched = tuple[int, int, int, int]
"""A cudaPitchedPtr: address, pitch, bytes of a row, rows of a slice."""
Place = tuple[int, Triple, Pitched]
"""One side of a copy: an array, a position and a cudaPitchedPtr."""
Params = tuple[int, Triple, Pitched, int, Triple, Pitched, Triple, int]
PeerParams = tuple[int, Triple, Pitched, int, int, Triple, Pitched, int, Triple]
BYTE = Element(1)
"""The element of linear memory: one byte."""

DESCRIPTION_IS_GIVEN = Rule(
    "the pointer to the parameters of the copy is not null",
    Result.INVALID_VALUE,
    manual("cudaMemcpy3D", "The source, destination, extent, and kind of copy performed is specified by"),
    fix="pass the address of a cudaMemcpy3DParms or cudaMemcpy3DPeerParms",
)
ONE_OBJECT_IS_NAMED = Rule(
    "source and destination each have either an array or a pointer, but not both",
    Result.INVALID_VALUE,
    manual("cudaMemcpy3D", "Passing more than one non-zero source or destination will cause"),
    fix="set either srcArray or srcPtr, and either dstArray or dstPtr, and zero the other two members",
)
ROWS_FIT = Rule(
    "`extent.width` is at most `pitch` if there are several rows",
    Result.INVALID_VALUE,
    manual("cudaMemset3D", "is the width in memory in bytes of the 3D array pointed to by `pitchedDevPtr`"),
    fix="set pitch of the cudaPitchedPtr to at least extent.width, as cudaMalloc3D returns it",
)
ROWS_FIT_IN_A_SLICE = Rule(
    "if `extent.depth` is above 1, `ysize` of each side that has no array is at least `extent.height`",
    Error.INVALID_PITCH_VALUE,
    observed(
        "cudaMemcpy3D",
        "the library answers cudaErrorInvalidPitchValue if `ysize` is less than the rows of a slice "
        "and there are several slices",
    ),
    fix="set ysize of srcPtr and dstPtr to at least extent.height",
)
ELEMENTS_ARE_ALIKE = Rule(
    "both arrays have elements of the same size, if source and destination are arrays",
    Result.INVALID_VALUE,
    manual("cudaMemcpy3D", "will return an error if they do not have the same element size"),
    fix="copy between arrays with elements of the same size, or through memory",
)
SLICES_ARE_WHOLE = Rule(
    "`ysize` is at least `extent.height`",
    Result.INVALID_VALUE,
    manual("cudaMemset3D", "the `ysize` field specifies the height of each 2D slice in rows"),
    fix="set ysize of the cudaPitchedPtr to at least extent.height, as cudaMalloc3D returns it",
)


@RUNTIME.op("cudaMalloc3D")
def malloc3d(call: Call, extent: Triple) -> Pitched:
    """Allocate memory for slices of rows; without rows, the address is 0."""
    if call.nulls:
        given(call)
    active(call)
    width, height, depth = extent
    if not (width and height and depth):
        return 0, 0, width, height
    ptr, pitch = mem_alloc_pitch(call, width, height * depth, ELEMENT)
    return ptr, pitch, width, height


@guard
def filling(
    call: Call, context: Context, pitched: Pitched, value: int, extent: Triple
) -> tuple[Callable[[], None], tuple[int, int], Use] | None:
    """Return a function that sets slices of rows, and their memory; None without rows."""
    width, height, depth = extent
    ptr, pitch, _, rows = pitched
    if not (width and height and depth):
        return None
    if width > pitch and height * depth > 1:
        raise ROWS_FIT.broken(pitch=pitch, width=width)
    if rows < height:
        raise SLICES_ARE_WHOLE.broken(ysize=rows, height=height)
    slices = [fillable_rows(call, context, ptr + z * pitch * rows, pitch, width, height) for z in range(depth)]

    def fill() -> None:
        for targets in slices:
            timed.set_rows(call.machine, targets, value & 0xFF, 1, width, height, pitch)
        call.machine.clock.moved(slices[0][0][0].memory, None, width * height * depth)

    span = (height - 1) * pitch + width
    pieces = [piece for targets in slices for piece in targets]
    place = ptr, (depth - 1) * rows * pitch + span
    return fill, place, (WRITES, place, pieces, (width, height, depth, pitch, span))


@RUNTIME.op("cudaMemset3D", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
@orders.makes(orders.FILL)
def memset3d(call: Call, pitched: Pitched, value: int, extent: Triple) -> None:
    """Set the bytes of slices of rows to the lowest byte of ``value``."""
    # CHECK
    context = active(call)
    found = filling(call, context, pitched, value, extent)
    # EFFECT
    if found is not None:
        race.at_once(call, context, found[2])
        launch(call, context, *found[:2])


@RUNTIME.op("cudaMemset3DAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
@orders.makes(orders.FILL)
def memset3d_async(call: Call, pitched: Pitched, value: int, extent: Triple, stream: int) -> None:
    """Have a stream set slices of rows, as cudaMemset3D does."""
    # CHECK
    active(call)
    working = stream_of(call, stream, "cudaMemset3DAsync")
    found = filling(call, working.context, pitched, value, extent)
    # EFFECT
    if found is not None:
        race.in_stream(call, working, (found[2],))
        enqueue(call, working, *found[:2])


def element_of(call: Call, array: int) -> Element:
    """Return the element of an array; for memory, a byte."""
    found = call.process.arrays.get(array)
    return found.element if isinstance(found, Array) else BYTE


@guard
def side(place: Place, kind: int, extent: Triple, element: Element = BYTE) -> Side:
    """Return one side of a copy in the driver's form.

    Args:
        place: Where it lies.
        kind: Its CUmemorytype, if it is no array.
        extent: What is copied: bytes of a row, rows of a slice, slices.
        element: What it is made of, if it is an array.
    """
    array, (x, y, z), (ptr, pitch, _, rows) = place
    if bool(array) == bool(ptr):
        raise ONE_OBJECT_IS_NAMED.broken(array=array, ptr=ptr)
    if array:
        return ARRAY, 0, 0, array, x // element.side * element.size, y // element.side, z, 0, 0
    width, height, depth = extent
    if width > pitch and height * depth > 1:
        raise PITCH_SPANS_THE_ROW.broken(pitch=pitch, width=width)
    if depth > 1 and height > rows:
        raise ROWS_FIT_IN_A_SLICE.broken(ysize=rows, height=height)
    host, other = (ptr, 0) if kind == HOST else (0, ptr)
    return kind, host, other, 0, x, y, z, pitch, rows


@guard
def sides(
    call: Call, source: Place, target: Place, kinds: tuple[int, int], extent: Triple
) -> tuple[Side, Side, Triple]:
    """Return destination, source and byte size of a copy with an element extent.

    Args:
        call: The call.
        source: Where from.
        target: Where to.
        kinds: The CUmemorytype of the source and of the target, where they are no arrays.
        extent: What is copied.
    """
    ours, theirs = element_of(call, source[0]), element_of(call, target[0])
    element = ours if source[0] else theirs
    size = -(-extent[0] // element.side) * element.size, -(-extent[1] // element.side), extent[2]
    of_source = side(source, kinds[0], size, ours)
    of_target = side(target, kinds[1], size, theirs)
    if source[0] and target[0] and ours.size != theirs.size:
        raise ELEMENTS_ARE_ALIKE.broken(source=ours.size, target=theirs.size)
    return of_target, of_source, size


@guard
def described(call: Call, params: Params | None) -> tuple[Side, Side, Triple] | None:
    """Return destination, source and size of a cudaMemcpy3DParms; None if empty."""
    if params is None:
        raise DESCRIPTION_IS_GIVEN.broken()
    *_, extent, kind = params
    if not all(extent):
        return None
    return sides(call, params[0:3], params[3:6], SIDES[kind_of(kind)], extent)


@RUNTIME.op("cudaMemcpy3D", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def copy3d(call: Call, params: Params | None) -> None:
    """Copy the slices of a cudaMemcpy3DParms."""
    # CHECK
    context = active(call)
    copy = described(call, params)
    plan = copy and planned(call, context, *copy)
    # EFFECT
    if plan is not None:
        perform(call, context, plan)


@RUNTIME.op("cudaMemcpy3DAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def copy3d_async(call: Call, params: Params | None, stream: int) -> None:
    """Have a stream copy the slices of a cudaMemcpy3DParms."""
    # CHECK
    context = active(call)
    copy = described(call, params)
    working = stream_of(call, stream, "cudaMemcpy3DAsync")
    plan = copy and planned(call, context, *copy)  # what is granted is granted to the current device
    # EFFECT
    if plan is not None:
        queue(call, working, "cudaMemcpy3DAsync", plan)


@guard
def described_between(call: Call, params: PeerParams | None) -> tuple[Side, Side, Triple, tuple[int, int]] | None:
    """Return destination, source, size and contexts of a cudaMemcpy3DPeerParms.

    None for nothing, wherever from.
    """
    if params is None:
        raise DESCRIPTION_IS_GIVEN.broken()
    extent = params[8]
    here, there = contexts_of(call, params[3], params[7])
    if not all(extent):
        return None
    copy = sides(call, params[0:3], params[4:7], (DEVICE, DEVICE), extent)
    return *copy, (there.handle, here.handle)


@RUNTIME.op("cudaMemcpy3DPeer", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def copy3d_between(call: Call, params: PeerParams | None) -> None:
    """Copy the slices of a cudaMemcpy3DPeerParms between two devices."""
    # CHECK
    context = active(call)
    copy = described_between(call, params)
    plan = copy and planned(call, context, *copy)
    # EFFECT
    if plan is not None:
        perform(call, context, plan)


@RUNTIME.op("cudaMemcpy3DPeerAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def copy3d_between_async(call: Call, params: PeerParams | None, stream: int) -> None:
    """Have a stream copy the slices of a cudaMemcpy3DPeerParms."""
    # CHECK
    active(call)
    copy = described_between(call, params)
    working = stream_of(call, stream, "cudaMemcpy3DPeerAsync")
    plan = copy and planned(call, working.context, *copy)
    # EFFECT
    if plan is not None:
        queue(call, working, "cudaMemcpy3DPeerAsync", plan)
