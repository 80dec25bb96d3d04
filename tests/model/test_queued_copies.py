"""Copies that a stream has not made yet, and what becomes of them when their memory ends first."""

from __future__ import annotations

import ctypes
import mmap
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine, UndefinedBehaviour
from fakecuda.model.memory.space import libc, map_memory
from fakecuda.rules.driver.copy.plan import MEMORY_IS_THERE
from fakecuda.rules.driver.stream.order import MEMORY_IS_AT_REST
from fakecuda.spec.codes import Result

from .world import GRANULE, contents, created, done, mapped, started

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda import Process

PAGE = mmap.PAGESIZE
NON_BLOCKING = 1
IN_ORDER, DURING_THE_CALL, ANY = 1, 2, 3
HOST = 2
"""CU_MEM_LOCATION_TYPE_HOST."""
OLD, NEW = b"\1" * 8, b"\2" * 8


@pytest.fixture(params=[True, False], ids=["strict", "permissive"])
def waiting(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """Return a machine that does work when somebody waits for it, whole when the test ends."""
    with Machine("h200-x2", strict=request.param, races=False, seed=1, completion="manual") as made:
        yield made
        made.check_invariants()


def plain(value: bytes = NEW) -> int:
    """Return the address of a page of the host's memory that begins with some bytes; the test unmaps it."""
    page = map_memory(PAGE, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    put(page, value)
    return page


def put(address: int, value: bytes) -> None:
    """Write bytes to the host's memory."""
    ctypes.memmove(address, value, len(value))


def target(a: Process, size: int = PAGE) -> int:
    """Return the address of device memory that is filled."""
    address = int(done(a.c.cuMemAlloc(size)))
    done(a.c.cuMemsetD8(address, OLD[0], size))
    done(a.c.cuCtxSynchronize())
    return address


def stream(a: Process) -> int:
    """Return a new stream that does not block on the default stream."""
    return int(done(a.c.cuStreamCreate(NON_BLOCKING)))


def batch(a: Process, dst: int, src: int, working: int, order: int) -> tuple[Any, ...]:
    """Queue a batch of one copy."""
    attributes = (order, (0, 0), (0, 0), 0)
    answer: tuple[Any, ...] = a.c.cuMemcpyBatchAsync((dst,), (src,), (8,), 1, (attributes,), (0,), 1, working)
    return answer


def test_memory_that_is_unmapped_too_early(waiting: Machine) -> None:
    """Nothing is copied, nothing crashes, and a strict machine tells."""
    a = started(waiting)
    dst, src, working = target(a), plain(), stream(a)
    done(batch(a, dst, src, working, ANY))
    libc.munmap(src, PAGE)
    done(a.c.cuStreamSynchronize(working))
    assert contents(a, dst, 8) == OLD
    assert [finding.rule for finding in waiting.findings] == [MEMORY_IS_THERE] * waiting.strict


def test_plain_memory_that_is_read_in_stream_order(waiting: Machine) -> None:
    """The call waits until the stream has read it."""
    a = started(waiting)
    dst, src, working = target(a), plain(), stream(a)
    done(batch(a, dst, src, working, IN_ORDER))
    assert contents(a, dst, 8) == NEW


@pytest.mark.parametrize("order", [ANY, DURING_THE_CALL])
def test_memory_that_changes_meanwhile(waiting: Machine, order: int) -> None:
    """What is read in the call is what was there then."""
    a = started(waiting)
    dst, src, working = target(a), plain(), stream(a)
    done(batch(a, dst, src, working, order))
    assert contents(a, dst, 8) == OLD
    put(src, b"\3" * 8)
    done(a.c.cuStreamSynchronize(working))
    assert contents(a, dst, 8) == (NEW if order == DURING_THE_CALL else b"\3" * 8)
    libc.munmap(src, PAGE)


@pytest.mark.parametrize("writes", [True, False])
def test_registered_memory_that_is_unmapped_too_early(waiting: Machine, *, writes: bool) -> None:
    """The same of memory that is still registered, read or written."""
    a = started(waiting)
    dst, page, working = target(a), plain(), stream(a)
    done(a.c.cuMemHostRegister(page, PAGE, 0))
    done(a.c.cuMemcpyDtoHAsync(page, dst, 8, working) if writes else a.c.cuMemcpyHtoDAsync(dst, page, 8, working))
    libc.munmap(page, PAGE)
    done(a.c.cuStreamSynchronize(working))
    assert contents(a, dst, 8) == OLD
    assert {finding.rule for finding in waiting.findings} == ({MEMORY_IS_THERE} if waiting.strict else set())


def test_memory_that_ends_too_early(waiting: Machine) -> None:
    """A strict machine reports the call that ends it; on the other the copy fails, and the process with it."""
    a = started(waiting)
    working = stream(a)
    handle = created(a)
    ptr = mapped(a, handle)
    done(a.c.cuMemsetD8Async(ptr, 7, 8, working))
    done(a.c.cuMemRelease(handle))
    if waiting.strict:
        with pytest.raises(UndefinedBehaviour) as caught:
            a.c.cuMemUnmap(ptr, GRANULE)
        assert caught.value.finding.rule is MEMORY_IS_AT_REST
        done(a.c.cuStreamSynchronize(working))
        done(a.c.cuMemUnmap(ptr, GRANULE))
        return
    done(a.c.cuMemUnmap(ptr, GRANULE))
    other = mapped(a, created(a))
    assert a.c.cuStreamSynchronize(working) == (Result.LAUNCH_FAILED,)
    assert a.c.cuMemcpyDtoH(bytearray(8), other, 8)[0] == Result.LAUNCH_FAILED


def test_memory_of_a_context_that_is_destroyed(waiting: Machine) -> None:
    """The end waits for what another context's stream copies there."""
    a = started(waiting)
    source, working = target(a), stream(a)
    other = done(a.c.cuCtxCreate(None, 0, 0))
    dst = done(a.c.cuMemAlloc(PAGE))
    done(a.c.cuCtxPopCurrent())
    done(a.c.cuMemcpyDtoDAsync(dst, source, 8, working))
    done(a.c.cuCtxDestroy(other))
    assert a.c.cuStreamQuery(working) == (Result.SUCCESS,)


def test_pageable_memory_is_waited_for(waiting: Machine) -> None:
    """A copy to it has arrived when the call returns, and so has one from page-locked memory to page-locked memory."""
    a = started(waiting)
    source, working, room = target(a), stream(a), bytearray(8)
    done(a.c.cuMemcpyDtoHAsync(room, source, 8, working))
    assert room == OLD
    first, second = (done(a.c.cuMemAllocHost(PAGE)) for _ in range(2))
    put(first, NEW)
    done(a.c.cuMemcpyAsync(second, first, 8, working))
    done(a.c.cuStreamQuery(working))
    assert contents(a, second, 8) == NEW


def test_page_locked_memory_is_left_to_the_stream(waiting: Machine) -> None:
    """A copy between it and a device is made when somebody waits, without a stream or with one."""
    a = started(waiting)
    device, working = target(a), stream(a)
    page = done(a.c.cuMemAllocHost(PAGE))
    put(page, NEW)
    done(a.c.cuMemcpyHtoDAsync(device, page, 8, working))
    assert contents(a, device, 8) == OLD
    waiting.complete()
    assert contents(a, device, 8) == NEW
    rows = (0, 0, 2, 0, device, 0, 4, 0, 0, 2, 0, device + 64, 0, 8, 4, 2)
    done(a.c.cuMemcpy2D(rows))
    done(a.c.cuCtxSynchronize())
    assert contents(a, device + 64, 16) == NEW[:4] + OLD[:4] + NEW[:4] + OLD[:4]


@pytest.mark.parametrize("registered", [False, True])
def test_a_copy_from_a_host_pool_out_of_reach_to_the_host_is_made(waiting: Machine, *, registered: bool) -> None:
    """It goes from host to host, for which the call waits; a copy to a device is left to the stream."""
    a = started(waiting)
    page = plain()
    done(a.c.cuMemHostRegister(page, PAGE, 0) if registered else a.c.cuInit(0))
    pinned = page if registered else int(done(a.c.cuMemHostAlloc(PAGE, 0)))
    pool = done(a.c.cuMemPoolCreate((1, 0, (HOST, 0), 0, 0, 0, 0)))
    source = int(done(a.c.cuMemAllocFromPoolAsync(PAGE, pool, 0)))
    done(a.c.cuCtxSynchronize())
    there, busy = target(a), stream(a)
    for copied_to, code in ((there, Result.NOT_READY), (pinned, Result.SUCCESS)):
        done(a.c.cuMemsetD8Async(there, OLD[0], 8, busy))
        done(a.c.cuMemcpyAsync(copied_to, source, 8, busy))
        assert a.c.cuStreamQuery(busy) == (code,)
    if registered:
        done(a.c.cuMemHostUnregister(page))
    libc.munmap(page, PAGE)
