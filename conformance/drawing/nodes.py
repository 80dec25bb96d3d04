"""Random parameters of graph nodes of each type, legal and nearly legal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from conformance.cases.driver.graph.fixtures import copy, launch, memset
from conformance.drawing.values import NOR
from fakecuda.model.code.module import Function
from fakecuda.model.graph.graph import Graph, Node
from fakecuda.spec import launch_config, mem_ops
from fakecuda.spec.node_params import (
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
    pack,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conformance.drawing.arguments import Arguments
    from conformance.drawing.values import Values

PROGRAMMATIC = ((1, 0, 1), (2, 0, 1), (2, 0, 0))
PLAIN = (0, 0, 0)
NO_DATA = ((0, 0, 1), (1, 0, 0), (0, 1, 0), (3, 0, 0), (0, 0, 2), (255, 0, 0))
"""CUgraphEdgeData: between kernels (PROGRAMMATIC), of any edge (PLAIN), invalid."""


def allocates(size: int, location: int = 1, device: int = 0, kind: int = 1, handles: int = 0) -> tuple[Any, ...]:
    """Return the CUDA_MEM_ALLOC_NODE_PARAMS for a size and a location."""
    return (kind, handles, (location, device), 0, 0, 0, 0), 0, 0, size, 0


ALLOCATIONS: Values = (
    (allocates(4096), allocates(1), allocates(3 << 20), allocates(4096, device=1)),
    (
        None,
        allocates(0),
        allocates(64, location=0),
        allocates(64, device=99),
        allocates(64, kind=0),
        allocates(64, handles=1),
        allocates(1 << 60),
        ((1, 0, (1, 0), 0, 0, 0, 0), 0, 1, 64, 0),
        ((1, 0, (1, 0), 0, 4096, 0, 0), 0, 0, 64, 0),
    ),
)


@frozen
class Held:
    """The objects of a process that nodes use.

    Attributes:
        memory: Addresses of memory that holds some rows.
        contexts: Its contexts, and 0 for the current one.
        functions: Its functions.
        hosts: Host functions.
        graphs: Its graphs.
        events: Its events.
        allocated: Addresses that allocation nodes have given.
        conditions: Its conditions, and whether a loop over one would never end.
    """

    memory: Sequence[int]
    contexts: Sequence[int]
    functions: Sequence[int]
    hosts: Sequence[int]
    graphs: Sequence[int]
    events: Sequence[int]
    allocated: Sequence[int]
    conditions: Mapping[int, bool]


def held(arguments: Arguments, process: str) -> Held:
    """Return the objects of a process that nodes use."""
    state = arguments.model.processes[process]

    def known(kind: str, table: Any) -> list[int]:
        return [one.value for one in arguments.named(process, kind) if one.value in table]

    graphs = known("graph", {handle for handle, one in state.graphs.items() if isinstance(one, Graph)})
    conditions = {
        handle: bool(one.default)
        for graph in map(state.graphs.get, graphs)
        if isinstance(graph, Graph)
        for handle, one in graph.conditions.items()
    }
    return Held(
        arguments.large(process),
        (0, 0, *known("ctx", state.contexts)),
        known("kernel", {handle for handle, one in state.loaded.items() if isinstance(one, Function)}),
        [one.value for one in arguments.named(process, "function")],
        graphs,
        known("event", state.events),
        allocated(arguments, process),
        conditions,
    )


def allocated(arguments: Arguments, process: str) -> list[int]:
    """Return the addresses of allocation nodes in a process's graphs."""
    found = {
        node.params.start
        for node in arguments.model.processes[process].graphs.values()
        if isinstance(node, Node) and node.kind == MEM_ALLOC
    }
    return [one.value for one in arguments.named(process, "dptr") if one.value in found]


