"""Memory accesses of calls through C: results, texts, attributes by width, arrays."""

from __future__ import annotations

import ctypes
import mmap
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from fakecuda.model.memory.space import Unreadable, bytes_at, mapped_access
from fakecuda.spec import launch_config, mem_ops, resources, restore_args, stream_values
from fakecuda.spec.driver import ENUMS
from fakecuda.spec.sizes import NAME, POOL_SIZES

if TYPE_CHECKING:
    from collections.abc import Callable


OWNED = 1024
"""The maximum number of arrays that the driver owns and programs may read."""


def nulls(**pointers: int) -> frozenset[str]:
    """Return the names of the result pointers that are null."""
    return frozenset(name for name, pointer in pointers.items() if not pointer)


def many(pointer: int, size: int, count: int) -> int:
    """Return the number of an array's members to read, as given by a call.

    Args:
        pointer: The address of the array.
        size: The size of a member in bytes.
        count: The number given by the call.

    Raises:
        Unreadable: The array extends beyond its first page, and not all of it is readable.
    """
    if pointer % mmap.PAGESIZE + count * size > mmap.PAGESIZE and not mapped_access(pointer, count * size):
        raise Unreadable(pointer, count * size)
    return count


@cache
def text_at(text: bytes) -> int:
    """Return the address of a C string that lives for the life of the process."""
    kept = ctypes.create_string_buffer(text)
    _texts.append(kept)
    return ctypes.addressof(kept)


_texts: list[Any] = []


def numbers_at(numbers: tuple[int, ...]) -> int:
    """Return the address of an array of 64-bit numbers that the driver owns; 0 if it is empty.

    It is valid until many newer arrays exist.
    """
    return ctypes.addressof(_numbers(numbers)) if numbers else 0


@lru_cache(OWNED)
def _numbers(numbers: tuple[int, ...]) -> Any:
    return (ctypes.c_uint64 * len(numbers))(*numbers)


def edges_at(rows: tuple[tuple[int, int, int], ...]) -> int:
    """Return the address of an array of CUgraphEdgeData.

    The driver owns the array; see :func:`numbers_at`.
    """
    return numbers_at(tuple(port | to << 8 | kind << 16 for port, to, kind in rows))


_FOUR = {
    "MEMORY_TYPE",
    "SYNC_MEMOPS",
    "IS_MANAGED",
    "DEVICE_ORDINAL",
    "IS_LEGACY_CUDA_IPC_CAPABLE",
    "MAPPED",
    "IS_GPU_DIRECT_RDMA_CAPABLE",
    "ACCESS_FLAGS",
    "IS_HW_DECOMPRESS_CAPABLE",
}
WIDE = {
    value
    for name, value in ENUMS["CUpointer_attribute"].items()
    if name.removeprefix("CU_POINTER_ATTRIBUTE_") not in _FOUR
}


def write_name(place: int, name: bytes, length: int) -> None:
    """Write a device's name as the driver does.

    Zeros fill the kept size or the rest of the buffer.

    Args:
        place: The address of the buffer.
        name: The name. It fits into the buffer.
        length: The size of the buffer in bytes; a negative number counts as a huge size.
    """
    room = NAME if length < 0 else min(length, NAME)
    ctypes.memmove(place, (name + b"\0").ljust(room, b"\0"), max(room, len(name) + 1))


def write_attribute(data: int, attribute: int, value: int | bytes) -> None:
    """Write a pointer's attribute.

    8 bytes for addresses, handles and sizes, 16 for tokens, otherwise an int.
    """
    if isinstance(value, bytes):
        ctypes.memmove(data, value, len(value))
    elif attribute in WIDE:
        ctypes.c_uint64.from_address(data).value = value
    else:
        ctypes.c_int32.from_address(data).value = value


def write_attributes(data: int, attributes: int, values: tuple[int | bytes, ...]) -> None:
    """Write pointer attributes to the addresses in an array.

    An array of attributes says which ones.
    """
    places = (ctypes.c_uint64 * len(values)).from_address(data)
    kinds = (ctypes.c_int32 * len(values)).from_address(attributes)
    for place, attribute, value in zip(places, kinds, values, strict=True):
        if place:
            write_attribute(place, attribute, value)


def read_stream_value(pointer: int, attribute: int) -> tuple[Any, ...]:
    """Return a stream attribute's value from memory."""
    return stream_values.unpack(attribute, (ctypes.c_char * stream_values.SIZE).from_address(pointer))


def write_stream_value(pointer: int, attribute: int, value: tuple[Any, ...]) -> None:
    """Write a stream attribute's value. The other bytes of the union become zero."""
    ctypes.memmove(pointer, stream_values.pack(attribute, value), stream_values.SIZE)


