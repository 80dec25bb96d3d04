"""Memory that HIP calls read and write through pointers, as far as it depends on their arguments."""

from __future__ import annotations

import ctypes
from typing import Any

from fakecuda.spec import mem_ops as unions
from fakecuda.spec.hip import ENUMS

MOST = 1024
"""Elements of one array that are read."""
POOL_SIZES = 4
"""The first hipMemPoolAttr that is of eight bytes, the release threshold."""
ATTRIBUTES: dict[int, Any] = {
    ENUMS["hipPointer_attribute"][f"HIP_POINTER_ATTRIBUTE_{name}"]: kind
    for names, kind in (
        (("CONTEXT", "DEVICE_POINTER", "HOST_POINTER", "RANGE_START_ADDR"), ctypes.c_void_p),
        (("SYNC_MEMOPS", "IS_MANAGED", "MAPPED"), ctypes.c_bool),
    )
    for name in names
}
"""How attributes of pointers are written that are no 32-bit numbers."""


def put_int(where: int, value: int, _attribute: int = 0) -> None:
    """Write an int at the address that a call got."""
    ctypes.c_int.from_address(where).value = value


def put_attribute(where: int, value: int, attribute: int) -> None:
    """Write an attribute of a pointer where a call was told to, in as many bytes as the runtime does."""
    ATTRIBUTES.get(attribute, ctypes.c_int).from_address(where).value = value


def put_attributes(where: int, values: tuple[int, ...], attributes: tuple[int, ...] | None) -> None:
    """Write attributes of a pointer to where an array of pointers says, those that are null left out."""
    places = (ctypes.c_uint64 * len(values)).from_address(where)
    for place, value, attribute in zip(places, values, attributes or (), strict=False):
        if place:
            put_attribute(place, value, attribute)


def put_word(where: int, value: int, attribute: int) -> None:
    """Write an attribute of a pool where a call was told to."""
    kind: Any = ctypes.c_uint64 if attribute >= POOL_SIZES else ctypes.c_int
    kind.from_address(where).value = value


def put_numbers(where: int, value: int | tuple[int, ...]) -> None:
    """Write a number of 32 bits, or several of them, where a call was told to."""
    numbers = value if isinstance(value, tuple) else (value,)
    (ctypes.c_int * len(numbers)).from_address(where)[:] = list(numbers)


def put_number_lists(where: int, values: tuple[int | tuple[int, ...], ...]) -> None:
    """Write attributes of a range to where an array of pointers says."""
    places = (ctypes.c_uint64 * len(values)).from_address(where)
    for place, value in zip(places, values, strict=True):
        if place:
            put_numbers(place, value)


def word(where: int, attribute: int) -> int | None:
    """Return an attribute of a pool that an address holds; None for null."""
    if not where:
        return None
    kind: Any = ctypes.c_uint64 if attribute >= POOL_SIZES else ctypes.c_int
    number: int = kind.from_address(where).value
    return number


def number_at(where: int) -> int | None:
    """Return an int that an address holds; None for null."""
    return ctypes.c_int.from_address(where).value if where else None


def mem_ops_at(where: int, count: int) -> tuple[tuple[int, ...], ...] | None:
    """Return operations on values in memory, by the address of the first; None for null."""
    if not where:
        return None
    at = (ctypes.c_char * unions.SIZE).from_address
    return tuple(unions.unpack(at(where + unions.SIZE * index)) for index in range(min(count, MOST)))
