"""Writes the C functions of CUDA's and HIP's modelled calls.

They are straight-line code in ``native/generated``.
A function reads its C arguments, calls the operation, and after success writes the results through the caller's
pointers. It is made from the description of the call in :mod:`fakecuda.spec`. Functions of the runtime API get the
calling thread and may raise exceptions. Functions of the driver API find the thread and always return an answer.
"""

from __future__ import annotations

import builtins
import keyword
import re
from pathlib import Path
from struct import calcsize
from typing import TYPE_CHECKING

import fakecuda
from fakecuda.rules.registry import DRIVER, HIP, RUNTIME
from fakecuda.spec import both, hip
from fakecuda.spec.conventions import convention, key_of
from fakecuda.spec.layouts import CODES, HIDDEN, POINTING, UNIONS
from fakecuda.spec.sizes import BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.rules.registry import Api
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
"""The same for HIP. Its arrays of attributes are first read as ``given``."""
FAILED_AT = "failIdx"
"""A result that a failed call writes, too."""
STATUSES = {"hipDriverEntryPointQueryResult", "hipDriverProcAddressQueryResult"}
"""Types of HIP's results that a failed call sets to "not found"."""
NOT_FOUND = 1
FINDERS = {"cuGetErrorName": "anyone", "cuGetErrorString": "anyone", "cuGetProcAddress": "nobody"}
"""Functions that find the thread for calls that work between machines."""
HEAD = '''"""The functions behind the stubs; written by ``python -m tools.codegen``, do not edit."""

from __future__ import annotations

from ctypes import c_float, c_int32, c_uint32, c_uint64, memmove, string_at
from struct import Struct
from typing import TYPE_CHECKING, Any

from fakecuda.rules.registry import DRIVER
from fakecuda.spec.node_params import tell
from fakecuda.model.code.image import image_at, sized_at
from fakecuda.model.memory.space import MEMORY
from fakecuda.model.os.threads import own
from fakecuda.reach.native.callbacks import SUCCESS, door
from fakecuda.reach.native.values import (
    edges_at,
    many,
    nulls,
    numbers_at,
    extents,
    many,
    nulls,
    read_launch_config,
    read_mem_ops,
    read_pool_attribute,
    read_resource,
    read_restore_args,
    read_shareable,
    read_stream_value,
    text_at,
    write_attribute,
    write_attributes,
    write_each,
    write_name,
    write_number_lists,
    write_numbers,
    write_pool_attribute,
    write_resource,
    write_shareable,
    write_stream_value,
)
from fakecuda.rules.dispatch import late

if TYPE_CHECKING:
    from fakecuda.model.os.thread import Thread

anyone, failed, find, nobody = door.anyone, door.failed, door.find, door.nobody
threads: dict[int | str, Thread] = {}
"""The threads of the attached machine, by native id."""
'''
HIP_HEAD = '''"""The functions behind the stubs of HIP; written by ``python -m tools.codegen``, do not edit."""

from __future__ import annotations

from ctypes import c_float, c_int32, c_uint32, c_uint64, memmove, string_at
from struct import Struct
from typing import TYPE_CHECKING, Any

from fakecuda.rules.registry import HIP
from fakecuda.spec.hip_memory import (
    MOST,
    mem_ops_at,
    number_at,
    put_attribute,
    put_attributes,
    put_int,
    put_number_lists,
    put_numbers,
    put_word,
    word,
)
from fakecuda.model.memory.space import MEMORY
from fakecuda.model.os.threads import own
from fakecuda.reach.native.callbacks import SUCCESS, hip_door
from fakecuda.reach.native.values import many, nulls, text_at
from fakecuda.rules.dispatch import late

if TYPE_CHECKING:
    from fakecuda.model.os.thread import Thread

anyone, failed, failed_text, find = hip_door.anyone, hip_door.failed, hip_door.failed_text, hip_door.find
threads: dict[int | str, Thread] = {}
"""The threads of the attached machine, by native id."""
'''
RUNTIME_HEAD = '''"""The functions of libcudart; written by ``python -m tools.codegen``, do not edit."""

from __future__ import annotations

from ctypes import c_float, c_int32, c_uint32, c_uint64, memmove, string_at
from struct import Struct
from typing import TYPE_CHECKING, Any

from fakecuda.rules.registry import RUNTIME
from fakecuda.spec.node_params import tell
from fakecuda.model.code.image import image_at
from fakecuda.model.memory.space import MEMORY
from fakecuda.reach.native.values import (
    edges_at,
    many,
    nulls,
    numbers_at,
    read_pool_attribute,
    read_runtime_resource,
    read_shareable,
    read_stream_value,
    text_at,
    write_each,
    write_number_lists,
    write_numbers,
    write_pool_attribute,
    write_runtime_resource,
    write_shareable,
    write_stream_value,
)
from fakecuda.rules.dispatch import late

if TYPE_CHECKING:
    from fakecuda.model.call import Call
'''
PLACES = """put_float, put_int32, put_uint32, put_uint64 = (Struct(code).pack_into for code in "fiIQ")
"""
GENERATED = Path(fakecuda.__file__).parent / "reach" / "native" / "generated"
TAKEN = frozenset({"thread", "call", "own_stream", "code", "out", "error", *dir(builtins), *keyword.kwlist})


