"""Code in C that goes on after a call has failed."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SCRIPT = """
import ctypes, sys
import fakecuda
PTX = b".version 8.0\\n.target sm_90\\n.address_size 64\\n.visible .entry unknown() { .shared .b32 a; st.shared.u32 [a], 3; ret; }"
with fakecuda.simulate("h200") as machine:
    machine.link()
    library = ctypes.CDLL(sys.argv[1])
    from cuda.bindings import driver
    driver.cuInit(0)
    driver.cuCtxCreate(None, 0, 0)
    _, module = driver.cuModuleLoadData(PTX + bytes(1))
    _, function = driver.cuModuleGetFunction(module, b"unknown")
    try:
        library.launch_and_name(ctypes.c_void_p(int(function)))
    except fakecuda.KernelNotDefined as error:
        print(ctypes.c_int.in_dll(library, "right").value, "unknown" in str(error))
"""


def test_the_texts_of_a_code_are_there_after_a_launch_that_raises(
    compile_program: Callable[..., Path], tmp_path: Path
) -> None:
    """An extension that shows the name of the code has it, and the launch's exception comes when it returns."""
    library = compile_program("goes_on", "libcuda.so", options=("-shared", "-fPIC"))
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run([sys.executable, str(script), str(library)], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("1 True\n", "")
