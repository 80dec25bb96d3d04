"""Programs that know nothing of fakecuda: they attach with their first driver call."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import sysconfig
from importlib import import_module
from pathlib import Path

import pytest

from conformance.targets import processes
from fakecuda import Machine
from fakecuda.__main__ import main
from fakecuda.profiles import load
from fakecuda.reach.remote import hook
from fakecuda.reach.remote.client.client import RemoteMachine
from fakecuda.reach.remote.client.door import library
from fakecuda.reach.remote.client.start import watch
from fakecuda.rules.driver.core.initialized import DRIVER_IS_UP
from fakecuda.spec.codes import Result

ROOT = Path(hook.__file__).parents[3]
CTYPES = (
    "import ctypes\n"
    "driver = ctypes.CDLL('libcuda.so.1')\n"
    "count, pointer = ctypes.c_int(), ctypes.c_uint64()\n"
    "context = ctypes.c_void_p()\n"
    "assert driver.cuInit(0) == 0\n"
    "assert driver.cuDeviceGetCount(ctypes.byref(count)) == 0\n"
    "assert driver.cuCtxCreate_v4(ctypes.byref(context), None, 0, 0) == 0\n"
    "assert driver.cuMemAlloc_v2(ctypes.byref(pointer), 4096) == 0\n"
    "back = ctypes.create_string_buffer(6)\n"
    "assert driver.cuMemcpyHtoD_v2(pointer, b'hello', 6) == 0\n"
    "assert driver.cuMemcpyDtoH_v2(back, pointer, 6) == 0\n"
    "assert back.value == b'hello'\n"
    "print(count.value)\n"
)
BINDINGS = (
    "from cuda.bindings import driver\nassert int(driver.cuInit(0)[0]) == 0\nprint(driver.cuDeviceGetCount()[1])\n"
)
MULTIPROCESSING = (
    "import multiprocessing\n"
    "def count(line):\n"
    "    from cuda.bindings import driver\n"
    "    driver.cuInit(0)\n"
    "    line.send(int(driver.cuDeviceGetCount()[1]))\n"
    "if __name__ == '__main__':\n"
    "    for way in ('spawn', 'fork'):\n"
    "        context = multiprocessing.get_context(way)\n"
    "        ours, theirs = context.Pipe()\n"
    "        child = context.Process(target=count, args=(theirs,))\n"
    "        child.start()\n"
    "        print(ours.recv())\n"
    "        child.join()\n"
)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the Python of an environment into which a wheel has put the hook."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    inside = next(folder.glob("lib/python*/site-packages"))
    (inside / "also.pth").write_text(f"{sysconfig.get_path('purelib')}\n{ROOT}\n")
    (inside / hook.NAME).write_text(hook.SOURCE.read_text())
    return str(folder / "bin" / "python")


def run(python: str, program: str, environ: dict[str, str], folder: Path) -> list[str]:
    """Return the lines that a program has printed."""
    file = folder / "program.py"
    file.write_text(program)
    done = subprocess.run(
        [python, str(file)], env={**os.environ, **environ}, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.returncode == 0
    return done.stdout.split()


@pytest.mark.parametrize("program", [CTYPES, BINDINGS], ids=["ctypes", "bindings"])
def test_a_program_attaches_with_its_first_call(python: str, program: str, tmp_path: Path) -> None:
    """Neither a line of its own nor an import of fakecuda's is needed, and its end is seen."""
    with Machine() as machine, machine.shared(export=False) as sharing:
        assert run(python, program, sharing.environ(), tmp_path) == ["2"]
        machine.check_invariants()
        assert [process.alive for process in machine.processes.values()] == [False]
        assert machine.findings == []


@pytest.mark.parametrize(
    "name",
    [
        "fakecuda import Machine",
        "fakecuda import simulate",
        "fakecuda.machine.install import installed",
        "fakecuda.spec.codes import Result",
    ],
)
def test_a_program_may_import_fakecuda_first(python: str, name: str, tmp_path: Path) -> None:
    """Which imports ctypes in the middle of an import of its own."""
    with Machine() as machine, machine.shared(export=False) as sharing:
        assert run(python, f"from {name}\n{CTYPES}", sharing.environ(), tmp_path) == ["2"]
        assert len(machine.processes) == 1


