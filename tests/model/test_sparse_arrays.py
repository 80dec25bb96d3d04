"""Sparse arrays and arrays with deferred mapping: what they hold without memory, and in forks."""

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
