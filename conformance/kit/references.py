"""References of programs to returned values, which differ in each run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.kit.kinds import ADDRESSES, NUMBERS, TYPES, UNTOLD, Described
from conformance.kit.names import SMALL
from conformance.kit.nvml import HANDLES, Changed
from conformance.kit.values import decode, encode
from fakecuda.spec import node_params

if TYPE_CHECKING:
    from conformance.kit.names import Names
    from conformance.kit.steps import Plain

HIDDEN = frozenset({"volatile", "opaque"})
"""Comparison rules for results that recordings do not have."""

OBJECTS = frozenset(TYPES.values()) - {*ADDRESSES, *NUMBERS}
"""Kinds of names whose values are handles."""


def result_of(
    names: Names,
    process: str,
    kind: str | tuple[Any, ...] | Described,
    compare: str,
    value: Plain,
    size: int,
    *,
    acquires: bool,
) -> Any:
    """Return a result in recorded form, with a new name if needed.

    Args:
        names: The names of the run.
        process: The process that obtained it.
        kind: The kind of name that it has, or of those of its members.
        compare: How it compares with another run's.
        value: The plain value.
        size: Bytes that it names, 0 if unknown.
        acquires: Whether a known name has one more reference then.
    """
    if value is None:
        return None
    if kind == "volatile" or compare in HIDDEN:
        if kind in UNTOLD:
            names.new(process, kind, value, size)
        return {"volatile": True}
    if kind == "updatable":  # without the handle on devices, which is an address
        return encode(value[:8] + bytes(len(value) - 8))
    if isinstance(kind, Described):
        kind = (kind.told,) * len(value)
    if kind in HANDLES and isinstance(value, tuple):
        kind = (kind,) * len(value)
    if isinstance(kind, tuple):
        # Most members are numbers that name nothing, or 0.
        return [
            part
            if type(part) is int and not (one and part) and one != "volatile"
            else result_of(names, process, one, compare, part, 0, acquires=False)
            for one, part in zip(kind, value, strict=True)
        ]
    if not kind or not value:
        return encode(value)
    if kind in UNTOLD:
        names.new(process, kind, value, size)
    if compare in {"alias", "either"} and (found := names.alias(process, kind, value)) is not None:
        name, plus = found
        name.references += acquires
        return {"name": name.text, "plus": plus}
    if compare not in {"alias", "either", "fresh"}:
        return encode(value)
    return {"new": names.new(process, kind, value, size).text}


def refer(names: Names, process: str, kind: str | tuple[Any, ...] | Described, value: Plain) -> Any:
    """Return an argument in recorded form, as a reference if possible.

    Args:
        names: The names of the run.
        process: The process that passes it.
        kind: The kind of name that it has, or of those of its members; empty for a literal.
        value: The plain value.
    """
    if isinstance(kind, Described) and isinstance(value, bytes):
        layouts = node_params.RUNTIME_LAYOUTS if kind.runtime else node_params.LAYOUTS
        number, values, clean = node_params.unpack(value, layouts)
        parts = [refer(names, process, *pair) for pair in zip(kind.kinds, values, strict=False)]
        return {"cudaNode" if kind.runtime else "node": [number, parts, clean]}
    if isinstance(kind, tuple) and isinstance(value, tuple):
        return [refer(names, process, *pair) for pair in zip(kind, value, strict=True)]
    if isinstance(kind, str) and kind and isinstance(value, (int, bytes)):
        # What is volatile as a result may be an address of the program's own as an argument: that of a kernel's parameters.
        own = kind == "volatile"
        found = names.alias(process, "host", value) if own else names.argument(process, kind, value)
        if found is not None:
            name, plus = found
            return {"ref": name.text, "plus": plus} if plus else {"ref": name.text}
    return encode(value)


def is_unnamed(kind: str | tuple[Any, ...] | Described, data: Any) -> bool:
    """Return whether an argument in recorded form has a handle that no name of its kind has.

    Args:
        kind: The kind of name that it should have, or of those of its members.
        data: The argument.
    """
    if isinstance(kind, Described):
        given = data if isinstance(data, dict) else {}
        _, parts, _ = given.get("node") or given.get("cudaNode") or (0, (), True)
        return any(is_unnamed(*pair) for pair in zip(kind.kinds, parts, strict=False))
    if isinstance(kind, tuple):
        return isinstance(data, list) and any(is_unnamed(*pair) for pair in zip(kind, data, strict=False))
    return kind in OBJECTS and type(data) is int and data >= SMALL


def value_of(names: Names, data: Any) -> Plain:
    """Return the plain value of a recorded argument.

    Raises:
        KeyError: Nothing has the name that it refers to.
    """
    if not isinstance(data, dict):
        if not isinstance(data, list):
            return data
        return tuple([item if type(item) is int else value_of(names, item) for item in data])
    if "ref" in data:
        value, plus = names.by_text[data["ref"]].value, data.get("plus", 0)
        if isinstance(value, tuple):
            return value[plus]
        if "as" in data:
            return Changed(value, data["as"]).plain()
        return value + plus if isinstance(value, int) else value
    if "node" in data or "cudaNode" in data:
        number, values, clean = data.get("node") or data["cudaNode"]
        layouts = node_params.LAYOUTS if "node" in data else node_params.RUNTIME_LAYOUTS
        return node_params.pack(number, tuple(value_of(names, item) for item in values), clean, layouts)
    return decode(data)
