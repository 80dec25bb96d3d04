"""cuMemImportFromShareableHandle: import exported memory as an allocation handle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import mapping
from fakecuda.model.memory.pool import Pool
from fakecuda.model.memory.va import AllocFlags, Location, Physical, Prop
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.va.properties import DEVICE, FABRIC, PINNED, POSIX
from fakecuda.rules.driver.va.supported import supported
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call

TYPES = frozenset(ENUMS["CUmemAllocationHandleType"].values()) - {
    0,
    ENUMS["CUmemAllocationHandleType"]["CU_MEM_HANDLE_TYPE_MAX"],
}

TYPE_IS_KNOWN = Rule(
    "`shHandleType` is one CUmemAllocationHandleType and not CU_MEM_HANDLE_TYPE_NONE",
    Result.INVALID_VALUE,
    observed(
        "cuMemImportFromShareableHandle",
        "the driver answers INVALID_VALUE to no type, to several types at once and to unknown types",
    ),
    fix="pass exactly one CUmemAllocationHandleType, the type that the exporter used",
)
TYPE_IS_SUPPORTED = Rule(
    "the operating system supports `shHandleType`: Linux has no Windows handle types",
    Result.NOT_SUPPORTED,
    manual("cuMemImportFromShareableHandle", "If the current process cannot support the memory described by this"),
    fix="pass CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR or CU_MEM_HANDLE_TYPE_FABRIC; other types are for Windows",
)


CHANNEL_IS_SHARED = Rule(
    "this process and the exporting process can access the same IMEX channel",
    Result.NOT_PERMITTED,
    manual(
        "cuMemImportFromShareableHandle",
        "the importer process has not been granted access to the same IMEX channel as the exporter process",
    ),
    fix="give both processes access to the same IMEX channel",
)
FABRIC_HANDLE_IS_KNOWN = Rule(
    "the fabric handle `osHandle` names exported memory that is still allocated",
    Result.INVALID_VALUE,
    manual("cuMemImportFromShareableHandle", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass all 64 bytes of the fabric handle, while the exporter or an importer still holds the memory",
)
DESCRIPTOR_IS_NO_POOL = Rule(
    "the file descriptor `osHandle` was not exported from a memory pool",
    Result.NOT_SUPPORTED,
    observed("cuMemImportFromShareableHandle", "the driver answers NOT_SUPPORTED to the descriptor of a memory pool"),
    fix="import the descriptor of a pool with cuMemPoolImportFromShareableHandle",
)
DESCRIPTOR_IS_EXPORTED_MEMORY = Rule(
    "the file descriptor `osHandle` is open and comes from cuMemExportToShareableHandle",
    Result.UNKNOWN,
    observed(
        "cuMemImportFromShareableHandle",
        "the driver answers UNKNOWN to a closed descriptor and to the descriptor of another file",
    ),
    fix="pass a descriptor of cuMemExportToShareableHandle, sent through a Unix socket and still open",
)


@guard
def _shared(call: Call, fabric_handle: bytes | int) -> Physical:
    """Return the memory of a fabric handle, which must be open to the calling process."""
    ours = call.process.imex_channels
    if not ours:
        raise CHANNEL_IS_SHARED.broken(channels=ours)
    known = call.machine.exchange.fabric_handles.get(fabric_handle) if isinstance(fabric_handle, bytes) else None
    if known is None or not known[0].extent.references:
        raise FABRIC_HANDLE_IS_KNOWN.broken(handle=fabric_handle)
    physical, theirs = known
    if not set(ours) & set(theirs):
        raise CHANNEL_IS_SHARED.broken(channels=ours, exporter=theirs)
    return physical


@guard
def _exported(call: Call, descriptor: int | bytes) -> Physical:
    """Return the memory of a file descriptor."""
    physical = None if isinstance(descriptor, bytes) else call.machine.exchange.exported(descriptor)
    if isinstance(physical, Pool):
        raise DESCRIPTOR_IS_NO_POOL.broken(descriptor=descriptor, found=physical)
    if not isinstance(physical, Physical):
        raise DESCRIPTOR_IS_EXPORTED_MEMORY.broken(descriptor=descriptor)
    return physical


@DRIVER.op("cuMemImportFromShareableHandle")
def mem_import_from_shareable_handle(call: Call, shared: int | bytes, handle_type: int) -> int:
    """Import memory, and return an allocation handle with one reference.

    Args:
        call: The call.
        shared: A file descriptor, or the 64 bytes of a fabric handle.
        handle_type: CUmemAllocationHandleType.
    """
    # CHECK
    process = supported(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if handle_type not in TYPES:
        raise TYPE_IS_KNOWN.broken(handle_type=handle_type)
    if handle_type not in {POSIX, FABRIC}:
        raise TYPE_IS_SUPPORTED.broken(handle_type=handle_type)
    physical = _shared(call, shared) if handle_type == FABRIC else _exported(call, shared)
    # EFFECT
    location = Location(DEVICE, process.number_of(physical.device))
    prop = Prop(PINNED, 0, location, 0, AllocFlags(0, 0, 0))
    return mapping.import_(process, physical, prop, history.here()).value
