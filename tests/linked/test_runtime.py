"""A C program that is linked to libcudart: its process has a Python that leads calls, or has none."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from fakecuda.rules.registry import RUNTIME
from fakecuda.spec.cudart import exported, soname
from tests import warm

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fakecuda import Machine

    from .conftest import Program

READELF = shutil.which("readelf") or ""
majors = pytest.mark.parametrize("major", [13, 12])


def defined(major: int) -> tuple[str, ...]:
    """Return the option that tells a program which library it is linked to."""
    return (f"-DEXPECTED_MAJOR={major}",)


@majors
def test_without_python(compile_program: Callable[..., Path], start: Callable[..., Program], major: int) -> None:
    """The program checks what its calls answer."""
    program = start(compile_program("runtime", soname(major), options=defined(major)))
    out, said = program.process.communicate()
    assert (program.process.returncode, out, said.decode()) == (0, b"", "")


IN_PYTHON = """
import ctypes, sys, warnings
warnings.simplefilter("error")
import fakecuda
from fakecuda.errors import NotModelledWarning
warnings.simplefilter("ignore", NotModelledWarning)
with fakecuda.simulate("h200-x2", strict=False) as machine:
    assert fakecuda.load_cudart(int(sys.argv[2])) == fakecuda.load_cudart(int(sys.argv[2]))
    print(ctypes.CDLL(sys.argv[1]).runtime_program(), flush=True)
    print({name for name, process in machine.processes.items() if process.runtimes.started})
"""


@majors
def test_with_python(compile_program: Callable[..., Path], tmp_path: Path, major: int) -> None:
    """A library that is linked finds the one that Python has loaded, and its calls are this process's."""
    library = compile_program("runtime", soname(major), options=("-shared", "-fPIC", *defined(major)))
    script = tmp_path / "script.py"
    script.write_text(IN_PYTHON)
    done = warm.run([sys.executable, str(script), str(library), str(major)])
    assert (done.stdout, done.stderr) == ("0\n{'here'}\n", "")


ATTACHED = """
import ctypes, sys, warnings
from fakecuda.errors import NotModelledWarning
from fakecuda.reach.remote.client.start import watch
warnings.simplefilter("ignore", NotModelledWarning)
watch()
print(ctypes.CDLL(sys.argv[1]).runtime_program(), flush=True)
"""


@majors
def test_in_an_attached_python(
    machine: Machine, compile_program: Callable[..., Path], start: Callable[..., Program], tmp_path: Path, major: int
) -> None:
    """A Python that the machine's programs start has one process there, whatever its libraries are linked to."""
    library = compile_program("runtime", soname(major), options=("-shared", "-fPIC", *defined(major)))
    script = tmp_path / "script.py"
    script.write_text(ATTACHED)
    program = start(sys.executable, str(script), str(library))
    assert program.end() == "0\n"
    assert list(machine.processes) == ["a"]


@majors
@pytest.mark.skipif(not READELF, reason="readelf is not installed")
def test_symbols_have_the_version(machine: Machine, major: int) -> None:
    """Programs ask for the symbols of this version, by the library's name."""
    path = machine.link() / soname(major)
    told = subprocess.run([READELF, "-W", "--dyn-syms", str(path)], capture_output=True, text=True, check=True).stdout
    for one in (*exported(major), ("__cudaRegisterFatBinaryEnd",), ("cudaCreateChannelDesc",)):
        assert f" {one[0]}@@{soname(major)}\n" in told, one


def test_forms_of_cuda_12(compile_program: Callable[..., Path], start: Callable[..., Program]) -> None:
    """A program that was built for CUDA 12 calls forms that CUDA 13 has no more."""
    assert start(compile_program("twelve", soname(12), options=defined(12))).end() == ""


def test_every_call_in_scope_is_exported() -> None:
    """By its name in the library of CUDA 13, or as a form that the one of CUDA 12 has alone."""
    forms = set(RUNTIME.ops) - {one.name for one in exported(13)}
    older = {one.call: one.name for one in exported(12) if not one.own_stream}
    assert {older[form].removesuffix("_v2") for form in forms} == {form[:-3] for form in forms}
    assert not forms & {one.call for one in exported(13)}
    assert "cudaMemcpyBatchAsync" not in older
