"""Calls that reach a module's functions, and modules that import it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, field

from tools.touched.what import ROOT, homes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

IMPORT = re.compile(r"^\s*(?:from ([\w.]+) import (\([^)]*\)|[^\n]*)|import ([\w.]+))", re.MULTILINE)
NAME = re.compile(r"\w+")
PACKAGES = ("fakecuda/rules/", "fakecuda/model/")


@define
class Affected:
    """The calls and modules that a change affects.

    Attributes:
        calls: Modelled calls whose operations reach a function of the files, or of a module of rules that imports them.
        modules: For each file, the files of fakecuda that import it.
        guards: Functions of the files, each with the calls whose operations reach it.
    """

    calls: set[str] = field(factory=set)
    modules: dict[str, list[str]] = field(factory=dict)
    guards: dict[str, list[str]] = field(factory=dict)


def affected(files: Iterable[str]) -> Affected:
    """Return what files of the rules and the model affect.

    Other files affect nothing here.

    Args:
        files: Paths relative to the checkout.

    Raises:
        Exception: An operation cannot be imported, because its module is broken.
    """
    found = Affected()
    paths = {
        path
        for path in files
        if path.startswith(PACKAGES) and path.endswith(".py") and "/generated/" not in path and (ROOT / path).exists()
    }
    if not paths:
        return found
    for path in paths:
        found.modules[path] = sorted(_importers().get(_module(path), ()))
    direct = {one for path in paths if path.startswith("fakecuda/model/") for one in found.modules[path]}
    near = {_module(path) for path in paths | direct}
    reach = _closure(paths | direct)
    for call, home in homes().items():
        if f"fakecuda/rules/{home}" in reach:
            functions = [function for function in reached(call) if function.__module__ in near]
            found.calls |= {call} if functions else set()
            for function in functions:
                if function.__module__ in {_module(path) for path in paths}:
                    found.guards.setdefault(f"{function.__module__}.{function.__name__}", []).append(call)
    return found


def reached(call: str) -> list[Callable[..., Any]]:
    """Return a call's operation and the guards that it reaches."""
    from fakecuda.rules.core import Rule  # noqa: PLC0415 - a broken module must not break this one
    from fakecuda.rules.registry import EVERY_OP  # noqa: PLC0415 - a broken module of rules must not break this one
    from fakecuda.rules.rule_discovery import named_by  # noqa: PLC0415 - a broken module must not break this one

    found: dict[Callable[..., Any], None] = {}
    waiting: list[Callable[..., Any]] = [EVERY_OP[call].function]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found[one] = None
            waiting += [inner for inner in named_by(one) if not isinstance(inner, Rule)]
    return list(found)


def _closure(paths: set[str]) -> set[str]:
    """Return files, and the files of rules that import them.

    They import them directly or through other files of rules.
    """
    found = set(paths)
    waiting = list(paths)
    while waiting:
        for one in _importers().get(_module(waiting.pop()), ()):
            if one.startswith("fakecuda/rules/") and one not in found:
                found.add(one)
                waiting.append(one)
    return found


@cache
def _importers() -> dict[str, set[str]]:
    """Return the files of fakecuda that import a module, or a name in it, by module."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / "fakecuda").rglob("*.py"):
        if "generated" not in path.parts:
            for module, names, plain in IMPORT.findall(path.read_text()):
                for name in (module or plain, *(f"{module}.{one}" for one in NAME.findall(names))):
                    found.setdefault(name, set()).add(path.relative_to(ROOT).as_posix())
    return found


def _module(path: str) -> str:
    """Return the module of a file."""
    return Path(path).with_suffix("").as_posix().removesuffix("/__init__").replace("/", ".")
