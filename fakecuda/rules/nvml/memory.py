"""The memory of a card, and the processes that use it.

The frame buffer is larger than what the driver tells: the difference is reserved, and counts as used in the first version of the
struct. Memory that is free here is what cuMemGetInfo calls free.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fakecuda.model.nvml import memory_of
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.nvml.arguments import ARGUMENTS_ARE_GIVEN, found, given_out, initialised, require_card_and_results
from fakecuda.rules.nvml.identity import capability
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.nvml import Card

MEMORY_V2 = 2 << 24 | 40
"""The version of nvmlMemory_v2_t, to be combined with its size."""
NONE = 0xFFFFFFFF
"""The instance id of a process that uses no instance."""

STRUCT_IS_THE_SECOND = Rule(
    "`version` of the struct is nvmlMemory_v2",
    Nvml.FUNCTION_NOT_FOUND,
    observed(
        "nvmlDeviceGetMemoryInfo_v2",
        "NVML answers FUNCTION_NOT_FOUND, not ARGUMENT_VERSION_MISMATCH, to other versions",
    ),
    fix="set version in the struct to nvmlMemory_v2 (its 40 bytes, and 2 shifted by 24 bits)",
)
ROOM_SUFFICES = Rule(
    "the array is large enough for all processes",
    Nvml.INSUFFICIENT_SIZE,
    manual(
        "nvmlDeviceGetComputeRunningProcesses_v3",
        "NVML_ERROR_INSUFFICIENT_SIZE if infoCount indicates that the infos array is too small",
    ),
    fix="pass an array as long as the count that the call returned, with some room for new processes",
)
AMPERE = 8, 0
CAUSES = range(2)
"""nvmlPageRetirementCause_t."""
CAUSE_IS_KNOWN = Rule(
    "`cause` is a nvmlPageRetirementCause_t",
    Nvml.INVALID_ARGUMENT,
    observed("nvmlDeviceGetRetiredPages", "NVML answers INVALID_ARGUMENT to values from 2, and to -1"),
    fix="pass a nvmlPageRetirementCause_t, such as NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR",
)
PAGES_ARE_RETIRED = Rule(
    "the card retires pages; no simulated card does",
    Nvml.NOT_SUPPORTED,
    manual("nvmlDeviceGetRetiredPages", "NVML_ERROR_NOT_SUPPORTED if the device doesn't support this feature"),
    fix="read nvmlDeviceGetRemappedRows: cards since Ampere remap rows",
)


class Memory(NamedTuple):
    """The size and use of a card's memory, in bytes."""

    total: int
    reserved: int
    free: int
    used: int


def of_card(call: Call, card: Card) -> Memory:
    """Return the memory use of a card."""
    call.machine.exchange.reap()
    usable = sum(device.profile.total_memory for device in card.seen)
    free = sum(device.memory.total - device.memory.used for device in card.seen)
    reserved = card.facts.reserved
    return Memory(usable + reserved, reserved, free, usable - free)


@NVML.op("nvmlDeviceGetMemoryInfo")
def device_get_memory_info(call: Call, device: int) -> tuple[int, int, int]:
    """Return the total, free and used bytes of the card's memory."""
    memory = of_card(call, require_card_and_results(call, device))
    return memory.total, memory.free, memory.used + memory.reserved


@NVML.op("nvmlDeviceGetMemoryInfo_v2")
def device_get_memory_info_v2(call: Call, device: int, version: int | None) -> Memory:
    """Return the total, reserved, free and used bytes of the card's memory."""
    # CHECK
    card = require_card_and_results(call, device)
    if version is None:
        raise ARGUMENTS_ARE_GIVEN.broken()
    if version != MEMORY_V2:
        raise STRUCT_IS_THE_SECOND.broken(version=version)
    # EFFECT
    return of_card(call, card)


