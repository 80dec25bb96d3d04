"""The struct classes of cuda.bindings.

They are made from the description in :mod:`fakecuda.spec`.
Members are read and written in the memory of the struct, by the binding's rules. Handles are objects of their classes,
arrays are lists, arrays of characters are bytes, and pointers to structs are lists of structs.
"""

from __future__ import annotations

import ctypes
import re
from typing import TYPE_CHECKING, Any, ClassVar

from fakecuda.reach.bindings.integers import ULL, enumerator
from fakecuda.reach.bindings.struct_members import Shapes, member_of
from fakecuda.spec.driver import ENUMS, STRUCTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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
    "anon_struct20": [
        ("unsigned int", one)
        for one in ("level", "layer", "offsetX", "offsetY", "offsetZ", "extentWidth", "extentHeight", "extentDepth")
    ],
    "anon_struct21": [("unsigned int", "layer"), ("unsigned long long", "offset"), ("unsigned long long", "size")],
    "anon_union12": [("CUmipmappedArray", "mipmap"), ("CUarray", "array")],  # in the order that the bindings print them
    "anon_union13": [("anon_struct20", "sparseLevel"), ("anon_struct21", "miptail")],
    "anon_union14": [("CUmemGenericAllocationHandle", "memHandle")],
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
    "CUarrayMapInfo": [
        ("CUresourcetype", "resourceType"),
        ("anon_union12", "resource"),
        ("CUarraySparseSubresourceType", "subresourceType"),
        ("anon_union13", "subresource"),
        ("CUmemOperationType", "memOperationType"),
        ("CUmemHandleType", "memHandleType"),
        ("anon_union14", "memHandle"),
        ("unsigned long long", "offset"),
        ("unsigned int", "deviceBitMask"),
        ("unsigned int", "flags"),
        ("unsigned int", "reserved[2]"),
    ],
    "CUmemFabricHandle": [("char", "data[64]")],
    "CUexecAffinityParam": [("CUexecAffinityType", "type"), ("anon_union4", "param")],
    "CUmemLocation": [*STRUCTS["CUmemLocation"], ("anon_struct22", "localized")],
}
"""The members of the struct classes that calls take, by class."""
SHARED = frozenset({"localized", "value64"})
"""Members that share their bytes with the previous member."""
UNSEEN = re.compile("reserved(?![A-Z])|unused")
"""Matches members that the classes do not have."""


SHAPES = Shapes(
    STRUCT_CLASSES,
    frozenset(NESTED),
    frozenset(
        {
            *("CUlaunchAttributeValue", "CUstreamAttrValue", "CUstreamBatchMemOpParams"),
            *(f"anon_union{number}" for number in (4, 5, 12, 13, 14)),
        }
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
        member = member_of(shapes.anonymous.get(kind, kind), label, int(length or 0), find, shapes)
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
