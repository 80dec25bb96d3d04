"""Kernels of a shared machine, beside which other processes make their calls."""

from __future__ import annotations

import threading

import pytest

from fakecuda import Machine
from fakecuda.kernels import launch
from fakecuda.kernels.beside import Beside
from fakecuda.kernels.compiled import engine
from fakecuda.kernels.compiled import grid as compiled_grid

from .conftest import Child

PTX = b""".version 7.0
.target sm_70
.address_size 64
.visible .global .u32 counted;
.visible .entry count() { .reg .pred %p; .reg .b32 %r; mov.u32 %r, 0;
L: add.u32 %r, %r, 1; st.global.u32 [counted], %r; setp.lt.u32 %p, %r, 9000; @%p bra L; ret; }
"""


@pytest.mark.skipif(not engine.is_installed(), reason="needs the extra kernels")
def test_other_processes_call_beside_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's process runs the kernel without the lock, and answers another process meanwhile."""
    began, goes_on = threading.Event(), threading.Event()
    let = Beside.let

    def waiting(this: Beside) -> None:
        let(this)
        began.set()
        assert goes_on.wait(60)

    with Machine("h200", kernels="run") as machine, machine.shared(export=False) as offer:
        machine.ptx = launch.Runner()
        children = [Child(offer.path), Child(offer.path)]
        monkeypatch.setattr(Beside, "let", waiting)
        for name, value in (("SLICE", 5000), ("LONG", 0), ("SHORT", 0)):
            monkeypatch.setattr(compiled_grid, name, value)
        for one in children:
            assert one.call("cuInit", 0) == (0,)
            assert one.call("cuCtxCreate", None, 0, 0)[0] == 0
        first, second = children
        module = first.call("cuModuleLoadData", PTX)[1]
        function = first.call("cuModuleGetFunction", module, b"count")[1]
        first.call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, wait=False)
        assert began.wait(60)
        assert second.call("cuMemAlloc", 4096)[0] == 0
        assert second.call("cuCtxSynchronize") == (0,)
        goes_on.set()
        assert first.answer() == (0,)
        counted = first.call("cuModuleGetGlobal", module, b"counted")[1]
        assert first.call("cuMemcpyDtoH", "found", counted, 4) == (0,)
        assert first.call("state", "found")[0][:4] == (9000).to_bytes(4, "little")
        for one in children:
            one.kill()
