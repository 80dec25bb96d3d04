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
from struct import calcsize
from typing import TYPE_CHECKING

from attrs import evolve

import fakecuda
from fakecuda.reach.bindings import arrays, fallback_classes, integers, options, pointers, unions
from fakecuda.spec.conventions import convention, key_of
from fakecuda.spec.layouts import HIDDEN
from fakecuda.spec.sizes import BYTES
from tools.codegen.conventions import DRIVER_BINDING, RUNTIME_BINDING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.spec.description import Function, Param
    from tools.codegen.conventions import Conventions

GENERATED = Path(fakecuda.__file__).parent / "reach" / "bindings" / "generated"
SURFACES = (DRIVER_BINDING, RUNTIME_BINDING)
BITS = {
    "unsigned char": 8,
    "unsigned short": 16,
    "unsigned int": 32,
    "unsigned long": 64,
    "size_t": 64,
    "unsigned long long": 64,
}
CODES = {
    "float": "f",
    "int": "i",
    "unsigned int": "I",
    "unsigned char": "B",
    "unsigned short": "H",
    "size_t": "Q",
    "unsigned long long": "Q",
    "long": "q",
}
WRAPPED = {"CUhostFn", "CUstreamCallback", "cudaHostFn_t", "cudaStreamCallback_t"}
"""Function types that the binding wraps in its own function, which also calls null."""
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
WORDS = {
    "pointer_attribute": "_word({value}, {key}, _{type}_known)",
    "pool_word": "_pool_word({value}, {key})",
    "size_word": "_size_word({value})",
}
"""How to read new values of attributes, by form. The type is that of the key."""
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
BY_VALUE = frozenset({"ints", "pointer_attribute", "pool_word", "shareable", "size_word"})
"""Forms with a key that the binding reads by ``.value``. The key of an imported handle is read as other enums are."""
WHOLE = frozenset({"int_lists", "pointer_attributes"})
"""Forms whose key is an array that is read in full, and also determines the number of results."""
OPTION_VALUES = {
    "CUjit_option": {"options": "optionValues", "jitOptions": "jitOptionsValues"},
    "CUlibraryOption": {"libraryOptions": "libraryOptionValues"},
}
"""For each enum of options: the arguments with a list of options, with the arguments that have their values."""
VALUES = frozenset(values for arguments in OPTION_VALUES.values() for values in arguments.values())
"""Arguments that are arrays with one value of any type per option."""
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
    calls = [c.described.calls[name] for name in sorted(c.ops)]
    taken = [c.described.calls[name] for name in c.taken]
    params = [p for call in calls for p in call.params]
    methods = "\n".join(line for call in calls for line in _method(c, call))
    kinds = sorted({p.type for p in params if p.kind == "struct" or p.type in BYTES} - c.by_attribute)
    functions = "\n".join(line for kind in kinds for line in _functions(c, kind, methods))
    takes = "" if c is DRIVER_BINDING else "\n".join(line for line in _table(c, taken))
    body = re.sub(r"\n{4,}", "\n\n\n", functions + CLASS.format(module=f"cuda.bindings.{c.name}") + methods + takes)
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
    for kind in [p.type for call in sorted([*calls, *taken], key=attrgetter("name")) for p in _by_value(call)]:
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
    made = "\n".join(f"{k} = {v}" for k, v in names.items() if k in used)
    modules = ", ".join(name for name in sorted({*HELPERS.values()}) if f"{name}." in made + HEAD)
    head = HEAD.format(ops=ops, module=module, classes=classes, code=c.code, typing=typing, modules=modules)
    return "\n".join([head + made, body, ""])


def layout(c: Conventions, kind: str) -> Iterator[str]:
    """Yield the formats of a struct's members in C order, with nested structs inline.

    The format of a hidden member is put before the next member, even if that belongs to the outer struct.
    """
    gap = ""
    for ctype, label in c.described.structs[kind]:
        if _hidden(label):
            gap += _bytes(ctype, label)
            continue
        codes = list(_codes(c, ctype, label))
        if codes:
            yield gap + codes[0]
            yield from codes[1:]
            gap = ""
        gap += _tail(c, ctype)  # the whole struct, if all its members are hidden


def _bytes(ctype: str, label: str) -> str:
    """Return the format of a hidden member."""
    return f"{_length(label) * calcsize(CODES.get(ctype, 'Q'))}x"


