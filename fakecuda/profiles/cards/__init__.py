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
}
"""A driver of a CUDA version, by that: https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/; of 13.0 the recorded one."""


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
    answers: dict[str, dict[str, list[Any]]] = field(factory=dict, repr=False)


@cache
def _table() -> dict[str, Facts]:
    recorded = json.loads(GENERATED.read_text()) if GENERATED.exists() else {}
    table = tomllib.loads((HERE / "cards.toml").read_text())
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