def files() -> dict[Path, str]:
    """Return the texts of the files, by path."""
    names = {"callbacks": (DRIVER, HEAD), "cudart": (RUNTIME, RUNTIME_HEAD), "hip": (HIP, HIP_HEAD)}
    return {GENERATED / f"{name}.py": render(*what) for name, what in names.items()}


def render(api: Api, head: str) -> str:
    """Return the text of a file for the calls of an API."""
    calls = [api.calls[name] for name in sorted(api.ops)]
    params = [p for call in calls for p in call.params]
    structs = sorted({p.type for p in params if p.kind == "struct" and p.type not in UNIONS | POINTING})
    tables = [] if api is DRIVER else list(_tables(calls))
    functions = ["\n".join(_runtime_function(call) if api is RUNTIME else _function(call, api)) for call in calls]
    parts = [
        head if "write_each(" in "".join(functions) else head.replace("    write_each,\n", ""),
        PLACES,
        *("\n".join(_struct(name, "".join(functions))) for name in structs),
        *functions,
        *tables,
    ]
    return "\n\n".join(part.strip("\n") + "\n" for part in parts).replace("\n\n\n\n", "\n\n\n")


def _code(ctype: str) -> str:
    return CODES.get(ctype) or ("i" if ctype in ENUMS else "Q")


def _layout(name: str, at: int = 0) -> tuple[str, int, int, list[str], str]:
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
            inner, end, align, inside, shape = _layout(ctype, at)
            padding = 0
            places += [index + place for place in inside]
            shapes.append(shape)
        else:
            code = _code(ctype)
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


def _struct(name: str, text: str) -> Iterator[str]:
    """Yield the functions for a struct that the text uses."""
    form, _, _, places, shape = _layout(name)
    values = [f"v{number}" for number in range(len(places))]
    yield f'_{name} = Struct("<{form}")'
    if f"read_{name}(" in text:
        yield ""
        yield ""
        yield f"def read_{name}(pointer: int) -> tuple[Any, ...]:"
        taken = ", ".join(values) if len(values) > 1 else f"({''.join(one + ',' for one in values)})"
        yield f"    {taken} = _{name}.unpack_from(MEMORY, pointer)"
        yield f"    return {shape.format(*values)}"
    if re.search(rf"write_{name}[(,]", text):
        yield ""
        yield ""
        yield f"def write_{name}(pointer: int, value: Any) -> None:"
        yield f"    _{name}.pack_into(MEMORY, pointer, {', '.join('value' + place for place in places)})"


