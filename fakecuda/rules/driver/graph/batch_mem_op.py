"""Batch memory operation nodes: values that a graph waits for and writes.

As in a captured stream, their memory is not checked before a launch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.model.graph import graph
from fakecuda.model.graph.graph import BATCH_MEM_OP
from fakecuda.model.history import here
from fakecuda.model.memory.space import bytes_at
from fakecuda.model.os.system import OWN
from fakecuda.model.work.batch import Batch
from fakecuda.rules.core import Rule, guard, observed
from fakecuda.rules.driver.context.handle import live_context_of
from fakecuda.rules.driver.graph.add_node import DEPENDENCIES_DIFFER, differing, placed_anywhere
from fakecuda.rules.driver.graph.alike import operations_kept
from fakecuda.rules.driver.graph.executable_set import step as step_of
from fakecuda.rules.driver.graph.node import of_kind, require_node_without_init
from fakecuda.rules.driver.graph.node_set import changed_anywhere
from fakecuda.rules.driver.graph.params import PARAMETERS_ARE_GIVEN
from fakecuda.rules.driver.stream.stream_batch_mem_op import formed, given
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import mem_ops
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.rules.driver.graph.add_node import Dependencies
    from fakecuda.rules.driver.stream.stream_batch_mem_op import Operations

    Params = tuple[int, int, int, int]
    """CUDA_BATCH_MEM_OP_NODE_PARAMS: context, count, address of the operations, flags."""

CONTEXT_IS_GIVEN = Rule(
    "`nodeParams.ctx` is not null",
    Result.INVALID_VALUE,
    observed(
        "cuGraphAddBatchMemOpNode",
        "the driver answers INVALID_VALUE to a null context, whether the thread has a current context or not",
    ),
    fix="set ctx in CUDA_BATCH_MEM_OP_NODE_PARAMS",
)


@guard
def batch(call: Call, params: Params | None) -> Batch:
    """Return the checked operations of a batch node."""
    if params is None:
        raise PARAMETERS_ARE_GIVEN.broken()
    ctx, count, place, flags = params
    if not ctx:
        raise CONTEXT_IS_GIVEN.broken()
    context = live_context_of(call, ctx)
    operations = given(call, count, operations_at(call, place, count), flags)
    formed(context, operations)
    return Batch(operations, context)


def operations_at(call: Call, place: int, count: int) -> Operations | None:
    """Read memory operations: None for null, empty if too many for a node.

    Raises:
        Unreadable: They cannot be read.
        FakeCudaError: The caller is another OS process, whose memory is not read.
    """
    if not place:
        return None
    if call.process.system is not OWN:
        msg = (
            "adding a batch memory operation node is not modelled for an OS process that has attached to another "
            "process's machine: add the node in the OS process that made the machine"
        )
        raise FakeCudaError(msg)
    places = range(place, place + count * mem_ops.SIZE, mem_ops.SIZE) if count < mem_ops.MOST else ()
    return tuple(mem_ops.unpack(bytes_at(one, mem_ops.SIZE)) for one in places)


@DRIVER.op("cuGraphAddBatchMemOpNode", acts_before=(DEPENDENCIES_DIFFER,))
def graph_add_batch_mem_op_node(
    call: Call, handle: int, dependencies: Dependencies, count: int, params: Params | None
) -> int:
    """Add a batch memory operation node. The array of operations is copied.

    Args:
        call: The call.
        handle: The graph.
        dependencies: The nodes that it depends on.
        count: Their number.
        params: What it waits for and writes, a CUDA_BATCH_MEM_OP_NODE_PARAMS.
    """
    # CHECK
    target, after = placed_anywhere(call, handle, dependencies, count)
    what = batch(call, params)
    differing(after, BATCH_MEM_OP)
    # EFFECT
    return graph.add_node(target, BATCH_MEM_OP, what, after, here()).handle


@DRIVER.op("cuGraphBatchMemOpNodeGetParams")
def graph_batch_mem_op_node_get_params(call: Call, handle: int) -> Params:
    """Return the parameters of a batch memory operation node. The array belongs to the node."""
    # CHECK
    node = of_kind(require_node_without_init(call, handle), BATCH_MEM_OP)
    # EFFECT
    what: Batch = node.params
    return what.context.handle, len(what.operations), what.place(), 0


@DRIVER.op("cuGraphBatchMemOpNodeSetParams")
def graph_batch_mem_op_node_set_params(call: Call, handle: int, params: Params | None) -> None:
    """Set the parameters of a batch memory operation node.

    Args:
        call: The call.
        handle: The node.
        params: The values, a CUDA_BATCH_MEM_OP_NODE_PARAMS.
    """
    # CHECK
    node = changed_anywhere(call, handle, BATCH_MEM_OP)
    what = batch(call, params)
    # EFFECT
    node.change(what)


@DRIVER.op("cuGraphExecBatchMemOpNodeSetParams")
def graph_exec_batch_mem_op_node_set_params(call: Call, executable: int, handle: int, params: Params | None) -> None:
    """Set the batch memory operations of a node in an executable graph.

    Args:
        call: The call.
        executable: The executable graph.
        handle: The node of the original graph.
        params: The values, a CUDA_BATCH_MEM_OP_NODE_PARAMS, of as many operations of the same types.
    """
    # CHECK
    step = step_of(call, executable, handle, BATCH_MEM_OP)
    what = batch(call, params)
    operations_kept(call, step, what)
    # EFFECT
    step.change(what)
