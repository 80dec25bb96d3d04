"""Older forms: what their recorded programs do not reach."""

from __future__ import annotations

from fakecuda import Machine
from fakecuda.spec.codes import Result

ALREADY_MAPPED, OUT_OF_MEMORY = int(Result.ALREADY_MAPPED), int(Result.OUT_OF_MEMORY)


def test_a_fault_of_the_newest_form_tells_no_results() -> None:
    """The older form of cuGraphExecUpdate tells why it fails, unless the newest form has not looked at the graphs."""
    with Machine() as machine:
        a = machine.spawn()
        assert a.c.cuInit(0) == (0,)
        assert a.c.cuCtxCreate(None, 0, 0)[0] == 0
        _, graph = a.c.cuGraphCreate(0)
        _, executable = a.c.cuGraphInstantiate(graph, 0)
        with machine.fail("cuGraphExecUpdate", code=OUT_OF_MEMORY, force=True):
            assert a.c.cuGraphExecUpdate_v1(executable, graph) == (OUT_OF_MEMORY, None, None)
        assert a.c.cuGraphExecUpdate_v1(executable, graph) == (0, 0, 0)


def test_a_handle_of_another_context_is_of_the_same_memory() -> None:
    """The older form of cuIpcOpenMemHandle knows it to be open, by each handle that the exporter has for it."""
    with Machine() as machine:
        a, b = machine.spawn(), machine.spawn()
        for process in (a, b):
            assert process.c.cuInit(0) == (0,)
            assert process.c.cuCtxCreate(None, 0, 0)[0] == 0
        _, memory = b.c.cuMemAlloc(4096)
        _, own = b.c.cuIpcGetMemHandle(memory)
        assert b.c.cuCtxCreate(None, 0, 0)[0] == 0
        _, other = b.c.cuIpcGetMemHandle(memory)
        assert own != other
        code, address = a.c.cuIpcOpenMemHandle_v1(other, 1)
        assert code == 0
        for handle in (own, other):
            assert a.c.cuIpcOpenMemHandle_v1(handle, 1)[0] == ALREADY_MAPPED
        assert a.c.cuIpcCloseMemHandle(address) == (0,)
        assert a.c.cuIpcOpenMemHandle_v1(own, 1)[0] == 0
