"""What HIP's streams are given: values to wait for and to write, functions, attributes, compute units, memory."""

from __future__ import annotations

import ctypes
from typing import Any

import attrs
import pytest

import fakecuda
from fakecuda.profiles import load
from fakecuda.rules.hip import values, work
from tests.rules.hip_world import DESTROYED, HANDLE, INVALID, NEW, NOT_READY, OLD, SIZE, got, on

BOTH = pytest.mark.parametrize("profile", [OLD, NEW])
NOWHERE = 1 << 62
ALL32, ALL64 = (1 << 32) - 1, (1 << 64) - 1
FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)


def word(a: Any, ptr: int, size: int = 8) -> int:
    """Return a value in memory of a device."""
    there = a.host_memory(SIZE)
    got(a.c, "hipMemcpy", there, ptr, size, 2)
    return int.from_bytes(ctypes.string_at(there, size), "little")


@BOTH
def test_writes(profile: str) -> None:
    """A value is written, or added to what is there; in 2024 it was always written."""

    def program(a: Any) -> None:
        c, ptr = a.c, got(a.c, "hipMalloc", SIZE)
        got(c, "hipMemset", ptr, 0, SIZE)
        got(c, "hipStreamWriteValue64", 0, ptr, ALL64, 0)
        got(c, "hipStreamWriteValue32", 0, ptr, 7, 0)
        assert word(a, ptr) == ALL64 - ALL32 + 7
        got(c, "hipStreamWriteValue32", 0, ptr, 5, values.INCREMENT)
        assert word(a, ptr, 4) == (12 if profile == NEW else 5)
        got(c, "hipStreamWriteValue32", 0, ptr, 13, values.DECREMENT)
        assert word(a, ptr, 4) == (ALL32 if profile == NEW else 13)
        assert c.hipStreamWriteValue64(0, ptr, 1, 9) == ((INVALID,) if profile == NEW else (0,))
        assert c.hipStreamWriteValue32(NOWHERE, 0, 1, 0) == (INVALID,)
        assert c.hipStreamWriteValue32(NOWHERE, NOWHERE, 1, 0) == (DESTROYED,)
        assert c.hipStreamWriteValue32(0, NOWHERE, 1, 0) == (INVALID,)

    on(profile, program)


@pytest.mark.parametrize(
    ("flags", "value", "mask", "before", "after"),
    [
        (values.GTE, 5, ALL32, 4, 1 << 31),
        (values.GTE, 5, 0xF, 0x14, 0x15),
        (values.EQ, 5, 0xF, 0x14, 0x15),
        (values.AND, 4, 0x7, 8, 0xC),
        (values.NOR, ALL32 - 1, ALL32, 1, 0),
    ],
)
def test_waits(flags: int, value: int, mask: int, before: int, after: int) -> None:
    """Work waits until the bits that the mask leaves fulfil the condition; numbers have no signs."""

    def program(a: Any) -> None:
        c, ptr, stream = a.c, got(a.c, "hipHostMalloc", SIZE, 0), got(a.c, "hipStreamCreateWithFlags", 1)
        there = ctypes.c_uint32.from_address(ptr)
        there.value = before
        got(c, "hipStreamWaitValue32", stream, ptr, value, flags, mask)
        assert c.hipStreamQuery(stream) == (NOT_READY,)
        there.value = after
        assert c.hipStreamQuery(stream) == (0,)

    on(NEW, program)


def test_wide_waits_and_what_is_refused() -> None:
    """The stream is looked at before the memory, and that before the condition."""

    def program(a: Any) -> None:
        c, host = a.c, a.host_memory(SIZE)
        got(c, "hipHostRegister", host, SIZE, 0)
        for ptr in (host, got(c, "hipMalloc", SIZE), got(c, "hipMallocAsync", SIZE, 0)):
            got(c, "hipStreamWaitValue64", 0, ptr, 0, values.GTE, ALL64)
        assert c.hipStreamWaitValue64(NOWHERE, 0, 0, 9, 0) == (INVALID,)
        assert c.hipStreamWaitValue64(NOWHERE, NOWHERE, 0, 9, 0) == (DESTROYED,)
        assert c.hipStreamWaitValue64(0, NOWHERE, 0, 9, 0) == (INVALID,)
        assert c.hipStreamWaitValue64(0, host, 0, 4, 0) == (INVALID,)

    on(NEW, program)


