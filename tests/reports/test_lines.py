"""Every report names the user's line, through every door and in every kind of process and thread.

A scene destroys a stream twice, on a line that ends with ``twice`` in a comment, or waits for ever on one. The report of that
must name this line: for the call, and for the stream that it names.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import subprocess
import sys
import threading
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from fakecuda import EndlessWait, Machine, UndefinedBehaviour, simulate
from fakecuda.model.os import native_lines
from fakecuda.rules.registry import EVERY_API

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import FakeCuda

HERE = Path(__file__)
CHILD = """
from cuda.bindings import driver

def work():
    driver.cuInit(0)
    driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
    stream = driver.cuStreamCreate(0)[1]
    driver.cuStreamDestroy(stream); driver.cuStreamDestroy(stream)  # twice
work()
"""
CHILD_OF_THE_RUNTIME = """
from cuda.bindings import runtime

def work():
    stream = runtime.cudaStreamCreate()[1]
    runtime.cudaStreamDestroy(stream); runtime.cudaStreamDestroy(stream)  # twice
work()
"""
IN_C = """
int cuInit(unsigned); int cuDevicePrimaryCtxRetain(void **, int); int cuCtxSetCurrent(void *);
int cuStreamCreate(void **, unsigned); int cuStreamDestroy_v2(void *);
static __attribute__((noinline)) int end(void *stream)
{
    return cuStreamDestroy_v2(stream) | cuStreamDestroy_v2(stream); // twice
}
int main(void)
{
    void *context, *stream;
    cuInit(0); cuDevicePrimaryCtxRetain(&context, 0); cuCtxSetCurrent(context);
    cuStreamCreate(&stream, 0);
    return end(stream);
}
"""
WAITS_IN_C = """
int cuInit(unsigned); int cuDevicePrimaryCtxRetain(void **, int); int cuCtxSetCurrent(void *);
int cuStreamCreate(void **, unsigned); int cuMemAlloc_v2(unsigned long *, unsigned long);
int cuMemsetD8_v2(unsigned long, unsigned char, unsigned long); int cuStreamSynchronize(void *);
int cuStreamWaitValue32_v2(void *, unsigned long, unsigned, unsigned);
static __attribute__((noinline)) int make(void **stream)
{
    return cuStreamCreate(stream, 0) + 0; // makes
}
static __attribute__((noinline)) int pause(void *stream)
{
    return cuStreamSynchronize(stream) + 0; // waits
}
int main(void)
{
    void *context, *stream;
    unsigned long memory;
    cuInit(0); cuDevicePrimaryCtxRetain(&context, 0); cuCtxSetCurrent(context); make(&stream);
    cuMemAlloc_v2(&memory, 64); cuMemsetD8_v2(memory, 0, 64); cuStreamWaitValue32_v2(stream, memory, 1, 0);
    return pause(stream);
}
"""
VALUE = 64
CC = shutil.which("cc")


def report_of(act: Callable[[Machine], object]) -> str:
    """Return the report of the one finding of what a test does with a machine."""
    with pytest.raises(UndefinedBehaviour) as raised, simulate() as machine:
        act(machine)
    [_] = machine.findings
    return str(raised.value)


def begin(driver: Any) -> Any:
    """Return a new stream of device 0's primary context."""
    driver.cuInit(0)
    driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
    return driver.cuStreamCreate(0)[1]


def bindings(_: Machine) -> None:
    """Call the driver by its bindings."""
    driver: Any = import_module("cuda.bindings.driver")

    stream = begin(driver)
    driver.cuStreamDestroy(stream), driver.cuStreamDestroy(stream)  # twice


def runtime(_: Machine) -> None:
    """Call the runtime, whose call is one of the driver's."""
    runtime: Any = import_module("cuda.bindings.runtime")

    stream = runtime.cudaStreamCreate()[1]
    runtime.cudaStreamDestroy(stream), runtime.cudaStreamDestroy(stream)  # twice


def spawned(machine: Machine) -> None:
    """Call the driver as a process of the machine."""
    driver = machine.spawn("other").driver
    stream = begin(driver)
    driver.cuStreamDestroy(stream), driver.cuStreamDestroy(stream)  # twice


def spawned_runtime(machine: Machine) -> None:
    """Call the runtime as a process of the machine."""
    runtime = machine.spawn("other").runtime
    stream = runtime.cudaStreamCreate()[1]
    runtime.cudaStreamDestroy(stream), runtime.cudaStreamDestroy(stream)  # twice


