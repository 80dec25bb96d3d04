"""HIP calls through C functions: plain arguments in C memory, and results from it."""

from __future__ import annotations

import ctypes
import struct
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from fakecuda.reach.bindings.generated import hip as layouts
from fakecuda.reach.native.generated.hip import ARGUMENTS, RETURNED
from fakecuda.reach.native.library import argument
from fakecuda.spec import hip, mem_ops
from fakecuda.spec.layouts import CODES, UNIONS
from fakecuda.spec.sizes import BYTES

if TYPE_CHECKING:
    from fakecuda.spec.description import Function, Param

ROOM = 8192
"""Bytes for a result of unknown size."""
OF_POINTER = ("hipDrvPointerGetAttributes", "hipPointerGetAttribute")
OF_RANGE = ("hipMemRangeGetAttributes", "hipMemRangeGetAttribute")
POINTED = (OF_POINTER[0], OF_RANGE[0])
"""Calls that return results through an array of pointers."""
CELL = 4096
"""Bytes of memory for each of these results."""
ORDINAL = hip.ENUMS["hipPointer_attribute"]["HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL"]
"""The only signed attribute of pointers."""
ACCESSED_BY = hip.ENUMS["hipMemRangeAttribute"]["hipMemRangeAttributeAccessedBy"]
"""The only attribute of ranges that is an array."""
UNWRITTEN = 0xA5A5A5A5
"""The content of an array that a call has not written."""
WIDE = 4
"""The first 8-byte attribute of pools."""


class Unsayable(Exception):  # noqa: N818 - a fact about a door
    """No argument of a door can express the case."""


HANDLES = {size for name, size in BYTES.items() if name.startswith("hip")}
"""Sizes of HIP values that are raw bytes."""


def flat(plain: Any) -> Any:
    """Return the members of a plain struct, flattened, with texts without padding."""
    if not isinstance(plain, tuple):
        return plain.rstrip(b"\0") if isinstance(plain, bytes) and len(plain) not in HANDLES else plain
    found: list[Any] = []
    for part in plain:
        inner = flat(part)
        found += inner if isinstance(inner, tuple) else [inner]
    return tuple(found)


def code_of(kind: str) -> str:
    """Return the format code of :mod:`struct` for a C type."""
    return CODES.get(kind) or ("i" if kind in hip.ENUMS else "Q")


def packed(kind: str, plain: Any) -> bytes:
    """Return a struct or a plain value as C stores it, by the tested layout."""
    if kind in UNIONS:
        return mem_ops.pack(plain)
    if kind in BYTES:
        return bytes(plain)
    layout = getattr(layouts, f"_{kind}_layout", None)
    if layout is None:
        return struct.pack(code_of("size_t" if kind == "void" else kind), plain)
    members = flat(plain)
    wanted = sum(part[-1:] != "x" for part in _parts(layout.format))
    return bytes(layout.pack(*members, *[0] * (wanted - len(members))))


def _parts(form: str) -> list[str]:
    found, digits = [], ""
    for letter in form.lstrip("@<"):
        if letter.isdigit():
            digits += letter
        else:
            found += [letter] * (int(digits or 1) if letter not in "sx" else 1)
            digits = ""
    return found