def _tail(c: Conventions, kind: str) -> str:
    """Return the format of the hidden members at the end of a struct.

    The result is empty for other types.
    """
    tail = ""
    for ctype, label in reversed(c.described.structs.get(kind, ()) if kind not in BYTES else ()):
        if not _hidden(label):
            return _tail(c, ctype) + tail
        tail = _bytes(ctype, label) + tail
    return tail


def _codes(c: Conventions, ctype: str, label: str) -> Iterator[str]:
    """Yield the formats of a member."""
    if ctype in c.described.structs and ctype not in BYTES:
        yield from layout(c, ctype)
    elif ctype in BYTES or ctype == "char":
        yield f"{BYTES.get(ctype) or _length(label)}s"
    else:
        yield from [CODES.get(ctype) or ("i" if ctype in c.described.enums else "Q")] * _length(label)


def nested(c: Conventions, kind: str, names: Iterator[str]) -> str:
    """Return the expression for a struct's plain value, from the names of its members."""
    parts = []
    for ctype, label in c.described.structs[kind]:
        if ctype in c.described.structs and ctype not in BYTES:
            parts.append(nested(c, ctype, names))
        elif ctype != "char" and "[" in label and not _hidden(label):
            parts.append(f"({', '.join(next(names) for _ in range(_length(label)))})")
        elif not _hidden(label):
            parts.append(next(names))
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"


def _hidden(label: str) -> bool:
    """Return whether a member is hidden: it takes part only in the layout."""
    return bool(HIDDEN.match(label.partition("[")[0]))


def _length(label: str) -> int:
    """Return the number of a member's values."""
    return int(label.partition("[")[2].rstrip("]") or 1)


def _functions(c: Conventions, kind: str, methods: str) -> Iterator[str]:
    """Yield the functions that read or make a struct, if the methods use them."""
    if kind in c.packed:
        yield f"_{kind}_plain = _{c.packed[kind]}"
        return
    parts = [f"{BYTES[kind]}s"] if kind in BYTES else list(layout(c, kind))
    codes = "".join(parts)
    plain = "(m0,)" if kind in BYTES else nested(c, kind, iter([f"m{i}" for i in range(len(parts))]))
    flat = ", ".join(re.findall(r"m\d+", plain)) or "()"
    yield f'_{kind}_layout = Struct("@{codes}")'
    whole = "m0" if kind in BYTES else plain
    if f"_{kind}_plain(" in methods or f"_{kind}_plain)" in methods:
        yield f"""

def _{kind}_plain(item: Any) -> Any:
    {plain if len(parts) == 1 else flat} = _{kind}_layout.unpack_from(MEMORY, item.getPtr())
    return {whole}

"""
    if f"_{kind}_told(" in methods:
        yield f"""

def _{kind}_told(item: Any, plain: Any) -> None:
    {whole} = plain
    _{kind}_layout.pack_into(MEMORY, item.getPtr(), {flat})

"""
    if f"_{kind}_made(" in methods:
        yield f"""

def _{kind}_made(plain: Any) -> Any:
    {whole} = plain
    item = {kind}()
    _{kind}_layout.pack_into(MEMORY, item.getPtr(), {flat})
    return item

"""


def _method(c: Conventions, call: Function) -> Iterator[str]:
    """Yield the lines of a call's method."""
    given = [
        evolve(p, type="unsigned long", role="input", kind="integer") if _binding(call, p) == "number" else p
        for p in call.params
        if p.keyword
    ]
    taken = [f"{p.keyword}: Any{' = 0' * p.has_default}" for p in given]
    yield ""
    yield f"    def {call.name}({', '.join(['self', *taken])}) -> tuple[Any, ...]:"
    steps: list[str] = []
    for group in _ordered(c, call, given):
        steps += group
    steps += (room := _room(call))
    yield from (f"        {step}" for step in steps)
    inputs = ", ".join(["call" if room else "self._callers[_own.number].call", *(p.keyword for p in call.inputs)])
    results = _results(call)
    count = len(results)
    yield f"        code, {'out' if count else '_'} = _{call.name}({inputs})"
    for p in (p for p in given if _is_told(p)):
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
    return [p for p in call.outputs if not _is_told(p)]


def _is_told(p: Param) -> bool:
    """Return whether a parameter is a struct that is read and then written."""
    return p.role == "inout" and p.kind in {"bytes", "struct"}


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
    steps = [step for group in _ordered(c, call, given) for step in group if "_plain(" not in step]
    steps = [step for step in steps if not any(f"_counted({keyword}," in step for keyword in uncounted)]
    yield from (f"    {re.sub(r', _[A-Za-z0-9_]+_plain[)]', ', id)', step)}" for step in steps or ["pass"])


