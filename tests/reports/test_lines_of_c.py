"""Every report names the user's line in C, from each caller: a thread of C in Python, and a program with its callers."""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import EndlessWait, simulate
from fakecuda.model import history
from fakecuda.reach.native import callers
from fakecuda.reach.native.objects import CLIENT
from fakecuda.reach.remote.protocol import call_sites

from .programs_in_c import (
    AROUND_WILD,
    CALLERS,
    CUT,
    DRIVER,
    FORKED,
    IN_MAIN,
    IN_WORK,
    LAUNCH,
    PLUGGING,
    PLUGIN,
    RUN,
    RUNTIME_PROGRAM,
    RUNTIME_THREAD,
    THREAD,
    WAITING_THREAD,
    WILD,
    WRAPPED,
    WRAPPER,
)
from .test_lines import CC, line_of, places, report_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fakecuda import Machine

    Build = Callable[..., Path]

TOOLS = shutil.which("addr2line")
pytestmark = pytest.mark.skipif(CC is None or TOOLS is None, reason="no C compiler, or no addr2line")


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Return what builds a program or a library of a text in C, linked to a machine's libraries."""

    def built(machine: Machine, name: str, text: str, *options: str) -> Path:
        source, made = tmp_path / f"{name.partition('.')[0]}.c", tmp_path / name
        source.write_text(DRIVER + text)
        folder = machine.link()
        shared = ("-shared", "-fPIC") if ".so" in name else ()
        linked = (
            f"-L{folder}",
            "-Wl,-rpath-link," + str(folder),
            f"-Wl,-rpath,{tmp_path}",
            "-lcuda",
            "-ldl",
            "-pthread",
        )
        subprocess.run([str(CC), "-g", *shared, source, "-o", made, *options, *linked], check=True)
        return made

    return built


def text_of(text: str, *, inside: bool) -> str:
    """Return a text in C as it is compiled."""
    return text.replace("{entry}", IN_WORK) + RUN if inside else text.replace("{entry}", IN_MAIN)


def place(tmp_path: Path, name: str, text: str, mark: str, function: str) -> str:
    """Return the place of a marked line, as a report shows it."""
    return f"{tmp_path / name}.c:{line_of(DRIVER + text, mark)} in {function}"


@pytest.mark.parametrize("options", [("-O0",), ("-O2", "-fomit-frame-pointer")], ids="".join)
def test_a_thread_of_c_in_python_names_its_line(tmp_path: Path, build: Build, options: tuple[str, ...]) -> None:
    """With its callers, like a function of Python's."""

    def act(machine: Machine) -> None:
        library = build(machine, "threads.so", THREAD, *options)
        ctypes.CDLL("libcuda.so.1")
        ctypes.CDLL(str(library)).run()

    text = report_of(act)
    end = place(tmp_path, "threads", THREAD, "// twice", "end")
    assert places(text) == {"at": end, "ended": end}, text
    assert f"from {place(tmp_path, 'threads', THREAD, '// calls', 'work')}" in text


def test_a_thread_of_c_without_debugging_information_names_its_code(tmp_path: Path, build: Build) -> None:
    """The file and the offset in it; the function has a symbol."""

    def act(machine: Machine) -> None:
        library = build(machine, "threads.so", THREAD, "-g0")
        ctypes.CDLL("libcuda.so.1")
        ctypes.CDLL(str(library)).run()

    for found in places(report_of(act)).values():
        assert found.startswith(f"{tmp_path / 'threads.so'}+0x")
        assert found.endswith(" in end")


def test_a_thread_of_c_that_calls_the_runtime_names_its_line(tmp_path: Path, build: Build) -> None:
    """The runtime's library has stubs of its own. A process loads it for good, so this one is another."""
    with simulate() as machine:
        library = build(machine, "threads.so", RUNTIME_THREAD, "-Wl,--unresolved-symbols=ignore-all")
    program = RUNTIME_PROGRAM.format(library=str(library))
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    end = place(tmp_path, "threads", RUNTIME_THREAD, "// twice", "work")
    assert places(done.stderr.partition("UndefinedBehaviour: ")[2]) == {"at": end, "ended": end}, done.stderr


