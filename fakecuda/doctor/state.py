"""Module state that lasts as long as the OS process, and the fixture for it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from fakecuda.doctor import calls
from fakecuda.doctor.findings import Diagnosis, Fixture

if TYPE_CHECKING:
    from collections.abc import Iterator

CACHES = frozenset({"cache", "lru_cache"})
SCOPES = ("module", "package", "session")
"""Scopes of pytest's fixtures that outlive a test."""
SESSION = "take fakecuda_session, or run the code in a process of its own"

Definition = ast.FunctionDef | ast.AsyncFunctionDef


def add_state(tree: ast.Module, file: str, diagnosis: Diagnosis) -> None:
    """Add the driver state that a module keeps beyond a test.

    Args:
        tree: The module.
        file: Its path within the subject.
        diagnosis: The findings of the subject.
    """
    functions = [node for node in ast.walk(tree) if isinstance(node, Definition)]
    calling = _calling(functions)
    for node in functions:
        if node.name not in calling:
            continue
        decorators = [ast.unparse(one) for one in node.decorator_list]
        if any(_last(text) in CACHES for text in decorators):
            diagnosis.state(Fixture.SESSION, f"{node.name} caches what the driver has answered: {SESSION}", file)
        kept = sorted(name for one in ast.walk(node) if isinstance(one, ast.Global) for name in one.names)
        if kept:
            diagnosis.state(Fixture.SESSION, f"{node.name} keeps {', '.join(kept)} in the module: {SESSION}", file)
        for decorator in decorators:
            scope = next((scope for scope in SCOPES if "fixture" in decorator and f"scope='{scope}'" in decorator), "")
            if scope:
                fixture = Fixture.MODULE if scope == "module" else Fixture.SESSION
                text = f"the fixture {node.name} has the scope {scope!r}: take fakecuda_{fixture.name.lower()}"
                diagnosis.state(fixture, text, file)
    for name in _singletons(tree, calling):
        diagnosis.state(Fixture.SESSION, f"the class {name} keeps its only object: {SESSION}", file)
    called = sorted({name for name in _called(_outside(tree)) if calls.is_call(name)})
    if called:
        text = f"calls {', '.join(called)} when it is imported: set fakecuda_collection = PROFILE in the ini file, or import it in a test"
        diagnosis.state(Fixture.SESSION, text, file)


def _last(decorator: str) -> str:
    return decorator.partition("(")[0].rpartition(".")[2]


def _called(nodes: Iterator[ast.AST]) -> Iterator[str]:
    """Yield the last names of the functions that some nodes call."""
    for node in nodes:
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                yield node.func.attr
            elif isinstance(node.func, ast.Name):
                yield node.func.id


def _calling(functions: list[Definition]) -> set[str]:
    """Return the functions that call the driver, directly or indirectly."""
    uses = {node.name: set(_called(ast.walk(node))) for node in functions}
    callers: dict[str, set[str]] = {}
    for name, used in uses.items():
        for one in used:
            callers.setdefault(one, set()).add(name)
    found = {name for name, used in uses.items() if any(map(calls.is_call, used))}
    ahead = list(found)
    while ahead:
        more = callers.get(ahead.pop(), set()) - found
        found |= more
        ahead += more
    return found


def _outside(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes of a module that run when it is imported."""
    ahead: list[ast.AST] = [tree]
    while ahead:
        node = ahead.pop()
        yield node
        ahead += [one for one in ast.iter_child_nodes(node) if not isinstance(one, Definition | ast.Lambda)]


def _singletons(tree: ast.Module, calling: set[str]) -> Iterator[str]:
    """Yield singleton classes with a method that calls the driver."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            names = {ast.unparse(target) for one in node.body if isinstance(one, ast.Assign) for target in one.targets}
            names |= {ast.unparse(one.target) for one in node.body if isinstance(one, ast.AnnAssign)}
            methods = {one.name for one in node.body if isinstance(one, Definition)}
            if names & {"_instance", "__instance", "_singleton"} and methods & calling:
                yield node.name
