"""What clr of 2024 looks at and clr of 2026 does not, and the other way round: flags, streams and events."""

from __future__ import annotations

from typing import Any

import pytest

import fakecuda
from fakecuda.profiles import load
from tests.rules.hip_world import CODES, DESTROYED, HANDLE, INVALID, NEW, OLD, SIZE, got, on

BOTH = pytest.mark.parametrize("profile", [OLD, NEW])
UNCACHED, NON_COHERENT = 0x10000000, 0x80000000


@pytest.mark.parametrize(("profile", "code"), [(OLD, INVALID), (NEW, 0)])
def test_flags_of_host_memory(profile: str, code: int) -> None:
    """Uncached and non-coherent memory of hipHostAlloc and hipHostRegister came later."""

    def program(a: Any) -> None:
        assert a.c.hipHostAlloc(SIZE, UNCACHED)[0] == code
        ptr = a.host_memory(SIZE)
        assert a.c.hipHostRegister(ptr, SIZE, NON_COHERENT) == (code,)
        assert a.c.hipHostMalloc(SIZE, UNCACHED | NON_COHERENT)[0] == (INVALID if profile == NEW else 0)

    on(profile, program)


@BOTH
def test_streams_that_ended(profile: str) -> None:
    """Asking for its device tells a stream that is not there from one that is; in 2024 the other getters did so too."""

    def program(a: Any) -> None:
        stream = got(a.c, "hipStreamCreate")
        got(a.c, "hipStreamDestroy", stream)
        assert a.c.hipStreamGetDevice(stream) == (DESTROYED, None)
        asked = DESTROYED if profile == OLD else HANDLE
        for name in ("hipStreamGetFlags", "hipStreamGetPriority", "hipStreamIsCapturing"):
            assert getattr(a.c, name)(stream) == (asked, None)

    on(profile, program)


@BOTH
def test_waits_for_events(profile: str) -> None:
    """Null is refused; an event that ended is followed. An external wait is for streams that are captured."""

    def program(a: Any) -> None:
        stream, event = got(a.c, "hipStreamCreate"), got(a.c, "hipEventCreate")
        assert a.c.hipStreamWaitEvent(stream, 0, 9) == (HANDLE if profile == OLD else INVALID,)
        assert a.c.hipStreamWaitEvent(stream, event, 1) == (INVALID if profile == OLD else HANDLE,)
        assert a.c.hipStreamWaitEvent(stream, event, 2) == (INVALID,)
        assert a.c.hipStreamWaitEvent(stream, 0, 0) == (HANDLE,)
        got(a.c, "hipEventDestroy", event)
        with pytest.raises(fakecuda.UndefinedBehaviour, match=r"clr\s+uses\s+the\s+value"):
            a.c.hipStreamWaitEvent(stream, event, 0)

    on(profile, program)


@BOTH
def test_names_of_codes(profile: str) -> None:
    """The last error stays what it was, whatever a name is asked for."""

    def program(a: Any) -> None:
        got(a.c, "hipInit", 0)
        assert a.c.hipDrvGetErrorName(-1) == (INVALID, None)
        assert a.c.hipDrvGetErrorString(-1) == (INVALID, None)
        assert a.c.hipPeekAtLastError() == (0,)
        assert a.c.hipDrvGetErrorName(CODES["hipErrorInvalidValue"]) == (0, b"hipErrorInvalidValue")

    on(profile, program)


@BOTH
def test_flags_of_functions(profile: str) -> None:
    """In 2024 hipGetProcAddress looks at no flags, and finds no variant for the thread's stream."""

    def program(a: Any) -> None:
        plain = got(a.c, "hipGetProcAddress", b"hipMemcpyAsync", 700, 0)
        own = got(a.c, "hipGetProcAddress", b"hipMemcpyAsync", 700, 2)
        assert (own == plain) is (profile == OLD)
        assert a.c.hipGetProcAddress(b"hipMemcpyAsync", 700, 3)[0] == (0 if profile == OLD else INVALID)

    on(profile, program)


@BOTH
def test_functions_that_came_later_are_not_found(profile: str) -> None:
    """The search finds what the library has: in 2024 none of the functions that came until 2026."""

    def program(a: Any) -> None:
        for name in sorted(load(OLD).hip.lacks):
            code, address, status = a.c.hipGetProcAddress(name.encode(), 700, 0)
            assert (code, bool(address), status) == ((INVALID, False, None) if profile == OLD else (0, True, 0)), name

    on(profile, program)


def test_results_that_are_written_without_a_look() -> None:
    """Those of hipMemGetAddressRange in 2024; since then either may be left out."""

    def program(a: Any) -> Any:
        ptr = got(a.c, "hipMalloc", SIZE)
        return a.c.hipMemGetAddressRange(ptr + 8, null="psize")[:2] == (0, ptr)

    assert on(NEW, program)
    with fakecuda.Machine(OLD) as machine:
        with pytest.raises(fakecuda.UndefinedBehaviour, match=r"clr\s+writes\s+to\s+the\s+null"):
            program(machine.spawn())
        machine.findings.clear()