def test_a_thread_of_c_in_another_process_names_its_line(tmp_path: Path, build: Build) -> None:
    """A program in Python that the test starts."""

    def act(machine: Machine) -> None:
        library = build(machine, "threads.so", THREAD)
        program = f"import ctypes\nctypes.CDLL('libcuda.so.1')\nctypes.CDLL('{library}').run()"
        subprocess.run([sys.executable, "-c", program], check=False)

    end = place(tmp_path, "threads", THREAD, "// twice", "end")
    assert places(report_of(act)) == {"at": end, "ended": end}


def test_what_fakecuda_cannot_do_names_its_line(tmp_path: Path, build: Build) -> None:
    """A launch in C of a kernel without a meaning. The report says what to write, and nothing of drivers, which have no such rule."""

    def act(machine: Machine) -> None:
        subprocess.run([build(machine, "program", LAUNCH)], check=False, capture_output=True)

    text = report_of(act)
    assert places(text)["at"] == place(tmp_path, "program", LAUNCH, "// launches", "main"), text
    labels = [line.split()[0] for line in text.splitlines()[1:] if line[2:3] != " "]
    assert labels == ["at", "process", "raised", "fix", "rule"], text
    assert "raised     kernel fill has no Python function" in text


def test_a_waiting_thread_of_c_names_its_line(tmp_path: Path, build: Build) -> None:
    """In the report of a deadlock."""
    with pytest.raises(EndlessWait) as raised, simulate() as machine:  # noqa: PT012 - the end of the block raises
        library = build(machine, "threads.so", WAITING_THREAD)
        ctypes.CDLL("libcuda.so.1")
        ctypes.CDLL(str(library)).run()
    assert places(str(raised.value))["at"] == place(tmp_path, "threads", WAITING_THREAD, "// waits", "work")


def run_either(build: Build, machine: Machine, text: str, *options: str, inside: bool) -> int:
    """Run a text in C with a place for the head of its function, in a thread of this process or as a program."""
    if inside:
        ctypes.CDLL("libcuda.so.1")
        return int(ctypes.CDLL(str(build(machine, "program.so", text_of(text, inside=True), *options))).run())
    return subprocess.run([build(machine, "program", text_of(text, inside=False), *options)], check=False).returncode


@pytest.mark.parametrize("inside", [False, True], ids=["program", "thread"])
@pytest.mark.parametrize("options", [("-O0",), ("-O2", "-fomit-frame-pointer")], ids="".join)
def test_the_callers_are_named(tmp_path: Path, build: Build, options: tuple[str, ...], *, inside: bool) -> None:
    """Those of this call, though others came from the same place of the stack; nothing beneath the program's own code."""
    found = report_of(lambda machine: run_either(build, machine, CALLERS, *options, inside=inside))
    assert places(found)["at"] == place(tmp_path, "program", text_of(CALLERS, inside=inside), "// ends", "end"), found
    lines = [line.strip() for line in found.splitlines()]
    first = next(number for number, line in enumerate(lines) if line.startswith("created at"))
    bottom = "work" if inside else "main"
    names = {"makes": "make", "two": "two", "second": bottom, "ends": "end", "once": bottom}
    make, two, entry, end, once = (
        place(tmp_path, "program", text_of(CALLERS, inside=inside), f"// {mark}", name) for mark, name in names.items()
    )
    assert lines[first : first + 6] == [
        f"created at {make}", f"from {two}", f"from {entry}", f"ended at {end}", f"from {once}", lines[first + 5],
    ], found  # fmt: skip
    assert lines[first + 5].startswith("fix ")


@pytest.mark.parametrize(("name", "shown"), [("libnccl.so.2", "user"), ("libmine.so", "wraps")])
def test_a_library_between_is_cudas_or_the_users(tmp_path: Path, build: Build, name: str, shown: str) -> None:
    """The line of the program that calls a library of CUDA's; the line of a library of one's own."""

    def act(machine: Machine) -> None:
        library = build(machine, name, WRAPPER)
        subprocess.run([build(machine, "program", WRAPPED, str(library))], check=False)

    text = report_of(act)
    found, user = places(text), place(tmp_path, "program", WRAPPED, "// user", "main")
    wraps = place(tmp_path, name.partition(".")[0], WRAPPER, "// wraps", "deep")
    expected = user if shown == "user" else wraps
    assert found["at"] == found["ended"] == expected, text
    assert ("by" in found) == (shown == "user"), text
    assert "_start" not in text


