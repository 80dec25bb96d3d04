"""Writes the modelled calls of HIP's look-alike.

They are straight-line methods in ``bindings/generated``.
There is one method per operation, made from the description of its call in :mod:`fakecuda.spec.hip`. A method reads its
arguments as hip-python does: first C numbers, then enums, then pointers and structs. For a failed call, result pointers
are None, structs are empty, and numbers are 0; in hip-python these numbers are undefined.
"""

from __future__ import annotations

import re
from struct import calcsize
from typing import TYPE_CHECKING

from fakecuda.reach.bindings.hip_classes import CLASSES, TAKEN
from fakecuda.rules.registry import HIP
from fakecuda.spec import hip
from fakecuda.spec.conventions import convention
from fakecuda.spec.sizes import BYTES
from tools.codegen.arguments import BITS
from tools.codegen.conventions import Conventions
from tools.codegen.native import NOT_FOUND, STATUSES
from tools.codegen.native_values import HIP_READ, HIP_WRITE, special
from tools.codegen.struct_functions import layout, nested
from tools.codegen.surfaces import CLASS, GENERATED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fakecuda.spec.description import Function, Param

SURFACE = Conventions(name="hip", described=hip.DESCRIPTION, ops=HIP.ops, code="hipError_t")
WIDTHS = {**BITS, "uint32_t": 32, "uint64_t": 64}
WORD = 32
HEAD = '''"""The modelled calls of HIP's look-alike; written by ``python -m tools.codegen``, do not edit."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any

from fakecuda.rules.registry import HIP
from fakecuda.model.os import threads
from fakecuda.model.memory.space import MEMORY
from fakecuda.rules.dispatch import late
from fakecuda.reach.bindings import hip_coercion
from fakecuda.reach.bindings.hip_classes import hip_binding

if TYPE_CHECKING:
    from fakecuda.model.os.threads import Callers

_own = threads.own
_answers = hip_coercion.ANSWERS
_errors = hip_coercion.ERRORS
Pointer = hip_coercion.Pointer
SUCCESS = _errors[0]
'''
HELPERS = (
    *("address", "by_value", "encoded", "listed", "mem_ops", "memory", "numbers", "pointers"),
    *("number_at", "put_attribute", "put_int", "put_numbers", "put_word", "text", "unset", "word"),
)


def files() -> dict[Path, str]:
    """Return the text of the file, by its path."""
    return {GENERATED / "hip.py": render()}


def render() -> str:
    """Return the text of ``generated/hip.py``."""
    calls = [hip.CALLS[name] for name in sorted(HIP.ops) if not _with_binding(hip.CALLS[name], "from_c")]
    methods = "\n".join(line for call in calls for line in _method(call))
    params = [p for call in calls for p in call.params]
    kinds = sorted({p.type for p in params if _is_struct(p)})
    functions = "\n".join(line for kind in kinds for line in _functions(kind, methods))
    body = re.sub(r"\n{4,}", "\n\n\n", functions + CLASS.format(module="rocm.bindings.hip") + methods)
    known = {*CLASSES, *TAKEN, *hip.ENUMS}
    names = {f"_{name}": f"hip_coercion.{name}" for name in HELPERS}
    names |= {
        kind: f"hip_binding.{CLASSES.get(kind, kind)}" for kind in sorted({p.type for p in params}) if kind in known
    }
    names |= {f"_{kind.replace(' ', '_')}": f'hip_coercion.INTEGERS["{kind}"]' for kind in WIDTHS}
    names |= {"_signed": 'hip_coercion.INTEGERS["int"]'}
    names |= {f"_{kind}": f'hip_coercion.enumerator("{kind}")' for kind in hip.ENUMS}
    names |= {f"_{kind}_handle": f"hip_coercion.handle({kind})" for kind in CLASSES}
    names |= {f"_{kind}_members": f"hip_coercion.members({kind})" for kind in hip.ENUMS}
    names |= {f"_{call.name}": f'late(globals(), HIP.ops, "{call.name}")' for call in calls}
    used = set(re.findall(r"\w+", body))
    used |= {found[1] for k in names if k in used and (found := re.fullmatch("_(.*)_(handle|members)", k))}
    lines = [f"{k} = {v}" for k, v in names.items() if k in used and " " not in k]
    return "\n".join([HEAD + "\n".join(lines), body, ""])


