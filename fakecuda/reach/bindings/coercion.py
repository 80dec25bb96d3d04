"""The coercions of cuda.bindings, in Python.

How its compiled module reads arguments.
For an argument that the compiled module refuses, they raise the same exception with the same text. Where its releases
differ, importing this module chooses the coercion of the installed release.
"""

from __future__ import annotations

import ctypes
import struct
from itertools import islice
from typing import TYPE_CHECKING, Any

from fakecuda.model.code.image import image_at, sized_at
from fakecuda.model.memory.space import bytes_at
from fakecuda.reach.bindings.installed import INSTALLED, PACKAGE, RULES
from fakecuda.reach.bindings.pointer_checks import followed
from fakecuda.spec import launch_config as launch_configs
from fakecuda.spec import mem_ops, resources, stream_values
from fakecuda.spec import restore_args as restores
from fakecuda.spec.driver import ENUMS
from fakecuda.spec.sizes import POOL_SIZES

if TYPE_CHECKING:
    from collections.abc import Callable

LONG_BITS = 64
HEAP_TYPE = 1 << 9
DIGIT_BITS = 30
"""Number of bits of a Python int's digit. A negative enum value with more than one digit is refused."""

# Integers.


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


def unsigned(name: str, bits: int) -> Callable[[Any], int]:
    """Return the coercion to an unsigned C type with a name and a number of bits."""

    def convert(value: Any) -> int:
        plain = number(value)
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


def signed(value: Any) -> int:
    """Return the argument as a C int."""
    return _ranged(number(value), "int", -(1 << 31), 1 << 31)


def enumerator(name: str) -> Callable[[Any], int]:
    """Return the coercion to a C enum: its number, which must fit into four bytes."""

    def convert(value: Any) -> int:
        return _enumerator(_enum_number(value), name)

    return convert


def _enumerator(plain: int, name: str) -> int:
    runtime = name.startswith("cuda")
    shown = f"enum {TAGS.get(name, name)}" if runtime else RULES.enum_names.format(TAGS.get(name, f"{name}_enum"))
    plain = _ranged(plain, shown, 1 - (1 << DIGIT_BITS), 1 << 32)
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
"""Enums of the runtime API that the binding reads like those of the driver API, which have the same numbers."""
TAGS = {
    "CUresult": "cudaError_enum",
    "CUkernelNodeAttrID": "CUlaunchAttributeID_enum",
    "CUstreamAttrID": "CUlaunchAttributeID_enum",
    "cudaError_t": "cudaError",
    "cudaKernelNodeAttrID": "cudaLaunchAttributeID",
    "cudaStreamAttrID": "cudaLaunchAttributeID",
}
"""Enums whose tag in C is not their name, with ``_enum`` behind it in the driver API."""
TOO_LARGE = "value too large to convert to "
INTEGERS: dict[str, Callable[[Any], int]] = {
    "unsigned char": unsigned("unsigned char", 8),
    "unsigned short": unsigned("unsigned short", 16),
    "unsigned int": unsigned("unsigned int", 32),
    "unsigned long": unsigned("unsigned long", 64),
    "uint32_t": unsigned("uint32_t", 32),
    "uint64_t": unsigned("uint64_t", 64),
    "size_t": unsigned("size_t", 64),
    "unsigned long long": unsigned("unsigned PY_LONG_LONG", 64),
    "int": signed,
    "char": lambda value: _ranged(number(value), "char", -128, 128),
    "long": lambda value: _ranged(number(value), "long", -(1 << 63), 1 << 63),
}
"""Coercions of the C integer types."""
ULL = INTEGERS["unsigned long long"]
_size = INTEGERS["size_t"]


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
        _known(value, name, known)
        return _enumerator(_enum_number(value), name)

    return convert


def numbered(name: str, known: frozenset[int]) -> Callable[[Any], int]:
    """Return the coercion of an enum that is first read as a number.

    Then it is read as by :func:`member`.
    """

    def convert(value: Any) -> int:
        plain = _enumerator(_enum_number(value), name)
        _known(value, name, known)
        return plain

    return convert


def known(name: str) -> frozenset[int]:
    """Return the members of an enum that the binding can read or write."""
    name = TWINS.get(name, name)
    most = RULES.attributes.get(name, 1 << 32)
    return frozenset(value for label, value in ENUMS[name].items() if not label.endswith("_MAX") and value <= most)


def _partly(name: str) -> frozenset[int] | None:
    """Return the members of an enum that the binding can read; None if these are all."""
    most = RULES.attributes.get(TWINS.get(name, name))
    return None if most is None or max(ENUMS[TWINS.get(name, name)].values()) <= most else known(name)


def _known(value: Any, name: str, known: frozenset[int]) -> int:
    plain = _enumerator(number(value.value), name)
    if plain not in known:
        msg = f"Unsupported attribute: {value.name}"
        raise TypeError(msg)
    return plain


# Pointers and structs.


class _Absent:
    """A class that the binding or its stand-in does not have.

    No object is an instance.
    """


