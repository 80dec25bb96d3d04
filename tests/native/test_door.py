"""What bites: threads that C made, interrupts, and the interpreter's exit."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fakecuda import Machine

START = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)

HEAD = """
import atexit, ctypes, os, random, signal, sys, threading, time
import fakecuda
from fakecuda.reach.native.door import attach, detach
machine = fakecuda.Machine()
attach(machine)
cuda = ctypes.CDLL("libcuda.so.1")
assert cuda.cuInit(0) == 0
context, place, size = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_size_t(4096)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
"""


def run_in_c_thread(start: Any) -> int:
    """Run a function in a thread that the C library makes; return what it returned."""
    process = ctypes.CDLL(None)
    thread, result = ctypes.c_ulong(), ctypes.c_void_p()
    code = process.pthread_create(ctypes.byref(thread), None, start, None)
    assert code == 0
    process.pthread_join(thread, ctypes.byref(result))
    return result.value or 0


def test_a_thread_of_c_has_a_stack_of_its_own(machine: Machine) -> None:
    """Contexts are current per OS thread, whoever made it; when it ends it is forgotten, for its id comes again."""
    c = machine.here.c
    c.cuInit(0)
    context = c.cuDevicePrimaryCtxRetain(0)[1]
    c.cuCtxSetCurrent(context)
    library = ctypes.CDLL("libcuda.so.1")
    seen: list[int] = []
    known = set(machine.here.threads)

    def start(_: int) -> int:
        place = ctypes.c_uint64(1)
        seen.append(library.cuMemAlloc_v2(ctypes.byref(place), ctypes.c_size_t(16)))
        seen.append(library.cuCtxSetCurrent(ctypes.c_uint64(context)))
        seen.append(library.cuMemAlloc_v2(ctypes.byref(place), ctypes.c_size_t(16)))
        seen.append(len(set(machine.here.threads) - known))
        return 0

    kept = START(start)
    for _ in range(20):
        run_in_c_thread(kept)
        assert seen == [201, 0, 0, 1]
        seen.clear()
        assert set(machine.here.threads) == known


def test_a_thread_may_start_in_the_driver(machine: Machine) -> None:
    """No Python of the caller's lies below a call: the stub itself is what the thread runs."""
    machine.here.c.cuInit(0)
    library = ctypes.CDLL("libcuda.so.1")
    assert run_in_c_thread(library.cuCtxSynchronize) == 201
    assert machine.log[-1].call == "cuCtxSynchronize"
    assert len(machine.here.threads) == 1


def test_threads_of_python_are_forgotten(machine: Machine) -> None:
    """Many threads, one after the other, leave nothing behind."""
    library = ctypes.CDLL("libcuda.so.1")
    for _ in range(20):
        thread = threading.Thread(target=library.cuInit, args=(0,))
        thread.start()
        thread.join()
    del thread
    assert not machine.here.threads


def test_threads_call_at_once(machine: Machine) -> None:
    """Each has its own results."""
    c = machine.here.c
    c.cuInit(0)
    context = ctypes.c_uint64(c.cuDevicePrimaryCtxRetain(0)[1])
    library = ctypes.CDLL("libcuda.so.1")
    addresses: list[list[int]] = []

    def work() -> None:
        library.cuCtxSetCurrent(context)
        mine: list[int] = []
        for _ in range(300):
            place = ctypes.c_uint64()
            assert library.cuMemAlloc_v2(ctypes.byref(place), ctypes.c_size_t(256)) == 0
            mine.append(place.value)
        addresses.append(mine)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({address for mine in addresses for address in mine}) == 1200
    machine.check_invariants()


BUSY = """
stop = False
def work():
    mine = ctypes.c_uint64()
    cuda.cuCtxSetCurrent(context)
    while not stop:
        cuda.cuMemAlloc_v2(ctypes.byref(mine), size)
        cuda.cuMemFree_v2(mine)
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
"""


STORM = """
assert cuda.cuMemGetInfo_v2(ctypes.byref(place), ctypes.byref(other)) == 0  # imports of its rules are none of the door's
hits, wrong = 0, []
chance = random.Random(0)
def call_for_long():
    # A function of its own: in Python 3.13.0 a loop's head lies outside of the try statement around the loop.
    signal.setitimer(signal.ITIMER_REAL, 0.00002 + chance.random() * 0.00006)
    while True:
        code = cuda.cuMemGetInfo_v2(ctypes.byref(place), ctypes.byref(other))
        if code:
            wrong.append(code)
for _ in range(400):
    try:
        call_for_long()
    except Raised:
        hits += 1
print(hits, set(wrong) - {999}, len(machine.findings))
"""


@pytest.mark.parametrize("what", ["interrupt", "exception"])
def test_a_signal_during_a_call_is_raised_after_it(script: Callable[..., str], what: str) -> None:
    """Ctrl-C, or what a handler raises, reaches the caller at once, wherever in the callback it struck."""
    handler = {
        "interrupt": "Raised = KeyboardInterrupt\nsignal.signal(signal.SIGALRM, signal.default_int_handler)\n",
        "exception": """
class Raised(Exception):
    pass
def handle(*_):
    raise Raised
signal.signal(signal.SIGALRM, handle)
""",
    }[what]
    assert script(HEAD + "other = ctypes.c_uint64()\n" + handler + STORM) == "400 set() 0"


def test_an_interrupt_keeps_its_own_exception(script: Callable[..., str]) -> None:
    """It is the very object that the handler raised, with its message."""
    text = """
import _thread
from fakecuda.reach.native.generated import callbacks
class Told(BaseException):
    pass
def interrupted(*_):
    raise Told("from a handler")
callbacks._cuMemFree = interrupted
try:
    code = cuda.cuMemFree_v2(0)
    for _ in range(3):
        pass
except Told as told:
    print(told, told.__traceback__.tb_frame.f_code.co_name)
"""
    assert script(HEAD + text).startswith("from a handler")


