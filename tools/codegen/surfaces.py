"""Writes the modelled calls of the look-alikes.

They are straight-line methods in ``bindings/generated``.
There is one method per operation, made from the description of its call in :mod:`fakecuda.spec` and from
:mod:`tools.codegen.conventions`. :mod:`tools.codegen.hip_surface` writes those of HIP. A method reads its arguments in
the binding's order: first C numbers, as Cython unpacks them, then None and struct classes, then handles and arrays from
the last to the first, then the rest.
"""

from __future__ import annotations

import inspect
import re
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve

import fakecuda
from fakecuda.reach.bindings import arrays, fallback_classes, integers, options, pointers, unions
from fakecuda.spec.conventions import convention
from fakecuda.spec.sizes import BYTES
from tools.codegen.arguments import BITS, binding_of, by_value, is_changed, key, steps_of
from tools.codegen.conventions import DRIVER_BINDING, RUNTIME_BINDING
from tools.codegen.struct_functions import functions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.spec.description import Function, Param
    from tools.codegen.conventions import Conventions

GENERATED = Path(fakecuda.__file__).parent / "reach" / "bindings" / "generated"
SURFACES = (DRIVER_BINDING, RUNTIME_BINDING)
BINDING_S = (
    *(f"CUcheckpoint{does}Args" for does in ("Checkpoint", "Lock", "Restore", "Unlock")),
    *("CUgraphNodeParams", "CUkernelNodeAttrValue", "cudaGraphNodeParams", "cudaKernelNodeAttrValue"),
)
"""Structs without a fallback class."""
HEAD = '''"""The modelled calls of the look-alike; written by ``python -m tools.codegen``, do not edit."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any

from fakecuda.model.os import threads
from fakecuda.model.memory.space import MEMORY
from fakecuda.model.os.system import CALLS_NULL
from fakecuda.rules.dispatch import late
from fakecuda.rules.registry import {ops}
from fakecuda.reach.bindings import {modules}
from fakecuda.reach.bindings.{module} import {classes}

if TYPE_CHECKING:
{typing}    from fakecuda.model.os.threads import Callers

_own = threads.own
SUCCESS = {classes}.{code}(0)
'''
RESULTS = {
    "device_name": "_name({value}, {key})",
    "int_lists": "_range_values({key}, dataSizes, {value})",
    "ints": "_range_value({value})",
    "pointer_attribute": "_pointer_value({key}, {value})",
    "pointer_attributes": "_pointer_values({key}, {value})",
    "pool_word": "_pool_value({key}, {value})",
    "shareable": "_filled(CUmemFabricHandle, {value}) if type({value}) is bytes else {value}",
    "size_word": "cuuint64_t({value})",
    "CUDA_RESOURCE_DESC": "_resource_made({value})",
    "CUlinkState": "_linker({value}, held_optionValues)",
    "cudaResourceDesc": "_runtime_resource_made({type}, {value})",
}
"""How to convert results, by form or else by type; others follow from the kind of the type."""
HELPERS = {
    name: module.__name__.rpartition(".")[2]
    for module in (arrays, fallback_classes, integers, options, pointers, unions)
    for name, value in vars(module).items()
    if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
}
"""Functions and their modules. Generated code adds an underscore, because arguments have the same names."""
CLASS = '''

class Calls:
    """The modelled calls of ``{module}``.

    Args:
        callers: The simulated threads of the calling OS threads.
    """

    __slots__ = ("_callers",)

    def __init__(self, callers: Callers) -> None:
        self._callers = callers
'''


def files() -> dict[Path, str]:
    """Return the texts of the driver's and the runtime's look-alikes, by path."""
    return {GENERATED / f"{surface.name}.py": render(surface) for surface in SURFACES}


