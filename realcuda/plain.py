"""C-level calls with plain values as arguments and results.

``prepare`` returns the request for a child's operation ``c``, with the readers of its results in C order.
"""

from __future__ import annotations

import ctypes
import os
import struct
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from fakecuda.spec import launch_config, mem_ops, resources, restore_args, stream_values
from fakecuda.spec.both import CALLS, ENUMS
from fakecuda.spec.conventions import convention, key_of
from fakecuda.spec.descriptors import EXPORTS, IMPORTS
from fakecuda.spec.nvml import CALLS as NVML
from fakecuda.spec.sizes import BYTES
from realcuda import nvml
from realcuda.arguments import RESULTS
from realcuda.layouts import CTYPES, code_of, layout, pack, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fakecuda.spec.description import Function, Param

FABRIC = ENUMS["CUmemAllocationHandleType"]["CU_MEM_HANDLE_TYPE_FABRIC"]
POINTER = ENUMS["CUpointer_attribute"]
P2P_TOKENS = POINTER["CU_POINTER_ATTRIBUTE_P2P_TOKENS"]
DEVICE_ORDINAL = POINTER["CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL"]
ACCESSED_BY = ENUMS["CUmem_range_attribute"]["CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY"]
STREAM_VALUES = {"CUstreamAttrValue", "cudaStreamAttrValue"}
SIGNED = ctypes.sizeof(ctypes.c_int)
PLACE_OF_ATTRIBUTES = 40
"""The offset of the pointer to the attributes in a CUlaunchConfig."""
ROOM = 64 << 20
"""The maximum bytes by which a host buffer is extended to its claimed size."""
NAME = 4096
WORD = 8
CELL = 16
"""The size of memory for a pointer attribute."""
MOST = 4096
"""The maximum array elements to provide memory for."""


@frozen
class Request:
    """A C-level call that is ready to be sent.

    Attributes:
        symbol: The symbol to call.
        arguments: The (tag, content) of each argument, in the form of :mod:`realcuda.child`.
        descriptors: The descriptors to send.
        outs: The reader of each result, in C order. None for a result with a null pointer.
        buffers: The caller's host buffers that the call fills, in C order.
    """

    symbol: str
    arguments: list[tuple[str, Any]] = field(factory=list)
    descriptors: list[int] = field(factory=list)
    outs: list[Callable[[Any, list[int]], Any] | None] = field(factory=list)
    buffers: list[memoryview] = field(factory=list)


def prepare(name: str, inputs: Sequence[Any], null: str = "") -> Request:
    """Return the request of a call.

    Args:
        name: The call's name in the manual.
        inputs: The plain values of all input parameters, in C order.
        null: Names of the results whose pointers are null, separated by spaces.

    Raises:
        TypeError: The number of inputs is wrong, a name in ``null`` is unknown, or the layout of a type is unknown.
    """
    call = CALLS.get(name) or NVML[name]
    nulls = set(null.split())
    if len(inputs) != len(call.inputs) or not nulls <= {p.name for p in call.outputs}:
        expected = ", ".join(p.name for p in call.inputs)
        results = ", ".join(p.name for p in call.outputs)
        msg = f"{name} takes ({expected}), and null= one of ({results}); given {len(inputs)} inputs, null={null!r}"
        raise TypeError(msg)
    given = dict(zip((p.name for p in call.inputs), inputs, strict=True))
    request = Request(call.symbol)
    if name in NVML:
        request.arguments[:], request.outs[:] = nvml.arguments(name, inputs, nulls)
        return request
    for param in call.params:
        if param.name in nulls:
            request.arguments.append(("null", None))
            request.outs.append(None)
        elif param.role == "inout":
            tag, content, reader = _both(param, given[param.name])
            request.arguments.append((tag, content))
            request.outs.append(reader)
        elif param.role in {"out", "string_out"}:
            tag, content, reader = _result(call, param, given)
            request.arguments.append((tag, content))
            request.outs.append(reader)
        else:
            request.arguments.append(_input(call, param, given, request))
    return request


def finish(request: Request, code: int, results: list[Any], descriptors: list[int]) -> tuple[Any, ...]:
    """Return ``(code, *results)`` as plain values, and fill the caller's buffers.

    A failure has results of None.
    """
    if request.symbol in NVML:
        return (code, *nvml.told(request.arguments, request.outs, results, code))
    tags = [tag for tag, _ in request.arguments if tag in RESULTS]
    filled = [content for tag, content in zip(tags, results, strict=True) if tag == "buffer"]
    for target, content in zip(request.buffers, filled, strict=True):
        target[:] = content
    contents = iter([content for tag, content in zip(tags, results, strict=True) if tag != "buffer"])
    outs = [None if reader is None else (reader, next(contents)) for reader in request.outs]
    return (code, *(None if out is None or code else out[0](out[1], descriptors) for out in outs))


