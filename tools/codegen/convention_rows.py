"""Writes ``conventions.json``, the conventions of calls that the runtime reads.

They come from the rows of ``<API>.overrides.toml``; :mod:`fakecuda.spec.conventions` says what is in them.
"""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

from attrs import fields

from fakecuda.spec import both, forms, hip
from fakecuda.spec.conventions import BINDING, FORMS, Convention
from fakecuda.spec.description import HERE
from tools.codegen.description import GENERATED

if TYPE_CHECKING:
    from pathlib import Path

    from fakecuda.spec.description import Function

APIS = ("driver", "runtime", "hip")
NAMES = tuple(one.name for one in fields(Convention))
DESCRIBED = frozenset({"role", "kind", "array", "length", "count", "filled"})
"""Keys of a row that the descriptions of the calls have."""
KNOWN = {"form": FORMS, "binding": BINDING}


class WrongRow(ValueError):  # noqa: N818 - a fact about a row
    """A row of a table is wrong; the text says what is allowed."""


def rows(api: str) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the rows of an API with conventions, by call and parameter.

    Raises:
        WrongRow: A row has an unknown key or value, or names a parameter that its call lacks.
    """
    file = f"{api}.overrides.toml"
    calls = {**both.CALLS, **hip.CALLS}
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for name, table in tomllib.loads((HERE / file).read_text(encoding="utf-8")).items():
        if name not in calls:
            continue
        labels = [param.name for param in calls[name].params]
        for label, row in table.items():
            if label == "symbol":
                continue
            where = f"{file}, [{name}] {label}"
            check(where, "parameter", label, labels)
            for key, value in row.items():
                check(where, "key", key, (*sorted(DESCRIBED), *NAMES))
                if key in KNOWN:
                    check(where, key, value, KNOWN[key])
                if key in {"key", "at_most"}:
                    check(where, key, value, labels)
            odd = {key: row[key] for key in NAMES if key in row}
            if odd:
                found.setdefault(name, {})[label] = odd
    return found


def older(newest: dict[str, dict[str, dict[str, Any]]]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the rows of older forms: the newest forms' rows, and ``forms.toml``'s.

    Args:
        newest: The rows of the newest forms.
    """
    found = {}
    for name, takes in tomllib.loads((HERE / "forms.toml").read_text(encoding="utf-8")).items():
        base = newest.get(forms.DESCRIPTION.rows[name]["base"], {})
        table = {one: base[one] for one in takes if isinstance(one, str) and one in base}
        table |= {one["name"]: {"failed": True} for one in takes if not isinstance(one, str) and one.get("failed")}
        if table:
            found[name] = table
    return found


def check(where: str, what: str, value: str, allowed: Any) -> None:
    """Check that a name in a row is among the allowed ones.

    Raises:
        WrongRow: It is not.
    """
    if value not in allowed:
        msg = f"{where}: {what} {value!r} is unknown: use one of {', '.join(allowed)}"
        raise WrongRow(msg)


def files() -> dict[Path, str]:
    """Return the text of the file, by its path."""
    params = {name: row for api in APIS for name, row in rows(api).items()}
    params |= older(params)
    calls = {**both.CALLS, **hip.CALLS}
    made: dict[str, dict[str, list[Any]]] = {"exports": {}, "imports": {}}
    for name, table in params.items():
        for label, row in table.items():
            if row.get("form") in {"shareable", "dma_buf"}:
                which, entry = _descriptor(calls[name], label, row)
                made[which][name] = entry
    lines = [
        f'"params": {{\n{_lines(params)}\n}}',
        *(f'"{key}": {{\n{_lines(table)}\n}}' for key, table in made.items()),
    ]
    return {GENERATED / "conventions.json": "{\n" + ",\n".join(lines) + "\n}\n"}


def _lines(table: dict[str, Any]) -> str:
    return ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(table.items()))


def _descriptor(call: Function, label: str, row: dict[str, Any]) -> tuple[str, list[Any]]:
    """Return a call that passes a descriptor: whether it exports or imports one, with indices among the inputs."""
    places = {param.name: place for place, param in enumerate(call.inputs)}
    entry = [places[row["key"]], row["form"]]
    return ("imports", [places[label], *entry]) if label in places else ("exports", entry)