def render(c: Conventions) -> str:
    """Return the text of ``generated/driver.py`` or ``generated/runtime.py``."""
    calls = [call for name in sorted(c.ops) if (call := c.described.calls[name]).bound]
    taken = [c.described.calls[name] for name in c.taken]
    params = [p for call in calls for p in call.params]
    methods = "\n".join(line for call in calls for line in _method(c, call))
    kinds = sorted({p.type for p in params if p.kind == "struct" or p.type in BYTES} - c.by_attribute)
    readers = "\n".join(line for kind in kinds for line in functions(c, kind, methods))
    takes = "" if c is DRIVER_BINDING else "\n".join(line for line in _table(c, taken))
    body = re.sub(r"\n{4,}", "\n\n\n", readers + CLASS.format(module=f"cuda.bindings.{c.name}") + methods + takes)
    classes = "binding" if c is DRIVER_BINDING else f"{c.name}_binding"
    names: dict[str, str] = {f"_{name}": f"{module}.{name}" for name, module in sorted(HELPERS.items())}
    names |= {
        f"_answers{count}": f"fallback_classes.Failures({count}, {classes}.{c.code})"
        for count in sorted({len(_results(call)) for call in calls})
    }
    made, late = (
        {p.type for p in of if p.type.startswith(("CU", "cu", "EGL")) and "*" not in p.type}
        for of in (params, [p for call in taken for p in call.params])
    )
    names |= {kind: f'getattr({classes}, "{kind}", arrays.Absent)' for kind in sorted(late - made)}
    names |= {kind: f"{classes}.{kind}" for kind in sorted(made)} | {
        "CUmemFabricHandle": "fallback_classes.binding.CUmemFabricHandle",
        **{kind: f'getattr({classes}, "{kind}", arrays.Absent)' for kind in BINDING_S},
    }
    names |= {f"_{kind.replace(' ', '_')}": f'integers.INTEGERS["{kind}"]' for kind in BITS}
    names |= {f"_{kind}": f'integers.enumerator("{kind}")' for kind in c.described.enums}
    for kind in [p.type for call in sorted([*calls, *taken], key=attrgetter("name")) for p in by_value(call)]:
        names[f"_{kind}_known"] = f'integers.known("{kind}")'
        how = "numbered" if kind in c.numbered else "member"
        names[f"_{kind}_by_value"] = f'integers.{how}("{kind}", _{kind}_known)'
    names |= {f"_{kind}_{of}": f'arrays.{of}_of("{kind}")' for kind in c.described.enums for of in ("sizes", "whole")}
    names |= {kind: f"fallback_classes.binding.{kind}" for of in c.twins.values() for kind in of}
    ops = "DRIVER" if c is DRIVER_BINDING else "RUNTIME"
    names |= {f"_{call.name}": f'late(globals(), {ops}.ops, "{call.name}")' for call in calls}
    used = set(re.findall(r"\w+", body))
    module = "fallback_classes" if c is DRIVER_BINDING else f"{c.name}_classes"
    typing = "" if c is DRIVER_BINDING else "    from collections.abc import Callable\n\n"
    lines = "\n".join(f"{k} = {v}" for k, v in names.items() if k in used)
    modules = ", ".join(name for name in sorted({*HELPERS.values()}) if f"{name}." in lines + HEAD)
    head = HEAD.format(ops=ops, module=module, classes=classes, code=c.code, typing=typing, modules=modules)
    return "\n".join([head + lines, body, ""])


def _method(c: Conventions, call: Function) -> Iterator[str]:
    """Yield the lines of a call's method."""
    given = [
        evolve(p, type="unsigned long", role="input", kind="integer") if binding_of(call, p) == "number" else p
        for p in call.params
        if p.keyword
    ]
    taken = [f"{p.keyword}: Any{' = 0' * p.has_default}" for p in given]
    yield ""
    yield f"    def {call.name}({', '.join(['self', *taken])}) -> tuple[Any, ...]:"
    steps: list[str] = []
    for group in steps_of(c, call, given):
        steps += group
    steps += (room := _room(call))
    yield from (f"        {step}" for step in steps)
    inputs = ", ".join(["call" if room else "self._callers[_own.number].call", *(p.keyword for p in call.inputs)])
    results = _results(call)
    count = len(results)
    yield f"        code, {'out' if count else '_'} = _{call.name}({inputs})"
    for p in (p for p in given if is_changed(p)):
        place = call.outputs.index(p)
        yield f"        if held_{p.keyword} is not None and out is not None:"
        how = "_node_told" if p.kind == "bytes" else f"_{p.type}_told"
        yield f"            {how}(held_{p.keyword}, out[{place}])"
    if not count:
        yield f"        return _answers{count}[code]"
        return
    yield "        if code:"
    yield f"            return _answers{count}[code]"
    if count == 1 == len(call.outputs):
        yield f"        return SUCCESS, {_result(c, call, call.outputs[0], 'out')}"
    else:
        names = ", ".join(p.name if p in results else "_" for p in call.outputs)
        yield f"        {names} = out"
        yield f"        return SUCCESS, {', '.join(_result(c, call, p, p.name) for p in results)}"


