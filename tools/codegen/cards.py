"""Writes ``cards.json``.

Cards' answers to queries, from the recordings of their NVML.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakecuda.profiles.cards import GENERATED
from fakecuda.rules.nvml.field import CLEAR, FIELDS
from fakecuda.rules.nvml.sample import ENERGY
from fakecuda.rules.nvml.sensor import SENSORS
from fakecuda.spec.codes import CRASH
from fakecuda.spec.nvml import CALLS
from fakecuda.spec.nvml_types import type_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.spec.description import Param

RECORDED = {"NVIDIA H200": "h200-x2", "NVIDIA H100 80GB HBM3": "h100-x2"}
"""The recorded machines, by the names of cards."""
DATA = Path(__file__).parents[2] / "conformance" / "data" / "recordings"
CLEARED = "nvml/cleared_fields", "nvml/cleared_counters"
"""Names of the programs that clear fields."""
HANDLE, DEFAULT = "nvmlDeviceGetHandleByIndex_v2", 96
"""The call that returns a card's handle, and the length of the texts that were asked."""
FIELD = 40
"""The size of a nvmlFieldValue_t in bytes."""

Asked = tuple[dict[str, Any], dict[str, Any]]
"""A step and its answer."""


def files() -> dict[Path, str]:
    """Return the text of the table, by its path."""
    table = {card: answers(programs(DATA / name / "nvml.jsonl.gz")) for card, name in RECORDED.items()}
    rows = [f" {json.dumps(card)}: {{\n{_lines(found)}\n }}" for card, found in table.items()]
    return {GENERATED: "{\n" + ",\n".join(rows) + "\n}\n"}


def programs(path: Path) -> dict[str, list[Asked]]:
    """Return the first card's queries and answers, by program."""
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()[1:]
    return {program["name"]: list(_of_the_first(program)) for program in map(json.loads, lines)}


def _of_the_first(program: dict[str, Any]) -> Iterator[Asked]:
    first: set[str] = set()
    for step, answer in zip(program["steps"], program["answers"], strict=True):
        args = step.get("args", [])
        if step["call"] == HANDLE and args == [0] and answer["code"] == 0:
            first.add(answer["outs"]["device"].get("new") or answer["outs"]["device"]["name"])
        elif args and isinstance(args[0], dict) and args[0].get("ref") in first:
            yield step, answer


def _lines(found: dict[str, Any]) -> str:
    return ",\n".join(f"  {json.dumps(name)}: {json.dumps(one)}" for name, one in found.items())


def answers(recorded: dict[str, list[Asked]]) -> dict[str, Any]:
    """Return the codes and results by call and by what the call queries.

    They are in hexadecimal digits.
    """
    found: dict[str, Any] = {}
    for name in (*SENSORS, ENERGY):
        asked = [one for one in recorded[f"nvml/{name}"] if one[0]["call"] == name]
        found[name] = dict(filter(None, (_row(*one) for one in asked)))
    found[FIELDS] = dict(_field(*one) for one in recorded["nvml/fields"] if one[0]["args"][1] == 1)
    cleared = [one for name in CLEARED for one in recorded[name]]
    found[CLEAR] = dict(filter(None, (_cleared(*one) for one in cleared)))
    return found


def _row(step: dict[str, Any], answer: dict[str, Any]) -> tuple[str, list[Any]] | None:
    """Return a query of the first card with its answer.

    The result is None if an argument is wrong for any call.
    """
    call, args, code = CALLS[step["call"]], step["args"][1:], answer["code"]
    sized = call.inputs[-1].name == "length"
    if None in args or "null" in step or code == CRASH or (sized and args[-1] != DEFAULT):
        return None
    outs = answer["outs"]
    told = [] if code else [_digits(param, outs[param.name]) for param in call.outputs]
    return ",".join(map(str, args[:-1] if sized else args)), [code, *told]


def _digits(param: Param, value: Any) -> str:
    """Return a result as the hex digits of its memory."""
    kind = type_of(param.type)
    if param.kind == "string":
        return f"{value['hex']}00"
    if isinstance(value, dict):
        content = bytes([value["fill"][0]]) * value["fill"][1] if "fill" in value else bytes.fromhex(value["hex"])
        return content.hex()
    return bytes(kind(value)).hex()


def _field(step: dict[str, Any], answer: dict[str, Any]) -> tuple[str, list[Any]]:
    """Return a field with its scope, and its answer.

    The answer is the code, the type of the value and the value.
    """
    (asked,) = step["args"][2]
    key = f"{asked & 0xFFFFFFFF},{asked >> 32}"
    if answer["code"]:
        return key, []
    raw = bytes.fromhex(answer["outs"]["values"]["hex"])
    kind, code = (int.from_bytes(raw[at : at + 4], "little") for at in (24, 28))
    return key, [code, 0, ""] if code else [code, kind, raw[32:FIELD].hex()]


def _cleared(step: dict[str, Any], answer: dict[str, Any]) -> tuple[str, list[int]] | None:
    """Return a field to be cleared on the first card, and its code.

    The result is None if it is not a field.
    """
    if answer["code"] or step["args"][1] != 1:
        return None
    raw = bytes.fromhex(answer["outs"]["values"]["hex"])
    return str(int.from_bytes(raw[:4], "little")), [int.from_bytes(raw[28:32], "little")]
