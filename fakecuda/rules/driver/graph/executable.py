"""Executable graphs: instantiated graphs, which can be launched many times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.graph import executables, graph_launches
from fakecuda.model.graph.executables import DEVICE, body_of
from fakecuda.model.graph.graph import (
    CHILD,
    CONDITIONAL,
    EVENT_RECORD,
    KERNEL,
    MEMCPY,
    MEMSET,
    WAIT_EVENT,
)
from fakecuda.model.history import here
from fakecuda.model.work.stream import PER_THREAD
from fakecuda.model.work.waiting import finish
from fakecuda.rules.core import Broken, Rule, guard, manual, undefined
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.graph.conditional import CONDITIONS_HAVE_NODES, followed
from fakecuda.rules.driver.graph.handle import executable_of, graph_of
from fakecuda.rules.driver.graph.params import PARAMETERS_ARE_GIVEN, usable
from fakecuda.rules.driver.graph.updatable import single
from fakecuda.rules.driver.graph.without_memory import GRAPH_IS_ITS_OWN, alone, only
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.driver.stream.race import seen_in
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.graph.executables import Body, Executable, Step
    from fakecuda.model.graph.graph import Graph, Node

    Params = tuple[int, int, int, int]
    """CUDA_GRAPH_INSTANTIATE_PARAMS: flags, a stream, an error node, and a result."""

AUTO_FREE, UPLOAD, NODE_PRIORITY = 1, 2, 8
"""CUgraphInstantiate_flags, except the flag for device launch."""
OF_PARAMETERS = AUTO_FREE | UPLOAD | DEVICE | NODE_PRIORITY
"""The flags that cuGraphInstantiateWithParams knows."""
TOLD = AUTO_FREE | DEVICE
"""The flags that cuGraphExecGetFlags returns: all but the priority flag."""
LAUNCHED_BY_DEVICES = {KERNEL, MEMCPY, MEMSET}
ARRAY = 3
"""CU_MEMORYTYPE_ARRAY."""

FLAGS_ARE_KNOWN = Rule(
    "`flags` has only bits of CUgraphInstantiate_flags, and the upload bit only in the WithParams call",
    Result.INVALID_VALUE,
    manual("cuGraphInstantiate", "Valid flags are"),
    fix="combine flags of CUgraphInstantiate_flags that go together; use cuGraphUpload for an upload",
)
FLAGS_GO_TOGETHER = Rule(
    "`flags` does not have both the bit for device launch and the bit for automatic free on launch",
    Result.INVALID_VALUE,
    manual(
        "cuGraphInstantiate",
        "This flag cannot be used in conjunction with CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH",
    ),
    fix="leave out one of the two flags",
)
DEVICES_CAN_LAUNCH = Rule(
    "a graph for device launch, child graphs included, has kernel, memcpy and memset nodes only, and at least one",
    Result.INVALID_VALUE,
    manual(
        "cuGraphInstantiate", "The graph cannot be empty and must contain at least one kernel, memcpy, or memset node"
    ),
    fix="leave out CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH, or use only kernels, copies and memsets",
)
COPIES_ARE_OF_MEMORY = Rule(
    "a graph for device launch does not copy from or to arrays",
    Result.INVALID_VALUE,
    manual("cuGraphInstantiate", "Copies involving CUDA arrays are not permitted"),
    fix="copy to linear memory, and copy to or from the array in another graph that the host launches",
)
NODES_SHARE_A_CONTEXT = Rule(
    "all nodes of a device-launch graph use one context: a memset its memory's context, a copy the current context",
    Result.INVALID_VALUE,
    manual("cuGraphInstantiate", "The graph's nodes must reside on a single context"),
    fix="build one graph for each context, and instantiate it while that context is current",
)
NODES_HAVE_AN_ORDER = Rule(
    "the dependencies in the graph form no cycle",
    Result.INVALID_VALUE,
    manual("cuGraphInstantiate", "The graph is validated for any structural constraints"),
    fix="remove an edge of the cycle with cuGraphRemoveDependencies",
)
LAUNCHERS_SHARE_A_CONTEXT = Rule(
    "all kernels of the graph that launch graphs belong to one context",
    Result.INVALID_VALUE,
    manual(
        "cuGraphInstantiate",
        "contains kernels which call device-side cudaGraphLaunch() from multiple contexts, this will result in an error",
    ),
    fix="build one graph for each context whose kernels launch graphs",
)
CONTEXTS_OUTLIVE_GRAPHS = Rule(
    "no context of a kernel, memset, memcpy, event or batch memory operation node of the graph has been destroyed",
    Result.INVALID_VALUE,
    undefined(
        "cuGraphInstantiate",
        "the manual says nothing about contexts that were destroyed; driver 580 crashes",
    ),
    fix="instantiate the graph before cuCtxDestroy, or build it again with nodes of another context",
)
CODE_OUTLIVES_GRAPHS = Rule(
    "the modules and libraries of the graph's kernel nodes are loaded when it is instantiated",
    Result.INVALID_VALUE,
    undefined(
        "cuGraphInstantiate",
        "the manual says nothing about modules and libraries that were unloaded; driver 580 crashes",
    ),
    fix="instantiate the graph before you unload the module or library, or build it again with loaded functions",
)
EVENTS_OUTLIVE_GRAPHS = Rule(
    "no event of the graph's event nodes has been destroyed when it is instantiated",
    Result.INVALID_VALUE,
    undefined("cuGraphInstantiate", "the manual says nothing about events that were destroyed; driver 580 crashes"),
    fix="destroy the event after you instantiate the graph, or give the node another event before",
)
CONTEXTS_OUTLIVE_EXECUTABLES = Rule(
    "no context of a kernel, memset, memcpy, event or batch memory operation node of the executable graph has been destroyed",
    Result.INVALID_VALUE,
    undefined(
        "cuGraphExecDestroy",
        "the manual says nothing about contexts that were destroyed; driver 580 does not return, or crashes",
    ),
    fix="upload and destroy the executable graph before you destroy the contexts of its nodes",
)
ERROR, INVALID_STRUCTURE, NOT_SUPPORTED, SEVERAL_CONTEXTS, CONDITION_UNUSED = 1, 2, 3, 4, 5
"""Values of CUgraphInstantiateResult, in the enumeration's order."""
WRONG = {
    NODES_HAVE_AN_ORDER: INVALID_STRUCTURE,
    DEVICES_CAN_LAUNCH: NOT_SUPPORTED,
    COPIES_ARE_OF_MEMORY: NOT_SUPPORTED,
    NODES_SHARE_A_CONTEXT: SEVERAL_CONTEXTS,
    LAUNCHERS_SHARE_A_CONTEXT: SEVERAL_CONTEXTS,
    CONDITIONS_HAVE_NODES: CONDITION_UNUSED,
}