@NVML.op("nvmlDeviceGetBAR1MemoryInfo")
def device_get_bar1_memory_info(call: Call, device: int) -> tuple[int, int, int]:
    """Return the total, free and used bytes of the card's BAR1 memory."""
    card = require_card_and_results(call, device)
    size, used = card.facts.bar1, min(card.facts.bar1, of_card(call, card).used)
    return size, size - used, used


@guard
def _processes(
    call: Call, device: int, count: int | None, *, wide: bool
) -> tuple[int, tuple[tuple[int, ...], ...] | None]:
    """Return the processes with contexts on a card, and their memory use.

    Args:
        call: The call.
        device: The card's handle.
        count: How many the array holds; None for a null pointer.
        wide: Whether instances are reported.
    """
    card = found(call, device)
    if count is None:
        raise ARGUMENTS_ARE_GIVEN.broken()
    rows = []
    for process in call.machine.living:
        for place, one in enumerate(card.seen):
            if any(context.card is one for context in process.contexts.values()):
                number = card.place if card.instance else place
                ids = (number + 1, 0) if card.split else (NONE, NONE)
                rows.append((process.pid, memory_of(process, one), *(ids if wide else ())))
    if len(rows) > count:
        raise ROOM_SUFFICES.broken(count=count, processes=len(rows)).telling((len(rows), None))
    if rows and call.nulls:
        raise ARGUMENTS_ARE_GIVEN.broken()
    return len(rows), tuple(rows)


@guard
def _none(call: Call, device: int, count: int | None) -> tuple[int, tuple[tuple[int, ...], ...]]:
    """Return an empty list of processes."""
    found(call, device)
    if count is None:
        raise ARGUMENTS_ARE_GIVEN.broken()
    return 0, ()


@NVML.op("nvmlDeviceGetComputeRunningProcesses_v3")
@NVML.op("nvmlDeviceGetComputeRunningProcesses_v2")
def device_get_compute_running_processes(
    call: Call, device: int, count: int | None
) -> tuple[int, tuple[tuple[int, ...], ...] | None]:
    """Return the number of processes with a context on the card, and the id, memory and instances of each."""
    return _processes(call, device, count, wide=True)


@NVML.op("nvmlDeviceGetComputeRunningProcesses")
def device_get_compute_running_processes_v1(
    call: Call, device: int, count: int | None
) -> tuple[int, tuple[tuple[int, ...], ...] | None]:
    """Return the number of processes with a context on the card, and the id and memory of each."""
    return _processes(call, device, count, wide=False)


@NVML.op("nvmlDeviceGetGraphicsRunningProcesses_v3")
@NVML.op("nvmlDeviceGetGraphicsRunningProcesses_v2")
@NVML.op("nvmlDeviceGetGraphicsRunningProcesses")
@NVML.op("nvmlDeviceGetMPSComputeRunningProcesses_v3")
@NVML.op("nvmlDeviceGetMPSComputeRunningProcesses_v2")
@NVML.op("nvmlDeviceGetMPSComputeRunningProcesses")
def device_get_other_running_processes(
    call: Call, device: int, count: int | None
) -> tuple[int, tuple[tuple[int, ...], ...]]:
    """Return 0 processes: the model has no graphics and no MPS processes."""
    return _none(call, device, count)


@NVML.op("nvmlDeviceGetRetiredPages")
@NVML.op("nvmlDeviceGetRetiredPages_v2")
def device_get_retired_pages(call: Call, device: int, cause: int) -> None:
    """Refuse a query of retired pages: the recorded cards remap rows instead."""
    initialised(call)
    card = given_out(call, device)
    if "pageCount" in call.nulls:
        raise ARGUMENTS_ARE_GIVEN.broken(nulls=call.nulls)
    if cause not in CAUSES:
        raise CAUSE_IS_KNOWN.broken(cause=cause)
    older = capability(card) < AMPERE  # such cards retire pages, and none was asked
    raise PAGES_ARE_RETIRED.broken(device=device, **({"not_modelled": "retired pages"} if older else {}))
