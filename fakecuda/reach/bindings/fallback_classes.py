"""The fallback for the classes of cuda.bindings, and the conversion of results.

If the wheel is installed, ``binding`` is the module ``cuda.bindings.driver``. Otherwise it is :class:`StandIns`, which
makes enums, handle classes and struct classes of the same names from the description in :mod:`fakecuda.spec.driver`.
"""

from __future__ import annotations

import ctypes
import importlib
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from fakecuda.model.memory.space import MEMORY
from fakecuda.reach.bindings.installed import INSTALLED, MODULE, RULES
from fakecuda.reach.bindings.integers import INTEGERS, ULL
from fakecuda.reach.bindings.struct_members import CTYPES
from fakecuda.reach.bindings.structs import SHAPES, struct_class
from fakecuda.spec import node_params, resources, stream_values
from fakecuda.spec.driver import DESCRIPTION, ENUMS
from fakecuda.spec.sizes import NAME, POOL_SIZES

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.reach.bindings.struct_members import Shapes
    from fakecuda.spec.description import Description


class Enum(IntEnum):
    """Base of the enums: an IntEnum with the binding's repr."""

    def __str__(self) -> str:
        return repr(self)


class Handle:
    """Base of the handle classes: an integer in its own memory."""

    __slots__ = ("_raw",)
    kind: ClassVar[str] = "unsigned long long"
    shown: ClassVar[str] = "<{} {}>"

    def __init__(self, init_value: Any = 0, _ptr: int = 0) -> None:
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
    """Base of the classes of function pointers.

    They are shown in hexadecimal and can be used as an index.
    """

    __slots__ = ()
    shown = "<{} {:#x}>"
    __index__ = Handle.__int__


