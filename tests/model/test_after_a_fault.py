"""What threads without a context free once work of the process has failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import fakecuda

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFERRED = 128
ILLEGAL_ADDRESS = 700


@pytest.fixture(name="process")
def process_with_a_context() -> Iterator[Any]:
    """A process with a context."""
    with fakecuda.Machine("h200", strict=False) as machine:
        process = machine.spawn()
        assert process.c.cuInit(0) == (0,)
        assert process.c.cuCtxCreate(None, 0, 0)[0] == 0
        yield process


def test_memory_of_the_context_that_failed_is_not_freed(process: Any) -> None:
    """Pool memory is, and null; memory that is no base is refused as usual."""
    c = process.c
    memory, managed, pinned = c.cuMemAlloc(64)[1], c.cuMemAllocManaged(64, 1)[1], c.cuMemAllocHost(64)[1]
    pooled, held = c.cuMemAllocAsync(64, 0)[1], process.host_memory(4096)
    assert c.cuMemHostRegister(held, 4096, 0) == c.cuStreamSynchronize(0) == (0,)
    array = c.cuArray3DCreate((64, 64, 0, 1, 1, DEFERRED))[1]
    assert c.cuMemcpyDtoA(array, 0, memory, 16) == (0,)
    assert c.cuCtxSynchronize() == (ILLEGAL_ADDRESS,)
    second = process.thread("second").c
    assert [second.cuMemFree(one)[0] for one in (memory, managed, pooled, 0, 64)] == [700, 700, 0, 0, 1]
    assert second.cuMemFreeHost(pinned) == second.cuMemHostUnregister(held) == (ILLEGAL_ADDRESS,)
