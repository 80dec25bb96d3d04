"""Releases of cuda-bindings: accepted arguments, error texts, and functions.

The table stands in ``bindings.toml``: an entry holds from its release on, up to the next one.
"""

from __future__ import annotations

import re
import tomllib
import warnings
from functools import partial
from typing import Any

from attrs import evolve, fields, frozen

from fakecuda.errors import FakeCudaError, UnknownBindingsWarning
from fakecuda.spec.description import HERE, Function, Functions, Param
from fakecuda.spec.driver import CALLS

TABLES: dict[str, Any] = tomllib.loads((HERE / "bindings.toml").read_text(encoding="utf-8"))
FIRST: str = TABLES["first"]
LAST: str = TABLES["last"]
"""The last releases that were compared."""


@frozen
class Rules:
    """The behaviour of a release.

    Attributes:
        enum_arguments: How an argument that is an enum becomes a number: ``value`` or ``int``.
        enum_names: What the C type of an enum is called, with a place for its tag.
        sequences: What an array may be.
        single_structs: Parameters that are arrays of structs in C, and here one struct.
        addresses: Which numbers are taken for a ``void *``: ``int`` or ``__int__``.
        address_types: What else it may be, in words.
        unknown_codes: The exception for a code that CUresult has not.
        absent_functions: The exception for a function that the driver lacks: its class and text, with a place for a symbol.
        attributes: The largest member that is read or written, by enum.
        pointer_values: The C types of new values, by attribute of a pointer.
    """

    enum_arguments: str
    enum_names: str
    sequences: list[str]
    single_structs: list[str]
    addresses: str
    address_types: str
    unknown_codes: str
    absent_functions: str
    attributes: dict[str, int]
    pointer_values: dict[str, str]


def order(release: str) -> tuple[int, ...]:
    """Return a release as comparable numbers; 13.6.0rc1 counts as 13.6.0."""
    return tuple([int(number) for number in re.findall(r"\d+", release)[:3]])


SUPPORTED = f"cuda-bindings>={FIRST},<{order(LAST)[0]}.{order(LAST)[1] + 1}"
"""The supported releases, as a pip specifier."""


def holding(table: dict[str, Any], release: str) -> Any:
    """Return the value for a release: the last entry up to it, or None."""
    since = [entry for entry in table if order(entry) <= order(release)]
    return table[max(since, key=order)] if since else None


def rules(release: str) -> Rules:
    """Return the behaviour of a release."""
    return Rules(**{one.name: _held(TABLES[one.name], release) for one in fields(Rules)})


def _held(table: dict[str, Any], release: str) -> Any:
    parts = {name: part for name, part in table.items() if isinstance(part, dict)}
    return {name: holding(part, release) for name, part in parts.items()} or holding(table, release)


def functions(release: str) -> Functions:
    """Return the functions of a release by name."""
    absent = {name for since, names in TABLES["functions"].items() if order(since) > order(release) for name in names}
    found = {name: partial(CALLS.__getitem__, name) for name in CALLS if name not in absent}
    found |= {name: partial(_renamed, name, release) for name in TABLES["keywords"] if name in found}
    later = {name for name, late in TABLES["later"].items() if order(late["since"]) <= order(release)}
    return Functions(found | {name: partial(_later, name) for name in later})


def _renamed(name: str, release: str) -> Function:
    """Return a function whose keywords differ between releases."""
    called = {label: holding(table, release) for label, table in TABLES["keywords"][name].items()}
    params = [evolve(p, keyword=called.get(p.name, p.keyword)) for p in CALLS[name].params]
    return evolve(CALLS[name], params=tuple(params))


def _later(name: str) -> Function:
    """Return a function that is newer than the described release."""
    inputs = [_param(word, "in", word) for word in TABLES["later"][name]["keywords"]]
    results = [_param(word, "out", "") for word in TABLES["later"][name]["results"]]
    return Function(name=name, symbol=name, version=0, ptds="", params=(*inputs, *results))


def _param(name: str, role: str, keyword: str) -> Param:
    return Param(name, "", pointer=role == "out", role=role, keyword=keyword, kind="integer")


def checked(release: str) -> str:
    """Return the release to imitate; a newer release gives a warning.

    Raises:
        FakeCudaError: It came before the first, or is of another major version, whose module is another one.
    """
    if order(release)[:1] != order(LAST)[:1] or order(release) < order(FIRST):
        msg = (
            f"cuda-bindings {release} is installed, but fakecuda imitates {FIRST} to {LAST}: pip install '{SUPPORTED}'"
        )
        raise FakeCudaError(msg)
    if order(release)[:2] > order(LAST)[:2]:
        msg = (
            f"cuda-bindings {release} is installed, but fakecuda imitates {FIRST} to {LAST}: pip install '{SUPPORTED}'. "
            f"Otherwise fakecuda takes arguments as {LAST} does, and lacks functions that came later"
        )
        warnings.warn(msg, UnknownBindingsWarning, stacklevel=2)
    return release
