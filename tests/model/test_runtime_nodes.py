"""Nodes of any type by the runtime API, as far as libraries of CUDA 13.1 and later know them; the recorded one is of 13.0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine, NotModelledWarning
from fakecuda.spec.codes import Result
from fakecuda.spec.node_params import KERNEL, MEMSET, RUNTIME_LAYOUTS, pack

if TYPE_CHECKING:
    from collections.abc import Iterator

FUNCTION = 3
"""cudaKernelFunctionTypeFunction."""
PTX = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry nothing() { ret; }
"""


@pytest.fixture
def c() -> Iterator[Any]:
    """The calls of a process with a context."""
    with Machine("h200", strict=False, seed=0) as machine:
        calls = machine.spawn().c
        assert calls.cudaSetDevice(0) == (0,)
        yield calls


def test_a_node_runs_a_function_of_the_driver(c: Any) -> None:
    """Whose type says so."""
    function = c.cuModuleGetFunction(c.cuModuleLoadData(PTX)[1], b"nothing")[1]
    given = pack(KERNEL, (function, *[1] * 6, 0, 0, 0, 0, FUNCTION), layouts=RUNTIME_LAYOUTS)
    code, node, _ = c.cudaGraphAddNode(c.cudaGraphCreate(0)[1], None, None, 0, given)
    assert code == 0
    assert c.cuGraphKernelNodeGetParams(node)[1][0] == function
    assert c.cudaGraphNodeSetParams(node, given) == (0,)


def test_a_node_of_an_execution_context_is_not_modelled(c: Any) -> None:
    """A library of 13.1 would follow it."""
    given = pack(MEMSET, (c.cudaMalloc(4096)[1], 0, 7, 1, 16, 1, 1), layouts=RUNTIME_LAYOUTS)
    with pytest.warns(
        NotModelledWarning, match="cudaGraphAddNode: nodes with an execution context or a mode of the host"
    ):
        assert c.cudaGraphAddNode(c.cudaGraphCreate(0)[1], None, None, 0, given)[0] == Result.NOT_SUPPORTED
