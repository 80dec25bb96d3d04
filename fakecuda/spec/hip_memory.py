"""Memory layouts behind pointers of HIP calls that depend on arguments."""

from __future__ import annotations

import ctypes
from typing import Any

from fakecuda.spec import mem_ops as unions
from fakecuda.spec.hip import ENUMS

MOST = 1024
"""The maximum elements of an array to read."""
POOL_SIZES = 4
"""The first hipMemPoolAttr of 8 bytes, the release threshold."""
ATTRIBUTES: dict[int, Any] = {
    ENUMS["hipPointer_attribute"][f"HIP_POINTER_ATTRIBUTE_{name}"]: kind
    for names, kind in (
        (("CONTEXT", "DEVICE_POINTER", "HOST_POINTER", "RANGE_START_ADDR"), ctypes.c_void_p),
        (("SYNC_MEMOPS", "IS_MANAGED", "MAPPED"), ctypes.c_bool),
    )
    for name in names
}
"""Writers of pointer attributes that are not 32-bit numbers."""


def put_int(where: int, value: int, _attribute: int = 0) -> None:
    """Write an int to an address."""
    ctypes.c_int.from_address(where).value = value


def put_attribute(where: int, value: int, attribute: int) -> None:
    """Write a pointer attribute to an address, with the runtime's width."""
    ATTRIBUTES.get(attribute, ctypes.c_int).from_address(where).value = value


def put_attributes(where: int, values: tuple[int, ...], attributes: tuple[int, ...] | None) -> None:
    """Write pointer attributes to an array of addresses; skip null addresses."""
    places = (ctypes.c_uint64 * len(values)).from_address(where)
    for place, value, attribute in zip(places, values, attributes or (), strict=False):
        if place:
            put_attribute(place, value, attribute)


def put_word(where: int, value: int, attribute: int) -> None:
    """Write a pool attribute to an address."""
    kind: Any = ctypes.c_uint64 if attribute >= POOL_SIZES else ctypes.c_int
    kind.from_address(where).value = value


def put_numbers(where: int, value: int | tuple[int, ...]) -> None:
    """Write one or several 32-bit numbers to an address."""
    numbers = value if isinstance(value, tuple) else (value,)
    (ctypes.c_int * len(numbers)).from_address(where)[:] = list(numbers)


def put_number_lists(where: int, values: tuple[int | tuple[int, ...], ...]) -> None:
    """Write range attributes to an array of addresses."""
    places = (ctypes.c_uint64 * len(values)).from_address(where)
    for place, value in zip(places, values, strict=True):
        if place:
            put_numbers(place, value)


def word(where: int, attribute: int) -> int | None:
    """Return the pool attribute at an address; None for null."""
    if not where:
        return None
    kind: Any = ctypes.c_uint64 if attribute >= POOL_SIZES else ctypes.c_int
    number: int = kind.from_address(where).value
    return number


def number_at(where: int) -> int | None:
    """Return the int at an address; None for null."""
    return ctypes.c_int.from_address(where).value if where else None


def mem_ops_at(where: int, count: int) -> tuple[tuple[int, ...], ...] | None:
    """Return the memory operations at an address; None for null."""
    if not where:
        return None
    at = (ctypes.c_char * unions.SIZE).from_address
    return tuple(unions.unpack(at(where + unions.SIZE * index)) for index in range(min(count, MOST)))
