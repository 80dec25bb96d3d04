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