def _is_struct(p: Param) -> bool:
    return p.type in TAKEN and p.kind in {"bytes", "struct"}


def _functions(kind: str, methods: str) -> Iterator[str]:
    """Yield the functions that read or make a struct, if the methods use them."""
    parts = [f"{BYTES[kind]}s"] if kind in BYTES else list(layout(SURFACE, kind))
    codes = "".join(parts)
    plain = "(m0,)" if kind in BYTES else nested(SURFACE, kind, iter([f"m{i}" for i in range(len(parts))]))
    flat = re.sub(r",+", ",", re.sub(r"[()]", "", plain)).rstrip(",")
    size = calcsize("@" + codes + "0Q") if kind not in BYTES else BYTES[kind]
    yield f'_{kind}_layout = Struct("@{codes}")'
    if f"_{kind}_plain(" in methods or f"_{kind}_array(" in methods:
        unpacked = f"{flat}," if kind in BYTES else flat
        yield f"""

def _{kind}_read(where: int) -> Any:
    {unpacked} = _{kind}_layout.unpack_from(MEMORY, where)
    return {"m0" if kind in BYTES else plain}


_{kind}_plain = hip_coercion.struct({kind}, _{kind}_read)"""
        if f"_{kind}_array(" in methods:
            yield f"_{kind}_array = hip_coercion.array({kind}, _{kind}_read, {size})"
    if f"_{kind}_made(" in methods:
        yield f"""

def _{kind}_made(plain: Any) -> Any:
    {"m0" if kind in BYTES else plain} = plain
    item = {kind}()
    _{kind}_layout.pack_into(MEMORY, int(item), {flat})
    return item

"""


def _method(call: Function) -> Iterator[str]:
    """Yield the lines of a call's method."""
    given = [p for p in call.params if p.keyword]
    keywords = [p.keyword for p in given]
    yield ""
    yield f"    def {call.name}({', '.join(['self', *(f'{k}: Any' for k in keywords)])}) -> tuple[Any, ...]:"
    steps = [step for how in (_number, _enum, _object) for p in given for step in how(p)]
    steps += [f"{p.keyword} = {_at(call, p, HIP_READ)}" for p in given if p.kind == "word" and p.role == "in"]
    if "type" in keywords:
        steps = [re.sub(r"\btype\((\w+)\) is", r"\1.__class__ is", step) for step in steps]
    yield from (f"        {step}" for step in steps)
    inputs = ", ".join([p.keyword or f"_unset({p.count})" for p in call.inputs])
    written = [p for p in given if p.role == "out"]
    results = [p for p in call.params if not p.keyword]
    if written or _with_binding(call, "null"):
        yield from _writing(call, written, inputs)
        return
    thread = f"self._callers[_own.number].call{', ' if inputs else ''}{inputs}"
    yield f"        code, {'out' if call.outputs else '_'} = _{call.name}({thread})"
    if not results:
        yield "        return _answers[code]"
        return
    yield "        if code:"
    yield f"            return _errors[code], {', '.join(_nothing(p) for p in results)}"
    if len(call.outputs) <= 1:
        yield f"        return SUCCESS, {', '.join(_result(call, p, 'out') for p in results)}"
    else:
        yield f"        {', '.join(p.name for p in call.outputs)} = out"
        yield f"        return SUCCESS, {', '.join(_result(call, p, p.name) for p in results)}"


def _with_binding(call: Function, what: str) -> list[Param]:
    """Return the parameters that hip-python converts or checks."""
    return [p for p in call.params if convention(call.name, p.name).binding == what]


def _at(call: Function, p: Param, how: dict[str, str], value: str = "") -> str:
    """Return the expression for a parameter in the caller's memory."""
    return "_" + special(call, p, {one.name: one.keyword for one in call.params}, how, value)


