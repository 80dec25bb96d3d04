"""A library that is closed too often, and ends of a program whose threads are inside calls: nothing is said, nothing hangs."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LIBRARIES = {
    "libcuda.so.1": "cuStreamSynchronize",
    "libnvidia-ml.so.1": "nvmlInit_v2",
    "libcudart.so.13": "cudaStreamSynchronize",
    "libcudart.so.12": "cudaStreamSynchronize",
    "libamdhip64.so": "hipStreamSynchronize",
    "libamdhip64.so.6": "hipStreamSynchronize",
    "libamdhip64.so.7": "hipStreamSynchronize",
}
"""A function of each library, which C calls in a loop."""
DRIVER, ALIASES = "libcuda.so.1", {"libcudart.so.12", "libamdhip64.so.6", "libamdhip64.so.7"}
COMMON = {"the block ends", "the block never ends"}
ALIKE = pytest.mark.long("another way, or library, of the same is taken on each commit")
BLOCK = """
with simulate() as machine:
    lib = open_library()
    {within}
{after}
"""
UNENDED = """
block = simulate()
machine = block.__enter__()
lib = open_library()
{within}
{after}
"""
CHILD = """
import os, subprocess, sys
if "FAKECUDA_CHILD" not in os.environ:
    with simulate():
        sys.exit(subprocess.run([sys.executable, __file__], env={{**os.environ, "FAKECUDA_CHILD": "1"}}).returncode)
lib = open_library()
{within}
{after}
"""
WAYS = {
    "the block ends": (BLOCK, ""),
    "the block ends, then exit": (BLOCK, "ctypes.CDLL(None).exit(0)"),
    "the block never ends": (UNENDED, ""),
    "sys.exit without an end": (UNENDED, "sys.exit()"),
    "exit of the C library without an end": (UNENDED, "ctypes.CDLL(None).exit(0)"),
    "a program that is attached": (CHILD, ""),
}
HEAD = """
import ctypes, sys, threading, time
import fakecuda

NAME, FUNCTION = {library!r}, {function!r}

def simulate():
    return fakecuda.simulate("hip-clr-2026" if "hip" in NAME else "h200-x2", strict=False, door="native")

def open_library():
    if "cudart" in NAME:
        fakecuda.load_cudart(int(NAME[-2:]))
    return ctypes.CDLL(NAME)
"""
CLOSE = """
libc = ctypes.CDLL(None)
libc.dlclose.argtypes = [ctypes.c_void_p]
libc.dlopen.restype, RTLD_LAZY = ctypes.c_void_p, 1
loaded = libc.dlopen(NAME.encode(), RTLD_LAZY)
assert loaded
for _ in range(9):
    libc.dlclose(ctypes.c_void_p(loaded))
    libc.dlclose(lib._handle)
"""
THREADS = """
def begin():
    if NAME == "libcuda.so.1":
        context, stream, place = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
        lib.cuInit(0)
        assert not lib.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
        assert not lib.cuCtxSetCurrent(context)
        assert not lib.cuStreamCreate(ctypes.byref(stream), 0)
        assert not lib.cuMemAlloc_v2(ctypes.byref(place), 4096)
        assert not lib.cuStreamWaitValue32_v2(stream, place, 1, 0)
        waits = threading.Thread(target=lib.cuStreamSynchronize, args=(stream,), daemon=True)
        waits.start()
    function = getattr(lib, FUNCTION)
    calls = ctypes.c_long.in_dll(C, "calls")
    assert not C.start(ctypes.cast(function, ctypes.c_void_p), 3)
    threading.Thread(target=lambda: [function(0) for _ in iter(int, 1)], daemon=True).start()
    while calls.value < 50:
        time.sleep(0.001)
"""
SOURCE = """
#include <pthread.h>
long calls;
static void *loop(void *function) {
    for (;;) { ((int (*)(void *))function)(0); __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST); }
}
int start(void *function, int count) {
    pthread_t thread;
    while (count--)
        if (pthread_create(&thread, 0, loop, function) || pthread_detach(thread)) return 1;
    return 0;
}
"""


def indented(text: str) -> str:
    """Return lines of a program that is put together of blocks."""
    return text.strip().replace("\n", "\n    ")


@pytest.mark.parametrize("library", [pytest.param(name, marks=ALIKE if name in ALIASES else ()) for name in LIBRARIES])
def test_a_library_is_closed_too_often(script: Callable[..., str], library: str) -> None:
    """As by code that counts wrong: it stays, and so does what Python writes into."""
    head = HEAD.format(library=library, function=LIBRARIES[library])
    again = "assert isinstance(getattr(lib, FUNCTION)(0), int)\nprint('end')"
    for way in sorted(COMMON):
        frame, after = WAYS[way]
        within = f"{CLOSE}\n{again}"
        assert script(head + frame.format(within=indented(within) if frame is BLOCK else within, after=after)) == "end"


@pytest.fixture(scope="module")
def loops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a library whose threads call a function for as long as they live."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler to make threads with that call without Python")
    folder = tmp_path_factory.mktemp("loops")
    (folder / "loops.c").write_text(SOURCE)
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-pthread", folder / "loops.c", "-o", folder / "loops.so"],
        check=True,
    )
    return folder / "loops.so"


@pytest.mark.parametrize(
    ("library", "way"),
    [
        pytest.param(library, way, marks=() if library == DRIVER or way in COMMON else ALIKE)
        for library in LIBRARIES
        if library not in ALIASES
        for way in WAYS
        if library == DRIVER or WAYS[way][0] is not CHILD  # a child finds the driver's library; the others lead there
    ],
)
def test_a_program_ends_while_threads_call(script: Callable[..., str], loops: Path, library: str, way: str) -> None:
    """Threads of C in a loop, daemons of Python, and one that waits for a stream: exit status 0, and nothing on stderr."""
    head = HEAD.format(library=library, function=LIBRARIES[library]) + f"C = ctypes.CDLL({str(loops)!r})\n" + THREADS
    frame, after = WAYS[way]
    within = "begin()\nprint('end', flush=True)"
    assert script(head + frame.format(within=indented(within) if frame is BLOCK else within, after=after)) == "end"
