"""Memory is freed before it is allocated, or while work still uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuda.bindings import driver, runtime

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import MIB, checked, context

if TYPE_CHECKING:
    from fakecuda import FakeCuda

NON_BLOCKING = 1
SIZE = 256


def before_the_allocation(_: FakeCuda, *, fixed: bool) -> None:
    """An allocator promises memory for every stream, and allocates in the default stream."""
    checked(runtime.cudaSetDevice(0))
    stream = checked(runtime.cudaStreamCreateWithFlags(NON_BLOCKING))
    block = checked(runtime.cudaMallocAsync(SIZE, 0))
    if fixed:
        checked(runtime.cudaStreamSynchronize(0))
    checked(runtime.cudaFreeAsync(block, stream))
    checked(runtime.cudaStreamSynchronize(stream))
    checked(runtime.cudaStreamDestroy(stream))


def without_a_stream(_: FakeCuda, *, fixed: bool) -> None:
    """By the driver API: the free takes no stream, and does not wait for memory of a pool."""
    context(driver)
    stream = checked(driver.cuStreamCreate(NON_BLOCKING))
    block = checked(driver.cuMemAllocAsync(SIZE, stream))
    if fixed:
        checked(driver.cuStreamSynchronize(stream))
    checked(driver.cuMemFree(block))
    checked(driver.cuStreamDestroy(stream))


def peer_writes(_: FakeCuda, *, fixed: bool) -> None:
    """A copy to device 1 runs in a stream of device 0. An allocator frees the destination on device 1."""
    checked(runtime.cudaSetDevice(1))
    target = checked(runtime.cudaMalloc(MIB))
    checked(runtime.cudaSetDevice(0))
    checked(runtime.cudaDeviceEnablePeerAccess(1, 0))
    source = checked(runtime.cudaMalloc(MIB))
    stream = checked(runtime.cudaStreamCreateWithFlags(NON_BLOCKING))
    kind = runtime.cudaMemcpyKind.cudaMemcpyDeviceToDevice
    checked(runtime.cudaMemcpyAsync(target, source, MIB, kind, stream))
    if fixed:
        checked(runtime.cudaStreamSynchronize(stream))
    checked(runtime.cudaSetDevice(1))
    checked(runtime.cudaFree(target))
    checked(runtime.cudaSetDevice(0))
    checked(runtime.cudaStreamSynchronize(stream))
    checked(runtime.cudaFree(source))
    checked(runtime.cudaStreamDestroy(stream))


def peer_fills(_: FakeCuda, *, fixed: bool) -> None:
    """By the driver API: a context of device 0 fills memory of a context of device 1."""
    other = context(driver, 1)
    target = checked(driver.cuMemAlloc(MIB))
    context(driver)
    checked(driver.cuCtxEnablePeerAccess(other, 0))
    stream = checked(driver.cuStreamCreate(NON_BLOCKING))
    checked(driver.cuMemsetD8Async(target, 1, MIB, stream))
    if fixed:
        checked(driver.cuStreamSynchronize(stream))
    checked(driver.cuMemFree(target))
    checked(driver.cuStreamSynchronize(stream))
    checked(driver.cuStreamDestroy(stream))


def _launched(graph: Any, stream: Any) -> None:
    executable = checked(driver.cuGraphInstantiate(graph, 0))
    checked(driver.cuGraphLaunch(executable, stream))
    checked(driver.cuStreamSynchronize(stream))
    checked(driver.cuGraphExecDestroy(executable))
    checked(driver.cuGraphDestroy(graph))
    checked(driver.cuStreamDestroy(stream))
    checked(driver.cuDeviceGraphMemTrim(0))


def _allocation(graph: Any) -> tuple[Any, int]:
    params = driver.CUDA_MEM_ALLOC_NODE_PARAMS()
    params.poolProps.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    params.poolProps.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    params.bytesize = SIZE
    node = checked(driver.cuGraphAddMemAllocNode(graph, [], 0, params))
    return node, int(params.dptr)


def _fill(graph: Any, address: int, after: Any, own: Any) -> Any:
    params = driver.CUDA_MEMSET_NODE_PARAMS()
    params.dst, params.value, params.elementSize, params.width, params.height = address, 1, 1, SIZE, 1
    return checked(driver.cuGraphAddMemsetNode(graph, [after], 1, params, own))


def wrong_branch(_: FakeCuda, *, fixed: bool) -> None:
    """The free node comes after the allocation, but not after the node that uses the memory."""
    own = context(driver)
    graph, stream = checked(driver.cuGraphCreate(0)), checked(driver.cuStreamCreate(NON_BLOCKING))
    made, block = _allocation(graph)
    used = _fill(graph, block, made, own)
    checked(driver.cuGraphAddMemFreeNode(graph, [used if fixed else made], 1, block))
    _launched(graph, stream)


def one_of_two_branches(_: FakeCuda, *, fixed: bool) -> None:
    """Two nodes use the memory. The free node comes after the first one."""
    own = context(driver)
    graph, stream = checked(driver.cuGraphCreate(0)), checked(driver.cuStreamCreate(NON_BLOCKING))
    made, block = _allocation(graph)
    first = _fill(graph, block, made, own)
    second = _fill(graph, block, first, own)
    checked(driver.cuGraphAddMemFreeNode(graph, [second if fixed else first], 1, block))
    _launched(graph, stream)


EXHIBITS = [
    Exhibit(
        number=31,
        report="rapidsai/rmm#2156",
        title="memory is freed in another stream before it is allocated",
        happens=(
            "An allocator allocates in the default stream and does not wait. A stream that does not block on the default "
            "stream frees the memory, perhaps before the allocation."
        ),
        part=Part.UNDEFINED,
        told=("stream.race.ACCESSES_ARE_ORDERED",),
        programs={"other-stream": before_the_allocation, "no-stream": without_a_stream},
    ),
    Exhibit(
        number=31,
        report="pytorch/pytorch#196257",
        title="memory is freed while a peer device still writes to it",
        happens=(
            "`cudaFree` waits for the device of the memory. A copy that another device makes to the memory goes on, and "
            "fails with an illegal address."
        ),
        part=Part.UNDEFINED,
        told=("stream.race.ACCESSES_ARE_ORDERED",),
        programs={"copy": peer_writes, "memset": peer_fills},
        devices={"copy": 2, "memset": 2},
    ),
    Exhibit(
        number=31,
        report="NVIDIA/warp#1418",
        title="a free node of a graph does not come after the work that uses the memory",
        happens=(
            "A graph allocates and frees memory. No path of edges leads from a node that uses the memory to the node that "
            "frees it, so a launch may free the memory first."
        ),
        part=Part.UNDEFINED,
        told=("graph.branches.BRANCHES_ARE_ORDERED", "frees"),
        programs={"hand-made": wrong_branch, "one-of-two": one_of_two_branches},
    ),
]
"""The bugs: a module is a row of the gallery, ``EXHIBITS`` its reports."""
