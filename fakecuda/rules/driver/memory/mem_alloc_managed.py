"""cuMemAllocManaged: allocate memory that host and devices share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import memory_effects
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call

ATTACH = {ENUMS["CUmemAttach_flags"][f"CU_MEM_ATTACH_{name}"] for name in ("GLOBAL", "HOST")}
SUPPORTED = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY"]

SIZE_IS_POSITIVE = Rule(
    "the size is not 0",
    Result.INVALID_VALUE,
    manual("cuMemAllocManaged", "If bytesize is 0, cuMemAllocManaged returns CUDA_ERROR_INVALID_VALUE"),
    fix="skip cuMemAllocManaged if the size is 0",
)
FLAGS_ARE_KNOWN = Rule(
    "`flags` is CU_MEM_ATTACH_GLOBAL or CU_MEM_ATTACH_HOST",
    Result.INVALID_VALUE,
    manual("cuMemAllocManaged", "must be one of CU_MEM_ATTACH_GLOBAL or CU_MEM_ATTACH_HOST"),
    fix="pass either CU_MEM_ATTACH_GLOBAL or CU_MEM_ATTACH_HOST",
)
MANAGED_MEMORY_IS_SUPPORTED = Rule(
    "the current device supports managed memory",
    Result.NOT_SUPPORTED,
    manual(
        "cuMemAllocManaged",
        "If the device doesn't support allocating managed memory, CUDA_ERROR_NOT_SUPPORTED is returned",
    ),
    fix="query CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY first, and use cuMemAlloc and copies if it is 0",
)
ADDRESSES_SUFFICE = Rule(
    "the process has enough free addresses for the memory",
    Result.OUT_OF_MEMORY,
    manual("cuMemAllocManaged", "CUDA_ERROR_OUT_OF_MEMORY"),
    fix="free managed memory or reservations first, or allocate less",
)


@DRIVER.op("cuMemAllocManaged")
def mem_alloc_managed(call: Call, bytesize: int, flags: int) -> int:
    """Allocate managed memory, which may be larger than the card; it is freed when the current context ends.

    Args:
        call: The call.
        bytesize: Bytes.
        flags: CU_MEM_ATTACH_GLOBAL or CU_MEM_ATTACH_HOST.

    Returns:
        The address, the same for host and devices, aligned to 512 bytes, to 2 MiB above 1 MiB.
    """
    # CHECK
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if not bytesize:
        raise SIZE_IS_POSITIVE.broken()
    if flags not in ATTACH:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    context = current(call)
    if not context.device.profile.attributes.get(SUPPORTED):
        raise MANAGED_MEMORY_IS_SUPPORTED.broken(device=context.device)
    # EFFECT
    managed = memory_effects.manage(context, bytesize, history.here())
    if managed is None:
        raise ADDRESSES_SUFFICE.broken(size=bytesize)
    return managed.start