def test_a_mistake_in_a_thread_is_a_finding(script: Callable[..., str]) -> None:
    """Only the main thread can be given an exception; what is raised elsewhere is kept for the test's end."""
    text = """
from fakecuda.reach.native.generated import callbacks
def mistaken(*_):
    raise LookupError("of a finaliser")
callbacks._cuMemFree = mistaken
codes = []
thread = threading.Thread(target=lambda: codes.append(cuda.cuMemFree_v2(0)))
thread.start()
thread.join()
print(codes, [finding.call for finding in machine.findings], "of a finaliser" in str(machine.findings[0]))
detach(machine)
print(codes, len(machine.findings))
"""
    assert script(HEAD + text) == "[999] ['cuMemFree'] True\n[999] 1"


def test_what_is_no_concern_of_the_door_goes_to_the_former_hook(script: Callable[..., str]) -> None:
    """Other unraisable exceptions are reported as before."""
    text = """
sys.unraisablehook = lambda what: print("mine", repr(what.exc_value))
attach(machine)
class Loud:
    def __del__(self):
        raise ValueError("loud")
Loud()
hook = sys.unraisablehook
attach(machine)
print(sys.unraisablehook is hook)
"""
    assert script(HEAD + text) == "mine ValueError('loud')\nTrue"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param(BUSY.replace("target=work", "target=work, daemon=True"), id="daemon threads"),
        pytest.param(
            """
class Held:
    def __init__(self):
        self.place = ctypes.c_uint64()
        assert cuda.cuMemAlloc_v2(ctypes.byref(self.place), size) == 0
    def __del__(self, free=cuda.cuMemFree_v2):
        if free(self.place) != 0:
            os.write(2, b"not freed")
held = Held()
cycle = [Held()]
cycle.append(cycle)
sys.modules["held"] = Held()
""",
            id="finalisers",
        ),
        pytest.param(
            """
def work():
    process = ctypes.CDLL(None)
    thread = ctypes.c_ulong()
    while True:
        process.pthread_create(ctypes.byref(thread), None, cuda.cuCtxSynchronize, None)
        process.pthread_join(thread, None)
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.05)
""",
            id="threads of C",
        ),
        pytest.param(
            """
# A destructor of the C library, which runs when Python is gone.
process = ctypes.CDLL(None)
process.__cxa_atexit.argtypes = (ctypes.c_void_p,) * 3
for name in ("cuDevicePrimaryCtxRelease_v2", "cuCtxSynchronize", "cuStreamDestroy_v2"):
    process.__cxa_atexit(ctypes.cast(cuda[name], ctypes.c_void_p), None, None)
""",
            id="destructors of C",
        ),
    ],
)
def test_the_interpreter_ends_in_peace(script: Callable[..., str], text: str) -> None:
    """Whoever still calls the driver when Python ends, or later, gets success without effect."""
    assert script(HEAD + text + "\nprint('end')") == "end"


def test_at_exit_calls_succeed_without_effect(script: Callable[..., str]) -> None:
    """An exit handler that was there before the door runs after it is shut."""
    before = """
import atexit, ctypes
atexit.register(lambda: print(cuda.cuMemFree_v2(0), cuda.cuInit(5)))
"""
    assert script(before + HEAD + "print('end')") == "end\n0 0"


def test_machines_come_and_go_under_busy_threads(script: Callable[..., str]) -> None:
    """A call that is under way when its machine ends is answered; nothing is found, nothing crashes."""
    text = """
detach(machine)
stop = False
def work():
    mine, held, buffer = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.create_string_buffer(4096)
    while not stop:
        cuda.cuInit(0)
        cuda.cuDevicePrimaryCtxRetain(ctypes.byref(held), 0)
        cuda.cuCtxSetCurrent(held)
        for _ in range(20):
            if cuda.cuMemAlloc_v2(ctypes.byref(mine), size) == 0:
                codes.add(cuda.cuMemcpyHtoD_v2(mine, buffer, size))
                codes.add(cuda.cuMemcpyDtoH_v2(buffer, mine, size))
codes = set()
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
found = []
for _ in range(60):
    machine = fakecuda.Machine(strict=False)
    attach(machine)
    time.sleep(0.003)
    detach(machine)
    with machine.lock:
        machine.close()
    found += machine.findings
stop = True
for thread in threads:
    thread.join()
print(0 in codes, 999 in codes, found)
"""
    assert script(HEAD + text) == "True False []"


BAD_POINTER = """
import ctypes

def test_a_copy_to_nowhere(fakecuda):
    cuda = ctypes.CDLL("libcuda.so.1")
    context, place = ctypes.c_uint64(), ctypes.c_uint64()
    assert not cuda.cuInit(0) and not cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    assert not cuda.cuCtxSetCurrent(context)
    assert not cuda.cuMemAlloc_v2(ctypes.byref(place), ctypes.c_size_t(4096))
    cuda.cuMemcpyDtoH_v2(ctypes.c_void_p(0x1000), place, ctypes.c_size_t(4096))

def test_pytest_goes_on(fakecuda):
    assert fakecuda.machine is not None
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the door is Linux's")
def test_a_bad_pointer_of_the_host_fails_its_test_alone(tmp_path: Path) -> None:
    """It ended pytest by a segmentation fault, without a finding."""
    (tmp_path / "test_it.py").write_text(BAD_POINTER)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 1, run.stdout + run.stderr
    assert "1 failed, 1 passed" in run.stdout
    assert "copy.range.ADDRESS_IS_KNOWN" in run.stdout
