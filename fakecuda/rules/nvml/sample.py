"""Measurements over time: energy, and samples of power and utilization.

The time is the machine's. The power is that of the recorded moment, and nothing runs on a simulated card. Its energy follows from
both; its buffers of samples have one of each kind, of now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import nvml
from fakecuda.model.work.clock import SECOND
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.nvml.arguments import ARGUMENTS_ARE_GIVEN, found, require_card_and_results
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.nvml import Card

ENERGY = "nvmlDeviceGetTotalEnergyConsumption"
POWER, CLOCKS, UTILISATIONS = 0, (5, 6), (1, 2, 3, 4, 8, 9)
"""nvmlSamplingType_t. An H200 does not support 7, the power of the module."""
BUFFERS = {POWER: 120, **dict.fromkeys(CLOCKS, 100), **dict.fromkeys(UTILISATIONS, 72)}
"""The size of an H200's sample buffer, by sampling type."""
PROCESS_SAMPLES = 72
"""The size of an H200's buffer of process utilization samples."""
UNSIGNED = 1
"""NVML_VALUE_TYPE_UNSIGNED_INT."""

CARD_MEASURES = Rule(
    "the card measures its power (a simulated card: only if its power was recorded on a real one)",
    Nvml.NOT_SUPPORTED,
    manual("nvmlDeviceGetSamples", "NVML_ERROR_NOT_SUPPORTED if this query is not supported by the device"),
    fix="treat NVML_ERROR_NOT_SUPPORTED as a card that does not measure power, and continue without it",
)
KIND_IS_KNOWN = Rule(
    "the card takes samples of the type `type`",
    Nvml.INVALID_ARGUMENT,
    observed(
        "nvmlDeviceGetSamples", "NVML answers INVALID_ARGUMENT to unknown sample types and to the power of the module"
    ),
    fix="pass a nvmlSamplingType_t, such as NVML_GPU_UTILIZATION_SAMPLES, other than the module's power",
)
CARD_IS_WHOLE = Rule(
    "the card is not in MIG mode if `type` is a kind of utilization",
    Nvml.NOT_SUPPORTED,
    manual("nvmlDeviceGetSamples", "On MIG-enabled GPUs, querying the following sample types"),
    fix="query only the power of a card in MIG mode, because such a card does not report utilization",
)
ROOM_IS_GIVEN = Rule(
    "`sampleCount` is not 0 if `samples` is not null",
    Nvml.INVALID_ARGUMENT,
    manual("nvmlDeviceGetSamples", "reference to sampleCount is 0 for non null samples"),
    fix="pass the length of the array in sampleCount; with a null array, the call returns the required length",
)
SAMPLES_ARE_FOUND = Rule(
    "there are samples of the type `type` after `lastSeenTimeStamp`",
    Nvml.NOT_FOUND,
    manual("nvmlDeviceGetSamples", "NVML_ERROR_NOT_FOUND if sample entries are not found"),
    fix="pass 0 or an earlier time for lastSeenTimeStamp, or query again later",
)
PROCESS_IS_SEEN = Rule(
    "a process has used the card since `lastSeenTimeStamp`; on a simulated card this rule never holds",
    Nvml.NOT_FOUND,
    manual("nvmlDeviceGetProcessUtilization", "NVML_ERROR_NOT_FOUND if sample entries are not found"),
    fix="treat NVML_ERROR_NOT_FOUND as no process on the card, and query again later",
)
BUFFER_FITS = Rule(
    "the array is large enough for all utilization samples of the card",
    Nvml.INSUFFICIENT_SIZE,
    observed(
        "nvmlDeviceGetProcessUtilization",
        "NVML answers INSUFFICIENT_SIZE to a shorter array, and returns the required count, 72",
    ),
    fix="call the function without an array to get the number of samples, then with an array of that length",
)


def energy_of(call: Call, card: Card) -> int:
    """Return the energy of a card in millijoules: the recorded value plus later use."""
    refreshes = nvml.read_meter(call.machine, card.index)
    return card.facts.energy + refreshes * card.facts.power * nvml.REFRESH // SECOND


@guard
def _measuring(card: Card) -> None:
    if not card.facts.power:
        raise CARD_MEASURES.broken(card=card.index)


@NVML.op(ENERGY)
def device_get_total_energy_consumption(call: Call, device: int) -> int:
    """Return the energy that a card has used, in millijoules. On a virtual clock it grows with each call."""
    # CHECK
    card = require_card_and_results(call, device)
    _measuring(card)
    # EFFECT
    return energy_of(call, card)


@NVML.op("nvmlDeviceGetSamples")
def device_get_samples(
    call: Call, device: int, kind: int, since: int, count: int | None
) -> tuple[int, int, tuple[bytes, ...]]:
    """Return samples: the type of their values, their number, and each value with its time in microseconds.

    Without an array it tells how many the buffer has room for.

    Args:
        call: The call.
        device: The card's handle.
        kind: What was sampled.
        since: The time that was seen last: only later samples are returned.
        count: How many the array has room for; None for a null pointer.
    """
    # CHECK
    card = found(call, device)
    if count is None or "sampleValType" in call.nulls:
        raise ARGUMENTS_ARE_GIVEN.broken()
    if kind not in BUFFERS:
        raise KIND_IS_KNOWN.broken(type=kind)
    _measuring(card)
    if card.split and kind in UTILISATIONS:
        raise CARD_IS_WHOLE.broken(type=kind)
    if call.nulls:
        return UNSIGNED, BUFFERS[kind], ()
    if not count:
        raise ROOM_IS_GIVEN.broken()
    now = call.machine.clock.nanoseconds // 1000 + 1
    if kind in CLOCKS or since >= now:
        raise SAMPLES_ARE_FOUND.broken(type=kind, since=since)
    # EFFECT
    value = card.facts.power if kind == POWER else 0
    return UNSIGNED, 1, (now.to_bytes(8, "little") + value.to_bytes(8, "little"),)


@NVML.op("nvmlDeviceGetProcessUtilization")
def device_get_process_utilization(call: Call, device: int, count: int | None, since: int) -> None:
    """Report that no process has used a card.

    Args:
        call: The call.
        device: The card's handle.
        count: How many samples the array has room for; None for a null pointer.
        since: The time that was seen last.
    """
    found(call, device)
    if count is None:
        raise ARGUMENTS_ARE_GIVEN.broken()
    if count < PROCESS_SAMPLES:
        raise BUFFER_FITS.broken(count=count).telling((None, PROCESS_SAMPLES))
    if call.nulls:
        raise ARGUMENTS_ARE_GIVEN.broken()
    raise PROCESS_IS_SEEN.broken(since=since)
