"""The names that the prompt defines are those that its help and its page list."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import fakecuda
from fakecuda.prompt.names import FAMILIES, FUNCTIONS, OBJECTS, Scope, names_text
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    import pytest

    from fakecuda.prompt.console import Prompt

PAGE = Path(__file__).parents[2] / "docs" / "prompt.md"
HIDDEN = {"__name__", "__builtins__"}
"""Names that Python itself needs."""


def listed(prompt: Prompt) -> set[str]:
    """Return the names that the prompt defines, without the two families."""
    prompt.scope.load()
    names = {name for name in prompt.scope if name in prompt.given} - HIDDEN
    return names - set(ENUMS) - (set(fakecuda.__all__) - OBJECTS.keys() - FUNCTIONS.keys())


def test_help_lists_all_names(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """Help without an argument lists each name, and the page has the same list."""
    assert listed(prompt) == OBJECTS.keys() | FUNCTIONS.keys()
    prompt.feed(["help()"])
    assert capsys.readouterr().out == names_text() + "\n"
    first = {line.split("  ")[0] for line in names_text(200).splitlines()[1:]}
    assert first == {*OBJECTS, *FUNCTIONS, *FAMILIES}
    section = PAGE.read_text(encoding="utf-8").partition("## Names\n")[2].partition("\n## ")[0]
    rows = {
        name for cell in re.findall(r"^\| (.+?) \|", section, re.MULTILINE) for name in re.findall(r"`(\w+)`", cell)
    }
    assert rows == OBJECTS.keys() | FUNCTIONS.keys()


def test_a_hidden_name_is_found(prompt: Prompt) -> None:
    """A name that no list has stands out."""
    prompt.scope["c"] = prompt.scope["a"].c
    prompt.given.add("c")
    assert listed(prompt) == {*OBJECTS, *FUNCTIONS, "c"}


def test_the_banner_names_functions_that_there_are(prompt: Prompt) -> None:
    """Each call in the banner is a function of the prompt, or a call of the driver."""
    words = set(re.findall(r"(?<![\w.])(\w+)\(", prompt.banner()))
    assert words
    assert words <= FUNCTIONS.keys()


def test_names_load_when_they_are_read() -> None:
    """A name gets its value once; an unknown name stays unknown."""
    scope, loaded = Scope(), list[str]()

    def load() -> int:
        loaded.append("x")
        return 5

    scope.late = {"x": load, "y": lambda: 6}
    exec("def f():\n    return x\nz = x + f()", scope)  # noqa: S102 - as the prompt runs statements
    assert (scope["z"], loaded, "y" in scope) == (10, ["x"], False)
    scope.load()
    assert scope["y"] == 6
    try:
        exec("unknown", scope)  # noqa: S102 - as the prompt runs statements
    except NameError:
        return
    raise AssertionError