def _function(call: Function, api: Api) -> Iterator[str]:
    """Yield a function that finds its thread and always returns an answer."""
    label = {p.name: f"{p.name}_" if p.name in TAKEN else p.name for p in call.params}
    params = [p for p in call.params if p.name != "returned"]
    signature = ", ".join(f"{label[p.name]}: {'Any' if _by_value(p) else 'int'}" for p in params)
    if call.ptds:
        signature += ", own_stream: bool = False"
    inputs = ", ".join(["call", *(_input(call, p, label) for p in call.inputs)])
    outputs = call.outputs
    yield f'_{call.name} = late(globals(), {api.name.upper()}.ops, "{call.name}")'
    if _returns_text(call):
        yield from ("", "", f"def {call.name}({signature}) -> int:", "    try:")
        yield "        thread = threads.get(own.number) or anyone()"
        yield f"        return text_at(_{call.name}({inputs.replace('call, ', 'thread.native, ')})[1])"
        yield "    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C"
        yield f'        return failed_text("{call.name}", raised)'
        return
    if len(outputs) == 1:
        yield f'_{call.name}_nulls = frozenset({{"{outputs[0].name}"}})'
    yield ""
    yield ""
    yield f"def {call.name}({signature}) -> int:"
    yield "    try:"
    finder = FINDERS.get(call.name, "find")
    yield f"        thread = {'' if finder == 'nobody' else 'threads.get(own.number) or '}{finder}()"
    yield f"        call = thread.{'per_thread if own_stream else thread.native' if call.ptds else 'native'}"
    yield from (f"        {line}" for line in _given(call, label))
    if api is HIP and any("given" in _special(call, p, label, HIP_WRITE) for p in outputs):
        asked = next(p for p in call.inputs if p.array)
        yield f"        given = {_input(call, asked, label)}"
        inputs = inputs.replace(_input(call, asked, label), "given")
    yield f"        code, {'out' if outputs else '_'} = _{call.name}({inputs})"
    if not outputs:
        yield "        return SUCCESS | code"
    else:
        yield "        if out is None:" if _tells_failure(call) else "        if code:"
        if outputs[-1].name == FAILED_AT:
            yield f"            if {FAILED_AT}:"
            yield f"                put_uint64(MEMORY, {FAILED_AT}, thread.failed_at)"
        if outputs[-1].type in STATUSES:
            yield f"            if {outputs[-1].name}:"
            yield f"                put_int32(MEMORY, {outputs[-1].name}, {NOT_FOUND})"
        yield "            return SUCCESS | code"
        for number, param in enumerate(outputs):
            value = "out" if len(outputs) == 1 else f"out[{number}]"
            yield f"        if {label[param.name]}{_unless_left_out(call, value)}:"
            yield f"            {_output(call, param, label, value)}"
        yield f"        return SUCCESS{' | code' if _tells_failure(call) else ''}"
    yield "    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C"
    yield f'        return failed("{call.name}", raised)'


def _given(call: Function, label: dict[str, str]) -> Iterator[str]:
    """Yield the lines that tell the call which of its result pointers are null."""
    if call.outputs:
        missing = f"_{call.name}_nulls"
        if len(call.outputs) > 1:
            missing = f"nulls({', '.join(f'{p.name}={label[p.name]}' for p in call.outputs)})"
        given = [label[p.name] for p in call.outputs]
        yield f"if not {given[0]}:" if len(given) == 1 else f"if not ({' and '.join(given)}):"
        yield f"    call = call.without({missing})"


def _runtime_function(call: Function) -> Iterator[str]:
    """Yield a function of the runtime API.

    It gets the calling thread and may raise exceptions.
    """
    label = {p.name: f"{p.name}_" if p.name in TAKEN else p.name for p in call.params}
    params = [p for p in call.params if p.name != "returned"]
    signature = ", ".join(["call: Call", *(f"{label[p.name]}: {'Any' if _by_value(p) else 'int'}" for p in params)])
    inputs = ", ".join(["call", *(_input(call, p, label) for p in call.inputs)])
    outputs = call.outputs
    yield f'_{call.name} = late(globals(), RUNTIME.ops, "{call.name}")'
    if len(outputs) == 1 and not _returns_text(call):
        yield f'_{call.name}_nulls = frozenset({{"{outputs[0].name}"}})'
    yield ""
    yield ""
    yield f"def {call.name}({signature}) -> int:"
    if _returns_text(call):
        yield f"    return text_at(_{call.name}({inputs})[1])"
        return
    if not outputs:
        yield f"    return _{call.name}({inputs})[0]"
        return
    yield from (f"    {line}" for line in _given(call, label))
    yield f"    code, out = _{call.name}({inputs})"
    yield "    if out is None:" if _tells_failure(call) else "    if code:"
    yield "        return code"
    for number, param in enumerate(outputs):
        value = "out" if len(outputs) == 1 else f"out[{number}]"
        yield f"    if {label[param.name]}{_unless_left_out(call, value)}:"
        yield f"        {_output(call, param, label, value)}"
    yield f"    return {'code' if _tells_failure(call) else 0}"


def _unless_left_out(call: Function, value: str) -> str:
    """Return an additional condition for a result that a failed call may leave out."""
    return f" and {value} is not None" if _tells_failure(call) and value != "out" else ""


def _returns_text(call: Function) -> bool:
    """Return whether a function returns a text instead of a code."""
    return call.params[-1].name == "returned" if call.params else False


def _tells_failure(call: Function) -> bool:
    """Return whether a failed call may write results, too."""
    return any(convention(call.name, p.name).failed for p in call.outputs)


