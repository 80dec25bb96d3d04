"""The struct classes of cuda.bindings.

They are made from the description in :mod:`fakecuda.spec`.
Members are read and written in the memory of the struct, by the binding's rules. Handles are objects of their classes,
arrays are lists, arrays of characters are bytes, and pointers to structs are lists of structs.
"""

from __future__ import annotations

import ctypes
import re
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import field, frozen

from fakecuda.reach.bindings.arrays import given, wrong_type
from fakecuda.reach.bindings.integers import INTEGERS, ULL, enumerator
from fakecuda.reach.bindings.pointers import host, kernel_params
from fakecuda.spec.driver import ENUMS, STRUCTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

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
    "long": ctypes.c_long,
    "float": ctypes.c_float,
}
ANONYMOUS = {
    "cuda_bindings_driver__anon_pod5": "anon_struct1",
    "cuda_bindings_driver__anon_pod6": "anon_struct2",
    "cuda_bindings_driver__anon_pod7": "anon_struct3",
    "cuda_bindings_driver__anon_pod8": "anon_struct4",
    "cuda_bindings_driver__anon_pod9": "anon_struct5",
    "cuda_bindings_driver__anon_pod11": "anon_struct6",
    "cuda_bindings_driver__anon_pod12": "anon_union5",
    "cuda_bindings_driver__anon_pod13": "anon_struct7",
    "cuda_bindings_driver__anon_pod14": "anon_struct8",
    "cuda_bindings_driver__anon_pod15": "anon_struct9",
    "cuda_bindings_driver__anon_pod16": "anon_struct10",
    "cuda_bindings_driver__anon_pod17": "anon_struct11",
    "cuda_bindings_driver__anon_pod39": "anon_struct23",
}
"""Types without a name: their names in the description, and in the binding."""
OPERATION = ("CUstreamBatchMemOpType", "operation")
WAIT = [
    OPERATION,
    ("CUdeviceptr", "address"),
    ("cuuint32_t", "value"),
    ("cuuint64_t", "value64"),
    ("unsigned int", "flags"),
    ("CUdeviceptr", "alias"),
]
NESTED: dict[str, list[tuple[str, str]]] = {
    **{name: STRUCTS[label] for label, name in ANONYMOUS.items()},
    # A union with one member, which the description leaves out.
    "anon_union4": [("CUexecAffinitySmCount", "smCount")],
    # cuda.h declares these inside other structs.
    "anon_struct22": [("unsigned char", "deviceId"), ("unsigned char", "localityDomainId")],
    "CUstreamMemOpWaitValueParams_st": WAIT,
    "CUstreamMemOpWriteValueParams_st": WAIT,
    "CUstreamMemOpFlushRemoteWritesParams_st": [OPERATION, ("unsigned int", "flags")],
    "CUstreamMemOpMemoryBarrierParams_st": [OPERATION, ("unsigned int", "flags")],
    "CUstreamMemOpAtomicReductionParams_st": [
        OPERATION,
        ("unsigned int", "flags"),
        ("CUstreamAtomicReductionOpType", "reductionOp"),
        ("CUstreamAtomicReductionDataType", "dataType"),
        ("CUdeviceptr", "address"),
        ("cuuint64_t", "value"),
        ("CUdeviceptr", "alias"),
    ],
}
"""Classes whose objects exist only as members of other structs."""
NAMED = [
    "CUDA_ARRAY3D_DESCRIPTOR",
    "CUDA_ARRAY_DESCRIPTOR",
    "CUDA_BATCH_MEM_OP_NODE_PARAMS",
    "CUDA_ARRAY_MEMORY_REQUIREMENTS",
    "CUDA_ARRAY_SPARSE_PROPERTIES",
    "CUDA_MEMCPY2D",
    "CUDA_MEM_ALLOC_NODE_PARAMS",
    "CUDA_MEMCPY3D",
    "CUDA_GRAPH_INSTANTIATE_PARAMS",
    "CUDA_HOST_NODE_PARAMS",
    "CUDA_KERNEL_NODE_PARAMS",
    "CUDA_RESOURCE_DESC",
    "CUDA_RESOURCE_VIEW_DESC",
    "CUDA_TEXTURE_DESC",
    "CUDA_MEMCPY3D_PEER",
    "CUDA_MEMSET_NODE_PARAMS",
    "CUaccessPolicyWindow",
    "CUctxCigParam",
    "CUctxCreateParams",
    "CUdevprop",
    "CUexecAffinityParam",
    "CUexecAffinitySmCount",
    "CUgraphEdgeData",
    "CUgraphExecUpdateResultInfo",
    "CUipcEventHandle",
    "CUipcMemHandle",
    "CUlaunchAttribute",
    "CUlaunchAttributeValue",
    "CUlaunchConfig",
    "CUlaunchMemSyncDomainMap",
    "CUmemAccessDesc",
    "CUmemAllocationProp",
    "CUmemPoolProps",
    "CUmemPoolPtrExportData",
    "CUmemcpyAttributes",
    "CUmulticastObjectProp",
    "CUstreamAttrValue",
    "CUstreamBatchMemOpParams",
    "CUtensorMap",
    "CUuuid",
]
STRUCT_CLASSES: dict[str, list[tuple[str, str]]] = {
    **{name: STRUCTS[name] for name in NAMED},
    **NESTED,
    "CUDA_POINTER_ATTRIBUTE_P2P_TOKENS": [("unsigned long long", "p2pToken"), ("unsigned int", "vaSpaceToken")],
    "CUmemFabricHandle": [("char", "data[64]")],
    "CUexecAffinityParam": [("CUexecAffinityType", "type"), ("anon_union4", "param")],
    "CUmemLocation": [*STRUCTS["CUmemLocation"], ("anon_struct22", "localized")],
}
"""The members of structs that calls on memory, contexts, devices and streams take, by class."""
SHARED = frozenset({"localized", "value64"})
"""Members that share their bytes with the previous member."""
UNSEEN = re.compile("reserved(?![A-Z])|unused")
"""Matches members that the classes do not show."""
READ_ONLY = "bytes"
IN_HEX = {READ_ONLY, "luid"}
NAME = "name"
"""A text with a terminating zero."""