@frozen
class Through:
    """Makes calls by a door.

    Attributes:
        kept: Memory that C reads and writes.
    """

    kept: list[Any] = field(factory=list, init=False)

    def through(self, call: Function, given: dict[str, Any], missing: str) -> tuple[Any, ...]:
        """Make a call with its inputs by name; one of its results may be null."""
        raise NotImplementedError

    def memory(self, content: bytes | int) -> int:
        """Return the address of memory with a content, or of zeros."""
        size = content if isinstance(content, int) else len(content)
        buffer = ctypes.create_string_buffer(bytes(size) if isinstance(content, int) else content, max(size, 1))
        self.kept.append(buffer)
        return ctypes.addressof(buffer)

    def pointed(self, p: Param, value: Any) -> int:
        """Return the address of an input that C takes by pointer, or 0."""
        if value is None:
            return 0
        if p.role == "string_in":
            return self.memory(value + b"\0")
        if p.kind == "word":
            return self.memory(struct.pack("<Q", value))
        if p.array:
            return self.memory(b"".join(packed(p.type, one) for one in value) + bytes(8))
        if p.kind in {"struct", "bytes"} and not isinstance(value, int):
            return self.memory(packed(p.type, value))
        return int(value)

    def found(self, call: Function, p: Param, where: int, given: dict[str, Any]) -> Any:
        """Return the plain value of a result at an address."""
        if not where:
            return None
        if p.role == "string_out":
            return ctypes.string_at(where)
        if p.kind == "bytes":
            return ctypes.string_at(where, BYTES[p.type])
        if p.kind == "string":
            return ctypes.string_at(ctypes.c_uint64.from_address(where).value)
        if p.kind == "struct":
            layout = getattr(layouts, f"_{p.type}_layout")
            return flat(layout.unpack(ctypes.string_at(where, layout.size)))
        if call.name in (*OF_POINTER, *OF_RANGE):
            return self._attributes(call, where, given)
        if p.array:
            words = (ctypes.c_uint32 * min(given[p.count], ROOM // 4)).from_address(where)
            return tuple(takewhile(UNWRITTEN.__ne__, words))
        if p.kind == "word" and call.name == "hipMemPoolGetAttribute" and given["attr"] >= WIDE:
            return ctypes.c_uint64.from_address(where).value
        if p.kind in {"word", "any"}:
            return ctypes.c_int32.from_address(where).value
        form = code_of(p.type)
        return struct.unpack(form, ctypes.string_at(where, struct.calcsize(form)))[0]

    def _attributes(self, call: Function, where: int, given: dict[str, Any]) -> Any:
        """Return the attribute at an address, or a tuple of attributes it points to."""
        one = _of_pointer if call.name in OF_POINTER else _of_range
        if call.name not in POINTED:
            return one(where, given["attribute"], given.get("data_size", 0))
        asked = given["attributes"] or ()
        places = (ctypes.c_uint64 * len(asked)).from_address(where)
        return tuple(map(one, places, asked, given.get("data_sizes") or asked))


def _of_pointer(where: int, attribute: int, _: int) -> int:
    kind: Any = ctypes.c_int32 if attribute == ORDINAL else ctypes.c_uint64
    return int(kind.from_address(where).value)


def _of_range(where: int, attribute: int, size: int) -> int | tuple[int, ...]:
    if attribute == ACCESSED_BY:
        return tuple((ctypes.c_int32 * (size // 4)).from_address(where))
    return ctypes.c_int32.from_address(where).value


@frozen
class Native(Through):
    """C functions of a library that ctypes has loaded."""

    def through(self, call: Function, given: dict[str, Any], missing: str) -> tuple[Any, ...]:
        """Make the call."""
        function = ctypes.CDLL("libamdhip64.so.7")[call.symbol]
        function.argtypes = list(map(argument, ARGUMENTS[call.name]))
        params = [p for p in call.params if call.name not in RETURNED or p.name != "returned"]
        function.restype = ctypes.c_char_p if call.name in RETURNED else ctypes.c_uint32
        args, places = [], {}
        for p in params:
            if p.role in {"out", "string_out"}:
                # An array may be written in part; other results are as long as their type.
                content = (
                    UNWRITTEN.to_bytes(4, "little") * (ROOM // 4) if p.array and call.name not in POINTED else ROOM
                )
                places[p.name] = 0 if p.name == missing else self.memory(content)
                args.append(places[p.name])
            elif not p.pointer and (p.kind == "struct" or p.type in BYTES):
                content = packed(p.type, given[p.name])
                args.append(argument(f"S{len(content)}").from_buffer_copy(content))
            else:
                args.append(self.pointed(p, given[p.name]) if p.pointer else given[p.name])
        if call.name in POINTED and places["data"]:
            asked = given["attributes"] or ()
            (ctypes.c_uint64 * len(asked)).from_address(places["data"])[:] = [self.memory(CELL) for _ in asked]
        code = function(*args)
        if call.name in RETURNED:
            return 0, code
        if code:
            return (code, *[None] * len(call.outputs))
        return (0, *[self.found(call, p, places[p.name], given) for p in call.outputs])
