"""Runtime calls that need a driver newer than CUDA 13.0, on described machines.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html (cudaErrorCallRequiresNewerDriver)
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.cases.runtime.fixtures import ATTRIBUTES, memory, stream
from conformance.kit.case import Entry, suite
from fakecuda.profiles import load
from fakecuda.rules.driver.copy.memcpy_batch_async import BYTES_ARE_COPIED, ORDER_IS_KNOWN
from fakecuda.rules.driver.stream.launch_host_func import FUNCTION, FUNCTION_IS_GIVEN
from fakecuda.rules.runtime import newer
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda import Process
    from fakecuda.rules.core import Rule

NEWER = Result.CALL_REQUIRES_NEWER_DRIVER
HAS_BOTH = 13020
"""The first driver with both calls."""

copy = Entry.of(
    "cudaMemcpyWithAttributesAsync", lambda a: (memory(a), memory(a), 16, ATTRIBUTES, stream(a)), answers=int(NEWER)
)
launch = Entry.of("cudaLaunchHostFunc_v2", lambda a: (stream(a), a.c_function("abs"), 0, 0), answers=int(NEWER))
for each in (copy, launch):
    each.also("no stream", rule="DRIVER_HAS_THE_CALL", stream=0)

test_newer = suite(copy, launch)


@pytest.fixture
def process() -> Iterator[Process]:
    """Return a process of a machine with both calls."""
    with fakecuda.Machine(load("h200").with_driver(HAS_BOTH), strict=False) as machine:
        yield machine.spawn()


@pytest.mark.parametrize("version", [13000, 13010, HAS_BOTH])
def test_the_drivers_that_have_them(version: int) -> None:
    """Older drivers refuse the call in a context, and set the last error."""
    with fakecuda.Machine(load("h200").with_driver(version)) as machine:
        a = machine.spawn()
        working = a.c.cudaStreamCreate()[1]
        taken = a.c.cudaMemcpyWithAttributesAsync(memory_of(a), memory_of(a), 16, ATTRIBUTES, working)
        assert taken == (0 if version == HAS_BOTH else NEWER,)
        assert (machine.calls[-1][5] is newer.DRIVER_HAS_THE_CALL) is (version < HAS_BOTH)
        assert a.c.cudaLaunchHostFunc_v2(working, 0, 0, 7) == (NEWER if version < 13010 else Result.INVALID_VALUE,)
        assert a.c.cudaGetLastError() == (NEWER if version < 13010 else Result.INVALID_VALUE,)


def memory_of(a: Process) -> Any:
    """Return the address of new memory."""
    return a.c.cudaMalloc(64)[1]


def test_a_copy_is_made(process: Process) -> None:
    """The copy is made in any order, also in the legacy stream."""
    target, source = memory_of(process), memory_of(process)
    host = bytearray(8)
    for order, working in enumerate((0, process.c.cudaStreamCreate()[1], 2), start=1):
        process.c.cudaMemset(source, order, 8)
        attributes = (order, (0, 0), (0, 0), 0)
        assert process.c.cudaMemcpyWithAttributesAsync(target, source, 8, attributes, working) == (0,)
        process.c.cudaStreamSynchronize(working)
        process.c.cudaMemcpy(host, target, 8, 2)
        assert host == bytes([order] * 8)


@pytest.mark.parametrize(
    ("rule", "size", "attributes"),
    [
        (newer.ATTRIBUTES_ARE_GIVEN, 8, None),
        (ORDER_IS_KNOWN, 8, (0, (0, 0), (0, 0), 0)),
        (BYTES_ARE_COPIED, 0, ATTRIBUTES),
    ],
)
def test_what_a_copy_needs(process: Process, rule: Rule, size: int, attributes: tuple[Any, ...] | None) -> None:
    """The copy needs attributes, as a batch copy does."""
    answer = process.c.cudaMemcpyWithAttributesAsync(memory_of(process), memory_of(process), size, attributes, 0)
    assert answer == (Result.INVALID_VALUE,)
    assert process.machine.calls[-1][5] is rule


def test_a_function_is_called(process: Process) -> None:
    """The function is called in either mode; other modes are refused before."""
    called: list[int | None] = []
    function = FUNCTION(called.append)
    address = ctypes.cast(function, ctypes.c_void_p).value
    for mode in newer.MODES:
        assert process.c.cudaLaunchHostFunc_v2(0, address, 5, mode) == (0,)
    assert process.c.cudaDeviceSynchronize() == (0,)
    assert called == [5] * len(newer.MODES)
    for mode, rule in ((2, newer.MODE_IS_KNOWN), (0, FUNCTION_IS_GIVEN)):
        assert process.c.cudaLaunchHostFunc_v2(0, 0, 0, mode) == (Result.INVALID_VALUE,)
        assert process.machine.calls[-1][5] is rule
