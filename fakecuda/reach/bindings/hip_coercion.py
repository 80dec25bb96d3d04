"""hip-python's conversion of arguments and results, for ``generated/hip.py``."""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError
from fakecuda.model.memory.space import WRITE
from fakecuda.reach.bindings import integers
from fakecuda.reach.bindings.hip_classes import hip_binding, types
from fakecuda.reach.bindings.pointer_checks import followed, text_at
from fakecuda.spec import hip_memory
from fakecuda.spec import mem_ops as operations
from fakecuda.spec.hip_memory import MOST, mem_ops_at

if TYPE_CHECKING:
    from collections.abc import Callable
    from enum import IntEnum


def _number(value: Any) -> int:
    """Return the int that hip-python reads from an argument from Python 3.12 on."""
    if isinstance(value, str | bytes):
        msg = "an integer is required"
        raise TypeError(msg)
    return int(value)


INTEGERS = integers.coercions(_number) if sys.version_info >= (3, 12) else integers.INTEGERS
"""Coercions of C integer types, by the wheel's module for this Python."""


def members(kind: type[IntEnum]) -> dict[int, IntEnum]:
    """Return the members of an enum, by number."""
    return {int(member): member for member in kind}


ERRORS = members(hip_binding.hipError_t)
ANSWERS = {code: (member,) for code, member in ERRORS.items()}
"""Answers of calls without results, by code."""
Pointer, DeviceArray, CStr = types.Pointer, types.DeviceArray, types.CStr
ListOfUnsigned = types.ListOfUnsigned
_texts: dict[bytes, Any] = {}


def address(value: Any) -> int:
    """Return the address of an argument: None, a number, a pointer or a buffer."""
    if value.__class__.__base__ is ctypes.Array:  # the most frequent buffer
        return ctypes.addressof(value)
    return int(Pointer.fromObj(value))


def handle(kind: type) -> Callable[[Any], int]:
    """Return the coercion of a handle class.

    It accepts an instance, or anything that makes a pointer.
    """

    def convert(value: Any) -> int:
        return int(kind.fromObj(value))  # type: ignore[attr-defined] # every class has it

    return convert


def enumerator(name: str) -> Callable[[Any, str], int]:
    """Return the coercion of an enum.

    It accepts its members, and members of an enum with the same base.
    """
    base = getattr(hip_binding, name).__mro__[1]

    def convert(value: Any, label: str) -> int:
        if not isinstance(value, base):
            msg = f"argument '{label}' must be of type '{base.__name__}'"
            raise TypeError(msg)
        return int(value)

    return convert


def struct(kind: type, plain: Callable[[int], Any]) -> Callable[[Any], Any]:
    """Return the coercion of a struct: an instance of its class, or an address.

    The result is None for null.

    Args:
        kind: The class.
        plain: Reads the plain value at an address.
    """
    size = kind().c_sizeof()

    def convert(value: Any) -> Any:
        held: Any = value if value.__class__ is kind else kind.fromObj(value)  # type: ignore[attr-defined] # every class has it
        where = int(held)
        if where and held is not value:
            followed(where, size)
        return plain(where) if where else None

    return convert


def array(kind: type, plain: Callable[[int], Any], size: int) -> Callable[[Any, int], Any]:
    """Return the coercion of an array of structs, given by the first one's address.

    The result is None for null.
    """

    def convert(value: Any, count: int) -> Any:
        held: Any = value if value.__class__ is kind else kind.fromObj(value)  # type: ignore[attr-defined] # every class has it
        where, length = int(held), size * min(count, MOST)
        if where and length > 0:
            followed(where, length)
        return tuple(map(plain, range(where, where + length, size))) if where else None

    return convert


def numbers(value: Any, count: int) -> tuple[int, ...] | None:
    """Return 32-bit numbers, from a list or from the first one's address.

    The result is None for null.
    """
    held = ListOfUnsigned.fromObj(value)
    return _words(int(held), count, ctypes.c_uint32)


def _words(where: int, count: int, kind: type[ctypes.c_uint32 | ctypes.c_uint64]) -> tuple[int, ...] | None:
    """Return numbers from the first one's address; None for null."""
    if not where or count <= 0:
        return () if where else None
    many = kind * min(count, MOST)
    followed(where, ctypes.sizeof(many))
    return tuple(many.from_address(where))


