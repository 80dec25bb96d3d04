"""Every report names the user's line in C, whoever makes the call: a thread of C in Python, and a program with its callers."""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fakecuda import EndlessWait, simulate
from fakecuda.model import history
from fakecuda.reach.native import callers
from fakecuda.reach.native.objects import CLIENT

from .test_lines import CC, line_of, places, report_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Machine

    Build = Callable[..., Path]

TOOLS = shutil.which("addr2line")
pytestmark = pytest.mark.skipif(CC is None or TOOLS is None, reason="no C compiler, or no addr2line")
DRIVER = """
#include <stddef.h>
int cuInit(unsigned); int cuDevicePrimaryCtxRetain(void **, int); int cuCtxSetCurrent(void *);
int cuStreamCreate(void **, unsigned); int cuStreamDestroy_v2(void *); int cuEventCreate(void **, unsigned);
int cuMemAlloc_v2(unsigned long *, unsigned long); int cuMemsetD8_v2(unsigned long, unsigned char, unsigned long);
int cuStreamSynchronize(void *); int cuStreamWaitValue32_v2(void *, unsigned long, unsigned, unsigned);
#define ALONE __attribute__((noinline, noclone))
static void begin(void) { void *context; cuInit(0); cuDevicePrimaryCtxRetain(&context, 0); cuCtxSetCurrent(context); }
"""
THREAD = """
#include <pthread.h>
static ALONE int end(void *stream)
{
    return cuStreamDestroy_v2(stream) | cuStreamDestroy_v2(stream); // twice
}
static void *work(void *unused)
{
    void *stream;
    begin();
    cuStreamCreate(&stream, 0);
    return (void *)(size_t)(end(stream) + 1); // calls
}
void run(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
}
"""
RUNTIME_THREAD = """
#include <pthread.h>
int cudaStreamCreate(void **); int cudaStreamDestroy(void *);
static void *work(void *unused)
{
    void *stream;
    cudaStreamCreate(&stream);
    return (void *)(size_t)(cudaStreamDestroy(stream) | cudaStreamDestroy(stream)); // twice
}
void run(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
}
"""
RUNTIME_PROGRAM = """
import ctypes
from fakecuda import simulate
from fakecuda.reach.native.runtime import load_cudart
with simulate():
    load_cudart(13)
    ctypes.CDLL({library!r}).run()
"""
WAITING_THREAD = """
#include <pthread.h>
static void *work(void *unused)
{
    unsigned long memory;
    void *stream;
    begin();
    cuStreamCreate(&stream, 0);
    cuMemAlloc_v2(&memory, 64); cuMemsetD8_v2(memory, 0, 64); cuStreamWaitValue32_v2(stream, memory, 1, 0);
    return (void *)(size_t)(cuStreamSynchronize(stream) + 1); // waits
}
void run(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
}
"""
CALLERS = """
static ALONE int make(void **stream)
{
    return cuStreamCreate(stream, 0) + 1; // makes
}
static ALONE int one(void **stream)
{
    return make(stream) + 1; // one
}
static ALONE int two(void **stream)
{
    return make(stream) + 2; // two
}
static ALONE int end(void *stream)
{
    return cuStreamDestroy_v2(stream) + 1; // ends
}
{entry}
{
    void *streams[2];
    begin();
    for (int number = 0; number < 3; number++) {
        one(&streams[0]); // first
        two(&streams[1]); // second
        if (number < 2) { end(streams[0]); end(streams[1]); }
    }
    end(streams[1]); // once
    end(streams[1]); // again
    RETURN(0);
}
"""
IN_MAIN = "#define RETURN(code) return (int)(code)\nint main(void)"
IN_WORK = "#include <pthread.h>\n#define RETURN(code) return (void *)(code)\nstatic void *work(void *unused)"
RUN = """
int run(void)
{
    void *code;
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, &code);
    return (int)(size_t)code;
}
"""
WRAPPER = """
static ALONE int deep(void *stream, int depth)
{
    if (depth)
        return deep(stream, depth - 1) + 1;
    return cuStreamDestroy_v2(stream) + 1; // wraps
}
int wrapped_end(void *stream) { return deep(stream, 6) + 1; }
"""
WRAPPED = """
int wrapped_end(void *);
int main(void)
{
    void *stream;
    begin();
    cuStreamCreate(&stream, 0);
    for (int number = 0; number < 2; number++)
        wrapped_end(stream); // user
    return 0;
}
"""
CUT = ("-fomit-frame-pointer", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables")
"""Options for code that no unwinder can pass, and that uses the frame pointer for anything."""
WILD = """
int cuStreamQuery(void *); int fakecuda_c_cuStreamQuery(void *);
int wild(void *stream)
{
    size_t local[4] = {1, 2, 3, 4};
    size_t values[] = {0, 8, (size_t)-8, (size_t)1 << 40, (size_t)1 << 63, (size_t)local, (size_t)local | 4, (size_t)local - 999999};
    for (size_t number = 0; number < sizeof values / sizeof *values; number++) {
        size_t code;
        void *first = stream;
        __asm__ volatile(
            "mov %%rbp, %%r12; mov %%rsp, %%rbx; sub $256, %%rsp; and $-16, %%rsp; mov %2, %%rbp\\n"
            "call {name}@PLT\\n"
            "mov %%rbx, %%rsp; mov %%r12, %%rbp; mov %%rax, %0"
            : "=&r"(code), "+D"(first) : "r"(values[number])
            : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "memory");
        if ((int)code)
            return (int)code;
    }
    cuStreamDestroy_v2(stream);
    return cuStreamDestroy_v2(stream) + 1; // ends
}
"""
AROUND_WILD = """
int wild(void *);
int main(void)
{
    void *stream;
    begin();
    cuStreamCreate(&stream, 0);
    wild(stream);
    return 7;
}
"""
PLUGIN = """
int plug(void *stream) { return cuStreamDestroy_v2(stream) + 1; } // {name}
"""
PLUGGING = """
#include <dlfcn.h>
#include <string.h>
{entry}
{
    void *stream, *before = NULL;
    size_t code = 0;
    begin();
    for (int number = 0; number < 2; number++) {
        void *library = dlopen(number ? "{folder}/b.so" : "{folder}/a.so", RTLD_NOW);
        void *plug = dlsym(library, "plug");
        code |= number && plug != before; /* the loader has put it elsewhere */
        before = plug;
        cuStreamCreate(&stream, 0);
        ((int (*)(void *))plug)(stream);
        if (number)
            ((int (*)(void *))plug)(stream);
        dlclose(library);
    }
    RETURN(code);
}
"""


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


def test_a_waiting_thread_of_c_names_its_line(tmp_path: Path, build: Build) -> None:
    """In the report of a deadlock."""
    with pytest.raises(EndlessWait) as raised, simulate() as machine:
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
    assert len(found) == len(set(found)) + 2 == 3  # noqa: PLR2004 - the context, an event, its end


def test_without_an_unwinder_no_stack_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where libgcc is not installed; and outside of calls."""
    assert callers.stack() == history.NOWHERE
    monkeypatch.setattr(callers, "_unwinder", lambda: None)
    assert callers.stack() == history.NOWHERE
    assert callers.libraries() == ()
