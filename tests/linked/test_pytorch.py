"""PyTorch, unmodified: its allocator, streams, events, graphs, processes, and launches that are skipped."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from fakecuda import Machine

PYTHON = os.environ.get("FAKECUDA_TORCH") or (sys.executable if find_spec("torch") else "")
PROGRAM = Path(__file__).parent / "pytorch_host.py"
UNPACKS = sys.version_info >= (3, 14) or (find_spec("backports") and find_spec("backports.zstd")) is not None
pytestmark = [
    pytest.mark.skipif(
        not PYTHON, reason="PyTorch is not installed (.ci/long pytorch; FAKECUDA_TORCH names a Python that has it)"
    ),
    pytest.mark.skipif(not UNPACKS, reason="its kernels are compressed by Zstandard: pip install backports.zstd"),
]


def ran(machine: Machine, **environ: str) -> list[str]:
    """Run the program, whose libcudart is the machine's; return what it prints."""
    libraries = machine.link()
    environ = {**os.environ, **environ, "LD_PRELOAD": f"{libraries}/libcudart.so.13"}
    return subprocess.check_output([PYTHON, PROGRAM], env=environ, text=True, timeout=600).split()


def test_the_host_side_runs() -> None:
    """Only what reads a skipped kernel's result is found, and named."""
    with Machine("h200-x2", kernels="skip") as machine, machine.shared():
        assert ran(machine) == ["memory", "streams", "training", "graph", "processes", "read"]
    [finding] = machine.findings
    assert finding.rule.id == "execution.skipped.CONTENT_IS_KNOWN"
    assert "vectorized_elementwise_kernel" in str(finding)


def test_expandable_segments() -> None:
    """The allocator reserves addresses, and maps and unmaps memory there."""
    with Machine("h200-x2", kernels="skip") as machine, machine.shared():
        assert ran(machine, PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True") == ["segments"]
        made = {record.call for record in machine.log}
    assert {"cuMemAddressReserve", "cuMemCreate", "cuMemMap", "cuMemSetAccess", "cuMemUnmap", "cuMemRelease"} <= made
    assert not machine.findings
