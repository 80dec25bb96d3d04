"""UCX, unmodified, in two processes without Python: bytes of one device are put into and got from another's memory."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Machine

    from .conftest import Program

FOUND = find_spec("libucx")
HOME = Path(FOUND.origin).parent if FOUND is not None and FOUND.origin else Path()
pytestmark = pytest.mark.skipif(FOUND is None, reason="libucx is not installed (pip install libucx-cu13)")


def test_bytes_are_put_and_got(
    machine: Machine, compile_program: Callable[..., Path], start: Callable[..., Program]
) -> None:
    """Each side compares every byte; the machine's log tells that they went over cuda_ipc."""
    program = compile_program(
        "ucx", "libcuda.so", options=(f"-I{HOME / 'include'}", f"-L{HOME / 'lib'}", "-lucp", "-lucs")
    )
    assert machine.offer is not None
    path = os.pathsep.join([machine.offer.environ()["LD_LIBRARY_PATH"], str(HOME / "lib")])
    environ = {"LD_LIBRARY_PATH": path, "UCX_TLS": "cuda_ipc,cuda_copy,posix,self"}
    target, source = (start(program, role, **environ) for role in ("target", "source"))
    for _ in range(3):  # the address of the worker, the key, the address of the memory
        source.say(target.line())
    assert source.line() == b"put".hex()
    target.say("look")
    assert target.end() == ""
    source.say("end")
    assert source.end() == ""
    (importer,) = [one.name for one in machine.processes.values() if str(source.process.pid) in one.command]
    made = [record.call for record in machine.log if record.process == importer and not record.code]
    assert made.count("cuIpcOpenMemHandle") == made.count("cuIpcCloseMemHandle") == 1
    assert made.count("cuMemcpyDtoDAsync") == 2  # over cuda_ipc: one is got, one is put
