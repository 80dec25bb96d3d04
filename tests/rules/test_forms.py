"""Older forms: what their recorded programs do not reach."""

from __future__ import annotations

from fakecuda import Machine
from fakecuda.spec.codes import Result

OUT_OF_MEMORY = int(Result.OUT_OF_MEMORY)


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