@frozen
class Shapes:
    """The struct classes of a module of cuda.bindings.

    Attributes:
        classes: The members of each class, as pairs of type and name.
        nested: Classes whose objects exist only as members of other structs.
        unions: Classes that are unions.
        enums: The module's enums.
        enumerator: Returns the coercion of a member's new values, by the name of its enum.
        anonymous: Class names of types without a name.
        beginnings: The first bytes of new structs that are not zero, by class.
    """

    classes: dict[str, list[tuple[str, str]]]
    nested: frozenset[str]
    unions: frozenset[str]
    enums: Mapping[str, object]
    enumerator: Callable[[str], Callable[[Any], int]]
    anonymous: dict[str, str]
    beginnings: Mapping[str, bytes] = field(factory=dict)


SHAPES = Shapes(
    STRUCT_CLASSES,
    frozenset(NESTED),
    frozenset(
        {"CUlaunchAttributeValue", "CUstreamAttrValue", "CUstreamBatchMemOpParams", "anon_union4", "anon_union5"}
    ),
    ENUMS,
    enumerator,
    ANONYMOUS,
)


class Struct:
    """Base of the struct classes: a C struct in its own memory or at an address."""

    __slots__ = ("_kept", "_raw")
    layout: ClassVar[type[ctypes.Structure | ctypes.Union]]
    fields: ClassVar[dict[str, Callable[[Any], str]]]
    _beginning: ClassVar[bytes] = b""

    def __init__(self, _ptr: int = 0) -> None:
        address = ULL(_ptr)
        self._raw = self.layout.from_address(address) if address else self.layout()
        if self._beginning and not address:
            ctypes.memmove(ctypes.addressof(self._raw), self._beginning, len(self._beginning))
        self._kept: dict[str, Any] = {}

    def __repr__(self) -> str:
        return "\n".join(line for name, shown in self.fields.items() for line in self._lines(name, shown))

    def _lines(self, name: str, shown: Callable[[Any], str]) -> Iterator[str]:
        try:
            value = getattr(self, name)
        except ValueError:
            # The enum has no member with this value.
            yield f"{name} : <ValueError>"
            return
        if isinstance(value, Struct):
            yield f"{name} :"
            yield from (f"    {line}" for line in repr(value).splitlines())
        else:
            yield f"{name} : {shown(value)}"

    def getPtr(self) -> int:
        """Return the address of the struct."""
        return ctypes.addressof(self._raw)


