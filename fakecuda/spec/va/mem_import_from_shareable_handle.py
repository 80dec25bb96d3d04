"""cuMemImportFromShareableHandle: a handle for exported memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import ENUMS
from fakecuda.codes import Result
from fakecuda.model import history
from fakecuda.model.machine import HANDLES
from fakecuda.model.va import AllocFlags, Handle, Location, Physical, Prop
from fakecuda.rule import Rule, manual, observed, op
from fakecuda.spec.core.initialized import RESULT_IS_GIVEN
from fakecuda.spec.va.properties import DEVICE, PINNED, POSIX
from fakecuda.spec.va.supported import supported

if TYPE_CHECKING:
    from fakecuda.model.process import Thread

TYPES = frozenset(ENUMS["CUmemAllocationHandleType"].values()) - {
    0,
    ENUMS["CUmemAllocationHandleType"]["CU_MEM_HANDLE_TYPE_MAX"],
}

TYPE_IS_KNOWN = Rule(
    "the handle type is a single one that cuda.h names",
    Result.INVALID_VALUE,
    observed("cuMemImportFromShareableHandle", "none, several at once and unknown types answer INVALID_VALUE"),
)
TYPE_IS_SUPPORTED = Rule(
    "the handle type is one that the system supports",
    Result.NOT_SUPPORTED,
    manual("cuMemImportFromShareableHandle", "If the current process cannot support the memory described by this"),
)
DESCRIPTOR_IS_EXPORTED_MEMORY = Rule(
    "the descriptor stands for exported memory",
    Result.UNKNOWN,
    observed("cuMemImportFromShareableHandle", "a closed descriptor and that of another file answer UNKNOWN"),
)


@op("cuMemImportFromShareableHandle")
def mem_import_from_shareable_handle(call: Thread, descriptor: int, handle_type: int) -> int:
    """Return an allocation handle, with one reference, for the memory that a descriptor stands for."""
    # CHECK
    process = supported(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if handle_type not in TYPES:
        raise TYPE_IS_KNOWN.broken(handle_type=handle_type)
    if handle_type != POSIX:
        raise TYPE_IS_SUPPORTED.broken(handle_type=handle_type)
    physical = call.machine.exported(descriptor)
    if not isinstance(physical, Physical):
        raise DESCRIPTOR_IS_EXPORTED_MEMORY.broken(descriptor=descriptor)
    # EFFECT
    physical.extent.references += 1
    location = Location(DEVICE, physical.device.ordinal)
    prop = Prop(PINNED, 0, location, 0, AllocFlags(0, 0, 0))
    handle = Handle(next(HANDLES), physical, prop, created=history.here())
    process.handles[handle.value] = handle
    return handle.value