def _ordered(c: Conventions, call: Function, given: list[Param]) -> Iterator[list[str]]:
    """Yield the steps that read arguments, in the binding's order."""
    numbers = {*BITS, "int"}
    yield from (_number(p) for p in given if (p.type in numbers and not p.array) or p.role == "string_in")
    yield from (_checked(c, p) for p in given if not p.array)
    addresses = [p for p in given if p.array and p.type == "void" and p.keyword not in VALUES]
    early = [p for p in reversed(given) if _binding(call, p) != "late" and p not in addresses]
    yield from (_checked(c, p) if p.array else _handle(c, call, p) for p in early if p.array or c.handle(p.type))
    yield from ([f"{p.keyword}, held_{p.keyword} = _addresses({p.keyword})"] for p in addresses)
    yield from (
        [f"if type({p.keyword}) is not bytes:", f"    {p.keyword}, held_{p.keyword} = _host({p.keyword})"]
        if _is_image(p)
        else _rest(c, call, p)
        for p in given
    )
    # Memory at an address is read last. By then the binding has refused all wrong arguments.
    yield from (
        [f"{p.keyword} = _image({', '.join(filter(None, [p.keyword, p.length]))})"] for p in given if _is_image(p)
    )


def _is_image(p: Param) -> bool:
    """Return whether an argument is an image of code.

    An image is read after all other arguments are checked.
    """
    return p.role == "string_in" and p.type == "void"


def _number(p: Param) -> list[str]:
    k = p.keyword
    if p.role == "string_in":
        return [] if _is_image(p) else [f"{k} = _text({k})"]
    if p.type == "int":
        return [f"if type({k}) is not int or ({k} + 0x80000000) >> 32:", f"    {k} = _signed({k})"]
    return [f"if type({k}) is not int or {k} >> {BITS[p.type]}:", f"    {k} = _{p.type.replace(' ', '_')}({k})"]


def _checked(c: Conventions, p: Param) -> list[str]:
    k = p.keyword
    if p.type in c.described.enums and p.array:
        return [f'{k} = _enums({k}, "{k}", {p.type})']
    if p.type in c.described.enums:
        return [f"if {k} is None:", f'    _given({k}, "{k}")']
    if p.array and (p.kind == "struct" or c.handle(p.type)):
        kinds = ", ".join([p.type, *c.twins.get(p.type, ())])
        return [f'{k} = _structs({k}, "{k}", {kinds})']
    if p.array and p.type in {*BITS, "int"}:
        return [f'_numbers({k}, "{k}")']
    if p.kind in {"bytes", "struct"} or (p.kind == "host" and p.type in c.described.structs):
        wrong = f"{k} is not None and not isinstance({k}, {p.type})" if p.pointer else f"not isinstance({k}, {p.type})"
        return [f"if {wrong}:", f'    raise _wrong_type({k}, "{k}", {p.type})']
    return []


def _handle(c: Conventions, call: Function, p: Param) -> list[str]:
    k, how = p.keyword, c.handle(p.type)
    number = f"{k} if type({k}) is int and not {k} >> 64 else " if how == "handle" else ""
    value = f"int({k}) if type({k}) is {p.type} else {number}_{how}({k})"
    return [f"{k} = ({value}) or CALLS_NULL" if p.type in WRAPPED and _binding(call, p) != "bare" else f"{k} = {value}"]


