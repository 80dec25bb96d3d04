"""Processes in namespaces of their own, as containers have them: handles cross, and /proc has to be theirs, as with a driver."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import fakecuda
from fakecuda.reach.remote.client.client import RemoteMachine

if TYPE_CHECKING:
    from fakecuda import Machine
    from fakecuda.reach.remote.owner.endpoint import Offer

UNSHARE = ("unshare", "--user", "--map-root-user", "--pid", "--ipc", "--net", "--uts", "--fork")
OWN_PROC = "--mount-proc"
PROGRAM = """
import sys
from fakecuda.reach.remote.client.client import RemoteMachine
c = RemoteMachine(sys.argv[1]).here.c
code = c.cuInit(0)[0]
if code:
    sys.exit(code & 0xFF)
assert c.cuCtxCreate(None, 0, 0)[0] == 0
code, pointer = c.cuIpcOpenMemHandle(bytes.fromhex(sys.argv[2]), 1)
assert code == 0
back = bytearray(1 << 20)
assert c.cuMemcpyDtoH(back, pointer, len(back)) == (0,)
assert bytes(back) == b"n" * len(back)
"""


@pytest.fixture
def apart() -> tuple[str, ...]:
    """Return the words before a command that runs in namespaces of its own."""
    if (
        shutil.which(UNSHARE[0]) is None
        or subprocess.run([*UNSHARE, "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("no namespaces can be made here")
    return UNSHARE


def attach(apart: tuple[str, ...], path: Path, handle: bytes) -> int:
    """Return what the program ended with, which attaches in namespaces of its own and opens a handle."""
    search = os.pathsep.join(filter(None, [str(Path(fakecuda.__file__).parents[1]), os.environ.get("PYTHONPATH")]))
    command = [*apart, sys.executable, "-c", PROGRAM, str(path), handle.hex()]
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": search}, check=False).returncode


def test_handles_cross_namespaces(machine: Machine, sharing: Offer, apart: tuple[str, ...]) -> None:
    """A process whose numbers mean nothing here attaches, opens a handle, moves bytes and is seen to end."""
    c = RemoteMachine(sharing.path).here.c
    c.cuInit(0)
    c.cuCtxCreate(None, 0, 0)
    _, pointer = c.cuMemAlloc(1 << 20)
    c.cuMemsetD8(pointer, ord("n"), 1 << 20)
    _, handle = c.cuIpcGetMemHandle(pointer)
    assert attach((*apart, OWN_PROC), sharing.path, handle) == 0
    with machine.lock:
        assert [process.alive for process in machine.processes.values()] == [True, False]


def test_a_process_needs_a_proc_of_its_namespace(sharing: Offer, apart: tuple[str, ...]) -> None:
    """A driver's initialisation fails with OPERATING_SYSTEM (304) where /proc is still the host's."""
    assert attach(apart, sharing.path, bytes(64)) == 304 & 0xFF