class Nested(Struct):
    """Base of classes whose objects are members of other structs."""

    __slots__ = ()

    def __init__(self, _ptr: int) -> None:
        super().__init__(_ptr)


@frozen
class Member:
    """A member of a struct.

    Attributes:
        raw: Its ctypes type.
        access: The property for reading and writing it.
        shown: Returns the text for its value.
    """

    raw: Any
    access: property
    shown: Callable[[Any], str] = repr


def struct_class(name: str, space: dict[str, Any], find: Callable[[str], Any], shapes: Shapes) -> type[Struct]:
    """Return a struct class.

    Args:
        name: A key of ``shapes.classes``.
        space: The attributes of the class besides its members.
        find: Returns the class of a member by its name.
        shapes: The classes of the module.
    """
    parts: list[list[tuple[str, Any]]] = []
    shown: dict[str, Callable[[Any], str]] = {}
    for kind, declared in shapes.classes[name]:
        label, _, length = declared.rstrip("]").partition("[")
        member = _member(shapes.anonymous.get(kind, kind), label, int(length or 0), find, shapes)
        if label not in SHARED:
            parts.append([])
        parts[-1].append((label, member.raw))
        if not UNSEEN.match(declared):
            space[label], shown[label] = member.access, member.shown
    base = Nested if name in shapes.nested else Struct
    space |= {"_beginning": shapes.beginnings.get(name, b"")}
    return type(name, (base,), space | {"fields": shown, "layout": _layout(parts, union=name in shapes.unions)})


def _layout(parts: Sequence[list[tuple[str, Any]]], *, union: bool) -> Any:
    """Return the ctypes class for members; each part has the members that share bytes."""
    both = [(f"_{part[0][0]}", _layout([[one] for one in part], union=True)) for part in parts if len(part) > 1]
    names = dict(both)
    fields = [(f"_{part[0][0]}", names[f"_{part[0][0]}"]) if len(part) > 1 else part[0] for part in parts]
    bases = (ctypes.Union if union else ctypes.Structure,)
    return type("Layout", bases, {"_anonymous_": tuple(names), "_fields_": fields})


def _member(kind: str, label: str, length: int, find: Callable[[str], Any], shapes: Shapes) -> Member:
    if label == NAME:
        return Member(ctypes.c_char * length, _string(label, length), _decoded)
    if kind in {"char", "unsigned char"} and length:
        return Member(CTYPES[kind] * length, _text(label, length), bytes.hex if label in IN_HEX else repr)
    if kind == "void*":
        return Member(ctypes.c_void_p, _address(label), hex)
    if kind == "void**":
        return Member(ctypes.c_void_p, _places(label))
    if kind.endswith("*"):
        return Member(ctypes.c_void_p, _list(label))
    if kind in shapes.classes:
        made = find(kind)
        return Member(made.layout, _nested(label, made))
    if kind in shapes.enums and length:
        made, convert = find(kind), shapes.enumerator(kind)
        return Member(ctypes.c_uint * length, _enums(label, length, convert, made))
    if kind == "float" and length:
        return Member(ctypes.c_float * length, _array(label, length, float, float))
    if kind in shapes.enums:
        return Member(ctypes.c_uint, _enum(label, find(kind), shapes.enumerator(kind)))
    if kind == "float":
        return Member(ctypes.c_float, _float(label))
    if kind in INTEGERS:
        raw, convert, made = CTYPES[kind], INTEGERS[kind], int
    else:
        made = find(kind)
        raw, convert = CTYPES[made.kind], lambda value: int(made(value))
    if length:
        return Member(raw * length, _array(label, length, convert, made))
    if made is not int:
        return Member(raw, _number(label, lambda value: 0 if value is None else convert(value), made))
    return Member(raw, _number(label, convert, made))


def _number(label: str, convert: Callable[[Any], int], made: Callable[[int], Any]) -> property:
    def write(self: Any, value: Any) -> None:
        setattr(self._raw, label, convert(value))

    return property(lambda self: made(getattr(self._raw, label)), write)


def _float(label: str) -> property:
    def write(self: Any, value: Any) -> None:
        setattr(self._raw, label, value)

    return property(lambda self: getattr(self._raw, label), write)