def write_each(write: Callable[[int, Any], None], pointer: int, size: int, values: tuple[Any, ...]) -> None:
    """Write the members of an array.

    Args:
        write: Writes a member to an address.
        pointer: The address of the array.
        size: The size of a member in bytes.
        values: The members.

    Raises:
        Unreadable: The array extends beyond its first page, and not all of it is mapped.
    """
    for number in range(many(pointer, size, len(values))):
        write(pointer + size * number, values[number])


def write_numbers(data: int, value: int | tuple[int, ...]) -> None:
    """Write an attribute of a range: one or several C ints."""
    numbers = (value,) if isinstance(value, int) else value
    (ctypes.c_int32 * len(numbers)).from_address(data)[:] = list(numbers)


def write_number_lists(data: int, values: tuple[int | tuple[int, ...], ...]) -> None:
    """Write attributes of ranges to the addresses in an array."""
    places = (ctypes.c_uint64 * len(values)).from_address(data)
    for place, value in zip(places, values, strict=True):
        if place:
            write_numbers(place, value)


def write_pool_attribute(value: int, attribute: int, plain: int) -> None:
    """Write a pool attribute: 8 bytes for sizes, otherwise an int."""
    (ctypes.c_uint64 if attribute in POOL_SIZES else ctypes.c_int32).from_address(value).value = plain


def read_pool_attribute(value: int, attribute: int) -> int | None:
    """Return a pool attribute from memory; None for a null pointer."""
    if not value:
        return None
    return int((ctypes.c_uint64 if attribute in POOL_SIZES else ctypes.c_int32).from_address(value).value)


def write_shareable(handle: int, value: int | bytes) -> None:
    """Write an exported handle: an int for a descriptor, 64 bytes for a fabric handle."""
    if isinstance(value, bytes):
        ctypes.memmove(handle, value, len(value))
    else:
        ctypes.c_int32.from_address(handle).value = value


def read_shareable(handle: int, kind: int) -> int | bytes:
    """Return an exported handle given as a pointer.

    The pointer is a descriptor or points to a fabric handle.
    """
    if kind == ENUMS["CUmemAllocationHandleType"]["CU_MEM_HANDLE_TYPE_FABRIC"] and handle:
        return ctypes.string_at(handle, 64)
    return ctypes.c_int32(handle).value


RANKS = 5
"""The maximum rank of a tensor for which the arrays are read."""


def extents(place: int, rank: int, size: int, less: int) -> tuple[int, ...] | None:
    """Return an array of a tensor map, with one member per dimension.

    Args:
        place: The address of the array; 0 for null.
        rank: The number of dimensions given by the call.
        size: The size of a member in bytes; negative for signed members.
        less: The number of dimensions without a member.

    Raises:
        Unreadable: The array is not readable.
    """
    if not place:
        return None
    kind = {4: ctypes.c_uint32, 8: ctypes.c_uint64, -4: ctypes.c_int32}[size]
    count = rank - less if less < rank <= RANKS else 0
    return tuple((kind * many(place, abs(size), count)).from_address(place))


def read_resource(place: int) -> tuple[Any, ...]:
    """Return the resource of a texture or surface."""
    return resources.unpack(ctypes.string_at(place, resources.SIZE))


def write_resource(place: int, value: tuple[Any, ...]) -> None:
    """Write the resource of a texture or surface."""
    ctypes.memmove(place, resources.pack(value), resources.SIZE)


def read_runtime_resource(place: int) -> tuple[Any, ...]:
    """Return a resource of the runtime API without flags.

    A program's struct may lack the flags.
    """
    return resources.unpack(ctypes.string_at(place, resources.USED), resources.RUNTIME_LAYOUTS)


def write_runtime_resource(place: int, value: tuple[Any, ...]) -> None:
    """Write a resource of the runtime API without flags."""
    ctypes.memmove(place, resources.pack(value, resources.RUNTIME_LAYOUTS), resources.USED)


def read_launch_config(place: int) -> tuple[Any, ...]:
    """Return the configuration of a launch, with its attributes.

    Raises:
        Unreadable: The attributes are not readable.
    """
    return launch_config.read(ctypes.string_at(place, launch_config.HEAD.size), bytes_at)


def read_restore_args(place: int) -> tuple[Any, ...]:
    """Return the arguments for restoring a process, with their pairs of GPUs.

    Raises:
        Unreadable: The pairs are not readable.
    """
    return restore_args.read(ctypes.string_at(place, restore_args.HEAD.size), bytes_at)


def read_mem_ops(operations: int, count: int) -> tuple[tuple[int, ...], ...] | None:
    """Return an array of memory operations.

    The result is empty if it is too long for the call, None for null.
    """
    if not operations:
        return None
    places = range(operations, operations + count * mem_ops.SIZE, mem_ops.SIZE) if count < mem_ops.MOST else ()
    return tuple(mem_ops.unpack(ctypes.string_at(place, mem_ops.SIZE)) for place in places)
