"""The C client's tables of NVML, from its prototypes."""

from __future__ import annotations

import ctypes
import json
from typing import TYPE_CHECKING, Any

from fakecuda.reach.native.nvml import arguments
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml
from fakecuda.spec.nvml import NAMES, PROTOTYPES, text_of
from fakecuda.spec.nvml_types import type_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.reach.native.nvml import Argument

GIVEN = {"number": "VALUE", "word": "BEHIND", "text": "STRING", "struct": "BEHIND", "fields": "FIELDS"}
CODES = {
    ctypes.c_byte: "b",
    ctypes.c_char: "b",
    ctypes.c_ubyte: "B",
    ctypes.c_ushort: "H",
    ctypes.c_int: "i",
    ctypes.c_uint: "I",
    ctypes.c_long: "q",
    ctypes.c_ulong: "Q",
    ctypes.c_double: "d",
}
COUNT = "valuesCount"
ERROR_STRING = "nvmlErrorString"


def modelled() -> list[str]:
    """Return the calls with a row.

    Calls that take a struct with a union work in Python only.
    """
    return [
        name
        for name in sorted(NVML.ops)
        if not any(one.given == "struct" and _has_union(one.type) for one in arguments(name))
    ]


def rows() -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each call with its inputs and outputs in the client's form."""
    for name in modelled():
        inputs, outputs = [], []
        labels = [label for _, label in PROTOTYPES[name]]
        for place, one in enumerate(arguments(name)):
            if one.given:
                key = labels.index(COUNT) if one.given == "fields" else -1
                inputs.append(f"{{{place}, {GIVEN[one.given]}, {key}, -1, {json.dumps(_given_shape(one))}}}")
            if one.returned is not None:
                outputs.append(f"{{{place}, {', '.join(_returned(one))}}}")
        yield name, inputs, outputs


def _given_shape(one: Argument) -> str:
    known = {"word": "I", "text": "", "fields": ""}
    return known[one.given] if one.given in known else shape_of(one.type)


def _returned(one: Argument) -> tuple[str, str, str]:
    assert one.returned is not None
    if one.returned.kind == "string":
        return "TEXT_IN", "-1", '""'
    shape = shape_of(one.type)
    if not one.returned.array and one.returned.keyword == "version":
        # The version is not overwritten: (I…) becomes (4k…).
        shape = f"(4k{shape[2:]}"
    kind = "RESULTS_AT" if one.returned.array else "RESULT_AT"
    return kind, "-1", json.dumps(shape)


def shape_of(kind: Any) -> str:
    """Return the layout of a type's plain value in C.

    A union has the layout of its first member.
    """
    if issubclass(kind, ctypes.Array):
        if kind._type_ is ctypes.c_char:
            return f"{kind._length_}t"
        return f"({shape_of(kind._type_) * kind._length_})"
    if not issubclass(kind, ctypes.Structure | ctypes.Union):
        return CODES[kind]
    text, at = "(", 0
    members = kind._fields_ if issubclass(kind, ctypes.Structure) else kind._fields_[:1]
    for label, member, *_ in members:
        offset = getattr(kind, label).offset
        text += f"{offset - at}k" * (offset > at) + shape_of(member)
        at = offset + ctypes.sizeof(member)
    rest = ctypes.sizeof(kind) - at
    return f"{text}{f'{rest}k' * bool(rest)})"


def _has_union(kind: Any) -> bool:
    if issubclass(kind, ctypes.Array):
        return _has_union(kind._type_)
    members = getattr(kind, "_fields_", ())
    return issubclass(kind, ctypes.Union) or any(_has_union(member) for _, member, *_ in members)


def kinds(name: str) -> tuple[str, ...]:
    """Return the kinds of a call's arguments, as for the driver's symbols."""
    return tuple(
        "P" if kind.endswith("*") else CODES[type_of(kind)].upper().replace("I", "i") for kind, _ in PROTOTYPES[name]
    )


def others() -> list[str]:
    """Return the functions that are not modelled, or not modelled in C."""
    known = set(modelled()) | {ERROR_STRING}
    return [name for name in NAMES if name not in known]


def error_string(prefix: str) -> str:
    """Return the C function for ``nvmlErrorString``, which does not ask the owner."""
    cases = "".join(f"    case {int(code)}: return (uint64_t){json.dumps(text_of(int(code)))};\n" for code in Nvml)
    unknown = json.dumps(text_of(-1))
    return (
        f"uint64_t {prefix}{ERROR_STRING}(uint64_t code)\n{{\n    switch ((int)code) {{\n{cases}"
        f"    default: return (uint64_t){unknown};\n    }}\n}}\n"
    )
