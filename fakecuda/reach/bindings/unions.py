"""Structs and values of attributes whose layout depends on their content or on another argument."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from fakecuda.model.memory.space import bytes_at
from fakecuda.reach.bindings.installed import RULES
from fakecuda.reach.bindings.integers import INTEGERS, ULL, known_member, signed
from fakecuda.spec import launch_config as launch_configs
from fakecuda.spec import mem_ops, resources, stream_values
from fakecuda.spec import restore_args as restores
from fakecuda.spec.driver import ENUMS
from fakecuda.spec.sizes import POOL_SIZES

if TYPE_CHECKING:
    from collections.abc import Callable


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


def stream_value(item: Any, attribute: int) -> tuple[Any, ...]:
    """Return the value of a stream's attribute as a plain value."""
    return stream_values.unpack(attribute, (ctypes.c_char * stream_values.SIZE).from_address(item.getPtr()))


def word(value: Any, attribute: Any, known: frozenset[int]) -> int:
    """Return the four bytes that the driver reads from an attribute's new value.

    Args:
        value: The value.
        attribute: The CUpointer_attribute.
        known: The attributes that the binding can set.

    Raises:
        TypeError: The binding cannot set the attribute or use the value. Other exceptions are passed on.
    """
    kind = WORDS.get(known_member(attribute, "CUpointer_attribute", known))
    plain = kind(value) if kind else ctypes.c_uint32.from_address(value.getPtr()).value
    return plain & 0xFFFFFFFF


def size_word(value: Any) -> int:
    """Return what the driver reads from a new size attribute."""
    return ctypes.c_uint64.from_address(value.getPtr()).value


def pool_word(value: Any, attribute: int) -> int:
    """Return what the driver reads from a pool attribute's new value.

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
"""Coercions of values by attribute; the driver reads other objects from memory."""
