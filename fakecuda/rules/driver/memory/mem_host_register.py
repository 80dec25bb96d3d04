"""cuMemHostRegister: page-lock host memory that the caller owns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import memory_effects
from fakecuda.model.memory.memory import Registered
from fakecuda.model.memory.memory_effects import DEVICE_MAP, PORTABLE, READ_ONLY
from fakecuda.model.memory.narrow import PAGE
from fakecuda.model.memory.space import READ
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.memory.page_locked import addressable
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call

ADDRESSES = 1 << 64
LARGEST = 1 << 62
"""The smallest size that is not supported."""
IO_MEMORY = 4
"""CU_MEMHOSTREGISTER_IOMEMORY."""
KNOWN = PORTABLE | DEVICE_MAP | IO_MEMORY | READ_ONLY
SUPPORTED = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED"]

POINTER_IS_GIVEN = Rule(
    "the pointer is not null",
    Result.INVALID_VALUE,
    manual("cuMemHostRegister", "Host pointer to memory to page-lock"),
    fix="pass the address of host memory that the program itself allocated",
)
SIZE_IS_POSITIVE = Rule(
    "the size of the range is not 0",
    Result.INVALID_VALUE,
    manual("cuMemHostRegister", "Size in bytes of the address range to page-lock"),
    fix="skip the registration if the size is 0",
)
FLAGS_ARE_KNOWN = Rule(
    "the flags have only the bits for portable, device-mapped, I/O and read-only memory",
    Result.INVALID_VALUE,
    manual("cuMemHostRegister", "enables different options to be specified that affect the allocation, as follows"),
    fix="combine only CU_MEMHOSTREGISTER flags; the CU_MEMHOSTALLOC flags are for cuMemHostAlloc",
)
READ_ONLY_IS_SUPPORTED = Rule(
    "the current device supports CU_MEMHOSTREGISTER_READ_ONLY if the flags have it",
    Result.NOT_SUPPORTED,
    manual(
        "cuMemHostRegister",
        "Using this flag with a current context associated with a device that does not have this attribute set will "
        "cause cuMemHostRegister to error with CUDA_ERROR_NOT_SUPPORTED",
    ),
    fix="drop CU_MEMHOSTREGISTER_READ_ONLY if CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED is 0",
)
RANGE_DOES_NOT_WRAP = Rule(
    "the start address of the range plus its size does not exceed 2^64",
    Result.INVALID_VALUE,
    observed(
        "cuMemHostRegister",
        "the driver answers INVALID_VALUE to a range past the last address, even if registered memory lies in it",
    ),
    fix="pass the size of the memory as bytesize",
)
SIZE_IS_SUPPORTED = Rule(
    "the size of the range is less than 2^62 bytes",
    Result.NOT_SUPPORTED,
    observed(
        "cuMemHostRegister",
        "the driver answers NOT_SUPPORTED to 2^62 bytes and more, even if registered memory lies in the range, but "
        "not to 2^56 bytes",
    ),
    fix="pass the size of the memory as bytesize",
)
MEMORY_IS_IO_MEMORY = Rule(
    "the range is I/O memory if the flags have CU_MEMHOSTREGISTER_IOMEMORY",
    Result.INVALID_VALUE,
    manual("cuMemHostRegister", "The pointer is treated as pointing to some I/O memory space"),
    fix="drop CU_MEMHOSTREGISTER_IOMEMORY: the range is ordinary host memory",
)
RANGE_IS_NOT_REGISTERED = Rule(
    "no byte of the range is already registered",
    Result.HOST_MEMORY_ALREADY_REGISTERED,
    manual("cuMemHostRegister", "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"),
    fix="register each byte once, and unregister the old range before you register an overlapping range",
)
RANGE_IS_THE_CALLERS = Rule(
    "no byte of the range is memory that CUDA or HIP allocated, mapped or imported",
    Result.INVALID_VALUE,
    manual("cuMemHostRegister", "Registers an existing host memory range for use by CUDA"),
    fix="register only memory of malloc or mmap; memory that CUDA allocated needs no registration",
)
RANGE_IS_MAPPED = Rule(
    "every page of the range is host memory of the process, such as malloc or mmap returns",
    Result.INVALID_VALUE,
    observed("cuMemHostRegister", "the driver answers INVALID_VALUE to addresses at which the process has no memory"),
    fix="pass the address and the size of a buffer that is still mapped, with no page beyond its end",
)
READ_ONLY_IS_SAID = Rule(
    "the flags have CU_MEMHOSTREGISTER_READ_ONLY if the process may read but not write the range",
    Result.INVALID_VALUE,
    manual("cuMemHostRegister", "this flag is required in order to register"),
    fix="add CU_MEMHOSTREGISTER_READ_ONLY, or map the memory so that the process may write to it",
)


@guard
def _overlooked(call: Call, start: int, size: int) -> None:
    """Check that I/O memory does not end in registered memory."""
    found = call.process.memory.first(start, start + size)
    if isinstance(found, Registered) and start < found.start and start + size < found.end:
        raise MEMORY_IS_IO_MEMORY.broken(pointer=start, size=size, found=found)


@guard
def unregistered(call: Call, start: int, size: int) -> None:
    """Check that no byte of a range is registered or allocated."""
    found = call.process.memory.first(start, start + size)
    if isinstance(found, Registered):
        raise RANGE_IS_NOT_REGISTERED.broken(pointer=start, size=size, found=found)
    if found is not None:
        raise RANGE_IS_THE_CALLERS.broken(pointer=start, size=size, found=found)


@DRIVER.op("cuMemHostRegister")
def mem_host_register(call: Call, p: int, bytesize: int, flags: int) -> None:
    """Register exactly the given bytes of host memory, until they are unregistered or the current context ends.

    Args:
        call: The call.
        p: The memory's address, of any alignment.
        bytesize: Bytes.
        flags: CU_MEMHOSTREGISTER_PORTABLE, _DEVICEMAP, _IOMEMORY and _READ_ONLY.
    """
    # CHECK
    context = current(call)
    if not p:
        raise POINTER_IS_GIVEN.broken()
    if not bytesize:
        raise SIZE_IS_POSITIVE.broken()
    if flags & ~KNOWN:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    if flags & READ_ONLY and not context.device.profile.attributes.get(SUPPORTED):
        raise READ_ONLY_IS_SUPPORTED.broken(device=context.device)
    if p + bytesize > ADDRESSES:
        raise RANGE_DOES_NOT_WRAP.broken(pointer=p, size=bytesize)
    if bytesize >= LARGEST:
        raise SIZE_IS_SUPPORTED.broken(size=bytesize)
    if flags & IO_MEMORY:
        _overlooked(call, p, bytesize)
    unregistered(call, p, bytesize)
    if flags & IO_MEMORY:
        raise MEMORY_IS_IO_MEMORY.broken(pointer=p, size=bytesize)
    access = call.process.system.access_of(p, bytesize)
    if not access:
        raise RANGE_IS_MAPPED.broken(pointer=p, size=bytesize)
    if access == READ and not flags & READ_ONLY:
        raise READ_ONLY_IS_SAID.broken(pointer=p, size=bytesize)
    addressable(context, bytesize, flags, p % PAGE)
    # EFFECT
    memory_effects.register(context, p, bytesize, flags, history.here())
