"""The gallery of bugs, ``docs/museum.md``, written from the exhibits and from what their programs print."""

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

Bugs in code that uses CUDA and HIP, as they were reported in public, and what fakecuda says of each. Each is two small programs, which differ
in sizes, in order, in the API, in threads or in processes. Each program is there twice, faulty and fixed: a test fails the faulty one for the
reason that stands here, and the fixed one passes with the same settings. `python -m tools.museum` runs all of them.

Where each call is right by itself, no rule can tell what a program meant. There its own check fails, as it would on a card: what it looks at,
bytes, contexts, the last error, is there. `evidence` is what a card was recorded to answer. Where a card has run a program itself, call by call as
here, that is said; `python -m tools.museum --card FILE` asks another one, in which programs of undefined behaviour are left out.

The programs show what was wrong, in our own words; they are no code of the projects. Most bugs are long fixed there.
Those that come in some orders alone, of 10, 22 and 24, fall to [the search of orders](orders.md#how-it-knows), too.
"""
LABEL = re.compile(r"\s+(\w+) {2,}\S")
"""A line of a report that begins a part of it: ``rule       va.mem_map.…``."""
SHOWN = {"call", "at", "rule", "source", "evidence", "fix"}
DRAWN = re.compile(r"\b0x[0-9a-f]{9,}")
"""An address or a handle: where a machine has few addresses it draws others."""
LINES = 16
"""How many lines of a report are shown at most."""


def files() -> dict[Path, str]:
    """Return the page by its path."""
    return {ROOT / "docs" / "museum.md": "\n".join([INTRODUCTION, *_table(), "", *_sections()]) + "\n"}


def abridged(told: str) -> str:
    """Return the first lines of what is told: a report's main parts, without its objects and their histories, and without addresses."""
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