@pytest.mark.skipif(platform.machine() != "x86_64", reason="x86-64's assembly")
@pytest.mark.parametrize("unwinder", [True, False], ids=["unwinder", "no unwinder"])
@pytest.mark.parametrize(
    ("library", "name"), [("libmine.so", "cuStreamQuery"), ("libcudart.so.mine", "fakecuda_c_cuStreamQuery")]
)
def test_any_frame_pointer_is_survived(
    tmp_path: Path, build: Build, library: str, name: str, *, unwinder: bool
) -> None:
    """Of code that no unwinder can pass, and of what looks like a stub by its name."""
    text, ended = WILD.replace("{name}", name), []

    def act(machine: Machine) -> None:
        client = str(machine.link() / CLIENT)
        made = build(machine, library, text, "-O2", *CUT, client)
        program = build(machine, "program", AROUND_WILD, str(made), client)
        environ = dict(os.environ)
        if not unwinder:
            (tmp_path / "libgcc_s.so.1").write_bytes(b"")  # the loader refuses an empty file
            environ["LD_LIBRARY_PATH"] = f"{tmp_path}:{environ['LD_LIBRARY_PATH']}"
        ended.append(subprocess.run([program], check=False, env=environ).returncode)

    found = places(report_of(act))
    assert ended == [7]
    if library == "libmine.so":
        assert found["at"] == place(tmp_path, "libmine", text, "// ends", "wild")


@pytest.mark.parametrize("inside", [False, True], ids=["program", "thread"])
def test_a_library_at_the_address_of_another_is_not_taken_for_it(tmp_path: Path, build: Build, *, inside: bool) -> None:
    """After dlclose, another one may lie there."""
    plugins = {name: PLUGIN.replace("{name}", name) for name in ("a", "b")}
    ended = []

    def act(machine: Machine) -> None:
        for name, text in plugins.items():
            build(machine, f"{name}.so", text)
        ended.append(run_either(build, machine, PLUGGING.replace("{folder}", str(tmp_path)), inside=inside))

    text = report_of(act)
    assert ended == [0]
    end = place(tmp_path, "b", plugins["b"], "// b", "plug")
    assert places(text) == {"at": end, "ended": end}, text


def test_what_was_found_is_not_unwound_again(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that calls in a loop is looked at once for each line."""
    found: list[int] = []
    unwound = callers._unwound

    def counted(most: int) -> object:
        found.append(most)
        return unwound(most)

    text = """
    #include <pthread.h>
    int cuEventDestroy_v2(void *);
    static void *work(void *unused)
    {
        void *event;
        begin();
        for (int number = 0; number < 50; number++) {
            cuEventCreate(&event, 0);
            cuEventDestroy_v2(event);
        }
        return NULL;
    }
    void run(void) { pthread_t thread; pthread_create(&thread, 0, work, 0); pthread_join(thread, 0); }
    """
    with simulate() as machine:
        library = ctypes.CDLL(str(build(machine, "threads.so", text)))
        ctypes.CDLL("libcuda.so.1")
        monkeypatch.setattr(callers, "_unwound", counted)
        library.run()
    assert len(found) == len(set(found)) + 2 == 3  # the context, an event, its end


def test_a_program_sends_its_places_once(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then it sends their number."""
    sent: list[object] = []
    known = call_sites.known

    def noted(value: Any, stacks: dict[int, tuple[call_sites.Place, ...]]) -> tuple[call_sites.Place, ...] | None:
        sent.append(value)
        return known(value, stacks)

    text = "int main(void)\n{\n    begin();\n    for (int number = 0; number < 50; number++)\n        cuStreamSynchronize(0);\n}"
    with simulate() as machine:
        monkeypatch.setattr(call_sites, "known", noted)
        subprocess.run([build(machine, "program", text)], check=False)
    waits = sent[-50:]
    assert type(waits[0]) is tuple
    assert waits[1:] == [waits[0][0]] * 49


def test_a_forked_program_sends_its_places_again(build: Build) -> None:
    """The number of its parent's places means nothing on its own connection. The place of the stack is the same."""
    with simulate() as machine:
        program = build(machine, "program", FORKED)
        done = subprocess.run([program], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (7, "")


def test_without_an_unwinder_no_stack_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where libgcc is not installed; and outside of calls."""
    assert callers.stack() == history.NOWHERE
    monkeypatch.setattr(callers, "_unwinder", lambda: None)
    assert callers.stack() == history.NOWHERE
    assert callers.libraries() == ()
