"""The rule for opening handles of other processes: the device supports IPC."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.context import Context

SUPPORTED = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED"]

IPC_IS_SUPPORTED = Rule(
    "the current device supports CUDA IPC",
    Result.INVALID_HANDLE,
    manual("cuIpcOpenMemHandle", "Users can test their device for IPC functionality"),
    fix="query CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED first, and exchange data through the host if it is 0",
)


@guard
def interprocess(context: Context) -> None:
    """Check that a context's device supports IPC; old drivers have no such attribute."""
    if not context.device.profile.attributes.get(SUPPORTED, 1):
        raise IPC_IS_SUPPORTED.broken(device=context.device)