def kernels(held: Held, contexts: Sequence[int] = (0,)) -> Values:
    """Return CUDA_KERNEL_NODE_PARAMS structs."""
    sound = [launch(one, ctx=ctx) for one in held.functions for ctx in contexts]
    sound += [launch(0, kern=one, ctx=ctx) for one in held.functions[:2] for ctx in contexts]
    sound += [launch(one, blockDimX=32, gridDimX=2, sharedMemBytes=1024) for one in held.functions[:2]]
    wrong: list[Any] = [None, launch(0)]
    for one in held.functions[:2]:
        wrong += [launch(one, blockDimX=number) for number in (0, 2000)]
        wrong += [launch(one, gridDimY=1 << 16), launch(one, sharedMemBytes=1 << 20), launch(one, kern=one)]
    return sound, wrong


def memsets(held: Held) -> Values:
    """Return CUDA_MEMSET_NODE_PARAMS structs."""
    places = (*held.memory, *held.allocated)
    sound = [memset(at, width=16) for at in places]
    sound += [memset(at, elementSize=4, width=4, height=2, pitch=64) for at in places[:2]]
    wrong: list[Any] = [None, memset(0)]
    for at in places[:2]:
        wrong += [memset(at, elementSize=size) for size in (0, 3, 8)]
        wrong += [memset(at, width=0), memset(at, height=0), memset(at + 1, elementSize=4), memset(at, width=1 << 40)]
        wrong += [memset(at, height=2, pitch=8), memset(at, value=300), memset(at, elementSize=2, value=1 << 17)]
    return sound, wrong


def copies(held: Held) -> Values:
    """Return CUDA_MEMCPY3D structs."""
    places = (*held.memory, *held.allocated)
    sound = [copy(one, other + 256 * (one == other)) for one in places for other in places[:3]]
    wrong: list[Any] = [None]
    for at in places[:2]:
        wrong += [copy(at, at + 256, 0), copy(at, 0), copy(at, at + 256, 1 << 40), copy(0, at)]
    return sound, wrong


def hosts(held: Held) -> Values:
    """Return CUDA_HOST_NODE_PARAMS structs; never null, as drivers call the function."""
    return [(one, 0) for one in held.hosts], ()


def batches(held: Held) -> Values:
    """Return CUDA_BATCH_MEM_OP_NODE_PARAMS structs without operations."""
    sound = [(ctx, 0, 0, 0) for ctx in held.contexts]
    return sound, [None, (0, 257, 0, 0), (0, 0, 0, 1), (0, 1, 0, 0)]


