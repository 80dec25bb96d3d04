"""cuStreamAttachMemAsync: set which streams may use managed memory.

Where devices access managed memory while the host does, as all known ones do, nothing depends on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.memory import Managed
from fakecuda.model.memory.space import WRITE
from fakecuda.model.work import stream_scheduler
from fakecuda.model.work.stream import LEGACY
from fakecuda.rules.core import Rule, guard, manual, undefined
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.work.stream import Stream

ATTACH = frozenset(ENUMS["CUmemAttach_flags"].values())
SINGLE = ENUMS["CUmemAttach_flags"]["CU_MEM_ATTACH_SINGLE"]
MANAGED = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY"]
PAGEABLE = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS"]

DEVICE_HAS_MANAGED_MEMORY = Rule(
    "the stream's device supports managed memory",
    Result.NOT_SUPPORTED,
    manual("cuStreamAttachMemAsync", "CUDA_ERROR_NOT_SUPPORTED"),
    fix="skip the call on devices whose CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY is 0",
)
FLAGS_ARE_KNOWN = Rule(
    "`flags` is 0 or a member of CUmemAttach_flags",
    Result.INVALID_VALUE,
    manual("cuStreamAttachMemAsync", "which must be one of CUmemAttach_flags"),
    fix="pass exactly one of CU_MEM_ATTACH_GLOBAL, CU_MEM_ATTACH_HOST and CU_MEM_ATTACH_SINGLE",
)
STREAM_IS_NOT_NULL = Rule(
    "the stream is not null if `flags` is CU_MEM_ATTACH_SINGLE; CU_STREAM_LEGACY is allowed",
    Result.INVALID_VALUE,
    manual("cuStreamAttachMemAsync", "It is illegal to attach singly to the NULL stream"),
    fix="pass a created stream with CU_MEM_ATTACH_SINGLE, or attach with CU_MEM_ATTACH_GLOBAL",
)
ALLOCATION_IS_WHOLE = Rule(
    "a pointer to managed memory is the start of its allocation, and `length` is then 0 or the whole size",
    Result.INVALID_VALUE,
    manual("cuStreamAttachMemAsync", "length must be either zero or the entire allocation's size"),
    fix="pass the start address of the allocation, and 0 or its full size for length",
)
MEMORY_CAN_BE_ATTACHED = Rule(
    "the memory is managed but not from a pool, or is writable pageable memory that the device can access",
    Result.INVALID_VALUE,
    manual("cuStreamAttachMemAsync", "dptr must point to one of the following types of memories"),
    fix="pass memory of cuMemAllocManaged; host memory needs CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS",
)
LENGTH_IS_POSITIVE = Rule(
    "`length` is not 0 if the pointer lies in pageable host memory",
    Result.INVALID_VALUE,
    manual("cuStreamAttachMemAsync", "For pageable host allocations, length must be non-zero"),
    fix="pass the length of pageable memory; 0 is allowed only for managed memory",
)
FLAGS_ARE_GIVEN = Rule(
    "`flags` is not 0",
    Result.INVALID_VALUE,
    undefined("cuStreamAttachMemAsync", "the manual says nothing about 0; driver 580 crashes (segmentation fault)"),
    fix="pass CU_MEM_ATTACH_GLOBAL, CU_MEM_ATTACH_HOST or CU_MEM_ATTACH_SINGLE",
)


@guard
def attachable(call: Call, stream: Stream, start: int, length: int) -> None:
    """Check that memory can be attached to a stream of a device."""
    memory = call.process.memory.at(start)
    if isinstance(memory, Managed):
        if start != memory.start or length not in {0, memory.end - memory.start}:
            raise ALLOCATION_IS_WHOLE.broken(memory=memory, pointer=start, length=length)
        return
    pageable = memory is None and stream.context.device.profile.attributes.get(PAGEABLE)
    if not pageable or call.process.system.access_of(start, max(length, 1)) < WRITE:
        raise MEMORY_CAN_BE_ATTACHED.broken(pointer=start, found=memory or call.process.freed.get(start))
    if not length:
        raise LENGTH_IS_POSITIVE.broken(pointer=start)


@DRIVER.op("cuStreamAttachMemAsync")
def stream_attach_mem_async(call: Call, stream: int, dptr: int, length: int, flags: int) -> None:
    """Attach managed memory to a stream, to the host or to all streams, in stream order.

    Args:
        call: The call.
        stream: The stream.
        dptr: The start of a managed allocation, or of pageable memory.
        length: Its bytes; of a managed allocation 0 says the same.
        flags: CUmemAttach_flags.
    """
    # CHECK
    attaching = stream_of(call, stream, "cuStreamAttachMemAsync")
    device = attaching.context.device
    if not device.profile.attributes.get(MANAGED):
        raise DEVICE_HAS_MANAGED_MEMORY.broken(device=device)
    if flags and flags not in ATTACH:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    if flags == SINGLE and not stream and attaching.handle == LEGACY:
        raise STREAM_IS_NOT_NULL.broken(stream=attaching)
    attachable(call, attaching, dptr, length)
    if not flags:
        call.undefined(FLAGS_ARE_GIVEN)
        raise FLAGS_ARE_GIVEN.broken()
    # EFFECT
    stream_scheduler.occupy(attaching, beside=True)
