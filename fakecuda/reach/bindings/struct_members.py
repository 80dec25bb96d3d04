"""The members of structs as properties."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from fakecuda.reach.bindings.arrays import given, wrong_type
from fakecuda.reach.bindings.integers import INTEGERS, ULL
from fakecuda.reach.bindings.pointers import host, kernel_params

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


CTYPES: dict[str, Any] = {
    "int": ctypes.c_int,
    "char": ctypes.c_char,
    "unsigned char": ctypes.c_ubyte,
    "unsigned short": ctypes.c_ushort,
    "unsigned int": ctypes.c_uint,
    "uint32_t": ctypes.c_uint,
    "uint64_t": ctypes.c_uint64,
    "size_t": ctypes.c_size_t,
    "unsigned long long": ctypes.c_ulonglong,
    "long": ctypes.c_long,
    "float": ctypes.c_float,
}
READ_ONLY = "bytes"
IN_HEX = {READ_ONLY, "luid"}
NAME = "name"
"""A text with a terminating zero."""


@frozen
class Shapes:
    """The struct classes of a module of cuda.bindings.

    Attributes:
        classes: The members of each class, as pairs of type and name.
        nested: Classes whose objects exist only as members of other structs.
        unions: Classes that are unions.
        enums: The module's enums.
        enumerator: Returns the coercion of a member's new values, by the name of its enum.
        anonymous: Class names of types without a name.
        beginnings: The first bytes of new structs that are not zero, by class.
    """

    classes: dict[str, list[tuple[str, str]]]
    nested: frozenset[str]
    unions: frozenset[str]
    enums: Mapping[str, object]
    enumerator: Callable[[str], Callable[[Any], int]]
    anonymous: dict[str, str]
    beginnings: Mapping[str, bytes] = field(factory=dict)


@frozen
class Member:
    """A member of a struct.

    Attributes:
        raw: Its ctypes type.
        access: The property for reading and writing it.
        shown: Returns the text for its value.
    """

    raw: Any
    access: property
    shown: Callable[[Any], str] = repr


def member_of(kind: str, label: str, length: int, find: Callable[[str], Any], shapes: Shapes) -> Member:
    """Return a member of a struct.

    Args:
        kind: Its type in the description.
        label: Its name.
        length: How many items an array has. 0 if it is no array.
        find: Returns a class of the module by its name.
        shapes: The struct classes of the module.
    """
    if label == NAME:
        return Member(ctypes.c_char * length, _string(label, length), _decoded)
    if kind in {"char", "unsigned char"} and length:
        return Member(CTYPES[kind] * length, _text(label, length), bytes.hex if label in IN_HEX else repr)
    if kind == "void*":
        return Member(ctypes.c_void_p, _address(label), hex)
    if kind == "void**":
        return Member(ctypes.c_void_p, _places(label))
    if kind.endswith("*"):
        return Member(ctypes.c_void_p, _list(label))
    if kind in shapes.classes:
        made = find(kind)
        return Member(made.layout, _nested(label, made))
    if kind in shapes.enums and length:
        made, convert = find(kind), shapes.enumerator(kind)
        return Member(ctypes.c_uint * length, _enums(label, length, convert, made))
    if kind == "float" and length:
        return Member(ctypes.c_float * length, _array(label, length, float, float))
    if kind in shapes.enums:
        return Member(ctypes.c_uint, _enum(label, find(kind), shapes.enumerator(kind)))
    if kind == "float":
        return Member(ctypes.c_float, _float(label))
    if kind in INTEGERS:
        raw, convert, made = CTYPES[kind], INTEGERS[kind], int
    else:
        made = find(kind)
        raw, convert = CTYPES[made.kind], lambda value: int(made(value))
    if length:
        return Member(raw * length, _array(label, length, convert, made))
    if made is not int:
        return Member(raw, _number(label, lambda value: 0 if value is None else convert(value), made))
    return Member(raw, _number(label, convert, made))


def _number(label: str, convert: Callable[[Any], int], made: Callable[[int], Any]) -> property:
    def write(self: Any, value: Any) -> None:
        setattr(self._raw, label, convert(value))

    return property(lambda self: made(getattr(self._raw, label)), write)


def _float(label: str) -> property:
    def write(self: Any, value: Any) -> None:
        setattr(self._raw, label, value)

    return property(lambda self: getattr(self._raw, label), write)


def _enum(label: str, kind: Any, convert: Callable[[Any], int]) -> property:
    def write(self: Any, value: Any) -> None:
        given(value, label)
        setattr(self._raw, label, convert(value))

    return property(lambda self: kind(getattr(self._raw, label)), write)


def _array(label: str, length: int, convert: Callable[[Any], float], made: Callable[[Any], Any]) -> property:
    def write(self: Any, value: Any) -> None:
        getattr(self._raw, label)[:] = [convert(item) for item in _as_many(value, length)]

    return property(lambda self: [made(item) for item in getattr(self._raw, label)], write)


def _enums(label: str, length: int, convert: Callable[[Any], int], made: Callable[[int], Any]) -> property:
    """Return the property for a list of enum members.

    All are converted before they are counted.
    """

    def write(self: Any, value: Any) -> None:
        getattr(self._raw, label)[:] = _as_many([convert(item) for item in value], length)

    return property(lambda self: [made(item) for item in getattr(self._raw, label)], write)


def _as_many(value: Any, length: int) -> list[Any]:
    items = list(value)
    if len(items) != length:
        few = f"not enough values found during array assignment, expected {length}, got {len(items)}"
        many = f"too many values found during array assignment, expected {length}"
        raise IndexError(few if len(items) < length else many)
    return items


def _string(label: str, length: int) -> property:
    """Return the property for a text with a terminating zero.

    The text is read up to the zero and written in full.
    """

    def write(self: Any, value: Any) -> None:
        letters = [INTEGERS["char"](item) & 0xFF for item in _as_many(value, length)]
        ctypes.memmove(self.getPtr() + getattr(self.layout, label).offset, bytes(letters), length)

    return property(lambda self: getattr(self._raw, label), write)


def _decoded(text: bytes) -> str:
    try:
        return text.decode()
    except ValueError:
        return "<ValueError>"


def _text(label: str, length: int) -> property:
    def place(self: Any) -> int:
        return int(self.getPtr()) + int(getattr(self.layout, label).offset)

    def write(self: Any, value: Any) -> None:
        if len(value) != length:
            msg = f"{label} length must be {length}, is {len(value)}"
            raise ValueError(msg)
        ctypes.memmove(place(self), bytes(value), length)

    return property(lambda self: ctypes.string_at(place(self), length), None if label == READ_ONLY else write)


def _address(label: str) -> property:
    def write(self: Any, value: Any) -> None:
        address, self._kept[label] = host(value)
        setattr(self._raw, label, address)

    return property(lambda self: getattr(self._raw, label) or 0, write)


def _places(label: str) -> property:
    """Return the property for a pointer to pointers.

    It takes a number, or a kernel's arguments as for a launch.
    """

    def write(self: Any, value: Any) -> None:
        if label == "kernelParams" and not isinstance(value, int):
            plain = value is None or isinstance(value, tuple)
            address, self._kept[label] = kernel_params(value if plain else memoryview(value))
        else:
            address = ULL(value)
        setattr(self._raw, label, address)

    return property(lambda self: getattr(self._raw, label) or 0, write)


def _list(label: str) -> property:
    """Return the property for a pointer to structs.

    It takes a list, whose structs are copied into an array.
    """

    def write(self: Any, value: Any) -> None:
        data = b"".join(ctypes.string_at(item.getPtr(), ctypes.sizeof(item.layout)) for item in value)
        self._kept[label] = (list(value), ctypes.create_string_buffer(data, len(data)))
        setattr(self._raw, label, ctypes.addressof(self._kept[label][1]) if len(value) else 0)

    return property(lambda self: self._kept.get(label, ([], None))[0], write)


def _nested(label: str, kind: Any) -> property:
    def read(self: Any) -> Any:
        if label not in self._kept:
            view = self._kept[label] = kind(self.getPtr() + getattr(self.layout, label).offset)
            view._kept[""] = self  # noqa: SLF001 - the memory belongs to the whole struct
        return self._kept[label]

    def write(self: Any, value: Any) -> None:
        if not isinstance(value, kind):
            raise wrong_type(value, label, kind)
        ctypes.memmove(read(self).getPtr(), value.getPtr(), ctypes.sizeof(kind.layout))

    return property(read, write)
