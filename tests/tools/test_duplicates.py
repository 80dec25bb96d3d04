"""Nothing is written twice: no six lines of hand-written code stand in two places without a reason."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import fakecuda

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

pytestmark = pytest.mark.usefixtures("uncollected")

ROOT = Path(fakecuda.__file__).parents[1]
PACKAGES = ("fakecuda", "realcuda", "conformance", "tools", "tests", "benchmarks")
LINES = 6
WORD = re.compile(r"\w")
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""Attributes of statements with inner statements."""
REASONS: dict[tuple[str, ...], str] = {
    **dict.fromkeys(
        [
            ("tests/plugin/test_deadlock.py", "tests/plugin/test_deadlock_shared.py"),
            ("tests/plugin/test_options_of_the_mark.py", "tests/plugin/test_sweep.py"),
            ("tests/plugin/test_sweep.py", "tests/plugin/test_unittest.py"),
        ],
        "suites that users write stand whole where they are run",
    ),
    **dict.fromkeys(
        [
            ("fakecuda/kernels/compiled/bits.py", "fakecuda/kernels/logic.py"),
            ("fakecuda/kernels/compiled/logic.py", "fakecuda/kernels/logic.py"),
            ("fakecuda/kernels/access.py", "fakecuda/kernels/compiled/access.py"),
        ],
        "each engine lists the instructions that it runs, with functions of its own of the same names",
    ),
    (
        "fakecuda/rules/driver/copy/memcpy_batch_async.py",
        "fakecuda/rules/hip/batch.py",
    ): "the call has the same arguments in both APIs",
    (
        "fakecuda/rules/driver/copy/memcpy_batch_async.py",
        "fakecuda/rules/forms/arguments.py",
    ): "an older form has the same arguments",
    (
        "fakecuda/rules/driver/linker/link_add.py",
        "fakecuda/rules/forms/arguments.py",
    ): "an older form has the same arguments",
    (
        "fakecuda/rules/forms/arguments.py",
        "fakecuda/rules/hip/batch.py",
    ): "the call has the same arguments in both APIs",
    (
        "fakecuda/rules/driver/execution/launch_kernel.py",
    ): "two calls have the same arguments, and the same checks first",
    ("fakecuda/rules/driver/library/library_load.py",): "two calls have the same arguments but for the first",
    (
        "fakecuda/rules/driver/multicast/multicast_get_granularity.py",
        "fakecuda/rules/driver/va/mem_get_allocation_granularity.py",
    ): "two calls break rules of their own, with their own sources",
    (
        "fakecuda/rules/driver/va/handle.py",
        "fakecuda/rules/hip/handle.py",
    ): "both APIs break rules of their own, with their own sources",
    ("fakecuda/rules/driver/tensor/tensor_map_encode.py",): "three calls have the same arguments, but for a few",
}
"""Reasons for repeated lines in one file or in two."""


def code(text: str) -> list[tuple[int, str]]:
    """Return the numbers and the texts of lines of code, white space folded: no docstring, import, comment or lone bracket."""
    passed: set[int] = set()
    for node in statements(ast.parse(text)):
        alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if alone or isinstance(node, ast.Import | ast.ImportFrom):
            passed.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    folded = (
        (number, " ".join(line.split())) for number, line in enumerate(text.splitlines(), 1) if number not in passed
    )
    return [(number, line) for number, line in folded if not line.startswith("#") and WORD.search(line)]


def statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements within a node; those alone are looked at, which is faster than all nodes."""
    for field in BLOCKS:
        for inner in getattr(node, field, ()):
            if isinstance(inner, ast.stmt):
                yield inner
            yield from statements(inner)


def duplicates(texts: Iterable[tuple[str, str]]) -> dict[tuple[str, ...], list[int]]:
    """Return the pairs of files, or the files, in which a run of lines stands twice, with the first line of it in each.

    Args:
        texts: Names of files with their texts.
    """
    places: defaultdict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for name, text in texts:
        lines = code(text)
        words = [line for _, line in lines]
        for start in range(len(lines) - LINES + 1):
            places[tuple(words[start : start + LINES])].append((name, lines[start][0]))
    found: dict[tuple[str, ...], list[int]] = {}
    for where in places.values():
        for (one, first), (other, second) in combinations(where, 2):
            found.setdefault((one,) if one == other else (one, other), [first, second])
    return found


def files() -> Iterator[tuple[str, str]]:
    """Yield the names and texts of what is written by hand."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if "/generated/" not in name:
                yield name, path.read_text()


def test_nothing_is_written_twice() -> None:
    """What stands in two places has one name, or is one table, family or parametrised test."""
    found = duplicates(sorted(files()))
    told = [f"{' and '.join(map(str, pair))}, lines {at}" for pair, at in found.items() if pair not in REASONS]
    assert not told, f"write it once, and use it in both places; or give the reason in REASONS of this file: {told}"
    assert not REASONS.keys() - found.keys(), "these stand twice no longer: take the reason out"


RUN = [f"value = call({number}, value)" for number in range(LINES)]


def function(name: str, *lines: str, space: str = "    ") -> str:
    """Return a file with a function of some lines."""
    return "".join(f"{line}\n" for line in [f"def {name}(value):", *(f"{space}{line}" for line in lines)])


def test_a_copy_is_found() -> None:
    """With other white space, and docstrings, imports, comments and brackets between; in one file too."""
    between = ['"""It."""', *RUN[:2], "import os", "# why", "", *RUN[2:4], "(", ")", *RUN[4:]]
    one, other = function("one", *RUN), function("other", *between, space="        ")
    assert duplicates([("one", one), ("other", other)]) == {("one", "other"): [2, 3]}
    assert duplicates([("one", one + function("other", *RUN))]) == {("one",): [2, LINES + 3]}


def test_what_is_shorter_or_differs_is_none() -> None:
    """Six lines in both, one of which differs, are no copy."""
    assert not duplicates([("one", function("one", *RUN[1:])), ("other", function("other", *RUN[1:]))])
