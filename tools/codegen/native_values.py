"""The expressions that read inputs and write results through C pointers, for :mod:`tools.codegen.native`."""

from __future__ import annotations

from struct import calcsize
from typing import TYPE_CHECKING

from fakecuda.rules.registry import HIP
from fakecuda.spec import both, hip
from fakecuda.spec.conventions import convention, key_of
from fakecuda.spec.layouts import CODES, HIDDEN
from fakecuda.spec.sizes import BYTES

if TYPE_CHECKING:
    from fakecuda.spec.description import Function, Param

ENUMS, STRUCTS = both.ENUMS | hip.ENUMS, both.STRUCTS | hip.STRUCTS
WIDTHS = {code: calcsize(code) for code in "bBHiIfqQ"}
TEXT = ".partition(b'\\0')[0]"
NUMBERS = {"i": "c_int32", "I": "c_uint32", "Q": "c_uint64", "f": "c_float"}
READ_IF_GIVEN = {
    "CUDA_RESOURCE_DESC": "read_resource({pointer})",
    "CUcheckpointRestoreArgs": "read_restore_args({pointer})",
    "CUlaunchConfig": "read_launch_config({pointer})",
    "CUstreamAttrValue": "read_stream_value({pointer}, {key})",
    "cudaResourceDesc": "read_runtime_resource({pointer})",
    "cudaStreamAttrValue": "read_stream_value({pointer}, {key})",
    "pointer_attribute": "c_uint32.from_address({pointer}).value",
    "size_word": "c_uint64.from_address({pointer}).value",
}
"""How to read inputs that a null pointer leaves out, by form or else by type."""
READ = {
    **{what: f"{how} if {{pointer}} else None" for what, how in READ_IF_GIVEN.items()},
    "CUstreamBatchMemOpParams": "read_mem_ops({pointer}, {key})",
    "extents": "extents({pointer}, {key}, {size}, less={less})",
    "pool_word": "read_pool_attribute({pointer}, {key})",
    "shareable": "read_shareable({pointer}, {key})",
}
"""How to read inputs, by form or else by type."""
WRITE = {
    "CUDA_RESOURCE_DESC": "write_resource({pointer}, {value})",
    "CUstreamAttrValue": "write_stream_value({pointer}, {key}, {value})",
    "cudaResourceDesc": "write_runtime_resource({pointer}, {value})",
    "cudaStreamAttrValue": "write_stream_value({pointer}, {key}, {value})",
    "device_name": "write_name({pointer}, {value}, {key})",
    "dma_buf": "put_int32(MEMORY, {pointer}, {value})",
    "int_lists": "write_number_lists({pointer}, {value})",
    "ints": "write_numbers({pointer}, {value})",
    "pointer_attribute": "write_attribute({pointer}, {key}, {value})",
    "pointer_attributes": "write_attributes({pointer}, {key}, {value})",
    "pool_word": "write_pool_attribute({pointer}, {key}, {value})",
    "shareable": "write_shareable({pointer}, {value})",
}
"""How to write results, by form or else by type."""
HIP_READ = {
    "address": "{pointer}",
    "hipStreamBatchMemOpParams_union": "mem_ops_at({pointer}, {key})",
    "int32": "number_at({pointer})",
    "pointer_attribute": "number_at({pointer})",
    "pool_word": "word({pointer}, {key})",
    "shareable": "{pointer}",
}
HIP_WRITE = {
    "dma_buf": "put_int({pointer}, {value})",
    "int32": "put_int({pointer}, {value})",
    "int_lists": "put_number_lists({pointer}, {value})",
    "ints": "put_numbers({pointer}, {value})",
    "pointer_attribute": "put_attribute({pointer}, {value}, {key})",
    "pointer_attributes": "put_attributes({pointer}, {value}, given)",
    "pool_word": "put_word({pointer}, {value}, {key})",
    "shareable": "put_int({pointer}, {value})",
}
"""The ways to write HIP's results; attribute arrays are first read as ``given``."""


def code_of(ctype: str) -> str:
    """Return the code of a type, as in :mod:`struct`."""
    return CODES.get(ctype) or ("i" if ctype in ENUMS else "Q")


def layout(name: str, at: int = 0) -> tuple[str, int, int, list[str], str]:
    """Return a struct's format, end, alignment, places and shape.

    The places are those of its values in the plain tuple. The shape is that of the tuple.
    """
    text, widest = "", 1
    places: list[str] = []
    shapes: list[str] = []
    for ctype, label in STRUCTS[name]:
        member, _, count = label.rstrip("]").partition("[")
        hidden = HIDDEN.match(member) is not None
        index = f"[{len(shapes)}]"
        if ctype in STRUCTS and ctype not in BYTES and not count:
            inner, end, align, inside, shape = layout(ctype, at)
            padding = 0
            places += [index + place for place in inside]
            shapes.append(shape)
        else:
            code = code_of(ctype)
            align = 1 if ctype in BYTES else WIDTHS[code]
            padding = -at % align
            width = BYTES.get(ctype) or align * int(count or 1)
            inner, end = (f"{width}x" if hidden or count else code), at + padding + width
            if not hidden and (ctype in BYTES or (count and ctype == "char")):
                inner = f"{width}s"
                places.append(index)
                shapes.append("{}" + TEXT * (member == "name"))
            elif count and not hidden:
                inner = code * int(count)
                places += [f"{index}[{n}]" for n in range(int(count))]
                shapes.append(f"({', '.join(['{}'] * int(count))})")
            elif not hidden:
                places.append(index)
                shapes.append("{}")
        text += (f"{padding}x" if padding else "") + inner
        at, widest = end, max(widest, align)
    tail = -at % widest
    text += f"{tail}x" if tail else ""
    return text, at + tail, widest, places, f"({', '.join(shapes)}{',' * (len(shapes) == 1)})"


