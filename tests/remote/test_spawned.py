"""Children of tests whose mark says nothing of it: they are processes of the test's machine, however they are started."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from .test_start import python

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["python"]

WORK = """
import ctypes, os
from cuda.bindings import driver

def cards():
    import pynvml
    return pynvml.nvmlInit()

def visible(value):
    os.environ["CUDA_VISIBLE_DEVICES"] = value

def codes(_=None):
    return [int(driver.cuInit(0)[0]), int(driver.cuDeviceGetCount()[1])]

def uuids():
    return [bytes(driver.cuDeviceGetUuid(device)[1].bytes) for device in range(2)]

def migrate(pid):
    driver.cuInit(0)
    args, pairs = driver.CUcheckpointRestoreArgs(), []
    for old, new in ((0, 1), (1, 0)):
        pair = driver.CUcheckpointGpuPair()
        pair.oldUuid, pair.newUuid = (driver.cuDeviceGetUuid(device)[1] for device in (old, new))
        pairs.append(pair)
    args.gpuPairs, args.gpuPairsCount = pairs, len(pairs)
    given = {"Lock": None, "Checkpoint": None, "Restore": args, "Unlock": None}
    return [int(getattr(driver, f"cuCheckpointProcess{does}")(pid, one)[0]) for does, one in given.items()]

def send(line, wanted=codes, *arguments):
    try:
        line.send(wanted(*arguments))
    except Exception as error:
        line.send(f"{type(error).__name__}: {error}")

def handle_of(pointer):
    return ctypes.string_at(driver.cuIpcGetMemHandle(pointer)[1].getPtr(), 64)

def opened(handle):
    driver.cuInit(0)
    driver.cuCtxCreate(None, 0, 0)
    taken = driver.CUipcMemHandle()
    ctypes.memmove(taken.getPtr(), handle, 64)
    return driver.cuIpcOpenMemHandle(taken, 1)

def read(handle):
    code, pointer = opened(handle)
    room = bytearray(4096)
    return int(code), int(driver.cuMemcpyDtoH(room, pointer or 0, 4096)[0]), set(room)

def look(handle):
    driver.cuInit(0)
    driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
    taken, room = driver.CUipcMemHandle(), bytearray(4096)
    ctypes.memmove(taken.getPtr(), handle, 64)
    pointer = driver.cuIpcOpenMemHandle(taken, 1)[1]
    driver.cuMemcpyDtoH(room, pointer, 4096)
    driver.cuIpcCloseMemHandle(pointer)
    return set(room)

def write(handle):
    _, pointer = opened(handle)
    return [int(driver.cuMemsetD32(pointer, 1, 1)[0]), int(driver.cuCtxSynchronize()[0])]
"""
TESTS = """
import concurrent.futures, multiprocessing, os, subprocess, sys, threading
import pytest
from cuda.bindings import driver
import fakecuda as module
import work

WAYS = ["spawn", "fork", "forkserver"]

def told(way, *arguments):
    context = multiprocessing.get_context(way)
    ours, theirs = context.Pipe()
    child = context.Process(target=work.send, args=(theirs, *arguments))
    child.start()
    theirs.close()
    answer = ours.recv()
    child.join()
    return answer

@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_multiprocessing(fakecuda, way, again):
    assert told(way) == [0, 2]
    assert [call.process for call in fakecuda.calls] == ["a", "a"]
    assert "FAKECUDA_MACHINE" in os.environ

@pytest.mark.parametrize("way", WAYS)
def test_memory_crosses(fakecuda, way):
    driver.cuInit(0)
    driver.cuCtxCreate(None, 0, 0)
    pointer = driver.cuMemAlloc(4096)[1]
    driver.cuMemsetD8(pointer, 7, 4096)
    driver.cuCtxSynchronize()
    handle = work.handle_of(pointer)
    # Forked after cuInit a process has no driver.
    assert told(way, work.read, handle) == ((3, 3, {0}) if way == "fork" else (0, 0, {7}))

@pytest.fixture(scope="class")
def pool():
    context = multiprocessing.get_context("spawn")
    with module.simulate("h200-x2"), concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as made:
        yield made

