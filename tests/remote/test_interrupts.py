"""Calls of attached processes that signals interrupt: they end on both sides, and touch no memory afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from subprocess import PIPE

import pytest

import fakecuda
from fakecuda.model.memory import headroom
from fakecuda.reach.native.stubs import NATIVE, NEEDS
from tests.limits import started, until

pytestmark = pytest.mark.skipif(not NATIVE, reason=NEEDS)

START = """
import ctypes, mmap, random, signal, sys
from cuda.bindings import driver

class Stop(BaseException):
    pass

def stop(*_):
    raise Stop

def ok(answer):
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) > 1 else None

ok(driver.cuInit(0))
ok(driver.cuCtxCreate(None, 0, 0))
"""
MEMORY = """
SIZE = 1 << 20
memory = ok(driver.cuMemAlloc(SIZE))
ok(driver.cuMemsetD8(memory, 0x55, SIZE))
room = mmap.mmap(-1, SIZE)
place = ctypes.addressof(ctypes.c_char.from_buffer(room))
ok(driver.cuMemcpyDtoH(place, memory, SIZE))  # imports what it needs: an import swallows what handlers raise in it
"""
COPIES = """
signal.signal(signal.SIGALRM, stop)
chance, interrupted, stale = random.Random(1), 0, 0
for _ in range(150):
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, chance.random() * 0.003 + 1e-6)
            for _ in range(10):
                ok(driver.cuMemcpyDtoH(place, memory, SIZE))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except Stop:
        interrupted += 1
        ctypes.memset(place, 0xAA, SIZE)  # the call has raised: this memory is the program's again
        ok(driver.cuMemGetInfo())
        stale += room[:].count(b"\\x55")
print(interrupted > 0, stale)
"""
THROWN = """
import threading, time
main, chance, thrown, stale = threading.get_ident(), random.Random(1), 0, 0

class Late(Exception):
    pass

def throw(delay):
    time.sleep(delay)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(main), ctypes.py_object(Late))

for _ in range(100):
    thread = threading.Thread(target=throw, args=(chance.random() * 0.003,))
    try:
        thread.start()
        while True:
            ok(driver.cuMemcpyDtoH(place, memory, SIZE))
    except Late:
        thrown += 1
        ctypes.memset(place, 0xAA, SIZE)  # the call has raised: this memory is the program's again
        ok(driver.cuMemGetInfo())
        stale += room[:].count(b"\\x55")
print(thrown, stale)
"""
SHORT = """
print("begun", flush=True)
input()
try:
    driver.cuMemAlloc(512)
except MemoryError as error:
    print(error, flush=True)
input()
ok(driver.cuMemAlloc(512))
print("done")
"""
WAITS = """
stream, memory = ok(driver.cuStreamCreate(0)), ok(driver.cuMemAlloc(4096))
ok(driver.cuMemsetD8(memory, 0, 4096))
ok(driver.cuCtxSynchronize())
ok(driver.cuStreamWaitValue32(stream, memory, 1, 1))
signal.signal(signal.SIGUSR1, stop)
for _ in range(2):
    try:
        driver.cuStreamSynchronize(stream)
    except Stop:
        print("stopped", int(driver.cuStreamQuery(stream)[0]), flush=True)
other = ok(driver.cuStreamCreate(1))
signal.signal(signal.SIGUSR1, lambda *_: print("written", int(driver.cuStreamWriteValue32(other, memory, 1, 0)[0]), flush=True))
print("done", int(driver.cuStreamSynchronize(stream)[0]))
"""


def test_an_owner_that_has_no_memory_left() -> None:
    """A call that it did not begin raises MemoryError where it was made, and may be made again."""
    command = [sys.executable, "-c", START + SHORT]
    with fakecuda.simulate("h200") as machine, started(command, stdin=PIPE, stdout=PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        headroom.limited[:] = [1 << 52]
        child.stdin.write("\n")
        child.stdin.flush()
        assert f"process {os.getpid()} has less than 4294967296 MiB left" in child.stdout.readline()
        headroom.read_limits()
        assert child.communicate("\n")[0] == "done\n"
        assert not machine.findings


def test_an_interrupted_copy_writes_nothing_afterwards() -> None:
    """What a handler raises comes out of a call when the copy is done, or has not begun."""
    with fakecuda.simulate("h200") as machine:
        done = subprocess.run(
            [sys.executable, "-c", START + MEMORY + COPIES], capture_output=True, text=True, check=False
        )
        machine.check_invariants()
        assert not machine.findings
    assert (done.stdout, done.stderr) == ("True 0\n", "")


def test_what_another_thread_raises_comes_between_frames() -> None:
    """It comes out of a call that has happened, or that the owner has ended."""
    with fakecuda.simulate("h200") as machine:
        done = subprocess.run(
            [sys.executable, "-c", START + MEMORY + THROWN], capture_output=True, text=True, check=False
        )
        machine.check_invariants()
        assert not machine.findings
    assert (done.stdout, done.stderr) == ("100 0\n", "")


def test_a_handler_ends_a_wait_or_brings_about_what_is_waited_for() -> None:
    """On both sides; the next call has an answer of its own."""
    command = [sys.executable, "-c", START + WAITS]
    with fakecuda.simulate("h200") as machine, started(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in ("stopped 600\n", "stopped 600\n", "written 0\n"):
            assert until(lambda: bool(machine.scheduler.census.waiting))
            os.kill(child.pid, signal.SIGUSR1)
            assert child.stdout.readline() == line
        assert child.stdout.read() == "done 0\n"
        assert child.wait() == 0
        machine.check_invariants()
        assert not machine.findings