PATHFINDER = """
import sys
first = "cuda.bindings" not in sys.modules
import ctypes
assert not (first and "fakecuda.reach.remote.client.door" in sys.modules), "filled inside of a half-done import"
from pathlib import Path
real = next(path for path in map(Path, sys.path) if (path / "cuda" / "bindings").is_dir()) / "cuda" / "pathfinder"
__path__[:] = [str(real)]
exec(compile((real / "__init__.py").read_text(), str(real), "exec"))
"""


@pytest.mark.parametrize("first", ["cuda.pathfinder", "cuda.bindings.driver", "cuda.bindings.runtime"])
def test_a_program_may_import_what_imports_ctypes(python: str, first: str, tmp_path: Path) -> None:
    """As some releases of cuda.pathfinder do in the middle of an import of their own."""
    (tmp_path / "cuda" / "pathfinder").mkdir(parents=True)
    (tmp_path / "cuda" / "pathfinder" / "__init__.py").write_text(PATHFINDER)
    with Machine() as machine, machine.shared(export=False) as sharing:
        assert run(python, f"import {first}\n{BINDINGS}", sharing.environ(), tmp_path) == ["2"]
        assert len(machine.processes) == 1
        assert run(python, f"import {first}\n{CTYPES}", sharing.environ(), tmp_path) == ["2"]


def test_children_of_multiprocessing_attach(python: str, tmp_path: Path) -> None:
    """Spawned or forked, each is a process of its own."""
    with Machine() as machine, machine.shared(export=False) as sharing:
        assert run(python, MULTIPROCESSING, sharing.environ(), tmp_path) == ["2", "2"]
        assert len(machine.processes) == 2


def test_nothing_happens_without_a_machine(python: str, tmp_path: Path) -> None:
    """The hook leaves programs alone that no machine was named to."""
    assert run(python, "import sys\nprint(any('fakecuda' in name for name in sys.modules))", {}, tmp_path) == ["False"]


def test_serve_runs_a_command(python: str, tmp_path: Path) -> None:
    """``fakecuda serve -- command`` gives its status, or tells what was undefined."""
    file = tmp_path / "program.py"
    file.write_text(CTYPES)
    serve = [python, "-m", "fakecuda", "--profile", "h200", "serve", "--"]
    done = subprocess.run([*serve, python, str(file)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")
    failed = subprocess.run([*serve, python, "-c", "raise SystemExit(3)"], check=False)
    assert failed.returncode == 3


def test_serve_says_what_becomes_of_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """The option is that of the machine; without one a kernel needs a Python function."""
    seen: list[object] = []

    def machine(_profile: str, **options: object) -> None:
        seen.append(options["kernels"])
        raise KeyboardInterrupt

    monkeypatch.setattr("fakecuda.machine.serve.Machine", machine)
    main(["serve", "--kernels=run", "--", "true"])
    main(["serve", "--", "true"])
    assert seen == ["run", "error"]


def test_the_hook_is_put_in_and_taken_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """For environments to which no wheel has brought it."""
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path))
    monkeypatch.setattr("site.getsitepackages", list)
    monkeypatch.setattr("site.ENABLE_USER_SITE", None)
    assert not hook.installed()
    assert main(["hook"]) == 0
    assert hook.installed()
    assert main(["hook", "--remove"]) == 0
    assert not hook.installed()


