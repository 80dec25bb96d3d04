"""Write ``_driver.py``: the modelled calls of the look-alike as straight-line methods.

``python -m fakecuda.surfaces.generate`` makes one method per operation from the description of its call in
:mod:`fakecuda.api`. A method reads its arguments in the binding's order: C numbers first, as Cython unpacks them, then
None and struct classes, then handles and arrays from the last to the first, then the rest. The file is committed; a test
regenerates and compares it.
"""

from __future__ import annotations

import re
from pathlib import Path
from struct import calcsize
from typing import TYPE_CHECKING

import fakecuda.spec  # noqa: F401 - declares the operations
from fakecuda.api import CALLS, ENUMS, STRUCTS
from fakecuda.rule import OPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.api import Call, Param

TARGET = Path(__file__).with_name("_driver.py")
HANDLES = {
    "CUcontext": "handle",
    "CUdeviceptr": "handle",
    "CUmemGenericAllocationHandle": "handle",
    "CUevent": "handle",
    "CUhostFn": "handle",
    "CUmemoryPool": "handle",
    "CUstream": "handle",
    "CUstreamCallback": "handle",
    "cuuint32_t": "value32",
    "cuuint64_t": "flags",
    "CUdevice": "device",
}
"""Classes of integers that have a coercion of their own, which takes None for 0."""
BITS = {"unsigned char": 8, "unsigned short": 16, "unsigned int": 32, "size_t": 64, "unsigned long long": 64}
BY_VALUE = {
    ("cuPointerGetAttribute", "attribute"),
    ("cuPointerSetAttribute", "attribute"),
    ("cuMemExportToShareableHandle", "handleType"),
    ("cuMemPoolExportToShareableHandle", "handleType"),
    ("cuMemPoolGetAttribute", "attr"),
    ("cuMemPoolSetAttribute", "attr"),
    ("cuMemRangeGetAttribute", "attribute"),
}
"""Enums that the binding reads by ``.value``."""
NUMBERED = {"CUmemPool_attribute"}
"""Those of them that it reads as numbers before."""
MEASURED = {
    ("cuDeviceGetHostAtomicCapabilities", "operations"),
    ("cuDeviceGetP2PAtomicCapabilities", "operations"),
}
"""Arrays of enums that the binding refuses if they are shorter than their count."""
WHOLE = {("cuMemRangeGetAttributes", "attributes"), ("cuPointerGetAttributes", "attributes")}
"""Those of which it also makes results that were not asked for."""
LATE = {("cuMemRangeGetAttributes", "dataSizes")}
"""Arrays that the binding looks at after the attributes that they belong to."""
HOST_ADDRESSES = {
    ("cuLaunchHostFunc", "userData"),
    ("cuMemFreeHost", "p"),
    ("cuMemHostGetDevicePointer", "p"),
    ("cuMemHostGetFlags", "p"),
    ("cuMemHostRegister", "p"),
    ("cuMemHostUnregister", "p"),
    ("cuMemImportFromShareableHandle", "osHandle"),
    ("cuMemPoolImportFromShareableHandle", "handle"),
    ("cuMemRetainAllocationHandle", "addr"),
    ("cuStreamAddCallback", "userData"),
}
"""``void *`` inputs that are no buffer and are read as one."""
SHARED = {"cuMemImportFromShareableHandle": "osHandle", "cuMemPoolImportFromShareableHandle": "handle"}
"""Inputs that are what another process exported."""
CODES = {
    "int": "i",
    "unsigned int": "I",
    "unsigned char": "B",
    "unsigned short": "H",
    "size_t": "Q",
    "unsigned long long": "Q",
}
SIZES = {"CUuuid": 16, "CUipcMemHandle": 64, "CUipcEventHandle": 64, "CUmemPoolPtrExportData": 64}
UNIONS = {"CUstreamBatchMemOpParams": "mem_op"}
"""Structs whose plain value depends on what is in them, and the function that reads their memory."""
BY_ATTRIBUTE = {"CUstreamAttrValue"}
"""Unions that an attribute tells apart."""
HIDDEN = re.compile(r"^(_|reserved(?!\d$)|pad)")
"""Members that take part in the layout only; a numbered one among others must be null, and is told."""
HEAD = '''"""The modelled calls of the look-alike; written by ``python -m fakecuda.surfaces.generate``, do not edit."""

from __future__ import annotations

from ctypes import c_char as _char
from struct import Struct
from typing import TYPE_CHECKING, Any

import fakecuda.spec  # noqa: F401 - declares the operations
from fakecuda.rule import OPS
from fakecuda.surfaces import coercion, standins

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.process import Thread

SUCCESS = standins.binding.CUresult(0)
'''
HELPERS = {
    **dict.fromkeys(
        (
            "counted",
            "device",
            "enums",
            "flags",
            "given",
            "handle",
            "host",
            "listed",
            "measured",
            "mem_op",
            "numbers",
            "plain_numbers",
            "plain_pointers",
            "pool_word",
            "shared",
            "signed",
            "stream_value",
            "structs",
            "text",
            "value32",
            "whole",
            "word",
            "wrong_type",
        ),
        "coercion",
    ),
    **dict.fromkeys(
        (
            "filled",
            "padded",
            "pointer_value",
            "pointer_values",
            "pool_value",
            "range_value",
            "range_values",
            "stream_value_made",
        ),
        "standins",
    ),
}
"""Functions and their modules; in ``_driver.py`` with an underscore, since arguments have such names too."""
CLASS = '''

class Calls:
    """The modelled calls of ``cuda.bindings.driver``.

    Args:
        find: Returns the calling thread.
    """

    __slots__ = ("_find",)

    def __init__(self, find: Callable[[], Thread]) -> None:
        self._find = find
'''