def _writing(call: Function, written: list[Param], inputs: str) -> Iterator[str]:
    """Yield the lines of a method that writes a result.

    The result goes to the caller's memory, which may be null.
    """
    p = (written or _with_binding(call, "null"))[0]
    yield "        call = self._callers[_own.number].call"
    if written:
        yield f"        if not {p.keyword}:"
    yield f'        {"    " if written else ""}call = call.without(frozenset({{"{p.name}"}}))'
    yield f"        code, {'out' if written else '_'} = _{call.name}(call, {inputs})"
    if not written:
        yield f"        return _errors[code], {', '.join(_nothing(p) for p in call.params if not p.keyword)}"
        return
    yield "        if not code:"
    yield f"            {_at(call, p, HIP_WRITE, 'out')}"
    yield "        return _answers[code]"


def _number(p: Param) -> Iterator[str]:
    k = p.keyword
    if p.pointer:
        return
    if p.type == "int":
        yield f"if type({k}) is not int or ({k} + 0x80000000) >> 32:"
        yield f"    {k} = _signed({k})"
    elif p.type in WIDTHS:
        yield f"if type({k}) is not int or {k} >> {WIDTHS[p.type]}:"
        yield f"    {k} = _{p.type.replace(' ', '_')}({k})"


def _enum(p: Param) -> Iterator[str]:
    if p.type in hip.ENUMS and not p.pointer:
        k = p.keyword
        yield f'{k} = +{k} if type({k}) is {p.type} else _{p.type}({k}, "{k}")'


def _object(p: Param) -> Iterator[str]:
    k = p.keyword
    if p.array and p.role == "out":
        yield f"{k} = _listed({k})"
    elif p.array and p.type == "hipStreamBatchMemOpParams_union":
        yield f"{k} = _mem_ops({k}, {p.count})"
    elif p.array and _is_struct(p):
        yield f"{k} = _{p.type}_array({k}, {p.count})"
    elif p.array:
        yield f"{k} = _{'numbers' if WIDTHS.get(p.type) == WORD else 'pointers'}({k}, {p.count})"
    elif _is_struct(p) and p.pointer:
        yield f"{k} = _{p.type}_plain({k})"
    elif _is_struct(p):
        yield f'{k} = _by_value(_{p.type}_plain({k}), "{k}")'
    elif p.role == "string_in":
        yield f"{k} = _encoded({k})"
    elif p.type in CLASSES:
        other = f"int({k}) if type({k}) is {p.type} else _{p.type}_handle({k})"
        yield f"{k} = {k} if type({k}) is int and not {k} >> 64 else {other}"
    elif p.pointer:
        other = f"int({k}) if isinstance({k}, Pointer) else _address({k})"
        yield f"{k} = {k} if type({k}) is int and not {k} >> 64 else {other}"


def _nothing(p: Param) -> str:
    """Return the expression for a result of a failed call."""
    if _is_struct(p):
        return f"{p.type}()"
    if p.type in STATUSES:
        return f"{p.type}({NOT_FOUND})"
    if p.name == "failIdx":
        return "self._callers.current().failed_at"
    return "0" if _is_number(p) and p.name != "dsts" else "None"


def _is_number(p: Param) -> bool:
    return p.type in WIDTHS or p.type in {"int", "float"} or p.type in hip.ENUMS


def _result(call: Function, p: Param, value: str) -> str:
    """Return the expression for a result in the binding's type."""
    if p.role == "in":
        return _nothing(p)
    if _is_struct(p):
        return f"_{p.type}_made({value})"
    if p.kind == "string":
        return f"_text({value})"
    if p.type in CLASSES:
        return f"{p.type}({value}) if {value} else None"
    if p.type in hip.ENUMS:
        return f"_{p.type}_members[{value}]"
    if _is_number(p):
        return value
    shape = _with_binding(call, "shape")
    return f"_memory({value}, {shape[0].keyword})" if shape else f"Pointer({value}) if {value} else None"
