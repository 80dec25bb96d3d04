"""A bad pointer to the host's memory is found before it is followed: it ends no process, and nothing is copied."""

from __future__ import annotations

import ctypes
import mmap
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.model.memory.space import libc, map_memory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda import Machine

PAGE = mmap.PAGESIZE
NOWHERE = 0x1000
RULE = "copy.range.ADDRESS_IS_KNOWN"
SIZE = 2 * PAGE
COPIES: dict[str, Any] = {
    "cuMemcpyDtoH": lambda host, device: (host, device, SIZE),
    "cuMemcpyHtoD": lambda host, device: (device, host, SIZE),
    "cuMemcpy": lambda host, device: (host, device, SIZE),
    "cuMemcpyAsync": lambda host, device: (device, host, SIZE, 0),
    "cuMemcpyDtoHAsync": lambda host, device: (host, device, SIZE, 0),
    "cuMemcpyHtoDAsync": lambda host, device: (device, host, SIZE, 0),
    "cudaMemcpy": lambda host, device: (host, device, SIZE, 2),
    "cudaMemcpyAsync": lambda host, device: (device, host, SIZE, 1, 0),
}
READS = {"cuMemcpyHtoD", "cuMemcpyAsync", "cuMemcpyHtoDAsync", "cudaMemcpyAsync"}


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A machine that goes on after undefined behaviour, and keeps what it found."""
    with fakecuda.Machine("h200", strict=False, seed=0) as made:
        made.here.c.cuInit(0)
        made.here.c.cuCtxSetCurrent(made.here.c.cuDevicePrimaryCtxRetain(0)[1])
        yield made


@pytest.fixture
def half() -> Iterator[int]:
    """The address of a page behind which nothing is mapped."""
    start = map_memory(SIZE, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    libc.munmap(start + PAGE, PAGE)
    yield start
    libc.munmap(start, PAGE)


@pytest.mark.parametrize("call", COPIES)
def test_a_copy_by_a_bad_pointer_is_undefined(call: str, machine: Machine, half: int) -> None:
    """Wherever it begins, and where the memory ends before the copy does; what is there is as before."""
    c = machine.here.c
    device = c.cuMemAlloc(SIZE)[1]
    c.cuMemsetD8(device, 7, SIZE)
    for host in (NOWHERE, half):
        assert getattr(c, call)(*COPIES[call](host, device))[0] == 1
    assert ctypes.string_at(half, 8) == bytes(8)
    seen = ctypes.create_string_buffer(SIZE)
    assert c.cuMemcpyDtoH(ctypes.addressof(seen), device, SIZE) == (0,)
    assert seen.raw == b"\7" * SIZE


@pytest.mark.parametrize("call", COPIES)
def test_a_strict_machine_says_so(call: str, half: int) -> None:
    """With the rule's id, and the address."""
    with fakecuda.Machine("h200", seed=0) as machine:
        c = machine.here.c
        c.cuInit(0)
        c.cuCtxSetCurrent(c.cuDevicePrimaryCtxRetain(0)[1])
        device = c.cuMemAlloc(SIZE)[1]
        with pytest.raises(fakecuda.UndefinedBehaviour, match=RULE) as told:
            getattr(c, call)(*COPIES[call](half, device))
        assert hex(half) in str(told.value)


@pytest.mark.parametrize("call", COPIES)
def test_memory_that_can_be_read_alone(call: str, machine: Machine) -> None:
    """Is copied from, and not to."""
    start = map_memory(SIZE, mmap.PROT_READ, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    device = machine.here.c.cuMemAlloc(SIZE)[1]
    assert getattr(machine.here.c, call)(*COPIES[call](start, device))[0] == (call not in READS)
    libc.munmap(start, SIZE)