def _input(call: Function, param: Param, given: dict[str, Any], request: Request) -> tuple[str, Any]:
    value = given[param.name]
    place = IMPORTS.get(call.name)
    if place and param is call.inputs[place[0]] and isinstance(value, int):
        return _descriptor(value, request) if given[call.inputs[place[1]].name] == place[2] else ("L", value)
    if param.kind == "host":
        return _buffer(param, value, given, request)
    if value is None:
        return ("null", None)
    if param.kind == "word":
        return ("in", int(value).to_bytes(WORD, "little"))
    if param.array and param.kind == "integer":
        return ("in", b"".join(bytes(CTYPES[code_of(param.type)](one)) for one in value))
    if param.type in STREAM_VALUES:
        return ("in", stream_values.pack(given["attr"], value))
    if param.type in resources.OF:
        return ("in", resources.pack(value, resources.OF[param.type]))
    if param.type == "CUlaunchConfig":
        return ("pointing", (*launch_config.pack(value, 0), PLACE_OF_ATTRIBUTES))
    if param.type == "CUcheckpointRestoreArgs":
        return ("pointing", (*restore_args.pack(value, 0), 0))
    if param.kind == "struct" and param.pointer and not isinstance(value, int):
        rows = value if param.array else (value,)
        if param.type == "CUstreamBatchMemOpParams":
            return ("in", b"".join(map(mem_ops.pack, rows)))
        return ("in", b"".join(pack(param.type, row) for row in rows))
    if isinstance(value, (bytes, bytearray)):
        if param.pointer:
            return ("in", bytes(value))
        return ("struct", bytes(value).ljust(BYTES.get(param.type, 0), b"\0"))
    if isinstance(value, tuple):
        return ("struct", pack(param.type, value))
    return ("L" if param.pointer else code_of(param.type), value if isinstance(value, float) else int(value))


def _both(param: Param, value: Any) -> tuple[str, Any, Callable[[Any, list[int]], Any] | None]:
    """Return how to pass and read an in-out number or struct."""
    if value is None:
        return ("null", None, None)
    if param.kind == "struct":
        return ("inout", pack(param.type, value), lambda content, _: unpack(param.type, content))
    if param.kind == "bytes":  # the parameters of a node
        return (
            "node",
            bytes(value),
            lambda content, _: content and struct.unpack(f"<{len(content) // WORD}Q", content),
        )
    kind = CTYPES[code_of(param.type)]
    return ("inout", bytes(kind(value)), lambda content, _: kind.from_buffer_copy(content).value)


def _descriptor(number: int, request: Request) -> tuple[str, Any]:
    try:
        os.fstat(number)
    except (OSError, OverflowError):
        return ("closed", number)
    request.descriptors.append(number)
    return ("descriptor", len(request.descriptors) - 1)


def _buffer(param: Param, value: Any, given: dict[str, Any], request: Request) -> tuple[str, Any]:
    if value is None:
        return ("null", None)
    if isinstance(value, int):
        return ("L", value)
    wanted = int(given.get(param.length, 0))
    room = wanted if 0 < wanted <= ROOM else 0
    if param.role == "buffer_in":
        return ("in", bytes(value).ljust(room, b"\0"))
    view = memoryview(value)
    if view.readonly and param.name == "src":  # of the runtime's copies, whose direction another argument tells
        return ("in", view.tobytes())
    if view.readonly:
        msg = f"{param.name} is filled in place: pass a writable buffer, an address or None, not {type(value).__name__}"
        raise TypeError(msg)
    request.buffers.append(view.cast("B"))
    return ("buffer", (view.tobytes(), room))