class TestKept:
    # The worker has the machine of the fixture, in the second test as in the first.
    @pytest.mark.parametrize("number", range(2))
    def test_a_pool(self, pool, number):
        driver.cuInit(0)
        driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
        pointer = driver.cuMemAlloc(4096)[1]
        driver.cuMemsetD8(pointer, number, 4096)
        driver.cuCtxSynchronize()
        assert pool.submit(work.look, work.handle_of(pointer)).result() == {number}

def test_a_pool_of_processes(fakecuda):
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(
        1, mp_context=context, initializer=work.visible, initargs=("1",)
    ) as pool:
        assert list(pool.map(work.codes, [0, 0])) == [[0, 1], [0, 1]]
    assert driver.cuInit(0)[0] == 0
    assert driver.cuDeviceGetCount()[1] == 2

def test_a_program(fakecuda):
    program = "import work; print(work.codes())"
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[0, 2]\\n", "")

def test_a_child_migrates_its_parent(fakecuda):
    driver.cuInit(0)
    own = work.uuids()
    program = f"import work; print(work.migrate({os.getpid()}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[0, 0, 0, 0]\\n", "")
    assert work.uuids() == own[::-1] != own

def test_a_child_wakes_its_parent(fakecuda):
    driver.cuInit(0)
    driver.cuCtxCreate(None, 0, 0)
    place = driver.cuMemAlloc(4096)[1]
    driver.cuMemsetD8(place, 0, 4096)
    driver.cuCtxSynchronize()
    handle = work.handle_of(place)
    driver.cuStreamWaitValue32(0, place, 1, 1)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=work.send, args=(theirs, work.write, handle))
    child.start()
    assert driver.cuStreamSynchronize(0)[0] == 0
    assert ours.recv() == [0, 0]
    child.join()

def test_nested(fakecuda):
    outer = dict(os.environ)
    with module.simulate("h200") as inner:
        assert told("spawn") == [0, 1]
        program = [sys.executable, "-c", "import work; print(work.codes())"]
        assert subprocess.check_output(program, env=outer) == b"[0, 2]\\n"
        assert [call.process for call in inner.log] == ["a", "a"]
    assert told("spawn") == [0, 2]

@pytest.mark.fakecuda(shared=False)
@pytest.mark.parametrize("way", ["spawn", "forkserver"])
def test_not_shared(fakecuda, way):
    assert "test_not_shared" in (answer := told(way)) and "shared=False" in answer, answer
    assert not fakecuda.calls

@pytest.mark.fakecuda(shared=False)
def test_nvml_of_what_is_not_shared(fakecuda):
    answer = told("spawn", work.cards)
    assert "NotAdmitted" in answer and "shared=False" in answer, answer
    assert not fakecuda.calls

@pytest.mark.fakecuda(shared=False)
def test_a_fork_of_what_is_not_shared(fakecuda):
    assert told("fork") == [0, 2]
    assert not fakecuda.calls

late = []

def test_leaves_a_child(fakecuda):
    program = "import work; print('ready', flush=True); input(); work.codes()"
    pipes = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
    late.append(subprocess.Popen([sys.executable, "-c", program], text=True, **pipes))
    assert late[0].stdout.readline() == "ready\\n"

def test_finds_it(fakecuda):
    with late[0] as child:
        error = child.communicate("\\n")[1]
    assert "MachineClosed: the machine of test_it.py::test_leaves_a_child has ended" in error
    assert not fakecuda.calls
    assert threading.active_count() == 1
"""


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (("--fakecuda-door=native",), 22),
        (("--fakecuda-door=lookalike", "-k", "memory or finds or leaves"), 5),
        (("-n", "2", "-p", "xdist", "-k", "multiprocessing and spawn"), 2),
    ],
    ids=["native", "lookalike", "workers"],
)
def test_children_attach(python: str, tmp_path: Path, options: tuple[str, ...], count: int) -> None:
    """Without a word in the mark, by either door, and in each worker; what is refused is told why."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    (tmp_path / "work.py").write_text(WORK)
    (tmp_path / "test_it.py").write_text(TESTS)
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "fakecuda.plugin", *options],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{count} passed" in done.stdout, done.stdout