def _results(call: Function) -> list[Param]:
    """Return the results that the binding returns.

    Results written into the call's arguments are left out.
    """
    return [p for p in call.outputs if not is_changed(p)]


def _room(call: Function) -> list[str]:
    """Return the steps that make arrays for results.

    With 0 members their pointers are null.
    """
    steps: list[str] = []
    for count in call.inputs:
        arrays = [p.name for p in call.outputs if p.count == count.name]
        alone = count.type == "unsigned int" and not any(p.count == count.name for p in call.inputs)
        if (count.has_default or alone) and arrays:
            nulls = ", ".join(f'"{name}"' for name in arrays)
            steps += [f"_room({count.keyword})"] * (not alone)
            steps += ["call = self._callers[_own.number].call", f"if not {count.keyword}:"]
            steps += [f"    call = call.without(frozenset({{{nulls}}}))"]
    return steps


def _table(c: Conventions, calls: list[Function]) -> Iterator[str]:
    """Yield the functions that read the arguments of unmodelled calls.

    Their table comes last.
    """
    yield ""
    for call in calls:
        yield from _taking(c, call)
    yield from ("", "", "TAKES: dict[str, Callable[..., None]] = {")
    yield from (f'    "{call.name}": _take_{call.name},' for call in calls)
    yield "}"
    yield f'"""Functions that read the arguments of unmodelled calls of ``cuda.bindings.{c.name}``."""'


def _taking(c: Conventions, call: Function) -> Iterator[str]:
    """Yield the function that reads the arguments of an unmodelled call.

    It reads them as the binding does.
    """
    given = [evolve(p, keyword=p.keyword or "input_") for p in call.params if p.keyword or p.name == "input"]
    yield ""
    yield ""
    yield f"def _take_{call.name}({', '.join(f'{p.keyword}: Any' for p in given)}) -> None:"
    uncounted = {p.keyword for p in given if p.array and not p.count}
    steps = [step for group in steps_of(c, call, given) for step in group if "_plain(" not in step]
    steps = [step for step in steps if not any(f"_counted({keyword}," in step for keyword in uncounted)]
    yield from (f"    {re.sub(r', _[A-Za-z0-9_]+_plain[)]', ', id)', step)}" for step in steps or ["pass"])


def _result(c: Conventions, call: Function, p: Param, value: str) -> str:
    """Return the expression for a result in the binding's type."""
    made = RESULTS.get(convention(call.name, p.name).form or p.type, "")
    if made:
        # Only the driver's module has this class under its own name.
        made = made.replace("cuuint64_t", "fallback_classes.binding.cuuint64_t") if c is RUNTIME_BINDING else made
        return made.format(value=value, key=key(call, p).keyword, type=p.type)
    if p.role == "inout" and p.type in c.described.enums:
        return f"{p.type}({value} & 0xFFFFFFFF)"
    if p.array and c.handle(p.type) == "handle":
        return f"[{p.type}(one) for one in {value}]"
    if p.array and p.kind == "struct":
        return f"[_{p.type}_made(one) for one in {value}]"
    if p.array:
        return f"list({value})"
    if p.role == "string_out":
        return f"_padded({value}, length)"
    if p.type in c.by_attribute:
        return f"_stream_value_made({p.type}, attr, {value})"
    if p.kind == "struct" or p.type in BYTES:
        return f"_{p.type}_made({value})"
    return f"{p.type}({value})" if c.handle(p.type) or p.type in c.described.enums else value
