"""Sparse arrays and arrays with deferred mapping: their tiles, tails and sizes, and what they hold without memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda import FakeCudaError
from fakecuda.model.invariants import check
from fakecuda.model.leaks import leaks_on
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

LAYERED, SPARSE, DEFERRED = 1, 64, 128
PAGE = 1 << 16


@pytest.fixture
def machine() -> Iterator[Any]:
    """Return an H200."""
    with fakecuda.Machine("h200", strict=False) as machine:
        yield machine


@pytest.fixture
def c(machine: Any) -> Any:
    """Return the calls of a process with a context."""
    calls = machine.spawn().c
    assert calls.cuInit(0)[0] == calls.cuCtxCreate(None, 0, 0)[0] == 0
    return calls


def test_bytes_of_sparse_arrays_without_memory_are_zeros(c: Any) -> None:
    """A copy to such bytes changes nothing, and a copy from them is of zeros."""
    _, array = c.cuArray3DCreate((512, 512, 0, 1, 1, SPARSE))
    _, plain = c.cuArrayCreate((64, 64, 1, 1))
    assert c.cuMemcpyHtoA(plain, 0, b"\1" * 64, 64) == (0,)
    assert c.cuMemcpyHtoA(array, 0, b"\1" * 64, 64) == (0,)
    assert c.cuMemcpyAtoA(array, 128, plain, 0, 64) == (0,)
    assert c.cuMemcpyAtoA(array, 256, array, 0, 64) == (0,)
    assert c.cuMemcpyAtoA(plain, 0, array, 0, 32) == (0,)
    for source, expected in ((array, bytes(64)), (plain, bytes(32) + b"\1" * 32)):
        read = bytearray(b"\7" * 64)
        assert c.cuMemcpyAtoH(read, source, 0, 64) == (0,)
        assert read == expected
    assert c.cuCtxSynchronize() == (0,)


@pytest.mark.parametrize("mipmapped", [False, True])
@pytest.mark.parametrize("code", [Result.LAUNCH_FAILED, Result.ILLEGAL_ADDRESS])
def test_copies_of_deferred_arrays_without_memory_fail(c: Any, *, mipmapped: bool, code: int) -> None:
    """The copy answers SUCCESS, and later calls in all contexts of the process fail: by the host's memory with LAUNCH_FAILED."""
    shape = (512, 512, 0, 1, 1, DEFERRED)
    array = c.cuArray3DCreate(shape)[1]
    if mipmapped:
        array = c.cuMipmappedArrayGetLevel(c.cuMipmappedArrayCreate(shape, 3)[1], 2)[1]
    assert c.cuArray3DGetDescriptor(array)[0] == c.cuCtxSynchronize()[0] == 0
    if code == Result.LAUNCH_FAILED:
        assert c.cuMemcpyHtoA(array, 0, b"\1" * 64, 64) == (0,)
    else:
        assert c.cuMemcpyDtoA(array, 0, c.cuMemAlloc(64)[1], 64) == (0,)
    assert c.cuCtxSynchronize() == (code,)
    assert c.cuArray3DGetDescriptor(array)[0] == code


def test_a_copy_of_a_deferred_array_to_the_host_fails_at_once(c: Any) -> None:
    """The call waits for the device."""
    array = c.cuArray3DCreate((512, 512, 0, 1, 1, DEFERRED))[1]
    assert c.cuMemcpyAtoH(bytearray(64), array, 0, 64) == (Result.LAUNCH_FAILED,)


@pytest.mark.parametrize("flags", [SPARSE, DEFERRED])
def test_arrays_without_memory_take_none(machine: Any, c: Any, flags: int) -> None:
    """Arrays larger than the device can be created, are listed as leaks of no bytes, and end with their context."""
    free = c.cuMemGetInfo()[1]
    made = [c.cuArray3DCreate((16384, 16384, 0, 32, 4, flags)) for _ in range(40)]
    made += [c.cuMipmappedArrayCreate((16384, 16384, 0, 32, 4, flags), 9) for _ in range(40)]
    assert all(code == 0 for code, _ in made)
    assert c.cuMemGetInfo()[1] == free
    assert {leak.size for leak in leaks_on(machine) if leak.kind == "array"} == {0}
    check(machine)
    assert c.cuMipmappedArrayDestroy(made[-1][1]) == (0,)
    assert c.cuArrayDestroy(made[0][1]) == (0,)
    assert c.cuCtxDestroy(c.cuCtxGetCurrent()[1]) == (0,)
    check(machine)


