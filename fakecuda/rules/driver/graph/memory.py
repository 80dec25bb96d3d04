"""Nodes that allocate and free memory, and what graphs that have some are not used for.

The addresses of such memory are those of its node: the same with each launch. It is there from a launch on until it is
freed: by a node of the same graph, by one of another graph, by cuMemFree or cuMemFreeAsync, or by the next launch of an
executable graph that frees automatically.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.api import DRIVER
from fakecuda.codes import Result
from fakecuda.model import graph, graph_memory
from fakecuda.model.graph import MEM_ALLOC, MEM_FREE
from fakecuda.model.history import here
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.graph.add_node import ready_place
from fakecuda.rules.driver.graph.node import asked, of_kind
from fakecuda.rules.driver.pool.mem_alloc_async import MEMORY_SUFFICES

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.graph import Executable, Graph
    from fakecuda.model.graph_memory import Planned

    Dependencies = tuple[int, ...] | None

MEMORY_IS_OF_A_GRAPH = Rule(
    "what is freed is the first address of memory that a node allocates",
    Result.INVALID_VALUE,
    manual("cuGraphAddMemFreeNode", "an address that was not returned by an allocation node"),
)
MEMORY_IS_FREED_ONCE = Rule(
    "no other node of the graph frees the memory",
    Result.INVALID_VALUE,
    manual("cuGraphAddMemFreeNode", "an allocation twice in the same graph"),
)
ONE_SIDE_FREES = Rule(
    "memory is freed by a node of its own graph, or by nodes of others",
    Result.INVALID_VALUE,
    manual("cuGraphAddMemAllocNode", "It is not possible to free an allocation in both the owning graph and"),
)
MEMORY_WAS_FREED = Rule(
    "what a graph allocates was freed since its last launch, unless launches free it",
    Result.INVALID_VALUE,
    manual("cuGraphLaunch", "If any allocations created by `hGraphExec` remain unfreed"),
)
MEMORY_IS_ALLOCATED = Rule(
    "memory that a graph frees, and does not allocate, is allocated when it is launched",
    Result.INVALID_VALUE,
    observed("cuGraphLaunch", "a second launch of a graph that frees answers INVALID_VALUE"),
)


@guard
def freed(call: Call, of: Graph, pointer: int) -> Planned:
    """Return the memory that a new node of a graph can free.

    Args:
        call: The call.
        of: The graph.
        pointer: The memory's first address.
    """
    memory = graph_memory.at(call.process, pointer)
    if memory is None:
        raise MEMORY_IS_OF_A_GRAPH.broken(pointer=pointer, found=call.process.memory.at(pointer))
    if of in memory.frees:
        raise MEMORY_IS_FREED_ONCE.broken(memory=memory, graph=of)
    others = [one for one in memory.frees if not one.ended]
    if others and memory.graph in {of, *others}:
        raise ONE_SIDE_FREES.broken(memory=memory, graph=of, freed_in=others[0])
    return memory


@guard
def launchable(executable: Executable, *, frees: bool) -> list[Planned]:
    """Return what a launch frees first; what it allocates was freed, and what it frees is there.

    Args:
        executable: The executable graph.
        frees: Whether its launches free what was not freed.
    """
    own = graph_memory.of_steps(executable, MEM_ALLOC)
    left = [memory for memory in own if memory.is_allocated]
    if left and not frees:
        raise MEMORY_WAS_FREED.broken(memory=left[0], executable=executable)
    for memory in graph_memory.of_steps(executable, MEM_FREE):
        if memory not in own and not memory.is_allocated:
            raise MEMORY_IS_ALLOCATED.broken(memory=memory, executable=executable)
    return left


@guard
def room_for(call: Call, executable: Executable) -> None:
    """Have an executable graph have room for what its launch allocates."""
    state = call.process.graph_memory
    if state is not None and not graph_memory.bind(state, executable):
        raise MEMORY_SUFFICES.broken(executable=executable)


@DRIVER.op("cuGraphAddMemFreeNode")
def graph_add_mem_free_node(call: Call, handle: int, dependencies: Dependencies, count: int, pointer: int) -> int:
    """Return a new node that frees memory.

    Args:
        call: The call.
        handle: The graph.
        dependencies: The nodes that it depends on.
        count: How many there are.
        pointer: The first address of memory that a node allocates, of this graph or another.
    """
    # CHECK
    target, after = ready_place(call, handle, dependencies, count)
    memory = freed(call, target, pointer)
    # EFFECT
    return graph.add_node(target, MEM_FREE, memory, after, here()).handle


@DRIVER.op("cuGraphMemFreeNodeGetParams")
def graph_mem_free_node_get_params(call: Call, handle: int) -> int:
    """Return the first address of what a node frees."""
    # CHECK
    node: Any = of_kind(asked(call, handle), MEM_FREE)
    # EFFECT
    start: int = node.params.start
    return start
