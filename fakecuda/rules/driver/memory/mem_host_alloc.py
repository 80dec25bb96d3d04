"""cuMemHostAlloc: allocate page-locked host memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.memory_effects import DEVICE_MAP, PORTABLE, WRITE_COMBINED
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.memory.page_locked import page_locked
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

FLAGS_ARE_KNOWN = Rule(
    "the flags have only the bits for portable, device-mapped and write-combined memory",
    Result.INVALID_VALUE,
    manual(
        "cuMemHostAlloc",
        "a developer may allocate memory that is portable, mapped and/or write-combined with no restrictions",
    ),
    fix="combine only CU_MEMHOSTALLOC_PORTABLE, CU_MEMHOSTALLOC_DEVICEMAP and CU_MEMHOSTALLOC_WRITECOMBINED",
)
KNOWN = PORTABLE | DEVICE_MAP | WRITE_COMBINED


@DRIVER.op("cuMemHostAlloc")
def mem_host_alloc(call: Call, bytesize: int, flags: int) -> int:
    """Allocate page-locked memory for all contexts; it is freed when the current context ends.

    Args:
        call: The call.
        bytesize: Bytes; for 0 the call succeeds and returns null.
        flags: CU_MEMHOSTALLOC_PORTABLE, _DEVICEMAP and _WRITECOMBINED.

    Returns:
        The address, the same for host and devices, aligned to 512 bytes, to 2 MiB above 1 MiB.
    """
    # CHECK
    context = current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if flags & ~KNOWN:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    # EFFECT
    return page_locked(context, bytesize, flags)
