"""Functions that a compiled program calls in libcudart before ``main``.

The functions return no code of the manual, need no machine, and act on the OS process: the table of what its files have
registered outlives machines, as the files do. A handle of a kernel that a program keeps is the host function that stands
for the kernel, so that it is valid on the next machine, too.
"""

from __future__ import annotations

import ctypes
import threading
from ctypes import c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p, memmove
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from fakecuda.model.code.program import LINKED, MAGIC, WRAPPER, Binary, Symbol
from fakecuda.model.memory.space import bytes_at, mapped_access
from fakecuda.model.os.system import OWN
from fakecuda.reach.native.callbacks import SUCCESS
from fakecuda.spec.codes import Error

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.reach.native.callbacks import Door

PROGRAM = OWN.program
"""The registrations of this OS process's files."""
MISSING = int(Error.MISSING_CONFIGURATION)


class Dim(ctypes.Structure):
    """A dim3, which is passed by value."""

    _fields_ = (("x", c_uint32), ("y", c_uint32), ("z", c_uint32))


_binaries: dict[int, tuple[Any, Binary]] = {}
"""Registered images by handle, each with the memory at the handle."""
_numbers = count(1)
_pushed = threading.local()


def register_fat_binary(wrapper: int) -> int:
    """Register an image; return its handle, an address of memory."""
    address = others = 0
    if wrapper and mapped_access(wrapper, WRAPPER.size):
        magic, version, found, last = WRAPPER.unpack(bytes_at(wrapper, WRAPPER.size))
        address = found if magic == MAGIC else 0
        others = last if address and version == LINKED else 0
    handle = ctypes.create_string_buffer(8)
    _binaries[ctypes.addressof(handle)] = handle, Binary(next(_numbers), address, others=others)
    return ctypes.addressof(handle)


def unregister_fat_binary(handle: int) -> int:
    """Unregister an image with its kernels and variables."""
    found = _binaries.pop(handle, None)
    if found is not None:
        PROGRAM.unregister(found[1])
    return SUCCESS


def register_function(handle: int, host: int, _device: bytes, name: bytes, *_: object) -> int:
    """Register the host function of a kernel."""
    if handle in _binaries:
        PROGRAM.register_function(host, Symbol(_binaries[handle][1], name.decode(errors="replace")))
    return SUCCESS


def register_variable(handle: int, host: int, _device: bytes, name: bytes, *_: object) -> int:
    """Register the host address of a variable."""
    if handle in _binaries:
        PROGRAM.register_variable(host, Symbol(_binaries[handle][1], name.decode(errors="replace")))
    return SUCCESS


def register_managed_variable(handle: int, place: int, _device: bytes, name: bytes, *_: object) -> int:
    """Register the place of a managed variable's address in the program."""
    if handle in _binaries:
        PROGRAM.register_variable(place, Symbol(_binaries[handle][1], name.decode(errors="replace"), place))
    return SUCCESS


def push_configuration(grid: Dim, block: Dim, shared: int, stream: int) -> int:
    """Push a launch configuration for the launch function."""
    kept = _pushed.__dict__.setdefault("configurations", [])
    kept.append((bytes(grid), bytes(block), shared, stream))
    return SUCCESS


def pop_configuration(grid: int, block: int, shared: int, stream: int) -> int:
    """Pop the last launch configuration; fail without one."""
    kept = _pushed.__dict__.get("configurations")
    if not kept:
        return SUCCESS | MISSING
    dimensions, threads, size, handle = kept.pop()
    memmove(grid, dimensions, len(dimensions))
    memmove(block, threads, len(threads))
    c_uint64.from_address(shared).value = size
    c_uint64.from_address(stream).value = handle
    return SUCCESS


def get_kernel(result: int, host: int) -> int:
    """Return the launch handle of a kernel: its host function."""
    if host not in PROGRAM.functions:
        return SUCCESS | int(Error.INVALID_DEVICE_FUNCTION)
    c_uint64.from_address(result).value = host
    return SUCCESS


def fill_managed(address_of: Callable[[int], int], handle: int) -> int:
    """Write the addresses of an image's managed variables into the program.

    The answer is 0, so that the program asks again before each access: the next machine has them at other addresses.

    Args:
        address_of: Returns the address of a variable, by the host address that stands for it; 0 for a failure.
        handle: The image.
    """
    found = _binaries.get(handle)
    for place, symbol in list(PROGRAM.variables.items()):
        if symbol.place and found is not None and symbol.binary is found[1] and (address := address_of(place)):
            c_uint64.from_address(place).value = address
    return SUCCESS


def functions(door: Door, address_of: Callable[[int], int]) -> dict[str, Any]:
    """Return the C functions by name.

    Args:
        door: The door of the library, which answers for an exception.
        address_of: As for :func:`fill_managed`.
    """
    variable = (c_uint64, c_uint64, c_void_p, c_char_p, c_int, c_size_t, c_int, c_int)
    made: dict[str, tuple[Callable[..., int], tuple[Any, ...]]] = {
        "__cudaRegisterFatBinary": (register_fat_binary, (c_uint64,)),
        "__cudaUnregisterFatBinary": (unregister_fat_binary, (c_uint64,)),
        "__cudaRegisterFunction": (register_function, (c_uint64, c_uint64, c_void_p, c_char_p)),
        "__cudaRegisterVar": (register_variable, variable),
        "__cudaRegisterManagedVar": (register_managed_variable, variable),
        "__cudaPushCallConfiguration": (push_configuration, (Dim, Dim, c_uint64, c_uint64)),
        "__cudaPopCallConfiguration": (pop_configuration, (c_uint64,) * 4),
        "__cudaGetKernel": (get_kernel, (c_uint64, c_uint64)),
        "__cudaInitModule": (partial(fill_managed, address_of), (c_uint64,)),
    }
    return {
        name: ctypes.CFUNCTYPE(c_uint64, *kinds)(partial(_safely, door, name, function))
        for name, (function, kinds) in made.items()
    }


def _safely(door: Door, name: str, function: Callable[..., int], *args: Any) -> int:
    try:
        return function(*args)
    except BaseException as error:  # noqa: BLE001 - no exception can travel through C
        return door.failed(name, error)
