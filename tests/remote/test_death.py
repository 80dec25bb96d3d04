"""Processes that are killed: the machine reclaims what a kernel would, at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.limits import until

from .conftest import Child

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Machine
    from fakecuda.reach.remote.owner.endpoint import Offer

GRANULE = 2 << 20
PINNED = (1, 1, (1, 0), 0, (0, 0, 0))
HOST = 65536

Step = tuple[str, str, tuple[Any, ...]]
PROGRAM: tuple[Step, ...] = (
    ("a", "cuInit", (0,)),
    ("a", "cuCtxCreate", (None, 0, 0)),
    ("b", "cuInit", (0,)),
    ("b", "cuCtxCreate", (None, 0, 0)),
    ("a", "cuMemAlloc", (GRANULE,)),
    ("a", "cuIpcGetMemHandle", ("cuMemAlloc",)),
    ("b", "cuIpcOpenMemHandle", ("cuIpcGetMemHandle", 1)),
    ("a", "cuMemcpyHtoD", ("cuMemAlloc", "buffer", HOST)),
    ("b", "cuMemcpyDtoH", ("buffer", "cuIpcOpenMemHandle", HOST)),
    ("a", "cuMemHostAlloc", (HOST, 0)),
    ("b", "cuMemAllocManaged", (HOST, 1)),
    ("a", "cuMemCreate", (GRANULE, PINNED, 0)),
    ("a", "cuMemAddressReserve", (GRANULE, 0, 0, 0)),
    ("a", "cuMemMap", ("cuMemAddressReserve", GRANULE, 0, "cuMemCreate", 0)),
    ("a", "cuMemSetAccess", ("cuMemAddressReserve", GRANULE, (((1, 0), 3),), 1)),
    ("b", "cuEventCreate", (6,)),
    ("b", "cuIpcGetEventHandle", ("cuEventCreate",)),
    ("a", "cuIpcOpenEventHandle", ("cuIpcGetEventHandle",)),
    ("b", "cuStreamCreate", (1,)),
    ("b", "cuMemAllocAsync", (HOST, "cuStreamCreate")),
    ("b", "cuIpcCloseMemHandle", ("cuIpcOpenMemHandle",)),
    ("a", "cuMemFree", ("cuMemAlloc",)),
)


def perform(children: dict[str, Child], steps: tuple[Step, ...]) -> None:
    """Make the calls of a program; a name among arguments is what that call has returned."""
    results: dict[str, Any] = {}
    for who, name, args in steps:
        code, *outs = children[who].call(
            name, *(results.get(one, one) if isinstance(one, str) else one for one in args)
        )
        assert code == 0, name
        results[name] = outs[0] if outs else None


@pytest.mark.parametrize("victim", ["a", "b"])
def test_a_kill_at_every_step(machine: Machine, sharing: Offer, victim: str) -> None:
    """Whatever a process has done when it is killed, it leaves nothing but what the other one still maps."""
    before, kept = descriptors(), {file.name for file in sharing.path.parent.iterdir()}
    for count in range(len(PROGRAM) + 1):
        children = {name: Child(sharing.path) for name in ("a", "b")}
        perform(children, PROGRAM[:count])
        children[victim].kill()
        with machine.lock:  # which whoever takes it first finds the dead gone
            alive = [process for process in machine.processes.values() if process.alive]
        machine.check_invariants()
        assert len(alive) <= 1
        children["b" if victim == "a" else "a"].kill()
        with machine.lock:
            pass
        machine.check_invariants()
        assert not any(process.alive for process in machine.processes.values())
        assert {memory.used for memory in memories(machine)} == {0}
        machine.processes.clear()
    assert until(lambda: descriptors() <= before)
    assert {file.name for file in sharing.path.parent.iterdir()} == kept


def memories(machine: Machine) -> list[Any]:
    """Return all memory of a machine."""
    return [*(device.memory for device in (*machine.devices, machine.host)), machine.pinned, machine.managed]


def descriptors() -> int:
    """Return how many descriptors this process has."""
    return len(list(Path("/proc/self/fd").iterdir()))


def test_what_the_importer_maps_stays(machine: Machine, start: Callable[[], Child]) -> None:
    """An exporter's memory outlives it in its importer, with its contents."""
    a, b = start(), start()
    perform({"a": a, "b": b}, PROGRAM[:8])
    used = machine.devices[0].memory.used
    a.kill()
    code, mapping = b.call("cuMemAlloc", 16)
    assert code == 0
    assert 0 < machine.devices[0].memory.used < used + GRANULE
    opened = next(iter(machine.processes["b"].ipc.imports.values())).start
    assert b.call("cuMemcpyDtoH", "buffer", opened, HOST) == (0,)
    assert b.call("cuIpcCloseMemHandle", opened) == (0,)
    assert b.call("cuMemFree", mapping) == (0,)


def test_the_handle_of_a_dead_exporter_opens_nothing(start: Callable[[], Child]) -> None:
    """As on a real machine."""
    a, b = start(), start()
    perform({"a": a, "b": b}, PROGRAM[:5])
    _, handle = a.call("cuIpcGetMemHandle", next(iter([a.call("cuMemAlloc", 4096)[1]])))
    a.kill()
    assert b.call("cuIpcOpenMemHandle", handle, 1)[0] != 0


def test_a_process_dies_while_it_waits(machine: Machine, start: Callable[[], Child]) -> None:
    """A call that waits for work ends with its process; the others go on."""
    a, b = start(), start()
    for child in (a, b):
        child.call("cuInit", 0)
        child.call("cuCtxCreate", None, 0, 0)
    _, word = a.call("cuMemAlloc", 4)
    assert a.call("cuStreamWaitValue32", 0, word, 1, 1) == (0,)
    a.call("cuStreamSynchronize", 0, wait=False)
    assert b.call("cuMemAlloc", 4096)[0] == 0
    a.kill()
    assert b.call("cuMemAlloc", 4096)[0] == 0
    assert not machine.scheduler.pending
    assert not machine.processes["a"].alive