def render() -> str:
    """Return the text of ``_driver.py``."""
    calls = [CALLS[name] for name in sorted(OPS)]
    params = [p for call in calls for p in call.params]
    methods = "\n".join(line for call in calls for line in _method(call))
    kinds = sorted({p.type for p in params if p.kind == "struct" or p.type in SIZES} - BY_ATTRIBUTE)
    functions = "\n".join(line for kind in kinds for line in _functions(kind, methods))
    body = re.sub(r"\n{4,}", "\n\n\n", functions + CLASS + methods)
    names: dict[str, str] = {f"_{name}": f"{module}.{name}" for name, module in sorted(HELPERS.items())}
    names |= {f"_answers{count}": f"standins.Failures({count})" for count in sorted({len(c.outputs) for c in calls})}
    names |= {
        p.type: f"standins.binding.{p.type}"
        for p in sorted(params, key=lambda p: p.type)
        if p.type.startswith(("CU", "cuu"))
    }
    names |= {f"_{kind.replace(' ', '_')}": f'coercion.INTEGERS["{kind}"]' for kind in BITS}
    names |= {f"_{kind}": f'coercion.enumerator("{kind}")' for kind in ENUMS}
    for call, keyword in sorted(BY_VALUE):
        kind = next(p.type for p in CALLS[call].params if p.keyword == keyword)
        names[f"_{kind}_known"] = f'coercion.known("{kind}")'
        how = "numbered" if kind in NUMBERED else "member"
        names[f"_{kind}_by_value"] = f'coercion.{how}("{kind}", _{kind}_known)'
    names |= {f"_{kind}_{of}": f'coercion.{of}_of("{kind}")' for kind in ENUMS for of in ("sizes", "whole")}
    names |= {f"_{call.name}": f'OPS["{call.name}"].invoke' for call in calls}
    used = set(re.findall(r"\w+", body))
    return "\n".join([HEAD + "\n".join(f"{k} = {v}" for k, v in names.items() if k in used), body, ""])


def layout(kind: str) -> Iterator[str]:
    """Yield the format characters of a struct's members in C order, nested structs inline."""
    for ctype, label in STRUCTS[kind]:
        if ctype in STRUCTS and not ctype.endswith("*"):
            yield from layout(ctype)
        elif not _hidden(label):
            yield from (CODES.get(ctype) or ("i" if ctype in ENUMS else "Q")) * _length(label)


def nested(kind: str, names: Iterator[str]) -> str:
    """Return the expression of a struct's plain value from the names of its members."""
    parts = []
    for ctype, label in STRUCTS[kind]:
        if ctype in STRUCTS:
            parts.append(nested(ctype, names))
        elif "[" in label and not _hidden(label):
            parts.append(f"({', '.join(next(names) for _ in range(_length(label)))})")
        elif not _hidden(label):
            parts.append(next(names))
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"


