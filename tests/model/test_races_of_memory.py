"""Memory that several names, streams and processes have: who uses it, and who ends it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine
from tests.model.racing import NON_BLOCKING, SIZE, Scene, by_event, fill, found
from tests.model.world import created, done, mapped, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda import Process

PORTABLE = 1
"""CU_MEMHOSTALLOC_PORTABLE, CU_MEMHOSTREGISTER_PORTABLE."""


@pytest.fixture(params=["eager", "manual"])
def scene(request: pytest.FixtureRequest) -> Iterator[Scene]:
    """Return a scene, on a machine that does work at once and on one that leaves it."""
    with Machine("h200-x2", seed=1, completion=request.param) as made:
        yield Scene(made)


def test_memory_that_two_names_have(scene: Scene) -> None:
    """Mappings of the same memory are the same bytes."""
    handle = created(scene.process)
    first, second = mapped(scene.process, handle), mapped(scene.process, handle)
    done(scene.c.cuMemsetD8Async(first, 1, SIZE, scene.one))
    done(scene.c.cuMemsetD8Async(second + SIZE, 1, SIZE, scene.two))
    found(lambda: done(scene.c.cuMemsetD8Async(second, 1, SIZE, scene.two)))


def test_unmapping_what_work_uses() -> None:
    """The call does not wait: it comes after what the host has seen done alone; other names of the memory do not matter."""
    with Machine("h200-x2", seed=1) as machine:
        scene = Scene(machine)
        handle = created(scene.process)
        first, second = mapped(scene.process, handle), mapped(scene.process, handle)
        unused = mapped(scene.process, created(scene.process))
        done(scene.c.cuMemsetD8Async(first, 1, SIZE, scene.one))
        for other in (second, unused):
            done(scene.c.cuMemUnmap(other, 2 << 20))
        finding = found(lambda: scene.c.cuMemUnmap(first, 2 << 20))
        assert "wait for stream" in finding.facts["missing"]
        done(scene.c.cuStreamSynchronize(scene.one))
        done(scene.c.cuMemUnmap(first, 2 << 20))


def test_taking_access_from_what_work_uses() -> None:
    """The call does not wait either. A device that keeps its access can go on."""
    with Machine("h200-x2", seed=1) as machine:
        scene = Scene(machine)
        place = mapped(scene.process, created(scene.process))
        done(scene.c.cuMemsetD8Async(place, 1, SIZE, scene.one))
        for device, flags in ((0, 3), (1, 3), (1, 0)):
            done(scene.c.cuMemSetAccess(place, 2 << 20, (((1, device), flags),), 1))
        finding = found(lambda: scene.c.cuMemSetAccess(place, 2 << 20, (((1, 0), 0),), 1))
        assert "wait for stream" in finding.facts["missing"]
        done(scene.c.cuStreamSynchronize(scene.one))
        done(scene.c.cuMemSetAccess(place, 2 << 20, (((1, 0), 0),), 1))


def test_freeing_beside_work_on_new_bytes() -> None:
    """What is put by is looked at, too."""
    with Machine("h200-x2", seed=1) as machine:
        scene = Scene(machine)
        pooled = int(done(scene.c.cuMemAllocAsync(SIZE, scene.one)))
        done(scene.c.cuMemsetD8Async(scene.own, 1, SIZE, scene.two))
        by_event(scene)
        done(scene.c.cuMemsetD8Async(pooled, 1, SIZE, scene.two))
        done(scene.c.cuMemsetD8Async(done(scene.c.cuMemAlloc(SIZE)), 1, SIZE, scene.two))
        assert machine.races is not None
        assert machine.races.memory.put_by
        finding = found(lambda: scene.c.cuMemFreeAsync(pooled, scene.one))
        assert "does not wait for that work of stream" in finding.facts["missing"]


def test_unmapping_new_bytes_beside_work() -> None:
    """Likewise, where nobody waits for what is put by."""
    with Machine("h200-x2", seed=1) as machine:
        scene = Scene(machine)
        new = mapped(scene.process, created(scene.process))
        done(scene.c.cuMemsetD8Async(scene.own, 1, SIZE, scene.two))
        done(scene.c.cuMemsetD8Async(scene.own + SIZE, 1, SIZE, scene.one))
        done(scene.c.cuMemsetD8Async(new, 1, SIZE, scene.one))
        assert machine.races is not None
        assert machine.races.memory.put_by
        finding = found(lambda: scene.c.cuMemUnmap(new, 2 << 20))
        assert "wait for stream" in finding.facts["missing"]


def test_unmapping_what_work_reads() -> None:
    """Nobody has written there."""
    with Machine("h200-x2", seed=1) as machine:
        scene = Scene(machine)
        read = mapped(scene.process, created(scene.process))
        done(scene.c.cuMemcpyDtoDAsync(scene.common, read, SIZE, scene.one))
        finding = found(lambda: scene.c.cuMemUnmap(read, 2 << 20))
        assert "wait for stream" in finding.facts["missing"]


def test_memory_in_the_order_of_streams() -> None:
    """Memory of a pool is there once its stream comes to it, and until a stream frees it."""
    with Machine("h200-x2", seed=1) as machine:
        scene = Scene(machine)
        scene.common = int(done(scene.c.cuMemAllocAsync(4096, scene.one)))
        found(lambda: fill(scene, scene.two))
        by_event(scene)
        fill(scene, scene.two)
        found(lambda: scene.c.cuMemFreeAsync(scene.common, scene.one))
        found(lambda: scene.c.cuMemFree(scene.common))
        done(scene.c.cuMemFreeAsync(scene.common, scene.two))
        scene.common = int(done(scene.c.cuMemAllocAsync(4096, scene.third)))
        fill(scene, scene.third)
        done(scene.c.cuStreamSynchronize(scene.third))
        done(scene.c.cuMemFree(scene.common))


def two_processes(machine: Machine) -> tuple[Scene, Process, int, int]:
    """Return a scene, and another process with a stream that has opened its memory."""
    scene = Scene(machine)
    other = started(machine, name="b")
    opened = int(done(other.c.cuIpcOpenMemHandle(done(scene.c.cuIpcGetMemHandle(scene.common)), 1)))
    return scene, other, opened, int(done(other.c.cuStreamCreate(NON_BLOCKING)))


def test_processes(machine: Machine) -> None:
    """A wait of one process is one for the other, which is told somehow; without one nothing orders them."""
    scene, other, opened, stream = two_processes(machine)
    fill(scene, scene.one)
    finding = found(lambda: other.c.cuMemsetD8Async(opened, 1, SIZE, stream))
    assert "process a before this call" in finding.facts["missing"]
    done(scene.c.cuStreamSynchronize(scene.one))
    done(other.c.cuMemsetD8Async(opened, 1, SIZE, stream))
    found(lambda: fill(scene, scene.one))


def test_events_of_processes(machine: Machine) -> None:
    """An event of one process, opened by the other, orders their work on the devices."""
    scene, other, opened, stream = two_processes(machine)
    event = int(done(scene.c.cuEventCreate(2 | 4)))
    there = int(done(other.c.cuIpcOpenEventHandle(done(scene.c.cuIpcGetEventHandle(event)))))
    fill(scene, scene.one)
    done(scene.c.cuEventRecord(event, scene.one))
    done(other.c.cuStreamWaitEvent(stream, there, 0))
    done(other.c.cuMemsetD8Async(opened, 1, SIZE, stream))
    done(other.c.cuEventRecord(there, stream))
    done(scene.c.cuStreamWaitEvent(scene.two, event, 0))
    fill(scene, scene.two)
    assert not machine.findings
    found(lambda: fill(scene, scene.one))


def test_a_process_that_ends(machine: Machine) -> None:
    """Its work is nobody's any more."""
    scene, other, opened, stream = two_processes(machine)
    done(other.c.cuMemsetD8Async(opened, 1, SIZE, stream))
    other.exit()
    fill(scene, scene.one)


