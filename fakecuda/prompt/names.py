"""The names that the prompt defines, and the namespace in which statements run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import fakecuda
from fakecuda.explain.reports.text import table
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.reach.process import Process

OBJECTS = {
    "machine": "the machine",
    "a": "its first process: a.driver, a.runtime and a.hip make calls; a.c makes them with plain numbers",
    "b": "its second process",
    "driver": "the same as a.driver",
    "fakecuda": "the module fakecuda",
}
"""The objects at the prompt."""
FUNCTIONS = {
    "show": "print the machine, a part of it, or an object: show(), show(a), show(p)",
    "why": "print why a call was refused, or what a finding means: why(), why(12), why(code)",
    "history": "print the last calls, or the calls that mention an object",
    "rules": "print what a call checks: rules('cuMemAlloc')",
    "help": "print this list; with a call, its manual and rules: help(a.driver.cuMemAlloc)",
    "undo": "undo the last statement that changed the machine",
    "save": "write the statements as a test: save('test_it.py')",
    "replay": "run the statements on another machine: replay('h100-x2')",
}
"""The functions at the prompt."""
FAMILIES = {
    "CUresult, CUlimit, ...": "the driver's enums",
    "Machine, Result, ...": "the public names of fakecuda",
}
"""The other names at the prompt, by two examples."""


def names_text(width: int | None = None) -> str:
    """Return all names that the prompt defines, each with its meaning.

    Args:
        width: Columns of text; the terminal's by default.
    """
    return table(("name", "meaning"), [*FUNCTIONS.items(), *OBJECTS.items(), *FAMILIES.items()], width)


class Scope(dict[str, Any]):
    """The namespace of statements.

    Some of its names load much of fakecuda. Such a name gets its value when a statement first reads it.

    Attributes:
        late: The functions that return the values of these names.
    """

    def __init__(self) -> None:
        super().__init__()
        self.late: dict[str, Callable[[], Any]] = {}

    def __missing__(self, name: str) -> Any:
        """Return the value of a name that no statement has read yet."""
        self[name] = value = self.late[name]()
        return value

    def load(self) -> None:
        """Give every name its value, for code that lists the names."""
        for name in self.late.keys() - self.keys():
            self[name] = self.late[name]()


def late(process: Process) -> dict[str, Callable[[], Any]]:
    """Return the names whose values are set on first read.

    Args:
        process: The process whose calls ``driver`` makes.
    """
    names: dict[str, Callable[[], Any]] = {}
    for name in fakecuda.__all__:
        names[name] = partial(getattr, fakecuda, name)
    for name in ENUMS:
        names[name] = partial(_of_driver, process, name)
    names["driver"] = lambda: process.driver
    return names


def _of_driver(process: Process, name: str) -> Any:
    """Return a class or an enum of the driver."""
    return getattr(process.driver, name)
