"""Older forms answer alike through each door: by ctypes here, in an attached Python, and in a program in C."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fakecuda.reach.native.door import attach, detach
from tests.linked.older_forms import answers
from tests.linked.test_client import DRIVER, exported

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Machine
    from fakecuda.reach.process import Process

    from .conftest import Program

ROOT = Path(__file__).parents[2]
EXPECTED = """
cuCtxCreate_v2 1
cuCtxCreate_v2 0 1
cuCtxCreate_v3 1
cuCtxCreate_v3 0 1
cuCtxPushCurrent 201
cuDevicePrimaryCtxRelease 0
cuStreamBeginCapture 0
cuStreamGetCaptureInfo 0 1 1
cuStreamGetCaptureInfo_v2 0 1 0 0
cuStreamGetCaptureInfo_v3 0 0 0 0
cuStreamGetCaptureInfo 0 1 1
cuStreamGetCaptureInfo_v2 0 1 1 1
cuStreamGetCaptureInfo_v3 0 1 1 1
cuStreamEndCapture 0 1
cuStreamDestroy 0
cuMemAdvise 0
cuMemPrefetchAsync 0
cuMemAdvise 0
cuMemPrefetchAsync 0
cuMemAdvise 101
cuMemPrefetchAsync 101
cuMemcpyBatchAsync 0 18446744073709551615
cuMemcpyBatchAsync 1 1
cuIpcOpenMemHandle 0 1
cuIpcOpenMemHandle 208 1
cuGraphAddNode 0 1
cuGraphAddNode 0 1
cuGraphAddNode 0 1
cuGraphInstantiate 0 1 0 0 120
cuGraphExecUpdate 0 0 0
cuGraphExecUpdate 910 0 6
cuEventElapsedTime 400 0
cuEventElapsedTime 0 1
cuEventDestroy 0
cuMemAlloc 201 9
cuGetProcAddress 0 1
cuGetProcAddress 500 1
"""


def test_each_door_answers_alike(
    machine: Machine, exporter: Process, compile_program: Callable[..., Path], start: Callable[..., Program]
) -> None:
    """The lines are those that the recorded answers of a card lead to; each search is a call in the log."""
    handle = exported(exporter)[1].hex()
    in_c = start(compile_program("older_forms", DRIVER), handle).end()
    attached = start(Path(sys.executable), "-m", "tests.linked.older_forms", handle, PYTHONPATH=str(ROOT)).end()
    attach(machine)
    try:
        here = answers(bytes.fromhex(handle))
    finally:
        detach(machine)
    assert in_c.splitlines() == attached.splitlines() == here == EXPECTED.split("\n")[1:-1]
    assert [call.code for call in machine.log if call.call == "cuGetProcAddress_v1"] == [0, 500] * 3
