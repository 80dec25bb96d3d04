"""Functions of the host and memory operations over the native door, for C and for the real binding."""

from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda.spec import mem_ops
from tests.limits import LONG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda import Machine

INVALID_VALUE, NOT_READY, NOT_PERMITTED = 1, 600, 800
FUNCTION: Any = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
CALLBACK: Any = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)


@pytest.fixture
def cuda(machine: Machine) -> Iterator[Any]:
    """Return the library, with a context current."""
    library = ctypes.CDLL("libcuda.so.1")
    machine.here.c.cuInit(0)
    machine.here.c.cuCtxCreate(None, 0, 0)
    before = set(threading.enumerate())
    yield library
    machine.here.exit()
    for worker in machine.scheduler.workers:
        worker.thread.join(LONG)
    assert set(threading.enumerate()) <= before


def test_c_has_a_function_called(cuda: Any) -> None:
    """The launch returns at once; calls inside are refused through C too."""
    go = threading.Event()
    seen: list[Any] = []

    def function(data: int | None) -> None:
        place = ctypes.c_uint64(7)
        seen.extend((data, go.wait(LONG), cuda.cuMemAlloc_v2(ctypes.byref(place), ctypes.c_size_t(16)), place.value))
        seen.append(cuda.cuStreamSynchronize(None))

    called = FUNCTION(function)
    assert cuda.cuLaunchHostFunc(None, called, ctypes.c_void_p(5)) == 0
    assert cuda.cuStreamQuery(None) == NOT_READY
    go.set()
    assert cuda.cuStreamSynchronize(None) == 0
    assert seen == [5, True, NOT_PERMITTED, 7, NOT_PERMITTED]
    assert cuda.cuCtxSynchronize() == 0


def test_c_has_a_callback_called(cuda: Any) -> None:
    """With the stream, the status and the data; the per-thread variant uses the thread's own stream."""
    seen: list[Any] = []

    def callback(*told: int | None) -> None:
        seen.append(told)

    called = CALLBACK(callback)
    for call in (cuda.cuStreamAddCallback, cuda.cuStreamAddCallback_ptsz):
        assert call(None, called, ctypes.c_void_p(5), 1) == INVALID_VALUE
        assert call(None, called, ctypes.c_void_p(5), 0) == 0
        assert cuda.cuCtxSynchronize() == 0
    assert seen == [(None, 0, 5)] * 2


def test_a_null_function_is_a_finding(cuda: Any, machine: Machine) -> None:
    """No exception can travel through C; nothing is called."""
    assert cuda.cuLaunchHostFunc(None, None, None) == INVALID_VALUE
    assert cuda.cuStreamAddCallback(None, None, None, 0) == INVALID_VALUE
    rules = [finding.rule.id for finding in machine.findings]
    assert rules == ["stream.launch_host_func.FUNCTION_IS_GIVEN", "stream.stream_add_callback.CALLBACK_IS_GIVEN"]
    machine.findings.clear()


def test_c_gives_a_batch_of_operations(cuda: Any, machine: Machine) -> None:
    """An array of unions; its length is looked at before its memory is."""
    c = machine.here.c
    place = c.cuMemAllocHost(64)[1]
    operations = ((5, place, 0x0102030405060708, 0), (1, place, 0x05060708, 1), (2, place + 8, 9, 0), (6, 1))
    array = ctypes.create_string_buffer(b"".join(map(mem_ops.pack, operations)))
    assert cuda.cuStreamBatchMemOp_v2(None, len(operations), array, 0) == 0
    assert cuda.cuCtxSynchronize() == 0
    assert ctypes.string_at(place, 12) == bytes([8, 7, 6, 5, 4, 3, 2, 1, 9, 0, 0, 0])
    assert machine.log[-2].args == (0, len(operations), operations, 0)
    for count in (256, 0xFFFF_FFFF):
        assert cuda.cuStreamBatchMemOp_v2(None, count, array, 0) == INVALID_VALUE
    assert not machine.findings
    assert cuda.cuStreamBatchMemOp_v2(None, 1, None, 0) == INVALID_VALUE
    assert [finding.rule.id for finding in machine.findings] == ["stream.stream_batch_mem_op.ARRAY_IS_GIVEN"]
    machine.findings.clear()


def test_the_binding_has_functions_called(cuda: Any, machine: Machine) -> None:
    """It wraps them in functions of its own, which take Python's lock; Python's buffers are data."""
    driver = pytest.importorskip("cuda.bindings.driver", reason="the real binding: pip install 'fakecuda[cuda]'")
    del cuda
    seen: list[Any] = []
    data = ctypes.create_string_buffer(8)

    def function(told: int | None) -> None:
        seen.extend((told, driver.cuCtxSynchronize()[0]))

    def callback(*told: int | None) -> None:
        seen.append(told)

    (_, stream) = driver.cuStreamCreate(0)
    made = FUNCTION(function), CALLBACK(callback)
    function_at, callback_at = (ctypes.cast(one, ctypes.c_void_p).value for one in made)
    assert driver.cuLaunchHostFunc(stream, driver.CUhostFn(function_at), data) == (0,)
    assert driver.cuStreamAddCallback(stream, callback_at, data, 0) == (0,)
    assert driver.cuStreamSynchronize(stream) == (0,)
    assert seen == [ctypes.addressof(data), NOT_PERMITTED, (int(stream), 0, ctypes.addressof(data))]
    assert not machine.findings
