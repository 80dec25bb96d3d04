"""C layouts of the driver's types, which convert plain values to bytes and back.

They come from :mod:`fakecuda.spec`. Padding and reserved members, except for numbered ones, matter only to the layout.
The plain value of a struct is the tuple of its other members. A shorter tuple leaves the remaining members zero.
"""

from __future__ import annotations

import ctypes
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from fakecuda.spec.both import ENUMS, STRUCTS
from fakecuda.spec.sizes import BYTES

if TYPE_CHECKING:
    from realcuda.wire import Shapes

SCALARS = {
    "char": "b",
    "unsigned char": "B",
    "short": "h",
    "unsigned short": "H",
    "int": "i",
    "CUdevice": "i",
    "EGLint": "i",
    "unsigned": "I",
    "unsigned int": "I",
    "CUdeviceptr_v1": "I",
    "cuuint32_t": "I",
    "GLuint": "I",
    "GLenum": "I",
    "VdpDevice": "I",
    "long long": "l",
    "float": "f",
    "double": "d",
}
"""The struct code of each scalar C type; other types have 8 bytes (``L``)."""
FLAT_NESTED = {
    ("CUDA_ARRAY_SPARSE_PROPERTIES", "tileExtent"),
    ("CUmemAllocationProp", "allocFlags"),
    ("cudaArraySparseProperties", "tileExtent"),
}
"""Anonymous members that are structs, not unions."""
UNIONS = (
    "anon_union",
    "CUlaunchAttributeValue",
    "CUstreamBatchMemOpParams",
    "CUdevResource",
    "CUlaunchMem",
    "CUgraphNodeParams",
    "cudaGraphNodeParams",
)
HIDDEN = re.compile(r"^(_|reserved(?!\d$|[A-Z])|pad|unused)")
CTYPES: dict[str, Any] = {
    "b": ctypes.c_byte,
    "B": ctypes.c_ubyte,
    "h": ctypes.c_short,
    "H": ctypes.c_ushort,
    "i": ctypes.c_int,
    "I": ctypes.c_uint,
    "l": ctypes.c_long,
    "L": ctypes.c_ulong,
    "f": ctypes.c_float,
    "d": ctypes.c_double,
}


def code_of(ctype: str) -> str:
    """Return the ctypes code of a scalar C type."""
    return SCALARS.get(ctype) or ("i" if ctype in ENUMS or ctype == "CUresult" else "L")


@cache
def layout(ctype: str) -> type[ctypes.Structure] | None:
    """Return the ctypes structure of a C struct. None if it contains a union."""
    if ctype not in STRUCTS or ctype.startswith(UNIONS):
        return None
    fields: list[tuple[str, Any]] = []
    for kind, label in STRUCTS[ctype]:
        name, _, count = label.rstrip("]").partition("[")
        made: Any = ctypes.c_ubyte if kind == "char" else _member(kind)
        if made is None or ("__anon_pod" in kind and (ctype, name) not in FLAT_NESTED):
            return None
        fields.append((name, made * int(count) if count else made))
    return type(ctype, (ctypes.Structure,), {"_fields_": fields})


def _member(kind: str) -> Any:
    if kind in STRUCTS:
        return layout(kind)
    return ctypes.c_ubyte * BYTES[kind] if kind in BYTES else CTYPES[code_of(kind)]


def shapes() -> Shapes:
    """Return all struct types with a known layout, for :func:`realcuda.wire.encode`."""
    known: Shapes = {name: (size, ()) for name, size in BYTES.items()}
    for name, members in STRUCTS.items():
        made = layout(name)
        if made is not None and name not in BYTES:
            pointers = [label for kind, label in members if kind.endswith("*") and not kind.startswith("void")]
            known[name] = (ctypes.sizeof(made), tuple(getattr(made, label).offset for label in pointers))
    return known


def _known(ctype: str) -> type[ctypes.Structure]:
    made = layout(ctype)
    if made is None:
        msg = f"cannot convert a {ctype}: its layout is unknown, because it contains a union"
        raise TypeError(msg)
    return made


def pack(ctype: str, plain: tuple[Any, ...]) -> bytes:
    """Return the bytes of a struct for its plain value.

    Raises:
        TypeError: The layout is unknown, or the value has too many members.
    """
    made = _known(ctype)()
    _fill(made, plain)
    return bytes(made)


def unpack(ctype: str, content: bytes) -> tuple[Any, ...]:
    """Return the plain value of a struct for its bytes."""
    return _read(_known(ctype).from_buffer_copy(content))


def shown(struct: Any) -> list[str]:
    """Return the member names in a structure's plain value."""
    return [field[0] for field in struct._fields_ if not HIDDEN.match(field[0])]


def _fill(struct: Any, plain: Any) -> None:
    names = shown(struct)
    if not isinstance(plain, tuple) or len(plain) > len(names):
        msg = f"{type(struct).__name__} takes a tuple of ({', '.join(names)}), not {plain!r}"
        raise TypeError(msg)
    for name, value in zip(names, plain, strict=False):
        member = getattr(struct, name)
        if isinstance(member, ctypes.Structure):
            _fill(member, value)
        elif isinstance(member, ctypes.Array):
            member[:] = list(value.ljust(len(member), b"\0") if isinstance(value, bytes) else value)
        else:
            setattr(struct, name, value if isinstance(value, float) else int(value or 0))


def _read(struct: ctypes.Structure) -> tuple[Any, ...]:
    values = []
    for name in shown(struct):
        member = getattr(struct, name)
        if isinstance(member, ctypes.Structure):
            values.append(_read(member))
        else:
            values.append(_listed(name, member) if isinstance(member, ctypes.Array) else member)
    return tuple(values)


def _listed(name: str, member: Any) -> Any:
    """Return the plain value of an array: bytes for characters, or a tuple.

    The value of a name ends before its NUL.
    """
    if member._type_ is not ctypes.c_ubyte:
        return tuple(member)
    return bytes(member).partition(b"\0")[0] if name == "name" else bytes(member)
