"""What kernels print, in the output of the program that has launched them."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import fakecuda
from fakecuda.kernels import launch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from fakecuda import Machine

    from .conftest import Program

IN_PYTHON = """
import sys
from cuda.bindings import driver

driver.cuInit(0)
driver.cuCtxCreate(None, 0, 0)
_, module = driver.cuModuleLoadData(sys.argv[1].encode())
_, function = driver.cuModuleGetFunction(module, b"say")
print("before")
driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)
print("after")
"""
TEXT = """.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 said[8] = {107, 101, 114, 110, 101, 108, 10, 0};
.visible .entry say() {
.reg .b64 %d<3>; .param .b64 f; .param .b64 a; .param .b32 r;
mov.u64 %d1, said; cvta.global.u64 %d1, %d1; mov.u64 %d2, 0; st.param.b64 [f], %d1; st.param.b64 [a], %d2;
call (r), vprintf, (f, a); ret; }
"""


def test_in_a_program_in_c(
    machine: Machine,
    compile_program: Callable[..., Path],
    start: Callable[..., Program],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It stands where the program would print it itself; the owner prints nothing."""
    launch.install(machine)
    assert start(compile_program("prints", "libcuda.so.1")).end() == "before\nkernel\nkernel\nafter\n"
    assert not capsys.readouterr().out


def test_in_a_program_in_python() -> None:
    """As in C."""
    with fakecuda.simulate("h200", kernels="run"):
        command = [sys.executable, "-c", IN_PYTHON, TEXT]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("before\nkernel\nafter\n", "")