Absent: Any = _Absent


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
    """Return the driver's view of a shareable handle.

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


def image(value: Any, size: int | None = None) -> bytes | None:
    """Return an image of code from its address or a buffer; None for null.

    Args:
        value: The address or the buffer.
        size: The size in bytes; None to read it from the image.
    """
    if type(value) is bytes:
        return value
    address, _held = host(value)
    if not address:
        return None
    return image_at(address) if size is None else sized_at(address, size)


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


def mem_op(item: Any) -> tuple[int, ...]:
    """Return a memory operation of a stream as a plain value."""
    return mem_ops.unpack(_mem_op_at(item.getPtr()))


def resource(item: Any) -> tuple[Any, ...]:
    """Return the resource of a texture or surface as a plain value."""
    return resources.unpack(ctypes.string_at(item.getPtr(), resources.SIZE))


def runtime_resource(item: Any) -> tuple[Any, ...]:
    """Return the resource of a texture or surface of the runtime API as a plain value."""
    content = ctypes.string_at(int(item.getPtr()), resources.USED)
    return (*resources.unpack(content, resources.RUNTIME_LAYOUTS)[:2], getattr(item, "flags", 0))


def launch_config(item: Any) -> tuple[Any, ...]:
    """Return the configuration of a launch as a plain value."""
    return launch_configs.read(ctypes.string_at(item.getPtr(), launch_configs.HEAD.size), bytes_at)


def restore_args(item: Any) -> tuple[Any, ...]:
    """Return the arguments for restoring a process as a plain value."""
    return restores.read(ctypes.string_at(item.getPtr(), restores.HEAD.size), bytes_at)


_mem_op_at = (ctypes.c_char * mem_ops.SIZE).from_address


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


def stream_value(item: Any, attribute: int) -> tuple[Any, ...]:
    """Return the value of a stream's attribute as a plain value."""
    return stream_values.unpack(attribute, (ctypes.c_char * stream_values.SIZE).from_address(item.getPtr()))


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
    readable = _partly(name)
    if readable is None:
        return whole

    def convert(values: Any, count: int) -> tuple[int, ...] | None:
        suffices(len(values), count)
        return tuple([_known(value, name, readable) for value in values]) or None

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
    readable = _partly(name)
    if readable is None:
        return sizes

    def convert(values: Any, keyword: str, count: int, attributes: Any) -> tuple[int, ...] | None:
        numbers(values, keyword)
        for attribute, value in zip(attributes, values, strict=False):
            _size(value)
            _known(attribute, name, readable)
        return sizes(values, keyword, count, attributes)

    return convert


def word(value: Any, attribute: Any, known: frozenset[int]) -> int:
    """Return the four bytes that the driver reads of an attribute's new value.

    Args:
        value: The value.
        attribute: The CUpointer_attribute.
        known: The attributes that the binding can set.

    Raises:
        TypeError: The binding cannot set the attribute or use the value. Other exceptions are passed on.
    """
    kind = WORDS.get(_known(attribute, "CUpointer_attribute", known))
    plain = kind(value) if kind else ctypes.c_uint32.from_address(value.getPtr()).value
    return plain & 0xFFFFFFFF


def size_word(value: Any) -> int:
    """Return what the driver reads of a new value of an attribute that is a size."""
    return ctypes.c_uint64.from_address(value.getPtr()).value


def pool_word(value: Any, attribute: int) -> int:
    """Return what the driver reads of a pool attribute's new value.

    Args:
        value: The value.
        attribute: The CUmemPool_attribute.
    """
    if attribute in POOL_SIZES:
        return size_word(value)
    return INTEGERS["unsigned int"](value) if attribute == POOL_HANDLE_TYPES else signed(value)


POOL_HANDLE_TYPES = ENUMS["CUmemPool_attribute"]["CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES"]
WORDS: dict[int, Callable[[Any], int]] = {
    ENUMS["CUpointer_attribute"][f"CU_POINTER_ATTRIBUTE_{label}"]: kind
    for kind, labels in {
        bool: "SYNC_MEMOPS IS_MANAGED IS_LEGACY_CUDA_IPC_CAPABLE MAPPED IS_HW_DECOMPRESS_CAPABLE",
        INTEGERS["unsigned int"]: "MEMORY_TYPE IS_GPU_DIRECT_RDMA_CAPABLE ACCESS_FLAGS",
        INTEGERS["size_t"]: "RANGE_SIZE MAPPING_SIZE",
        ULL: "HOST_POINTER BUFFER_ID MEMORY_BLOCK_ID",
        signed: "LOCALITY_DOMAIN_ORDINAL",
    }.items()
    for label in labels.split()
} | {
    ENUMS["CUpointer_attribute"][f"CU_POINTER_ATTRIBUTE_{label}"]: INTEGERS[kind]
    for label, kind in RULES.pointer_values.items()
}
"""Coercions of values by attribute. For other attributes the driver reads the memory of the object."""
