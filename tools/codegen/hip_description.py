"""Writes ``hip.json``: a description of all calls of HIP in the project's scope.

It combines the C prototypes in the wheel's ``cyhip.pxd`` (rocm-bindings-hip) with the signatures of
``rocm.bindings.hip``, the module ``hip.hip``. The signatures show which parameters are inputs. ``hip.overrides.toml``
has what does not follow from these, and ``hip.documented.json`` the functions in scope with their documented codes. The
wheel can be imported without a HIP library.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
import json
import re
import tomllib
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakecuda.spec.description import HERE
from tools.codegen.description import GENERATED, kind_of, reached, written

if TYPE_CHECKING:
    from collections.abc import Collection

PROTOTYPE = re.compile(
    r"^cdef (hipError_t|const char ?\*) ?(hip\w+)\(([^\n]*)\) +(?:except|noexcept|nogil)", re.MULTILINE
)
STRUCT = re.compile(
    r"^ *(?:cdef|ctypedef) (struct|union) (\w+)[^\n]*:\n((?:    +(?!cdef|ctypedef)\S.*\n)+)", re.MULTILINE
)
ALIAS = re.compile(r"^ *ctypedef (\w+)( \*)? (\w+)$", re.MULTILINE)
SYMBOL = re.compile(r'__init_symbol\(&_(hip\w+)__funptr,"(\w+)"\)')
RESULTS = re.compile(r"tuple` of size (\d+)")
NOT_EXPORTED = "hipCreateChannelDesc"
"""A function that returns a struct by value and does not query a device."""
BYTES = frozenset({"hipIpcEventHandle_st", "hipIpcMemHandle_st", "hipMemPoolPtrExportData", "hipUUID_t"})


def pxd() -> str:
    """Return the content of the installed wheel's ``cyhip.pxd``."""
    binding = importlib.import_module("rocm.bindings.hip")
    assert binding.__file__ is not None
    return (Path(binding.__file__).parent / "cyhip.pxd").read_text()


def symbols() -> dict[str, str]:
    """Return the symbols that the installed wheel looks up, by function."""
    binding = importlib.import_module("rocm.bindings.hip")
    assert binding.__file__ is not None
    return dict(SYMBOL.findall((Path(binding.__file__).parent / "cyhip.pyx").read_text()))


def beyond(scope: Collection[str]) -> dict[str, Any]:
    """Return keywords and number of results of functions out of scope.

    They are hip-python's functions, by name.
    """
    binding = importlib.import_module("rocm.bindings.hip")
    found = {}
    for name in sorted(symbols().keys() - scope):
        function = getattr(binding, name)
        size = RESULTS.search(function.__doc__ or "")
        assert size is not None, name
        found[name] = {"takes": list(inspect.signature(function).parameters), "results": int(size[1]) - 1}
    return found


def structs(text: str, members: dict[str, list[list[str]]]) -> dict[str, list[list[str]]]:
    """Return each struct's fields as [type, name] in C order.

    Args:
        text: The content of ``cyhip.pxd``.
        members: All members of structs with anonymous unions, which the file leaves out.
    """
    found: dict[str, list[list[str]]] = {}
    for _, name, body in STRUCT.findall(text):
        fields = [line.strip().replace("const ", "") for line in body.splitlines() if line.strip() not in {"", "pass"}]
        rows = [(field.rpartition(" ")[0], field.rpartition(" ")[2]) for field in fields]
        found[name] = [[kind.replace(" *", "*"), label] for kind, label in rows]
    return found | members


def describe() -> dict[str, Any]:
    """Return the whole description as JSON-able data."""
    binding = importlib.import_module("rocm.bindings.hip")
    text = pxd()
    overrides = tomllib.loads((HERE / "hip.overrides.toml").read_text())
    scope = json.loads((HERE / "hip.documented.json").read_text())
    layouts = structs(text, overrides["members"])
    aliases = {new: old for old, stars, new in ALIAS.findall(text) if not stars}
    looked_up, library = symbols(), overrides["library"]
    exported = {*looked_up.values(), *library.pop("also")} - {NOT_EXPORTED}
    calls: dict[str, Any] = {}
    for returned, name, inside in PROTOTYPE.findall(text):
        if name not in scope:
            continue
        keywords = list(inspect.signature(getattr(binding, name)).parameters)
        params = [
            _param(part, keywords, overrides.get(name, {}), layouts, aliases) for part in inside.split(",") if part
        ]
        if returned.startswith("const"):
            params.append(_param("const char ** returned", keywords, {}, layouts, aliases))
        calls[name] = {"symbol": looked_up[name], "version": 0, "ptds": "", "params": params}
    types = {param["type"] for call in calls.values() for param in call["params"]}
    enums = {
        name: {member.name: int(member) for member in value.__members__.values()}
        for name, value in sorted(vars(binding).items())
        if inspect.isclass(value) and issubclass(value, IntEnum) and not name.startswith("_")
    }
    handles = {new: old for old, stars, new in ALIAS.findall(text) if stars and hasattr(binding, old) and new in types}
    return {
        "from": {"hip-python": importlib.metadata.version("hip-python")},
        "calls": dict(sorted(calls.items())),
        "structs": {name: layouts[name] for name in sorted(reached(types, layouts))},
        "enums": {k: v for k, v in enums.items() if k in types or k in overrides["enums"]["also"]},
        "handles": sorted(handles),
        "symbols": sorted({name for _, name, _ in PROTOTYPE.findall(text)}),
        "library": {"symbols": sorted(exported), **library},
        "beyond": beyond(scope),
        "constants": {
            name: value
            for name, value in sorted(vars(binding).items())
            if name.startswith("hip") and type(value) is int
        },
    }


def _param(
    text: str, keywords: list[str], special: dict[str, Any], layouts: dict[str, Any], aliases: dict[str, str]
) -> dict[str, Any]:
    """Return the description of a prototype's parameter."""
    words, _, label = text.replace("const ", "").strip().replace("*", " * ").rpartition(" ")
    stars = words.count("*")
    ctype = " ".join(words.replace("*", "").split())
    ctype = aliases[ctype] if aliases.get(ctype) in layouts else ctype
    mine = special.get(label, {})
    keyword = label if label in keywords else ""
    role = mine.get("role") or ("in" if keyword else "out")
    if stars and ctype == "char" and "role" not in mine:
        role = "string_in" if keyword else "out" if stars > 1 else "string_out"
    kind = "string" if ctype == "char" and stars else "bytes" if ctype in BYTES else kind_of(ctype, stars, role)
    return {
        "name": label,
        "type": ctype,
        "pointer": stars > 0,
        "role": role,
        "keyword": keyword if role != "out" or mine.get("filled") else "",
        "kind": mine.get("kind", "struct" if ctype in layouts and ctype not in BYTES else kind),
        **{k: v for k, v in mine.items() if k in {"length", "count", "array"}},
    }


def files() -> dict[Path, str]:
    """Return the file for the installed hip-python, by its path."""
    return {GENERATED / "hip.json": written(describe())}
