"""Sparse arrays and arrays with deferred mapping: what they hold without memory, and in forks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda import FakeCudaError
from fakecuda.model.invariants import check
from fakecuda.model.leaks import leaks_on

if TYPE_CHECKING:
    from collections.abc import Iterator

SPARSE, DEFERRED = 64, 128


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


FLAT, SOLID, LAYERS, CUBE = (64, 64, 0), (64, 64, 8), (64, 64, 4), (64, 64, 6)
LAYERED, CUBEMAP = 1, 4
LAUNCH_FAILED, ILLEGAL_ADDRESS = 719, 700


def rows(source: tuple[int, int], target: tuple[int, int]) -> tuple[int, ...]:
    """Return a CUDA_MEMCPY2D of two rows between memory types and their memory."""
    ends: list[int] = []
    for kind, memory in (source, target):
        ends += [0, 0, kind, *(memory if kind in kinds else 0 for kinds in ((1,), (2, 4), (3,))), 64]
    return (*ends, 16, 2)


@pytest.mark.parametrize(
    ("mine", "other", "code"),
    [
        ((*FLAT, 1, 1, 0), (*FLAT, 1, 1, 0), ILLEGAL_ADDRESS),
        ((*FLAT, 1, 1, 0), (*SOLID, 1, 1, 0), LAUNCH_FAILED),
        ((*SOLID, 1, 1, 0), (*FLAT, 1, 1, 0), LAUNCH_FAILED),
        ((*FLAT, 1, 1, 0), (*CUBE, 1, 1, CUBEMAP), ILLEGAL_ADDRESS),
        ((*SOLID, 1, 1, 0), (*SOLID, 1, 1, 0), ILLEGAL_ADDRESS),
        ((64, 64, 1, 1, 1, 0), (*FLAT, 1, 1, 0), ILLEGAL_ADDRESS),
        ((64, 0, 4, 1, 1, LAYERED), (64, 0, 4, 1, 1, LAYERED), LAUNCH_FAILED),
        ((*LAYERS, 1, 1, LAYERED), (*FLAT, 1, 1, 0), ILLEGAL_ADDRESS),
        ((*FLAT, 1, 1, 0), (*FLAT, 1, 1, SPARSE), ILLEGAL_ADDRESS),
    ],
)
def test_the_code_of_a_fault_is_by_the_shapes_of_both_arrays(
    c: Any, mine: tuple[int, ...], other: tuple[int, ...], code: int
) -> None:
    """Whichever array is written; the copy itself succeeds."""
    x = c.cuArray3DCreate((*mine[:5], mine[5] | DEFERRED))[1]
    c.cuArray3DCreate((*SOLID, 1, 1, 0))  # which lies beside the other one
    y = c.cuArray3DCreate(other)[1]
    assert c.cuMemcpyAtoA(y, 0, x, 0, 16) == (0,)
    assert c.cuCtxSynchronize() == (code,)


@pytest.mark.parametrize(
    ("shape", "number", "code"),
    [
        ((*LAYERS, 1, 1, LAYERED), 1, LAUNCH_FAILED),
        ((*FLAT, 1, 1, 0), 1, ILLEGAL_ADDRESS),
        ((64, 64, 4, 1, 1, 0), 1, LAUNCH_FAILED),
        ((64, 64, 4, 1, 1, 0), 2, ILLEGAL_ADDRESS),
    ],
)
@pytest.mark.parametrize("later", [0, 1])
def test_the_level_decides_and_not_its_mipmapped_array(
    c: Any, shape: tuple[int, ...], number: int, code: int, later: int
) -> None:
    """Layers with levels have no kernel; the last levels of a solid one have one slice."""
    made = c.cuMipmappedArrayCreate((*shape[:5], shape[5] | DEFERRED * later), 3)[1]
    levels = [c.cuMipmappedArrayGetLevel(made, one)[1] for one in (0, 1, 2)]
    flat = c.cuArray3DCreate((*FLAT, 1, 1, DEFERRED * (1 - later)))[1]
    assert c.cuMemcpyAtoA(levels[number], 0, flat, 0, 16) == (0,)
    assert c.cuCtxSynchronize() == (code,)


@pytest.mark.parametrize("code", [LAUNCH_FAILED, ILLEGAL_ADDRESS])
def test_a_copy_with_host_memory_answers_its_fault(c: Any, code: int) -> None:
    """Into the array, too: the call waits for memory that the device reads itself, page-locked or managed."""
    x = c.cuArray3DCreate((*SOLID, 1, 1, DEFERRED))[1]
    kind, memory = (1, c.cuMemAllocHost(4096)[1]) if code == LAUNCH_FAILED else (4, c.cuMemAllocManaged(4096, 1)[1])
    assert c.cuMemcpy2D(rows((kind, memory), (3, x))) == (code,)


def test_a_copy_from_plain_memory_does_not_wait(c: Any) -> None:
    """The next call answers the fault."""
    x = c.cuArray3DCreate((*FLAT, 1, 1, DEFERRED))[1]
    assert c.cuMemcpyHtoA(x, 0, bytes(16), 16) == (0,)
    assert c.cuMemGetInfo()[0] == LAUNCH_FAILED
