"""What processes hold, and have left when they ended: each kind of thing, with the line that made it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from attrs import evolve

from fakecuda.model import history
from fakecuda.model.leaks import FIXES, KINDS, Leak, leaks_in, leaks_on

from .world import GRANULE, created, done, mapped, started

if TYPE_CHECKING:
    from fakecuda import Machine, Process

INTERPROCESS = 6
"""CU_EVENT_INTERPROCESS and CU_EVENT_DISABLE_TIMING, which it needs."""


def kinds(machine: Machine) -> list[str]:
    """Return the kinds of what is left, but for the context that a process is started with."""
    return [leak.kind for leak in leaks_on(machine) if leak.kind != "context"]


def _export(a: Process) -> int:
    return int(done(a.c.cuMemExportToShareableHandle(created(a), 1, 0)))


def _enable(a: Process) -> None:
    own = done(a.c.cuCtxGetCurrent())
    other = done(a.c.cuCtxCreate(None, 0, 1))
    done(a.c.cuCtxSetCurrent(own))
    done(a.c.cuCtxEnablePeerAccess(other, 0))


def _register(a: Process) -> None:
    done(a.c.cuMemHostRegister(a.host_memory(4096), 4096, 0))


def _other(a: Process) -> Process:
    machine: Any = a.machine
    return started(machine, name="b")


def _open(a: Process) -> None:
    b = _other(a)
    done(a.c.cuIpcOpenMemHandle(done(b.c.cuIpcGetMemHandle(done(b.c.cuMemAlloc(512)))), 1))
    done(a.c.cuIpcOpenEventHandle(done(b.c.cuIpcGetEventHandle(done(b.c.cuEventCreate(INTERPROCESS))))))
    b.kill()


POOL = (1, 1, (1, 0), None, 0, 0, 0)


def _import_pool(a: Process) -> None:
    b = _other(a)
    pool = done(b.c.cuMemPoolCreate(POOL))
    descriptor = done(b.c.cuMemPoolExportToShareableHandle(pool, 1, 0))
    imported = done(a.c.cuMemPoolImportFromShareableHandle(descriptor, 1, 0))
    os.close(descriptor)
    pointer = done(b.c.cuMemAllocFromPoolAsync(512, pool, 0))
    done(a.c.cuMemPoolImportPointer(imported, done(b.c.cuMemPoolExportPointer(pointer))))
    b.kill()


MADE: dict[str, tuple[Any, list[str]]] = {
    "nothing": (lambda a: None, []),  # noqa: ARG005 - it does nothing
    "linear memory": (lambda a: done(a.c.cuMemAlloc(512)), ["allocation"]),
    "pinned memory": (lambda a: done(a.c.cuMemHostAlloc(512, 0)), ["allocation"]),
    "managed memory": (lambda a: done(a.c.cuMemAllocManaged(512, 1)), ["allocation"]),
    "memory of the default pool": (lambda a: done(a.c.cuMemAllocAsync(512, 0)), ["allocation", "kept"]),
    "a handle": (created, ["handle"]),
    "a mapping": (lambda a: mapped(a, created(a)), ["handle", "mapping", "reservation"]),
    "a stream": (lambda a: done(a.c.cuStreamCreate(0)), ["stream"]),
    "an event": (lambda a: done(a.c.cuEventCreate(0)), ["event"]),
    "a pool": (lambda a: done(a.c.cuMemPoolCreate(POOL)), ["pool"]),
    "registered memory": (_register, ["registration"]),
    "access to a peer": (_enable, ["peer"]),
    "opened handles": (_open, ["ipc", "ipc"]),
    "an imported pool": (_import_pool, ["ipc", "pool"]),
    "a retained primary context": (lambda a: done(a.c.cuDevicePrimaryCtxRetain(0)), ["retain"]),
    "the runtime's primary context": (lambda a: a.c.cudaSetDevice(1), ["kept"]),
}


@pytest.mark.parametrize("what", MADE)
def test_what_is_held_is_left(machine: Machine, what: str) -> None:
    """While the process lives, and after it has ended in order; not when it was killed, for then it could give nothing back."""
    make, wanted = MADE[what]
    a = started(machine, name="a")
    assert kinds(machine) == []
    make(a)
    assert kinds(machine) == sorted(wanted, key=KINDS.index)
    assert {leak.process for leak in leaks_on(machine)} == {"a"}
    assert all(
        f"{__file__}:" in leak.line or "/tests/model/world.py:" in leak.line
        for leak in leaks_on(machine)
        if not leak.text.startswith("memory pool") or leak.kind == "pool"
    )
    before = list(map(str, leaks_on(machine)))
    a.exit()
    assert list(map(str, leaks_on(machine))) == before
    b = started(machine, name="b2")
    make(b)
    b.kill()
    assert leaks_in(b) == b.left == []


def test_what_is_given_back_is_not_left(machine: Machine) -> None:
    """Also what a stream will free, and an allocation handle of which nothing but a mapping is left."""
    a = started(machine)
    pointer = done(a.c.cuMemAlloc(512))
    a.leaving[pointer] = None
    assert kinds(machine) == []
    del a.leaving[pointer]
    handle = created(a)
    mapped(a, handle)
    done(a.c.cuMemRelease(handle))
    assert kinds(machine) == ["allocation", "mapping", "reservation"]


def test_descriptors_are_left_while_they_are_open(machine: Machine) -> None:
    """Whatever became of the process: one that runs here has them still. A pool's is one, too."""
    a = started(machine)
    descriptor = _export(a)
    assert kinds(machine) == ["handle", "descriptor"]
    assert str(leaks_on(machine)[1]).startswith(
        f"descriptor: exported file descriptor of memory of {GRANULE:#x} bytes, of process a, made at {__file__}:"
    )
    a.kill()
    assert kinds(machine) == ["descriptor"]
    os.close(descriptor)
    assert kinds(machine) == []
    b = started(machine)
    descriptor = done(b.c.cuMemPoolExportToShareableHandle(done(b.c.cuMemPoolCreate(POOL)), 1, 0))
    assert "descriptor of memory pool" in str(leaks_on(machine)[0])
    os.close(descriptor)


