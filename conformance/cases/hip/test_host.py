"""Registered host memory in HIP: registration, and queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.hip.both import both
from conformance.cases.hip.fixtures import (
    NOWHERE,
    SIZE,
    entries,
    host,
    managed,
    mapped,
    memory,
    new,
    pinned,
    registered,
    registered_over,
)
from conformance.kit.case import suite
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.cases.hip.both import Calls
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

COHERENT = 0x40000000
NOT_REGISTERED = Result.HOST_MEMORY_NOT_REGISTERED


def unregistered(a: Process) -> int:
    """Return the address of host memory whose registration has ended."""
    address = registered(a)
    a.ok.hipHostUnregister(address)
    return address


every = entries(
    {
        "hipHostGetDevicePointer": lambda a: (pinned(a), 0),
        "hipHostGetFlags": lambda a: (pinned(a),),
        "hipHostRegister": lambda a: (host(a), SIZE, 0),
        "hipHostUnregister": lambda a: (registered(a),),
    }
)
device = every["hipHostGetDevicePointer"]
device.breaks("FLAGS_ARE_ZERO", flags=1)
device.breaks("DEVICES_REACH_IT", hstPtr=NOWHERE)
device.breaks("DEVICES_REACH_IT", "the host's", hstPtr=new(host))
device.breaks("DEVICES_REACH_IT", "null", hstPtr=0)
device.also("of a device", hstPtr=new(memory), then=lambda _w, i, results: _same(results[0], i.args["hstPtr"]))
device.also("registered over", hstPtr=new(registered_over))

flags = every["hipHostGetFlags"]
flags.breaks("POINTER_IS_PAGE_LOCKED", hostPtr=NOWHERE)
flags.breaks("POINTER_IS_PAGE_LOCKED", "a device's", hostPtr=new(memory))
flags.breaks("POINTER_IS_PAGE_LOCKED", "registered", hostPtr=new(registered))
flags.also("of managed memory", hostPtr=new(managed), then=lambda _w, _i, results: _same(results[0], 0))

register = every["hipHostRegister"]
register.breaks("RANGE_CAN_BE_REGISTERED", sizeBytes=0)
register.breaks("RANGE_CAN_BE_REGISTERED", "null", hostPtr=0)
register.breaks("RANGE_CAN_BE_REGISTERED", "unknown flags", flags=0x10000)
register.breaks("RANGE_CAN_BE_LOCKED", hostPtr=NOWHERE)
register.breaks("RANGE_CAN_BE_LOCKED", "past the end", sizeBytes=1 << 40)
register.also("memory of a device", rule="RANGE_IS_THE_CALLERS", hostPtr=new(memory))
register.undefined("RANGE_IS_NOT_REGISTERED", code=0, hostPtr=new(registered))
register.undefined("RANGE_IS_NOT_REGISTERED", "in part", code=0, hostPtr=lambda i: registered(i.process) + SIZE // 2)

unregister = every["hipHostUnregister"]
unregister.breaks("host.POINTER_IS_GIVEN", hostPtr=0)
unregister.breaks("POINTER_IS_REGISTERED", hostPtr=NOWHERE)
unregister.breaks("POINTER_IS_REGISTERED", "the host's", hostPtr=new(host))
unregister.breaks("POINTER_IS_REGISTERED", "no longer", hostPtr=new(unregistered))
unregister.undefined("REGISTRATION_BEGINS_THERE", code=NOT_REGISTERED, hostPtr=lambda i: i.args["hostPtr"] + 4)
unregister.undefined("MEMORY_IS_REGISTERED", code=0, hostPtr=new(memory))
unregister.undefined("MEMORY_IS_REGISTERED", "page-locked", code=0, hostPtr=new(pinned))
unregister.undefined("MEMORY_IS_REGISTERED", "mapped", code=0, hostPtr=new(mapped))
unregister.also("registered over another", hostPtr=new(registered_over))


def _same(found: Plain, expected: Plain) -> None:
    assert found == expected


@flags.after("as they were given")
def kept_flags(_w: World, i: Invocation, results: tuple[int]) -> None:
    c = i.process.ok
    assert results == (0,)
    assert c.hipHostGetFlags(c.hipHostMalloc(SIZE, COHERENT | 1)) == COHERENT | 1


@both("HostRegister", "unregistered and registered again")
def again(c: Calls) -> None:
    """Check that a device can write and read the memory each time."""
    place, ptr = c.a.host_memory(SIZE), c.Malloc(SIZE)
    for value in (8, 9):
        c.HostRegister(place, SIZE, 0)
        c.Memset(place, value, SIZE)
        assert c.holds(place, value)
        c.Memcpy(ptr, place, SIZE, 1)
        assert c.holds(ptr, value)
        c.HostUnregister(place)


test_host = suite(*every.values())
