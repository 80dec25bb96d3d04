"""The classes of hip-python: those of the wheel, or the fallback.

``hip_binding`` has the enums, structs and handle classes of ``rocm.bindings.hip``. ``types`` has Pointer, DeviceArray
and CStr of ``rocm.bindings.util.types``. The wheel can be imported without a HIP library.
"""

from __future__ import annotations

import ctypes
from enum import IntEnum
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from fakecuda.reach.bindings.pointers import Held
from fakecuda.spec.hip import DESCRIPTION, ENUMS, STRUCTS

CLASSES = {
    "hipArray_t": "hipArray",
    "hipCtx_t": "ihipCtx_t",
    "hipDevResourceDesc_t": "ihipDevResourceDesc_t",
    "hipEvent_t": "ihipEvent_t",
    "hipExecutionCtx_t": "ihipExecutionCtx_t",
    "hipHostFn_t": "hipHostFn_t",
    "hipMemGenericAllocationHandle_t": "ihipMemGenericAllocationHandle",
    "hipMemPool_t": "ihipMemPoolHandle_t",
    "hipMipmappedArray_t": "hipMipmappedArray",
    "hipStreamCallback_t": "hipStreamCallback_t",
    "hipStream_t": "ihipStream_t",
}
"""The classes of C handle types and function types."""
ALIASES = {
    "hipIpcEventHandle_t": "hipIpcEventHandle_st",
    "hipIpcMemHandle_t": "hipIpcMemHandle_st",
    "hipStreamBatchMemOpParams": "hipStreamBatchMemOpParams_union",
    "hipUUID": "hipUUID_t",
}
TAKEN = (
    "hipDeviceArch_t",
    "hipDeviceProp_t",
    "HIP_MEMCPY3D",
    "hipExtent",
    "hipIpcEventHandle_st",
    "hipIpcMemHandle_st",
    "hipMemAccessDesc",
    "hipMemAllocationProp",
    "hipMemAllocationProp_struct_0",
    "hipMemLocation",
    "hipMemPoolProps",
    "hipMemPoolPtrExportData",
    "hipPointerAttribute_t",
    "hipMemcpy3DBatchOp",
    "hipMemcpy3DOperand",
    "hipMemcpy3DOperand_union_0",
    "hipMemcpy3DOperand_union_0_struct_0",
    "hipMemcpy3DParms",
    "hipMemcpy3DPeerParms",
    "hipMemcpyAttributes",
    "hipPitchedPtr",
    "hipPos",
    "hipUUID_t",
    "hip_Memcpy2D",
)
"""The structs that modelled calls take or return."""
UNIONS = (
    "hipLaunchAttributeValue",
    "hipStreamBatchMemOpParams_union",
)
"""Unions in which one member selects the others, read as bytes by the calls."""
ARCHITECTURE = (
    *("hasGlobalInt32Atomics", "hasGlobalFloatAtomicExch", "hasSharedInt32Atomics", "hasSharedFloatAtomicExch"),
    *("hasFloatAtomicAdd", "hasGlobalInt64Atomics", "hasSharedInt64Atomics", "hasDoubles", "hasWarpVote"),
    *("hasWarpBallot", "hasWarpShuffle", "hasFunnelShift", "hasThreadFenceSystem", "hasSyncThreadsExt"),
    *("hasSurfaceFuncs", "has3dGrid", "hasDynamicParallelism"),
)
"""The bits of hipDeviceArch_t, from the lowest."""
TEXTS = frozenset({"gcnArchName", "name"})
"""Members that are read as str. Other arrays of characters are bytes."""
UNNAMED = {"hipMemAllocationProp": {"requestedHandleTypes"}}
"""Members of anonymous unions that the wheel's classes lack."""
NUMBERS: dict[str, Any] = {
    "char": ctypes.c_char,
    "float": ctypes.c_float,
    "int": ctypes.c_int,
    "size_t": ctypes.c_size_t,
    "unsigned char": ctypes.c_ubyte,
    "uint64_t": ctypes.c_uint64,
    "unsigned int": ctypes.c_uint,
    "unsigned int*": ctypes.c_void_p,
    "unsigned short": ctypes.c_ushort,
    "void*": ctypes.c_void_p,
}


