"""What each layer may know of the others, and how long its pieces may be; read from the files themselves."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import fakecuda
from tests.each import each
from tools.imports import Function, package
from tools.imports import imports as read_imports

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

pytestmark = pytest.mark.usefixtures("uncollected")

ROOT = Path(fakecuda.__file__).parents[1]
PACKAGES = ("fakecuda", "realcuda", "conformance", "tools")
FILES = sorted(path.relative_to(ROOT).as_posix() for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
PRODUCT = [name for name in FILES if name.startswith("fakecuda/")]
RULES = [name for name in PRODUCT if name.startswith("fakecuda/rules/")]
PUBLIC = [
    name
    for name in PRODUCT
    if "/generated/" not in name
    and (not name.rpartition("/")[2].startswith("_") or name.endswith(("__init__.py", "__main__.py")))
]
BY_HAND = (*PACKAGES, "tests", "benchmarks")
"""Folders of hand-written files."""
LONGEST_FILE = 400
LONGEST_OP = 60
MAY_IMPORT = {
    "errors": "",
    "near": "",
    "modes": "near",
    "progress": "",
    "renamed": "errors near",
    "spec": "errors",
    "profiles": "errors near spec",
    "model": "errors modes spec profiles",
    "kernels": "errors spec model",
    "rules": "errors spec profiles model",
    "explain": "",
    "explain.evidence": "rules",
    "explain.ledger": "rules explain.evidence",
    "explain.reports": "model rules explain.evidence explain.ledger",
    "explain.html": "model rules explain.ledger explain.reports",
    "explain.pictures": "spec model rules explain.reports",
    "reach.bindings": "errors near spec model rules",
    "reach.native": "errors spec profiles model rules reach.bindings",
    "reach": "errors model reach.bindings reach.native",
    "reach.install": "model reach.native",
    "reach.remote": "errors spec model rules explain.reports reach.bindings reach.native reach reach.install",
    "machine.faults": "errors near spec model rules explain.ledger",
    "machine.orders": "errors spec model",
    "machine": "errors near modes renamed spec profiles model kernels rules explain.html explain.pictures explain.reports reach.native reach reach.install "
    "reach.remote machine.faults machine.orders fakecuda",
    "machine.runs": "errors modes near progress renamed model rules explain.reports machine machine.faults machine.orders",
    "fixture": "fakecuda",
    "doctor": "near spec model rules explain.reports reach.native reach.install",
    "reach.shadow": "doctor errors model reach.native reach.remote rules spec",
    "prompt": "errors near spec model rules explain.evidence explain.ledger explain.reports reach.bindings reach machine fakecuda",
    "testing": "errors near modes renamed profiles model explain.html explain.reports reach.native reach.install reach.remote reach.shadow machine machine.runs fixture fakecuda "
    "realcuda",
    "plugin": "machine testing",
    "fakecuda": "",
    "__main__": "errors modes profiles explain.reports reach.remote machine doctor prompt conformance",
    "sharing": "reach.remote __main__",
    "realcuda": "errors spec",
}
"""What a package of the product imports when it runs, in functions too; lower packages stand first. ``fakecuda`` is the public names, each
loaded when it is first asked for; ``sharing`` is an old name that stays for one release."""


@cache
def tree(name: str) -> ast.Module:
    """Return a file's syntax tree."""
    return ast.parse((ROOT / name).read_text(), name)


def module(name: str) -> str:
    """Return what a file is imported as."""
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def imports(name: str) -> Collection[str]:
    """Return the modules, and names in modules, that a file imports when it runs, in the bodies of functions too."""
    return read_imports(ROOT / name).keys()


MODULES = {module(name): name for name in FILES}


def imported(name: str) -> set[str]:
    """Return the modules of this repository that a file imports when it runs."""
    found = {one if one in MODULES else one.rpartition(".")[0] for one in imports(name)}
    return (found & MODULES.keys()) - {module(name)}


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


def test_a_package_imports_what_is_beneath_it() -> None:
    """When it runs; what a type checker reads does not count. An entry that is no longer needed is dropped."""
    found: dict[str, set[str]] = {package(module(name)): set() for name in PRODUCT}
    for name in [*PRODUCT, *(name for name in FILES if name.startswith("realcuda/"))]:
        found.setdefault(package(module(name)), set()).update(package(one) for one in imported(name))
    told = {name: set(beneath.split()) for name, beneath in MAY_IMPORT.items()}
    assert {name: beneath - {name} for name, beneath in found.items()} == told


