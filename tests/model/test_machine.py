"""The machine: what is reclaimed when a process ends, what its log keeps, and how the machine itself ends."""

from __future__ import annotations

import ctypes
import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine, MachineClosed, NotModelledWarning, ProcessDied
from fakecuda.model.machine import CALLS_KEPT, name_of
from fakecuda.spec.codes import Result

from .world import GRANULE, POSIX, contents, created, done, mapped, small, started

if TYPE_CHECKING:
    from fakecuda import Process

UNKNOWN = 999


def used(machine: Machine) -> list[int]:
    """Return the bytes in use on each device."""
    return [device.memory.used for device in machine.devices]


def exported(process: Process, handle: int) -> int:
    """Return a descriptor of an allocation handle."""
    return int(done(process.c.cuMemExportToShareableHandle(handle, POSIX, 0)))


def doors(process: Process) -> list[Any]:
    """Return the ways into a process, of the calling thread and of a named one."""
    named = process.thread("t2")
    return [process.c, process.driver, named.c, named.driver]


def populated(machine: Machine) -> Process:
    """Return a process with something of each kind, on both devices."""
    a = started(machine)
    done(a.c.cuMemAlloc(100))
    done(a.c.cuMemAlloc(5 * GRANULE))
    done(a.c.cuDevicePrimaryCtxRetain(1))
    done(a.thread("t2").c.cuCtxCreate(None, 0, 1))
    done(a.thread("t2").c.cuMemAlloc(100))
    handle = created(a)
    mapped(a, handle)
    released = created(a, device=1)
    mapped(a, released, device=1)
    done(a.c.cuMemRelease(released))
    done(a.c.cuMemAddressReserve(GRANULE, 0, 0, 0))
    mapped(a, done(a.c.cuMemCreate(GRANULE, (1, 0, (2, 0), 0, (0, 0, 0)), 0)))
    return a


@pytest.mark.parametrize("ending", ["exit", "kill"])
def test_everything_of_an_ended_process_is_reclaimed(machine: Machine, ending: str) -> None:
    """Memory of cards and of the host, contexts, addresses and tables."""
    a = populated(machine)
    windows = list(a.addresses.windows)
    assert all(used(machine))
    machine.check_invariants()
    getattr(a, ending)()
    assert used(machine) == [0, 0]
    assert machine.host.memory.used == 0
    assert not any((a.contexts, a.handles, a.ipc.imports, a.primaries, a.threads, len(a.memory), len(a.reservations)))
    assert windows
    assert not a.addresses.windows
    assert not a.alive
    machine.check_invariants()


def test_a_machine_is_shown_by_the_name_of_its_profile(machine: Machine) -> None:
    """Its profile has a hundred attributes a device, which nobody reads at a prompt."""
    assert repr(machine).startswith("Machine(profile='h200-x2', strict=True")


def test_a_process_ends_once(machine: Machine) -> None:
    """Killing what has exited does nothing."""
    a = populated(machine)
    a.exit()
    before = machine.snapshot()
    a.kill()
    assert machine.snapshot() == before


def test_a_process_that_is_torn_down_answers_still(machine: Machine) -> None:
    """Its exit handlers have run: all is reclaimed, and every call answers DEINITIALIZED until it has ended."""
    a = populated(machine)
    a.begin_exit()
    assert used(machine) == [0, 0]
    assert machine.host.memory.used == 0
    machine.check_invariants()
    states = [a.alive]
    assert a.c.cuDeviceGetCount() == (4, None)
    a.exit()
    assert [*states, a.alive] == [True, False]
    machine.check_invariants()


