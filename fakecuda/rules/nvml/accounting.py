"""Accounting of ended processes. Accounting is off by default, so a simulated card has no data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual, observed
from fakecuda.rules.nvml.arguments import ARGUMENTS_ARE_GIVEN, found, require_card_and_results
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from fakecuda.model.call import Call

ARRAY_IS_GIVEN = Rule(
    "`pids` is not null, even if the count is 0",
    Nvml.INSUFFICIENT_SIZE,
    observed(
        "nvmlDeviceGetAccountingPids",
        "without an array NVML answers INSUFFICIENT_SIZE, and returns a count of 0 processes",
    ),
    fix="pass an array as long as nvmlDeviceGetAccountingBufferSize returns",
)
PROCESS_IS_ACCOUNTED = Rule(
    "the device has accounting data for the process `pid`",
    Nvml.NOT_FOUND,
    manual("nvmlDeviceGetAccountingStats", "NVML_ERROR_NOT_FOUND if process stats were not found"),
    fix="turn on accounting mode (nvidia-smi --accounting-mode=1) before the process starts",
)


@NVML.op("nvmlDeviceGetAccountingPids")
def device_get_accounting_pids(call: Call, device: int, count: int | None) -> tuple[int, tuple[int, ...]]:
    """Return an empty list of accounted processes."""
    found(call, device)
    if count is None:
        raise ARGUMENTS_ARE_GIVEN.broken()
    if call.nulls:
        raise ARRAY_IS_GIVEN.broken(count=count).telling((0, None))
    return 0, ()


@NVML.op("nvmlDeviceGetAccountingStats")
def device_get_accounting_stats(call: Call, device: int, pid: int) -> None:
    """Refuse every process id, because nothing is accounted."""
    require_card_and_results(call, device)
    raise PROCESS_IS_ACCOUNTED.broken(pid=pid)
