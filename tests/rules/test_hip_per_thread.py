"""The calls of HIP that act in the thread's own default stream where they are given none."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZE = 64
INVALID_VALUE, INVALID_HANDLE, DESTROYED = 1, 400, 709
NOWHERE = 1 << 62


@pytest.fixture
def machine() -> Iterator[fakecuda.Machine]:
    """Return a machine whose streams do nothing on their own."""
    with fakecuda.Machine("hip-clr-2026") as made:
        yield made


@pytest.fixture
def c(machine: fakecuda.Machine) -> Any:
    """Return the C level of a process."""
    return machine.spawn().c


def test_copies(machine: fakecuda.Machine) -> None:
    """They copy as the others do, and memsets set."""
    process = machine.spawn()
    c, buffer = process.c, process.host_memory(SIZE)
    _, ptr = c.hipMalloc(SIZE)
    ctypes.memmove(buffer, bytes(range(SIZE)), SIZE)
    assert c.hipMemcpy_spt(ptr, buffer, SIZE, 1) == (0,)
    assert c.hipMemset_spt(ptr, 7, 4) == (0,)
    assert c.hipMemsetAsync_spt(ptr + 4, 8, 4, 0) == (0,)
    assert c.hipMemset2D_spt(ptr + 8, 8, 9, 4, 2) == (0,)
    assert c.hipMemset2DAsync_spt(ptr + 24, 8, 10, 4, 2, 0) == (0,)
    assert c.hipMemcpyAsync_spt(buffer, ptr, SIZE, 2, 0) == (0,)
    assert c.hipStreamSynchronize_spt(0) == (0,)
    expected = bytearray(range(SIZE))
    expected[:8] = bytes([7] * 4 + [8] * 4)
    for start, value in ((8, 9), (16, 9), (24, 10), (32, 10)):
        expected[start : start + 4] = bytes([value] * 4)
    assert ctypes.string_at(buffer, SIZE) == expected
    assert c.hipMemcpy2D_spt(ptr, 8, buffer, 8, 4, 2, 1) == (0,)
    assert c.hipMemcpy2DAsync_spt(ptr, 8, buffer, 8, 4, 2, 1, 0) == (0,)
    assert c.hipMemcpy_spt(ptr, 0, SIZE, 1) == (INVALID_VALUE,)


def test_streams(c: Any) -> None:
    """What is asked of no stream is asked of the thread's."""
    assert c.hipStreamGetFlags(0) == (INVALID_VALUE, None)
    assert c.hipStreamGetFlags_spt(0) == (0, 0)
    assert c.hipStreamGetPriority_spt(0) == (0, 0)
    assert c.hipStreamIsCapturing_spt(0) == (0, 0)
    assert c.hipStreamQuery_spt(0) == (0,)
    assert c.hipStreamQuery_spt(NOWHERE) == (DESTROYED,)


def test_events(c: Any) -> None:
    """An event stands for the work of the thread's stream, which the null stream's does not tell."""
    _, event = c.hipEventCreate()
    assert c.hipEventRecord_spt(event, 0) == (0,)
    assert c.hipEventQuery(event) == (0,)
    assert c.hipStreamWaitEvent_spt(0, event, 0) == (0,)
    assert c.hipStreamWaitEvent_spt(0, 0, 0) == (INVALID_HANDLE,)