def test_memory_of_a_peer() -> None:
    """Nobody checks whether the device can access it."""

    def program(a: Any) -> None:
        ptr = got(a.c, "hipMalloc", SIZE)
        got(a.c, "hipSetDevice", 1)
        got(a.c, "hipStreamWriteValue32", 0, ptr, 1, 0)

    with pytest.raises(fakecuda.UndefinedBehaviour, match=r"then\s+the\s+device\s+faults"):
        on(NEW, program)


def test_batches() -> None:
    """Waits and writes, one after the other."""

    def program(a: Any) -> None:
        c, ptr = a.c, got(a.c, "hipMalloc", SIZE)
        got(c, "hipMemset", ptr, 0, SIZE)
        steps = ((2, ptr, 7, 0), (1, ptr, 7, values.EQ), (5, ptr + 8, ALL64, 0), (4, ptr + 8, 1, values.GTE))
        assert c.hipStreamBatchMemOp(0, 4, steps, 0) == (0,)
        assert (word(a, ptr), word(a, ptr + 8)) == (7, ALL64)
        for count, params, flags in ((0, steps, 0), (257, steps, 0), (1, None, 0), (1, steps, 1)):
            assert c.hipStreamBatchMemOp(0, count, params, flags) == (INVALID,)
        assert c.hipStreamBatchMemOp(NOWHERE, 1, ((6, 0),), 0) == (DESTROYED,)
        for kind in (6, 3):
            assert c.hipStreamBatchMemOp(0, 1, ((kind, 0),), 0) == (INVALID,)

    on(NEW, program)


@pytest.mark.parametrize("step", [(9,), (1, 0, 0, 0), (2, NOWHERE, 0, 0), (1, "ptr", 0, 4)])
def test_batches_that_nobody_checks(step: tuple[Any, ...]) -> None:
    """Operations that are none, on memory that is none."""

    def program(a: Any) -> Any:
        ptr = got(a.c, "hipMalloc", SIZE)
        return a.c.hipStreamBatchMemOp(0, 1, (tuple(ptr if part == "ptr" else part for part in step),), 0)

    with pytest.raises(fakecuda.UndefinedBehaviour, match=r"to\s+the\s+card\s+without\s+a\s+check"):
        on(NEW, program)
    assert on(NEW, program, strict=False) == (INVALID,)


def test_functions_of_the_host() -> None:
    """They are called with their argument; callbacks with the stream and hipSuccess before it."""
    seen: list[Any] = []
    function = FUNCTION(seen.append)
    callback = CALLBACK(lambda stream, code, argument: seen.append((stream, code, argument)))
    first, second = (ctypes.cast(one, ctypes.c_void_p).value for one in (function, callback))

    def program(a: Any) -> None:
        c, stream = a.c, got(a.c, "hipStreamCreate")
        got(c, "hipLaunchHostFunc", stream, first, 5)
        got(c, "hipStreamAddCallback", stream, second, 6, 0)
        got(c, "hipStreamSynchronize", stream)
        got(c, "hipLaunchHostFunc_spt", 0, first, 7)
        got(c, "hipStreamAddCallback_spt", 0, second, 8, 0)
        got(c, "hipStreamSynchronize_spt", 0)
        assert seen == [5, (stream, 0, 6), 7, (2, 0, 8)]
        assert c.hipLaunchHostFunc(0, 0, 0) == (INVALID,)
        assert c.hipLaunchHostFunc(NOWHERE, 0, 0) == (DESTROYED,)
        assert c.hipStreamAddCallback(NOWHERE, 0, 0, 0) == (INVALID,)
        assert c.hipStreamAddCallback(0, second, 0, 1) == (INVALID,)
        assert c.hipStreamAddCallback(NOWHERE, second, 0, 0) == (DESTROYED,)

    on(NEW, program)


def test_attributes() -> None:
    """The policy can be set and copied, the priority be asked for."""

    def program(a: Any) -> None:
        c, stream = a.c, got(a.c, "hipStreamCreateWithPriority", 0, -1)
        assert got(c, "hipStreamGetAttribute", stream, work.PRIORITY) == -1
        assert got(c, "hipStreamGetAttribute", 0, work.POLICY) == 1
        got(c, "hipStreamSetAttribute", stream, work.POLICY, 3)
        got(c, "hipStreamCopyAttributes", 0, stream)
        assert got(c, "hipStreamGetAttribute", 0, work.POLICY) == 3
        assert c.hipStreamGetAttribute(stream, 1) == (INVALID, None)
        assert c.hipStreamGetAttribute(NOWHERE, work.POLICY, null="value_out") == (INVALID, None)
        assert c.hipStreamGetAttribute(NOWHERE, work.POLICY) == (HANDLE, None)
        assert c.hipStreamSetAttribute(NOWHERE, work.POLICY, None) == (INVALID,)
        assert c.hipStreamSetAttribute(NOWHERE, work.POLICY, 1) == (HANDLE,)
        assert c.hipStreamSetAttribute(stream, work.PRIORITY, 1) == (INVALID,)
        for policy in (0, 5):
            assert c.hipStreamSetAttribute(stream, work.POLICY, policy) == (INVALID,)
        for dst, src in ((NOWHERE, stream), (stream, NOWHERE)):
            assert c.hipStreamCopyAttributes(dst, src) == (HANDLE,)

    on(NEW, program)


