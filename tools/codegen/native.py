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
from typing import TYPE_CHECKING

import fakecuda
from fakecuda.rules.registry import DRIVER, FORMS, HIP, RUNTIME, api_of
from fakecuda.spec.conventions import convention
from fakecuda.spec.forms import forms_of
from fakecuda.spec.layouts import POINTING, UNIONS
from fakecuda.spec.sizes import BYTES
from tools.codegen.native_values import HIP_WRITE, code_of, is_by_value, layout, read, special, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.rules.registry import Api
    from fakecuda.spec.description import Function, Param

FAILED_AT = "failIdx"
"""A result that a failed call also writes."""
STATUSES = {"hipDriverEntryPointQueryResult", "hipDriverProcAddressQueryResult"}
"""Types of HIP's results that a failed call sets to "not found"."""
NOT_FOUND = 1
ANYTIME = {"cuGetErrorName", "cuGetErrorString"} | forms_of("cuGetProcAddress")
"""Calls that work without a machine."""
HEAD = '''"""The functions behind the stubs; written by ``python -m tools.codegen``, do not edit."""

from __future__ import annotations

from ctypes import c_float, c_int32, c_uint32, c_uint64, memmove, string_at
from struct import Struct
from typing import TYPE_CHECKING, Any

from fakecuda.rules.registry import DRIVER, FORMS
from fakecuda.spec.node_params import tell
from fakecuda.model.code.image import image_at
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

anyone, failed, find = door.anyone, door.failed, door.find
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
    calls = [one.calls[name] for one in ((DRIVER, FORMS) if api is DRIVER else (api,)) for name in sorted(one.ops)]
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


def _struct(name: str, text: str) -> Iterator[str]:
    """Yield the functions for a struct that the text uses."""
    form, _, _, places, shape = layout(name)
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
    signature = ", ".join(f"{label[p.name]}: {'Any' if is_by_value(p) else 'int'}" for p in params)
    if call.ptds:
        signature += ", own_stream: bool = False"
    inputs = ", ".join(["call", *(read(call, p, label) for p in call.inputs)])
    outputs = call.outputs
    yield f'_{call.name} = late(globals(), {api_of(call.name).name.upper()}.ops, "{call.name}")'
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
    yield f"        thread = threads.get(own.number) or {'anyone' if call.name in ANYTIME else 'find'}()"
    yield f"        call = thread.{'per_thread if own_stream else thread.native' if call.ptds else 'native'}"
    yield from (f"        {line}" for line in _given(call, label))
    if api is HIP and any("given" in special(call, p, label, HIP_WRITE) for p in outputs):
        asked = next(p for p in call.inputs if p.array)
        yield f"        given = {read(call, asked, label)}"
        inputs = inputs.replace(read(call, asked, label), "given")
    yield f"        code, {'out' if outputs else '_'} = _{call.name}({inputs})"
    if not outputs:
        yield "        return SUCCESS | code"
    else:
        yield "        if out is None:" if _tells_failure(call) else "        if code:"
        if outputs[-1].name == FAILED_AT and api is HIP:
            yield f"            if {FAILED_AT}:"
            yield f"                put_uint64(MEMORY, {FAILED_AT}, thread.failed_at)"
        if outputs[-1].type in STATUSES:
            yield f"            if {outputs[-1].name}:"
            yield f"                put_int32(MEMORY, {outputs[-1].name}, {NOT_FOUND})"
        yield "            return SUCCESS | code"
        for number, param in enumerate(outputs):
            value = "out" if len(outputs) == 1 else f"out[{number}]"
            yield f"        if {label[param.name]}{_unless_left_out(call, value)}:"
            yield f"            {written(call, param, label, value)}"
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
    signature = ", ".join(["call: Call", *(f"{label[p.name]}: {'Any' if is_by_value(p) else 'int'}" for p in params)])
    inputs = ", ".join(["call", *(read(call, p, label) for p in call.inputs)])
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
        yield f"        {written(call, param, label, value)}"
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
    if is_by_value(param):
        return f"S{BYTES.get(param.type) or layout(param.type)[1]}"
    return "P" if param.pointer else code_of(param.type)
