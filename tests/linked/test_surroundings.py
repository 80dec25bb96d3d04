"""What a recorded program is given, and what it does to the recording: it runs as without, and each loss is reported."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conformance.record import beside
from conformance.record.log import Log
from fakecuda.__main__ import main
from fakecuda.reach.remote.linked.build import compiler
from fakecuda.reach.shadow import WITH, ring, run
from fakecuda.reach.shadow.build import PROCESSOR

from .shadow import Did, alone, names, recorded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fakecuda.reach.shadow.ring import Record
    from fakecuda.reach.shadow.run import Ran

pytestmark = pytest.mark.skipif(os.uname().machine != PROCESSOR, reason=f"programs are recorded on {PROCESSOR}")

HERE = Path(__file__).parent
OWN = {"LD_LIBRARY_PATH", WITH}
"""The variables that a recorded program has besides those that it was given."""


def compiled(source: str, place: Path, *options: str) -> str:
    """Compile a program of this folder, and return its path."""
    command, made = compiler(), place / f"made-{source}"
    assert command is not None
    subprocess.run([*command, "-o", str(made), str(HERE / "programs" / source), *options], check=True)
    return str(made)


@pytest.fixture
def program(stand_in: tuple[Path, str], tmp_path: Path) -> str:
    """The program ``surroundings.c``, linked to the stand-in driver."""
    return compiled("surroundings.c", tmp_path, str(stand_in[0]), "-ldl", "-pthread")


def both(command: list[str], library: Path, capacity: int = ring.CAPACITY) -> tuple[Did, Ran, list[Record]]:
    """Run a program without and with the recording library; its status and its output are the same."""
    before = alone(command, library, {})
    after, ran, found = recorded(command, library, {}, capacity)
    assert after == before
    return after, ran, found


def words(out: Path, *command: str) -> list[str]:
    """Return the command that records a program."""
    return [sys.executable, "-m", "fakecuda", "record", "--profile", "h200", "-o", str(out), "--", *command]


def record(library: Path, out: Path, *command: str, environ: Mapping[str, str], **options: Any) -> Any:
    """Run ``fakecuda record`` in a process of its own."""
    variables = {**environ, "LD_LIBRARY_PATH": str(library.parent)}
    return subprocess.run(words(out, *command), env=variables, capture_output=True, check=False, **options)


SHOWS = """
import os, sys
os.write(int(sys.argv[1]), os.fsencode(sys.argv[2]))
sys.stdout.buffer.write(open("/proc/self/environ", "rb").read())
sys.exit(3)
"""


def test_a_program_has_its_descriptors_and_its_environment(stand_in: tuple[Path, str], tmp_path: Path) -> None:
    """Descriptors that it inherits stay open. In the C locale, Python adds a variable to its own environment alone."""
    library, _ = stand_in
    environ = {**os.environ, "ODD": "\udcff"}
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        environ.pop(name, None)
    ends, begins = os.pipe()
    shown = [sys.executable, "-S", "-c", SHOWS, str(begins), "\udcfe"]
    without = subprocess.run(shown, env=environ, pass_fds=[begins], capture_output=True, check=False)
    done = record(library, tmp_path / "x.jsonl", *shown, environ=environ, pass_fds=[begins])
    os.close(begins)
    with os.fdopen(ends, "rb") as pipe:
        assert pipe.read() == b"\xfe\xfe"
    assert (done.returncode, without.returncode) == (3, 3)
    with_it, as_given = ({tuple(one.partition(b"=")) for one in did.stdout.split(b"\0")} for did in (done, without))
    assert {name.decode() for name, *_ in with_it ^ as_given} <= OWN
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    assert beside.check([tmp_path / "x.jsonl"], out) == 0
    given = record(library, tmp_path / "x.jsonl", "env", environ={**environ, "LC_CTYPE": "C.UTF-8"})
    assert b"LC_CTYPE=C.UTF-8\n" in given.stdout


def test_a_fork_without_handlers_is_a_process(program: str, stand_in: tuple[Path, str]) -> None:
    """The system call forks past the C library; the numbers of process and thread are the child's."""
    did, _, found = both([program, "system call"], stand_in[0])
    assert did.status == 4
    assert [one.kind for one in found].count(ring.STARTED) == 2
    assert len({(one.process, one.thread) for one in found if one.kind == ring.ANSWERED}) == 2
    assert all(one.process == one.thread for one in found)
    assert [one.flags & ring.FORKED_LATER for one in found if one.kind == ring.STARTED] == [0, ring.FORKED_LATER]


