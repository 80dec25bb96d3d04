"""What NVML tells of a kind of card beside what the driver does: ``cards.toml``, and what a card was recorded to answer."""

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
    """A kind of card.

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
        """Milliwatts that it was recorded to use; 0 where nothing was."""
        return self._number("nvmlDeviceGetPowerUsage")

    @property
    def energy(self) -> int:
        """Millijoules that it was recorded to have used."""
        return self._number("nvmlDeviceGetTotalEnergyConsumption")

    def _number(self, call: str) -> int:
        _, digits = self.answers.get(call, {}).get("", (0, ""))
        return int.from_bytes(bytes.fromhex(digits), "little")

    def clocks_beside(self, memory: int) -> tuple[int, ...] | None:
        """Return the clocks of the processors beside one of the memory, MHz; none where it has no such clock, None where nobody knows."""
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
    """Return what is known of the card of a name; of a MIG instance, of its card. Of others nothing is."""
    return _table().get(name.partition(" MIG ")[0], Facts())


def recorded_codes(call: str) -> set[int]:
    """Return what cards of any kind were recorded to answer to a call."""
    return {code for facts in _table().values() for code, *_ in facts.answers.get(call, {}).values()}


def release_of(driver_version: int) -> str:
    """Return the driver that came with a CUDA version, or with the last one before it that is known."""
    known = [version for version in RELEASES if version <= driver_version]
    return RELEASES[max(known, default=min(RELEASES))]
