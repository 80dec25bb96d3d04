"""NVML's types as ctypes classes: structs, unions, enums, handles."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from fakecuda.spec.nvml import ALIASES, ENUMS, STRUCTS, UNIONS

BASIC = {
    "char": ctypes.c_char,
    "unsigned char": ctypes.c_ubyte,
    "unsigned short": ctypes.c_ushort,
    "int": ctypes.c_int,
    "unsigned": ctypes.c_uint,
    "unsigned int": ctypes.c_uint,
    "unsigned long": ctypes.c_ulong,
    "long": ctypes.c_long,
    "long long": ctypes.c_longlong,
    "signed long long": ctypes.c_longlong,
    "unsigned long long": ctypes.c_ulonglong,
    "double": ctypes.c_double,
}


@cache
def type_of(name: str) -> Any:
    """Return the ctypes class of a C type; handles and pointers are ints.

    Raises:
        KeyError: NVML has no such type.
    """
    name = name.removeprefix("const ")
    if name.endswith("*"):
        return ctypes.c_uint64
    if name in BASIC:
        return BASIC[name]
    if name in ENUMS:
        return ctypes.c_int
    if name in ALIASES:
        return type_of(ALIASES[name])
    base = ctypes.Union if name in UNIONS else ctypes.Structure
    members = [_member(kind, label) for kind, label in STRUCTS[name]]
    return type(name, (base,), {"_fields_": members})


def _member(kind: str, label: str) -> tuple[str, Any]:
    member, *lengths = label.replace("]", "").split("[")
    made = type_of(kind)
    for length in reversed(lengths):
        made *= int(length, 0)
    return member, made
