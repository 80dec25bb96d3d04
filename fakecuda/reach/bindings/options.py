"""JIT options.

The values that the binding accepts, and its refusals before the driver is called.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from fakecuda.reach.bindings.arrays import listed, suffices
from fakecuda.reach.bindings.integers import INTEGERS, signed
from fakecuda.reach.bindings.pointers import host, text

if TYPE_CHECKING:
    from collections.abc import Callable

WORD = (1 << 64) - 1
unsigned = INTEGERS["unsigned int"]


def _real(value: Any) -> tuple[int, Any]:
    """Return the integer part of a real number, as the binding does."""
    number = float(ctypes.c_float(value).value)
    return int(number) & WORD if number == number and abs(number) < WORD else 0, None  # noqa: PLR0124 - NaN


def _text(value: Any) -> tuple[int, Any]:
    """Return the address of bytes into which the driver writes a log."""
    text(value)
    return host(value)


def _member(value: Any) -> tuple[int, Any]:
    """Return the number of a member of an enum."""
    return signed(value.value) & WORD, None


def _names(value: Any) -> tuple[int, Any]:
    """Return the address of an array of names."""
    names = [text(name) for name in value]
    made = (ctypes.c_char_p * max(len(names), 1))(*names)
    return ctypes.addressof(made), (made, names)


def _addresses(value: Any) -> tuple[int, Any]:
    """Return the address of an array of addresses."""
    places = [host(one) for one in value]
    made = (ctypes.c_void_p * max(len(places), 1))(*[place for place, _ in places])
    return ctypes.addressof(made), (made, places)


TAKES: dict[str, Callable[[Any], tuple[int, Any]]] = {
    "unsigned": lambda value: (unsigned(value), None),
    "signed": lambda value: (signed(value) & WORD, None),
    "real": _real,
    "text": _text,
    "member": _member,
    "names": _names,
    "addresses": _addresses,
    "struct": lambda value: (value.getPtr(), value),
}
"""By kind of value, a function that returns the value's word and its object."""
KINDS = {
    "unsigned": """
        CU_JIT_MAX_REGISTERS CU_JIT_THREADS_PER_BLOCK CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
        CU_JIT_OPTIMIZATION_LEVEL CU_JIT_TARGET_FROM_CUCONTEXT CU_JIT_GLOBAL_SYMBOL_COUNT CU_JIT_REFERENCED_KERNEL_COUNT
        CU_JIT_REFERENCED_VARIABLE_COUNT CU_JIT_MIN_CTA_PER_SM CU_JIT_SPLIT_COMPILE CU_JIT_BINARY_LOADER_THREAD_COUNT
        CU_LIBRARY_BINARY_IS_PRESERVED
    """,
    "signed": """
        CU_JIT_GENERATE_DEBUG_INFO CU_JIT_LOG_VERBOSE CU_JIT_GENERATE_LINE_INFO CU_JIT_LTO CU_JIT_FTZ CU_JIT_PREC_DIV
        CU_JIT_PREC_SQRT CU_JIT_FMA CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES CU_JIT_POSITION_INDEPENDENT_CODE
        CU_JIT_MAX_THREADS_PER_BLOCK CU_JIT_OVERRIDE_DIRECTIVE_VALUES
    """,
    "real": "CU_JIT_WALL_TIME",
    "text": "CU_JIT_INFO_LOG_BUFFER CU_JIT_ERROR_LOG_BUFFER",
    "member": "CU_JIT_TARGET CU_JIT_FALLBACK_STRATEGY CU_JIT_CACHE_MODE",
    "names": "CU_JIT_GLOBAL_SYMBOL_NAMES CU_JIT_REFERENCED_KERNEL_NAMES CU_JIT_REFERENCED_VARIABLE_NAMES",
    "addresses": "CU_JIT_GLOBAL_SYMBOL_ADDRESSES",
    "struct": "CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE",
}
"""JIT options by the kind of their value; the binding refuses other options."""
BY_OPTION = {name: TAKES[kind] for kind, names in KINDS.items() for name in names.split()}


def options(names: Any, values: Any, count: int, *, of_library: bool = False) -> tuple[Any, Any, Any]:
    """Return JIT options and their values in the form of a call.

    Also return objects to keep alive during the call.

    Args:
        names: Members of the options' enum.
        values: Their values; None is an empty list.
        count: The number of options that the call reads.
        of_library: Whether they are a library's options. There the binding checks the values before their number.

    Raises:
        RuntimeError: There are fewer options or values than ``count``.
        TypeError: A value does not suit its option, or the option is not supported.
    """
    values = [] if values is None else values
    made = [_value(name, value) for name, value in zip(names, values, strict=False)] if of_library else []
    suffices(len(names), count)
    suffices(len(values), count)
    if not of_library:
        made = [_value(name, value) for name, value in zip(names, values, strict=False)]
    words = tuple(word for word, _ in made)[:count]
    return listed(names, count), words or (() if made else None), made


def _value(option: Any, value: Any) -> tuple[int, Any]:
    take = BY_OPTION.get(option.name)
    if take is None:
        msg = f"Unsupported attribute: {option.name}"
        raise TypeError(msg)
    return take(value)