def test_a_context_that_ends(machine: Machine) -> None:
    """Its work is done then."""
    scene, other, opened, stream = two_processes(machine)
    done(other.c.cuMemsetD8Async(opened, 1, SIZE, stream))
    done(other.c.cuCtxDestroy(done(other.c.cuCtxGetCurrent())))
    fill(scene, scene.one)


def test_contexts(machine: Machine) -> None:
    """Those of one process are as streams that do not block: a wait of one is none of the other, and an event orders them."""
    scene = Scene(machine)
    first = done(scene.c.cuCtxGetCurrent())
    other = done(scene.c.cuCtxCreate(None, 0, 0))
    stream = int(done(scene.c.cuStreamCreate(NON_BLOCKING)))
    fill(scene, scene.one)
    found(lambda: fill(scene, stream))
    scene.record(scene.one)
    done(scene.c.cuCtxWaitEvent(other, scene.event))
    done(scene.c.cuCtxWaitEvent(other, scene.event))
    fill(scene, stream)
    done(scene.c.cuCtxSetCurrent(first))
    done(scene.c.cuCtxSynchronize())
    found(lambda: fill(scene, scene.one))


def test_a_mapping_that_hip_closes() -> None:
    """It waits for the context's work first, so that the owner's comes behind."""
    with Machine("hip-clr-2026", seed=1) as machine:
        owner, reader = (machine.spawn(name).c for name in ("owner", "reader"))
        memory = done(owner.hipMalloc(SIZE))
        opened = done(reader.hipIpcOpenMemHandle(done(owner.hipIpcGetMemHandle(memory)), 1))
        done(reader.hipMemsetAsync(opened, 1, SIZE, done(reader.hipStreamCreateWithFlags(1))))
        done(reader.hipIpcCloseMemHandle(opened))
        done(owner.hipMemset(memory, 0, SIZE))