def _hidden(label: str) -> bool:
    """Return whether a member takes part in the layout only; it stands at the end."""
    return bool(HIDDEN.match(label))


def _length(label: str) -> int:
    """Return how many values a member has."""
    return int(label.partition("[")[2].rstrip("]") or 1)


def _functions(kind: str, methods: str) -> Iterator[str]:
    """Yield the functions that read a struct from its memory and make one, as far as the methods use them."""
    if kind in UNIONS:
        yield f"_{kind}_plain = _{UNIONS[kind]}"
        return
    codes = f"{SIZES[kind]}s" if kind in SIZES else "".join(layout(kind))
    names = iter([f"m{i}" for i in range(len(codes))])
    plain = "(m0,)" if kind in SIZES else nested(kind, names)
    flat = re.sub(r"[()]", "", plain).rstrip(",")
    yield f'_{kind}_layout = Struct("@{codes}")'
    yield f"_{kind}_at = (_char * {calcsize('@' + codes)}).from_address"
    whole = "m0" if kind in SIZES else plain
    if f"_{kind}_plain(" in methods or f"_{kind}_plain)" in methods:
        yield f"""

def _{kind}_plain(item: Any) -> Any:
    {plain if kind in SIZES else flat} = _{kind}_layout.unpack_from(_{kind}_at(item.getPtr()))
    return {whole}

"""
    if f"_{kind}_made(" in methods:
        yield f"""

def _{kind}_made(plain: Any) -> Any:
    {whole} = plain
    item = {kind}()
    _{kind}_layout.pack_into(_{kind}_at(item.getPtr()), 0, {flat})
    return item

"""


def _method(call: Call) -> Iterator[str]:
    """Yield the lines of one call's method."""
    given = [p for p in call.params if p.keyword]
    keywords = [p.keyword for p in given]
    yield ""
    yield f"    def {call.name}({', '.join(['self', *(f'{k}: Any' for k in keywords)])}) -> tuple[Any, ...]:"
    steps: list[str] = []
    for group in _ordered(call.name, given):
        steps += group
    yield from (f"        {step}" for step in steps)
    inputs = ", ".join(["self._find()", *(p.keyword for p in call.inputs)])
    count = len(call.outputs)
    yield f"        code, {'out' if count else '_'} = _{call.name}({inputs})"
    if not count:
        yield f"        return _answers{count}[code]"
        return
    yield "        if code:"
    yield f"            return _answers{count}[code]"
    if count == 1:
        yield f"        return SUCCESS, {_result(call, call.outputs[0], 'out')}"
    else:
        names = ", ".join(p.name for p in call.outputs)
        yield f"        {names} = out"
        yield f"        return SUCCESS, {', '.join(_result(call, p, p.name) for p in call.outputs)}"


def _ordered(name: str, given: list[Param]) -> Iterator[list[str]]:
    """Yield the steps that read the arguments, in the binding's order."""
    numbers = {*BITS, "int"}
    yield from (_number(p) for p in given if (p.type in numbers and not p.array) or p.role == "string_in")
    yield from (_checked(p) for p in given if not p.array)
    early = [p for p in reversed(given) if (name, p.keyword) not in LATE]
    yield from (_checked(p) if p.array else _handle(p) for p in early if p.array or p.type in HANDLES)
    yield from (_rest(name, p) for p in given)


def _number(p: Param) -> list[str]:
    k = p.keyword
    if p.role == "string_in":
        return [f"{k} = _text({k})"]
    if p.type == "int":
        return [f"if type({k}) is not int or ({k} + 0x80000000) >> 32:", f"    {k} = _signed({k})"]
    return [f"if type({k}) is not int or {k} >> {BITS[p.type]}:", f"    {k} = _{p.type.replace(' ', '_')}({k})"]


def _checked(p: Param) -> list[str]:
    k = p.keyword
    if p.type in ENUMS and not p.array:
        return [f"if {k} is None:", f'    _given({k}, "{k}")']
    if p.array and (p.kind == "struct" or p.type in HANDLES):
        return [f'{k} = _structs({k}, "{k}", {p.type})']
    if p.array and p.type in BITS:
        return [f'_numbers({k}, "{k}")']
    if p.kind in {"bytes", "struct"} and p.pointer:
        return [
            f"if {k} is not None and not isinstance({k}, {p.type}):",
            f'    raise _wrong_type({k}, "{k}", "{p.type}")',
        ]
    if p.kind in {"bytes", "struct"}:
        return [f"if not isinstance({k}, {p.type}):", f'    raise _wrong_type({k}, "{k}", "{p.type}")']
    return []


