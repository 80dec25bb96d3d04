"""The ring of a recorded program and the folders of a run: what is full, killed, or in the way."""

from __future__ import annotations

import ctypes
import errno
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from attrs import evolve

from conformance.kit.compare import Difference
from conformance.record import beside
from conformance.record.checked import Checked
from conformance.record.recordings import read
from fakecuda.__main__ import main
from fakecuda.errors import FakeCudaError
from fakecuda.reach.shadow import WITH, driver, ring, run
from fakecuda.reach.shadow.build import PROCESSOR
from fakecuda.reach.shadow.ring import Record, Ring, records
from fakecuda.reach.shadow.run import Ran
from tests.limits import LONG

from .shadow import FUTURE, Did, drained, names, on, recorded, stand_before_in

if TYPE_CHECKING:
    from fakecuda import Machine

pytestmark = pytest.mark.skipif(os.uname().machine != PROCESSOR, reason=f"programs are recorded on {PROCESSOR}")

LOCK = 64
"""The offset of the lock in the ring."""


def test_a_killed_program_leaves_the_call_that_it_was_in(stand_in: tuple[Path, str], tmp_path: Path) -> None:
    """Each record that was written is read; the last call has no answer."""
    library, program = stand_in
    folder = stand_before_in(tmp_path, library)
    made = Ring(folder / "ring")
    environ = {**os.environ, "LD_LIBRARY_PATH": str(folder)}
    with subprocess.Popen([program, "wait"], env=environ, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"waits\n"
        written: list[Record] = []
        while not written or written[-1].kind != ring.CALLED:
            written += drained(made)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert names(written) == FUTURE
    assert names(written, ring.CALLED) == [*FUTURE, "cuCtxSynchronize"]
    made.close()


def test_a_full_ring_is_waited_for(stand_in: tuple[Path, str]) -> None:
    """A ring with room for a few records loses none of thousands."""
    library, program = stand_in
    result, ran, found = recorded([program, "3000"], library, {}, capacity=1 << 10)
    assert (result, ran.lost) == (Did(0, "", ""), 0)
    assert names(found) == [*FUTURE, *["cuMemAlloc_v2"] * 3000]


class Full(io.BytesIO):
    """A file for a few records, which takes some bytes at a time."""

    def write(self, data: Any) -> int:
        """Take a part of the data."""
        if self.tell() > 1 << 10:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(data[:100])


def test_a_program_goes_on_if_its_records_cannot_be_written(
    stand_in: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The records up to there are read, and the reason is reported."""
    library, program = stand_in
    to, ended = Full(), threading.Event()
    made = Ring(stand_before_in(tmp_path, library) / "ring", 1 << 10)
    environ = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path / "before")}
    problems: list[str] = []
    reader = threading.Thread(target=run._read, args=(made, to, ended, problems))
    reader.start()
    assert subprocess.run([program, "3000"], env=environ, check=False).returncode == 0
    reader.join()
    data = to.getvalue()
    assert problems == ["No space left on device (ENOSPC): set TMPDIR to a writable folder with free space"]
    assert (made.lost > 0, ring.whole(data) < len(data)) == (True, True)
    complete = data[: ring.whole(data)]
    assert ring.whole(complete[:-1]) < ring.whole(complete) == len(complete)
    kept = names(list(records(complete)))
    assert kept == FUTURE[: len(kept)] != []
    made.close()
    monkeypatch.setattr(beside, "run", lambda _, to, **_more: Ran(to.write(data), 0, 0, problem="full"))
    assert len(beside.logged(["program"], lambda *_: 0, None, stacks=False, faults=())[1].program.steps) > len(kept)


def test_a_ring_has_its_room_before_the_program_begins(
    stand_in: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that the system cannot give ends the program that writes to it. Without room in memory, a ring is on the disk."""
    library, _ = stand_in
    asked = []

    def allocate(number: int, _: int, size: int) -> None:
        asked.append(Path(f"/proc/self/fd/{number}").readlink().parent.parent)
        if len(asked) < 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.truncate(number, size)

    monkeypatch.setattr(ring.os, "posix_fallocate", allocate)  # type: ignore[attr-defined]
    monkeypatch.setattr(run, "place", lambda: str(tmp_path))
    with pytest.raises(FakeCudaError, match=r"need 64 bytes, which no folder has. .*No space left.*; .*No space left"):
        run.run(lambda _: 0, io.BytesIO(), library=library, capacity=64)
    assert run.run(lambda _: 7, io.BytesIO(), library=library, capacity=64).status == 7
    assert asked == [tmp_path, Path(tempfile.gettempdir()).resolve()] * 2
    assert not list(tmp_path.glob("fakecuda-record-*"))


def test_what_a_killed_run_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders of living readers stay, and those without a ring. Where a ring was removed, its run is dead, too, or in another container."""
    monkeypatch.setattr(run, "place", lambda: str(tmp_path / "memory"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "disk"))
    for name in ("dead", "living", "gone", "elsewhere"):
        for where in ("memory", "disk"):
            (tmp_path / where / f"fakecuda-record-{name}").mkdir(parents=True)
        (tmp_path / "disk" / f"fakecuda-record-{name}" / "ring").symlink_to(
            tmp_path / "memory" / f"fakecuda-record-{name}" / "ring"
        )
    (tmp_path / "disk" / "fakecuda-record-new").mkdir()
    (tmp_path / "memory" / "fakecuda-record-new").symlink_to("fakecuda-record-dead")
    Ring(tmp_path / "memory" / "fakecuda-record-dead" / "ring", 64).close()
    living = Ring(tmp_path / "memory" / "fakecuda-record-living" / "ring", 64)
    locked = ring.lock(tmp_path / "disk" / "fakecuda-record-elsewhere")
    for name in ("gone", "elsewhere"):
        (tmp_path / "memory" / f"fakecuda-record-{name}").rmdir()
    run._forget_killed()
    assert sorted(f"{path.parent.name} {path.name}" for path in tmp_path.glob("*/*")) == [
        "disk fakecuda-record-elsewhere",
        "disk fakecuda-record-living",
        "disk fakecuda-record-new",
        "memory fakecuda-record-living",
        "memory fakecuda-record-new",
    ]
    living.close()
    os.close(locked)


def test_runs_that_begin_together_leave_each_other_alone(
    stand_in: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another run looks for what killed runs left after each step of this one's beginning, and while the program runs."""
    monkeypatch.setattr(run, "place", lambda: str(tmp_path))
    folders: list[int] = []

    def other(frame: Any, what: str, _: object) -> Any:
        if what == "line" and not frame.f_globals.get("__name__", "").endswith("subprocess"):
            sys.settrace(None)
            run._forget_killed()
            folders.append(len(list(tmp_path.glob("fakecuda-record-*"))))
            sys.settrace(other)
        return other if frame.f_code.co_filename in {run.__file__, ring.__file__} else None

    def start(environ: Any) -> int:
        sys.settrace(None)
        run._forget_killed()
        folder = Path(environ[WITH])
        return 3 if (folder / "ring").exists() and (folder / "libcuda.so.1").exists() else 4

    former = sys.gettrace()
    sys.settrace(other)
    try:
        status = run.run(start, io.BytesIO(), library=stand_in[0], capacity=64).status
    finally:
        sys.settrace(former)
    assert (status, folders[0], folders[-1], folders == sorted(folders)) == (3, 0, 1, True)
    assert not list(tmp_path.glob("fakecuda-record-*"))


def test_a_folder_whose_libraries_cannot_be_loaded_is_refused(
    stand_in: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the program would find no driver."""
    library, _ = stand_in
    mounted = os.statvfs_result([0] * 8 + [os.ST_NOEXEC, 255])
    monkeypatch.setattr(run.os, "statvfs", lambda _: mounted)  # type: ignore[attr-defined]
    with pytest.raises(FakeCudaError, match="is mounted noexec: set TMPDIR to another folder"):
        run.run(lambda _: 0, io.BytesIO(), library=library)


def test_a_folder_that_the_loader_would_not_search_is_refused(
    stand_in: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A space is a part of a name, a colon is not."""
    library, _ = stand_in
    for name in ("a b", "a:b"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "a b"))
    result, ran, found = recorded([stand_in[1]], library, {})
    assert (result.status, ran.lost, names(found)) == (0, 0, FUTURE)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "a:b"))
    with pytest.raises(FakeCudaError, match="a:b has a :, which the dynamic loader does not take"):
        run.run(lambda _: 0, io.BytesIO(), library=library)