def test_a_machine_that_forks_without_a_search_for_races() -> None:
    """It has nothing to forget."""
    with Machine("h200", races=False) as machine:
        process = started(machine)
        machine.fork(threading.get_native_id())
        assert done(process.c.cuMemAlloc(SIZE))


def allocated(process: Process) -> tuple[int, str]:
    """Return device memory of the current context, and the call that frees it."""
    return int(done(process.c.cuMemAlloc(SIZE))), "cuMemFree"


def pinned(process: Process) -> tuple[int, str]:
    """Return page-locked memory, and the call that frees it."""
    return int(done(process.c.cuMemHostAlloc(SIZE, PORTABLE))), "cuMemFreeHost"


def registered(process: Process) -> tuple[int, str]:
    """Return registered memory, and the call that ends the registration."""
    place = process.host_memory(SIZE)
    done(process.c.cuMemHostRegister(place, SIZE, PORTABLE))
    return place, "cuMemHostUnregister"


def imported(process: Process) -> tuple[int, str]:
    """Return memory of another process, and the call that closes it."""
    machine: Any = process.machine
    other = machine.spawn()
    done(other.c.cuInit(0))
    done(other.c.cuCtxCreate(None, 0, 1))
    handle = done(other.c.cuIpcGetMemHandle(done(other.c.cuMemAlloc(SIZE))))
    return int(done(process.c.cuIpcOpenMemHandle(handle, 1))), "cuIpcCloseMemHandle"


@pytest.mark.parametrize("made", [allocated, pinned, registered, imported])
def test_the_end_of_memory_that_another_context_uses(scene: Scene, made: Callable[[Process], tuple[int, str]]) -> None:
    """The call waits for the memory's own context alone."""
    first = done(scene.c.cuCtxGetCurrent())
    peer = done(scene.c.cuCtxCreate(None, 0, 1))
    place, end = made(scene.process)
    done(scene.c.cuCtxSetCurrent(first))
    done(scene.c.cuCtxEnablePeerAccess(peer, 0))
    done(scene.c.cuMemsetD8Async(place, 1, 64, scene.one))
    finding = found(lambda: getattr(scene.c, end)(place))
    assert finding.facts["earlier"].stream.handle == scene.one
    done(scene.c.cuStreamSynchronize(scene.one))
    done(getattr(scene.c, end)(place))


