"""C integers, enums and handles: which numbers the binding accepts as arguments.

For an argument that the compiled module refuses, the same exception is raised, with the same text. Where its releases
differ, importing this module chooses the behaviour of the installed release. The same is true of
:mod:`~fakecuda.reach.bindings.pointers`, :mod:`~fakecuda.reach.bindings.arrays` and
:mod:`~fakecuda.reach.bindings.unions`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from fakecuda.reach.bindings.installed import RULES
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable

LONG_BITS = 64
LEAST_ENUMERATOR = 0 if sys.version_info >= (3, 12) else 1 - (1 << 30)
"""The smallest number accepted for an enum, which depends on Python's version."""


def number(value: Any) -> int:
    """Return the int that the binding takes from an argument.

    This is its ``__int__``; a string is never taken.

    Raises:
        TypeError: The argument has no ``__int__``, or it does not return an int.
    """
    if isinstance(value, int):
        return int(value)
    convert = getattr(type(value), "__int__", None)
    if convert is None:
        msg = "an integer is required"
        raise TypeError(msg)
    result = convert(value)
    if not isinstance(result, int):
        msg = f"__int__ returned non-int (type {type(result).__name__})"
        raise TypeError(msg)
    return int(result)


def unsigned(name: str, bits: int, read: Callable[[Any], int]) -> Callable[[Any], int]:
    """Return the coercion to an unsigned C type; ``read`` gives an argument's int."""

    def convert(value: Any) -> int:
        plain = read(value)
        if plain < 0:
            msg = f"can't convert negative value to {name}"
            raise OverflowError(msg)
        if plain >> LONG_BITS:
            msg = "Python int too large to convert to C unsigned long"
            raise OverflowError(msg)
        if plain >> bits:
            raise OverflowError(TOO_LARGE + name)
        return plain

    return convert


def enumerator(name: str) -> Callable[[Any], int]:
    """Return the coercion to a C enum: its number, which must fit into four bytes."""

    def convert(value: Any) -> int:
        return _enumerator(_enum_number(value), name)

    return convert


def _enumerator(plain: int, name: str) -> int:
    runtime = name.startswith("cuda")
    shown = f"enum {TAGS.get(name, name)}" if runtime else RULES.enum_names.format(TAGS.get(name, f"{name}_enum"))
    plain = _ranged(plain, shown, LEAST_ENUMERATOR, 1 << 32)
    return plain - (1 << 32) if plain >> 31 == 1 else plain


def _by_value(value: Any) -> int:
    return number(value.value)


_enum_number: Callable[[Any], int] = _by_value if RULES.enum_arguments == "value" else int


def _ranged(plain: int, name: str, low: int, end: int) -> int:
    if (plain + (1 << 63)) >> LONG_BITS:
        msg = "Python int too large to convert to C long"
        raise OverflowError(msg)
    if not low <= plain < end:
        raise OverflowError(TOO_LARGE + name)
    return plain


TWINS = {
    "cudaGraphMemAttributeType": "CUgraphMem_attribute",
    "cudaMemAllocationHandleType": "CUmemAllocationHandleType",
    "cudaMemPoolAttr": "CUmemPool_attribute",
    "cudaMemRangeAttribute": "CUmem_range_attribute",
}
"""Runtime enums that the binding reads like the equal driver enums."""
TAGS = {
    "CUresult": "cudaError_enum",
    "CUkernelNodeAttrID": "CUlaunchAttributeID_enum",
    "CUstreamAttrID": "CUlaunchAttributeID_enum",
    "cudaError_t": "cudaError",
    "cudaKernelNodeAttrID": "cudaLaunchAttributeID",
    "cudaStreamAttrID": "cudaLaunchAttributeID",
}
"""Enums whose C tag differs from their name."""
TOO_LARGE = "value too large to convert to "


def coercions(read: Callable[[Any], int]) -> dict[str, Callable[[Any], int]]:
    """Return the coercions of C integer types by name; ``read`` gives the int."""
    return {
        "unsigned char": unsigned("unsigned char", 8, read),
        "unsigned short": unsigned("unsigned short", 16, read),
        "unsigned int": unsigned("unsigned int", 32, read),
        "unsigned long": unsigned("unsigned long", 64, read),
        "uint32_t": unsigned("uint32_t", 32, read),
        "uint64_t": unsigned("uint64_t", 64, read),
        "size_t": unsigned("size_t", 64, read),
        "unsigned long long": unsigned("unsigned PY_LONG_LONG", 64, read),
        "int": lambda value: _ranged(read(value), "int", -(1 << 31), 1 << 31),
        "char": lambda value: _ranged(read(value), "char", -128, 128),
        "long": lambda value: _ranged(read(value), "long", -(1 << 63), 1 << 63),
    }


INTEGERS = coercions(number)
"""The integer coercions of cuda.bindings."""
ULL = INTEGERS["unsigned long long"]
signed = INTEGERS["int"]


def handle(value: Any) -> int:
    """Return a handle or device pointer as an int; None is 0."""
    return 0 if value is None else ULL(value)


def flags(value: Any) -> int:
    """Return a cuuint64_t as an int; None is 0."""
    return 0 if value is None else INTEGERS["uint64_t"](value)


def value32(value: Any) -> int:
    """Return a cuuint32_t as an int; None is 0."""
    return 0 if value is None else INTEGERS["uint32_t"](value)


def device(value: Any) -> int:
    """Return a CUdevice as an int; None is 0."""
    return 0 if value is None else signed(value)


def member(name: str, known: frozenset[int]) -> Callable[[Any], int]:
    """Return the coercion of an enum that the binding reads by ``.value``.

    Members not in ``known`` are refused.
    """

    def convert(value: Any) -> int:
        known_member(value, name, known)
        return _enumerator(_enum_number(value), name)

    return convert


def numbered(name: str, known: frozenset[int]) -> Callable[[Any], int]:
    """Return the coercion of an enum that is first read as a number.

    Then it is read as by :func:`member`.
    """

    def convert(value: Any) -> int:
        plain = _enumerator(_enum_number(value), name)
        known_member(value, name, known)
        return plain

    return convert


def known(name: str) -> frozenset[int]:
    """Return the members of an enum that the binding can read or write."""
    name = TWINS.get(name, name)
    most = RULES.attributes.get(name, 1 << 32)
    return frozenset(value for label, value in ENUMS[name].items() if not label.endswith("_MAX") and value <= most)


def readable(name: str) -> frozenset[int] | None:
    """Return the members of an enum that the binding can read; None if it can read all of them."""
    most = RULES.attributes.get(TWINS.get(name, name))
    return None if most is None or max(ENUMS[TWINS.get(name, name)].values()) <= most else known(name)


def known_member(value: Any, name: str, known: frozenset[int]) -> int:
    """Return the number of a member of an enum.

    Raises:
        TypeError: The binding does not know the member.
    """
    plain = _enumerator(number(value.value), name)
    if plain not in known:
        msg = f"Unsupported attribute: {value.name}"
        raise TypeError(msg)
    return plain
