"""A CUDA runtime that asks for private tables: the message names its file and the way round."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fakecuda.reach.remote.linked.build import compiler
from fakecuda.spec import export_tables
from tests import warm

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Machine

    from .conftest import Program

REFUSED = "cuGetExportTable is not modelled: it answers CUDA_ERROR_NOT_SUPPORTED; "
RUNTIME_TABLES = sorted(one.hex() for one in export_tables.RUNTIME)
OTHER_TABLE = "00" * export_tables.ID_SIZE
DRIVER = "libcuda.so.1"
FOLDERS = (Path(sys.prefix), Path("/usr/local"))
STATIC = next((path for folder in FOLDERS for path in folder.glob("**/libcudart_static.a")), None)
"""NVIDIA's static runtime, from a wheel or a toolkit."""

FILES = {
    "program": ("", RUNTIME_TABLES[0], export_tables.STATIC),
    "every table": ("", RUNTIME_TABLES[-1], export_tables.STATIC),
    "other table": ("", OTHER_TABLE, export_tables.OTHER),
    "runtime": ("libcudart-6c1f.so.13", RUNTIME_TABLES[0], export_tables.SHARED),
    "bindings": ("cuda/bindings/_internal/runtime.so", RUNTIME_TABLES[0], export_tables.BINDINGS),
}
"""A file with code that requests a table: its name, the table, and the reason."""
files = pytest.mark.parametrize(("name", "table", "reason"), FILES.values(), ids=FILES)


@files
def test_a_program_in_c(
    compile_program: Callable[..., Path],
    start: Callable[..., Program],
    tmp_path: Path,
    name: str,
    table: str,
    reason: str,
) -> None:
    """It prints the message once for each file, whatever the number of calls."""
    built = compile_program("export_table", DRIVER)
    path = tmp_path / (name or "program")
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(built, path)
    out, said = start(path, table, table).process.communicate()
    assert out == b"801\n801\n"
    assert said.decode() == f"fakecuda: {REFUSED}{reason % path}\n"


IN_PYTHON = """
import _ctypes, ctypes, os, sys, warnings
import fakecuda
with fakecuda.simulate("h200-x2"), warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    library = _ctypes.dlopen(sys.argv[1], os.RTLD_NOW)  # as C code does
    ask = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p)(_ctypes.dlsym(library, "ask"))
    for _ in range(2):
        assert ask(sys.argv[2].encode()) == 801
print(*[one.message for one in seen], sep="\\n")
"""


@files
def test_a_library_in_python(
    compile_program: Callable[..., Path], tmp_path: Path, name: str, table: str, reason: str
) -> None:
    """The warning comes once for each file."""
    built = compile_program("export_table", options=("-shared", "-fPIC"))
    path = tmp_path / "copy" / (name or "program.so")
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(built, path)
    script = tmp_path / "script.py"
    script.write_text(IN_PYTHON)
    done = warm.run([sys.executable, str(script), str(path), table])
    assert (done.stdout, done.stderr) == (f"{REFUSED}{reason % path}\n", "")


def test_an_id_that_cannot_be_read(machine: Machine) -> None:
    """It is no runtime's, and an unknown caller has a name, too."""
    assert machine.offer is not None
    assert export_tables.reason("", b"") == export_tables.OTHER % export_tables.UNKNOWN_CALLER


@pytest.mark.skipif(STATIC is None, reason="no libcudart_static.a is installed: pip install nvidia-cuda-runtime")
def test_nvidias_static_runtime(machine: Machine, start: Callable[..., Program], tmp_path: Path) -> None:
    """The real one asks for the tables that are known, and the message names the program."""
    command, path, source = compiler(), tmp_path / "program", tmp_path / "program.c"
    assert command is not None
    assert STATIC is not None
    source.write_text("int cudaFree(void *);\nint main(void) { return cudaFree(0) != 801; }\n")
    subprocess.run([*command, source, STATIC, "-o", path, "-pthread", "-ldl", "-lrt", "-lm"], check=True)
    assert machine.link().exists()
    out, said = start(path).process.communicate()
    assert (out, said.decode()) == (b"", f"fakecuda: {REFUSED}{export_tables.STATIC % path}\n")