def _result(call: Function, param: Param, given: dict[str, Any]) -> tuple[str, Any, Callable[[Any, list[int]], Any]]:
    if param.role == "string_out":
        length = given.get(param.length, NAME)
        size = length if length > 0 else NAME
        return ("text" if param.kind == "string" else "out", size, _content)
    if param.array and param.count not in given:
        return _owned(call, param)
    if param.array:
        return _array(call, param, given)
    if param.kind == "bytes" and param.type == "char":
        return ("out", WORD, _content)
    if param.name == "returned":
        return ("returned", None, _content)
    if param.type == "char":
        return ("string", None, _content)
    place = EXPORTS.get(call.name)
    if place and param.kind in {"any", "integer"} and param.type == "void":
        kind = given[call.inputs[place[0]].name]
        if kind == place[1]:
            return ("descriptor_out", 8, lambda _, descriptors: descriptors[0])
        return ("out", 64, _content if kind == FABRIC else _unsigned)
    form = convention(call.name, param.name).form
    if form == "ints":
        size, kind = given["dataSize"], given[key_of(call, param)]
        return ("out", min(max(size, CELL), ROOM), lambda content, _: _numbers(kind, size, content))
    if param.kind == "any":
        attribute = given[key_of(call, param)] if form == "pointer_attribute" else 0
        return ("out", CELL, lambda content, _: _attribute(attribute, content))
    if param.type in BYTES:
        return ("out", BYTES[param.type], _content)
    if param.kind == "bytes":
        return ("out", 8, _content)
    if param.type in resources.OF:
        layouts = resources.OF[param.type]
        return ("out", resources.SIZE, lambda content, _: resources.unpack(content, layouts))
    if param.type in STREAM_VALUES:
        attribute = given["attr"]
        return ("out", stream_values.SIZE, lambda content, _: stream_values.unpack(attribute, content))
    if param.kind == "struct":
        made = layout(param.type)
        if made is None:
            msg = f"cannot make {call.name}: the layout of {param.type} is unknown, because it contains a union"
            raise TypeError(msg)
        return ("out", ctypes.sizeof(made), lambda content, _: unpack(param.type, content))
    kind = CTYPES[code_of(param.type)]
    return ("out", ctypes.sizeof(kind), lambda content, _: kind.from_buffer_copy(content).value)


def _owned(call: Function, param: Param) -> tuple[str, Any, Callable[[Any, list[int]], Any]]:
    """Return how to pass and read a result array that the driver owns.

    Another result is its length.
    """
    place = next(number for number, one in enumerate(call.params) if one.name == param.count)
    made = layout(param.type) if param.kind == "struct" else CTYPES[code_of(param.type)]
    size = ctypes.sizeof(made or ctypes.Structure)

    def read(content: bytes, _: list[int]) -> tuple[Any, ...]:
        parts = [content[start : start + size] for start in range(0, len(content), size)]
        if param.kind == "struct":
            return tuple(unpack(param.type, part) for part in parts)
        return tuple(int.from_bytes(part, "little") for part in parts)

    return ("owned", (size, place), read)


def _array(call: Function, param: Param, given: dict[str, Any]) -> tuple[str, Any, Callable[[Any, list[int]], Any]]:
    """Return how to pass and read a result array; an input gives its length."""
    count = min(max(int(given[param.count] or 0), 0), MOST)
    if convention(call.name, param.name).form == "int_lists":
        sizes = tuple(given["dataSizes"] or ())[:count]
        width = min(max((CELL, *sizes)), ROOM)
        asked = tuple(zip(tuple(given["attributes"] or ())[:count], sizes, strict=False))
        return (
            "cells",
            (count, width),
            lambda content, _: tuple(_numbers(*one, content[width * n :][:width]) for n, one in enumerate(asked)),
        )
    if param.kind == "any":  # an array of pointers, each to a cell
        kinds = tuple(given["attributes"] or ())[:count]
        return (
            "cells",
            (count, CELL),
            lambda content, _: tuple(_attribute(kind, content[CELL * n :][:CELL]) for n, kind in enumerate(kinds)),
        )
    if param.kind == "struct":
        size = ctypes.sizeof(layout(param.type) or ctypes.Structure)
        return (
            "out",
            size * count,
            lambda content, _: tuple(unpack(param.type, content[size * n :][:size]) for n in range(count)),
        )
    kind = CTYPES[code_of(param.type)]
    return ("out", ctypes.sizeof(kind) * count, lambda content, _: tuple((kind * count).from_buffer_copy(content)))


def _attribute(attribute: int, content: bytes) -> int | bytes:
    """Return a pointer attribute of any width from a zeroed cell.

    Only the ordinal is signed.
    """
    if attribute == P2P_TOKENS:
        return content
    return _signed(content) if attribute == DEVICE_ORDINAL else int.from_bytes(content[:WORD], "little")


def _numbers(attribute: int, size: int, content: bytes) -> int | tuple[int, ...]:
    """Return an attribute of a range: a number, or several for ACCESSED_BY.

    The size says for how many numbers there is room.
    """
    if attribute != ACCESSED_BY:
        return _signed(content)
    return tuple(_signed(content[at:]) for at in range(0, size, SIGNED))


def _content(content: Any, _: list[int]) -> Any:
    return content


def _unsigned(content: bytes, _: list[int]) -> int:
    return int.from_bytes(content[:8], "little")


def _signed(content: bytes) -> int:
    return int.from_bytes(content[:SIGNED], "little", signed=True)
