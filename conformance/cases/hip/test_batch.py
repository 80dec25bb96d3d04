"""Batches of HIP: many copies in one call, of ranges and of slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.hip.fixtures import HERE, SIZE, content, entries, host, mapped, memory, new
from conformance.kit.case import suite

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

NONE_FAILED = (1 << 64) - 1
ATTRIBUTES = (1, HERE, HERE, 0)
"""A hipMemcpyAttributes."""


def operation(a: Process, **changed: Plain) -> tuple[Plain, ...]:
    """Return a hipMemcpy3DBatchOp within the device, with other members."""
    one = {"kind": 1, "src": memory, "row": 0, "height": 0, "dst": memory, "extent": (64, 2, 2), **changed}
    src, dst = (one[side](a) if callable(one[side]) else one[side] for side in ("src", "dst"))
    source = (one["kind"], ((src, one["row"], one["height"], (0, 0)),))
    return ((source, (1, ((dst, 0, 0, (0, 0)),)), one["extent"], 1, 0),)


every = entries(
    {
        "hipMemcpyBatchAsync": lambda a: (
            *((memory(a), memory(a)), (host(a), memory(a)), (SIZE, SIZE), 2),
            *((ATTRIBUTES,) * 2, (0, 1), 2, a.ok.hipStreamCreate()),
        ),
        "hipMemcpy3DBatchAsync": lambda a: (1, operation(a), 0, a.ok.hipStreamCreate()),
    }
)
ranges, boxes = every.values()
for name in ("dsts", "srcs", "sizes"):
    ranges.breaks("ARRAYS_ARE_GIVEN", name, **{name: None})
ranges.breaks("ARRAYS_ARE_GIVEN", "none", count=0)
for name in ("attrs", "attrsIdxs"):
    ranges.breaks("ATTRIBUTES_ARE_GIVEN", name, **{name: None})
for label, indices in {"from 1": (1, 0), "one twice": (0, 0), "beyond": (0, 2)}.items():
    ranges.breaks("INDICES_MAKE_SENSE", label, attrsIdxs=indices)
ranges.breaks("INDICES_MAKE_SENSE", "more than copies", attrs=(ATTRIBUTES,) * 3, attrsIdxs=(0, 1, 1), numAttrs=3)
ranges.breaks("ORDER_IS_KNOWN", attrs=((0, *ATTRIBUTES[1:]),) * 2)
ranges.breaks("BYTES_ARE_COPIED", sizes=(SIZE, 0))
ranges.breaks("POINTERS_ARE_GIVEN", "a source", srcs=lambda i: (i.args["srcs"][0], 0))
ranges.breaks("POINTERS_ARE_GIVEN", "a target", dsts=lambda i: (0, i.args["dsts"][1]))
ranges.breaks("SIZES_SUFFICE", sizes=(SIZE, SIZE + 1))
ranges.breaks("ACCESS_IS_GIVEN", dsts=lambda i: (mapped(i.process), i.args["dsts"][1]))
ranges.also("without attributes", attrs=None, attrsIdxs=None, numAttrs=0)

boxes.breaks("OPERATIONS_ARE_GIVEN", numOps=0, opList=None)
boxes.breaks("OPERATIONS_ARE_GIVEN", "flags", flags=1)
boxes.null("failIdx", "PLACE_OF_THE_FAILURE_IS_GIVEN")
OPERATIONS: dict[str, dict[str, Plain]] = {
    "OPERAND_IS_KNOWN": {"kind": 0},
    "ARRAY_IS_KNOWN": {"kind": 2},
    "ARRAY_IS_GIVEN": {"kind": 2, "src": 0},
    "EACH_SIDE_IS_ONE": {"src": 0},
    "PITCH_IS_SMALL": {"row": 1 << 31},
    "volume.PITCH_SPANS_THE_ROW": {"row": 63},
    "EXTENT_FITS": {"extent": (64, 2, 33)},
    "HEIGHT_SPANS_THE_SLICE": {"height": 1, "extent": (64, 2, 2)},
    "SPAN_FITS": {"row": 200, "extent": (64, 2, 11)},
    "END_FITS": {"src": lambda a: memory(a) + 3000, "extent": (64, 2, 10)},
    "ACCESS_IS_GIVEN": {"src": mapped},
}
for rule, changed in OPERATIONS.items():
    boxes.breaks(rule, opList=new(operation, **changed))


@ranges.after("each is copied")
def copied(_w: World, i: Invocation, results: tuple[int]) -> None:
    a, (first, second, target) = i.process, (memory(i.process) for _ in range(3))
    assert results == (NONE_FAILED,)
    for place, value in ((first, 1), (second, 2), (target, 0)):
        a.ok.hipMemset(place, value, 64)
    copies = ((target, target + 16), (first, second), (16, 8), 2)
    assert a.ok.hipMemcpyBatchAsync(*copies, None, None, 0, 0) == NONE_FAILED
    assert content(a, target, 32) == bytes([1] * 16 + [2] * 8 + [0] * 8)


@boxes.after("up to the one that fails")
def first_alone(w: World, i: Invocation, _r: tuple[int]) -> None:
    """Check that copies before the failing one are made; hip-python returns its index."""
    a, (first, second, target) = i.process, (memory(i.process) for _ in range(3))
    a.ok.hipMemset(first, 1, 16)
    a.ok.hipMemset(target, 0, 64)
    bound = w.session.recorder.processes[a.name].hip
    made = bound.hipMemcpy3DBatchOp.allocate(2)
    for number, (source, width) in enumerate(((first, 16), (second, SIZE + 1))):
        one = bound.hipMemcpy3DBatchOp.fromObj(int(made) + number * made.c_sizeof())
        for side, address in ((one.src, source), (one.dst, target)):
            side.type = bound.hipMemcpy3DOperandType.hipMemcpyOperandTypePointer
            side.op.ptr.ptr = address
        one.extent.width, one.extent.height, one.extent.depth = width, 1, 1
    assert bound.hipMemcpy3DBatchAsync(2, made, 0, None) == (bound.hipError_t.hipErrorInvalidValue, 1)
    assert content(a, target, 16) == bytes([1] * 16)


test_batch = suite(*every.values())