def test_a_process_has_its_record_before_its_calls(program: str, stand_in: tuple[Path, str]) -> None:
    """Also if the first calls of several threads come together: else calls of the faster ones would belong to no process."""
    _, ran, found = both([program, "first calls"], stand_in[0])
    first: dict[int, int] = {}
    for one in found:
        first.setdefault(one.process, one.kind)
    assert (set(first.values()), len(first), ran.lost) == ({ring.STARTED}, 64, 0)
    log = Log()
    log.read(found)
    assert not log.uncounted


def test_a_call_of_a_signal_handler_leaves_the_interrupted_call_whole(program: str, stand_in: tuple[Path, str]) -> None:
    """The handler's call within it is counted: each record of a call is followed by that of its answer."""
    _, ran, found = both([program, "handler"], stand_in[0])
    assert found[0].kind == ring.STARTED
    assert found[-1].kind == ring.ENDED
    kinds = [(one.kind, one.symbol) for one in found[1:-1]]
    assert [kind for kind, _ in kinds[::2]] == [ring.CALLED] * (len(kinds) // 2)
    assert [(ring.CALLED, symbol) for _, symbol in kinds[1::2]] == kinds[::2]
    assert (ran.lost, len(kinds) >= 4 * 20000) == (0, True)


@pytest.mark.parametrize("stacks", [False, True])
def test_a_thread_with_the_least_stack_has_room(
    program: str, stand_in: tuple[Path, str], tmp_path: Path, *, stacks: bool
) -> None:
    """The library takes no more of a thread's stack than the smallest one has."""
    library, _ = stand_in
    assert alone([program, "least stack"], library, {}).status == 0

    def start(environ: Mapping[str, str]) -> int:
        return subprocess.run([program, "least stack"], env=environ, check=False).returncode

    path = tmp_path / "records"
    with path.open("wb", buffering=0) as file:
        assert run.run(start, file, library=library, stacks=stacks).status == 0
    kinds = [one.kind for one in ring.records(path.read_bytes())]
    assert kinds.count(ring.STACK) == int(stacks)


def test_a_program_without_room_for_the_ring_counts_its_losses(program: str, stand_in: tuple[Path, str]) -> None:
    """With a limit of 32 MB, the program's second part cannot map a ring of 64 MB, and goes on."""
    _, ran, found = both([program, "little memory"], stand_in[0], 1 << 26)
    assert names(found) == ["cuInit", "cuMemAlloc_v2"]
    assert ran.lost > 4
    log = Log()
    log.program.lost = ", ".join(beside._lost(ran))
    assert list(beside._told(log, ran)) == ["0 calls of 0 processes", f"without {ran.lost} lost records"]


@pytest.mark.parametrize("what", ["ring", "libcuda.so.1"])
def test_a_program_that_removes_the_ring_is_reported(
    program: str, stand_in: tuple[Path, str], tmp_path: Path, what: str
) -> None:
    """What began before goes on with its record; what begins later has none."""
    library, _ = stand_in
    gone: list[Path] = []

    def start(environ: Mapping[str, str]) -> int:
        path = Path(environ[WITH]) / what
        gone.append(path.resolve())
        environ = {**environ, "LD_LIBRARY_PATH": f"{environ['LD_LIBRARY_PATH']}:{library.parent}"}
        return subprocess.run([program, "removes", str(gone[0])], env=environ, check=False).returncode

    path = tmp_path / "records"
    with path.open("wb", buffering=0) as file:
        ran = run.run(start, file, library=library)
    assert (ran.status, ran.lost, ran.removed) == (0, 0, str(gone[0].parent))
    assert names(list(ring.records(path.read_bytes()))) == ["cuInit", "cuMemAlloc_v2"]
    assert list(beside._lost(ran)) == [f"without processes that began after the program had removed {gone[0].parent}"]


LEAVES = """
import os, sys
if os.fork():
    sys.exit(3)
os.setsid()
os.closerange(1, 1024)
sys.stdin.readline()
"""


def test_a_process_that_is_left_without_a_call_is_named(stand_in: tuple[Path, str], tmp_path: Path) -> None:
    """It may call the driver later, without a record."""
    ends, begins = os.pipe()
    out = tmp_path / "x.jsonl"
    done = record(stand_in[0], out, sys.executable, "-S", "-c", LEAVES, environ=os.environ, stdin=ends)
    os.close(begins)
    os.close(ends)
    assert done.returncode == 3
    (line,) = [line for line in done.stderr.decode().splitlines() if "still runs" in line]
    assert line.startswith(f"fakecuda: {out}: without what process ")
    assert line.endswith(f", {Path(sys.executable).resolve()}, does from now on: it still runs")


QUITS = """
import signal, sys
signal.signal(signal.SIGQUIT, lambda *_: sys.exit(4))
print("ready", flush=True)
signal.pause()
"""


def test_quit_of_the_terminal_ends_the_program_alone(stand_in: tuple[Path, str], tmp_path: Path) -> None:
    """All processes of its group get SIGQUIT. The program decides what becomes of it, and its recording is written."""
    out = tmp_path / "x.jsonl"
    command = words(out, sys.executable, "-S", "-c", QUITS)
    environ = {**os.environ, "LD_LIBRARY_PATH": str(stand_in[0].parent)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environ, stdout=pipe, stderr=pipe, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        os.killpg(process.pid, signal.SIGQUIT)
        process.communicate()
    assert (process.returncode, out.exists()) == (4, True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_after_the_program_ends_the_check(
    stand_in: tuple[Path, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    number: signal.Signals,
) -> None:
    """Not all was seen; no file is left."""
    monkeypatch.setenv("LD_LIBRARY_PATH", str(stand_in[0].parent))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(beside, "checked_on", lambda *_: signal.raise_signal(number))
    former = signal.getsignal(number)
    before = set(tmp_path.iterdir())
    try:
        assert main(["check", "--real", "--profile", "h200", "--", "true"]) == 2
    finally:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(number, former)
    assert capfd.readouterr().err.endswith("fakecuda: ended by a signal: the rest is neither written nor checked\n")
    assert set(tmp_path.iterdir()) == before


def test_a_recording_that_cannot_be_written_is_refused_first(
    stand_in: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The program does not run for nothing. A recording of an earlier run is replaced."""
    monkeypatch.setenv("LD_LIBRARY_PATH", str(stand_in[0].parent))
    (tmp_path / "folder.jsonl").mkdir()
    command = [
        "record",
        "--profile",
        "h200",
        "-o",
        str(tmp_path / "folder.jsonl"),
        "--",
        "touch",
        str(tmp_path / "ran"),
    ]
    assert main(command) == 2
    assert "folder.jsonl cannot be written (Is a directory)" in capfd.readouterr().err
    assert not (tmp_path / "ran").exists()
    earlier = tmp_path / "earlier.jsonl"
    earlier.write_text("earlier")
    command[4] = str(earlier)
    assert main(command) == 0
    assert len([json.loads(line) for line in earlier.read_text().splitlines()]) == 2


@pytest.mark.parametrize("stacks", [False, True])
def test_the_loader_says_the_same(stand_in: tuple[Path, str], tmp_path: Path, *, stacks: bool) -> None:
    """Of handles, errors, names and places of functions."""
    library, _ = stand_in
    program = compiled("looks_up.c", tmp_path, "-ldl")
    without = alone([program], library, {})
    assert (without.status, without.said) == (1, "")
    said: list[Any] = []

    def start(environ: Mapping[str, str]) -> int:
        done = subprocess.run([program], env=environ, capture_output=True, text=True, check=False)
        said.append(Did(done.returncode, done.stdout, done.stderr))
        return 0

    path = tmp_path / "records"
    with path.open("wb", buffering=0) as file:
        run.run(start, file, library=library, stacks=stacks)
    assert said == [without]
    assert names(list(ring.records(path.read_bytes()))) == ["cuInit", "cuInit", "cuGetProcAddress_v2", "cuInit"]


@pytest.mark.parametrize(
    ("what", "is_linked", "says"),
    [("dlsym", False, "hook 2\n"), ("dlsym", True, ""), ("next", True, "next 0\n")],
)
def test_a_preloaded_library_is_called_once(
    program: str, stand_in: tuple[Path, str], tmp_path: Path, what: str, *, is_linked: bool, says: str
) -> None:
    """A library that replaces dlsym returns its own functions, but not to the recording library, which looks for the driver's."""
    library, _ = stand_in
    hook = compiled("hook.c", tmp_path, "-shared", "-fPIC", "-ldl", *(["-DNEXT"] if what == "next" else []))
    command = [program, "calls"] if is_linked else [compiled("looks_up.c", tmp_path, "-ldl")]
    before = alone(command, library, {"LD_PRELOAD": hook})
    after, ran, found = recorded(command, library, {"LD_PRELOAD": hook})
    assert after == before
    assert says in before.out
    assert (names(found)[0], ran.nested) == ("cuInit", 0)
