"""Parameters of nodes and their rules, which several calls check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.graph.graph import BATCH_MEM_OP, MEMCPY, MEMSET
from fakecuda.model.memory.foreseen import foreseeing
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.va import Mapping
from fakecuda.rules.core import Broken, Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.context.handle import live_context_of
from fakecuda.rules.driver.copy.memset import aligned_rows
from fakecuda.rules.driver.copy.range import ACCESS_IS_GRANTED, ADDRESS_IS_KNOWN, POOL_GRANTS_ACCESS
from fakecuda.rules.driver.copy.shape import solid
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.event.handle import named_event_of
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.work.event import Event
    from fakecuda.rules.driver.copy.plan import Plan
    from fakecuda.rules.driver.copy.range import Piece

    InContext = tuple[tuple[int, ...], Context | None]

PARAMETERS_ARE_GIVEN = Rule(
    "the pointer to the parameters is not null",
    Result.INVALID_VALUE,
    manual("cuGraphAddMemsetNode", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass the address of the struct with the node's parameters",
)
ELEMENTS_ARE_VALUES = Rule(
    "`elementSize` is 1, 2 or 4",
    Result.INVALID_VALUE,
    manual("cuGraphAddMemsetNode", "The element size must be 1, 2, or 4 bytes"),
    fix="set elementSize to 1, 2 or 4",
)
SOMETHING_IS_SET = Rule(
    "`width` and `height` of a memset are not 0",
    Result.INVALID_VALUE,
    observed("cuGraphAddMemsetNode", "the driver answers INVALID_VALUE to a width or a height of 0"),
    fix="leave out memset nodes with 0 columns or 0 rows",
)
SOMETHING_IS_COPIED = Rule(
    "the width, height and depth of the copy are not 0",
    Result.INVALID_VALUE,
    observed("cuGraphAddMemcpyNode", "the driver answers INVALID_VALUE to 0 bytes, 0 rows or 0 slices"),
    fix="set Height and Depth to 1 for a single row, and leave out copies of 0 bytes",
)
FUNCTION_IS_GIVEN = Rule(
    "the host function `fn` is not null",
    Result.INVALID_VALUE,
    manual("cuGraphAddHostNode", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass a function for fn",
)

EVENT_IS_GIVEN = Rule(
    "`event` is not null",
    Result.INVALID_VALUE,
    manual("cuGraphAddEventRecordNode", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass an event that cuEventCreate returned",
)
MEMORY_IS_THERE = Rule(
    "memory that the graph's nodes use has not been freed",
    Result.SUCCESS,
    undefined(
        "cuGraphLaunch",
        "the manual says nothing about freed memory; in driver 580 the launch and the context fail with LAUNCH_FAILED",
    ),
    fix="free the memory after the last launch of the graph",
)
MEMORY_IS_USABLE = Rule(
    "the memory of each memset or memcpy node satisfies the rules of cuMemsetD2D8Async or cuMemcpy3DAsync",
    Result.INVALID_VALUE,
    observed(
        "cuGraphAddMemsetNode",
        "the driver answers INVALID_VALUE to parameters that cuMemsetD2D8Async or cuMemcpy3DAsync refuses",
    ),
    fix="allocate the memory before you add the node, and free it after the last launch",
)


MEMORY_HAS_A_CONTEXT = Rule(
    "a new memset of a pool or a mapping names a context that is not null; a thread that changes one has a current context",
    Result.INVALID_VALUE,
    observed(
        "cuGraphAddMemsetNode",
        "the driver answers INVALID_VALUE to a null context with memory that belongs to no context; calls that set the "
        "parameters of a node take it in a thread that has a current context, whatever context the node has",
    ),
    fix="pass a context, or make one current with cuCtxSetCurrent before cuGraphMemsetNodeSetParams",
)


@guard
def working(call: Call, handle: int) -> Context | None:
    """Return the context of a handle; for null, the current context or None."""
    require_initialized(call)
    if handle:
        return live_context_of(call, handle)
    stack = call.thread.stack
    return stack[-1] if stack else None


@guard
def filled(call: Call, params: tuple[int, ...] | None, context: Context | None) -> InContext:
    """Check CUDA_MEMSET_NODE_PARAMS, and return them with the context."""
    if params is None:
        raise PARAMETERS_ARE_GIVEN.broken()
    _, _, _, size, width, height = params
    if size not in {1, 2, 4}:
        raise ELEMENTS_ARE_VALUES.broken(element_size=size)
    if not width or not height:
        raise SOMETHING_IS_SET.broken(width=width, height=height)
    usable(call, MEMSET, (params, context))
    return params, context


@guard
def at_home(call: Call, what: InContext, context: object) -> None:
    """Check that memory which has no context of its own is filled in one that the call gives it."""
    dst = what[0][0]
    if not context and isinstance(foreseeing(call).process.memory.at(dst), Pooled | Mapping):
        raise MEMORY_HAS_A_CONTEXT.broken(ptr=dst)


@guard
def copied(call: Call, params: tuple[int, ...] | None, context: Context | None, *, given: bool = True) -> InContext:
    """Check a CUDA_MEMCPY3D, and return it with the context.

    Args:
        call: The call.
        params: The copy.
        context: Its context, or None.
        given: Whether the caller names the context; it stands for the current one otherwise.
    """
    if params is None:
        raise PARAMETERS_ARE_GIVEN.broken()
    if 0 in params[-3:]:
        raise SOMETHING_IS_COPIED.broken(size=params[-3:])
    usable(call, MEMCPY, (params, context), given=given)
    return params, context


@guard
def function_given(params: tuple[int, int] | None) -> tuple[int, int]:
    """Check CUDA_HOST_NODE_PARAMS, and return them."""
    if params is None:
        raise PARAMETERS_ARE_GIVEN.broken()
    if not params[0]:
        raise FUNCTION_IS_GIVEN.broken()
    return params


@guard
def event_named(call: Call, handle: int) -> Event:
    """Return the event of an event node."""
    if not handle:
        raise EVENT_IS_GIVEN.broken()
    return named_event_of(call, handle)


def rows_of(call: Call, what: InContext, context: Context) -> list[Piece]:
    """Return the memory that a memset node fills in a context."""
    dst, pitch, _, size, width, height = what[0]
    return aligned_rows(call, context, dst, pitch, width, height, size, node=True)


def plan_of(call: Call, what: InContext, context: Context) -> Plan:
    """Return the copy that a memcpy node makes in a context."""
    plan = solid(call, context, what[0])
    assert plan is not None
    return plan


FAULTS = {MEMSET: Result.LAUNCH_FAILED, MEMCPY: Result.ILLEGAL_ADDRESS, BATCH_MEM_OP: Result.LAUNCH_FAILED}
"""The sticky error of a context when a node's memory is gone, by node kind."""
USES: dict[int, Callable[[Call, InContext, Context], object]] = {MEMSET: rows_of, MEMCPY: plan_of}
"""The function that finds a node's memory, by node kind."""
LEFT_TO_THE_LAUNCH = {ADDRESS_IS_KNOWN}
"""Rules that copy nodes may break: unknown addresses count as host memory."""
LEFT_WITHOUT_A_CONTEXT = {ACCESS_IS_GRANTED, POOL_GRANTS_ACCESS}
"""Rules that a copy node may break as well if no context is given."""


@guard
def usable(call: Call, kind: int, what: InContext, *, known: bool = False, given: bool = True) -> None:
    """Check that a node can use its memory.

    Args:
        call: The call.
        kind: The node's CUgraphNodeType.
        what: Its parameters.
        known: Whether it is in its graph already.
        given: Whether its context is given, and not the current one.
    """
    context = what[1] or next(iter(call.process.contexts.values()), None)
    if context is None:
        raise MEMORY_IS_USABLE.broken(process=call.process)
    try:
        USES[kind](foreseeing(call, known=known), what, context)
    except Broken as broken:
        left = LEFT_TO_THE_LAUNCH if given and what[1] is not None else LEFT_TO_THE_LAUNCH | LEFT_WITHOUT_A_CONTEXT
        if kind == MEMSET or broken.rule not in left:
            raise MEMORY_IS_USABLE.broken(of=broken.rule.id, **broken.facts) from broken
