"""The pictures of docs/pictures are what the code draws of itself, and can be read."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from fakecuda.explain.pictures.svg import CHARACTER, Drawing
from tools.pictures import layers, way
from tools.pictures.drawn import DRAWN, PICTURES
from tools.pictures.story import Box as Shown
from tools.pictures.story import Story, told
from tools.pictures.way import Step

if TYPE_CHECKING:
    from fakecuda import Machine

SVG = "{http://www.w3.org/2000/svg}"
Box = tuple[float, float, float, float]


def boxes(text: str) -> list[Box]:
    """Return the boxes of a picture: left, top, right and bottom."""
    found = []
    for one in ET.fromstring(text).iter(f"{SVG}rect"):  # noqa: S314 - our own
        x, y, width, height = (float(one.attrib[key]) for key in ("x", "y", "width", "height"))
        found.append((x, y, x + width, y + height))
    return found


def texts(text: str) -> list[Box]:
    """Return where the lines of text of a picture are."""
    return [
        (x, y - 10, x + CHARACTER * len(one.text or ""), y + 3)
        for one in ET.fromstring(text).iter(f"{SVG}text")  # noqa: S314 - our own
        for x, y in [(float(one.attrib["x"]), float(one.attrib["y"]))]
    ]


def overlap(one: Box, other: Box) -> bool:
    """Return whether two boxes have something in common."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def within(one: Box, other: Box) -> bool:
    """Return whether a box lies in another."""
    return other[0] <= one[0] and other[1] <= one[1] and one[2] <= other[2] and one[3] <= other[3]


@pytest.mark.parametrize("name", DRAWN)
def test_the_picture_can_be_read(name: str) -> None:
    """Boxes stand apart, words lie in one box or beside all, and nothing is cut off."""
    text = (PICTURES / name).read_text()
    found, words = boxes(text), texts(text)
    assert not [pair for pair in combinations(found, 2) if overlap(*pair)]
    assert not [pair for pair in combinations(words, 2) if overlap(*pair)]
    assert not [one for one in words if any(overlap(one, box) and not within(one, box) for box in found)]
    width, height = map(float, re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text)[0])
    assert all(within(one, (0, 0, width, height)) for one in [*found, *words])


def test_edges_are_those_of_the_code() -> None:
    """What is imported in functions alone is told apart; what a type checker reads is left out."""
    edges = layers.edges()
    assert edges["rules", "model"]
    assert not edges["__main__", "reach.remote"]  # where a command asks for it
    assert ("model", "rules") not in edges


def test_the_page_explains_every_package() -> None:
    """The table below the picture has each once."""
    page = (PICTURES.parent / "architecture.md").read_text()
    table = page.partition("| package | is |")[2].partition("\n\n")[0]
    named = [
        name
        for row in table.splitlines()
        for name in re.findall(r"`([\w.]+)`", row.split("|")[1] if "|" in row else "")
    ]
    assert sorted(named) == sorted({name for edge in layers.edges() for name in edge})


def test_what_imports_comes_before_what_it_imports() -> None:
    """Where that can be: of a circle one comes first."""
    assert layers.order({("a", "b"): True, ("b", "c"): True, ("a", "c"): False}) == ["a", "b", "c"]
    assert layers.order({("a", "b"): True, ("b", "a"): False, ("b", "c"): True, ("b", "d"): True})[0] == "b"


def test_a_way_begins_at_its_door_and_ends_in_the_model() -> None:
    """Both doors lead to the same rules."""
    one, other = way.lookalike(), way.native()
    assert (one[0].package, other[0].package) == ("reach.bindings", "reach.native")
    rules = [[step for step in steps if step.package == "rules"] for steps in (one, other)]
    assert rules[0] == rules[1]
    assert Step("rules", "driver.memory.mem_alloc", "mem_alloc") in rules[0]
    assert one[-1].package == other[-1].package == "model"


def test_words_are_escaped() -> None:
    """What a program writes may have marks of XML in it."""
    drawing = Drawing("a < b")
    drawing.text(0, 0, "f(&p, 1 << 20)")
    svg = drawing.svg()
    assert "a &lt; b" in svg
    assert "f(&amp;p, 1 &lt;&lt; 20)" in svg


def test_a_story_tells_what_is_there_and_what_was_refused() -> None:
    """Values have the names that results were given; addresses behind one are told by it."""

    def program(story: Story) -> None:
        c = story.machine.spawn("a").c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        pointer = story.call("a", "cuMemAlloc", 4096, result="p")
        assert story.call("a", "cuMemsetD8", pointer + 1024, 1, 64) is None
        assert story.call("a", "cuMemFree", pointer + 1) is None
        story.call("a", "cuMemFree", pointer)

    def scene(machine: Machine) -> list[Shown]:
        return [Shown(f"{len(list(machine.processes['a'].memory))} allocations", "rules")]

    text = told("a title", "a caption", scene, program)
    lines = [one.text for one in ET.fromstring(text).iter(f"{SVG}text")]  # noqa: S314 - our own
    assert lines == [
        "a caption",
        "a: p = cuMemAlloc(4 KiB)",
        "1 allocations",
        "a: cuMemsetD8(p + 1 KiB, 1, 64)",
        "1 allocations",
        "a: cuMemFree(p + 1)",
        "INVALID_VALUE",
        "unless the pointer is null or the start of a device or managed or pool allocation that has not been freed",
        "a: cuMemFree(p)",
        "0 allocations",
    ]