class Pointer:
    """An address in hip-python's class for pointers.

    It is made from None, a number, a c_void_p, a buffer, a pointer or ``__cuda_array_interface__``.

    Args:
        pyobj: The object.
    """

    _kept: Any = None
    """An object to keep alive as long as the pointer."""

    def __init__(self, pyobj: Any = None) -> None:
        self._address: int = pyobj if pyobj.__class__ is int else self._of(pyobj)

    def _of(self, pyobj: Any) -> int:
        if pyobj is None:
            return 0
        if isinstance(pyobj, ctypes.c_void_p):
            return pyobj.value or 0
        if isinstance(pyobj, Pointer | int):
            return int(pyobj)
        if isinstance(pyobj, bytes):  # not copied: the caller keeps it alive
            return ctypes.cast(ctypes.c_char_p(pyobj), ctypes.c_void_p).value or 0
        interface = getattr(pyobj, "__cuda_array_interface__", None)
        if interface is not None:
            return int(interface["data"][0])
        try:
            self._kept = held = Held(pyobj)
        except (TypeError, BufferError):
            msg = f"unsupported input type: '{type(pyobj)}'"
            raise TypeError(msg) from None
        return held.address

    @classmethod
    def fromObj(cls, pyobj: Any) -> Any:
        """Return an object as an instance of this class.

        An instance is returned unchanged.
        """
        return pyobj if isinstance(pyobj, cls) else cls(pyobj)

    def createRef(self) -> Pointer:
        """Return a pointer to the address, as a ``void**``."""
        cell = ctypes.c_void_p(self._address)
        made = Pointer(ctypes.addressof(cell))
        made._kept = cell
        return made

    @property
    def is_ptr_null(self) -> bool:
        """Whether the pointer is null."""
        return not self._address

    def as_c_void_p(self) -> ctypes.c_void_p:
        """Return the pointer as a ctypes object."""
        return ctypes.c_void_p(self._address)

    def __bool__(self) -> bool:
        return bool(self._address)

    def __int__(self) -> int:
        return self._address

    def __getitem__(self, offset: int) -> Pointer:
        return Pointer(self._address + offset)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object, _ptr={self._address}>"


class DeviceArray(Pointer):
    """Device memory with a shape, usable through ``__cuda_array_interface__``."""

    _shape: tuple[int, ...] = ()

    def configure(self, *, shape: tuple[int, ...] = (), _force: bool = False) -> DeviceArray:
        """Set the shape, and return the array."""
        self._shape = shape
        return self

    @property
    def shape(self) -> tuple[int, ...]:
        """The size in bytes, as a tuple."""
        return self._shape

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "data": (self._address, False),
            "shape": self._shape,
            "strides": None,
            "typestr": "|u1",
            "version": 3,
        }


class CStr(Pointer):
    """A C text, made from a str or like a pointer, that reads as a str."""

    def __init__(self, pyobj: Any = None) -> None:
        if isinstance(pyobj, str):
            self._kept = pyobj = pyobj.encode()
        super().__init__(pyobj)

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Return the text as a str."""
        return ctypes.string_at(self._address).decode(encoding, errors)

    def __str__(self) -> str:
        return self.decode()

    def __len__(self) -> int:
        return len(ctypes.string_at(self._address))


class ListOfUnsigned(Pointer):
    """An array of 32-bit numbers, made from a list or like a pointer."""

    def __init__(self, pyobj: Any = None) -> None:
        listed = isinstance(pyobj, list | tuple)
        super().__init__((ctypes.c_uint32 * len(pyobj))(*pyobj) if listed else pyobj)


class _Struct(Pointer):
    """A struct in its own memory, or in the memory of an outer struct."""

    _shape: type[ctypes.Structure | ctypes.Union]
    _names: tuple[str, ...]

    def __init__(self, *args: Any, **named: Any) -> None:
        self._kept = memory = self._shape()
        self._address = ctypes.addressof(memory)
        if args or named:
            self._fill(args, named)

    def _fill(self, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Set members from the caller's arguments."""
        if len(args) > len(self._names):
            msg = "More positional arguments specified than this type has properties."
            raise ValueError(msg)
        for label in named:
            if label not in self._names:
                msg = f"'{label}' is no valid property name. Valid names: {list(self._names)}"
                raise KeyError(msg)
        for label, value in [*zip(self._names, args, strict=False), *named.items()]:
            setattr(self, label, value)

    @classmethod
    def fromObj(cls, pyobj: Any) -> Any:
        """Return an object as an instance of this class.

        Other objects are taken as its address.
        """
        if isinstance(pyobj, cls):
            return pyobj
        made = cls.__new__(cls)
        Pointer.__init__(made, pyobj)
        return made

    @classmethod
    def allocate(cls, count: int = 1) -> Any:
        """Return the first of several structs in an array."""
        memory = (cls._shape * count)()
        made = cls.__new__(cls)
        Pointer.__init__(made, ctypes.addressof(memory))
        made._kept = memory  # noqa: SLF001 - an instance of this class
        return made

    def c_sizeof(self) -> int:
        """Return the size in C, in bytes."""
        return ctypes.sizeof(self._shape)

    @classmethod
    def PROPERTIES(cls) -> list[str]:
        """Return the names of the members."""
        return list(cls._names)


