"""A legacy IPC handle is requested for memory that cannot have one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuda.bindings import driver, runtime

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import MIB, checked, context, mapped, properties

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def graph_buffer(_: FakeCuda, *, fixed: bool) -> None:
    """By the runtime API: a buffer's base lies in an expandable segment."""
    checked(runtime.cudaSetDevice(0))
    if fixed:
        buffer = int(checked(runtime.cudaMalloc(2 * MIB)))
    else:
        handle = checked(driver.cuMemCreate(2 * MIB, properties(shared=True), 0))
        buffer = mapped(driver, 2 * MIB, handle)
    base, _size = checked(driver.cuMemGetAddressRange(buffer + MIB))
    checked(runtime.cudaIpcGetMemHandle(int(base)))


def pool(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """Another process's memory comes from a pool."""
    api = fakecuda.spawn("rank-1").driver
    context(api, 1)
    stream = checked(api.cuStreamCreate(1))
    buffer = checked(api.cuMemAlloc(4096) if fixed else api.cuMemAllocAsync(4096, stream))
    checked(api.cuStreamSynchronize(stream))
    checked(api.cuIpcGetMemHandle(buffer))


def expandable(api: Any, size: int, device: int) -> int:
    """Return HIP memory like an expandable segment's: mapped, with device access."""
    prop = api.hipMemAllocationProp()
    prop.type = api.hipMemAllocationType.hipMemAllocationTypePinned
    prop.location.type = api.hipMemLocationType.hipMemLocationTypeDevice
    prop.location.id = device
    handle = checked(api.hipMemCreate(size, prop, 0))
    address = checked(api.hipMemAddressReserve(size, 0, None, 0))
    checked(api.hipMemMap(address, size, 0, handle, 0))
    access = api.hipMemAccessDesc()
    access.location.type = prop.location.type
    access.location.id = device
    access.flags = api.hipMemAccessFlags.hipMemAccessFlagsProtReadWrite
    checked(api.hipMemSetAccess(address, size, access, 1))
    return int(address)


def expandable_on_hip(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """The buffer of an all-reduce lies in an expandable segment."""
    rank = fakecuda.spawn("rank-0").hip
    buffer = checked(rank.hipMalloc(2 * MIB)) if fixed else expandable(rank, 2 * MIB, 0)
    checked(rank.hipDeviceSynchronize())
    checked(rank.hipIpcGetMemHandle(buffer))


def late_rank(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """The second rank's buffer is mapped on its device, the first rank's is not."""
    ranks = [fakecuda.spawn(f"rank-{number}").hip for number in range(2)]
    handles = []
    for number, rank in enumerate(ranks):
        checked(rank.hipSetDevice(number))
        buffer = checked(rank.hipMalloc(2 * MIB)) if number == 0 or fixed else expandable(rank, 2 * MIB, number)
        handles.append(checked(rank.hipIpcGetMemHandle(buffer)))
    assert len(handles) == len(ranks)


EXHIBITS = [
    Exhibit(
        number=19,
        report="vllm-project/vllm#42609",
        title="cuIpcGetMemHandle of memory that is mapped, or from a pool",
        happens=(
            "With expandable segments a framework's buffers are mapped by cuMemMap. A custom all-reduce asks for their legacy IPC "
            "handles, which exist only for memory of cuMemAlloc, and the server ends without a traceback."
        ),
        part=Part.REFUSED,
        told=("ipc.ipc_get_mem_handle.POINTER_IS_ALLOCATED",),
        programs={"graph-buffer": graph_buffer, "pool": pool},
        devices={"pool": 2},
    ),
    Exhibit(
        number=19,
        report="ROCm/aiter#4174",
        title="hipIpcGetMemHandle of memory that is mapped",
        happens=(
            "The bug also occurs with HIP: with expandable segments buffers have no legacy IPC handle. The report "
            "assumes pool memory, for which clr creates a handle; clr of 2026 refuses mapped memory."
        ),
        part=Part.REFUSED,
        told=("hip.ipc.POINTER_IS_ALLOCATED", "RuntimeError: hipErrorInvalidValue"),
        programs={"one-rank": expandable_on_hip, "late-rank": late_rank},
        settings={"profile": "hip-clr-2026"},
    ),
]