def plain(machine: Machine) -> None:
    """Call the driver with the arguments of C."""
    driver = machine.spawn("other").c
    driver.cuInit(0)
    driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
    stream = driver.cuStreamCreate(0)[1]
    driver.cuStreamDestroy(stream), driver.cuStreamDestroy(stream)  # twice


def thread(_: Machine) -> None:
    """Call the driver in a thread of Python."""
    driver: Any = import_module("cuda.bindings.driver")

    def work() -> None:
        stream = begin(driver)
        with contextlib.suppress(UndefinedBehaviour):
            driver.cuStreamDestroy(stream), driver.cuStreamDestroy(stream)  # twice

    other = threading.Thread(target=work)
    other.start()
    other.join()


def target(_: Machine) -> None:
    """Call the driver as the target of a thread: the line that starts the thread is named."""
    driver: Any = import_module("cuda.bindings.driver")

    stream = begin(driver)
    other = threading.Thread(target=driver.cuStreamDestroy, args=(stream,))
    acts = partial(driver.cuStreamDestroy, stream), other.start
    [act() for act in acts]  # twice
    other.join()


def library(_: Machine) -> None:
    """Call the driver's library."""
    driver = ctypes.CDLL("libcuda.so.1")
    context, stream = ctypes.c_void_p(), ctypes.c_void_p()
    driver.cuInit(0)
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    driver.cuCtxSetCurrent(context)
    driver.cuStreamCreate(ctypes.byref(stream), 0)
    driver.cuStreamDestroy_v2(stream), driver.cuStreamDestroy_v2(stream)  # twice


def forked(_: Machine) -> None:
    """Call the driver in a forked process."""
    driver: Any = import_module("cuda.bindings.driver")

    pid = os.fork()
    if not pid:
        try:
            stream = begin(driver)
            driver.cuStreamDestroy(stream), driver.cuStreamDestroy(stream)  # twice
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


SCENES = (bindings, runtime, spawned, spawned_runtime, plain, thread, target, library, forked)


def line_of(text: str, mark: str) -> int:
    """Return the number of the one line of a text that ends with a mark."""
    [number] = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith(mark)]
    return number


def places(text: str) -> dict[str, str]:
    """Return the places of a report, by what happened there: the call, and the stream's end."""
    rows = [line.split(None, 1) for line in reversed(text.splitlines())]  # the first of a kind counts
    return {row[0]: row[1].removeprefix("at ") for row in rows if len(row) > 1 and row[0] in {"at", "by", "ended"}}


def marked(scene: Callable[..., Any], mark: str = "# twice") -> str:
    """Return the place of a scene's marked line, without the function."""
    first = scene.__code__.co_firstlineno
    source = HERE.read_text(encoding="utf-8").splitlines()[first - 1 :]
    return f"{HERE}:{first + next(at for at, line in enumerate(source) if line.endswith(mark))} in "


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_a_call_and_its_object_name_the_line(scene: Callable[[Machine], None]) -> None:
    """And no line of fakecuda or Python beneath or beside it."""
    text = report_of(scene)
    found = places(text)
    between = {"by"} if scene is target else set()
    assert found.keys() - between == {"at", "ended"}, text
    found.pop("by", None)
    assert all(place.startswith(marked(scene)) for place in found.values()), text


def test_a_program_that_the_test_starts_names_its_line(tmp_path: Path) -> None:
    """Python's, as the program was written, and what the program prints itself where an exception can reach it."""
    place = f"{tmp_path / 'child.py'}:{line_of(CHILD, '# twice')} in work"
    text, _ = run_child(tmp_path, CHILD)
    assert places(text) == {"at": place, "ended": place}
    runtime = CHILD_OF_THE_RUNTIME
    text, printed = run_child(tmp_path, runtime)
    place = f"{tmp_path / 'child.py'}:{line_of(runtime, '# twice')} in work"
    assert places(text) == {"at": place, "ended": place}
    assert places(printed.partition("UndefinedBehaviour: ")[2]) == {"at": place, "ended": place}, printed
    assert "  call       cudaStreamDestroy(stream=0x" in printed


def run_child(tmp_path: Path, text: str) -> tuple[str, str]:
    """Run a program in Python for a machine; return the report, and what the program has printed of its error."""
    program = tmp_path / "child.py"
    program.write_text(text)
    printed = []

    def act(_: Machine) -> None:
        done = subprocess.run([sys.executable, program], check=False, capture_output=True, text=True)
        printed.append(done.stderr)

    return report_of(act), printed[0]


