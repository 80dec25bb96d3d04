"""A libcudart.so.13 or .12 in this process, for libraries linked to it.

Its calls reach the driver's machine.
It is loaded only on request, because code with its own libcudart would get this one instead. ``ctypes.CDLL`` of a
libcudart does not need it: see :mod:`fakecuda.reach.native.cudart`.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError
from fakecuda.reach.native import objects, registration
from fakecuda.reach.native.callbacks import DOORS, SUCCESS, Door
from fakecuda.reach.native.callbacks import door as driver_door
from fakecuda.reach.native.library import argument, library, offer_at
from fakecuda.reach.native.values import text_at
from fakecuda.rules.registry import RUNTIME
from fakecuda.spec import cudart
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.machine.machine import Machine
    from fakecuda.reach.native.library import Library
    from fakecuda.spec.cudart import Exported

ATTRIBUTES = "cudaPointerGetAttributes"
WHEELS = ("nvidia/cu13/lib", "nvidia/cu12/lib", "nvidia/cuda_runtime/lib")
"""The folders of NVIDIA's wheels with the runtime library, below those of Python's modules."""
ROOM = 256
"""More bytes than any version of cudaPointerAttributes has."""
doors = {major: Door(RUNTIME, lambda _: Result.NO_DEVICE) for major in cudart.VERSIONS}
"""The doors of the libraries, by major version."""


def load_cudart(major: int = 13) -> str:
    """Load the runtime library of a major version, for libraries linked to it.

    A second call does nothing.

    Args:
        major: 13 or 12.

    Returns:
        The name under which the loader finds it.

    Raises:
        FakeCudaError: The version is unknown, another library of that name is loaded, or there are no stubs for this
            processor.
    """
    if major not in doors:
        msg = f"fakecuda has no libcudart.so.{major}: use one of the major versions {', '.join(map(str, doors))}"
        raise FakeCudaError(msg)
    door, kind = doors[major], objects.runtime(major)
    if not hasattr(door, "library"):
        door.library = library(kind, partial(_prepare, major))
        DOORS[f"{__name__}.{major}"] = door
        for path in _in_wheels(kind.soname):
            offer_at(kind, path)
    return kind.soname


def _in_wheels(soname: str) -> Iterator[str]:
    """Yield the paths of a runtime library in installed wheels."""
    for folder in map(os.path.abspath, sys.path):
        found = (os.path.join(folder, wheel, soname) for wheel in WHEELS)  # noqa: PTH118 - the text, as C code writes it
        for path in filter(os.path.exists, found):
            yield from dict.fromkeys((path, os.path.realpath(path)))


def enter(machine: Machine | None) -> None:
    """Send calls to a machine from now on; None for no machine. The driver's library is loaded before."""
    for door in doors.values():
        door.ends = driver_door.ends
        door.enter(machine)


@cache
def _generated() -> Any:
    """Return the module of the stub functions, which few programs need."""
    return import_module("fakecuda.reach.native.generated.cudart")


def _prepare(major: int, made: Library) -> None:
    own = registration.functions(doors[major], partial(_address_of, doors[major]))
    for one in cudart.exported(major):
        made.bind(one.name, own.get(one.name) or _function(major, one))
    os.register_at_fork(after_in_child=made.bind_again)


def _function(major: int, one: Exported) -> Any:
    """Return the C function of a symbol."""
    door, generated = doors[major], _generated()
    if one.call not in RUNTIME.ops:
        return ctypes.CFUNCTYPE(ctypes.c_uint64)(partial(door.not_modelled, one.name, ""))
    kinds = map(argument, generated.ARGUMENTS[one.call])
    function = getattr(generated, one.call)
    if one.call in generated.RETURNED:
        return ctypes.CFUNCTYPE(ctypes.c_void_p, *kinds)(partial(_text, door, one.name, function))
    if one.call == ATTRIBUTES and major < max(doors):
        function = _attributes
    return ctypes.CFUNCTYPE(ctypes.c_uint64, *kinds)(partial(_arrive, door, one, function))


def _address_of(door: Door, symbol: int) -> int:
    """Return the address of a program's variable, by its host address; 0 without one."""
    code, address = RUNTIME.ops["cudaGetSymbolAddress"].invoke(door.find().native, symbol)
    return 0 if code else int(address)


def _arrive(door: Door, one: Exported, function: Callable[..., int], *args: Any) -> int:
    try:
        thread = door.find()
        return SUCCESS | function(thread.per_thread if one.own_stream else thread.native, *args)
    except BaseException as error:  # noqa: BLE001 - no exception can travel through C
        return door.failed(one.name, error)


def _text(door: Door, name: str, function: Callable[..., int], code: int) -> int:
    try:
        return int(function(door.find().native, code))
    except BaseException as error:  # noqa: BLE001 - no exception can travel through C
        door.failed(name, error)
        return text_at(b"")


def _attributes(call: Any, attributes: int, pointer: int) -> int:
    """Answer cudaPointerGetAttributes as in CUDA 12.

    There, the struct has no reserved words at the end.
    """
    room = ctypes.create_string_buffer(ROOM)
    code = int(_generated().cudaPointerGetAttributes(call, ctypes.addressof(room) if attributes else 0, pointer))
    if not code and attributes:
        ctypes.memmove(attributes, room, cudart.ATTRIBUTES_IN_12)
    return code
