"""NVML's facts about kinds of cards, from ``cards.toml`` and recordings."""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

HERE = Path(__file__).parent
GENERATED = HERE / "generated" / "cards.json"
RELEASES = {
    12040: "550.54.14",
    12050: "555.42.02",
    12060: "560.28.03",
    12080: "570.26",
    12090: "575.51.03",
    13000: "580.159.04",
    13010: "590.44.01",
    13020: "595.71.05",
    13030: "610.57.04",
}
"""A driver of a CUDA version, by that: https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/; of 13.0 the recorded one, of 13.2
and 13.3 those of https://github.com/utkuozdemir/nvidia_gpu_exporter/tree/main/internal/captures."""


@frozen
class Facts:
    """Facts about a kind of card.

    Attributes:
        reserved: Bytes of the frame buffer that the driver does not give out.
        bar1: Bytes of the window by which the bus sees the card.
        serial: Whether it has a serial number.
        links: How many NVLinks it has.
        link_version: The number of their generation.
        pstates: Performance states that it can be in.
        temperature: Degrees Celsius of the chip; None where there is no sensor that is known.
        events: What can be registered for, bits of nvmlEventType.
        memory_clocks: Those of its memory, MHz.
        graphics_clocks: Those of its processors, MHz, by the memory's: the highest, the lowest, and the step between them.
        answers: What it was recorded to answer: by call, and by what that asks for, the code and hexadecimal digits.
    """

    reserved: int = 0
    bar1: int = 0
    serial: bool = False
    links: int = 0
    link_version: int = 0
    pstates: list[int] = field(factory=list)
    temperature: int | None = None
    events: int = 8
    memory_clocks: list[int] = field(factory=list)
    graphics_clocks: dict[str, list[int]] = field(factory=dict)
    answers: dict[str, dict[str, list[Any]]] = field(factory=dict, repr=False)

    @property
    def power(self) -> int:
        """The recorded power use in milliwatts; 0 without a recording."""
        return self._number("nvmlDeviceGetPowerUsage")

    @property
    def energy(self) -> int:
        """The recorded energy use in millijoules; 0 without a recording."""
        return self._number("nvmlDeviceGetTotalEnergyConsumption")

    def _number(self, call: str) -> int:
        _, digits = self.answers.get(call, {}).get("", (0, ""))
        return int.from_bytes(bytes.fromhex(digits), "little")

    def clocks_beside(self, memory: int) -> tuple[int, ...] | None:
        """Return the graphics clocks in MHz for a memory clock; None if unknown."""
        if str(memory) in self.graphics_clocks:
            highest, lowest, step = self.graphics_clocks[str(memory)]
            return tuple(range(highest, lowest - 1, -step))
        return None if memory in self.memory_clocks or not self.memory_clocks else ()


@cache
def _table() -> dict[str, Facts]:
    recorded = json.loads(GENERATED.read_text(encoding="utf-8")) if GENERATED.exists() else {}
    table = tomllib.loads((HERE / "cards.toml").read_text(encoding="utf-8"))
    return {name: Facts(**row, answers=recorded.get(name, {})) for name, row in table.items()}


def facts_of(name: str) -> Facts:
    """Return the facts about a card by name; a MIG instance has its card's."""
    return _table().get(name.partition(" MIG ")[0], Facts())


def recorded_codes(call: str) -> set[int]:
    """Return the recorded codes of cards for a call."""
    return {code for facts in _table().values() for code, *_ in facts.answers.get(call, {}).values()}


def release_of(driver_version: int) -> str:
    """Return the driver release of a CUDA version, or the nearest earlier one."""
    known = [version for version in RELEASES if version <= driver_version]
    return RELEASES[max(known, default=min(RELEASES))]
