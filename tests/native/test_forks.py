"""Forks by Python and by C: which child has a driver, and what a child shares with its parent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.native.test_door import BUSY, HEAD

if TYPE_CHECKING:
    from collections.abc import Callable


ENDED = """
stop = True
for thread in threads:
    thread.join()
print(set(ended), cuda.cuMemAlloc_v2(ctypes.byref(place), size))
"""


def test_a_child_of_an_initialised_process_has_no_driver(script: Callable[..., str]) -> None:
    """Whatever other threads were doing: calls answer NOT_INITIALIZED, until a machine is attached there."""
    text = """
ended = []
version = ctypes.c_int()
for _ in range(20):
    child = os.fork()
    if child == 0:
        codes = [cuda.cuInit(0), cuda.cuMemAlloc_v2(ctypes.byref(place), size)]
        codes += [cuda.cuInit(1), cuda.cuDriverGetVersion(ctypes.byref(version))]
        other = fakecuda.Machine("h200")
        attach(other)
        codes += [cuda.cuInit(0), cuda.cuDeviceGetCount(ctypes.byref(place))]
        os._exit(0 if (codes, place.value) == ([3, 3, 1, 0, 0, 0], 1) else 1)
    ended.append(os.waitpid(child, 0)[1])
"""
    assert script(HEAD + BUSY + text + ENDED) == "{0} 0"


def test_a_child_forked_before_the_driver_was_initialised_has_one(script: Callable[..., str]) -> None:
    """It goes on with a copy of the machine: what it writes the parent does not see."""
    text = """
import ctypes, os
import fakecuda
from fakecuda.reach.native.door import attach
machine = fakecuda.Machine("h200")
other = machine.spawn()
other.c.cuInit(0), other.c.cuCtxCreate(None, 0, 0)
kept = other.c.cuMemAlloc(4096)[1]
other.c.cuMemsetD8(kept, 1, 4096)
attach(machine)
cuda = ctypes.CDLL("libcuda.so.1")
place, context = ctypes.c_uint64(), ctypes.c_uint64()

def work(value):
    codes = [cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), cuda.cuCtxSetCurrent(context)]
    codes += [cuda.cuMemAlloc_v2(ctypes.byref(place), ctypes.c_size_t(4096))]
    codes += [cuda.cuMemsetD8_v2(place, ctypes.c_ubyte(value), ctypes.c_size_t(4096))]
    room = ctypes.create_string_buffer(4096)
    codes += [cuda.cuMemcpyDtoH_v2(room, place, ctypes.c_size_t(4096))]
    return set(codes), set(room.raw)

def told():
    room = ctypes.create_string_buffer(4096)
    other.c.cuMemcpyDtoH(ctypes.addressof(room), kept, 4096)
    return set(room.raw)

child = os.fork()
if child == 0:
    right = told() == {1} and other.c.cuMemsetD8(kept, 9, 4096) == (0,)
    os._exit(0 if right and work(7) == ({0}, {7}) else 1)
print(os.waitpid(child, 0)[1], work(8), told())
machine.check_invariants()
"""
    assert script(text) == "0 ({0}, {8}) {1}"


def test_a_child_that_c_forked_has_no_driver(script: Callable[..., str]) -> None:
    """Python is not told of it, and may be held by a thread that is not there: stubs answer on their own."""
    text = """
cuda_held = ctypes.PyDLL("libcuda.so.1")
ended = []
# A child whose thread was asked for the GIL hands it over to threads that it does not have, and waits for ever.
sys.setswitchinterval(1000)
time.sleep(0.1)  # whoever waits by the old interval has asked by then, and was given it
for _ in range(20):
    # The GIL stays with the child: it is the calls that must not wait for it.
    child = ctypes.PyDLL(None).fork()
    if child == 0:
        codes = [cuda_held.cuInit(0), cuda_held.cuMemAlloc_v2(ctypes.byref(place), size)]
        os._exit(0 if codes == [3, 3] else 1)
    ended.append(os.waitpid(child, 0)[1])
"""
    assert script(HEAD + BUSY + text + ENDED) == "{0} 0"