def test_memory_of_the_host_is_touched_by_the_host(machine: Machine) -> None:
    """At its device address, for as long as it is mapped; both sides see the same bytes."""
    a = started(machine)
    handle = done(a.c.cuMemCreate(GRANULE, (1, 0, (2, 0), 0, (0, 0, 0)), 0))
    start = mapped(a, handle)
    done(a.c.cuMemSetAccess(start, GRANULE, (((2, 0), 3),), 1))
    done(a.c.cuMemsetD8(start, 6, 16))
    assert ctypes.string_at(start, 16) == b"\x06" * 16
    ctypes.memset(start + 8, 9, 8)
    assert contents(a, start, 16) == b"\x06" * 8 + b"\x09" * 8
    assert machine.host.memory.used == GRANULE
    for flags in (3, 0, 0):
        done(a.c.cuMemSetAccess(start, GRANULE, (((2, 0), flags),), 1))
        assert done(a.c.cuMemGetAccess((2, 0), start)) == 3  # the first device's: no call tells the host's
    done(a.c.cuMemUnmap(start, GRANULE))
    done(a.c.cuMemRelease(handle))
    assert machine.host.memory.used == 0


def test_machines_of_one_test_have_values_of_their_own() -> None:
    """Contexts and allocation handles of one machine without a seed name nothing in the next."""
    seen: set[int] = set()
    for _ in range(3):
        with Machine() as machine:
            a = started(machine)
            values = {done(a.c.cuCtxGetCurrent()), created(a), done(a.c.cuDevicePrimaryCtxRetain(0))}
            assert len(values) == 3
            assert not values & seen
            seen |= values


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not list open descriptors")
def test_a_closed_machine_holds_no_descriptors() -> None:
    """Not of its cards, and not of what it exported."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    with Machine() as machine:
        a = started(machine)
        handle = created(a)
        done(a.c.cuMemsetD8(mapped(a, handle), 1, 8))
        descriptor = exported(a, handle)
        assert len(list(Path("/proc/self/fd").iterdir())) == before + 3
    os.close(descriptor)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_calls_on_a_closed_machine_are_said_so() -> None:
    """By each of its doors, of old processes and of new ones; closing again does nothing."""
    machine = Machine()
    a = started(machine)
    machine.close()
    machine.close()
    said = "the machine of simulated process a is closed, because its test or `with` block has ended"
    for door in doors(a):
        with pytest.raises(MachineClosed, match=said):
            door.cuInit(0)
    with pytest.raises(MachineClosed, match="process b"):
        machine.spawn().c.cuInit(0)


def test_calls_in_an_ended_process_are_said_so(machine: Machine) -> None:
    """The fix is in the text."""
    a = started(machine)
    a.exit()
    for door in doors(a):
        with pytest.raises(ProcessDied, match=r"process a has ended: spawn another process with machine\.spawn\(\)"):
            door.cuInit(0)


def test_processes_are_named_by_letters(machine: Machine) -> None:
    """A name that is given is kept, and skipped where it would come next."""
    assert [machine.spawn(name).name for name in (None, "c", None, None)] == ["a", "c", "b", "d"]
    assert list(machine.processes) == ["a", "c", "b", "d"]
    assert [name_of(number) for number in range(24, 28)] == ["y", "z", "a2", "b2"]


def test_a_name_in_use_does_not_lose_its_process() -> None:
    """It is refused, or whatever else: the first one's memory stays in the accounts."""
    with Machine() as machine:
        started(machine, name="worker")
        with suppress(ValueError):
            started(machine, name="worker")
        machine.check_invariants()


def test_here_is_one_process(machine: Machine) -> None:
    """The process that stands for this OS process is made once."""
    assert machine.here is machine.here
    assert machine.here.name == "here"


def test_a_machine_of_one_card_knows_nothing_of_another() -> None:
    """Profiles give the devices, in their order."""
    with Machine("h200") as machine:
        assert [device.ordinal for device in machine.devices] == [0]
        assert repr(machine.devices[0]) == "device 0"


def test_a_machine_without_devices_cannot_be_initialised() -> None:
    """CUDA_ERROR_NO_DEVICE is the whole of it."""
    with Machine(small(GRANULE, devices=0)) as machine:
        assert machine.spawn().c.cuInit(0) == (100,)


