"""cuMemExportToShareableHandle: export memory for other processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.va.handle import handle_of
from fakecuda.rules.driver.va.properties import FABRIC, POSIX
from fakecuda.rules.driver.va.supported import supported
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

TYPES = frozenset({POSIX, FABRIC})

FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    manual("cuMemExportToShareableHandle", "Reserved, must be zero"),
    fix="pass 0 for the flags of cuMemExportToShareableHandle",
)
TYPE_WAS_REQUESTED = Rule(
    "`handleType` is one of the handle types that the memory of `handle` was created with",
    Result.INVALID_VALUE,
    manual("cuMemExportToShareableHandle", "Type of shareable handle requested"),
    fix="set requestedHandleTypes in the properties of cuMemCreate",
)


@DRIVER.op("cuMemExportToShareableHandle")
def mem_export_to_shareable_handle(call: Call, value: int, handle_type: int, flags: int) -> int | bytes:
    """Export memory as a new file descriptor, or as the 64 bytes of a fabric handle.

    The memory lives while a copy of the descriptor is open; bytes do not keep it.

    Args:
        call: The call.
        value: The allocation handle.
        handle_type: CUmemAllocationHandleType.
        flags: 0.
    """
    # CHECK
    process = supported(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    handle = handle_of(call, value)
    if handle_type not in TYPES or not handle.prop.handle_types & handle_type:
        raise TYPE_WAS_REQUESTED.broken(handle_type=handle_type, requested=handle.prop.handle_types)
    # EFFECT
    if handle_type == FABRIC:
        process.stays()
        return call.machine.exchange.share(handle.physical, process.imex_channels)
    return call.machine.exchange.export(handle.physical, process, history.here())