def test_a_folder_without_room_for_the_library_is_refused(
    stand_in: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the folder."""
    library, _ = stand_in

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(driver, "stand_before", full)
    with pytest.raises(FakeCudaError, match=r"cannot be placed in .*No space left.*set TMPDIR"):
        run.run(lambda _: 0, io.BytesIO(), library=library)


def test_a_recorded_program_records_no_program(
    stand_in: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library would stand before itself. A folder that is gone was an earlier run's."""
    library, _ = stand_in
    monkeypatch.setenv(WITH, str(tmp_path))
    with pytest.raises(FakeCudaError, match="recorded by another record or check already"):
        run.run(lambda _: 0, io.BytesIO(), library=library)
    monkeypatch.setenv(WITH, str(tmp_path / "gone"))
    assert run.run(lambda _: 3, io.BytesIO(), library=library).status == 3


@pytest.mark.parametrize("how", ["closed", "dead"])
def test_without_a_reader_the_program_goes_on(
    stand_in: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """Records that the full ring does not take are counted."""
    library, program = stand_in
    folder = stand_before_in(tmp_path, library)
    monkeypatch.setattr(ring.fcntl, "flock", lambda *_: None)  # type: ignore[attr-defined]
    made = Ring(folder / "ring", 1 << 10)
    if how == "closed":
        made._halves[ring.CLOSED] = 1
    else:
        made._halves[ring.READER] = _ended()
    done = subprocess.run(
        [program, "100"], env={**os.environ, "LD_LIBRARY_PATH": str(folder)}, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    kept = len(drained(made))
    assert (made.lost + kept, kept > 0) == (3 + 2 * (len(FUTURE) + 100), how == "dead")
    made.close()


def _ended() -> int:
    """Return the number of a process that has ended."""
    ended = subprocess.Popen([sys.executable, "-S", "-c", ""])
    ended.wait()
    return ended.pid


def test_a_reader_with_another_number_is_waited_for(stand_in: tuple[Path, str], tmp_path: Path) -> None:
    """A container numbers processes in its own way; the lock of the ring's file says that the reader lives."""
    library, program = stand_in
    folder = stand_before_in(tmp_path, library)
    made = Ring(folder / "ring", 1 << 10)
    made._halves[ring.READER] = _ended()
    to, ended = io.BytesIO(), threading.Event()
    reader = threading.Thread(target=run._read, args=(made, to, ended, []))
    environ = {**os.environ, "LD_LIBRARY_PATH": str(folder)}
    with subprocess.Popen([program, "300"], env=environ) as process:
        while made._words[ring.WRITTEN] - made._words[ring.READ] < made._capacity - 200:
            pass
        reader.start()
    ended.set()
    reader.join()
    assert (process.returncode, made.lost, len(names(list(records(to.getvalue()))))) == (0, 0, len(FUTURE) + 300)
    made.close()


def test_a_writer_that_died_with_the_lock_does_not_stop_the_others(stand_in: tuple[Path, str], tmp_path: Path) -> None:
    """The next writer takes the lock over."""
    library, program = stand_in
    folder = stand_before_in(tmp_path, library)
    made = Ring(folder / "ring")
    lock = ctypes.addressof(ctypes.c_char.from_buffer(made._map)) + LOCK
    child = os.fork()
    if not child:
        ctypes.CDLL(None).pthread_mutex_lock(ctypes.c_void_p(lock))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    done = subprocess.run([program], env={**os.environ, "LD_LIBRARY_PATH": str(folder)}, check=False, timeout=LONG)
    assert done.returncode == 0
    assert names(drained(made)) == FUTURE
    assert ctypes.CDLL(None).pthread_mutex_trylock(ctypes.c_void_p(lock)) == 0


def test_a_check_that_has_not_seen_all_says_so(
    machine: Machine, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its status is 2, on the card and from the recording; 1 if something was found in what it has seen."""
    use(machine, monkeypatch)
    file = tmp_path / "x.jsonl"

    def losing(*args: Any, **options: Any) -> Ran:
        return evolve(run.run(*args, **options), lost=4, problem="the disk is full")

    command = [sys.executable, "-S", "-c", "import ctypes; ctypes.CDLL('libcuda.so.1').cuInit(0); raise SystemExit(3)"]
    options = ["--profile", "h200-x2", "-o", str(file)]
    monkeypatch.setattr(beside, "run", losing)
    assert main(["record", *options, "--", *command]) == 3
    assert main(["check", "--real", *options, "--", *command]) == 2
    lost = "without 4 lost records, without any record after these, which could not be written: the disk is full\n"
    assert f": not all was seen: {lost}" in capfd.readouterr().err
    assert main(["check", str(file)]) == 2
    assert f": not all was seen: {lost}" in capfd.readouterr().out
    sweep = ["check", "--real", "--sweep", "--profile", "h200-x2", "--", sys.executable, "-S", "-c", ALLOCATES]
    assert main(sweep) == 2
    said = capfd.readouterr().err
    assert said.count("fakecuda: not all was seen: ") == 7
    assert f"fakecuda: not all was seen: fail('cuMemAlloc', code='OUT_OF_MEMORY'): {lost}" in said
    assert main(["check", "--real", *options, "--fail", "cuMemAlloc", "--", *command]) == 1
    monkeypatch.setattr(beside, "run", run.run)
    options[-1] = str(tmp_path / "whole.jsonl")
    assert main(["check", "--real", *options, "--", *command]) == 3
    assert main(["check", options[-1]]) == 0
    checked = Checked(ended="step 3")
    monkeypatch.setattr(beside, "checked_on", lambda *_: checked)
    assert main(["check", str(file)]) == 2
    assert main(["check", "--real", *options, "--", *command]) == 2
    checked.differences.append(Difference(0, "a", "cuInit", "code", 0, 1))
    assert main(["check", str(file), str(file)]) == 1


ALLOCATES = """
import ctypes
driver, context, memory = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_uint64()
driver.cuInit(0)
driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
driver.cuCtxSetCurrent(context)
raise SystemExit(driver.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(64)) + driver.cuMemFree_v2(memory))
"""


def use(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take a machine's driver library for the system's."""
    library, environ = on(machine)
    for name, value in {**environ, "LD_LIBRARY_PATH": str(library.parent)}.items():
        monkeypatch.setenv(name, value)


def test_a_recording_that_cannot_be_written(
    machine: Machine, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line says why. Without -o, lines have the command in short."""
    use(machine, monkeypatch)
    full = tmp_path / "full.jsonl"
    full.symlink_to("/dev/full")
    assert main(["record", "-o", str(full), "--profile", "h200-x2", "--", "true"]) == 2
    told = "cannot be written (No space left on device): name a file in a writable folder with free space by -o"
    assert capfd.readouterr().err == f"fakecuda: {full} {told}\n"
    assert main(["check", "--real", "--profile", "h200-x2", "--", "true", "a\nb", "c" * 200]) == 0
    assert capfd.readouterr().err.startswith(f"fakecuda: true a b {'c' * 150}…: 0 calls of 0 processes\n")


LEAVES = """
import ctypes, os, sys
ends, begins = os.pipe()
if os.fork():
    sys.exit(not os.read(ends, 1))
print(ctypes.CDLL("libcuda.so.1").cuInit(0), os.getpid(), flush=True)
os.write(begins, b"x"), sys.stdin.readline()
"""


def test_a_process_that_outlives_the_program_is_named(
    machine: Machine, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes on without a record."""
    use(machine, monkeypatch)
    ends, begins = os.pipe()  # the process reads its standard input to the end
    input_before = os.dup(0)
    os.dup2(ends, 0)
    file = tmp_path / "x.jsonl"
    assert main(["record", "-o", str(file), "--profile", "h200-x2", "--", sys.executable, "-S", "-c", LEAVES]) == 0
    os.dup2(input_before, 0)
    for one in (begins, ends, input_before):
        os.close(one)
    out, told = capfd.readouterr()
    code, process = out.split()
    program = read(file).programs[0].steps[0]["program"]
    assert code == "0"
    assert f"fakecuda: {file}: without what process {process}, {program}, does from now on: it still runs\n" in told
    assert not beside._runs(int(process), f"{program} of another name")
