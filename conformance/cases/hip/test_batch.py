"""Copies of HIP that one call makes many of: of ranges, and of slices of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.hip.fixtures import HERE, SIZE, entries, host, mapped, memory, new
from conformance.kit.case import suite

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Process

ATTRIBUTES = (1, HERE, HERE, 0)
"""A hipMemcpyAttributes."""


def operation(a: Process, **changed: Plain) -> tuple[Plain, ...]:
    """Return a hipMemcpy3DBatchOp from one place of the device to another, in a batch of one; members of it may differ."""
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

test_batch = suite(*every.values())