def is_by_value(param: Param) -> bool:
    """Return whether a parameter is a struct that C passes by value."""
    return (param.type in BYTES or param.kind == "struct") and not param.pointer


def read(call: Function, param: Param, label: dict[str, str]) -> str:
    """Return the expression for an input's plain value."""
    name = label[param.name]
    count = label.get(param.count, "")
    if most := convention(call.name, param.count).at_most:
        count = f"min({count}, {label[most]})"
    if call.name in HIP.calls and count:
        low = "max({}, 0)" if next(p.type for p in call.params if p.name == param.count) == "int" else "{}"
        count = f"min({low.format(count)}, MOST)"
    if made := special(call, param, label, HIP_READ if call.name in HIP.calls else READ):
        return made
    if param.role == "inout" and param.kind == "word":
        return f"{NUMBERS[code_of(param.type)]}.from_address({name}).value if {name} else None"
    if param.array and param.kind in {"integer", "any"}:
        code = "Q" if param.type == "void" else code_of(param.type)
        length = f"many({name}, {calcsize(code)}, {count})"
        return f"tuple(({NUMBERS[code]} * {length}).from_address({name})) if {name} else None"
    if param.role == "string_in":
        return f"{'image_at' if param.type == 'void' else 'string_at'}({name}) if {name} else None"
    if param.kind == "bytes":
        size = BYTES[param.type]
        return f"bytes({name})" if is_by_value(param) else f"string_at({name}, {size}) if {name} else None"
    if param.kind == "struct" and not param.pointer:
        return f"_{param.type}.unpack(bytes({name}))"  # such structs contain no other structs
    if param.kind == "struct":
        if not param.count:
            return f"read_{param.type}({name}) if {name} else None"
        size = layout(param.type)[1]
        each = f"read_{param.type}({name} + {size} * n) for n in range(many({name}, {size}, {count}))"
        return f"tuple({each}) if {name} else None"
    if param.kind in {"any", "host", "integer"}:
        return name
    raise NotImplementedError(_unknown(call, param))


def special(call: Function, param: Param, label: dict[str, str], how: dict[str, str], value: str = "") -> str:
    """Return the expression for a parameter with a form or a type that ``how`` has; empty for others."""
    known = convention(call.name, param.name)
    code = code_of(param.type)
    return how.get(known.form or param.type, "").format(
        pointer=label[param.name],
        key=label.get(key_of(call, param), ""),
        size=calcsize(code) * (-1 if code.islower() else 1),
        less=known.less,
        value=value,
    )


def written(call: Function, param: Param, label: dict[str, str], value: str) -> str:
    """Return the statement that writes a result through its pointer."""
    name = label[param.name]
    if made := special(call, param, label, HIP_WRITE if call.name in HIP.calls else WRITE, value):
        return made
    if param.role == "inout" and param.kind == "bytes":
        return f"tell(MEMORY, {name}, {value})"
    if param.array and any(p.name == param.count and p.role == "out" for p in call.params):
        find = "edges_at" if param.kind == "struct" else "numbers_at"
        return f"put_uint64(MEMORY, {name}, {find}({value}))"
    if param.array and param.kind == "struct":
        return f"write_each(write_{param.type}, {name}, {layout(param.type)[1]}, {value})"
    if param.array:
        code = code_of(param.type)
        counted = any(p.name == param.count and p.role == "inout" for p in call.params)
        length = f"many({name}, {calcsize(code)}, len({value}))" if counted else f"len({value})"
        return f"({NUMBERS[code]} * {length}).from_address({name})[:] = {value}"
    if param.role == "string_out":
        return f'memmove({name}, {value} + b"\\0", len({value}) + 1)'
    if param.kind == "string":
        return f"put_uint64(MEMORY, {name}, text_at({value}))"
    if param.kind in {"any", "bytes"}:
        return f"memmove({name}, {value}, len({value}))"
    if param.kind == "struct":
        return f"write_{param.type}({name}, {value})"
    if param.kind in {"integer", "word"}:
        return f"put_{NUMBERS[code_of(param.type)].removeprefix('c_')}(MEMORY, {name}, {value})"
    raise NotImplementedError(_unknown(call, param))


def _unknown(call: Function, param: Param) -> str:
    return f"{call.name}: no known {param.role} parameter like {param.name} ({param.kind} {param.type})"