def any_node(held: Held) -> Values:
    """Return CUgraphNodeParams structs of all node types."""
    sound, wrong = [pack(EMPTY, ())], [None, pack(99, ()), pack(EMPTY, (), clean=False), pack(9, ()), pack(8, ())]
    for kind, (good, bad) in {
        KERNEL: kernels(held, held.contexts),
        MEMSET: memsets(held),
        MEMCPY: copies(held),
        HOST: hosts(held),
    }.items():
        for rows, into in ((good, sound), (bad, wrong)):
            given = [row for row in rows if row is not None][:8]
            if kind == MEMCPY:
                into += [pack(kind, (0, 0, ctx, *row)) for row in given for ctx in held.contexts[-2:]]
            elif kind == MEMSET:
                into += [pack(kind, (*row, ctx)) for row in given for ctx in held.contexts[-2:]]
            else:
                into += [pack(kind, row) for row in given]
    for one in held.graphs[:3]:
        sound += [pack(CHILD, (one, owner)) for owner in (0, 0, 1)]
        wrong += [pack(CHILD, (one, 2))]
    wrong += [pack(CHILD, (0, 0)), pack(WAIT_EVENT, (0,)), pack(EVENT_RECORD, (0,)), pack(MEM_FREE, (0,))]
    sound += [pack(kind, (one,)) for one in held.events[:2] for kind in (WAIT_EVENT, EVENT_RECORD)]
    sound += [pack(MEM_FREE, (one,)) for one in held.allocated]
    wrong += [pack(MEM_FREE, (one,)) for one in (*held.memory[:1], *(at + 1 for at in held.allocated[:1]))]
    sound += [pack(MEM_ALLOC, _plain(1, 0, 1, device, 4096)) for device in (0, 1)]
    wrong += [pack(MEM_ALLOC, _plain(*row)) for row in ((1, 0, 1, 0, 0), (0, 0, 1, 0, 64), (1, 0, 1, 99, 64))]
    sound += [pack(BATCH_MEM_OP, (ctx, 0, 0, 0)) for ctx in held.contexts[-1:]]
    for one, endless in [*held.conditions.items()][:3]:
        for ctx in held.contexts[-2:]:
            sound += [
                pack(CONDITIONAL, (one, kind, 1 + kind // 2, 0, ctx)) for kind in ((0, 2) if endless else (0, 1, 2))
            ]
        wrong += [pack(CONDITIONAL, (one, *row, 0, held.contexts[-1])) for row in ((3, 1), (0, 0), (0, 3), (1, 2))]
    return sound, wrong


def _plain(kind: int, handles: int, location: int, device: int, size: int) -> tuple[int, ...]:
    """Return the parameters of an allocation node inside a CUgraphNodeParams."""
    return kind, handles, location, device, 0, 0, 0, 0, 0, 0, size, 0


def operations(held: Held) -> Values:
    """Return arrays of memory operations: one of each kind, and several."""
    sound: list[Any] = [((mem_ops.BARRIER, 0),), ((mem_ops.BARRIER, 1),)]
    wrong: list[Any] = [((mem_ops.BARRIER, 2),), ((99,),), ((mem_ops.FLUSH, 0),)]
    for at in held.memory[:2]:
        write, wait = (mem_ops.WRITE_32, at, 7, 0), (mem_ops.WAIT_32, at, 0, NOR)
        sound += [(write,), (wait,), (write, wait), ((mem_ops.WRITE_64, at, 1 << 40, 0),)]
        wrong += [
            ((mem_ops.WRITE_32, at + 1, 7, 0),),
            ((mem_ops.WRITE_32, at, 7, 2),),
            ((mem_ops.WAIT_64, at + 4, 0, 0),),
        ]
    return sound, wrong


def configurations(held: Held, streams: Sequence[int]) -> Values:
    """Return CUlaunchConfig structs."""
    plain = (1, 1, 1, 32, 1, 1, 0)
    rows: tuple[tuple[Any, ...], ...] = (
        (launch_config.COOPERATIVE, 1),
        (launch_config.COOPERATIVE, 0),
        (launch_config.CLUSTER, 1, 1, 1),
        (launch_config.CARVEOUT, 50),
        (launch_config.SCHEDULING, 1),
        (launch_config.SERIALIZATION, 1),
        (launch_config.IGNORE,),
        *((launch_config.EVENT, event, 0, 0) for event in held.events[:1]),
    )
    sound: list[Any] = [(*plain, stream, ()) for stream in streams]
    sound += [(*plain, streams[-1], (row,)) for row in rows]
    sound += [(2, 1, 1, 32, 1, 1, 0, streams[-1], ((launch_config.CLUSTER, 2, 1, 1),))]
    wrong = [
        None,
        (*plain, streams[-1], None),
        (0, *plain[1:], 0, ()),
        (1, 1 << 16, *plain[2:], 0, ()),
        (*plain[:3], 2000, 1, 1, 0, 0, ()),
        (*plain[:6], 1 << 20, 0, ()),
        (*plain, 0, ((launch_config.CLUSTER, 2, 1, 1),)),
        (*plain, 0, ((launch_config.CLUSTER, 0, 1, 1),)),
        (*plain, 0, ((launch_config.CLUSTER, 64, 1, 1),)),
        (*plain, 0, ((99,),)),
        (*plain, 0, ((launch_config.CARVEOUT, 101),)),
        (*plain, 0, ((launch_config.SCHEDULING, 9),)),
        (*plain, 0, ((launch_config.EVENT, 0, 0, 0),)),
    ]
    return sound, wrong
