"""Calls of the runtime API that leave out an argument of the driver's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.rule import op
from fakecuda.spec.event.event_create import event_create
from fakecuda.spec.memory.mem_alloc_pitch import mem_alloc_pitch
from fakecuda.spec.pool.mem_pool_create import mem_pool_create
from fakecuda.spec.runtime.active import active, given, initialised
from fakecuda.spec.stream.stream_create import stream_create

if TYPE_CHECKING:
    from fakecuda.model.process import Thread

ELEMENT = 4
"""Bytes of the smallest element that cuMemAllocPitch takes."""


@op("cudaEventCreate")
def create_event(call: Thread) -> int:
    """Return a new event, which takes times."""
    active(call)
    return event_create(call, 0)


@op("cudaStreamCreate")
def create_stream(call: Thread) -> int:
    """Return a new stream, which blocks on the legacy default stream."""
    active(call)
    return stream_create(call, 0)


@op("cudaMallocPitch")
def malloc_pitch(call: Thread, width: int, height: int) -> tuple[int, int]:
    """Return the address of new memory for rows, and the bytes from row to row; none for no rows."""
    active(call)
    if call.nulls:
        given(call)
    return mem_alloc_pitch(call, width, height, ELEMENT) if width and height else (0, 0)


@op("cudaMemPoolCreate")
def create_pool(call: Thread, props: tuple[Any, ...] | None) -> int:
    """Return a new pool; a cudaMemPoolProps does not say whether GPUDirect RDMA is intended, as a CUmemPoolProps does."""
    initialised(call)
    return mem_pool_create(call, None if props is None else (*props, 0))