def _rest(c: Conventions, call: Function, p: Param) -> list[str]:
    k = p.keyword
    if _binding(call, p) == "late" or p.role == "string_in" or p.has_default:
        return []
    if p.array:
        return _array(c, call, p)
    if p in _by_value(call):
        plain = f"+{k} if type({k}) is {p.type} and {k} in _{p.type}_known"
        return [f"{k} = {plain} else _{p.type}_by_value({k})"]
    if p.type in c.described.enums:
        steps = [f"{k} = +{k} if type({k}) is {p.type} else _{p.type}({k})"]
        imported = [one.keyword for one in call.inputs if _is_imported(call, one) and key_of(call, one) == p.name]
        return [*steps, *(f"{one} = _shared({one}, {k})" for one in imported)]
    if p.type in c.by_attribute:
        return [f"{k} = None if {k} is None else _stream_value({k}, attr)"]
    if _is_told(p):
        return [f"held_{k} = {k}", f"{k} = None if {k} is None else _{p.type}_plain({k})"]
    if p.kind in {"bytes", "struct"}:
        made = f"None if {k} is None else _{p.type}_plain({k})" if p.pointer else f"_{p.type}_plain({k})"
        return [*([f"held_{k} = {k}"] * _points(c, p.type)), f"{k} = {made}"]
    if p.kind == "word":
        key = _key(call, p)
        word = WORDS[convention(call.name, p.name).form]
        return [f"{k} = {word.format(value=k, key=key.keyword, type=key.type)}"]
    if p.kind == "host" and p.type in c.described.structs:
        return [f"{k} = 0 if {k} is None else {k}.getPtr()"]
    if p.type == "void":
        how = "kernel_params" if _binding(call, p) == "kernel_params" else "host"
        return [f"if type({k}) is not int or {k} >> 64:", f"    {k}, held_{k} = _{how}({k})"]
    return []


def _points(c: Conventions, kind: str) -> bool:
    """Return whether a node's struct holds addresses that are read.

    Such a struct has to be kept alive.
    """
    members = c.described.structs.get(kind, ()) if kind.endswith("NODE_PARAMS") else ()
    return kind in {"CUgraphNodeParams", "cudaGraphNodeParams"} or any(ctype.endswith("*") for ctype, _ in members)


def _binding(call: Function, p: Param) -> str:
    """Return what the binding does with a parameter; empty for what it does with others of its type."""
    return convention(call.name, p.name).binding


def _key(call: Function, p: Param) -> Param:
    """Return the parameter that the form of another one depends on, or that one itself."""
    return next((one for one in call.params if one.name == key_of(call, p)), p)


def _is_imported(call: Function, p: Param) -> bool:
    """Return whether a parameter is an input that another process has exported."""
    return p.role == "in" and convention(call.name, p.name).form == "shareable"


def _by_value(call: Function) -> list[Param]:
    """Return the parameters of a call that the binding reads by ``.value``."""
    return [
        _key(call, p)
        for p in call.params
        if convention(call.name, p.name).form in BY_VALUE and not _is_imported(call, p)
    ]


def _array(c: Conventions, call: Function, p: Param) -> list[str]:
    k = p.keyword
    counted = p.count or f"len({k})"  # the overrides of a new call may not have the count yet
    if (values := OPTION_VALUES.get(p.type, {}).get(k)) is not None:
        of_library = ", of_library=True" * any(one.type == "CUlibraryOption" for one in call.inputs)
        return [f"{k}, {values}, held_{values} = _options({k}, {values}, {counted}{of_library})"]
    if k in VALUES:
        return [] if c.name == "driver" else [f"{k}, held_{k} = _jit_values({k}, {counted})"]
    if p.type in c.described.enums:
        late = [one.keyword for one in call.inputs if _binding(call, one) == "late"]
        sizes = [f'{a} = _{p.type}_sizes({a}, "{a}", {counted}, {k})' for a in late]
        kinds = {
            "whole": sizes,
            f"{p.type}_whole": any(
                convention(call.name, one.name).form in WHOLE and _key(call, one) is p for one in call.outputs
            ),
            "measured": _binding(call, p) == "measured",
            "listed": True,
        }
        plain = next(kind for kind, applies in kinds.items() if applies)
        return [*sizes, f"{k} = _{plain}({k}, {counted})"]
    if p.type == "void":
        return [f"{k} = _plain_addresses({k}, {counted})"]
    in_full = _binding(call, p) == "unmeasured" or convention(call.name, p.name).form == "extents"
    count = f"len({k})" if in_full else counted
    if c.handle(p.type):
        return [f"{k} = _plain_pointers({k}, {count})"]
    if p.type == "int":
        return [f"{k} = tuple([_signed(one) for one in {k}])"]
    if p.type in BITS:
        return [f"{k} = _plain_numbers({k}, {counted})"]
    return [f"{k} = _counted({k}, {count}, _{p.type}_plain)"]


def _result(c: Conventions, call: Function, p: Param, value: str) -> str:
    """Return the expression for a result in the binding's type."""
    made = RESULTS.get(convention(call.name, p.name).form or p.type, "")
    if made:
        # Only the driver's module has this class under its own name.
        made = made.replace("cuuint64_t", "fallback_classes.binding.cuuint64_t") if c is RUNTIME_BINDING else made
        return made.format(value=value, key=_key(call, p).keyword, type=p.type)
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
