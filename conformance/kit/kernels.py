"""Code images of programs, and Python functions of their small kernels."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from fakecuda.errors import KernelError
from fakecuda.model.code.kernels import kernel, running
from fakecuda.model.graph.graph_run import current_graph, launch_graph
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.code.kernel_arrays import Array
    from fakecuda.model.code.kernels import Dim

HEAD = ".version 7.0\n.target sm_70\n.address_size 64\n"
BODY = """.visible .global .align 4 .u32 counter = 5;
.visible .global .align 8 .b8 table[256];
.visible .entry empty() { ret; }
.visible .entry store(.param .u64 p, .param .u32 v) { .reg .u64 %p; .reg .u32 %v; ld.param.u64 %p,[p]; ld.param.u32 %v,[v];
cvta.to.global.u64 %p,%p; st.global.u32 [%p],%v; ret; }
.visible .entry most() .maxntid 128, 1, 1 { ret; }
.visible .entry exact() .reqntid 64, 2, 1 { ret; }
.visible .entry fixed() { .shared .align 4 .b8 room[4096]; st.shared.u32 [room+64], 3; bar.sync 0; ret; }
"""
PTX = (HEAD + BODY).encode()
NEWER = (
    b".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry clustered() .reqnctapercluster 2, 1, 1 { ret; }\n"
)
"""PTX with a kernel that has a compiled cluster size."""
CALL = "{ .param .b64 g; .param .b64 s; .param .b32 c; st.param.b64 [g],0; st.param.b64 [s],0; call.uni (c),cudaGraphLaunch,(g,s); }"
LAUNCHERS = (
    HEAD
    + ".extern .func (.param .b32 c) cudaGraphLaunch (.param .b64 g, .param .b64 s);\n"
    + f".visible .entry launcher() {{ {CALL} ret; }}\n.func helper() {{ {CALL} ret; }}\n"
    + ".visible .entry caller() { call.uni helper; ret; }\n.visible .entry empty() { ret; }\n"
).encode()
"""PTX with kernels that launch a null graph, directly or by a function."""


@kernel("empty")
@kernel("nothing")
@kernel("most")
@kernel("exact")
@kernel("fixed")
@kernel("clustered")
def nothing(_grid: Dim, _block: Dim) -> None:
    """Do nothing."""


@kernel("launcher")
@kernel("caller")
def launch_none(_grid: Dim, _block: Dim) -> None:
    """Launch no graph. Outside of a graph the call fails on a card without a report."""
    with suppress(KernelError):
        assert launch_graph(0)


@kernel("trap")
def trap(_grid: Dim, _block: Dim) -> None:
    """Fail with LAUNCH_FAILED, as the instruction ``trap`` does."""
    running("trap").fault = Result.LAUNCH_FAILED


@kernel("store", "u32*", "u32")
def store(_grid: Dim, _block: Dim, place: Array, value: int) -> None:
    """Write a value."""
    place[0] = value


ITSELF = 1
"""The argument by which a kernel launches its own graph."""


@kernel("append", "u32*", "u32")
def append(_grid: Dim, _block: Dim, into: Array, value: int) -> None:
    """Append a value to a list that begins with its length."""
    count = into[0]
    into[0] = count + 1
    into[count + 1] = value


@kernel("launch", "u32*", "u32", "u64", "u64")
def launch(grid: Dim, block: Dim, into: Array, value: int, graph: int, stream: int) -> None:
    """Launch a graph and append the result to a list, up to a number of attempts."""
    left = into[-1]
    if left:
        into[-1] = left - 1
        append(grid, block, into, value + launch_graph(current_graph() if graph == ITSELF else graph, stream))
