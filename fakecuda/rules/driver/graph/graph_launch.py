"""cuGraphLaunch: a stream runs an executable graph.

A launch runs the nodes in the stream's order, each node after those that it depends on. Nodes without an
order among them also run one after the other, which is one of the orders that a device may choose. If a kernel sets
a condition, and work is queued before it, the stream follows the condition when it gets there.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from fakecuda.model.code import kernels
from fakecuda.model.graph import graph_launches, graph_memory, user_object
from fakecuda.model.graph.graph import (
    BATCH_MEM_OP,
    CHILD,
    CONDITIONAL,
    EMPTY,
    EVENT_RECORD,
    HOST,
    KERNEL,
    MEM_ALLOC,
    MEM_FREE,
    MEMCPY,
    MEMSET,
    WAIT_EVENT,
)
from fakecuda.model.history import here
from fakecuda.model.memory.memory import Allocation
from fakecuda.model.work import stream_scheduler
from fakecuda.rules.core import Broken, Rule, guard, observed, undefined
from fakecuda.rules.driver.copy.memset import fill_rows
from fakecuda.rules.driver.copy.plan import queue
from fakecuda.rules.driver.execution.submitted import submit
from fakecuda.rules.driver.graph import branches
from fakecuda.rules.driver.graph.by_device import begin_run, end_run, taking_turns
from fakecuda.rules.driver.graph.choice import follow
from fakecuda.rules.driver.graph.conditional import guided, is_set, reached, valued
from fakecuda.rules.driver.graph.executable import AUTO_FREE, require_stream_context
from fakecuda.rules.driver.graph.handle import executable_of
from fakecuda.rules.driver.graph.memory import launchable, room_for
from fakecuda.rules.driver.graph.params import FAULTS, MEMORY_IS_THERE, plan_of, rows_of
from fakecuda.rules.driver.pool.handle import release
from fakecuda.rules.driver.stream.function import called
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.driver.stream.launch_host_func import FUNCTION, FUNCTION_IS_GIVEN
from fakecuda.rules.driver.stream.stream_batch_mem_op import do
from fakecuda.rules.driver.stream.stream_batch_mem_op import steps as steps_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import mem_ops
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.graph.conditional import Choice
    from fakecuda.model.graph.executables import Executable, Step
    from fakecuda.model.graph.graph_memory import Planned
    from fakecuda.model.graph.graph_run import GraphRun
    from fakecuda.model.work.batch import Batch
    from fakecuda.model.work.launch import Launch
    from fakecuda.model.work.stream import Stream

FREES_FOLLOW_ALLOCATIONS = Rule(
    "memory that the graph allocates and frees is freed by a node that comes after its allocation node",
    Result.INVALID_VALUE,
    undefined("cuGraphLaunch", "the manual says nothing about a free node without a path from the allocation node"),
    fix="make the free node depend on the allocation node, or on a node that uses the memory",
)
CODE_IS_LOADED = Rule(
    "the modules and libraries of the graph's kernel nodes have not been unloaded",
    Result.INVALID_VALUE,
    undefined("cuGraphLaunch", "the manual says nothing about modules and libraries that were unloaded"),
    fix="unload the module or library after the last launch of the graph",
)
CONTEXTS_OUTLIVE_LAUNCHES = Rule(
    "no context of a memset, memcpy, event or batch memory operation node of the graph has been destroyed",
    Result.INVALID_VALUE,
    undefined(
        "cuGraphLaunch",
        "the manual says nothing about contexts that were destroyed; driver 580 crashes or does not return",
    ),
    fix="destroy the contexts of the graph's nodes after its last launch",
)
OPERATIONS_HAVE_MEMORY = Rule(
    "no batch memory operation of the graph uses memory that was freed",
    Result.INVALID_VALUE,
    observed(
        "cuGraphLaunch", "the driver answers INVALID_VALUE to a captured cuStreamWriteValue32 whose memory was freed"
    ),
    fix="free the memory of values after the last launch of the graph",
)


@guard
def in_order(call: Call, executable: Executable) -> None:
    """Check that no launch frees memory before the graph has allocated it."""
    later = set(graph_memory.of_steps(executable, MEM_ALLOC))
    for step in executable.body.every() if later else ():
        if step.kind == MEM_ALLOC:
            later.discard(step.params)
        elif step.kind == MEM_FREE and step.params in later:
            call.undefined(FREES_FOLLOW_ALLOCATIONS, memory=step.params, executable=executable)
            raise FREES_FOLLOW_ALLOCATIONS.broken(memory=step.params, executable=executable)


@guard
def meant(call: Call, launch: Launch) -> None:
    """Check that a kernel node's code is loaded, and a function defines the kernel.

    Raises:
        KernelNotDefined: It has none, and the machine does not skip its launches.
    """
    if launch.function.module.ended:
        call.undefined(CODE_IS_LOADED, function=launch.function)
        raise CODE_IS_LOADED.broken(function=launch.function)
    kernels.require_meaning(launch.function)


@guard
def at_home(call: Call, step: Step) -> None:
    """Check that the context of a memset, memcpy, event or batch memory operation node has not been destroyed."""
    home = step.home
    if home is not None and home.destroyed:
        call.undefined(CONTEXTS_OUTLIVE_LAUNCHES, node=step.node, context=home)
        raise CONTEXTS_OUTLIVE_LAUNCHES.broken(node=step.node, context=home)


@guard
def operable(call: Call, step: Step) -> None:
    """Check that the memory of each value that a node waits for or writes has not been freed."""
    process = call.process
    for address in (one[1] for one in step.params.operations if one[0] in mem_ops.VALUES):
        if process.memory.at(address) is None and isinstance(process.freed.get(address), Allocation):
            raise OPERATIONS_HAVE_MEMORY.broken(node=step.node, memory=process.freed[address])


@guard
def nodes_ready(call: Call, executable: Executable, stream: Stream) -> None:
    """Check what reachable nodes need before a launch: code, contexts, a host thread."""
    for step in reached(executable):
        if step.kind == KERNEL:
            meant(call, step.params)
        elif step.kind in {MEMCPY, MEMSET, BATCH_MEM_OP, EVENT_RECORD, WAIT_EVENT}:
            at_home(call, step)
            if step.kind == BATCH_MEM_OP:
                operable(call, step)
        elif step.kind == CONDITIONAL:
            valued(call, executable, step.params)
        elif step.kind == HOST:
            stream_scheduler.enlist(stream.context)  # a thread that does not start refuses all of the launch


@DRIVER.op("cuGraphLaunch", several="each node is work of its own")
def graph_launch(call: Call, handle: int, stream: int) -> None:
    """Launch an executable graph in a stream.

    Args:
        call: The call.
        handle: The executable graph.
        stream: The stream.
    """
    # CHECK
    require_stream_context(call, stream)
    executable = executable_of(call, handle)
    working = stream_of(call, stream, "cuGraphLaunch")
    unfreed = launchable(executable, frees=bool(executable.flags & AUTO_FREE))
    in_order(call, executable)
    guided(call, executable)
    taking_turns(executable)
    nodes_ready(call, executable, working)
    call, record = branches.foreseen(call, working, executable)
    # EFFECT
    room_for(call, executable)
    graph_launches.follow_launch(executable, working)
    for memory in unfreed:
        _free(call, working, memory)
    run = begin_run(call, working, executable, record)
    if run.conditions:
        stream_scheduler.submit(working, partial(graph_launches.assign, executable))

    def later(choice: Choice) -> bool:
        """Defer a choice to the stream if a pending kernel may set its condition."""
        if not (call.machine.scheduler.pending or call.machine.scheduler.manual):
            return False
        left = is_set(choice.condition, executable)
        if left:
            stream_scheduler.submit(working, partial(follow, call, working, choice.kept(), run))
        else:
            choice.begin()
        return left

    lanes = branches.lanes_of(call, working, executable)
    try:
        for step in executable.body.chosen(later) if lanes is None else branches.in_lanes(executable):
            _give(call, working if lanes is None else lanes.begin(step), step, run)
            if working.context.lost:
                break
    except BaseException:  # the function of a kernel has raised it
        run.forget()
        raise
    finally:
        if lanes is not None:
            lanes.close()
        end_run(call, working, run)
    graph_launches.note_launch(executable, working)
    launch = graph_launches.begin_launch(executable)
    if launch.objects:
        stream_scheduler.submit(working, partial(user_object.let_all_go, launch, here()))


@guard
def _give(call: Call, stream: Stream, step: Step, run: GraphRun) -> None:
    """Submit a node's work to a stream."""
    if run.branches is not None:
        branches.given(call, stream, step, run.branches)
    if step.kind == KERNEL:
        what: Launch = step.params
        submit(call, what.function, what.run_as, what.args, stream, (), run)
        return
    refused = DOES[step.kind](call, stream, step.params)
    if refused is not None:
        call.undefined(MEMORY_IS_THERE, **refused.facts)
        stream_scheduler.submit(stream, partial(stream_scheduler.fail, call.process, FAULTS[step.kind]))
    elif step.kind == MEM_FREE:
        graph_memory.freed(step.params, step.node)


