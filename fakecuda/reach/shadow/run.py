"""Runs a program with the recording library, and stores its records."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import threading
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import field, frozen

from fakecuda.errors import FakeCudaError
from fakecuda.model.os.scarcity import scarcity
from fakecuda.reach.native import objects
from fakecuda.reach.shadow import WITH, driver
from fakecuda.reach.shadow.faults import text_of
from fakecuda.reach.shadow.ring import CAPACITY, Ring, is_locked, lock, place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import BinaryIO

    from fakecuda.reach.shadow.faults import Fault

PATH = "LD_LIBRARY_PATH"
SPECIAL = ":;$"
"""Characters with a meaning in LD_LIBRARY_PATH."""
PREFIX = "fakecuda-record-"
STACKS = "stacks"
"""The file that makes the library record stacks."""
TESTS = "tests"
"""The file in which the pytest plugin notes the records of each test."""
FAULTS = "faults"
"""The file with the library's faults."""
A_MOMENT = 0.001
"""Seconds between two reads of an empty ring."""


@frozen
class Test:
    """A test that a recorded program ran.

    Attributes:
        process: The process, by the number that the system gives.
        test: The test's node id.
        first: The ticket of the first record that was written while it ran.
        last: That of the last one; less than the first one's without any.
    """

    process: int
    test: str
    first: int
    last: int


@frozen
class Ran:
    """The result of a recorded program.

    Attributes:
        status: Its exit status, as a shell has it.
        lost: How many records were lost.
        nested: How many calls within calls have no record.
        met: How many calls each fault met, and how many it refused.
        tests: The tests that it ran, if it is pytest.
        problem: Why records could not be written from some record on; empty if they could.
        left: The programs that still run, by the numbers of their processes.
        removed: The folder that the program has removed, so that processes that began later have no record; empty without one.
    """

    status: int
    lost: int
    nested: int
    met: tuple[tuple[int, int], ...] = ()
    tests: tuple[Test, ...] = ()
    problem: str = ""
    left: Mapping[int, str] = field(factory=dict)
    removed: str = ""


def run(
    start: Callable[[Mapping[str, str]], int],
    to: BinaryIO,
    *,
    library: Path | None = None,
    capacity: int = CAPACITY,
    stacks: bool = False,
    faults: Sequence[Fault] = (),
) -> Ran:
    """Run a program with the recording library before its driver.

    Args:
        start: Runs the program with an environment, and returns its exit status.
        to: The file that the records are written to, without a buffer.
        library: The driver library; by default the one that the dynamic loader finds.
        capacity: The bytes of the ring.
        stacks: Whether calls that make or end objects, copy or fill have their stacks.
        faults: Calls that are refused, and do not reach the driver.

    Raises:
        NoDriverError: There is no driver.
        FakeCudaError: The library cannot be built, the system has no room for it or for the ring, or this process is
            recorded itself.
    """
    if (outer := os.environ.get(WITH)) and Path(outer).exists():
        msg = "this process is recorded by another record or check already: run the program without the inner one, or unset "
        raise FakeCudaError(msg + f"{PATH} and {WITH}")
    library = library or driver.driver()
    _forget_killed()
    with ExitStack() as stack:
        folder = stack.enter_context(_folder(None))
        _prepare(folder, library, stacks=stacks, faults=faults)
        ring = _ring(capacity, stack)
        (folder / "ring").symlink_to(ring.path)
        ended, problems, left = threading.Event(), list[str](), dict[int, str]()
        reader = threading.Thread(target=_read, args=(ring, to, ended, problems))
        reader.start()
        try:
            before = os.environ.get(PATH)
            paths = f"{folder}:{before}" if before else str(folder)
            status = start({**os.environ, PATH: paths, WITH: str(folder)})
            left |= _left(folder)  # what one of these writes from now on may not be read
        finally:
            ended.set()
            reader.join()
        listed = folder / TESTS
        lines = listed.read_text(encoding="utf-8").splitlines() if listed.exists() else []
        tests = tuple(Test(**json.loads(line)) for line in lines)
        met = tuple(map(ring.met, range(len(faults))))
        removed = next((str(one.parent) for one in (ring.path, folder / objects.DRIVER_FILE) if not one.exists()), "")
        return Ran(status, ring.lost, ring.nested, met, tests, "".join(problems), left, removed)


def _left(folder: Path) -> Iterator[tuple[int, str]]:
    """Yield the living processes whose environment has a run's folder, and their programs."""
    mark = os.fsencode(f"{WITH}={folder}")
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is another user's
            if mark in (process / "environ").read_bytes().split(b"\0"):
                yield int(process.name), str((process / "exe").readlink())


@contextmanager
def _folder(where: str | None) -> Iterator[Path]:
    """Make a folder, and remove it at the end; it is locked meanwhile, before :func:`_forget_killed` looks at it."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=where))
    locked = lock(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(locked)


def _prepare(folder: Path, library: Path, *, stacks: bool, faults: Sequence[Fault]) -> None:
    """Put into a folder what a program needs to be recorded.

    Raises:
        FakeCudaError: The folder has no room, or libraries in it cannot be loaded.
    """
    if wrong := set(SPECIAL) & set(str(folder)):
        msg = f"{folder.parent} has a {min(wrong)}, which the dynamic loader does not take in a path: set TMPDIR to another folder"
        raise FakeCudaError(msg)
    if os.statvfs(folder).f_flag & os.ST_NOEXEC:
        msg = f"the program has to load a library in {folder.parent}, which is mounted noexec: set TMPDIR to another folder"
        raise FakeCudaError(msg)
    try:
        driver.stand_before(library, folder)
        if stacks:
            (folder / STACKS).touch()
        if faults:
            (folder / FAULTS).write_text(text_of(faults), encoding="ascii")
    except OSError as error:
        msg = f"the recording library cannot be placed in {folder.parent}: {scarcity(error)}"
        raise FakeCudaError(msg) from error


def _ring(capacity: int, stack: ExitStack) -> Ring:
    """Return a ring in a new folder, in memory if it has room.

    Args:
        capacity: The bytes of the ring.
        stack: What closes the ring, and removes its folder.

    Raises:
        FakeCudaError: There is no room.
    """
    problems = []
    for where in (place(), None):
        with ExitStack() as here:
            folder = here.enter_context(_folder(where))
            try:
                ring = Ring(folder / "ring", capacity)
            except OSError as error:
                problems.append(f"{folder.parent}: {scarcity(error)}")
            else:
                stack.push(here.pop_all())
                stack.callback(ring.close)
                return ring
    msg = f"the records of a program need {capacity:,} bytes, which no folder has. {'; '.join(problems)}"
    raise FakeCudaError(msg)


def _forget_killed() -> None:
    """Remove the folders of runs that were killed together with this command.

    A run locks its folder before it writes `ring` there. What the name leads to may be gone, or be in another container.
    """
    for where in {tempfile.gettempdir(), place() or tempfile.gettempdir()}:
        for folder in Path(where).glob(f"{PREFIX}*"):
            ring = folder / "ring"
            with suppress(OSError):  # another user's
                if os.path.lexists(ring) and not is_locked(folder) and not (ring.exists() and is_locked(ring)):
                    shutil.rmtree(folder, ignore_errors=True)


def _read(ring: Ring, to: BinaryIO, ended: threading.Event, problems: list[str]) -> None:
    """Move records to a file until the program has ended and the ring is empty."""
    while True:
        last = ended.is_set()
        try:
            moved = ring.drain(to)
        except OSError as error:
            ring.end()
            problems.append(scarcity(error))
            return
        if last and not moved:
            return
        if not moved:
            ended.wait(A_MOMENT)
