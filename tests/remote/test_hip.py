"""HIP in children of a shared machine: unmodified hip-python and ctypes reach it there as they do in the owner."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from fakecuda.machine import simulating
from fakecuda.reach.native.stubs import NATIVE, NEEDS

if TYPE_CHECKING:
    from pathlib import Path

if not NATIVE:
    pytest.skip(f"the native door needs {NEEDS}", allow_module_level=True)
hip = pytest.importorskip("rocm.bindings.hip", reason="hip-python: pip install -e '.[hip]'")
PROFILE = "hip-clr-2026"
CHILD = """
import ctypes, sys
from hip import hip

def check(answer):
    error, *results = answer
    assert error == hip.hipError_t.hipSuccess, error
    return results[0] if results else None

handle = hip.hipIpcMemHandle_st()
ctypes.memmove(int(handle), bytes.fromhex(sys.argv[1]), 64)
there = check(hip.hipIpcOpenMemHandle(handle, 1))
content = bytearray(5)
check(hip.hipMemcpy(content, there, 5, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
check(hip.hipMemcpy(there, b"child", 5, hip.hipMemcpyKind.hipMemcpyHostToDevice))
check(hip.hipIpcCloseMemHandle(there))
print(content.decode())
"""
BY_C = """
import ctypes
hip = ctypes.CDLL("/opt/rocm/lib/libamdhip64.so.7")
count, address, status = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_int()
assert hip.hipGetDeviceCount(ctypes.byref(count)) == 0
assert hip.hipGetProcAddress(b"hipGetDeviceCount", ctypes.byref(address), 700, ctypes.c_uint64(0), ctypes.byref(status)) == 0
found = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(address.value)
count.value = 0
assert found(ctypes.addressof(count)) == 0
import warnings
warnings.simplefilter("ignore")
assert hip.hipModuleLoad(None, b"x") == 801
assert (hip.hipGetLastError(), hip.hipGetLastError()) == (801, 0)
print(count.value)
"""
FORK = """
import os
from hip import hip
pid = os.fork()
if not pid:
    os._exit(40 + hip.hipGetDeviceCount()[1])
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def run(folder: Path, text: str, *arguments: str) -> str:
    """Run a program, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", text, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def test_memory_goes_from_one_process_to_another(tmp_path: Path) -> None:
    """What hipMalloc returns here is opened there by its handle, and both see it."""
    with simulating.simulate(PROFILE, shared=True):
        pointer = hip.hipMalloc(4096)[1]
        assert int(hip.hipMemcpy(pointer, b"owner", 5, hip.hipMemcpyKind.hipMemcpyHostToDevice)[0]) == 0
        error, handle = hip.hipIpcGetMemHandle(pointer)
        assert int(error) == 0
        assert run(tmp_path, CHILD, bytes(handle.reserved).hex()) == "owner"
        content = bytearray(5)
        assert int(hip.hipMemcpy(content, pointer, 5, hip.hipMemcpyKind.hipMemcpyDeviceToHost)[0]) == 0
        assert content == b"child"


@pytest.mark.parametrize(("text", "printed"), [(BY_C, "2"), (FORK, "42")], ids=["C", "fork"])
def test_a_program(text: str, printed: str, tmp_path: Path) -> None:
    """One that loads the library by a real one's path and asks it for addresses, and one that forks."""
    with simulating.simulate(PROFILE, shared=True):
        assert run(tmp_path, text) == printed


def test_a_machine_without_hip_brings_no_library(tmp_path: Path) -> None:
    """There is none beside the socket then, and none is found."""
    text = "import ctypes\ntry:\n    ctypes.CDLL('libamdhip64.so')\nexcept OSError:\n    print('none')"
    with simulating.simulate("h200", shared=True):
        assert run(tmp_path, text) == "none"