def plain_array(c: Any) -> tuple[int, int, str]:
    """Return an array, the array that copies name, and the call that destroys it."""
    array = int(done(c.cuArrayCreate((64, 0, 1, 1))))
    return array, array, "cuArrayDestroy"


def levels(c: Any) -> tuple[int, int, str]:
    """Return a mipmapped array, its second level, and the call that destroys both."""
    levels = int(done(c.cuMipmappedArrayCreate((256, 0, 0, 1, 1, 0), 2)))
    return levels, int(done(c.cuMipmappedArrayGetLevel(levels, 1))), "cuMipmappedArrayDestroy"


def copied_elsewhere(scene: Scene, made: Callable[[Any], tuple[int, int, str]]) -> tuple[int, int, str]:
    """Return what makes an array has returned, in a context of its own; a stream of another context copies to the array."""
    first = done(scene.c.cuCtxGetCurrent())
    done(scene.c.cuCtxCreate(None, 0, 0))
    array, copied, end = made(scene.c)
    done(scene.c.cuCtxSetCurrent(first))
    memory = int(done(scene.c.cuMemAlloc(64)))
    done(scene.c.cuMemcpy2DAsync((0, 0, 2, 0, memory, 0, 0, 0, 0, 3, 0, 0, copied, 0, 32, 1), scene.one))
    return array, copied, end


@pytest.mark.parametrize("made", [plain_array, levels])
def test_the_end_of_an_array_that_another_context_uses(
    scene: Scene, made: Callable[[Any], tuple[int, int, str]]
) -> None:
    """The call waits for the array's own context alone, and the report names the array."""
    array, _, end = copied_elsewhere(scene, made)
    finding = found(lambda: getattr(scene.c, end)(array))
    assert finding.facts["earlier"].stream.handle == scene.one
    assert finding.facts["memory"].handle == array
    done(scene.c.cuStreamSynchronize(scene.one))
    done(getattr(scene.c, end)(array))


def test_a_level_gives_no_memory_back(scene: Scene) -> None:
    """Work may go on with the memory of a level that the program has destroyed."""
    _, level, _ = copied_elsewhere(scene, levels)
    done(scene.c.cuArrayDestroy(level))


def test_an_import_that_stays_open(scene: Scene) -> None:
    """A close that is not the last one ends no memory."""
    first = done(scene.c.cuCtxGetCurrent())
    peer = done(scene.c.cuCtxCreate(None, 0, 1))
    other = started(scene.machine, 1)
    handle = done(other.c.cuIpcGetMemHandle(done(other.c.cuMemAlloc(SIZE))))
    place, _ = (int(done(scene.c.cuIpcOpenMemHandle(handle, 1))) for _ in range(2))
    done(scene.c.cuCtxSetCurrent(first))
    done(scene.c.cuCtxEnablePeerAccess(peer, 0))
    done(scene.c.cuMemsetD8Async(place, 1, 64, scene.one))
    done(scene.c.cuIpcCloseMemHandle(place))
    assert not scene.machine.findings
    done(scene.c.cuStreamSynchronize(scene.one))


def test_a_free_before_the_allocation(scene: Scene) -> None:
    """In another stream, or at once; an event or a wait orders them."""
    place = done(scene.c.cuMemAllocAsync(SIZE, scene.one))
    assert "allocates" in str(found(lambda: scene.c.cuMemFreeAsync(place, scene.two)))
    found(lambda: scene.c.cuMemFree(place))
    by_event(scene)
    done(scene.c.cuMemFreeAsync(place, scene.two))
    place = done(scene.c.cuMemAllocAsync(SIZE, scene.one))
    done(scene.c.cuStreamSynchronize(scene.one))
    done(scene.c.cuMemFree(place))
