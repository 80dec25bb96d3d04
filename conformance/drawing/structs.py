"""Random structs, unions and arrays of addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.drawing import nodes, shapes
from conformance.drawing.maps import maps
from conformance.drawing.objects import DESCRIBED
from conformance.drawing.rows import MEMBERS, ROWS
from conformance.drawing.runtime_values import EXTENT, NO_EXTENT

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.drawing.arguments import Arguments
    from conformance.drawing.nodes import Held
    from conformance.drawing.values import Values
    from fakecuda.spec.description import Param

TENSOR_MAP = 128
"""The size of a CUtensorMap in bytes."""
NODES: dict[str, Callable[[Held], Values]] = {
    "CUDA_KERNEL_NODE_PARAMS": nodes.kernels,
    "CUDA_MEMSET_NODE_PARAMS": nodes.memsets,
    "CUDA_HOST_NODE_PARAMS": nodes.hosts,
    "CUDA_BATCH_MEM_OP_NODE_PARAMS": nodes.batches,
    "CUgraphNodeParams": nodes.any_node,
}
"""Functions that return node parameters, by struct."""


def structs(arguments: Arguments, process: str, call: str, param: Param) -> Values:
    """Return the legal and illegal values of a struct, union or array parameter.

    Args:
        arguments: Draws arguments.
        process: The calling process.
        call: The call.
        param: The parameter.
    """
    if param.type in NODES and not param.array:
        return NODES[param.type](nodes.held(arguments, process))
    match param.type:
        case "CUDA_KERNEL_NODE_PARAMS_v1":
            sound, wrong = nodes.kernels(nodes.held(arguments, process))
            return [one[:10] for one in sound if one[0]], [one and one[:10] for one in wrong]
        case "CUDA_MEM_ALLOC_NODE_PARAMS":
            return nodes.ALLOCATIONS
        case "CUlaunchConfig":
            streams = [one.value for one in arguments.named(process, "stream")]
            held = arguments.model.processes[process].streams
            return nodes.configurations(nodes.held(arguments, process), (0, *(one for one in streams if one in held)))
        case "CUDA_RESOURCE_DESC":
            return shapes.resources(
                arguments.arrays(process, "array"), arguments.arrays(process, "mipmapped"), arguments.large(process)
            )
        case "CUarrayMapInfo":
            arrays = [*arguments.arrays(process, "array"), *arguments.arrays(process, "mipmapped")]
            return maps(arguments.random, arguments.model.processes[process], arrays, arguments.handles(process))
        case "CUstreamBatchMemOpParams":
            return nodes.operations(nodes.held(arguments, process))
        case "CUDA_GRAPH_INSTANTIATE_PARAMS":
            return _instantiations(arguments, process)
        case "CUDA_MEMCPY3D" if "Graph" in call:
            sound, wrong = nodes.copies(nodes.held(arguments, process))
            rows, odd = _memory(arguments, process, call, param)
            return (*sound, *rows), (*wrong, *odd)
    if (call, param.name) in DESCRIBED:
        return [bytearray(TENSOR_MAP)], ()  # a program keeps what it passes for a call to fill by its size alone
    return _memory(arguments, process, call, param)


def _instantiations(arguments: Arguments, process: str) -> Values:
    """Return CUDA_GRAPH_INSTANTIATE_PARAMS with flags and an upload stream."""
    streams = [one.value for one in arguments.named(process, "stream")]
    held = [one for one in streams if one in arguments.model.processes[process].streams]
    sound = [(flags, stream, 0, 0) for flags in (2, 3) for stream in (0, 1, 2, *held)]
    wrong: list[Any] = [None, *((flags, 0, 0, 0) for flags in (16, 1 << 40, 6, 4))]
    return [(0, 0, 0, 0), (1, 0, 0, 0), (8, 0, 0, 0), *sound], wrong


def _memory(arguments: Arguments, process: str, call: str, param: Param) -> Values:
    """Return values that need memory for rows: copy structs, and address arrays."""
    large = arguments.large(process, managed="Batch" in call and "Memcpy" not in call)
    if not large:
        return (), ()
    random = arguments.random
    target, source = random.choice(large), random.choice(large) + ROWS
    if param.type in MEMBERS:
        pages = [one.value for one in arguments.named(process, "host") if one.size >= ROWS]
        contexts = [one for one in nodes.held(arguments, process).contexts if one]
        return shapes.rows(random, param.type, (target, source), arguments.arrays(process, "array"), pages, contexts)
    rows = (target, 64, 64, 4)
    match param.type:
        case "cudaPitchedPtr":
            return (rows,), ((target, 8, 64, 4), (target, 64, 64, 1), (0, 64, 64, 4))
        case "cudaMemcpy3DParms":
            ends = (0, (0, 0, 0), (source, 64, 64, 4), 0, (0, 0, 0), rows)
            nothing = (0, (0, 0, 0), (0, 64, 64, 4), *ends[3:], EXTENT[0], 4)
            return [(*ends, one, 4) for one in EXTENT], [None, nothing, *((*ends, one, 4) for one in NO_EXTENT)]
        case "cudaMemcpy3DPeerParms":
            both = (0, (0, 0, 0), (source, 64, 64, 4), 0, 0, (0, 0, 0), rows, 0)
            return [(*both, one) for one in EXTENT], [None, *((*both, one) for one in NO_EXTENT)]
    if param.name in {"dsts", "srcs", "dptrs"}:
        start = source if param.name == "srcs" else target
        return ((start, start + 32),), ((0, 0), None)
    return (), ()
