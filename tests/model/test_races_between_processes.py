"""Reports of races between processes: one memory by two addresses, and in which process each call of the fix goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine, UndefinedBehaviour
from fakecuda.model.memory.backing import Extent
from fakecuda.model.work.accesses import Operation, SameBytes, same_bytes
from tests.model.racing import NON_BLOCKING
from tests.model.world import GRANULE, created, done, mapped, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda import Process

POSIX = 1
OFFSET = 16


@pytest.fixture
def processes() -> Iterator[tuple[Process, Process]]:
    """Return two processes of a machine."""
    with Machine("h200-x2", seed=1) as machine:
        yield started(machine, name="writer"), started(machine, name="reader")


def by_ipc(a: Process, b: Process) -> tuple[int, int]:
    """Return an allocation and its IPC mapping."""
    place = int(done(a.c.cuMemAlloc(4096)))
    return place, int(done(b.c.cuIpcOpenMemHandle(done(a.c.cuIpcGetMemHandle(place)), 1)))


def by_handle(a: Process, b: Process) -> tuple[int, int]:
    """Return two mappings of an allocation handle that one process exports."""
    handle = created(a)
    descriptor = done(a.c.cuMemExportToShareableHandle(handle, POSIX, 0))
    return mapped(a, handle), mapped(b, done(b.c.cuMemImportFromShareableHandle(descriptor, POSIX)))


def by_pool(a: Process, b: Process) -> tuple[int, int]:
    """Return memory of a pool and its import."""
    pool = done(a.c.cuMemPoolCreate((1, POSIX, (1, 0), 0, 0, 0, 0)))
    place = int(done(a.c.cuMemAllocFromPoolAsync(4096, pool, 0)))
    done(a.c.cuCtxSynchronize())
    theirs = done(
        b.c.cuMemPoolImportFromShareableHandle(done(a.c.cuMemPoolExportToShareableHandle(pool, POSIX, 0)), POSIX, 0)
    )
    return place, int(done(b.c.cuMemPoolImportPointer(theirs, done(a.c.cuMemPoolExportPointer(place)))))


def race(a: Process, b: Process, here: int, there: int) -> UndefinedBehaviour:
    """Return the finding of a write in each process, to overlapping bytes."""
    one, two = (int(done(process.c.cuStreamCreate(NON_BLOCKING))) for process in (a, b))
    done(a.c.cuMemsetD8Async(here, 1, 64, one))
    with pytest.raises(UndefinedBehaviour) as raised:
        b.c.cuMemsetD8Async(there + OFFSET, 1, 64, two)
    return raised.value


@pytest.mark.parametrize(
    ("share", "first", "second"),
    [
        (by_ipc, "allocation", "IPC mapping"),
        (by_handle, "mapping", "mapping"),
        (by_pool, "allocation", "import"),
    ],
)
@pytest.mark.parametrize("is_back", [False, True])
def test_a_race_of_two_processes(
    processes: tuple[Process, Process],
    share: Callable[[Process, Process], tuple[int, int]],
    first: str,
    second: str,
    *,
    is_back: bool,
) -> None:
    """The report says by what each process has the bytes, at which line, and where each call of the fix goes."""
    a, b = processes
    here, there = share(a, b)
    text = str(race(b, a, there, here) if is_back else race(a, b, here, there))
    earlier, later = (("reader", there), ("writer", here)) if is_back else (("writer", here), ("reader", there))
    same = f"{earlier[1] + OFFSET:#x} in process {earlier[0]} and {later[1] + OFFSET:#x} in process {later[0]} are one memory"
    flat = " ".join(text.split())
    assert same in flat
    assert f"process writer has it by {first} {here:#x}" in flat
    assert f"process reader has it by {second} {there:#x}" in flat
    assert f"in {share.__name__}" in text.partition("process reader has it by")[2]
    fix = flat.partition(" fix ")[2].partition(" rule ")[0]
    assert fix.startswith(f"in process {earlier[0]}, create an event with CU_EVENT_INTERPROCESS")
    assert f"In process {later[0]}, open the handle with cuIpcOpenEventHandle and call cuStreamWaitEvent before" in fix
    assert "after the earlier access, and only then notify" in fix


def test_where_the_memory_comes_from(processes: tuple[Process, Process]) -> None:
    """By an IPC handle of an allocation, or by a handle that was imported at a line."""
    a, b = processes
    here, there = by_ipc(a, b)
    text = " ".join(str(race(a, b, here, there)).split())
    assert f" of allocation {here:#x}+0x1000 on device 0 in process writer " in text.partition("of IPC handle ")[2]
    text = str(race(a, b, *by_handle(a, b)))
    assert " handle created at " in text
    assert " handle imported at " in text


def test_memory_that_is_gone(processes: tuple[Process, Process]) -> None:
    """It has no line; accesses to different memory share no bytes."""
    a, b = processes
    assert SameBytes(((a, 8), (b, 8))).history() == []
    finding = race(a, b, *by_ipc(a, b)).finding
    earlier = finding.facts["earlier"]
    other = Operation((earlier.stream, 0, 0), (), (("writes", (0, 4), [], None),))
    assert same_bytes(earlier, other) is None


def test_shared_bytes_of_several_pieces(processes: tuple[Process, Process]) -> None:
    """The address counts the pieces that stand before the shared one."""
    a, b = processes
    finding = race(a, b, *by_ipc(a, b)).finding
    earlier = finding.facts["earlier"]
    pieces = next(pieces for _, (first, _), pieces, _ in earlier.operation.uses if first == earlier.address)
    before = Extent(pieces[0][0].memory, 0, 32)
    other = Operation((earlier.stream, 0, 0), (), (("writes", (0, 0), [(before, 0, 32), *pieces], None),))
    shared = same_bytes(earlier, other)
    assert shared is not None
    assert [address for _, address in shared.places] == [earlier.address, 32]


def fix_of(text: str) -> str:
    """Return the fix of a report, in a line."""
    return " ".join(text.partition("  fix ")[2].partition("  rule ")[0].split())


def test_a_race_of_two_streams(processes: tuple[Process, Process]) -> None:
    """The fix names the stream of each call; a call that ends memory needs a wait."""
    a, _ = processes
    one, two = (int(done(a.c.cuStreamCreate(NON_BLOCKING))) for _ in range(2))
    place = mapped(a, created(a))
    done(a.c.cuMemsetD8Async(place, 1, 64, one))
    with pytest.raises(UndefinedBehaviour) as raised:
        a.c.cuMemsetD8Async(place, 1, 64, two)
    assert fix_of(str(raised.value)) == (
        f"call cuEventRecord in stream {one:#x} after the earlier access, and cuStreamWaitEvent in stream {two:#x} before this "
        f"cuMemsetD8Async; or call cuStreamSynchronize on stream {one:#x} between the two accesses"
    )
    with pytest.raises(UndefinedBehaviour) as raised:
        a.c.cuMemUnmap(place, GRANULE)
    assert fix_of(str(raised.value)) == (
        f"call cuStreamSynchronize on stream {one:#x} after the earlier access and before this cuMemUnmap"
    )


def test_a_race_of_two_default_streams() -> None:
    """Their handles are equal, so the report names their contexts, too."""
    with Machine("h200-x2", seed=1) as machine:
        c = machine.spawn().c
        done(c.cuInit(0))
        first, second = (int(done(c.cuCtxCreate(None, 0, device))) for device in range(2))
        done(c.cuCtxEnablePeerAccess(first, 0))
        done(c.cuCtxSetCurrent(first))
        place = done(c.cuMemAlloc(64))
        done(c.cuMemsetD8Async(place, 1, 64, 0))
        done(c.cuCtxSetCurrent(second))
        with pytest.raises(UndefinedBehaviour) as raised:
            c.cuMemsetD8Async(place, 1, 64, 0)
    one, two = (f"0x1 of context {context:#x} on device {device}" for device, context in enumerate((first, second)))
    text = " ".join(str(raised.value).split())
    assert f"missing an order: stream {two} does not wait for that work of stream {one}" in text
    assert fix_of(str(raised.value)).startswith(
        f"call cuEventRecord in stream {one} after the earlier access, and cuStreamWaitEvent in stream {two} before"
    )
