"""Writes ``nvml.json``.

The functions of NVML with their parameters, and the members of its structs.
They come from the wheel's ``cynvml.pxd``. ``nvml.overrides.toml`` has what it leaves out, such as old versions.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

from fakecuda.spec.description import HERE
from tools.codegen.description import pxd

if TYPE_CHECKING:
    from pathlib import Path

PROTOTYPE = re.compile(r"^cdef (nvmlReturn_t|const char\*) (nvml\w+)\((.*)\) except", re.MULTILINE)
STRUCT = re.compile(r"^ctypedef (struct|union) (\w+)(?: '\w+')?:\n((?:    .+\n)+)", re.MULTILINE)
ENUM = re.compile(r"^ctypedef enum (\w+)", re.MULTILINE)
ALIAS = re.compile(r"^ctypedef ([\w ]+?\*?) (\w+) '\w+'$", re.MULTILINE)


def files() -> dict[Path, str]:
    """Return the text of the description, by its path."""
    text = pxd("nvml")
    overrides = tomllib.loads((HERE / "nvml.overrides.toml").read_text())
    functions = {name: params(inside) for _, name, inside in PROTOTYPE.findall(text)}
    functions |= {name: params(inside) for name, inside in overrides["prototypes"].items()}
    functions |= {name: functions[like] for name, like in overrides["same"].items()}
    aliases = {new: old for old, new in ALIAS.findall(text)}
    structs = {name: members(body) for _, name, body in STRUCT.findall(text)}
    structs |= {new: structs[old] for new, old in aliases.items() if old in structs}
    data: dict[str, Any] = {
        "from": {"cuda-bindings": importlib.metadata.version("cuda-bindings")},
        "functions": dict(sorted(functions.items())),
        "names": sorted({*overrides["names"]} - functions.keys()),
        "structs": dict(sorted(structs.items())),
        "unions": sorted(name for kind, name, _ in STRUCT.findall(text) if kind == "union"),
        "enums": sorted(ENUM.findall(text)),
        "aliases": dict(sorted((new, old) for new, old in aliases.items() if old not in structs)),
    }
    lines = [f" {json.dumps(key)}: {_table(value)}" for key, value in data.items()]
    return {HERE / "generated" / "nvml.json": "{\n" + ",\n".join(lines) + "\n}\n"}


def params(inside: str) -> list[list[str]]:
    """Return the parameters of a prototype as [type, name].

    Types keep ``const`` and stars.
    """
    found = []
    for part in filter(None, map(str.strip, inside.split(","))):
        kind, _, name = part.replace("*", "* ").rpartition(" ")
        found.append([kind.replace(" *", "*").strip(), name])
    return found


def members(body: str) -> list[list[str]]:
    """Return the members of a struct as [type, name].

    An array has its length: ``busId[32]``.
    """
    found = []
    for line in filter(None, map(str.strip, body.splitlines())):
        kind, _, name = line.replace("*", "* ").rpartition(" ")
        found.append([kind.replace(" *", "*").strip(), name])
    return found


def _table(value: Any) -> str:
    """Return a table as JSON text, with a line for each entry."""
    if isinstance(value, dict):
        return "{\n" + ",\n".join(f"  {json.dumps(key)}: {json.dumps(one)}" for key, one in value.items()) + "\n }"
    return json.dumps(value)