@pytest.mark.parametrize(
    ("form", "channels", "flat", "solid"),
    [
        (1, 1, (256, 256, 1), (64, 32, 32)),
        (1, 2, (256, 128, 1), (32, 32, 32)),
        (32, 1, (128, 128, 1), (32, 32, 16)),
        (32, 2, (128, 64, 1), (32, 16, 16)),
        (32, 4, (64, 64, 1), (16, 16, 16)),
        (145, 4, (512, 256, 1), (128, 64, 16)),
    ],
)
def test_tiles_have_64_kib(
    c: Any, form: int, channels: int, flat: tuple[int, int, int], solid: tuple[int, int, int]
) -> None:
    """The extents of a tile follow from the bytes of an element, and from whether the array has depth."""
    for depth, flags, tile in ((0, 0, flat), (4, LAYERED, flat), (128, 0, solid)):
        array = c.cuArray3DCreate((512, 512, depth, form, channels, SPARSE | flags))[1]
        assert c.cuArrayGetSparseProperties(array) == (0, (tile, 0, 0, 0))


@pytest.mark.parametrize(
    ("shape", "levels", "properties"),
    [
        ((512, 512, 0, 1, 1), 2, ((256, 256, 1), 2, 0, 0)),
        ((512, 512, 0, 1, 1), 20, ((256, 256, 1), 2, PAGE, 0)),
        ((1000, 1000, 0, 1, 1), 20, ((256, 256, 1), 2, 2 * PAGE, 0)),
        ((300, 700, 9, 1, 1), 20, ((256, 256, 1), 1, 3 * PAGE, 0)),
        ((40, 40, 40, 1, 1), 20, ((64, 32, 32), 0, 3 * PAGE, 1)),
        ((40, 40, 40, 32, 1), 20, ((32, 32, 16), 1, 3 * PAGE, 0)),
        ((64, 16, 7, 32, 4), 20, ((64, 64, 1), 0, 3 * PAGE, 1)),
        ((200, 140, 70, 145, 4), 20, ((128, 64, 16), 1, 8 * PAGE, 0)),
    ],
)
def test_tails_have_the_levels_without_tiles(
    c: Any, shape: tuple[int, ...], levels: int, properties: tuple[tuple[int, int, int], int, int, int]
) -> None:
    """A layer's tail begins with the first level that spans no tile; a tail that is all of an array has all layers."""
    layered = LAYERED if shape[2] in {7, 9} else 0
    mipmapped = c.cuMipmappedArrayCreate((*shape, SPARSE | layered), levels)[1]
    assert c.cuMipmappedArrayGetSparseProperties(mipmapped) == (0, properties)


def test_slices_lie_together_in_sixteens(c: Any) -> None:
    """Arrays of three dimensions need whole groups of slices and rows, their levels groups that are no larger."""
    shape = (200, 140, 70, 1, 2, DEFERRED)
    assert c.cuArrayGetMemoryRequirements(c.cuArray3DCreate(shape)[1], 0) == (0, (79 * PAGE, PAGE))
    assert c.cuMipmappedArrayGetMemoryRequirements(c.cuMipmappedArrayCreate(shape, 20)[1], 0) == (0, (95 * PAGE, PAGE))


def test_layers_are_whole_groups_of_rows(c: Any) -> None:
    """A layer of a mipmapped array begins with rows that lie together, so that layers need more than their levels."""
    shape = (128, 128, 128, 1, 1, DEFERRED)
    assert c.cuMipmappedArrayGetMemoryRequirements(c.cuMipmappedArrayCreate(shape, 20)[1], 0) == (0, (2490368, PAGE))
    shape = (*shape[:5], DEFERRED | LAYERED)
    assert c.cuMipmappedArrayGetMemoryRequirements(c.cuMipmappedArrayCreate(shape, 20)[1], 0) == (0, (4194304, PAGE))


def test_forks_keep_the_pages_of_their_parent(machine: Any) -> None:
    """A fork that destroys its copy of an array leaves the parent's addresses alone."""
    process = machine.spawn()
    c = process.c
    assert c.cuInit(0)[0] == c.cuCtxCreate(None, 0, 0)[0] == 0
    array = c.cuArray3DCreate((512, 512, 0, 1, 1, SPARSE))[1]
    assert process.forked.cuArrayDestroy(array) == (0,)
    assert c.cuArrayGetSparseProperties(array)[0] == 0
    check(machine)


def test_a_fork_maps_nothing(machine: Any) -> None:
    """It does not say what the driver does."""
    process = machine.spawn()
    c = process.c
    assert c.cuInit(0)[0] == c.cuCtxCreate(None, 0, 0)[0] == 0
    array, stream = c.cuArray3DCreate((512, 512, 0, 1, 1, SPARSE))[1], c.cuStreamCreate(0)[1]
    info = (0, array, 0, (0, 0, 256 << 32, 1 << 32 | 256), 2, 0, 0, 0, 1, 0, 0)
    assert c.cuMemMapArrayAsync((info,), 1, stream) == (0,)
    with pytest.raises(FakeCudaError, match="map the array in the process that created it"):
        process.forked.cuMemMapArrayAsync((info,), 1, stream)
