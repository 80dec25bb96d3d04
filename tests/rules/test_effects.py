"""Rules check; what changes a machine is an effect of the model, found where it is called."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import fakecuda
from fakecuda.model.effect import EFFECTS, watched
from tests.each import each

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("uncollected")

ROOT = Path(fakecuda.__file__).parent
FILES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))
RULES = [name for name in FILES if name.startswith(("rules/driver/", "rules/runtime/", "rules/hip/", "rules/nvml/"))]
MUTATING = {
    *(
        "add",
        "append",
        "appendleft",
        "clear",
        "difference_update",
        "discard",
        "extend",
        "insert",
        "intersection_update",
    ),
    *("move_to_end", "pop", "popitem", "popleft", "remove", "reverse", "setdefault", "sort", "update"),
}
"""Methods that change containers."""
BENEATH = {"exhaust", "give", "hide", "note_freed", "part_with", "show", "take"}
"""The modules of which effects consist."""
ANSWERS = "what a call has answered last is a note of the API, as Op.invoke makes it: no state of the machine"
GENERATED = "it makes functions, when it is imported"
ALLOWED = {
    ("rules/hip/active.py", "call.thread.hip_error"): ANSWERS,
    ("rules/hip/device.py", "call.thread.hip_error"): ANSWERS,
    ("rules/hip/device.py", "call.thread.hip_failed"): ANSWERS,
    ("rules/hip/batch.py", "call.thread.failed_at"): ANSWERS,
    ("rules/runtime/error.py", "call.thread.last_error"): ANSWERS,
    ("rules/runtime/error.py", "call.thread.failed"): ANSWERS,
    ("rules/hip/context.py", "refused.__doc__"): GENERATED,
    ("rules/forwarding.py", "linecache.cache[file]"): GENERATED,
    ("rules/forwarding.py", "call.__doc__"): GENERATED,
    ("rules/forwarding.py", "call.guards"): GENERATED,
    ("rules/nvml/sensor.py", "checks.guards"): GENERATED,
}
"""State that rules may change, with reasons; entries may only be removed."""


@cache
def tree(name: str) -> ast.Module:
    """Return a file's syntax tree."""
    return ast.parse((ROOT / name).read_text(), name)


def functions(name: str) -> Iterator[ast.FunctionDef]:
    """Yield the functions of a file, those in classes too; what is local is part of its function."""
    for node in tree(name).body:
        yield from (
            one for one in (node.body if isinstance(node, ast.ClassDef) else [node]) if isinstance(one, ast.FunctionDef)
        )


@cache
def effects() -> dict[str, set[str]]:
    """Return the names of the effects that are functions, by their modules."""
    with watched():  # which imports all of them
        found: dict[str, set[str]] = {}
        for one in EFFECTS.values():
            if "." not in one.function.__qualname__:
                found.setdefault(one.function.__module__, set()).add(one.function.__name__)
    return found


def made(function: ast.FunctionDef) -> set[str]:
    """Return the names of a function's own containers: those that it assigns a display, a comprehension or a new one to."""
    displays = ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp
    names = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            value = node.value
            fresh = isinstance(value, displays) or (
                isinstance(value, ast.Call)
                and isinstance(value.func, ast.Name)
                and value.func.id in {"dict", "list", "set"}
            )
            names |= {one.id for one in targets if isinstance(one, ast.Name) and fresh}
    return names


def changes(function: ast.FunctionDef) -> Iterator[str]:
    """Yield what a function changes that is not its own: attributes and items, and containers by their methods."""
    own = made(function)
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            if not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in own):
                yield ast.unparse(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATING:
            holder = node.func.value
            if (
                isinstance(holder, ast.Call)
                and isinstance(holder.func, ast.Attribute)
                and holder.func.attr == "setdefault"
            ):
                holder = holder.func.value  # of a table of lists
            if not (isinstance(holder, ast.Name) and holder.id in own):
                yield ast.unparse(node.func)


@each("name", RULES)
def test_rules_change_nothing(name: str) -> None:
    """They check, and call effects."""
    found = {change for function in functions(name) for change in changes(function)}
    known = {change for file, change in ALLOWED if file == name}
    assert found == known, "make it an effect: a function or a method of fakecuda.model under @effect"


@each("name", FILES)
def test_effects_are_looked_up_when_they_are_called(name: str) -> None:
    """By their modules: a name that was imported would go past those who watch."""
    found = [
        f"{node.module}.{alias.name}"
        for node in ast.walk(tree(name))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in effects().get(node.module or "", ())
    ]
    assert found == [], "import the module, and call module.effect(...)"


@each("name", [name for name in FILES if name.startswith("rules/")])
def test_rules_change_no_state_by_what_is_beneath_effects(name: str) -> None:
    """Places in memory, addresses and notes are taken and given by effects."""
    found = [
        ast.unparse(node.func)
        for node in ast.walk(tree(name))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in BENEATH
    ]
    assert found == []


def test_the_tests_see_changes() -> None:
    """Each form of a change is found, and what is a function's own is none."""
    text = """
def acts(call, table):
    own, more = [], {}
    mine = []
    mine.append(1)
    mine[0] = 2
    call.thread.device = 1
    call.context.flags |= 1
    del call.table[0]
    call.thread.stack[-1:] = []
    table.update(one=1)
    found = call.table
    found.append(1)
    for call.number in mine:
        pass
"""
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    assert sorted(changes(function)) == [
        "call.context.flags",
        "call.number",
        "call.table[0]",
        "call.thread.device",
        "call.thread.stack[-1:]",
        "found.append",
        "table.update",
    ]