def _fill(call: Call, stream: Stream, what: Any) -> Broken | None:
    dst, pitch, value, size, width, height = what[0]
    try:
        targets = rows_of(call, what, what[1] or stream.context)
    except Broken as broken:
        return broken
    fill_rows(call, stream, targets, dst, pitch, value, size, width, height)
    return None


def _copy(call: Call, stream: Stream, what: Any) -> Broken | None:
    try:
        plan = plan_of(call, what, what[1] or stream.context)
    except Broken as broken:
        return broken
    queue(call, stream, "cuGraphLaunch", plan)
    return None


def _operate(call: Call, stream: Stream, what: Batch) -> Broken | None:
    try:
        work = steps_of(call, what.context, what.operations)
    except Broken as broken:
        return broken
    do(call, stream, work)
    return None


def _allocate(_: Call, stream: Stream, memory: Planned) -> None:
    graph_memory.allocate(memory, stream, here())


def _free(call: Call, stream: Stream, memory: Planned) -> None:
    assert memory.item is not None
    release(call, memory.item, stream)


def _call(call: Call, stream: Stream, what: tuple[int, int]) -> None:
    function, data = what
    stream_scheduler.call(stream, partial(called(call, FUNCTION_IS_GIVEN, FUNCTION, function), data))


DOES: dict[int, Callable[[Call, Stream, Any], Broken | None]] = {
    EMPTY: lambda *_: None,
    MEMSET: _fill,
    MEMCPY: _copy,
    HOST: _call,
    BATCH_MEM_OP: _operate,
    MEM_ALLOC: _allocate,
    MEM_FREE: _free,
    CHILD: lambda *_: None,
    CONDITIONAL: lambda *_: None,
    EVENT_RECORD: lambda _call, stream, event: event.record(stream),
    WAIT_EVENT: lambda _call, stream, event: event.precede(stream),
}
"""By node kind, what submits the work to a stream, or returns a broken rule.

Kernel nodes are launched elsewhere. Nodes of embedded graphs replace child and conditional nodes.
"""
