"""Settings that only an administrator may change. A simulated user is not an administrator, so no setting changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.nvml.arguments import ARGUMENTS_ARE_GIVEN, found, require_card_and_results
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from fakecuda.model.call import Call

SETTERS = tuple(
    f"nvmlDevice{name}"
    for name in (
        *("ClearAccountingPids", "ClearEccErrorCounts", "ResetGpuLockedClocks", "ResetMemoryLockedClocks"),
        *("SetAPIRestriction", "SetAccountingMode", "SetAutoBoostedClocksEnabled", "SetComputeMode", "SetEccMode"),
        *(
            "SetDefaultFanSpeed_v2",
            "SetFanSpeed_v2",
            "SetGpuLockedClocks",
            "SetGpuOperationMode",
            "SetMemoryLockedClocks",
        ),
        "SetPersistenceMode",
    )
)
"""Calls that change a card's settings, with plain numbers as arguments."""
BY_POINTERS = "nvmlDeviceSetMigMode", "nvmlDeviceSetPowerManagementLimit_v2"
"""Calls that change a card's settings, with pointers among their arguments."""

USER_IS_ROOT = Rule(
    "the user has permission to change the card",
    Nvml.NO_PERMISSION,
    manual(
        "nvmlDeviceSetComputeMode",
        "NVML_ERROR_NO_PERMISSION if the user doesn't have permission to perform this operation",
    ),
    fix="run the program as root, or continue without the change",
)


def change(call: Call, device: int, *_: Any) -> None:
    """Refuse to change a setting of a card."""
    found(call, device)
    raise USER_IS_ROOT.broken(device=device)


def change_by_pointers(call: Call, device: int, *given: Any) -> None:
    """Refuse to change a setting of a card that a struct or a pointer passes."""
    require_card_and_results(call, device)
    if None in given:
        raise ARGUMENTS_ARE_GIVEN.broken()
    raise USER_IS_ROOT.broken(device=device)


for _name in SETTERS:
    NVML.op(_name)(change)
for _name in BY_POINTERS:
    NVML.op(_name)(change_by_pointers)