@guard
def _by_devices(call: Call, of: Graph, nodes: list[Node], working: Context) -> Context:
    """Return the context of a graph for device launch.

    Args:
        call: The call.
        of: The graph.
        nodes: Its nodes, those of children too.
        working: The context of memcpy nodes.
    """
    if not nodes:
        raise DEVICES_CAN_LAUNCH.broken(graph=of, node=None)
    found = None
    for node in nodes:
        if node.kind not in LAUNCHED_BY_DEVICES:
            raise DEVICES_CAN_LAUNCH.broken(graph=of, node=node)
        if node.kind == MEMCPY and ARRAY in (node.params[0][4], node.params[0][15]):
            raise COPIES_ARE_OF_MEMORY.broken(graph=of, node=node)
        context = working
        if node.kind == KERNEL:
            context = node.params.function.module.context
        elif node.kind == MEMSET:
            memory = call.process.memory.at(node.params[0][0])
            context = getattr(memory, "context", None) or node.params[1] or context
        if found is not None and context is not found:
            raise NODES_SHARE_A_CONTEXT.broken(graph=of, node=node, context=context, others=found)
        found = context
    assert found is not None
    return found


@guard
def _launching(of: Graph, nodes: list[Node]) -> Context | None:
    """Return the context of the kernels of a graph that launch graphs. None if no kernel does."""
    found = None
    for node in nodes:
        if node.kind == KERNEL and node.params.function.entry.launches:
            context = node.params.function.module.context
            if found is not None and context is not found:
                raise LAUNCHERS_SHARE_A_CONTEXT.broken(graph=of, node=node, context=context, others=found)
            found = context
    return found


@guard
def require_stream_context(call: Call, stream: int) -> None:
    """Check that a stream has a context: its own, or the current one."""
    require_initialized(call)
    if stream <= PER_THREAD:
        current(call)


@guard
def body(
    call: Call, handle: int, flags: int, known: int, stream: int = 0
) -> tuple[Graph, Body, int, Context | None, Context | None]:
    """Return the checked contents of an executable graph.

    Args:
        call: The call.
        handle: The graph.
        flags: CUgraphInstantiate_flags.
        known: Those that the call knows.
        stream: The stream of an upload.
    """
    if flags & ~known:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    require_stream_context(call, stream if flags & UPLOAD else 0)
    made_of = graph_of(call, handle)
    if flags & AUTO_FREE and flags & DEVICE:
        raise FLAGS_GO_TOGETHER.broken(flags=flags)
    if made_of.owner is not None:
        raise GRAPH_IS_ITS_OWN.broken(graph=made_of, node=made_of.owner)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    nodes = [node for node in made_of.every() if node.kind != CHILD]
    context = None
    if flags & DEVICE:
        uploads = call.process.streams.get(stream) if flags & UPLOAD else None
        context = _by_devices(call, made_of, nodes, current(call) if uploads is None else uploads.context)
    found = body_of(made_of)
    if found is None:
        single(call, made_of)
        raise NODES_HAVE_AN_ORDER.broken(graph=made_of, node=next(node for node in made_of.every() if node.after))
    followed(made_of)
    only(made_of)
    single(call, made_of)
    if any(node.kind == CONDITIONAL for node in nodes):
        alone(made_of)
    launcher = _launching(made_of, nodes)
    for step in found.every():
        outlived(call, made_of, step)
        if step.kind == MEMSET:  # a copy is looked at when it is launched
            usable(call, MEMSET, step.params, known=True)
    return made_of, found, flags & TOLD, context, launcher


