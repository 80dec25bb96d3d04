"""The classes of cuda.bindings where it is not installed, and how it shapes results.

``binding`` is the module ``cuda.bindings.driver`` where the wheel is there. Otherwise it is :class:`StandIns`, which
makes the enums, handle and struct classes of the same names from the description in :mod:`fakecuda.api`.
"""

from __future__ import annotations

import ctypes
import importlib
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from fakecuda.api import ENUMS, OTHERS, STRUCTS
from fakecuda.surfaces.coercion import INTEGERS, MODULE, ULL, enumerator, given, host, wrong_type

if TYPE_CHECKING:
    from collections.abc import Callable


class Enum(IntEnum):
    """The base of the enums: as IntEnum, with the repr of the binding."""

    def __str__(self) -> str:
        return repr(self)


class Handle:
    """The base of the handle classes: an integer in memory of its own."""

    __slots__ = ("_raw",)
    kind: ClassVar[str] = "unsigned long long"
    shown: ClassVar[str] = "<{} {}>"

    def __init__(self, init_value: Any = 0, _ptr: int = 0) -> None:  # noqa: ANN401 - any argument
        value = INTEGERS[self.kind](init_value)
        raw = CTYPES[self.kind]
        self._raw = raw.from_address(ULL(_ptr)) if _ptr else raw(value)

    def __int__(self) -> int:
        return int(self._raw.value)

    def __repr__(self) -> str:
        return self.shown.format(type(self).__name__, self._raw.value)

    def getPtr(self) -> int:
        """Return the address of the value."""
        return ctypes.addressof(self._raw)


class Callback(Handle):
    """The base of the classes of function pointers: shown in hexadecimal, usable as an index."""

    __slots__ = ()
    shown = "<{} {:#x}>"
    __index__ = Handle.__int__


class Pointer(Callback):
    """The base of the opaque handles: equal by value within a class."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self._raw.value == other._raw.value if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._raw.value)


class Struct:
    """The base of the struct classes: a C struct in memory, of its own or at an address."""

    __slots__ = ("_kept", "_raw")
    layout: ClassVar[type[ctypes.Structure]]
    fields: ClassVar[tuple[str, ...]]

    def __init__(self, _ptr: int = 0) -> None:
        address = ULL(_ptr)
        self._raw = self.layout.from_address(address) if address else self.layout()
        self._kept: dict[str, Any] = {}

    def __repr__(self) -> str:
        lines = []
        for name in self.fields:
            value = getattr(self, name)
            if isinstance(value, Struct):
                lines += [f"{name} :", *(f"    {line}" for line in repr(value).splitlines())]
            else:
                lines.append(f"{name} : {SHOWN.get(name, repr)(value)}")
        return "\n".join(lines)

    def getPtr(self) -> int:
        """Return the address of the struct."""
        return ctypes.addressof(self._raw)


SHOWN: dict[str, Callable[[Any], str]] = {"bytes": bytes.hex, "win32HandleMetaData": hex}
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
}
CALLBACKS = {
    "CUasyncCallback",
    "CUcoredumpStatusCallback",
    "CUgraphRecaptureCallback",
    "CUhostFn",
    "CUlogsCallback",
    "CUoccupancyB2DSize",
    "CUstreamCallback",
}
KINDS = {
    name: kind
    for kind, names in {
        "int": "CUdevice CUdevice_v1",
        "unsigned long long": "CUdeviceptr CUdeviceptr_v2 CUmemGenericAllocationHandle CUmemGenericAllocationHandle_v1 "
        "CUsurfObject CUsurfObject_v1 CUtexObject CUtexObject_v1 VdpGetProcAddress",
        "uint64_t": "CUgraphConditionalHandle cuuint64_t",
        "unsigned int": "CUlogIterator EGLint GLenum GLuint",
        "uint32_t": "CUlogicalEndpointId VdpDevice VdpOutputSurface VdpVideoSurface cuuint32_t",
    }.items()
    for name in names.split()
}
"""The handle classes that are shown as plain integers, and the C type of each; the others are pointers."""
ALLOC_FLAGS = next(kind for kind, label in STRUCTS["CUmemAllocationProp"] if label == "allocFlags")
STRUCT_CLASSES: dict[str, list[tuple[str, str]]] = {
    "CUctxCreateParams": STRUCTS["CUctxCreateParams"],
    "CUipcEventHandle": STRUCTS["CUipcEventHandle"],
    "CUipcMemHandle": STRUCTS["CUipcMemHandle"],
    "CUmemAccessDesc": STRUCTS["CUmemAccessDesc"],
    "CUmemAllocationProp": STRUCTS["CUmemAllocationProp"],
    "CUmemLocation": STRUCTS["CUmemLocation"],
    "CUuuid": STRUCTS["CUuuid"],
    "CUDA_POINTER_ATTRIBUTE_P2P_TOKENS": [("unsigned long long", "p2pToken"), ("unsigned int", "vaSpaceToken")],
    "CUmemFabricHandle": [("char", "data[64]")],
    "anon_struct23": STRUCTS[ALLOC_FLAGS],
}
"""The members of the structs that modelled calls use, by the binding's name of the class."""


