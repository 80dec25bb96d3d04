"""The README and the pages of docs/: links lead somewhere, commands exist, lines are short."""

from __future__ import annotations

import re
import tomllib
from importlib.util import find_spec

import pytest

from tests.docs.blocks import ROOT
from tests.docs.pages import anchors, links, names, slug, text_of
from tests.each import each

LONGEST = 300
"""The maximum number of characters of a line."""
MODULE = re.compile(r"python -m (\w+(?:\.\w+)*)")
EXTRAS = re.compile(r"fakecuda\[([\w,]+)\]")


@each("name", names)
def test_links_lead_somewhere(name: str) -> None:
    """To a file of the checkout, and a heading or an anchor in it."""
    broken = []
    for target in links(name):
        path, _, anchor = target.partition("#")
        file = (ROOT / name).parent / path if path else ROOT / name
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(target)
    assert broken == []


@each("name", names)
def test_lines_are_short(name: str) -> None:
    """A change of one word shows as such."""
    long = [number for number, line in enumerate(text_of(name).splitlines(), 1) if len(line) > LONGEST]
    assert long == []


@each("name", names)
def test_commands_exist(name: str) -> None:
    """Each ``python -m`` of a page names a module, each extra one that the package has."""
    text = text_of(name)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert [module for module in set(MODULE.findall(text)) if find_spec(module) is None] == []
    assert {extra for found in EXTRAS.findall(text) for extra in found.split(",")} <= extras.keys()


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [("On a GPU machine", "on-a-gpu-machine"), ("`conform`, and more", "conform-and-more"), ("A - b_c", "a---b_c")],
)
def test_anchors_are_those_of_github(heading: str, anchor: str) -> None:
    """Lower case, without punctuation, a hyphen for each space."""
    assert slug(heading) == anchor