def test_the_record_of_calls_is_bounded(machine: Machine) -> None:
    """The last 10,000 calls are kept."""
    a = machine.spawn()
    a.c.cuInit(0)
    for _ in range(CALLS_KEPT):
        a.c.cuDriverGetVersion()
    assert len(machine.calls) == CALLS_KEPT
    assert {record.call for record in machine.log} == {"cuDriverGetVersion"}


def test_the_log_tells_a_call(machine: Machine) -> None:
    """Process, thread, arguments, code, results and the rule that was broken."""
    a = started(machine)
    pointer = done(a.thread("t2").c.cuDeviceGetCount())
    a.c.cuMemFree(0x1234567)
    first, last = machine.log[-2:]
    assert (first.process, first.thread, first.call, first.args, first.code, first.outs) == (
        "a",
        "t2",
        "cuDeviceGetCount",
        (),
        0,
        pointer,
    )
    assert first.rule is None
    assert last.rule is not None
    assert last.facts == {"pointer": 0x1234567, "found": None}
    assert str(last).endswith("cuMemFree(dptr=0x1234567) -> INVALID_VALUE  [memory.mem_free.POINTER_IS_A_BASE]")
    assert str(first) == "a/t2  cuDeviceGetCount() -> SUCCESS"


def test_the_log_has_calls_that_are_not_modelled(machine: Machine) -> None:
    """With the line that made them; what counts refused calls is told, and what is another OS process's is that one's."""
    a = started(machine)
    told: list[tuple[object, ...]] = []
    with pytest.warns(NotModelledWarning):
        a.c.cuCtxFromGreenCtx(0)
    machine.refused = lambda *one: told.append(one)
    thread = a.current_thread()
    thread.answer_unmodelled("cuGreenCtxDestroy", 801)
    first, last = machine.log[-2:]
    assert (first.call, first.args, first.code, first.rule) == ("cuCtxFromGreenCtx", (), 801, None)
    assert first.facts is not None
    assert str(first.facts["caller"]).startswith(f"{__file__}:")
    assert str(first).endswith("  cuCtxFromGreenCtx() -> NOT_SUPPORTED  [not modelled]")
    assert told == [(thread, "cuGreenCtxDestroy", (), 801, None, {})]
    assert last.call == "cuGreenCtxDestroy"
    thread.remote = lambda *_: (0, None)
    thread.answer_unmodelled("cuGreenCtxGetId", 801)
    assert machine.log[-1].call == "cuGreenCtxDestroy"


def test_a_forked_child_goes_on_with_a_copy(machine: Machine) -> None:
    """Of the parent's threads only the one that forked is there; memory and what the host sees of it are as they were."""
    a = started(machine)
    forking = threading.get_native_id()
    context = a.threads[forking].stack[-1]
    a.thread_of(forking + 1)
    memory = done(a.c.cuMemAlloc(GRANULE))
    seen = mapped(a, done(a.c.cuMemCreate(GRANULE, (1, 0, (2, 0), 0, (0, 0, 0)), 0)))
    done(a.c.cuMemSetAccess(seen, GRANULE, (((2, 0), 3),), 1))
    done(a.c.cuMemsetD8(memory, 7, GRANULE))
    ctypes.memset(seen, 9, 16)
    pooled = done(a.c.cuMemAllocAsync(GRANULE, 0))
    done(a.c.cuMemsetD8(pooled, 5, GRANULE))
    stream = done(a.c.cuStreamCreate(1))
    done(a.c.cuStreamWaitValue32(stream, memory, 1, 1))
    machine.fork(forking)
    assert list(a.threads) == [forking]
    assert a.threads[forking].stack == [context]
    assert contents(a, memory, 16) == bytes([7]) * 16
    assert contents(a, pooled, 16) == bytes([5]) * 16
    assert a.c.cuStreamQuery(stream) == (Result.NOT_READY,)
    assert ctypes.string_at(seen, 16) == contents(a, seen, 16) == bytes([9]) * 16
    machine.fork(forking + 1)
    assert not a.threads
