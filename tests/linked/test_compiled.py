"""Programs with kernels: what nvcc makes of them, and nvcc itself where it is installed."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import kernel
from fakecuda.spec.cudart import soname

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Machine

    from .conftest import Program

PTX = b""".version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 counter = 5;
.visible .global .attribute(.managed) .align 8 .b8 shared[8];
.visible .entry scale(.param .u64 values, .param .f32 factor) { ret; }
"""
NVCC = os.environ.get("NVCC") or shutil.which("nvcc") or ""
majors = pytest.mark.parametrize("major", [13, 12])


def scaled(_grid: Any, block: Any, values: Any, factor: float) -> None:
    """Do the work of the kernel."""
    for place in range(block[0]):
        values[place] = values[place] * factor


kernel("scale", "f32*", "f32")(scaled)
kernel("_Z5scalePff", "f32*", "f32")(scaled)


def image() -> str:
    """Return the compiler's option with the bytes of a fatbin that has the text."""
    text = PTX + b"\0"
    part = struct.pack("<HHIQIIHHIQQQ", 1, 0, 64, len(text), 0, 0, 0, 7, 70, 0, 0, 0).ljust(64, b"\0") + text
    fatbin = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(part)) + part
    return f"-DIMAGE={','.join(map(str, fatbin))}"


@majors
def test_without_python(compile_program: Callable[..., Path], start: Callable[..., Program], major: int) -> None:
    """The program checks what its launches and its variables answer."""
    assert start(compile_program("compiled", soname(major), options=(image(),))).end() == ""


IN_PYTHON = """
import ctypes, sys
import fakecuda
from tests.linked import test_compiled
library = None
for _ in range(2):
    with fakecuda.simulate("h200-x2", strict=False) as machine:
        fakecuda.load_cudart(int(sys.argv[2]))
        library = library or ctypes.CDLL(sys.argv[1])
        print(library.compiled_program(), flush=True)
"""


@majors
def test_with_python(compile_program: Callable[..., Path], tmp_path: Path, major: int) -> None:
    """A library keeps what it has registered from one machine to the next."""
    library = compile_program("compiled", soname(major), options=("-shared", "-fPIC", image()))
    script = tmp_path / "script.py"
    script.write_text(IN_PYTHON)
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, str(script), str(library), str(major)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environ)
    assert (done.stdout, done.stderr) == ("0\n0\n", "")


WITHOUT_A_FUNCTION = """
import ctypes, sys
import fakecuda
fakecuda.load_cudart(13)  # no machine is needed yet
library = ctypes.CDLL(sys.argv[1])
print(library.launch_and_ask(0))
for text in range(2):
    try:
        with fakecuda.simulate("h200") as machine:
            library.launch_and_ask(text)
            print("the call has raised nothing", len(machine.findings))
    except fakecuda.FakeCudaError as error:
        print(type(error).__name__, "kernel scale has no Python function" in " ".join(str(error).split()))
"""


def test_what_a_launch_raises_outlives_the_next_calls(compile_program: Callable[..., Path], tmp_path: Path) -> None:
    """A program asks for the error of a launch at once: after that, too, the test fails. A text's call can raise nothing."""
    library = compile_program("compiled", soname(13), options=("-shared", "-fPIC", image()))
    script = tmp_path / "script.py"
    script.write_text(WITHOUT_A_FUNCTION)
    done = subprocess.run([sys.executable, str(script), str(library)], capture_output=True, text=True, check=False)
    assert (done.stdout.splitlines(), done.stderr) == (
        ["100", "KernelNotDefined True", "the call has raised nothing 1", "UndefinedBehaviour True"],
        "",
    )


ATTACHED = """
import ctypes, sys
from fakecuda.reach.remote.client.start import watch
watch()
print(ctypes.CDLL(sys.argv[1]).compiled_program(), flush=True)
"""


def test_in_an_attached_python(
    compile_program: Callable[..., Path], start: Callable[..., Program], tmp_path: Path
) -> None:
    """The owner reads the image and the arguments in the memory of the process."""
    library = compile_program("compiled", soname(13), options=("-shared", "-fPIC", image()))
    script = tmp_path / "script.py"
    script.write_text(ATTACHED)
    assert start(sys.executable, str(script), str(library)).end() == "0\n"


FIRST = """
#include <cstdio>
__device__ int counter = 5;
__constant__ float table[4] = {2, 2, 2, 2};
__managed__ int shared_value = 7;
__global__ void scale(float *values, float factor) { values[threadIdx.x] *= factor * table[0]; }
void more(float *values);
int main()
{
    float *values, back[4] = {1, 2, 3, 4}, factor = 2;
    int number = 0;
    cudaMalloc(&values, sizeof back);
    cudaMemcpy(values, back, sizeof back, cudaMemcpyDefault);
    scale<<<1, 4>>>(values, factor);
    void *arguments[] = {&values, &factor};
    cudaLaunchCooperativeKernel(scale, 1, 4, arguments);
    more(values);
    cudaMemcpy(back, values, sizeof back, cudaMemcpyDefault);
    cudaMemcpyFromSymbol(&number, counter, 4);
    printf("%g %g %d %d %s\\n", back[0], back[3], number, shared_value, cudaGetErrorName(cudaGetLastError()));
}
"""
SECOND = """
static __global__ void scale(float *values, float factor) { values[threadIdx.x] *= factor; }
void more(float *values) { scale<<<1, 4>>>(values, 2); }
"""


@pytest.mark.skipif(not NVCC, reason="nvcc is not installed: put it on PATH, or name it in NVCC")
def test_nvcc(machine: Machine, start: Callable[..., Program], tmp_path: Path) -> None:
    """Two files with kernels, variables of each kind and a cooperative launch start and launch."""
    sources = {"first.cu": FIRST, "second.cu": SECOND}
    for name, text in sources.items():
        (tmp_path / name).write_text(text)
    options = ("--cudart=shared", "-arch=sm_90", f"-L{machine.link()}")
    command = [NVCC, *options, *(str(tmp_path / name) for name in sources), "-o", str(tmp_path / "program")]
    subprocess.run(command, check=True, capture_output=True)
    assert start(tmp_path / "program").end() == "8 32 5 7 cudaSuccess\n"
