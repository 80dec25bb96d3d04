"""Finds the places where a module of fakecuda sets what belongs to another one, and the hooks that the page lists."""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from attrs import field, frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

CLASSES = frozenset(
    {"Machine", "Process", "Thread", "Context", "Finding", "Stream", "WaitGraph", "Scheduler", "Exchange"}
)
"""The classes whose attributes other modules may set if they are state or hooks."""
KINDS = {"Controls": "Machine", "RemoteMachine": "Machine", "RemoteProcess": "Process", "Attached": "Process"}
"""Subclasses of these classes under other names."""
NAMED = {name.lower(): name for name in CLASSES} | {
    "here": "Process",
    "fork": "Process",
    "origin": "Process",
    "census": "WaitGraph",
}
"""The class of a variable or attribute without annotation, by its name."""
BEHAVIOUR = frozenset(
    {"Callable", "RLock", "Condition", "System", "Turns", "Orders", "Guard", "Offer", "Gate", "Management", "Runner"}
)
"""Annotations of attributes that are not ordinary state: functions, and actors."""
CHANGES = frozenset({"append", "add", "update", "extend", "insert", "setdefault", "register"})
"""Methods that add to a table of another module."""
LAYERED = {"LOCK": "Machine.lock", "RECORD": "Machine.record"}
"""The attributes that ``put`` and ``renew`` of these constants set."""
SETTERS = {
    "use_instead": "machine.install.instead",
    "watched": "model.effect.watched",
    "turn_gate": "Process.gate",
}
"""Functions and methods that set a hook, by name."""
ROW = re.compile(r"^\| `([^`]+)` \| (.+?) \| .+ \| .+ \|$", re.MULTILINE)


@frozen
class Seam:
    """A place that sets an attribute of another module.

    Attributes:
        hook: What it sets, as the page has it: ``Machine.lead``, ``machine.install.instead``, ``signal.signal``.
        module: The module that does, without ``fakecuda.``.
        line: Where.
    """

    hook: str
    module: str
    line: int = field(eq=False)


@frozen
class Class:
    """A class of ``CLASSES``, all its subclasses included.

    Attributes:
        modules: The modules that define it.
        state: Its attributes, with the names that stand in their annotations.
        homes: The modules that annotate an attribute.
    """

    modules: set[str] = field(factory=set)
    state: dict[str, set[str]] = field(factory=dict)
    homes: dict[str, set[str]] = field(factory=dict)


def names_in(node: ast.AST | None) -> set[str]:
    """Return the names in an annotation, quoted ones included."""
    if node is None:
        return set()
    return set(re.findall(r"\w+", ast.unparse(node)))


def family(name: str) -> str:
    """Return the name under which a class stands on the page."""
    return KINDS.get(name, name)


@frozen
class Source:
    """The modules of a package.

    Attributes:
        trees: Their syntax trees by their names, without the package's.
        package: The package's name.
    """

    trees: Mapping[str, ast.Module]
    package: str = "fakecuda"

    @classmethod
    def of(cls, folder: Path) -> Source:
        """Return the modules below a folder, without generated ones."""
        paths = [path for path in sorted(folder.rglob("*.py")) if "generated" not in path.parts]
        names = [path.relative_to(folder).with_suffix("").as_posix().removesuffix("/__init__") for path in paths]
        trees = (ast.parse(path.read_text(encoding="utf-8")) for path in paths)
        return cls(dict(zip((name.replace("/", ".") for name in names), trees, strict=True)), folder.name)

    def classes(self) -> dict[str, Class]:
        """Return the classes that are looked after."""
        found: dict[str, Class] = defaultdict(Class)
        every = [
            (name, node) for name, tree in self.trees.items() for node in tree.body if isinstance(node, ast.ClassDef)
        ]
        bases = {node.name: node for _, node in every if node.name not in CLASSES}
        for module, node in every:
            if family(node.name) in CLASSES:
                known = found[family(node.name)]
                known.modules.add(module)
                for one in _with_bases(node, bases):
                    for attr, words in _declared(one):
                        known.state.setdefault(attr, set()).update(words)
                        known.homes.setdefault(attr, set()).update({module} if words else ())
        return dict(found)

    def seams(self, *modules: str) -> list[Seam]:
        """Return every place that sets what belongs to another module, but for ordinary state.

        Args:
            modules: Where to search; everywhere by default.
        """
        classes = self.classes()
        searched = {name: self.trees[name] for name in modules or self.trees}
        return [seam for name, tree in searched.items() for seam in _Module(self, name, tree, classes).seams()]


