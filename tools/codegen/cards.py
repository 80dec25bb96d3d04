"""Writes ``cards.json``.

Cards' answers to queries, from the recordings of their NVML.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fakecuda.profiles.cards import GENERATED
from fakecuda.rules.nvml.field import CLEAR, FIELDS
from fakecuda.rules.nvml.sample import ENERGY
from fakecuda.rules.nvml.sensor import SENSORS
from fakecuda.spec.nvml import CALLS

RECORDED = {"NVIDIA H200": "h200-x2", "NVIDIA H100 80GB HBM3": "h100-x2"}
"""The recordings, by the names of cards."""
DATA = Path(__file__).parents[2] / "conformance" / "data" / "nvml"
CLEARED = "cleared_fields", "cleared_counters"
"""Names of the programs that clear fields."""
FILL = "a5a5a5a5"
"""The content of a struct's gaps, which the library does not write."""


def files() -> dict[Path, str]:
    """Return the text of the table, by its path."""
    table = {card: answers(json.loads((DATA / f"{name}.json").read_text())) for card, name in RECORDED.items()}
    rows = [f" {json.dumps(card)}: {{\n{_lines(found)}\n }}" for card, found in table.items()]
    return {GENERATED: "{\n" + ",\n".join(rows) + "\n}\n"}


def _lines(found: dict[str, Any]) -> str:
    return ",\n".join(f"  {json.dumps(name)}: {json.dumps(one)}" for name, one in found.items())


def answers(recording: dict[str, Any]) -> dict[str, Any]:
    """Return the codes and results by call and by what the call queries.

    They are in hexadecimal digits.
    """
    found: dict[str, Any] = {}
    for name in (*SENSORS, ENERGY):
        asked = [answer for answer in recording["programs"][name] if answer[1]]
        found[name] = dict(filter(None, (_row(*answer) for answer in asked[1:-1])))
    fields = [answer for answer in recording["programs"]["fields"] if answer[3]]
    found[FIELDS] = {key: one for key, one in map(_field, fields) if one}
    cleared = [answer for name in CLEARED for answer in recording["programs"][name] if answer[3] and not answer[2]]
    found[CLEAR] = dict(filter(None, map(_cleared, cleared)))
    return found


def _row(name: str, arguments: list[list[Any]], code: Any, outs: list[str]) -> tuple[str, list[Any]] | None:
    """Return a query of the first card with its answer.

    The result is None if an argument is wrong for any call.
    """
    short = any(param.name == "length" for param in CALLS[name].inputs) and arguments[-1] != ["int", 96]
    if arguments[0] != ["dev", 0] or ["null"] in arguments or short or code == "crash":
        return None
    asked = [one[1] for one in arguments[1:] if one[0] == "int"]
    words = [one[1] for one in arguments[1:] if one[0] == "out" and one[1:]]
    if any(param.kind == "word" for param in CALLS[name].inputs):
        asked += [int.from_bytes(bytes.fromhex(word)[:4], "little") for word in words]
    asked = asked[:-1] if arguments[-1] == ["int", 96] else asked
    return ",".join(map(str, asked)), [code, *([] if code else [out.replace(FILL, "0" * 8) for out in outs])]


def _field(answer: list[Any]) -> tuple[str, list[Any]]:
    """Return a field with its scope, and its answer.

    The answer is the code, the type of the value and the value.
    """
    raw = bytes.fromhex(answer[3][0])
    field, scope, kind, code = (int.from_bytes(raw[at : at + 4], "little") for at in (0, 4, 24, 28))
    return f"{field},{scope}", [] if answer[2] else [code, 0, ""] if code else [code, kind, raw[32:40].hex()]


def _cleared(answer: list[Any]) -> tuple[str, list[int]] | None:
    """Return a field to be cleared on the first card, and its code.

    The result is None if it is not a field.
    """
    raw = bytes.fromhex(answer[3][0])
    if answer[1][0] != ["dev", 0] or not raw:
        return None
    return str(int.from_bytes(raw[:4], "little")), [int.from_bytes(raw[28:32], "little")]
