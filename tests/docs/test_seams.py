"""The page of the architecture lists every hook of fakecuda, and who sets it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest

from .seams import LAYERED, Seam, Source, listed

pytestmark = pytest.mark.usefixtures("uncollected")

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "architecture.md"
BASE = """
from fakecuda.model import process
class Machine:
    lead: Callable[[], None]
    total: int
    def begin(self):
        self.lead = None
"""
WRITE = "write it into the table of docs/architecture.md, or take it away: {}"


@pytest.fixture(scope="module")
def source() -> Source:
    """Return the product's modules."""
    return Source.of(ROOT / "fakecuda")


@pytest.fixture(scope="module")
def seams(source: Source) -> list[Seam]:
    """Return the product's seams."""
    return source.seams()


def by_hook(seams: list[Seam]) -> dict[str, set[str]]:
    """Return the modules that set each hook."""
    found: dict[str, set[str]] = defaultdict(set)
    for seam in seams:
        found[seam.hook].add(seam.module)
    return found


def test_every_seam_is_listed_with_its_setters(seams: list[Seam]) -> None:
    """An entry that no module sets any more is an error, too."""
    found, known = by_hook(seams), listed(PAGE.read_text(encoding="utf-8"))
    wrong = {hook for hook in found.keys() | known.keys() if found.get(hook) != known.get(hook)}
    assert not wrong, WRITE.format("; ".join(f"{hook}: {sorted(found.get(hook, ()))}" for hook in sorted(wrong)))


def test_every_hook_says_how_it_is_set(source: Source, seams: list[Seam]) -> None:
    """Its declaration has a docstring that says when it is set, and what must not happen."""
    texts = declarations(source)
    hooks = {seam.hook for seam in seams if is_ours(source, seam.hook)}
    names = {hook.replace("HIP_LIBRARY.", "Located.").replace("LIBRARY.", "Located.") for hook in hooks}
    assert {hook for hook in names if not says_how(texts.get(hook, ""))} == set()


def is_ours(source: Source, hook: str) -> bool:
    """Return whether a hook is fakecuda's, and no name of Python's."""
    owner = hook.rpartition(".")[0]
    return owner[:1].isupper() or owner in source.trees


def says_how(text: str) -> bool:
    """Return whether a docstring says what a hook does, and what it must not do."""
    return re.search(r"^\s*(Hook:|See each effect)", text, re.MULTILINE) is not None and " must " in text


def declarations(source: Source) -> dict[str, str]:
    """Return the docstrings of attributes and of a module's names."""
    found = {}
    for module, tree in source.trees.items():
        for owner, node in [(module, tree), *((one.name, one) for one in tree.body if isinstance(one, ast.ClassDef))]:
            body = getattr(node, "body", [])
            for one, after in pairwise(body):
                if (
                    isinstance(one, ast.AnnAssign)
                    and isinstance(after, ast.Expr)
                    and isinstance(after.value, ast.Constant)
                ):
                    found[f"{owner}.{ast.unparse(one.target)}"] = str(after.value.value)
            found |= {
                f"{owner}.{one.name}": ast.get_docstring(one) or "" for one in body if isinstance(one, ast.FunctionDef)
            }
    return found


@pytest.mark.parametrize(
    ("line", "hook"),
    [
        ("machine.lead = None", "Machine.lead"),
        ("machine.planted = 1", "Machine.planted"),
        ("self._machine.planted = 1", "Machine.planted"),
        ("setattr(machine, 'planted', 1)", "Machine.planted"),
        ("del machine.lead", "Machine.lead"),
        ("machine.total, machine.lead = 1, None", "Machine.lead"),
        ("def work(one: Machine | None): one.planted = 1", "Machine.planted"),
        ("def work(one: 'state.Machine'): one.lead = None", "Machine.lead"),
        ("Machine(lead=None)", "Machine.lead"),
        ("from fakecuda.model import machine as state; state.planted = 1", "model.machine.planted"),
        ("from fakecuda.model.machine import Machine; Machine.planted = 1", "Machine.planted"),
        ("from fakecuda.model.machine import TABLE; TABLE.append(1)", "model.machine.TABLE"),
        ("from fakecuda.model import machine as state; state.table.append(1)", "model.machine.table"),
        ("LOCK.put(machine, 1, 2)", LAYERED["LOCK"]),
        ("import signal; signal.planted = 1", "signal.planted"),
    ],
)
def test_a_planted_seam_is_found(line: str, hook: str) -> None:
    """Each way to write one; the page lists none of them."""
    source = Source({"model.machine": ast.parse(BASE), "machine.planted": ast.parse(line)})
    assert source.seams() == [Seam(hook, "machine.planted", 1)]


@pytest.mark.parametrize(
    "line",
    [
        "machine.total = 1",
        "machine.total += 1",
        "self.lead = None",
        "other.planted = 1",
        "def work(machine: Other): machine.planted = 1",
        "import pytest; pytest.planted = 1",
    ],
)
def test_ordinary_state_is_no_seam(line: str) -> None:
    """Nor is what a class does with its own, or what is of other packages."""
    assert Source({"model.machine": ast.parse(BASE), "machine.planted": ast.parse(line)}).seams() == []


def test_a_planted_seam_fails_the_page(source: Source) -> None:
    """In a module of the product, it is not among what the page lists."""
    planted = ast.parse("def spy(machine: Machine) -> None:\n    machine.spied = print")
    found = by_hook(Source({**source.trees, "machine.spy": planted}).seams("machine.spy"))
    assert found["Machine.spied"] == {"machine.spy"}
    assert "Machine.spied" not in listed(PAGE.read_text(encoding="utf-8"))
