"""Writes the table of ``docs/guides/gpu_team.md``: what ``check --real`` and compute-sanitizer said of the museum's programs on a card.

The rest of the page is written by hand.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from tools.codegen.steps import ROOT
from tools.museum.card import agrees, heard_of, ran
from tools.museum.exhibit import id_of
from tools.museum.registry import every_exhibit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

PAGE = ROOT / "docs" / "guides" / "gpu_team.md"
BEGIN, END = "<!-- written by python -m tools.codegen gpu_team -->\n", "<!-- by hand again -->\n"

NOTHING = "nothing"
FAILED = "Error:"
"""Begins what compute-sanitizer says if it did not run a program."""
HIT = re.compile(r"^Program hit (\w+) .* call to (\w+)")
"""A call that was refused, in compute-sanitizer's words."""


def files() -> dict[Path, str]:
    """Return the page, by its path."""
    before, begin, rest = PAGE.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        msg = f"{PAGE} has no comments around its table: {BEGIN.strip()} and {END.strip()}"
        raise ValueError(msg)
    return {PAGE: f"{before}{begin}\n" + "\n".join(_table()) + f"\n\n{end}{after}"}


def _table() -> Iterator[str]:
    """Yield the rows of the faulty programs whose calls were all compared; what the fixed program has, too, is no finding about the bug."""
    yield "| bug | program | `check --real` | compute-sanitizer |"
    yield "|---|---|---|---|"
    counts: Counter[Any] = Counter()
    for one in every_exhibit():
        for variant in one.programs:
            faulty, fixed = (heard_of()["programs"].get(id_of(one, variant, fixed=fixed)) for fixed in (False, True))
            if faulty and "needs" in faulty:
                counts["needs"] += 1
            elif not (faulty and fixed and ran(one, variant)):
                counts["failed"] += bool(faulty)
            elif not (agrees(faulty) and agrees(fixed)):
                counts["not compared"] += 1
            else:
                found = _joined(Counter(faulty["found"]) - Counter(fixed["found"]))
                told = _joined(map(_short, faulty.get("sanitizer", {})))
                counts[found != NOTHING, told != NOTHING and not told.startswith(FAILED)] += 1
                yield f"| [{one.title}](../museum.md#{one.anchor}) | `{variant}` | {found} | {told} |"
    yield ""
    yield from _sums(counts)


def _sums(counts: Counter[Any]) -> Iterator[str]:
    """Yield what the table says in numbers, and what it lacks."""
    yield f"- **`check --real` alone** reports something of {counts[True, False]} of these programs, compute-sanitizer alone of"
    yield f"  {counts[False, True]}, both of {counts[True, True]}, and neither of {counts[False, False]}."
    yield f"- **Not compared**: {counts['not compared']} further programs ran. The model did not answer each of their calls as the driver did, so"
    yield "  the table says nothing of them."
    yield f"- **Not run**: {counts['needs']} programs, which need more devices."
    if counts["failed"]:
        yield f"- **Failed**: {counts['failed']} programs, whose fixed versions failed, too."


def _joined(found: Iterable[str]) -> str:
    return "; ".join(key.replace("|", "/") for key in found) or NOTHING


def _short(told: str) -> str:
    """Return what compute-sanitizer told in fewer words."""
    hit = HIT.search(told)
    code = hit and hit[1].removeprefix("CUDA_ERROR_").removeprefix("cudaError")
    return f"{hit[2]} answered {code}" if hit else told.replace("Leaked … bytes at …", "leaked memory")
