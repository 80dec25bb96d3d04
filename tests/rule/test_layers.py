"""What each layer may know of the others, and how long its pieces may be; read from the files themselves."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import fakecuda

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(fakecuda.__file__).parent
FILES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))
RULES = [name for name in FILES if name.startswith("rules/")]
PUBLIC = [
    name
    for name in FILES
    if not name.rpartition("/")[2].startswith("_") or name.endswith(("__init__.py", "__main__.py"))
]
LONGEST_FILE = 400
LONGEST_OP = 60
BELOW = ("model/", "rules/", "profiles/", "api/__init__.py", "api/symbols.py", "codes.py", "errors.py")
"""What lies below the surfaces; the generator of the description is no part of it."""
ABOVE = (
    "fakecuda.surfaces",
    "fakecuda.native",
    "fakecuda.simulated",
    "fakecuda.install",
    "fakecuda.plugin",
    "fakecuda.prompt",
)
Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def tree(name: str) -> ast.Module:
    """Return a file's syntax tree."""
    return ast.parse((ROOT / name).read_text(), name)


def used(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the nodes of a body, without those that are for a type checker alone."""
    for node in body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from used(node.orelse)
        else:
            yield from ast.walk(node)


@cache
def imports(name: str) -> set[str]:
    """Return the modules that a file imports when it runs, in the bodies of functions too."""
    found = set()
    for node in used(tree(name).body):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} imports {node.module} by a relative name: name it in full"
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def within(modules: set[str], packages: tuple[str, ...]) -> set[str]:
    """Return those of the modules that lie in one of the packages."""
    return {module for module in modules if any(module == p or module.startswith(f"{p}.") for p in packages)}


def definitions(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, Function | ast.ClassDef]]:
    """Yield a module's functions and classes and those in classes, with their names; what is local is left out."""
    for node in body:
        if isinstance(node, Function | ast.ClassDef):
            yield f"{prefix}{node.name}", node
        if isinstance(node, ast.ClassDef):
            yield from definitions(node.body, f"{prefix}{node.name}.")


def is_op(node: ast.AST) -> bool:
    """Return whether this is the function of an operation."""
    return isinstance(node, Function) and any(
        isinstance(mark, ast.Call) and isinstance(mark.func, ast.Attribute) and mark.func.attr == "op"
        for mark in node.decorator_list
    )


def test_there_are_files() -> None:
    """A test that reads nothing proves nothing."""
    assert len(RULES) > 50
    assert any(is_op(node) for name in RULES for _, node in definitions(tree(name).body))


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("model/")])
def test_the_model_knows_no_rules_and_no_surfaces(name: str) -> None:
    """State only."""
    assert not within(imports(name), ("fakecuda.rules", *ABOVE))


@pytest.mark.parametrize("name", RULES)
def test_the_rules_know_no_surfaces(name: str) -> None:
    """Plain values in, plain values out."""
    assert not within(imports(name), ABOVE)


@pytest.mark.parametrize("name", RULES)
def test_rules_ask_the_process_for_its_devices(name: str) -> None:
    """A process may see some of the machine's, by numbers of its own."""
    found = [
        node.lineno
        for node in ast.walk(tree(name))
        if isinstance(node, ast.Attribute) and node.attr == "devices" and ast.unparse(node.value).endswith("machine")
    ]
    assert found == []


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith(BELOW)])
def test_nothing_below_the_surfaces_imports_the_bindings(name: str) -> None:
    """A machine without any wheel of NVIDIA's runs the model."""
    assert not within(imports(name), ("cuda",))


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in FILES
        if name.startswith(("profiles/", "codes.py", "errors.py", "api/__init__.py", "api/symbols.py"))
    ],
)
def test_the_ground_knows_nothing_above_it(name: str) -> None:
    """Codes, errors, profiles and the description are what the model is built on."""
    above = ("fakecuda.model", "fakecuda.rules", *ABOVE)
    assert not within(imports(name), above)


@pytest.mark.parametrize("name", FILES)
def test_the_library_imports_no_test_tools(name: str) -> None:
    """Only the plugin is pytest's; conformance, tests and benchmarks are users."""
    assert not within(imports(name), ("conformance", "realcuda", "tests", "benchmarks", "hypothesis")) or name in {
        "__main__.py",
        "plugin.py",
        "install.py",
    }


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_a_docstring(name: str) -> None:
    """Modules, classes and functions; what begins with an underscore is nobody else's business."""
    assert ast.get_docstring(tree(name))
    bare = [
        label
        for label, node in definitions(tree(name).body)
        if not any(part.startswith("_") for part in label.split(".")) and not ast.get_docstring(node)
    ]
    assert bare == []


@pytest.mark.parametrize("name", RULES)
def test_rules_are_short_to_read(name: str) -> None:
    """A module fits on few screens, an operation on one."""
    assert len((ROOT / name).read_text().splitlines()) <= LONGEST_FILE
    for label, node in definitions(tree(name).body):
        if is_op(node):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < LONGEST_OP, label
