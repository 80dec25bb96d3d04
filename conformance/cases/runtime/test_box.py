"""Memsets and copies of 3D memory in the runtime API.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.runtime.fixtures import EXTENT, FLOATS, array, between, box, rows
from conformance.kit.case import Entry, suite

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.world import Invocation

SETS = [
    Entry.of("cudaMemset3D", lambda a: (rows(a), 7, EXTENT)),
    Entry.of("cudaMemset3DAsync", lambda a: (rows(a), 7, EXTENT, 0)),
]
COPIES = [
    Entry.of("cudaMemcpy3D", lambda a: (box(a),)),
    Entry.of("cudaMemcpy3DAsync", lambda a: (box(a), 0)),
]
BETWEEN = [
    Entry.of("cudaMemcpy3DPeer", lambda a: (between(a),)),
    Entry.of("cudaMemcpy3DPeerAsync", lambda a: (between(a), 0)),
]
NULL = (0, 0, 0, 0)


def member(make: Callable[..., tuple[Any, ...]], **changed: Any) -> Callable[[Invocation], Any]:
    """Return a struct with other members; functions change a cudaPitchedPtr."""

    def made(i: Invocation) -> tuple[Any, ...]:
        given = {name: value(rows(i.process)) if callable(value) else value for name, value in changed.items()}
        return make(i.process, **given)

    return made


def between_arrays(make: Callable[..., tuple[Any, ...]]) -> Callable[[Invocation], Any]:
    """Return a copy between arrays with different elements."""
    return lambda i: make(
        i.process, srcArray=array(i.process, channels=FLOATS), srcPtr=NULL, dstArray=array(i.process), dstPtr=NULL
    )


for each in SETS:
    each.breaks("ROWS_FIT", pitchedDevPtr=lambda i: (i.args["pitchedDevPtr"][0], 8, 64, 4))
    each.also(
        "one row past the pitch", pitchedDevPtr=lambda i: (i.args["pitchedDevPtr"][0], 8, 64, 4), extent=(16, 1, 1)
    )
    each.breaks("SLICES_ARE_WHOLE", pitchedDevPtr=lambda i: (*i.args["pitchedDevPtr"][:3], 1))
    each.also("a slice of no rows", pitchedDevPtr=lambda i: (*i.args["pitchedDevPtr"][:3], 0), rule="SLICES_ARE_WHOLE")
    each.breaks(
        "SLICES_ARE_WHOLE",
        "one of them",
        pitchedDevPtr=lambda i: (*i.args["pitchedDevPtr"][:3], 1),
        extent=(16, 2, 1),
    )
    each.also("no slices", extent=(16, 2, 0))
    each.also("no rows", extent=(16, 0, 2))
    each.also("no bytes", extent=(0, 2, 2))
for each, make in (*((one, box) for one in COPIES), *((one, between) for one in BETWEEN)):
    each.breaks("DESCRIPTION_IS_GIVEN", p=None)
    each.breaks("ONE_OBJECT_IS_NAMED", "no source", p=member(make, srcPtr=NULL))
    each.breaks("ONE_OBJECT_IS_NAMED", "no target", p=member(make, dstPtr=NULL))
    each.breaks("PITCH_SPANS_THE_ROW", "of the source", p=member(make, srcPtr=lambda one: (one[0], 8, *one[2:])))
    each.breaks("PITCH_SPANS_THE_ROW", "of the target", p=member(make, dstPtr=lambda one: (one[0], 8, *one[2:])))
    each.breaks("ELEMENTS_ARE_ALIKE", p=between_arrays(make))
    each.breaks("ROWS_FIT_IN_A_SLICE", "of the source", p=member(make, srcPtr=lambda one: (*one[:3], 1)))
    each.breaks("ROWS_FIT_IN_A_SLICE", "of the target", p=member(make, dstPtr=lambda one: (*one[:3], 0)))
    each.also(
        "fewer rows than one slice has",
        p=member(make, srcPtr=lambda one: (*one[:3], 1), extent=(16, 2, 1)),
        rule="HEIGHT_SPANS_THE_SLICE",
    )
    each.also(
        "behind a position past the pitch", p=member(make, srcPos=(500, 0, 0)), rule="copy.shape.PITCH_SPANS_THE_ROW"
    )
    each.also("no bytes", p=member(make, extent=(0, 2, 2)))
    each.also("no slices", p=member(make, extent=(16, 2, 0)))
for each in COPIES:
    each.breaks("KIND_IS_KNOWN", p=member(box, kind=5))
    each.also("nothing of an unknown kind from nowhere", p=member(box, kind=5, srcPtr=NULL, extent=(16, 0, 2)))
for each in BETWEEN:
    each.also("nothing from nowhere", p=member(between, srcPtr=NULL, extent=(16, 0, 2)))
    each.also(
        "nothing of a device that is none",
        p=member(between, srcDevice=99, extent=(16, 0, 2)),
        rule="runtime.active.DEVICE_IS_THERE",
    )
    each.breaks("DEVICE_IS_THERE", "of the source", p=member(between, srcDevice=99))
    each.breaks("DEVICE_IS_THERE", "of the target", p=member(between, dstDevice=99))

test_box = suite(*SETS, *COPIES, *BETWEEN)
