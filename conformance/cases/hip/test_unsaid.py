"""Every statement on virtual memory, pools and memory is a program, or it is said why not."""

from __future__ import annotations

import tomllib
from pathlib import Path

from conformance.cases.hip.programs import PROGRAMS
from conformance.cases.hip.side import statements

AREAS = frozenset({"vmm", "mempool", "memory"})
POINTERS = ("hipPointer", "hipPtr", "hipDrvPtr")
"""What statements on attributes of pointers begin with, which are of another chapter."""
STATEMENTS = statements()
UNSAID = tomllib.loads(Path(__file__).with_name("unsaid.toml").read_text())


def test_every_statement_is_said_or_not() -> None:
    """None is forgotten, and none is in both."""
    names = [name for why in UNSAID.values() for name in why["statements"]]
    wanted = {
        name
        for name, statement in STATEMENTS.items()
        if statement["area"] in AREAS and not name.startswith(POINTERS) and name not in PROGRAMS
    }
    assert set(names) == wanted
    assert len(names) == len(set(names))


def test_reasons() -> None:
    """Each has statements, in the order of their names."""
    for why in UNSAID.values():
        assert why.keys() == {"reason", "statements"}
        assert why["statements"] == sorted(why["statements"])