def _with_bases(node: ast.ClassDef, bases: dict[str, ast.ClassDef]) -> Iterator[ast.ClassDef]:
    """Yield a class and those that it inherits from, as far as they are not looked after themselves."""
    yield node
    for base in node.bases:
        if (name := ast.unparse(base).rpartition(".")[2]) in bases:
            yield from _with_bases(bases[name], bases)


def _declared(node: ast.ClassDef) -> Iterator[tuple[str, set[str]]]:
    """Yield the attributes of a class, with the names in their annotations."""
    for one in ast.walk(node):
        match one:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=kind):
                yield name, names_in(kind)
            case ast.AnnAssign(target=ast.Attribute(value=ast.Name(id="self"), attr=name), annotation=kind):
                yield name, names_in(kind)
            case ast.Assign(targets=targets):
                for target in targets:
                    for each in ast.walk(target):
                        if (
                            isinstance(each, ast.Attribute)
                            and isinstance(each.value, ast.Name)
                            and each.value.id == "self"
                        ):
                            yield each.attr, set()


@frozen(slots=False)
class _Module:
    """A module, from the view of the search."""

    source: Source
    name: str
    tree: ast.Module
    classes: dict[str, Class]

    @cached_property
    def imports(self) -> dict[str, str]:
        """Return what the module's imports bind, by name: ``install`` -> ``fakecuda.machine.install``."""
        found: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                found |= {
                    one.asname or one.name.partition(".")[0]: one.name if one.asname else one.name.partition(".")[0]
                    for one in node.names
                }
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
        return found

    def seams(self) -> Iterator[Seam]:
        """Yield the module's seams."""
        for seam in self._within(self.tree, {}):
            owner = self.classes.get(seam.hook.partition(".")[0])
            if owner is None or self.name not in (owner.homes.get(seam.hook.partition(".")[2]) or ()):
                yield seam

    def _within(self, node: ast.AST, kinds: dict[str, str]) -> Iterator[Seam]:
        """Yield the seams in a node; ``kinds`` are the classes of variables by annotation."""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            kinds = kinds | {one.arg: family(_only(one.annotation)) for one in arguments if one.annotation}
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            kinds[node.target.id] = family(_only(node.annotation))
        yield from self._given(node)
        for base, attr in _set_by(node):
            hook = self._hook(base, attr, kinds)
            if hook:
                yield Seam(hook, self.name, node.lineno)  # type: ignore[attr-defined]
        for child in ast.iter_child_nodes(node):
            yield from self._within(child, kinds)

    def _given(self, node: ast.AST) -> Iterator[Seam]:
        """Yield the hooks that a call sets: those that a class takes as arguments, and a table that is imported by its name."""
        match node:
            case ast.Call(func=ast.Name(id=name), keywords=keywords) if family(name) in self.classes:
                known = self.classes[family(name)]
                for one in keywords:
                    if self.name not in known.modules and known.state.get(one.arg or "", set()) & BEHAVIOUR:
                        yield Seam(f"{family(name)}.{one.arg}", self.name, node.lineno)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in CHANGES:
                home, _, table = self.imports.get(name, "").removeprefix(f"{self.source.package}.").rpartition(".")
                if home in self.source.trees and f"{home}.{table}" not in self.source.trees:
                    yield Seam(f"{home}.{table}", self.name, node.lineno)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in SETTERS:
                if SETTERS[name].rpartition(".")[0] in self._reached(node.func, name):
                    yield Seam(SETTERS[name], self.name, node.lineno)

    def _reached(self, function: ast.expr, name: str) -> set[str]:
        """Return what a function that sets a hook can be of: a module by its import, a class whatever the object is."""
        path = self.imports.get(ast.unparse(function).partition(".")[0], "").removeprefix(f"{self.source.package}.")
        return {path.removesuffix(f".{name}"), *(CLASSES if isinstance(function, ast.Attribute) and not path else ())}

    def _hook(self, base: ast.expr, attr: str, kinds: dict[str, str]) -> str:
        """Return what is set by ``base.attr``, as the page names it; empty for a module's own."""
        text = ast.unparse(base)
        if isinstance(base, ast.Name) and base.id in LAYERED and attr in {"put", "renew"}:
            return LAYERED[base.id]
        if attr in {"put", "renew"} or not re.fullmatch(r"[\w.]+", text):
            return ""
        root, *path = text.split(".")
        bound = self.imports.get(root) if root.isidentifier() else None
        if bound:
            return self._of_import(".".join([bound, *path]), attr)
        name = base.id if isinstance(base, ast.Name) else base.attr if isinstance(base, ast.Attribute) else ""
        kind = kinds.get(name) if isinstance(base, ast.Name) else None
        kind = (
            kind
            if kind in self.classes
            else NAMED.get(name.lstrip("_"), "")
            if kind in {None, "Any", "object", "Self"}
            else ""
        )
        known = self.classes.get(kind or "")
        if known is None or (self.name in known.modules and text in {"self", "cls"}):
            return ""
        words = known.state.get(attr)
        if words is None or words & BEHAVIOUR:
            return "" if self.name in (known.homes.get(attr) or known.modules) else f"{kind}.{attr}"
        return ""

    def _of_import(self, base: str, attr: str) -> str:
        """Return what is set in an imported module, class or object, as the page names it."""
        package = f"{self.source.package}."
        if not base.startswith(package):
            return f"{base}.{attr}" if base.partition(".")[0] in sys.stdlib_module_names else ""
        base = base.removeprefix(package)
        if base in self.source.trees:
            return f"{base}.{attr}"
        home, _, name = base.rpartition(".")
        is_state = name.islower()  # an object that a module holds and declares, such as what a thread is doing
        return "" if is_state or home not in self.source.trees else f"{name}.{attr}"