def test_the_old_names_of_the_hook_work_for_one_release(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The command warns and names the new one. A hook of an earlier version finds what it calls."""
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path))
    monkeypatch.setattr("sys.argv", ["hook"])
    with pytest.warns(DeprecationWarning, match="python -m fakecuda hook"), pytest.raises(SystemExit, match="0"):
        runpy.run_module("fakecuda.sharing.hook", run_name="__main__")
    assert (tmp_path / hook.NAME).exists()
    assert import_module("fakecuda.sharing.start").watch is watch


def test_a_library_needs_a_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to do."""
    monkeypatch.delenv("FAKECUDA_MACHINE", raising=False)
    with pytest.raises(Exception, match=r"machine\.shared"):
        library()


def test_calls_after_exit_handlers_reach_the_machine() -> None:
    """A process whose Python outlives its exit handlers asks the owner, whether or not the hook has filled its library."""
    with processes.machine(load("h200")) as machine:
        process = machine.spawn()
        process.c.cuInit(0)
        process.begin_exit()
        assert process.c.cuMemAlloc(8) == (Result.DEINITIALIZED, None)
        last = machine.model.log[-1]
        assert (last.call, last.rule) == ("cuMemAlloc", DRIVER_IS_UP)


def test_a_closed_machine_leads_nowhere() -> None:
    """A process that takes part no more has ended for the machine."""
    with Machine() as machine, machine.shared(export=False) as sharing:
        client = RemoteMachine(sharing.path)
        client.here.c.cuInit(0)
        client.close()
        with machine.lock:
            pass
        assert not machine.processes["a"].alive


SEARCH = (
    "import ctypes\n"
    "driver = ctypes.CDLL('libcuda.so.1')\n"
    "found = ctypes.c_void_p()\n"
    "def search(name, version):\n"
    "    return driver.cuGetProcAddress_v2(name, ctypes.byref(found), version, ctypes.c_uint64(0), None)\n"
    "print(search(b'cuMemAlloc', 12000), bool(found.value))\n"
    "print(search(b'cuMemAlloc', 13010), search(None, 12000))\n"
)


def test_functions_are_searched_as_in_the_machines_driver(python: str, tmp_path: Path) -> None:
    """Each search is a call in the log; a search for null is undefined."""
    with Machine("h200", strict=False) as machine, machine.shared(export=False) as sharing:
        assert run(python, SEARCH, sharing.environ(), tmp_path) == ["0", "True", "1", "1"]
        assert [(call.call, call.code, call.rule and call.rule.id.rpartition(".")[2]) for call in machine.log] == [
            ("cuGetProcAddress", 0, None),
            ("cuGetProcAddress", 1, "VERSION_IS_SUPPORTED"),
            ("cuGetProcAddress", 1, "SYMBOL_IS_GIVEN"),
        ]


DOORS = {
    "ctypes": "import ctypes\nctypes.CDLL('libcuda.so.1').cuInit(0)",
    "nvml": "import ctypes\nctypes.CDLL('libnvidia-ml.so.1').nvmlInit_v2()",
    "cudart": "import ctypes\nctypes.CDLL('libcudart.so.13').cudaGetDeviceCount(None)",
    "driver": "from cuda.bindings import driver\ndriver.cuInit(0)",
    "runtime": "from cuda.bindings import runtime\nruntime.cudaGetDeviceCount()",
    "client": "import os\nfrom fakecuda.reach.remote.client.client import RemoteMachine\n"
    "RemoteMachine(os.environ['FAKECUDA_MACHINE']).here.c.cuInit(0)",
}
BY_THREAD = """
import ctypes, threading
driver, nvml = ctypes.CDLL("libcuda.so.1"), ctypes.CDLL("libnvidia-ml.so.1")
calls = driver.cuInit, driver.cuCtxSynchronize, nvml.nvmlInit_v2, nvml.nvmlShutdown
thread = threading.Thread(target=lambda: print(*(call(0) for call in calls)))
thread.start()
thread.join()
"""


@pytest.mark.parametrize("text", DOORS.values(), ids=DOORS)
def test_a_machine_that_is_not_there_is_told_by_every_door(python: str, text: str, tmp_path: Path) -> None:
    """With the place, and what to do."""
    environ = {**os.environ, "FAKECUDA_MACHINE": f"{tmp_path}/gone/machine#3", "LD_LIBRARY_PATH": f"{tmp_path}/gone"}
    done = subprocess.run([python, "-c", text], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    told = f"no machine answers at socket {tmp_path}/gone/machine (No such file or directory): the process that made it has"
    assert f"fakecuda.errors.MachineClosed: {told}" in done.stderr.splitlines()[-1]
    assert done.stderr.endswith("without the environment variable FAKECUDA_MACHINE\n")


def test_what_c_is_answered_where_no_machine_is_there(python: str, tmp_path: Path) -> None:
    """In a thread no exception can be raised: initialisation finds no device and no driver, and nothing is initialised."""
    environ = {"FAKECUDA_MACHINE": f"{tmp_path}/machine#3", "LD_LIBRARY_PATH": f"{tmp_path}"}
    assert run(python, BY_THREAD, environ, tmp_path) == ["100", "3", "9", "1"]
