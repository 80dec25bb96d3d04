"""Objects and arrays: which classes the binding accepts, and how many members of an array it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.reach.bindings.installed import RULES
from fakecuda.reach.bindings.integers import INTEGERS, LONG_BITS, known_member, readable
from fakecuda.reach.bindings.pointers import host, type_name

if TYPE_CHECKING:
    from collections.abc import Callable

_size = INTEGERS["size_t"]


class _Absent:
    """A class that the binding or its stand-in does not have.

    No object is an instance.
    """


Absent: Any = _Absent


def given(value: Any, keyword: str) -> None:
    """Refuse None for an argument that the binding declares ``not None``.

    Raises:
        TypeError: The value is None.
    """
    if value is None:
        msg = f"Argument '{keyword}' must not be None"
        raise TypeError(msg)


def wrong_type(value: Any, keyword: str, expected: type) -> TypeError:
    """Return the exception for a struct argument of a wrong class."""
    wanted, got = f"{expected.__module__}.{expected.__name__}", type_name(type(value))
    return TypeError(f"Argument '{keyword}' has incorrect type (expected {wanted}, got {got})")


def structs(values: Any, keyword: str, kind: Any, *others: Any) -> Any:
    """Return an argument that is an array of structs.

    Some releases also accept a single struct. None is an empty array.

    Args:
        values: The argument.
        keyword: The argument's name.
        kind: The class.
        others: Classes of the driver API that are accepted, too.

    Raises:
        TypeError: The argument is not iterable, or an item has another class.
    """
    if keyword in RULES.single_structs:
        if values is not None and not isinstance(values, kind):
            raise wrong_type(values, keyword, kind)
        return values
    after = ",".join(f"driver.{other.__name__}" for other in others)
    return _all_of(values, keyword, (kind, *others), f",{after}")


def _all_of(values: Any, keyword: str, kinds: tuple[Any, ...], after: str = "") -> Any:
    """Return an array whose items all have accepted classes.

    ``after`` is added to the class name in a refusal.
    """
    if values is None:
        return []
    for value in values:
        if not isinstance(value, kinds):
            raise _no_array(keyword, _cython_name(kinds[0]) + after)
    return values


def _cython_name(kind: type) -> str:
    return f"cy{kind.__module__.rpartition('.')[2]}.{kind.__name__}"


def _no_array(keyword: str, of: str) -> TypeError:
    wanted = " or ".join([f"{name}[{of}]" for name in RULES.sequences])
    return TypeError(f"Argument '{keyword}' is not instance of type (expected {wanted}")


def counted(values: Any, count: int, plain: Callable[[Any], Any]) -> tuple[Any, ...] | None:
    """Return the first ``count`` structs of an array as plain values.

    The result is None for an empty array.

    Raises:
        RuntimeError: There are fewer structs.
    """
    length = len(values)
    if length == 1 == count:
        return (plain(values[0]),)
    items = [values[index] for index in range(length)]
    suffices(length, count)
    return tuple([plain(item) for item in items[:count]]) if items else None


def suffices(length: int, count: int) -> None:
    """Refuse an array that is shorter than its count.

    Raises:
        RuntimeError: It is shorter.
    """
    if count > length:
        msg = f"List is too small: {length} < {count}"
        raise RuntimeError(msg)


def numbers(values: Any, keyword: str) -> None:
    """Refuse an argument that is not an array of ints.

    Raises:
        TypeError: The argument is not iterable, or an item is not an int.
    """
    for value in values:
        if not isinstance(value, int):
            raise _no_array(keyword, "int")


def plain_numbers(values: Any, count: int) -> tuple[int, ...] | None:
    """Return the first ``count`` numbers of an array as sizes.

    The result is None for an empty array.

    Raises:
        RuntimeError: There are fewer numbers.
    """
    found = _sizes(values, count)
    return found[:count] if found else None


def _sizes(values: Any, count: int) -> tuple[int, ...]:
    found = tuple([value if type(value) is int and not value >> LONG_BITS else _size(value) for value in values])
    suffices(len(found), count)
    return found


def plain_pointers(values: Any, count: int) -> tuple[int, ...] | None:
    """Return the first ``count`` device pointers of an array as ints.

    The result is None for an empty array.

    Raises:
        RuntimeError: There are fewer pointers.
    """
    return counted(values, count, int)


def addresses(values: Any) -> tuple[list[int], list[Any]]:
    """Return an array of addresses, and objects to keep alive during the call.

    Each address is read by :func:`host`.
    """
    found, kept = [], []
    for value in [] if values is None else values:
        if type(value) is int and not value >> 64:
            found.append(value)
        else:
            address, held = host(value)
            found.append(address)
            kept.append(held)
    return found, kept


def plain_addresses(values: list[int], count: int) -> tuple[int, ...] | None:
    """Return the first ``count`` addresses of an array; None for an empty array.

    Raises:
        RuntimeError: There are fewer addresses.
    """
    suffices(len(values), count)
    return tuple(values[:count]) if values else None


def enums(values: Any, keyword: str, kind: Any) -> Any:
    """Return an argument that is an array of members of an enum.

    None is an empty array.

    Raises:
        TypeError: The argument is not iterable, or an item is not a member.
    """
    return _all_of(values, keyword, (kind,))


def listed(values: Any, count: int) -> tuple[int, ...] | None:
    """Return the first ``count`` members of an array as ints; None for an empty array.

    The driver would read beyond a shorter array; these values are zero here.
    """
    plain = tuple([int(value) for value in values])[:count]
    return plain + (0,) * min(count - len(plain), 1024) if plain or (values and not count) else None


def measured(values: Any, count: int) -> tuple[int, ...] | None:
    """Return the first ``count`` members of an array.

    It is for calls whose arrays the binding measures.

    Raises:
        RuntimeError: There are fewer members.
    """
    suffices(len(values), count)
    return listed(values, count)


def room(count: int) -> None:
    """Check that the binding could allocate arrays for a number of handles.

    Raises:
        MemoryError: The binding could not allocate them.
    """
    if count >> 32:
        msg = f"Failed to allocate length x size memory: {count}x8"
        raise MemoryError(msg)


def whole(values: Any, count: int) -> tuple[int, ...] | None:
    """Return all members of an array as ints; None for an empty array.

    Raises:
        RuntimeError: There are fewer members than ``count``.
    """
    suffices(len(values), count)
    return tuple([int(value) for value in values]) or None


def whole_of(name: str) -> Callable[[Any, int], tuple[int, ...] | None]:
    """Return the coercion :func:`whole` for an enum with refused members.

    The binding refuses these members.
    """
    partly = readable(name)
    if partly is None:
        return whole

    def convert(values: Any, count: int) -> tuple[int, ...] | None:
        suffices(len(values), count)
        return tuple([known_member(value, name, partly) for value in values]) or None

    return convert


def sizes(values: Any, keyword: str, count: int, _attributes: object) -> tuple[int, ...] | None:
    """Return an argument that is an array of the sizes of attributes.

    The result is None for an empty array.

    Raises:
        TypeError: The argument is not iterable, or an item is not an int.
        RuntimeError: There are fewer sizes than ``count``.
    """
    numbers(values, keyword)
    return _sizes(values, count) or None


def sizes_of(name: str) -> Callable[[Any, str, int, Any], tuple[int, ...] | None]:
    """Return the coercion :func:`sizes` for an enum with refused members.

    The binding refuses these members.
    """
    partly = readable(name)
    if partly is None:
        return sizes

    def convert(values: Any, keyword: str, count: int, attributes: Any) -> tuple[int, ...] | None:
        numbers(values, keyword)
        for attribute, value in zip(attributes, values, strict=False):
            _size(value)
            known_member(attribute, name, partly)
        return sizes(values, keyword, count, attributes)

    return convert
