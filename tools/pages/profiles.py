"""Writes the page of profiles, ``docs/profiles.md``.

The origins of each profile's values.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from typing import TYPE_CHECKING, Any

from fakecuda import profiles
from fakecuda.profiles.sources import GRADES, parsed
from tools.codegen.steps import ROOT
from tools.pages.markdown import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fakecuda.profiles.sources import Source

INTRODUCTION = """# Profiles and the origins of their values

A profile contains what one machine reports of itself. Each value has a grade:

- **probed**: a machine answered so. `python -m realcuda.probe` writes such a profile.
- **documented**: a document says so, with its address. Users' reports count, such as the output of `deviceQuery` or `nvidia-smi`.
- **assumed**: no document was found. The page says what the value was derived from.

`python -m fakecuda profiles t4` prints all values of a profile with their grades, and `fakecuda.profiles.values("t4")` returns them. Your own file
can do the same with tables `[[source]]`: [the loader](../fakecuda/profiles/sources.py) documents their keys.
"""
MEMBER = re.compile(r"(device|device\.limits|link)\.([A-Z].*)")
"""Matches the name of an attribute or of a limit."""
OF = {"device": "{}", "device.limits": "the limit {}", "link": "{} of links"}
"""Texts for attributes and limits."""
COUNTS = "| profile | base | driver | values | probed | documented | assumed |\n|---|---|---|---:|---:|---:|---:|"


def files() -> dict[Path, str]:
    """Return the page, by its path."""
    return {
        ROOT / "docs" / "profiles.md": "\n".join([INTRODUCTION, COUNTS, *_counts(), "", *_sections()]).rstrip("\n")
        + "\n"
    }


def _file(name: str) -> dict[str, Any]:
    return tomllib.loads(profiles.SHIPPED[name].read_text())


def _counts() -> Iterator[str]:
    for name in profiles.names():
        grades = Counter(source.grade for _, _, source in profiles.values(name))
        version = profiles.load(name).driver_version
        base = _file(name).get("base")
        cells = [
            f"[`{name}`](#{name.replace('.', '')})" if "source" in _file(name) else f"`{name}`",
            f"`{base}`" if base else "",
            f"{version // 1000}.{version % 1000 // 10}",
            *map(str, (grades.total(), *(grades[grade] for grade in GRADES))),
        ]
        yield f"| {' | '.join(cells)} |"


def _sections() -> Iterator[str]:
    for name in profiles.names():
        file = _file(name)
        if "source" in file:
            yield f"## {name}"
            yield ""
            yield wrapped(f"{file['purpose'][0].upper()}{file['purpose'][1:]}.")
            yield ""
            for source in parsed(file["source"]):
                yield wrapped(_item(source))
            yield ""


def _item(source: Source) -> str:
    """Return a source and its values, as a list item."""
    of = "what no other source names" if source.of == ("*",) else ", ".join(map(_worded, source.of))
    address, _, part = source.url.partition(" ")
    link = f" <{address}>{part and f' {part}'}" if address else ""
    return f"- **{source.grade}**: {of}: {source.says}.{link}"


def _worded(name: str) -> str:
    """Return the name of a value, for readers."""
    member = MEMBER.fullmatch(name)
    return OF[member[1]].format(f"`{member[2]}`") if member else f"`{name}`"
