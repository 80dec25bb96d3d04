"""Mutants that the suite cannot kill, as data: ``survivors.toml``, and ``survivors/<API>.<chapter>.toml``.

Each ``[[survivor]]`` has the ``call``, the ``rule`` (an id), the ``kind`` of the mutant, or several of each, and the ``reason``
why no program tells it from the operation. An entry whose mutant is killed fails the run.
"""

from __future__ import annotations

import tomllib
from itertools import product
from typing import TYPE_CHECKING, Any

from conformance import DATA
from conformance.mutate.mutation import KINDS, Mutant

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

FILE = DATA / "survivors.toml"
KEYS = ("call", "rule", "kind", "reason")


class SurvivorError(Exception):
    """``survivors.toml`` is malformed; the text is one line that names the entry and the mend."""


def load(known: Collection[Mutant], path: Path = FILE) -> dict[Mutant, str]:
    """Return the explained mutants with their reasons; none when there is no such file.

    Args:
        known: Every mutant that there is.
        path: The file; those in the folder of its name belong to it.

    Raises:
        SurvivorError: The file is malformed, or an entry names no mutant.
    """
    found: dict[Mutant, str] = {}
    for one in (path, *sorted(path.with_suffix("").glob("*.toml"))):
        if one.exists():
            _read(one, known, found)
    return found


def _read(path: Path, known: Collection[Mutant], found: dict[Mutant, str]) -> None:
    try:
        data = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        msg = f"{path.name}: {error}"
        raise SurvivorError(msg) from error
    if set(data) - {"survivor"}:
        msg = f"{path.name}: {', '.join(sorted(set(data) - {'survivor'}))}: only [[survivor]] is known"
        raise SurvivorError(msg)
    for number, entry in enumerate(data.get("survivor", []), 1):
        for mutant in _mutants(f"{path.name}, entry {number}", entry):
            if mutant not in known or mutant in found:
                there = [one.kind for one in known if (one.call, one.rule) == (mutant.call, mutant.rule)]
                wrong = (
                    "a second entry" if mutant in found else f"no such mutant; there are {', '.join(there) or 'none'}"
                )
                msg = f"{path.name}, entry {number}: {mutant}: {wrong}"
                raise SurvivorError(msg)
            found[mutant] = entry["reason"]


def _mutants(where: str, entry: dict[str, Any]) -> Iterator[Mutant]:
    missing, unknown = set(KEYS) - set(entry), set(entry) - set(KEYS)
    if missing or unknown:
        parts = [f"lacks {', '.join(sorted(missing))}"] if missing else []
        parts += [f"has unknown {', '.join(sorted(unknown))}"] if unknown else []
        msg = f"{where}: {'; '.join(parts)}"
        raise SurvivorError(msg)
    calls, rules, kinds = ([one] if isinstance(one := entry[key], str) else one for key in KEYS[:3])
    if set(kinds) - set(KINDS):
        msg = f"{where}: kind is {entry['kind']!r}, not {' or '.join(KINDS)}"
        raise SurvivorError(msg)
    if not str(entry["reason"]).strip():
        msg = f"{where}: reason says why no program tells the mutant from the operation"
        raise SurvivorError(msg)
    yield from (Mutant(*names) for names in product(calls, rules, kinds))