def _only(annotation: ast.expr) -> str:
    """Return the class that an annotation names, if it names one: ``process_state.Process | None`` -> ``Process``."""
    names = [one for one in names_in(annotation) if one[:1].isupper() and one != "None"]
    return names[0] if len(names) == 1 else ""


def _set_by(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Yield the attributes that a statement or a call sets: the object, and the attribute's name."""
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            stored: list[ast.expr] = targets
        case ast.AnnAssign() | ast.AugAssign():
            stored = [node.target]
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[base, ast.Constant(value=str(name)), *_]):
            yield base, name
            return
        case ast.Call(func=ast.Attribute(value=base, attr=("put" | "renew") as method)):
            yield base, method
            return
        case ast.Call(func=ast.Attribute(value=ast.Attribute(value=ast.Name() as base, attr=name), attr=method)) if (
            method in CHANGES
        ):
            if base.id != "self":
                yield base, name
            return
        case _:
            return
    for stored_one in stored:
        for each in ast.walk(stored_one):
            if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store | ast.Del):
                yield each.value, each.attr


def listed(page: str) -> dict[str, set[str]]:
    """Return the hooks that a page lists, with the modules that set each.

    Args:
        page: The page's text.
    """
    return {hook: set(re.findall(r"`([\w.]+)`", setters)) for hook, setters in ROW.findall(page)}