def _tables(calls: list[Function]) -> Iterator[str]:
    """Yield the tables of argument kinds, and of functions that return a text."""
    yield f"RETURNED = {tuple(call.name for call in calls if _returns_text(call))!r}"
    lines = []
    for call in calls:
        params = call.inputs if _returns_text(call) else call.params
        lines.append(f'    "{call.name}": {tuple(map(_argument, params))!r},')
    yield "\n".join(["ARGUMENTS: dict[str, tuple[str, ...]] = {", *lines, "}"])


def _argument(param: Param) -> str:
    if _by_value(param):
        return f"S{BYTES.get(param.type) or _layout(param.type)[1]}"
    return "P" if param.pointer else _code(param.type)


def _by_value(param: Param) -> bool:
    return (param.type in BYTES or param.kind == "struct") and not param.pointer


def _input(call: Function, param: Param, label: dict[str, str]) -> str:
    """Return the expression for an input's plain value."""
    name = label[param.name]
    count = label.get(param.count, "")
    if most := convention(call.name, param.count).at_most:
        count = f"min({count}, {label[most]})"
    if call.name in HIP.calls and count:
        low = "max({}, 0)" if next(p.type for p in call.params if p.name == param.count) == "int" else "{}"
        count = f"min({low.format(count)}, MOST)"
    special = _special(call, param, label, HIP_READ if call.name in HIP.calls else READ)
    if special:
        return special
    if param.role == "inout" and param.kind == "word":
        return f"{NUMBERS[_code(param.type)]}.from_address({name}).value if {name} else None"
    if param.array and param.kind in {"integer", "any"}:
        code = "Q" if param.type == "void" else _code(param.type)
        length = f"many({name}, {calcsize(code)}, {count})"
        return f"tuple(({NUMBERS[code]} * {length}).from_address({name})) if {name} else None"
    if param.role == "string_in" and param.length:
        return f"sized_at({name}, {label[param.length]}) if {name} else None"
    if param.role == "string_in":
        return f"{'image_at' if param.type == 'void' else 'string_at'}({name}) if {name} else None"
    if param.kind == "bytes":
        size = BYTES[param.type]
        return f"bytes({name})" if _by_value(param) else f"string_at({name}, {size}) if {name} else None"
    if param.kind == "struct" and not param.pointer:
        return f"_{param.type}.unpack(bytes({name}))"  # such structs contain no other structs
    if param.kind == "struct":
        if not param.count:
            return f"read_{param.type}({name}) if {name} else None"
        size = _layout(param.type)[1]
        each = f"read_{param.type}({name} + {size} * n) for n in range(many({name}, {size}, {count}))"
        return f"tuple({each}) if {name} else None"
    if param.kind in {"any", "host", "integer"}:
        return name
    raise NotImplementedError(_unknown(call, param))


def _special(call: Function, param: Param, label: dict[str, str], how: dict[str, str], value: str = "") -> str:
    """Return the expression for a parameter with a form or a type that ``how`` has; empty for others."""
    known = convention(call.name, param.name)
    code = _code(param.type)
    return how.get(known.form or param.type, "").format(
        pointer=label[param.name],
        key=label.get(key_of(call, param), ""),
        size=calcsize(code) * (-1 if code.islower() else 1),
        less=known.less,
        value=value,
    )


def _output(call: Function, param: Param, label: dict[str, str], value: str) -> str:
    """Return the statement that writes a result through its pointer."""
    name = label[param.name]
    special = _special(call, param, label, HIP_WRITE if call.name in HIP.calls else WRITE, value)
    if special:
        return special
    if param.role == "inout" and param.kind == "bytes":
        return f"tell(MEMORY, {name}, {value})"
    if param.array and any(p.name == param.count and p.role == "out" for p in call.params):
        made = "edges_at" if param.kind == "struct" else "numbers_at"
        return f"put_uint64(MEMORY, {name}, {made}({value}))"
    if param.array and param.kind == "struct":
        return f"write_each(write_{param.type}, {name}, {_layout(param.type)[1]}, {value})"
    if param.array:
        code = _code(param.type)
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
        return f"put_{NUMBERS[_code(param.type)].removeprefix('c_')}(MEMORY, {name}, {value})"
    raise NotImplementedError(_unknown(call, param))


def _unknown(call: Function, param: Param) -> str:
    return f"{call.name}: no known {param.role} parameter like {param.name} ({param.kind} {param.type})"