def test_masks_of_compute_units() -> None:
    """A stream without one, and one whose mask names none, has all 304 units."""
    every = (ALL32,) * 9 + (0xFFFF,)

    def program(a: Any) -> None:
        c = a.c
        stream, plain = got(c, "hipExtStreamCreateWithCUMask", 2, (0xF0, 1)), got(c, "hipStreamCreate")
        assert got(c, "hipExtStreamGetCUMask", stream, 10) == (0xF0, 1)
        none = got(c, "hipExtStreamCreateWithCUMask", 1, (0,))
        for handle in (0, 2, plain, none):
            assert got(c, "hipExtStreamGetCUMask", handle, 10) == every
        assert got(c, "hipStreamGetFlags", stream) == 0
        assert c.hipExtStreamCreateWithCUMask(0, None, null="stream") == (HANDLE, None)
        for size, mask in ((0, (1,)), (1, None)):
            assert c.hipExtStreamCreateWithCUMask(size, mask) == (INVALID, None)
        assert c.hipExtStreamGetCUMask(stream, 9) == (INVALID, None)
        assert c.hipExtStreamGetCUMask(stream, 10, null="cuMask") == (INVALID, None)

    on(NEW, program)
    with pytest.raises(fakecuda.UndefinedBehaviour, match=r"clr\s+uses\s+the\s+value"):
        on(NEW, lambda a: a.c.hipExtStreamGetCUMask(NOWHERE, 10))
    assert on(NEW, lambda a: a.c.hipExtStreamGetCUMask(NOWHERE, 10), strict=False) == (HANDLE, None)


@BOTH
def test_memory_is_attached(profile: str) -> None:
    """Managed and page-locked memory as a whole, a device's in any part, the host's own not at all."""

    def program(a: Any) -> None:
        c, stream = a.c, got(a.c, "hipStreamCreate")
        managed, host = got(c, "hipMallocManaged", SIZE, 1), got(c, "hipHostMalloc", SIZE, 0)
        for ptr, length in ((managed, 0), (managed, SIZE), (host, SIZE), (got(c, "hipMalloc", SIZE), 8)):
            assert c.hipStreamAttachMemAsync(stream, ptr, length, work.ATTACH_SINGLE) == (0,)
        assert c.hipStreamAttachMemAsync(0, managed, 0, work.ATTACH_GLOBAL) == (0,)
        for handle, ptr, length, flags in (
            (stream, 0, 0, work.ATTACH_HOST),
            (stream, managed, 0, 0),
            (stream, managed, 0, 3),
            (0, managed, 0, work.ATTACH_SINGLE),
            (stream, managed, 8, work.ATTACH_HOST),
            (stream, host, 8, work.ATTACH_HOST),
            (stream, a.host_memory(SIZE), 8, work.ATTACH_HOST),
            (stream, a.host_memory(SIZE), 0, work.ATTACH_HOST),
        ):
            assert c.hipStreamAttachMemAsync(handle, ptr, length, flags) == (INVALID,)
        assert c.hipStreamAttachMemAsync(NOWHERE, managed, 0, work.ATTACH_HOST) == (DESTROYED,)

    on(profile, program)


def test_memory_of_the_host_itself() -> None:
    """It is attached to streams of a device that can access it."""
    profile = load(NEW)
    devices = tuple(attrs.evolve(one, hip=one.hip | {"pageableMemoryAccess": 1}) for one in profile.devices)
    with fakecuda.Machine(attrs.evolve(profile, devices=devices)) as machine:
        a = machine.spawn()
        stream = got(a.c, "hipStreamCreate")
        assert a.c.hipStreamAttachMemAsync(stream, a.host_memory(SIZE), 8, work.ATTACH_HOST) == (0,)
        assert a.c.hipStreamAttachMemAsync(stream, a.host_memory(SIZE), 0, work.ATTACH_HOST) == (INVALID,)
