"""Executable graphs: what is made of a graph, and launched as often as one likes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.codes import Result
from fakecuda.model import graph
from fakecuda.model.graph import (
    CHILD,
    CONDITIONAL,
    KERNEL,
    MEMCPY,
    MEMSET,
)
from fakecuda.model.history import here
from fakecuda.model.stream import PER_THREAD
from fakecuda.rules.core import Broken, Rule, guard, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, ready
from fakecuda.rules.driver.graph.conditional import CONDITIONS_HAVE_NODES, followed
from fakecuda.rules.driver.graph.handle import executable_of, graph_of
from fakecuda.rules.driver.graph.params import PARAMETERS_ARE_GIVEN, usable
from fakecuda.rules.driver.graph.without_memory import alone, independent, only
from fakecuda.rules.driver.stream.handle import stream_of

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.graph import Body, Graph

    Params = tuple[int, int, int, int]
    """CUDA_GRAPH_INSTANTIATE_PARAMS: flags, a stream, a node that cannot be, and CUgraphInstantiateResult."""

AUTO_FREE, UPLOAD, DEVICE, NODE_PRIORITY = 1, 2, 4, 8
"""CUgraphInstantiate_flags."""
TOLD = AUTO_FREE | DEVICE
"""Those that cuGraphExecGetFlags tells; a driver tells nothing of priorities."""
LAUNCHED_BY_DEVICES = {KERNEL, MEMCPY, MEMSET}

FLAGS_ARE_KNOWN = Rule(
    "the flags are CUgraphInstantiate_flags, without that of an upload",
    Result.INVALID_VALUE,
    manual("cuGraphInstantiate", "Valid flags are"),
)
FLAGS_GO_TOGETHER = Rule(
    "a graph for launches by devices has no automatic free",
    Result.INVALID_VALUE,
    manual(
        "cuGraphInstantiate",
        "This flag cannot be used in conjunction with CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH",
    ),
)
DEVICES_CAN_LAUNCH = Rule(
    "a graph for launches by devices has kernels, copies and memsets, and nothing else",
    Result.INVALID_VALUE,
    manual(
        "cuGraphInstantiate", "The graph cannot be empty and must contain at least one kernel, memcpy, or memset node"
    ),
)
NODES_HAVE_AN_ORDER = Rule(
    "no node depends on itself by way of others",
    Result.INVALID_VALUE,
    manual("cuGraphInstantiate", "The graph is validated for any structural constraints"),
)
ERROR, INVALID_STRUCTURE, NOT_SUPPORTED, CONDITION_UNUSED = 1, 2, 3, 5
"""CUgraphInstantiateResult: for any reason, for the graph's structure, for a node that cannot be, for a condition of none."""
WRONG = {
    NODES_HAVE_AN_ORDER: INVALID_STRUCTURE,
    DEVICES_CAN_LAUNCH: NOT_SUPPORTED,
    CONDITIONS_HAVE_NODES: CONDITION_UNUSED,
}


@guard
def body(call: Call, handle: int, flags: int, known: int) -> tuple[Graph, Body]:
    """Return a graph, and what launches of it do.

    Args:
        call: The call.
        handle: The graph.
        flags: CUgraphInstantiate_flags.
        known: Those that the call knows.
    """
    if flags & ~known:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    current(call)
    made_of = graph_of(call, handle)
    if flags & AUTO_FREE and flags & DEVICE:
        raise FLAGS_GO_TOGETHER.broken(flags=flags)
    independent(made_of)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    nodes = [node for node in made_of.every() if node.kind != CHILD]
    if flags & DEVICE and not (nodes and all(node.kind in LAUNCHED_BY_DEVICES for node in nodes)):
        other = next((node for node in nodes if node.kind not in LAUNCHED_BY_DEVICES), None)
        raise DEVICES_CAN_LAUNCH.broken(graph=made_of, node=other)
    found = graph.body_of(made_of)
    if found is None:
        raise NODES_HAVE_AN_ORDER.broken(graph=made_of, node=next(node for node in made_of.every() if node.after))
    followed(made_of)
    only(made_of)
    if any(node.kind == CONDITIONAL for node in nodes):
        alone(made_of)
    for step in found.every():
        if step.kind == MEMSET:  # a copy is looked at when it is launched
            usable(call, MEMSET, step.params)
    return made_of, found


@DRIVER.op("cuGraphInstantiate")
def graph_instantiate(call: Call, handle: int, flags: int) -> int:
    """Return a new executable graph, which does what a graph describes now.

    Args:
        call: The call.
        handle: The graph.
        flags: CUgraphInstantiate_flags.
    """
    # CHECK
    made_of, found = body(call, handle, flags, AUTO_FREE | DEVICE | NODE_PRIORITY)
    # EFFECT
    return graph.instantiate(call.process, made_of, found, flags & TOLD, here()).handle


@DRIVER.op("cuGraphInstantiateWithParams")
def graph_instantiate_with_params(call: Call, handle: int, params: Params | None) -> tuple[int | None, Params]:
    """Return a new executable graph, and what a CUDA_GRAPH_INSTANTIATE_PARAMS tells of it, or of what went wrong.

    Args:
        call: The call.
        handle: The graph.
        params: Flags and a stream, a CUDA_GRAPH_INSTANTIATE_PARAMS.
    """
    # CHECK
    if params is None:
        raise PARAMETERS_ARE_GIVEN.broken()
    flags, stream, _, _ = params
    try:
        made_of, found = body(call, handle, flags, AUTO_FREE | UPLOAD | DEVICE | NODE_PRIORITY)
        if flags & UPLOAD:
            stream_of(call, stream, "cuGraphUpload")
    except Broken as broken:
        node = broken.facts.get("node")
        told = (0 if node is None else node.handle), WRONG.get(broken.rule, ERROR)
        raise broken.telling((None, (flags, stream, *told)))  # noqa: B904 - it is the same
    # EFFECT
    return graph.instantiate(call.process, made_of, found, flags & TOLD, here()).handle, (flags, stream, 0, 0)


@DRIVER.op("cuGraphExecDestroy")
def graph_exec_destroy(call: Call, handle: int) -> None:
    """Destroy an executable graph; launches that are under way go on."""
    # CHECK
    ready(call)
    executable = executable_of(call, handle)
    # EFFECT
    graph.end_executable(executable, here())


@DRIVER.op("cuGraphExecGetFlags")
def graph_exec_get_flags(call: Call, handle: int) -> int:
    """Return the flags that a graph was made executable with, CUgraphInstantiate_flags."""
    # CHECK
    ready(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    executable = executable_of(call, handle)
    # EFFECT
    return executable.flags


@guard
def placed(call: Call, stream: int) -> None:
    """Check that there is a context: a stream that was created has its own."""
    ready(call)
    if stream <= PER_THREAD:
        current(call)


@DRIVER.op("cuGraphUpload")
def graph_upload(call: Call, handle: int, stream: int) -> None:
    """Prepare the launch of an executable graph, which nothing shows."""
    # CHECK
    placed(call, stream)
    executable_of(call, handle)
    stream_of(call, stream, "cuGraphUpload")
