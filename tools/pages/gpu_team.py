"""Writes the table of ``docs/guides/gpu_team.md``: what ``check --real`` and compute-sanitizer said of the museum's programs on a card.

The rest of the page is written by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tools.codegen.steps import ROOT
from tools.museum.card import heard_of
from tools.museum.exhibit import id_of
from tools.museum.registry import every_exhibit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

PAGE = ROOT / "docs" / "guides" / "gpu_team.md"
BEGIN, END = "<!-- written by python -m tools.codegen gpu_team -->\n", "<!-- by hand again -->\n"
KEPT = "left behind: context"
"""The programs keep their contexts to their end."""
LACKS = "INVALID_DEVICE"
"""What a program says that needs more devices than the card's machine has."""


def files() -> dict[Path, str]:
    """Return the page, by its path."""
    before, begin, rest = PAGE.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        msg = f"{PAGE} has no comments around its table: {BEGIN.strip()} and {END.strip()}"
        raise ValueError(msg)
    return {PAGE: f"{before}{begin}\n" + "\n".join(_table()) + f"\n\n{end}{after}"}


def ran(told: Mapping[str, Any]) -> bool:
    """Return whether a program made its calls on the card, from what was heard of it."""
    return bool(told.get("answers")) and LACKS not in told["said"].upper().replace("CUDAERRORINVALIDDEVICE", LACKS)


def _table() -> Iterator[str]:
    yield "| bug | program | `check --real` | compute-sanitizer |"
    yield "|---|---|---|---|"
    for one in every_exhibit():
        for variant in one.programs:
            told = heard_of()["programs"].get(id_of(one, variant, fixed=False), {})
            if ran(told):
                found = _joined(told["found"])
                yield f"| [{one.title}](../museum.md#{one.anchor}) | `{variant}` | {found} | {_joined(told.get('sanitizer', {}))} |"


def _joined(found: Mapping[str, int]) -> str:
    return "; ".join(key.replace("|", "/") for key in found if key != KEPT) or "nothing"
