"""Writes the gallery of bugs, ``docs/museum.md``.

It comes from the exhibits and the output of their programs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tools.codegen.steps import ROOT
from tools.museum.card import agreed
from tools.museum.exhibit import id_of
from tools.museum.registry import every_exhibit
from tools.museum.visit import visit
from tools.pages.markdown import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


INTRODUCTION = """# The museum

This page shows bugs in code that uses CUDA and HIP, as they were reported in public, with fakecuda's reports. Each bug has two small programs,
which differ in sizes, in order, in the API, in threads or in processes. Each program has a faulty and a fixed version: the faulty one fails its
test for the reason shown here, and the fixed one passes with the same settings. `python -m tools.museum` runs all these programs.

If each call is correct by itself, no rule can detect the mistake. In that case the program's own check fails, as on a card, because
the simulation has the state that this check reads: bytes, contexts, the last error. `evidence` is a card's recorded answer. If a card has run a program itself, and each
call of its processes was answered as by the model, the page says so. `python -m tools.museum --card FILE` runs the programs on another card,
[beside the driver](shadow.md). It does not run programs that need more devices than the host has: it prints how many they need. [What fakecuda finds on your GPUs](guides/gpu_team.md) has what was found there.

The programs show the mistakes in our own words and contain no code of the projects, which fixed most of these bugs long ago.
Bugs 10, 22 and 24 need certain orders of threads. [The search of orders](orders.md#how-it-knows) finds these three bugs, too.
"""
LABEL = re.compile(r"\s+(\w+) {2,}\S")
"""Matches a line of a report that begins a part: ``rule       va.mem_map.…``."""
SHOWN = {"call", "at", "rule", "source", "evidence", "fix"}
DRAWN = re.compile(r"\b0x[0-9a-f]{9,}")
"""Matches an address or a handle. A machine with few addresses draws different ones."""
LINES = 16
"""Maximum number of lines of a report."""


def files() -> dict[Path, str]:
    """Return the page, by its path."""
    return {ROOT / "docs" / "museum.md": "\n".join([INTRODUCTION, *_table(), "", *_sections()]) + "\n"}


def abridged(told: str) -> str:
    """Return the first lines of a report.

    They have its main parts, without objects, their histories and addresses.
    """
    lines: list[str] = []
    shown = True
    for line in DRAWN.sub("0x…", told).splitlines():
        label = LABEL.match(line)
        if label is not None or not line.startswith("    "):
            shown = label is None or label[1] in SHOWN
        if shown:
            lines.append(line)
    return "\n".join(lines if len(lines) <= LINES else [*lines[:LINES], "..."])


def _table() -> Iterator[str]:
    yield "| # | report | what is wrong | is caught by |"
    yield "|---:|---|---|---|"
    for one in every_exhibit():
        yield f"| {one.number} | {one.report} | [{one.title}](#{one.anchor}) | {one.part.value} |"


def _sections() -> Iterator[str]:
    outcomes = visit()
    for one in every_exhibit():
        variants = list(one.programs)
        yield f'## <a id="{one.anchor}"></a>{one.number}. {one.title}'
        yield ""
        yield wrapped(f"[{one.report}]({one.address}). {one.happens}")
        yield ""
        settings = f"with `{one.mark}`" if one.mark else "with the settings that a test has by default"
        programs = f"[{one.file}](../tools/museum/exhibits/{one.file})"
        yield wrapped(
            f"Caught by {one.part.value}, {settings}. The programs are `{'` and `'.join(variants)}` in {programs}."
        )
        yield ""
        if heard := agreed(one):
            yield wrapped(heard)
            yield ""
        yield f"```text\n{abridged(outcomes[id_of(one, variants[0], fixed=False)].told)}\n```"
        yield ""