def test_a_release_ends_the_last_retain(machine: Machine) -> None:
    """Each retain has a line of its own; a reset leaves the references."""
    a = machine.spawn()
    done(a.c.cuInit(0))
    done(a.c.cuDevicePrimaryCtxRetain(0))
    done(a.c.cuDevicePrimaryCtxRetain(0))
    first, second = leaks_on(machine)
    assert first.line != second.line
    done(a.c.cuDevicePrimaryCtxRelease(0))
    assert leaks_on(machine) == [first]
    done(a.c.cuDevicePrimaryCtxReset(0))
    assert leaks_on(machine) == [first]
    done(a.c.cuDevicePrimaryCtxRelease(0))
    assert leaks_on(machine) == []


def test_a_release_ends_its_threads_retain(machine: Machine) -> None:
    """That of another only where it has none."""
    a = machine.spawn()
    done(a.c.cuInit(0))
    other = a.thread("other").c
    for door in (a.c, other, other):
        done(door.cuDevicePrimaryCtxRetain(0))
    first, second, _ = (leak.item for leak in leaks_on(machine))
    done(a.c.cuDevicePrimaryCtxRelease(0))
    assert first not in [leak.item for leak in leaks_on(machine)]
    done(a.c.cuDevicePrimaryCtxRelease(0))
    assert [leak.item for leak in leaks_on(machine)] == [second]


def test_the_runtime_keeps_its_reference(machine: Machine) -> None:
    """Beside what others retain; that the driver releases it for the runtime is no retain's end."""
    a = machine.spawn()
    done(a.c.cudaSetDevice(0))
    assert kinds(machine) == ["kept"]
    done(a.c.cuDevicePrimaryCtxRetain(0))
    assert kinds(machine) == ["retain", "kept"]
    for _ in range(2):
        done(a.c.cuDevicePrimaryCtxRelease(0))
    assert kinds(machine) == []


def test_peers_are_forgotten(machine: Machine) -> None:
    """With either context, and by the call."""
    a = started(machine)
    own = done(a.c.cuCtxGetCurrent())
    other = done(a.c.cuCtxCreate(None, 0, 1))
    done(a.c.cuCtxSetCurrent(own))
    for end in (a.c.cuCtxDisablePeerAccess, a.c.cuCtxDestroy):
        done(a.c.cuCtxEnablePeerAccess(other, 0))
        (leak,) = [leak for leak in leaks_on(machine) if leak.kind == "peer"]
        assert leak.text.endswith("to device 1")
        done(end(other))
        assert kinds(machine) == []
        assert not a.contexts[own].connected


def test_the_line_is_the_users(machine: Machine) -> None:
    """Not a library's; where nothing else is known it is that, and where nothing is, none."""
    a = started(machine)
    (leak,) = leaks_on(machine)
    scope: dict[str, Any] = {}
    exec(compile("def make(a): return a.c.cuMemAlloc(512)", "/x/site-packages/y.py", "exec"), scope)  # noqa: S102
    scope["make"](a)
    (held,) = [leak for leak in leaks_on(machine) if leak.kind == "allocation"]
    assert held.line.startswith(f"{__file__}:")
    assert evolve(held, stack=held.stack[:2]).line == "/x/site-packages/y.py:1 in make"
    assert evolve(leak, stack=history.NOWHERE).line == ""
    assert str(Leak("stream", "a", None, "a stream")) == "stream: a stream, of process a"


def test_a_leak_tells_what_gives_it_back(machine: Machine) -> None:
    """What a library keeps is nobody's to give."""
    a = started(machine)
    done(a.c.cuMemAlloc(512))
    (held,) = [leak for leak in leaks_on(machine) if leak.kind == "allocation"]
    first, made, *_, last = held.report.splitlines()
    assert first == f"allocation: {held.text}, of process a"
    assert made == f"  made at {held.line}"
    assert last.startswith("  fix: free it: cuMemFree, ")
    assert evolve(held, kind="kept").report.splitlines()[-1] != last
    assert FIXES.keys() == {*KINDS} - {"kept"}


def test_a_process_that_is_not_known_comes_last(machine: Machine) -> None:
    """What a fork has exported that has ended."""
    a = started(machine)
    descriptor = _export(a)
    (export,) = machine.exchange.exports.values()
    export.process = evolve(a, name="a fork of a")
    assert [leak.process for leak in leaks_on(machine)] == ["a", "a", "a fork of a"]
    os.close(descriptor)