def knots(imports: Mapping[str, Collection[str]]) -> set[frozenset[str]]:
    """Return the groups of packages that reach each other, by package what it imports."""
    reached = {name: set(beneath) - {name} for name, beneath in imports.items()}
    for through in imports:
        for names in reached.values():
            if through in names:
                names.update(reached[through])
    return {
        frozenset(other for other in names if name in reached.get(other, ()))
        for name, names in reached.items()
        if name in names
    }


def test_packages_import_in_one_direction() -> None:
    """No package reaches itself through others."""
    assert knots({name: beneath.split() for name, beneath in MAY_IMPORT.items()}) == set()
    assert knots({"a": "b", "b": "c", "c": "bd", "d": "d"}) == {frozenset("bc")}


def test_no_module_imports_itself_through_others() -> None:
    """Imports in functions count: a circle has no first module to read."""
    order = TopologicalSorter({module(name): imported(name) for name in FILES})
    try:
        order.prepare()
    except CycleError as error:
        pytest.fail(f"these import each other in a circle: {' <- '.join(error.args[1])}")


@each("name", PRODUCT)
def test_the_bindings_and_test_tools_are_imported_where_they_are_needed(name: str) -> None:
    """A machine without any wheel of NVIDIA's runs the model; only the plugin is pytest's, tests and generators are users."""
    tops = {one.partition(".")[0] for one in imports(name)}
    below = package(module(name)) in {"errors", "spec", "profiles", "model", "rules"}
    assert not tops & ({"cuda"} if below else set())
    assert not tops & {"tests", "benchmarks", "tools"}
    assert "hypothesis" not in tops or name == "fakecuda/testing/examples.py"
    assert "conformance" not in tops or name == "fakecuda/__main__.py"
    assert "realcuda" not in tops or name == "fakecuda/testing/real.py"


def test_nothing_that_is_shipped_imports_the_tools() -> None:
    """They lie in the checkout alone, and import whatever they like."""
    shipped = [name for name in FILES if not name.startswith("tools/")]
    assert [name for name in shipped if any(one.partition(".")[0] == "tools" for one in imports(name))] == []


def test_one_module_knows_ray() -> None:
    """It is an extra, and large; and nothing else of the suite knows fleets, which are made of the rest."""
    suite = [name for name in FILES if name.startswith("conformance/")]
    assert [name for name in FILES if any(one.partition(".")[0] == "ray" for one in imports(name))] == [
        "conformance/fleet/on_ray.py"
    ]
    others = [name for name in suite if not name.startswith("conformance/fleet/")]
    assert [name for name in others if any(one.startswith("conformance.fleet") for one in imports(name))] == []


@each("name", RULES)
def test_rules_ask_the_process_for_its_devices(name: str) -> None:
    """A process may see some of the machine's, by numbers of its own."""
    found = [
        node.lineno
        for node in ast.walk(tree(name))
        if isinstance(node, ast.Attribute) and node.attr == "devices" and ast.unparse(node.value).endswith("machine")
    ]
    assert found == []


@each("name", PUBLIC)
def test_every_public_name_has_a_docstring(name: str) -> None:
    """Modules, classes and functions; what begins with an underscore is nobody else's business."""
    assert ast.get_docstring(tree(name))
    bare = [
        label
        for label, node in definitions(tree(name).body)
        if not any(part.startswith("_") for part in label.split(".")) and not ast.get_docstring(node)
    ]
    assert bare == []


def test_files_are_short_to_read() -> None:
    """A file fits on few screens. A longer file has two subjects: split it, and name both files by what they hold."""
    longer = {
        path.relative_to(ROOT).as_posix()
        for folder in BY_HAND
        for kind in ("py", "c", "h")
        for path in (ROOT / folder).rglob(f"*.{kind}")
        if "generated" not in path.parts and len(path.read_text(encoding="utf-8").splitlines()) > LONGEST_FILE
    }
    assert not longer


@each("name", RULES)
def test_operations_are_short_to_read(name: str) -> None:
    """An operation fits on one screen."""
    for label, node in definitions(tree(name).body):
        if is_op(node):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < LONGEST_OP, label
