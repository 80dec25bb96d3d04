"""Host memory that HIP registers over other registrations: each has a first address of its own, as in the table of clr."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import fakecuda
from fakecuda.model.memory import registrations
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda import Machine

PAGE = 4096
NOT_REGISTERED = int(Result.HOST_MEMORY_NOT_REGISTERED)
REFUSED = int(Result.INVALID_VALUE)


@pytest.fixture(params=["hip-clr-2024", "hip-clr-2026"])
def lax(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """Yield a machine that goes on after undefined behaviour."""
    with fakecuda.Machine(request.param, strict=False) as machine:
        yield machine


def test_the_first_registration_of_an_address_stays(lax: Machine) -> None:
    """One call ends it, and what lies further in stays until its own end."""
    a = lax.spawn()
    c, place = a.c, a.host_memory(8 * PAGE)
    assert c.hipHostRegister(place, 4 * PAGE, 0) == (0,)
    assert c.hipHostRegister(place, 4 * PAGE, 0) == (0,)
    assert c.hipHostRegister(place + PAGE, PAGE, 0) == (0,)
    assert c.hipHostRegister(place + PAGE, 2 * PAGE, 0) == (0,)
    assert c.hipHostRegister(place, 8 * PAGE, 0) == (0,)
    assert repr(registrations.over(a, place + PAGE)).endswith("+0x1000, registered over other memory")
    assert c.hipHostUnregister(place) == (0,)
    assert c.hipHostGetDevicePointer(place, 0) == (REFUSED, None)
    assert c.hipHostGetDevicePointer(place + PAGE, 0) == (0, place + PAGE)
    assert c.hipHostUnregister(place + PAGE) == (0,)
    assert c.hipHostUnregister(place + PAGE) == (NOT_REGISTERED,)
    assert c.hipHostUnregister(place) == (NOT_REGISTERED,)


def test_a_range_that_begins_before_another(lax: Machine) -> None:
    """Devices reach all of it, and its end is its own."""
    a = lax.spawn()
    c, place = a.c, a.host_memory(4 * PAGE)
    c.hipHostRegister(place + 2 * PAGE, PAGE, 0)
    assert c.hipHostRegister(place, 4 * PAGE, 0) == (0,)
    assert c.hipHostGetDevicePointer(place + 8, 0) == (0, place + 8)
    assert c.hipHostUnregister(place + 8) == (NOT_REGISTERED,)
    assert c.hipHostFree(place + 8) == (REFUSED,)
    assert c.hipHostUnregister(place) == (0,)
    assert c.hipHostUnregister(place + 2 * PAGE) == (0,)


def test_a_range_over_two_others(lax: Machine) -> None:
    """It stays beside the one that is left."""
    a = lax.spawn()
    c, place = a.c, a.host_memory(4 * PAGE)
    c.hipHostRegister(place + PAGE, PAGE, 0)
    c.hipHostRegister(place + 3 * PAGE, PAGE, 0)
    assert c.hipHostRegister(place, 4 * PAGE, 0) == (0,)
    assert c.hipHostUnregister(place + PAGE) == (0,)
    assert c.hipHostGetDevicePointer(place + PAGE, 0) == (0, place + PAGE)
    assert c.hipHostUnregister(place) == (0,)
    assert c.hipHostUnregister(place + 3 * PAGE) == (0,)


def test_a_reset_ends_them(lax: Machine) -> None:
    """A later registration counts, and the old ones do not come back."""
    a = lax.spawn()
    c, place = a.c, a.host_memory(4 * PAGE)
    c.hipHostRegister(place + PAGE, PAGE, 0)
    c.hipHostRegister(place, 4 * PAGE, 0)
    c.hipDeviceReset()
    assert c.hipHostUnregister(place) == (NOT_REGISTERED,)
    c.hipHostRegister(place + PAGE, PAGE, 0)
    c.hipHostRegister(place, 2 * PAGE, 0)
    assert c.hipHostUnregister(place + PAGE) == (0,)
    assert c.hipHostGetDevicePointer(place + 3 * PAGE, 0) == (REFUSED, None)
    assert c.hipHostUnregister(place) == (0,)


def test_ended_layers_go_with_the_next_end(lax: Machine) -> None:
    """A layer of a device that was reset is forgotten."""
    a = lax.spawn()
    c, place = a.c, a.host_memory(4 * PAGE)
    c.hipHostRegister(place + PAGE, PAGE, 0)
    c.hipHostRegister(place, 4 * PAGE, 0)
    c.hipDeviceReset()
    c.hipHostRegister(place + PAGE, PAGE, 0)
    assert c.hipHostUnregister(place + PAGE) == (0,)
    assert a.runtimes.layers == {}
    assert c.hipHostUnregister(place) == (NOT_REGISTERED,)


def test_freed_by_the_wrong_call(lax: Machine) -> None:
    """The library ends what it finds: the call that should have ended it fails then."""
    a = lax.spawn()
    c = a.c
    ptr, locked = c.hipMalloc(PAGE)[1], c.hipHostMalloc(PAGE, 0)[1]
    assert [c.hipHostUnregister(one) for one in (ptr, locked)] == [(0,), (0,)]
    assert (c.hipFree(ptr), c.hipHostFree(locked)) == ((REFUSED,), (REFUSED,))
    place = a.host_memory(PAGE)
    c.hipHostRegister(place, PAGE, 0)
    assert (c.hipFree(place), c.hipHostUnregister(place)) == ((0,), (NOT_REGISTERED,))


def test_opened_memory_that_is_freed(lax: Machine) -> None:
    """The mapping is gone, however often it was opened, and its close fails."""
    a, b = lax.spawn(), lax.spawn()
    ptr = a.c.hipMalloc(PAGE)[1]
    name = a.c.hipIpcGetMemHandle(ptr)[1]
    opened = b.c.hipIpcOpenMemHandle(name, 1)[1]
    b.c.hipIpcOpenMemHandle(name, 1)
    assert b.c.hipFree(opened) == (0,)
    assert b.c.hipIpcCloseMemHandle(opened) == (REFUSED,)
    assert a.c.hipFree(ptr) == (0,)


def test_mapped_memory_that_is_freed(lax: Machine) -> None:
    """The mapping is gone, and hipMemUnmap fails where it looks."""
    a = lax.spawn()
    c, size = a.c, 2 << 20
    handle = c.hipMemCreate(size, (1, 0, (1, 0), 0, (0, 0, 0)), 0)[1]
    place = c.hipMemAddressReserve(size, 0, 0, 0)[1]
    assert c.hipMemMap(place, size, 0, handle, 0) == (0,)
    stream = c.hipStreamCreate()[1]
    c.hipMemsetAsync(c.hipMalloc(size)[1], 1, size, stream)
    assert c.hipFree(place) == (0,)
    assert c.hipMemUnmap(place, size) == (REFUSED,)
    assert c.hipMemRelease(handle) == (0,)


def test_a_strict_machine_says_so() -> None:
    """Each is undefined, with the call to use instead."""
    with fakecuda.Machine("hip-clr-2026") as machine:
        a = machine.spawn()
        place = a.host_memory(2 * PAGE)
        a.c.hipHostRegister(place, PAGE, 0)
        for call, arguments in {
            "hipHostRegister": (place, PAGE, 0),
            "hipHostUnregister": (place + 8,),
            "hipFree": (place,),
        }.items():
            with pytest.raises(fakecuda.UndefinedBehaviour, match="hipHost"):
                getattr(a.c, call)(*arguments)
        machine.findings.clear()