class Pointer(Callback):
    """Base of the opaque handles: two of the same class with equal values are equal."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self._raw.value == other._raw.value if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._raw.value)


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
        "CUsurfObject CUsurfObject_v1 CUtexObject CUtexObject_v1 VdpGetProcAddress cudaGraphConditionalHandle "
        "cudaSurfaceObject_t cudaTextureObject_t",
        "uint64_t": "CUgraphConditionalHandle cuuint64_t",
        "unsigned int": "CUlogIterator cudaLogIterator EGLint GLenum GLuint",
        "uint32_t": "CUlogicalEndpointId VdpDevice VdpOutputSurface VdpVideoSurface cuuint32_t",
    }.items()
    for name in names.split()
}
"""The C types of handle classes that are shown as plain integers. Other handles are pointers."""


class StandIns:
    """The classes and constants of a module of cuda.bindings, as attributes.

    They are made at their first use.
    It contains only struct classes that modelled calls use.

    Args:
        module: The name of the module.
        described: The description of the module.
        shapes: The struct classes.
        bases: The bases of handle classes with another base than :class:`Pointer`.
    """

    def __init__(
        self,
        module: str = MODULE,
        described: Description = DESCRIPTION,
        shapes: Shapes = SHAPES,
        bases: dict[str, Any] | None = None,
    ) -> None:
        self._module = module
        self._described = described
        self._shapes = shapes
        self._bases = dict.fromkeys(CALLBACKS, Callback) if bases is None else bases

    def __getattr__(self, name: str) -> Any:
        value = self._make(name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        """List the available names."""
        handles = [name for name in self._described.handles if name in KINDS or self._opaque(name)]
        return sorted({*self._described.enums, *self._described.constants, *handles, *self._shapes.classes})

    def _make(self, name: str) -> Any:
        module = self._module
        if name in self._described.enums:
            members = self._described.enums[name]
            # If several names have the same value, the binding shows the last one, and an IntEnum the first one.
            last = {value: label for label, value in members.items()}
            labels = {label: value for value, label in last.items()} | members
            return Enum(name, labels, module=module)  # type: ignore[call-arg,arg-type] # the functional form
        if name in self._described.constants:
            return self._described.constants[name]
        space: dict[str, Any] = {"__slots__": (), "__module__": module}
        if name in self._shapes.classes:
            return struct_class(name, space, partial(getattr, self), self._shapes)
        if name in KINDS and name in self._described.handles:
            return type(name, (Handle,), space | {"kind": KINDS[name]})
        if self._opaque(name):
            base = self._bases.get(name, Pointer)
            if base.__module__ != __name__:
                space["shown"] = f"<{base.__name__} {{1:#x}}>"
            return type(name, (base,), space)
        hint = f"; pip install 'fakecuda[cuda]' brings {name}" if name in self._described.structs else ""
        msg = f"module '{module}' has no attribute '{name}'{hint}"
        raise AttributeError(msg)

    def _opaque(self, name: str) -> bool:
        """Return whether a class is an opaque handle."""
        opaque = name.startswith(("CU", "EGL", "cuda")) and not name.endswith(("_st", "PARAMS"))
        return name in self._described.handles and opaque and name not in OTHERS


OTHERS = {
    "CUuuid",
    "cudaBindingsDriverGlobal",
    "cudaBindingsRuntimeGlobal",
    "cudaLaunchAttribute",
    "cudaUUID_t",
    "cudalibraryHostUniversalFunctionAndDataTable",
}
"""Classes that are neither handles nor described as structs."""
binding: Any = INSTALLED or StandIns()
"""``cuda.bindings.driver``, or its fallback."""


def not_found(symbol: str) -> RuntimeError:
    """Return the binding's exception for a function that the driver lacks.

    Args:
        symbol: The symbol that the binding looked for, such as ``cuCtxCreate_v4``.
    """
    name, _, text = RULES.absent_functions.partition(": ")
    try:
        utils = importlib.import_module("cuda.bindings._internal.utils")
    except ImportError:
        utils = None
    kind: type[RuntimeError] = getattr(utils, name, RuntimeError)
    return kind(text.format(symbol))


# Conversion of results.


class Failures(dict[int, tuple[Any, ...]]):
    """Answers of a failed call with ``count`` results, by code.

    An answer is the code in its class, and a None per result.
    """

    def __init__(self, count: int, kind: Callable[[int], Any]) -> None:
        super().__init__()
        self.kind = kind
        self.nothing = (None,) * count

    def __missing__(self, code: int) -> tuple[Any, ...]:
        answer = self[code] = (_result(self.kind, code), *self.nothing)
        return answer


def _result(kind: Callable[[int], Any], code: int) -> Any:
    """Return a code in the binding's class.

    Raises:
        ValueError: The class has no such code; in some releases KeyError.
    """
    try:
        return kind(code)
    except ValueError:
        if RULES.unknown_codes == "KeyError":
            raise KeyError(code) from None
        raise


def filled(kind: Any, data: bytes) -> Any:
    """Return a struct of a class with ``data`` as its content."""
    item = kind()
    ctypes.memmove(item.getPtr(), data, len(data))
    return item


def node_told(item: Any, told: tuple[int, ...] | None) -> None:
    """Write the results of adding a node into the parameters of the call."""
    node_params.tell(MEMORY, item.getPtr(), told)


def stream_value_made(kind: Any, attribute: int, value: tuple[Any, ...]) -> Any:
    """Return the value of a stream's attribute as the binding's struct.

    This is a CUstreamAttrValue or a cudaStreamAttrValue.
    """
    return filled(kind, stream_values.pack(attribute, value))


def resource_made(value: tuple[Any, ...]) -> Any:
    """Return the resource of a texture or surface as a CUDA_RESOURCE_DESC."""
    return filled(binding.CUDA_RESOURCE_DESC, resources.pack(value))


def runtime_resource_made(kind: Any, value: tuple[Any, ...]) -> Any:
    """Return the resource of a texture or surface as a cudaResourceDesc.

    The texture or surface belongs to the runtime API.
    """
    return filled(kind, resources.pack(value, resources.RUNTIME_LAYOUTS)[: resources.USED])


class CUlinkState(binding.CUlinkState):  # type: ignore[misc]
    """A linker that keeps the logs alive to which the driver writes."""

    logs: list[Any]


def linker(handle: int, logs: list[Any]) -> CUlinkState:
    """Return a linker as a CUlinkState that keeps its logs, as in the binding."""
    made = CUlinkState(handle)
    made.logs = logs
    return made


def padded(value: bytes, length: int) -> bytes:
    """Return a string result as the binding does.

    The binding returns a buffer of spaces, into which the driver wrote.
    """
    return (value + b"\0").ljust(length)[: max(length, 0)]


def name(value: bytes, length: int) -> bytes:
    """Return a device's name as the binding does.

    The driver fills the rest of the name's buffer with zeros.
    """
    return (value + b"\0").ljust(min(length, NAME), b"\0").ljust(length)[: max(length, 0)]


P2P_TOKENS = ENUMS["CUpointer_attribute"]["CU_POINTER_ATTRIBUTE_P2P_TOKENS"]


def pointer_value(attribute: int, value: Any) -> Any:
    """Return the result of cuPointerGetAttribute in the binding's type.

    The type depends on the attribute.
    """
    kind = POINTER_RESULTS.get(attribute)
    return kind(value) if kind else value


def pointer_values(attributes: Any, values: Any) -> list[Any]:
    """Return the results of cuPointerGetAttributes in the binding's types.

    The types depend on the attributes.
    Missing results are zero.
    """
    nothing = [bytes(16) if attribute == P2P_TOKENS else 0 for attribute in attributes[len(values) :]]
    return [pointer_value(*pair) for pair in zip(attributes, (*values, *nothing), strict=True)]


def pool_value(attribute: int, value: Any) -> Any:
    """Return the result of cuMemPoolGetAttribute in the binding's type.

    The type depends on the attribute.
    """
    return binding.cuuint64_t(value) if attribute in POOL_SIZES else value


POINTER_RESULTS: dict[int, Callable[[Any], Any]] = {
    ENUMS["CUpointer_attribute"][f"CU_POINTER_ATTRIBUTE_{label}"]: kind
    for label, kind in {
        "CONTEXT": binding.CUcontext,
        "DEVICE_POINTER": binding.CUdeviceptr,
        "RANGE_START_ADDR": binding.CUdeviceptr,
        "MAPPING_BASE_ADDR": binding.CUdeviceptr,
        "MEMPOOL_HANDLE": binding.CUmemoryPool,
        "P2P_TOKENS": partial(filled, binding.CUDA_POINTER_ATTRIBUTE_P2P_TOKENS),
        "SYNC_MEMOPS": bool,
        "IS_MANAGED": bool,
        "IS_LEGACY_CUDA_IPC_CAPABLE": bool,
        "MAPPED": bool,
        "IS_HW_DECOMPRESS_CAPABLE": bool,
    }.items()
}
"""Types of attributes whose results are not plain ints."""


ACCESSED_BY = ENUMS["CUmem_range_attribute"]["CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY"]


def range_value(value: int | tuple[int, ...]) -> int | list[int]:
    """Return the result of cuMemRangeGetAttribute in the binding's type.

    The type depends on the attribute.
    """
    return value if isinstance(value, int) else list(value)


def range_values(attributes: tuple[int, ...], sizes: tuple[int, ...], values: Any) -> list[Any]:
    """Return the results of cuMemRangeGetAttributes in the binding's types.

    The types depend on the attributes.
    Missing results are zero.
    """
    pairs = zip(attributes[len(values) :], sizes[len(values) :], strict=False)
    nothing = [(0,) * (size // 4) if attribute == ACCESSED_BY else 0 for attribute, size in pairs]
    return [range_value(value) for value in (*values, *nothing)]
