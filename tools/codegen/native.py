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
from fakecuda.spec.layouts import AT_MOST, CODES, HIDDEN, POINTING, UNIONS
from fakecuda.spec.sizes import BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.rules.registry import Api
    from fakecuda.spec.description import Function, Param

ENUMS, STRUCTS = both.ENUMS | hip.ENUMS, both.STRUCTS | hip.STRUCTS
WIDTHS = {code: calcsize(code) for code in "bBHiIfqQ"}
TEXT = ".partition(b'\\0')[0]"
NUMBERS = {"i": "c_int32", "I": "c_uint32", "Q": "c_uint64", "f": "c_float"}
SPECIAL_INPUTS = {
    **dict.fromkeys(
        [
            (call, "config")
            for call in (
                "cuLaunchKernelEx",
                *(f"cuOccupancyMax{of}" for of in ("ActiveClusters", "PotentialClusterSize")),
            )
        ],
        "read_launch_config({pointer}) if {pointer} else None",
    ),
    **{
        (f"cuTensorMapEncode{of}", array): f"extents({{pointer}}, tensorRank, {size}, less={less})"
        for of in ("Tiled", "Im2col", "Im2colWide")
        for array, size, less in (
            ("globalDim", 8, 0),
            ("globalStrides", 8, 1),
            ("boxDim", 4, 0),
            ("elementStrides", 4, 0),
            ("pixelBoxLowerCorner", -4, 2),
            ("pixelBoxUpperCorner", -4, 2),
        )
    },
    **dict.fromkeys(
        [("cuSurfObjectCreate", "pResDesc"), ("cuTexObjectCreate", "pResDesc")],
        "read_resource({pointer}) if {pointer} else None",
    ),
    **dict.fromkeys(
        [("cudaCreateSurfaceObject", "pResDesc"), ("cudaCreateTextureObject", "pResDesc")],
        "read_runtime_resource({pointer}) if {pointer} else None",
    ),
    ("cuCheckpointProcessRestore", "args"): "read_restore_args({pointer}) if {pointer} else None",
    ("cuMemImportFromShareableHandle", "osHandle"): "read_shareable({pointer}, shHandleType)",
    **dict.fromkeys(
        [("cuDeviceSetGraphMemAttribute", "value"), ("cudaDeviceSetGraphMemAttribute", "value")],
        "c_uint64.from_address({pointer}).value if {pointer} else None",
    ),
    ("cuStreamBatchMemOp", "paramArray"): "read_mem_ops({pointer}, count)",
    ("cuStreamSetAttribute", "value"): "read_stream_value({pointer}, attr) if {pointer} else None",
    ("cuMemPoolImportFromShareableHandle", "handle"): "read_shareable({pointer}, handleType)",
    ("cuMemPoolSetAttribute", "value"): "read_pool_attribute({pointer}, attr)",
    ("cudaMemPoolImportFromShareableHandle", "shareableHandle"): "read_shareable({pointer}, handleType)",
    ("cudaMemPoolSetAttribute", "value"): "read_pool_attribute({pointer}, attr)",
    ("cudaStreamSetAttribute", "value"): "read_stream_value({pointer}, attr) if {pointer} else None",
    ("hipMemMapArrayAsync", "mapInfoList"): "{pointer}",
    ("hipMemPoolSetAttribute", "value"): "word({pointer}, attr)",
    ("hipPointerSetAttribute", "value"): "number_at({pointer})",
    ("hipStreamBatchMemOp", "paramArray"): "mem_ops_at({pointer}, count)",
    ("hipStreamSetAttribute", "value"): "number_at({pointer})",
    ("cuPointerSetAttribute", "value"): "c_uint32.from_address({pointer}).value if {pointer} else None",
}
SPECIAL_OUTPUTS = {
    **dict.fromkeys(
        [("cuSurfObjectGetResourceDesc", "pResDesc"), ("cuTexObjectGetResourceDesc", "pResDesc")],
        "write_resource({pointer}, {value})",
    ),
    **dict.fromkeys(
        [("cudaGetSurfaceObjectResourceDesc", "pResDesc"), ("cudaGetTextureObjectResourceDesc", "pResDesc")],
        "write_runtime_resource({pointer}, {value})",
    ),
    ("cuDeviceGetName", "name"): "write_name({pointer}, {value}, len_)",
    **dict.fromkeys(
        [("cuGraphAddNode", "nodeParams"), ("cudaGraphAddNode", "nodeParams")], "tell(MEMORY, {pointer}, {value})"
    ),
    **{
        (call, array): f"put_uint64(MEMORY, {{pointer}}, {made}({{value}}))"
        for call in ("cuStreamGetCaptureInfo", "cudaStreamGetCaptureInfo")
        for array, made in (("dependencies_out", "numbers_at"), ("edgeData_out", "edges_at"))
    },
    ("cuStreamGetAttribute", "value_out"): "write_stream_value({pointer}, attr, {value})",
    ("cuMemRangeGetAttribute", "data"): "write_numbers({pointer}, {value})",
    ("cuMemRangeGetAttributes", "data"): "write_number_lists({pointer}, {value})",
    ("cuPointerGetAttribute", "data"): "write_attribute({pointer}, attribute, {value})",
    ("cuPointerGetAttributes", "data"): "write_attributes({pointer}, attributes, {value})",
    ("cuMemGetHandleForAddressRange", "handle"): "put_int32(MEMORY, {pointer}, {value})",
    ("cuMemExportToShareableHandle", "shareableHandle"): "write_shareable({pointer}, {value})",
    ("cuMemPoolExportToShareableHandle", "handle_out"): "write_shareable({pointer}, {value})",
    ("cuMemPoolGetAttribute", "value"): "write_pool_attribute({pointer}, attr, {value})",
    ("cudaStreamGetAttribute", "value_out"): "write_stream_value({pointer}, attr, {value})",
    ("cudaMemRangeGetAttribute", "data"): "write_numbers({pointer}, {value})",
    ("cudaMemRangeGetAttributes", "data"): "write_number_lists({pointer}, {value})",
    ("cudaMemPoolExportToShareableHandle", "shareableHandle"): "write_shareable({pointer}, {value})",
    ("cudaMemPoolGetAttribute", "value"): "write_pool_attribute({pointer}, attr, {value})",
    ("hipDrvPointerGetAttributes", "data"): "put_attributes({pointer}, {value}, given)",
    ("hipExtStreamGetCUMask", "cuMask"): "put_numbers({pointer}, {value})",
    ("hipMemExportToShareableHandle", "shareableHandle"): "put_int({pointer}, {value})",
    ("hipMemGetHandleForAddressRange", "handle"): "put_int({pointer}, {value})",
    ("hipMemPoolExportToShareableHandle", "shared_handle"): "put_int({pointer}, {value})",
    ("hipMemPoolGetAttribute", "value"): "put_word({pointer}, {value}, attr)",
    ("hipMemRangeGetAttribute", "data"): "put_numbers({pointer}, {value})",
    ("hipMemRangeGetAttributes", "data"): "put_number_lists({pointer}, {value})",
    ("hipPointerGetAttribute", "data"): "put_attribute({pointer}, {value}, attribute)",
    ("hipStreamGetAttribute", "value_out"): "put_int({pointer}, {value})",
}
RETURNED = ("cudaGetErrorName", "cudaGetErrorString", "hipGetErrorName", "hipGetErrorString")
"""Calls that return a text."""
FAILED_AT = "failIdx"
"""A result that a failed call writes, too."""
STATUSES = {"hipDriverEntryPointQueryResult", "hipDriverProcAddressQueryResult"}
"""Types of HIP's results that a failed call sets to "not found"."""
NOT_FOUND = 1
TELLING = frozenset(
    f"{prefix}Graph{name}" for prefix in ("cu", "cuda") for name in ("ExecUpdate", "InstantiateWithParams")
)
"""Calls that also write some results after a failure."""
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
    params = [p for p in call.params if p.name != "returned" or call.name not in RETURNED]
    signature = ", ".join(f"{label[p.name]}: {'Any' if _by_value(p) else 'int'}" for p in params)
    if call.ptds:
        signature += ", own_stream: bool = False"
    inputs = ", ".join(["call", *(_input(call, p, label) for p in call.inputs)])
    outputs = call.outputs
    yield f'_{call.name} = late(globals(), {api.name.upper()}.ops, "{call.name}")'
    if call.name in RETURNED:
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
    if any("given" in SPECIAL_OUTPUTS.get((call.name, p.name), "") for p in outputs):
        asked = next(p for p in call.inputs if p.array)
        yield f"        given = {_input(call, asked, label)}"
        inputs = inputs.replace(_input(call, asked, label), "given")
    yield f"        code, {'out' if outputs else '_'} = _{call.name}({inputs})"
    if not outputs:
        yield "        return SUCCESS | code"
    else:
        yield "        if out is None:" if call.name in TELLING else "        if code:"
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
            yield f"            {_output(call, param, label[param.name], value)}"
        yield f"        return SUCCESS{' | code' if call.name in TELLING else ''}"
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
    params = [p for p in call.params if p.name != "returned" or call.name not in RETURNED]
    signature = ", ".join(["call: Call", *(f"{label[p.name]}: {'Any' if _by_value(p) else 'int'}" for p in params)])
    inputs = ", ".join(["call", *(_input(call, p, label) for p in call.inputs)])
    outputs = call.outputs
    yield f'_{call.name} = late(globals(), RUNTIME.ops, "{call.name}")'
    if len(outputs) == 1 and call.name not in RETURNED:
        yield f'_{call.name}_nulls = frozenset({{"{outputs[0].name}"}})'
    yield ""
    yield ""
    yield f"def {call.name}({signature}) -> int:"
    if call.name in RETURNED:
        yield f"    return text_at(_{call.name}({inputs})[1])"
        return
    if not outputs:
        yield f"    return _{call.name}({inputs})[0]"
        return
    yield from (f"    {line}" for line in _given(call, label))
    yield f"    code, out = _{call.name}({inputs})"
    yield "    if out is None:" if call.name in TELLING else "    if code:"
    yield "        return code"
    for number, param in enumerate(outputs):
        value = "out" if len(outputs) == 1 else f"out[{number}]"
        yield f"    if {label[param.name]}{_unless_left_out(call, value)}:"
        yield f"        {_output(call, param, label[param.name], value)}"
    yield f"    return {'code' if call.name in TELLING else 0}"


def _unless_left_out(call: Function, value: str) -> str:
    """Return an additional condition for a result that a failed call may leave out."""
    return f" and {value} is not None" if call.name in TELLING and value != "out" else ""


def _tables(calls: list[Function]) -> Iterator[str]:
    """Yield the tables of argument kinds, and of functions that return a text."""
    yield f"RETURNED = {tuple(call.name for call in calls if call.name in RETURNED)!r}"
    lines = []
    for call in calls:
        params = call.inputs if call.name in RETURNED else call.params
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
    if (call.name, param.count) in AT_MOST:
        count = f"min({count}, {label[AT_MOST[call.name, param.count]]})"
    if call.name in HIP.calls and count:
        low = "max({}, 0)" if next(p.type for p in call.params if p.name == param.count) == "int" else "{}"
        count = f"min({low.format(count)}, MOST)"
    special = SPECIAL_INPUTS.get((call.name, param.name))
    if special:
        return special.format(pointer=name)
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


def _output(call: Function, param: Param, name: str, value: str) -> str:
    """Return the statement that writes a result through its pointer."""
    special = SPECIAL_OUTPUTS.get((call.name, param.name))
    if special:
        return special.format(pointer=name, value=value)
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