@pytest.fixture
def run_c(tmp_path: Path) -> Callable[..., str]:
    """Return what builds the program in C, runs it, and returns the report."""

    def run(*options: str) -> str:
        source, program = tmp_path / "program.c", tmp_path / "program"
        source.write_text(IN_C)

        def act(machine: Machine) -> None:
            libraries = machine.link()
            subprocess.run([str(CC), *options, source, "-o", program, f"-L{libraries}", "-lcuda"], check=True)
            subprocess.run([program], check=False)

        return report_of(act)

    return run


@pytest.mark.skipif(CC is None or not shutil.which("addr2line"), reason="no C compiler, or no addr2line")
@pytest.mark.parametrize("options", [("-g", "-O0"), ("-g", "-O2")], ids="".join)
def test_a_program_in_c_names_its_line(tmp_path: Path, run_c: Callable[..., str], options: tuple[str, ...]) -> None:
    """From its debugging information, optimised or not."""
    place = f"{tmp_path / 'program.c'}:{line_of(IN_C, '// twice')} in end"
    assert places(run_c(*options)) == {"at": place, "ended": place}


@pytest.mark.skipif(CC is None, reason="no C compiler")
def test_a_program_in_c_without_debugging_information_names_its_code(tmp_path: Path, run_c: Callable[..., str]) -> None:
    """The file, the offset in it, and the function if that has a symbol."""
    named = " in end" if shutil.which("addr2line") else ""
    for place in places(run_c()).values():
        path, _, rest = place.partition("+")
        assert path == str(tmp_path / "program")
        assert rest.startswith("0x")
        assert rest.endswith(named)


def test_a_wait_names_its_line() -> None:
    """Of the thread that waits, in a process of the machine."""

    def wait(driver: Any, stream: Any) -> None:
        driver.cuStreamSynchronize(stream)  # waits

    with Machine() as machine:
        driver = machine.spawn("other").driver
        stream = begin(driver)
        memory = driver.cuMemAlloc(VALUE)[1]
        driver.cuMemsetD8(memory, 0, VALUE)
        driver.cuStreamWaitValue32(stream, memory, 1, 0)
        with pytest.raises(EndlessWait) as raised:
            wait(driver, stream)
    assert places(str(raised.value))["at"].startswith(marked(wait, "# waits"))


@pytest.mark.skipif(CC is None or not shutil.which("addr2line"), reason="no C compiler, or no addr2line")
def test_a_wait_of_a_program_in_c_names_its_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the call and of the stream. They are read while other threads can call the machine."""
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(WAITS_IN_C)
    held: list[bool] = []
    with pytest.raises(EndlessWait) as raised, simulate() as machine:  # noqa: PT012 - the end of the block raises
        read, lock = native_lines._read, cast("Any", machine.lock)

        def noting(file: str, offset: int) -> str:
            held.append(lock._is_owned())
            return read(file, offset)

        monkeypatch.setattr(native_lines, "_read", noting)
        native_lines._line.cache_clear()
        libraries = machine.link()
        subprocess.run([str(CC), "-g", source, "-o", program, f"-L{libraries}", "-lcuda"], check=True)
        subprocess.run([program], check=False, capture_output=True)
    text = str(raised.value)
    found = places(text)
    assert found["at"] == f"{source}:{line_of(WAITS_IN_C, '// waits')} in pause", text
    assert f"created at {source}:{line_of(WAITS_IN_C, '// makes')} in make" in text
    assert held
    assert not any(held)


def test_a_refused_call_names_its_line(fakecuda: FakeCuda) -> None:
    """In what why() prints."""
    runtime: Any = import_module("cuda.bindings.runtime")

    runtime.cudaMalloc(VALUE)
    runtime.cudaFree(1 << 20)  # refused
    number = line_of(HERE.read_text(encoding="utf-8"), "  # refused")
    assert f"at         {HERE}:{number} in " in fakecuda.why()


def test_operations_are_fakecudas_own() -> None:
    """Also those whose text fakecuda writes: a stack leaves a frame out by the module of its globals."""
    for api in EVERY_API.values():
        for name, op in api.ops.declared().items():
            module = op.function.__globals__.get("__name__", "")
            assert module.startswith("fakecuda."), f"{name}: {module}"
