"""Host memory: addresses, buffers, texts, code images and kernel arguments."""

from __future__ import annotations

import ctypes
import struct
from itertools import islice
from typing import TYPE_CHECKING, Any

from fakecuda.model.code.image import image_at
from fakecuda.reach.bindings.installed import INSTALLED, PACKAGE, RULES
from fakecuda.reach.bindings.integers import ULL
from fakecuda.reach.bindings.pointer_checks import followed
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable

HEAP_TYPE = 1 << 9


class _Buffer(ctypes.Structure):
    """Py_buffer."""

    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("rest", ctypes.c_ssize_t * 10),
    )


ANY_CONTIGUOUS = 0x98
_get = ctypes.pythonapi.PyObject_GetBuffer
_get.argtypes = (ctypes.py_object, ctypes.c_void_p, ctypes.c_int)
_release = ctypes.pythonapi.PyBuffer_Release
_release.argtypes = (ctypes.c_void_p,)
_release.restype = None


class Held:
    """A buffer that is held while a call uses its memory.

    Args:
        value: An object with the buffer protocol.

    Attributes:
        address: The first byte.

    Raises:
        ValueError: The buffer is not contiguous. Other exceptions of the object are passed on.
    """

    __slots__ = ("_view", "address")

    def __init__(self, value: Any) -> None:
        self._view = None
        view = _Buffer()
        _get(value, ctypes.addressof(view), ANY_CONTIGUOUS)
        self._view = view
        self.address: int = view.buf or 0

    def __del__(self) -> None:
        if self._view is not None:
            _release(ctypes.addressof(self._view))


def host(value: Any) -> tuple[int, Any]:
    """Return the address in a ``void *`` argument, and an object to keep.

    The object must stay alive during the call.

    Args:
        value: None, an object that converts to an int, or an object with the buffer protocol.

    Raises:
        TypeError: The value has another type.
        ValueError: The buffer is not contiguous.
    """
    if value is None:
        return 0, None
    if type(value) is bytes:
        text_pointer = ctypes.c_char_p(value)
        return ctypes.c_void_p.from_buffer(text_pointer).value or 0, text_pointer
    if hasattr(type(value), "__int__") and (found := _address(value)) is not None:
        return found, None
    try:
        held = ctypes.c_char.from_buffer(value)
    except (TypeError, ValueError):
        # A read-only, empty or otherwise ordered buffer; or not a buffer.
        if _has_buffer(value):
            buffer = Held(value)
            return buffer.address, buffer
    else:
        return ctypes.addressof(held), held
    msg = (
        f"Provided argument is of type {type(value)} but expected Type {RULES.address_types} or object with "
        "Buffer Protocol"
    )
    raise TypeError(msg)


def _converted(value: Any) -> int | None:
    """Return the int of an address, or None.

    After any failure the binding tries the buffer protocol.
    """
    try:
        return ULL(value)
    except Exception:  # noqa: BLE001 - the object may raise any exception
        return None


def _given_as_int(value: Any) -> int | None:
    """Return an address that is an int or a device pointer; otherwise None."""
    return ULL(value) if isinstance(value, int | INSTALLED.CUdeviceptr) else None


_address: Callable[[Any], int | None] = _given_as_int if RULES.addresses == "int" else _converted


def shared(address: int, handle_type: int) -> int | bytes:
    """Return the driver's form of a shareable handle.

    This is the bytes of a fabric handle, or a descriptor.
    """
    if handle_type == FABRIC and address:
        followed(address, FABRIC_SIZE)
        return ctypes.string_at(address, FABRIC_SIZE)
    return ctypes.c_int(address & 0xFFFFFFFF).value


FABRIC = ENUMS["CUmemAllocationHandleType"]["CU_MEM_HANDLE_TYPE_FABRIC"]
FABRIC_SIZE = 64
_has_buffer: Callable[[Any], int] = ctypes.pythonapi.PyObject_CheckBuffer
_has_buffer.argtypes = (ctypes.py_object,)  # type: ignore[attr-defined]


def text(value: Any) -> bytes:
    """Return a ``char *`` argument up to its NUL.

    Raises:
        TypeError: The value is neither bytes nor bytearray.
    """
    if not isinstance(value, bytes | bytearray):
        msg = f"expected bytes, {type_name(type(value))} found"
        raise TypeError(msg)
    return bytes(value).partition(b"\0")[0]


def type_name(kind: type) -> str:
    """Return a type's name as C code shows it.

    It has its module if the type was made in C.
    """
    compiled = not kind.__flags__ & HEAP_TYPE or (kind.__module__.startswith(PACKAGE) and not issubclass(kind, int))
    return f"{kind.__module__}.{kind.__name__}" if compiled and kind.__module__ != "builtins" else kind.__name__


def image(value: Any) -> bytes | None:
    """Return an image of code from its address or a buffer; None for null."""
    if type(value) is bytes:
        return value
    address, _held = host(value)
    if not address:
        return None
    return image_at(address)


def jit_values(values: Any, count: int) -> tuple[tuple[int, ...] | None, list[Any]]:
    """Return the values of JIT options, and objects to keep alive during the call.

    A value is a number or the address of a buffer; otherwise it is 0.
    """
    if values is None:
        return None, []
    kept = []
    told = []
    for value in islice(values, count):
        number_or_place = struct.unpack("<I", struct.pack("<f", value))[0] if isinstance(value, float) else value
        place, held = host(number_or_place)
        told.append(place)
        kept.append(held)
    return tuple(told), kept


def kernel_params(value: Any) -> tuple[int, Any]:
    """Return the address of the pointers to a kernel's arguments.

    Also return objects to keep alive during the call.

    Args:
        value: The address, a buffer with the pointers, or a tuple of values and a tuple of their ctypes.

    Raises:
        TypeError: The value has another type, or a value has no type.
    """
    if not isinstance(value, tuple):
        return host(value)
    values, types = value
    if len(values) != len(types):
        msg = "Argument 'kernelParams' has tuples with different length"
        raise TypeError(msg)
    made = [_argument(*one) for one in zip(values, types, strict=True)]
    places = (ctypes.c_void_p * max(len(made), 1))(*[place for place, _ in made])
    return ctypes.addressof(places), (places, made)


def _argument(value: Any, kind: Any) -> tuple[int, Any]:
    """Return the address of an argument, and the object that holds it."""
    if kind is None and callable(getattr(value, "getPtr", None)):
        return value.getPtr(), value
    if kind is None:
        if not isinstance(value, ctypes.Structure):
            msg = (
                f"Provided argument is of type {type(value)} but expected Type {type(ctypes.Structure)}, "
                f"{type(ctypes.c_void_p)} or CUDA Binding structure with getPtr() attribute"
            )
            raise TypeError(msg)
        return ctypes.addressof(value), value
    if isinstance(value, kind):
        held = value
    else:
        held = kind(int(value) if kind is ctypes.c_void_p else getattr(value, "value", value))
    return ctypes.addressof(held), held
