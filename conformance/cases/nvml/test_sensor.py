"""Readings of a card, with a case for each recorded code."""

from __future__ import annotations

from conformance.cases.nvml.fixtures import asking
from conformance.cases.nvml.sweeps import WRONG
from conformance.kit.calls import CALLS
from conformance.kit.case import Entry, suite
from conformance.targets.newer import RECORDED
from fakecuda.profiles import load
from fakecuda.profiles.cards import facts_of
from fakecuda.rules.nvml.sensor import REFUSALS, SENSORS, TEMPERATURE
from fakecuda.spec.codes import Nvml

LONG = 96
"""Bytes for a text."""
STATES = 64
"""Bytes for the performance states of a card."""
ANSWERS = facts_of(load(RECORDED).devices[0].name).answers


def sensor(call: str) -> Entry:
    """Return the entry of a recorded call, with a case for each code."""
    inputs = CALLS[call].inputs[1:]
    sized = [LONG] * any(one.name == "length" for one in inputs)
    asked: dict[int, list[int]] = {}
    for key, answer in sorted(ANSWERS[call].items(), key=lambda one: int(one[1][0])):
        asked.setdefault(answer[0], [int(one) for one in key.split(",") if one] + sized)
    first, *others = asked
    entry = asking(call, *asked[first])
    entry.answers = first
    if first:
        entry.also("asked", rule=REFUSALS[first].id)(lambda _, i: i)
    for code in others:
        entry.breaks(REFUSALS[code].id, **dict(zip(entry.inputs[1:], asked[code], strict=True)))
    for one in inputs:
        if one.kind == "word":
            entry.breaks("ARGUMENTS_ARE_GIVEN", one.name, **{one.name: None})
    if any(one.kind == "word" for one in inputs) and int(Nvml.ARGUMENT_VERSION_MISMATCH) not in asked:
        entry.breaks("VERSION_IS_KNOWN", **{entry.inputs[-1]: WRONG})
    return entry


every = [sensor(call) for call in SENSORS]
temperature = asking("nvmlDeviceGetTemperatureV", (TEMPERATURE, 0, 0))
temperature.breaks("ARGUMENTS_ARE_GIVEN", "struct", temperature=None)
temperature.breaks("SENSOR_IS_KNOWN", temperature=(TEMPERATURE, 1, 0))
temperature.breaks("SENSOR_IS_KNOWN", "of another version", temperature=(0, 0, 0))
states = asking("nvmlDeviceGetSupportedPerformanceStates", STATES)
states.breaks("ROOM_IS_GIVEN", size=0)
states.breaks("ROOM_SUFFICES", size=2)
for one in (*every, temperature, states):
    if not any(rule.id.endswith(".CARD_ANSWERS") for rule in one.broken()):
        one.also("a card of which nothing was recorded", rule="CARD_ANSWERS")(lambda _, i: i)
        one.only("nvl72", "a-card-of-which-nothing-was-recorded")

test_sensor = suite(*every, temperature, states, asking("nvmlDeviceValidateInforom"))