def _enum(label: str, kind: Any, convert: Callable[[Any], int]) -> property:
    def write(self: Any, value: Any) -> None:
        given(value, label)
        setattr(self._raw, label, convert(value))

    return property(lambda self: kind(getattr(self._raw, label)), write)


def _array(label: str, length: int, convert: Callable[[Any], float], made: Callable[[Any], Any]) -> property:
    def write(self: Any, value: Any) -> None:
        getattr(self._raw, label)[:] = [convert(item) for item in _as_many(value, length)]

    return property(lambda self: [made(item) for item in getattr(self._raw, label)], write)


def _enums(label: str, length: int, convert: Callable[[Any], int], made: Callable[[int], Any]) -> property:
    """Return the property for a list of enum members.

    All are converted before they are counted.
    """

    def write(self: Any, value: Any) -> None:
        getattr(self._raw, label)[:] = _as_many([convert(item) for item in value], length)

    return property(lambda self: [made(item) for item in getattr(self._raw, label)], write)


def _as_many(value: Any, length: int) -> list[Any]:
    items = list(value)
    if len(items) != length:
        few = f"not enough values found during array assignment, expected {length}, got {len(items)}"
        many = f"too many values found during array assignment, expected {length}"
        raise IndexError(few if len(items) < length else many)
    return items


def _string(label: str, length: int) -> property:
    """Return the property for a text with a terminating zero.

    The text is read up to the zero and written in full.
    """

    def write(self: Any, value: Any) -> None:
        letters = [INTEGERS["char"](item) & 0xFF for item in _as_many(value, length)]
        ctypes.memmove(self.getPtr() + getattr(self.layout, label).offset, bytes(letters), length)

    return property(lambda self: getattr(self._raw, label), write)


def _decoded(text: bytes) -> str:
    try:
        return text.decode()
    except ValueError:
        return "<ValueError>"


def _text(label: str, length: int) -> property:
    def place(self: Any) -> int:
        return int(self.getPtr()) + int(getattr(self.layout, label).offset)

    def write(self: Any, value: Any) -> None:
        if len(value) != length:
            msg = f"{label} length must be {length}, is {len(value)}"
            raise ValueError(msg)
        ctypes.memmove(place(self), bytes(value), length)

    return property(lambda self: ctypes.string_at(place(self), length), None if label == READ_ONLY else write)


def _address(label: str) -> property:
    def write(self: Any, value: Any) -> None:
        address, self._kept[label] = host(value)
        setattr(self._raw, label, address)

    return property(lambda self: getattr(self._raw, label) or 0, write)


def _places(label: str) -> property:
    """Return the property for a pointer to pointers.

    It takes a number, or a kernel's arguments as for a launch.
    """

    def write(self: Any, value: Any) -> None:
        if label == "kernelParams" and not isinstance(value, int):
            plain = value is None or isinstance(value, tuple)
            address, self._kept[label] = kernel_params(value if plain else memoryview(value))
        else:
            address = ULL(value)
        setattr(self._raw, label, address)

    return property(lambda self: getattr(self._raw, label) or 0, write)


def _list(label: str) -> property:
    """Return the property for a pointer to structs.

    It takes a list, whose structs are copied into an array.
    """

    def write(self: Any, value: Any) -> None:
        data = b"".join(ctypes.string_at(item.getPtr(), ctypes.sizeof(item.layout)) for item in value)
        self._kept[label] = (list(value), ctypes.create_string_buffer(data, len(data)))
        setattr(self._raw, label, ctypes.addressof(self._kept[label][1]) if len(value) else 0)

    return property(lambda self: self._kept.get(label, ([], None))[0], write)


def _nested(label: str, kind: Any) -> property:
    def read(self: Any) -> Any:
        if label not in self._kept:
            view = self._kept[label] = kind(self.getPtr() + getattr(self.layout, label).offset)
            view._kept[""] = self  # noqa: SLF001 - the memory belongs to the whole struct
        return self._kept[label]

    def write(self: Any, value: Any) -> None:
        if not isinstance(value, kind):
            raise wrong_type(value, label, kind)
        ctypes.memmove(read(self).getPtr(), value.getPtr(), ctypes.sizeof(kind.layout))

    return property(read, write)
