"""Explained mutants that survive: ``[[survivor]]`` of fakecuda.explain.evidence.

Each has the ``call``, the ``rule`` (an id), the ``kind`` of the mutant, or several of each, and the ``reason`` why no program
tells it from the operation. An entry whose mutant is killed fails the run.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from conformance.mutate.mutation import KINDS, Mutant
from fakecuda.explain import evidence

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path


def load(known: Collection[Mutant], folder: Path = evidence.FOLDER) -> dict[Mutant, str]:
    """Return the explained mutants with their reasons.

    Args:
        known: Every mutant that there is.
        folder: Where the evidence is.

    Raises:
        EvidenceError: A file is malformed, or an entry names no mutant; the text names the entry and what to write.
    """
    found: dict[Mutant, str] = {}
    for entry in evidence.entries("survivor", folder=folder):
        for names in product(entry.all("call"), entry.all("rule"), entry.all("kind")):
            mutant = Mutant(*names)
            if mutant not in known or mutant in found:
                msg = f"{entry.place}: {mutant}: {_mistake(mutant, known, found)}"
                raise evidence.EvidenceError(msg)
            found[mutant] = entry.one("reason")
    return found


def read(calls: Collection[str]) -> dict[Mutant, str]:
    """Return the explained mutants of some calls with reasons, without validation.

    To know them all, :func:`load` needs the text of every operation.
    """
    return {
        Mutant(*names): entry.one("reason")
        for entry in evidence.entries("survivor", of=calls)
        for names in product(entry.all("call"), entry.all("rule"), entry.all("kind"))
    }


def _mistake(mutant: Mutant, known: Collection[Mutant], found: Collection[Mutant]) -> str:
    if mutant in found:
        return "a second entry: drop one"
    if mutant.kind not in KINDS:
        return f"kind is {mutant.kind!r}, not {' or '.join(KINDS)}"
    there = [one.kind for one in known if (one.call, one.rule) == (mutant.call, mutant.rule)]
    return f"no such mutant; there are {', '.join(there) or 'none'}: python -m conformance.mutate --list"
