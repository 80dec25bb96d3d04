"""The clocks that a card supports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.nvml.arguments import ARGUMENTS_ARE_GIVEN, found
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from fakecuda.model.call import Call

CLOCKS_ARE_KNOWN = Rule(
    "the card lists its supported clocks (a simulated card: only clocks that were recorded on a real one)",
    Nvml.NOT_SUPPORTED,
    manual(
        "nvmlDeviceGetSupportedMemoryClocks", "NVML_ERROR_NOT_SUPPORTED if the device does not support this feature"
    ),
    fix="treat NVML_ERROR_NOT_SUPPORTED as a card that does not list its clocks, and continue without them",
)
CLOCK_IS_GIVEN = Rule(
    "`memoryClockMHz` is not 0",
    Nvml.INVALID_ARGUMENT,
    observed(
        "nvmlDeviceGetSupportedGraphicsClocks",
        "NVML answers INVALID_ARGUMENT to a memory clock of 0, and NOT_FOUND to other unsupported clocks",
    ),
    fix="pass a memory clock in MHz that nvmlDeviceGetSupportedMemoryClocks returned",
)
CLOCK_IS_FOUND = Rule(
    "`memoryClockMHz` is a supported memory clock",
    Nvml.NOT_FOUND,
    manual(
        "nvmlDeviceGetSupportedGraphicsClocks",
        "NVML_ERROR_NOT_FOUND if the specified memoryClockMHz is not a supported frequency",
    ),
    fix="pass exactly a memory clock that nvmlDeviceGetSupportedMemoryClocks returned",
)
ROOM_SUFFICES = Rule(
    "`count` is large enough for all clocks",
    Nvml.INSUFFICIENT_SIZE,
    manual("nvmlDeviceGetSupportedMemoryClocks", "NVML_ERROR_INSUFFICIENT_SIZE if count is too small"),
    fix="call the function with a count of 0 to get the number of clocks, then with an array of that length",
)


@guard
def _fitting(clocks: tuple[int, ...], count: int) -> tuple[int, tuple[int, ...]]:
    """Return the number of clocks, and each clock in MHz, within the array's size."""
    if count < len(clocks):
        raise ROOM_SUFFICES.broken(count=count).telling((len(clocks), None))
    return len(clocks), clocks


@NVML.op("nvmlDeviceGetSupportedMemoryClocks")
def device_get_supported_memory_clocks(call: Call, device: int, count: int | None) -> tuple[int, tuple[int, ...]]:
    """Return the number of supported memory clocks, and each clock in MHz."""
    # CHECK
    card = found(call, device)
    if count is None or (call.nulls and count):
        raise ARGUMENTS_ARE_GIVEN.broken()
    if not card.facts.memory_clocks:
        raise CLOCKS_ARE_KNOWN.broken(device=device)
    # EFFECT
    return _fitting(tuple(card.facts.memory_clocks), count)


@NVML.op("nvmlDeviceGetSupportedGraphicsClocks")
def device_get_supported_graphics_clocks(
    call: Call, device: int, memory: int, count: int | None
) -> tuple[int, tuple[int, ...]]:
    """Return the number of supported graphics clocks at a memory clock, and each clock in MHz.

    Args:
        call: The call.
        device: The card's handle.
        memory: The memory's clock, in MHz.
        count: How many the array has room for; None for a null pointer.
    """
    # CHECK
    card = found(call, device)
    if count is None or (call.nulls and count):
        raise ARGUMENTS_ARE_GIVEN.broken()
    if not memory:
        raise CLOCK_IS_GIVEN.broken()
    clocks = card.facts.clocks_beside(memory)
    if clocks is None:
        raise CLOCKS_ARE_KNOWN.broken(memory=memory)
    if not clocks:
        raise CLOCK_IS_FOUND.broken(memory=memory)
    # EFFECT
    return _fitting(clocks, count)
