"""Memory that a captured stream allocates and frees: it belongs to the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.graph import capture, graph_memory
from fakecuda.model.graph.graph import MEM_ALLOC, MEM_FREE
from fakecuda.model.history import here
from fakecuda.model.memory.pool import MANAGED
from fakecuda.rules.driver.device.pool import current_pool
from fakecuda.rules.driver.device.pool import pooling as supporting
from fakecuda.rules.driver.graph.memory import freed as freed_in
from fakecuda.rules.driver.graph.without_memory import growing
from fakecuda.rules.driver.pool.handle import own_pool_of
from fakecuda.rules.driver.pool.mem_alloc_async import MEMORY_SUFFICES, ordering_of
from fakecuda.rules.driver.stream.capture_state import unmodelled
from fakecuda.rules.driver.va.properties import DEVICE

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.graph.capture import Capture, Captures
    from fakecuda.model.work.stream import Stream
    from fakecuda.rules.dispatch import Op


def allocated(call: Call, _: Captures, op: Op, args: tuple[Any, ...], one: Capture, stream: Stream) -> int:
    """Add an allocation node for a captured stream, with the properties of a pool."""
    ordering_of(call, args[-1], op.name)
    size, *named = args[:-1]
    pool = own_pool_of(call, *named) if named else current_pool(call, stream.context.device)
    if pool.on_host or (pool.props.type == MANAGED and pool.props.location.type != DEVICE):
        unmodelled(op)
    if not size:
        return 0
    devices = enumerate(call.process.devices)
    access = [(number, pool.flags(device.ordinal)) for number, device in devices if device is not pool.device]
    others = tuple(row for row in access if row[1])
    growing(one.graph)
    memory = graph_memory.plan(one.graph, size, pool.device, pool.props, others, here(), one.streams[stream])
    if memory is None:
        raise MEMORY_SUFFICES.broken(size=size, pool=pool)
    capture.put(one, stream, MEM_ALLOC, memory, here())
    return memory.start


def freed(call: Call, _: Captures, __: Op, args: tuple[Any, ...], one: Capture, stream: Stream) -> None:
    """Add a free node for a captured stream."""
    supporting(stream.context.device)
    if args[0]:
        memory = freed_in(call, one.graph, args[0])
        capture.put(one, stream, MEM_FREE, memory, here())
