"""cuArrayCreate, cuArray3DCreate and cuMipmappedArrayCreate.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.array.fixtures import (
    BC1,
    CUBEMAP,
    DEFERRED,
    FLOAT,
    GATHER,
    LAYERED,
    NV12,
    ROW,
    ROWS,
    SPARSE,
    SURFACE,
    UINT8,
)
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

ARGUMENT = {
    "cuArrayCreate": "pAllocateArray",
    "cuArray3DCreate": "pAllocateArray",
    "cuMipmappedArrayCreate": "pMipmappedArrayDesc",
}
ANYTHING = 16384
"""Elements in each dimension of an array too large for any device."""


def flat(w: World) -> Invocation:
    return w.process().call("cuArrayCreate", pAllocateArray=(ROW, ROWS, UINT8, 1))


def solid(w: World) -> Invocation:
    return w.process().call("cuArray3DCreate", pAllocateArray=(ROW, ROWS, 4, UINT8, 1, 0))


def levels(w: World) -> Invocation:
    return w.process().call(
        "cuMipmappedArrayCreate", pMipmappedArrayDesc=(ROW, ROWS, 0, UINT8, 1, 0), numMipmapLevels=99
    )


def told(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the array reports its descriptor."""
    (handle,) = results
    assert i.c.cuArrayGetDescriptor(handle) == (0, (ROW, ROWS, UINT8, 1))


def every(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that each level is half the one before, up to the maximum of levels."""
    (handle,) = results
    shapes = [i.c.cuArray3DGetDescriptor(i.process.ok.cuMipmappedArrayGetLevel(handle, one))[1] for one in range(7)]
    assert [shape[:2] for shape in shapes] == [(ROW >> one, max(ROWS >> one, 1)) for one in range(7)]
    assert i.c.cuMipmappedArrayGetLevel(handle, 7) == (Result.INVALID_VALUE, None)


create = Entry("cuArrayCreate", flat, told)
create3d = Entry("cuArray3DCreate", solid)
mipmapped = Entry("cuMipmappedArrayCreate", levels, every)

for entry in (create, create3d, mipmapped):
    entry.null("pHandle", "RESULT_IS_GIVEN")
    entry.breaks("DESCRIPTOR_IS_GIVEN", **{ARGUMENT[entry.call]: None})
create.breaks("FORMAT_IS_KNOWN", "channels", pAllocateArray=(ROW, ROWS, UINT8, 3))
create.breaks("FORMAT_IS_KNOWN", "several planes", pAllocateArray=(ROW, ROWS, NV12, 3))
create.breaks("SHAPE_IS_POSSIBLE", pAllocateArray=(0, ROWS, UINT8, 1))
create.breaks("SHAPE_IS_WITHIN_LIMITS", pAllocateArray=(1 << 20, ROWS, UINT8, 1))


@create.world("MEMORY_SUFFICES")
def without_room(_: World, i: Invocation) -> Invocation:
    i.process.ok.cuMemAlloc(32 << 30)
    return i.evolve(pAllocateArray=(131072, 65536, FLOAT, 4))


create.also("of one dimension", pAllocateArray=(ROW, 0, FLOAT, 4))
create.also("compressed", pAllocateArray=(ROW, ROWS, BC1, 4))

for entry in (create3d, mipmapped):
    name, more = ARGUMENT[entry.call], (ROW, ROWS)

    def shaped(
        width: int, height: int, depth: int, form: int = UINT8, channels: int = 1, flags: int = 0, name: str = name
    ) -> dict[str, Plain]:
        """Return the descriptor as an argument."""
        return {name: (width, height, depth, form, channels, flags)}

    entry.breaks("FORMAT_IS_KNOWN", **shaped(*more, 0, UINT8, 5))
    entry.breaks("SURFACES_ARE_NOT_COMPRESSED", **shaped(*more, 0, BC1, 4, SURFACE))
    entry.breaks("FLAGS_ARE_KNOWN", **shaped(*more, 0, flags=1 << 20))
    entry.breaks("FLAGS_GO_TOGETHER", **shaped(*more, 0, flags=SPARSE | DEFERRED))
    entry.breaks("FLAGS_GO_TOGETHER", "a sparse surface", **shaped(*more, 0, flags=SPARSE | SURFACE))
    entry.breaks("FLAGS_GO_TOGETHER", "a sparse cubemap", **shaped(ROW, ROW, 6, flags=SPARSE | CUBEMAP))
    entry.breaks("SHAPE_IS_POSSIBLE", "no width", **shaped(0, ROWS, 4))
    entry.breaks("SHAPE_IS_POSSIBLE", "no height", **shaped(ROW, 0, 4))
    entry.breaks("SHAPE_IS_POSSIBLE", "no layers", **shaped(*more, 0, flags=LAYERED))
    entry.breaks("SHAPE_IS_POSSIBLE", "a line of compressed elements", **shaped(ROW, 0, 0, BC1, 4))
    entry.breaks("SHAPE_IS_POSSIBLE", "a cubemap with five faces", **shaped(ROW, ROW, 5, flags=CUBEMAP))
    entry.breaks("SHAPE_IS_POSSIBLE", "a cubemap that is no square", **shaped(*more, 6, flags=CUBEMAP))
    entry.breaks("SHAPE_IS_POSSIBLE", "seven layers of faces", **shaped(ROW, ROW, 7, flags=CUBEMAP | LAYERED))
    entry.breaks("SHAPE_IS_POSSIBLE", "gather from three dimensions", **shaped(*more, 4, flags=GATHER))
    entry.breaks("SHAPE_IS_POSSIBLE", "a sparse line", **shaped(ROW, 0, 0, flags=SPARSE))
    entry.breaks("SHAPE_IS_WITHIN_LIMITS", "of three dimensions", **shaped(1 << 20, 1, 1))
    entry.breaks("SHAPE_IS_WITHIN_LIMITS", "of layers", **shaped(1, 0, 1 << 20, flags=LAYERED))
    entry.breaks("SHAPE_IS_WITHIN_LIMITS", "for gathers", **shaped(1 << 20, 1, 0, flags=GATHER))
    entry.breaks("SHAPE_IS_WITHIN_LIMITS", "for surfaces", **shaped(1 << 20, 1, 0, flags=SURFACE))
    entry.breaks("MEMORY_SUFFICES", **shaped(ANYTHING, ANYTHING, ANYTHING, FLOAT, 4))
    entry.also("layers", **shaped(ROW, 0, 4, flags=LAYERED), then=None)
    entry.also("a cubemap", **shaped(ROW, ROW, 6, flags=CUBEMAP), then=None)
    entry.also("layers of cubemaps", **shaped(ROW, ROW, 12, flags=CUBEMAP | LAYERED | SURFACE), then=None)
    entry.also("for gathers", **shaped(*more, 0, flags=GATHER), then=None)
    entry.also("for surfaces", **shaped(*more, 4, flags=SURFACE), then=None)
    entry.also("sparse", **shaped(*more, 0, flags=SPARSE), then=None)
    entry.also("sparse and for gathers", **shaped(*more, 0, flags=SPARSE | GATHER), then=None)
    entry.also("with deferred mapping", **shaped(*more, 0, flags=DEFERRED), then=None)

test_array_create = create.test()
test_array3d_create = create3d.test()
test_mipmapped_array_create = mipmapped.test()