_lists: list[Any] = []


def listed(value: Any) -> int:
    """Return an address for 32-bit results. The caller's list does not receive them."""
    held = ListOfUnsigned.fromObj(value)
    if not isinstance(value, list | tuple) or not int(held):
        _lists[:] = [held]
        return int(held)
    _lists[:] = [(ctypes.c_uint32 * MOST)()]  # the list may be shorter than the results
    return ctypes.addressof(_lists[0])


def mem_ops(value: Any, count: int) -> tuple[tuple[int, ...], ...] | None:
    """Return memory operations, from the first one's address; None for null."""
    where, length = address(value), operations.SIZE * min(count, MOST)
    if where and length > 0:
        followed(where, length)
    return mem_ops_at(where, count)


def number_at(where: int) -> int | None:
    """Return the int at an address; None for null."""
    if where:
        followed(where, ctypes.sizeof(ctypes.c_int))
    return hip_memory.number_at(where)


def word(where: int, attribute: int) -> int | None:
    """Return the pool attribute at an address; None for null."""
    if where:
        followed(where, _width(attribute))
    return hip_memory.word(where, attribute)


def put_attribute(where: int, value: int, attribute: int) -> None:
    """Write a pointer attribute to an address."""
    followed(where, ctypes.sizeof(hip_memory.ATTRIBUTES.get(attribute, ctypes.c_int)), WRITE)
    hip_memory.put_attribute(where, value, attribute)


def put_int(where: int, value: int, attribute: int = 0) -> None:
    """Write an int to an address."""
    followed(where, ctypes.sizeof(ctypes.c_int), WRITE)
    hip_memory.put_int(where, value, attribute)


def put_numbers(where: int, value: int | tuple[int, ...]) -> None:
    """Write one or several 32-bit numbers to an address."""
    followed(where, ctypes.sizeof(ctypes.c_int) * (len(value) if isinstance(value, tuple) else 1), WRITE)
    hip_memory.put_numbers(where, value)


def put_word(where: int, value: int, attribute: int) -> None:
    """Write a pool attribute to an address."""
    followed(where, _width(attribute), WRITE)
    hip_memory.put_word(where, value, attribute)


def _width(attribute: int) -> int:
    """Return the size of a pool attribute in bytes."""
    return ctypes.sizeof(ctypes.c_int if attribute < hip_memory.POOL_SIZES else ctypes.c_uint64)


def by_value(plain: Any, label: str) -> Any:
    """Return a struct that C takes by value.

    Raises:
        FakeCudaError: The struct is null.
    """
    if plain is None:
        msg = f"argument '{label}' is null, but is passed by value: hip-python would crash; pass a struct"
        raise FakeCudaError(msg)
    return plain


def pointers(value: Any, count: int) -> tuple[int, ...] | None:
    """Return an array of addresses, from a list or from the first one's address.

    The result is None for null.
    """
    if isinstance(value, list | tuple):
        return tuple(address(one) for one in value[:count])
    return _words(address(value), count, ctypes.c_uint64)


def unset(count: int) -> tuple[int, ...]:
    """Return an array without an argument.

    hip-python passes an uninitialised variable there.
    """
    return (0,) * min(count, MOST)


def memory(value: int, size: int) -> Any:
    """Return a result that is new device memory; None for null."""
    if not value:
        return None
    made = DeviceArray(value)
    made.configure(_force=True, shape=(size,))
    return made


def text(value: bytes) -> Any:
    """Return a result that is a text. The text is kept as long as the program runs."""
    found = _texts.get(value)
    if found is None:
        buffer = ctypes.create_string_buffer(value)
        found = _texts[value] = (CStr(ctypes.c_void_p(ctypes.addressof(buffer))), buffer)
    return found[0]


def encoded(value: Any) -> bytes | None:
    """Return the bytes of a text argument: a text, a buffer or an address.

    The result is None for null.
    """
    if value.__class__ is bytes:
        found: bytes = value.partition(b"\0")[0]
        return found
    if isinstance(value, int) and -(1 << 63) <= value < 1 << 64:  # hip-python's class would read there at once
        where = value & (1 << 64) - 1
    else:
        held = CStr.fromObj(value)
        where = int(held)
    return text_at(where) if where else None