def _handle(p: Param) -> list[str]:
    k = p.keyword
    number = f"{k} if type({k}) is int and not {k} >> 64 else " if HANDLES[p.type] == "handle" else ""
    return [f"{k} = int({k}) if type({k}) is {p.type} else {number}_{HANDLES[p.type]}({k})"]


def _rest(name: str, p: Param) -> list[str]:
    k = p.keyword
    if (name, k) in BY_VALUE:
        plain = f"int({k}) if type({k}) is {p.type} and {k} in _{p.type}_known"
        return [f"{k} = {plain} else _{p.type}_by_value({k})"]
    if (name, k) in LATE:
        return []
    if p.array and p.type in ENUMS:
        sizes = [f'{a} = _{p.type}_sizes({a}, "{a}", {p.count}, {k})' for call, a in LATE if call == name]
        kinds = {
            "whole": sizes,
            f"{p.type}_whole": (name, k) in WHOLE,
            "measured": (name, k) in MEASURED,
            "listed": True,
        }
        plain = next(kind for kind, applies in kinds.items() if applies)
        return [f'{k} = _enums({k}, "{k}", {p.type})', *sizes, f"{k} = _{plain}({k}, {p.count})"]
    if p.type in ENUMS:
        steps = [f"{k} = int({k}) if type({k}) is {p.type} else _{p.type}({k})"]
        return [*steps, f"{SHARED[name]} = _shared({SHARED[name]}, {k})"] if name in SHARED else steps
    if p.array and p.type in HANDLES:
        return [f"{k} = _plain_pointers({k}, {p.count})"]
    if p.array and p.type in BITS:
        return [f"{k} = _plain_numbers({k}, {p.count})"]
    if p.array:
        return [f"{k} = _counted({k}, {p.count}, _{p.type}_plain)"]
    if p.type in BY_ATTRIBUTE:
        return [f"{k} = None if {k} is None else _stream_value({k}, attr)"]
    if p.kind in {"bytes", "struct"} and p.pointer:
        return [f"{k} = None if {k} is None else _{p.type}_plain({k})"]
    if p.kind in {"bytes", "struct"}:
        return [f"{k} = _{p.type}_plain({k})"]
    if p.kind == "word":
        if name == "cuMemPoolSetAttribute":
            return [f"{k} = _pool_word({k}, attr)"]
        return [f"{k} = _word({k}, attribute, _CUpointer_attribute_known)"]
    if p.kind == "host" or (name, k) in HOST_ADDRESSES:
        return [f"{k}, held = ({k}, None) if type({k}) is int and not {k} >> 64 else _host({k})"]
    return []


def _result(call: Call, p: Param, value: str) -> str:
    """Return the expression of a result in the binding's type."""
    if call.name == "cuPointerGetAttribute":
        return f"_pointer_value(attribute, {value})"
    if call.name == "cuPointerGetAttributes":
        return f"_pointer_values(attributes, {value})"
    if call.name == "cuMemRangeGetAttribute":
        return f"_range_value({value})"
    if call.name == "cuMemRangeGetAttributes":
        return f"_range_values(attributes, dataSizes, {value})"
    if call.name == "cuMemPoolGetAttribute":
        return f"_pool_value(attr, {value})"
    if p.array:
        return f"list({value})"
    if call.name in {"cuMemExportToShareableHandle", "cuMemPoolExportToShareableHandle"}:
        return f'_filled("CUmemFabricHandle", {value}) if type({value}) is bytes else {value}'
    if p.role == "string_out":
        return f"_padded({value}, length)"
    if p.type in BY_ATTRIBUTE:
        return f"_stream_value_made(attr, {value})"
    if p.kind == "struct" or p.type in SIZES:
        return f"_{p.type}_made({value})"
    return f"{p.type}({value})" if p.type in HANDLES or p.type in ENUMS else value


if __name__ == "__main__":
    TARGET.write_text(render())