def _member(kind: str, label: str, field: Any, made: dict[str, Any]) -> property:
    """Return a property for a member. Structs, texts and arrays are read-only."""
    size, offset = field.size, field.offset
    if kind in made and issubclass(made[kind], _Struct):

        def part(self: _Struct) -> Any:
            inner = made[kind].__new__(made[kind])
            Pointer.__init__(inner, int(self) + offset)
            inner._kept = self  # noqa: SLF001 - keeps the outer struct alive
            return inner

        return property(part)
    number, enum = _number(kind), made.get(kind)
    if label.partition("[")[0] in TEXTS:
        return property(lambda self: ctypes.string_at(int(self) + offset).decode())
    if "[" in label and "char" in kind:
        return property(lambda self: ctypes.string_at(int(self) + offset, size))
    if "[" in label:
        row = number * (size // ctypes.sizeof(number))
        return property(lambda self: list(row.from_address(int(self) + offset)))
    if kind in CLASSES:
        return property(
            lambda self: made[kind](number.from_address(int(self) + offset).value),
            lambda self, value: setattr(number.from_address(int(self) + offset), "value", int(Pointer(value))),
        )

    def get(self: _Struct) -> Any:
        value = number.from_address(int(self) + offset).value
        return enum(value) if enum else Pointer(value) if number is ctypes.c_void_p else value

    def put(self: _Struct, value: Any) -> None:
        if enum and not isinstance(value, enum):
            msg = f"'value' must be of type '{kind}'"
            raise TypeError(msg)
        number.from_address(int(self) + offset).value = int(Pointer(value)) if number is ctypes.c_void_p else value

    return property(get, put)


def _bit(number: int) -> property:
    """Return a property for a member of one bit."""

    def get(self: _Struct) -> int:
        return ctypes.c_uint32.from_address(int(self)).value >> number & 1

    def put(self: _Struct, value: int) -> None:
        word = ctypes.c_uint32.from_address(int(self))
        word.value = word.value & ~(1 << number) | (value & 1) << number

    return property(get, put)


def _shaped(name: str, shapes: dict[str, Any], made: dict[str, Any]) -> Any:
    """Return the shape of a struct.

    Add its class and its inner structs' classes to ``made``.
    """
    if name in shapes:
        return shapes[name]
    fields = []
    for kind, label in STRUCTS[name]:
        plain, _, count = label.partition("[")
        ctype = _shaped(kind, shapes, made) if kind in STRUCTS else _number(kind)
        fields.append((plain, ctype * int(count.rstrip("]")) if count else ctype))
    shape = type(name, (ctypes.Union if name in UNIONS else ctypes.Structure,), {"_fields_": fields})
    shown = [(k, label) for k, label in STRUCTS[name] if label not in UNNAMED.get(name, ())]
    parts = {
        label.partition("[")[0]: _member(kind, label, getattr(shape, label.partition("[")[0]), made)
        for kind, label in shown
    }
    if name == "hipDeviceArch_t":
        parts = {label: _bit(number) for number, label in enumerate(ARCHITECTURE)}
    made[name] = type(name, (_Struct,), {"_shape": shape, "_names": tuple(parts), **parts})
    shapes[name] = shape
    return shape


def _stand_ins() -> SimpleNamespace:
    """Return the fallback for ``rocm.bindings.hip``."""
    made: dict[str, Any] = {}
    for name, members in ENUMS.items():
        base = IntEnum(f"_{name}__Base", {})  # type: ignore[misc] # it has no members
        made[name] = base(name, members)  # type: ignore[call-arg,arg-type] # an empty enum makes others
    made |= {name: type(name, (Pointer,), {}) for name in CLASSES.values()}
    made |= {name: made[of] for name, of in CLASSES.items()}
    shapes: dict[str, Any] = {}
    for name in (*TAKEN, *UNIONS):
        _shaped(name, shapes, made)
    made |= {name: made[of] for name, of in ALIASES.items()}
    return SimpleNamespace(**made, **DESCRIPTION.constants)


def _number(kind: str) -> Any:
    """Return the ctypes type of a member that is not a struct. Enums are ints."""
    return ctypes.c_void_p if kind in CLASSES else NUMBERS.get(kind, ctypes.c_int)


def _installed(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


MODULE = "rocm.bindings.hip"
INSTALLED = _installed(MODULE)
hip_binding: Any = INSTALLED or _stand_ins()
"""``rocm.bindings.hip``, or its fallback."""
types: Any = (
    import_module("rocm.bindings.util.types")
    if INSTALLED
    else SimpleNamespace(Pointer=Pointer, DeviceArray=DeviceArray, CStr=CStr, ListOfUnsigned=ListOfUnsigned)
)
"""``rocm.bindings.util.types``, or its fallback."""