class StandIns:
    """The classes and constants of ``cuda.bindings.driver`` as attributes, each made when it is first asked for.

    Of the struct classes it has those that modelled calls use.
    """

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a class or constant
        value = self._make(name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        """List what can be had."""
        handles = [name for name in OTHERS["handles"] if name in KINDS or name in CALLBACKS or _opaque(name)]
        return sorted({*ENUMS, *OTHERS["constants"], *handles, *STRUCT_CLASSES})

    def _make(self, name: str) -> Any:  # noqa: ANN401 - a class or constant
        if name in ENUMS:
            # Of several names for one value the binding shows the last; an IntEnum shows the first.
            last = {value: label for label, value in ENUMS[name].items()}
            labels = {label: value for value, label in last.items()} | ENUMS[name]
            return Enum(name, labels, module=MODULE)  # type: ignore[call-arg,arg-type] # the functional form
        if name in OTHERS["constants"]:
            return OTHERS["constants"][name]
        space: dict[str, Any] = {"__slots__": (), "__module__": MODULE}
        if name in STRUCT_CLASSES:
            return type(name, (Struct,), space | self._members(STRUCT_CLASSES[name]))
        if name in KINDS:
            return type(name, (Handle,), space | {"kind": KINDS[name]})
        if name in CALLBACKS or _opaque(name):
            return type(name, (Callback if name in CALLBACKS else Pointer,), space)
        hint = f"; pip install 'fakecuda[cuda]' brings {name}" if name in STRUCTS else ""
        msg = f"module '{MODULE}' has no attribute '{name}'{hint}"
        raise AttributeError(msg)

    def _members(self, members: list[tuple[str, str]]) -> dict[str, Any]:
        """Return a struct class's layout, the names that it shows and their properties."""
        layout: list[tuple[str, Any]] = []
        space: dict[str, Any] = {}
        for kind, declared in members:
            label, _, length = declared.rstrip("]").partition("[")
            size, access = self._member(kind, label, int(length or 0))
            layout.append((label, size))
            if label != "reserved":
                space[label] = access
        return space | {"fields": tuple(space), "layout": type("Layout", (ctypes.Structure,), {"_fields_": layout})}

    def _member(self, kind: str, label: str, length: int) -> tuple[Any, property]:
        """Return a member's ctypes type and the property by which it is read and written."""
        if length:
            return CTYPES[kind] * length, _array(label, length)
        if kind == "void*":
            return ctypes.c_void_p, _address(label)
        if kind.endswith("*"):
            return ctypes.c_void_p, _list(label)
        if kind in STRUCTS:
            name = "anon_struct23" if kind == ALLOC_FLAGS else kind
            made = getattr(self, name)
            return made.layout, _nested(label, name, made)
        if kind in ENUMS:
            return ctypes.c_uint, _enum(label, kind, getattr(self, kind))
        return CTYPES[kind], _integer(label, INTEGERS[kind])


def _opaque(name: str) -> bool:
    """Return whether the class of that name is an opaque handle."""
    return name in OTHERS["handles"] and name.startswith(("CU", "EGL")) and not name.endswith(("_st", "PARAMS"))


def _integer(label: str, convert: Callable[[Any], int]) -> property:
    def write(self: Any, value: Any) -> None:  # noqa: ANN401 - any argument
        setattr(self._raw, label, convert(value))

    return property(lambda self: getattr(self._raw, label), write)


def _enum(label: str, name: str, kind: Any) -> property:  # noqa: ANN401 - an enum class
    convert = enumerator(name)

    def write(self: Any, value: Any) -> None:  # noqa: ANN401 - any argument
        given(value, label)
        setattr(self._raw, label, convert(value))

    return property(lambda self: kind(getattr(self._raw, label)), write)


def _array(label: str, length: int) -> property:
    return property(lambda self: ctypes.string_at(self.getPtr() + getattr(self.layout, label).offset, length))


def _address(label: str) -> property:
    def write(self: Any, value: Any) -> None:  # noqa: ANN401 - any argument
        address, self._kept[label] = host(value)
        setattr(self._raw, label, address)

    return property(lambda self: getattr(self._raw, label) or 0, write)


def _list(label: str) -> property:
    """Return the property of a pointer to structs: a list, whose structs are copied side by side."""

    def write(self: Any, value: Any) -> None:  # noqa: ANN401 - any argument
        data = b"".join(ctypes.string_at(item.getPtr(), ctypes.sizeof(item.layout)) for item in value)
        self._kept[label] = (list(value), ctypes.create_string_buffer(data, len(data)))
        setattr(self._raw, label, ctypes.addressof(self._kept[label][1]) if len(value) else 0)

    return property(lambda self: self._kept.get(label, ([], None))[0], write)


def _nested(label: str, name: str, kind: Any) -> property:  # noqa: ANN401 - a struct class
    def read(self: Any) -> Any:  # noqa: ANN401 - a struct
        if label not in self._kept:
            view = self._kept[label] = kind(self.getPtr() + getattr(self.layout, label).offset)
            view._kept[""] = self  # noqa: SLF001 - the memory is the whole struct's
        return self._kept[label]

    def write(self: Any, value: Any) -> None:  # noqa: ANN401 - any argument
        if not isinstance(value, kind):
            raise wrong_type(value, label, name)
        ctypes.memmove(read(self).getPtr(), value.getPtr(), ctypes.sizeof(kind.layout))

    return property(read, write)


def _installed() -> Any:  # noqa: ANN401 - the module
    try:
        return importlib.import_module(MODULE)
    except ImportError:
        return None


binding: Any = _installed() or StandIns()
"""``cuda.bindings.driver``, or what stands in for it."""


# How it shapes results.


class Failures(dict[int, tuple[Any, ...]]):
    """What a call with ``count`` results answers, by code: the CUresult and None for each result."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.nothing = (None,) * count

    def __missing__(self, code: int) -> tuple[Any, ...]:
        answer = self[code] = (binding.CUresult(code), *self.nothing)
        return answer


def filled(kind: str, data: bytes) -> Any:  # noqa: ANN401 - the struct class
    """Return a struct of the class of that name that holds ``data``."""
    item = getattr(binding, kind)()
    ctypes.memmove(item.getPtr(), data, len(data))
    return item


def padded(value: bytes, length: int) -> bytes:
    """Return what the binding returns of a string result: its own buffer of spaces, in which the driver wrote."""
    return (value + b"\0").ljust(length)[: max(length, 0)]


def pointer_value(attribute: int, value: Any) -> Any:  # noqa: ANN401 - by attribute
    """Return the result of cuPointerGetAttribute in the type that the binding gives that attribute."""
    kind = POINTER_RESULTS.get(attribute)
    return kind(value) if kind else value


POINTER_RESULTS: dict[int, Callable[[Any], Any]] = {
    ENUMS["CUpointer_attribute"][f"CU_POINTER_ATTRIBUTE_{label}"]: kind
    for label, kind in {
        "CONTEXT": binding.CUcontext,
        "DEVICE_POINTER": binding.CUdeviceptr,
        "RANGE_START_ADDR": binding.CUdeviceptr,
        "MAPPING_BASE_ADDR": binding.CUdeviceptr,
        "MEMPOOL_HANDLE": binding.CUmemoryPool,
        "P2P_TOKENS": partial(filled, "CUDA_POINTER_ATTRIBUTE_P2P_TOKENS"),
        "SYNC_MEMOPS": bool,
        "IS_MANAGED": bool,
        "IS_LEGACY_CUDA_IPC_CAPABLE": bool,
        "MAPPED": bool,
        "IS_HW_DECOMPRESS_CAPABLE": bool,
    }.items()
}
"""Attributes whose results are no plain ints."""