def _home(step: Step) -> Context | None:
    """Return the context that a step needs; None if any context will do."""
    return step.home if step.kind != CONDITIONAL else None


@guard
def outlived(call: Call, of: Graph, step: Step) -> None:
    """Check that the context and the event of a step have not been destroyed, and that the code of a kernel is loaded."""
    home = _home(step)
    if home is not None and home.destroyed:
        call.undefined(CONTEXTS_OUTLIVE_GRAPHS, graph=of, node=step.node, context=home)
        raise CONTEXTS_OUTLIVE_GRAPHS.broken(graph=of, node=step.node, context=home)
    if step.kind == KERNEL and step.params.function.module.ended:
        call.undefined(CODE_OUTLIVES_GRAPHS, graph=of, node=step.node, function=step.params.function)
        raise CODE_OUTLIVES_GRAPHS.broken(graph=of, node=step.node, function=step.params.function)
    if step.kind in {EVENT_RECORD, WAIT_EVENT} and step.params.destroyed:
        call.undefined(EVENTS_OUTLIVE_GRAPHS, graph=of, node=step.node, event=step.params)
        raise EVENTS_OUTLIVE_GRAPHS.broken(graph=of, node=step.node, event=step.params)


@DRIVER.op("cuGraphInstantiate")
def graph_instantiate(call: Call, handle: int, flags: int) -> int:
    """Instantiate a graph in its current state.

    Args:
        call: The call.
        handle: The graph.
        flags: CUgraphInstantiate_flags.
    """
    # CHECK
    made = body(call, handle, flags, AUTO_FREE | DEVICE | NODE_PRIORITY)
    # EFFECT
    return executables.instantiate(call.process, *made, here()).handle


@DRIVER.op("cuGraphInstantiateWithParams")
def graph_instantiate_with_params(call: Call, handle: int, params: Params | None) -> tuple[int | None, Params]:
    """Instantiate a graph, and write the result or the reason of a failure into the CUDA_GRAPH_INSTANTIATE_PARAMS.

    Args:
        call: The call.
        handle: The graph.
        params: Flags and a stream, a CUDA_GRAPH_INSTANTIATE_PARAMS.
    """
    # CHECK
    if params is None:
        raise PARAMETERS_ARE_GIVEN.broken()
    flags, stream, _, _ = params
    working = None
    try:
        made = body(call, handle, flags, OF_PARAMETERS, stream)
        if flags & UPLOAD:
            working = stream_of(call, stream, "cuGraphUpload")
    except Broken as broken:
        node = broken.facts.get("node")
        told = (0 if node is None else node.handle), WRONG.get(broken.rule, ERROR)
        raise broken.telling((None, (flags, stream, *told)))  # noqa: B904 - it is the same
    # EFFECT
    executable = executables.instantiate(call.process, *made, here(), uploaded=working is not None)
    if working is not None and executable.flags & DEVICE:
        graph_launches.upload(executable, working)
    return executable.handle, (flags, stream, 0, 0)


@guard
def _in_contexts(call: Call, executable: Executable) -> None:
    """Check that no context of a step has been destroyed."""
    for step in executable.body.every():
        home = _home(step)
        if home is not None and home.destroyed:
            call.undefined(CONTEXTS_OUTLIVE_EXECUTABLES, executable=executable, node=step.node, context=home)
            raise CONTEXTS_OUTLIVE_EXECUTABLES.broken(executable=executable, node=step.node, context=home)


@DRIVER.op("cuGraphExecDestroy")
def graph_exec_destroy(call: Call, handle: int) -> None:
    """Destroy an executable graph.

    In-flight launches continue, except if the graph or its kernels take part in device launches.
    """
    # CHECK
    require_initialized(call)
    executable = executable_of(call, handle)
    _in_contexts(call, executable)
    for context in dict.fromkeys((executable.context, executable.launcher)):
        if context is not None:
            finish(context)
            seen_in(call, context, by=orders.GRAPH_ENDED)
    # EFFECT
    executables.end_executable(executable, here())


@DRIVER.op("cuGraphExecGetFlags")
def graph_exec_get_flags(call: Call, handle: int) -> int:
    """Return the CUgraphInstantiate_flags with which a graph was instantiated."""
    # CHECK
    require_initialized(call)
    executable = executable_of(call, handle)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    # EFFECT
    return executable.flags


@DRIVER.op("cuGraphUpload")
def graph_upload(call: Call, handle: int, stream: int) -> None:
    """Upload an executable graph. Only graphs that kernels launch show a difference."""
    # CHECK
    require_stream_context(call, stream)
    executable = executable_of(call, handle)
    working = stream_of(call, stream, "cuGraphUpload")
    _in_contexts(call, executable)
    # EFFECT
    races, pending = call.machine.races, call.machine.scheduler.pending
    if pending or executable.flags & DEVICE or executable.last is not None or (races is not None and races.streams):
        graph_launches.upload(executable, working)
