"""The C client's tables, from the descriptions of the calls.

Arguments, results and call numbers.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from fakecuda.reach.native import objects
from fakecuda.reach.native.forms import EXPORT_TABLE, MODELLED, fix_of
from fakecuda.reach.native.generated.cudart import ARGUMENTS, RETURNED
from fakecuda.reach.native.values import WIDE
from fakecuda.reach.remote.client.local import ENTRY_POINTS
from fakecuda.reach.remote.linked import nvml_tables
from fakecuda.reach.remote.linked.constants import refused
from fakecuda.reach.remote.linked.shapes import code_of, shape_of, spelt
from fakecuda.reach.remote.protocol import schema
from fakecuda.rules.registry import DRIVER, FORMS, RUNTIME, api_of
from fakecuda.spec import cudart, launch_config, mem_ops, resources, stream_values
from fakecuda.spec.conventions import convention, key_of
from fakecuda.spec.layouts import UNIONS
from fakecuda.spec.sizes import POOL_SIZES
from fakecuda.spec.symbols import symbols

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from struct import Struct

    from fakecuda.spec.description import Function, Param

GIVEN = {"pool_word": "POOL_WORD", "shareable": "DESCRIPTOR"}
"""How to read inputs whose layout depends on a key, by form."""
RETURNED_AT = {
    "device_name": "DEVICE_NAME",
    "dma_buf": "DESCRIPTOR_AT",
    "int_lists": "LISTS_OF_INTS",
    "ints": "INTS",
    "pointer_attribute": "ATTRIBUTE_AT",
    "pointer_attributes": "ATTRIBUTES_AT",
    "pool_word": "POOL_WORD_AT",
    "shareable": "DESCRIPTOR_AT",
}
"""How to write results whose layout depends on their content or on a key, by form."""
BY_CONTENT = frozenset({"DESCRIPTOR_AT", "INTS", "LISTS_OF_INTS"})
"""Results whose layout does not depend on a key."""
KINDS = {
    "P": "uint64_t",
    "Q": "uint64_t",
    "I": "uint32_t",
    "i": "int32_t",
    "H": "uint16_t",
    "B": "uint8_t",
    "f": "float",
}
SHORT = {(12, "cudaPointerGetAttributes"): "(iiQQ)"}
"""Layouts of structs that are shorter in an earlier CUDA version."""
UNREAD = frozenset({"CUcheckpointRestoreArgs"})
"""Structs that the client does not read."""
POINTED = {
    "CUDA_RESOURCE_DESC": "RESOURCE",
    "cudaResourceDesc": "RUNTIME_RESOURCE",
    "CUlaunchConfig": "LAUNCH_CONFIG",
}
"""How to read structs that have a union or that point to others, by type."""
SYMBOL_ADDRESS = "cudaGetSymbolAddress"
"""The call by which the client finds a managed variable."""


def tables() -> str:
    """Return the C tables of the calls, and of layouts that depend on arguments."""
    return table(_described()) + f"#define GET_SYMBOL_ADDRESS {_rows().index((SYMBOL_ADDRESS, ''))}\n"


def table(described: Iterable[tuple[str, str, list[str], list[str]]]) -> str:
    """Return the C tables of some calls, and of layouts that depend on arguments.

    Args:
        described: The name, flags, inputs and outputs of each call.
    """
    parts = [
        _layouts("operations", mem_ops.LAYOUTS),
        _layouts("stream_values", stream_values.LAYOUTS),
        _layouts("resources", resources.LAYOUTS),
        _layouts("runtime_resources", resources.RUNTIME_LAYOUTS),
        _layouts("launch_attributes", launch_config.LAYOUTS, launch_config.ATTRIBUTE),
        _numbers("pool_sizes", POOL_SIZES),
        _numbers("wide_attributes", WIDE),
    ]
    rows = []
    for place, (name, flags, given, made) in enumerate(described):
        parts += [f"static const struct input in_{place}[] = {{{', '.join(given)}}};\n"] if given else []
        parts += [f"static const struct output out_{place}[] = {{{', '.join(made)}}};\n"] if made else []
        rows.append(
            f'    {{"{name}", {schema.NUMBERS[name]}, {flags}, {len(given)}, {len(made)}, '
            f"{f'in_{place}' if given else 'NULL'}, {f'out_{place}' if made else 'NULL'}}},\n"
        )
    return "".join([*parts, "static const struct call calls[] = {\n", *rows, "};\n"])


def _described() -> Iterator[tuple[str, str, list[str], list[str]]]:
    """Yield each row's call, flags, inputs and outputs, those of NVML last."""
    for name, short in _rows():
        call = api_of(name).calls[name]
        yield name, _flags(call), list(inputs_of(call)), list(_outputs(call, short))
    for name, inputs, outputs in nvml_tables.rows():
        yield name, "IS_NVML | IS_INIT" if name.startswith("nvmlInit") else "IS_NVML", inputs, outputs


def functions() -> str:
    """Return the C functions for the stubs' slots, and the look-up table.

    The table is for looking up driver functions.
    """
    places = {row: place for place, row in enumerate(_rows())}
    prefix = objects.PREFIXES[objects.driver().soname]
    lines = []
    for symbol in symbols():
        if symbol.name == EXPORT_TABLE:  # exports.c has it
            continue
        place = places.get((MODELLED.get(symbol.name, ""), ""))
        lines.append(_function(prefix, symbol.name, place, symbol.args, "DRIVER_API", bool(symbol.stream)))
    lines.append(f"uint64_t {prefix}{objects.THREAD_END}(void) {{ return TAGGED(0); }}\n")
    for major in cudart.VERSIONS:
        prefix = objects.PREFIXES[cudart.soname(major)]
        lines.append(f"PROGRAM_FUNCTIONS({prefix})\n")
        for name, call, own_stream in cudart.exported(major):
            if name in cudart.REGISTRATION:  # program.c has them
                continue
            known = ARGUMENTS.get(call, ())
            place = places.get((call, SHORT.get((major, call), "")))
            lines.append(_function(prefix, name, place, known, "RUNTIME_API", own_stream))
    lines += _management(len(places))
    prefix = objects.PREFIXES[objects.driver().soname]
    newest = sorted(symbols(), key=lambda one: (one.version, one.stream), reverse=True)
    own = {one.base for one in newest if one.stream}
    rows = [
        f'    {{"{one.base}", "{one.name}", {one.version}, {int(bool(one.stream))}, {int(one.base in own)}, '
        f"(void *){prefix}{one.name}}},\n"
        for one in newest
    ]
    return "".join(
        [*structs_of(lines), *lines, "static const struct form forms[] = {\n", *rows, "};\n"],
    )


def _management(first: int) -> Iterator[str]:
    """Yield the C functions of NVML, whose rows begin at an index."""
    prefix = objects.PREFIXES[objects.management().soname]
    for place, name in enumerate(nvml_tables.modelled(), first):
        yield _function(prefix, name, place, nvml_tables.kinds(name), "NVML_API", own_stream=False)
    for name in nvml_tables.others():
        yield _function(prefix, name, None, (), "NVML_API", own_stream=False)
    yield nvml_tables.error_string(prefix)


def _rows() -> list[tuple[str, str]]:
    """Return the calls in row order.

    Each comes with an older, shorter shape of its result, or ''.
    """
    names = [name for api in (DRIVER, FORMS, RUNTIME) for name in sorted(api.ops) if not points(name)]
    return [*((name, "") for name in names), *((name, short) for (_, name), short in SHORT.items())]


def points(name: str) -> bool:
    """Return whether the client cannot read a call's arguments.

    An example are structs that point to other structs.
    """
    return any(param.type in UNREAD for param in api_of(name).calls[name].params)


def _function(prefix: str, name: str, place: int | None, kinds: tuple[str, ...], api: str, own_stream: bool) -> str:  # noqa: FBT001 - a property of the symbol
    """Return the C function of a symbol."""
    if place is None:
        fixes = (fix_of(one) for one in symbols() if one.name == name)
        fix = next((one for one in fixes if one != f"use {name}"), "")
        text = json.dumps(refused(name, api) + (fix and f"; {fix}"))
        return (
            f"uint64_t {prefix}{name}(void) {{ static int told; return TAGGED(not_modelled({text}, {api}, &told)); }}\n"
        )
    types = [KINDS.get(kind, f"struct bytes_{kind[1:]}") for kind in kinds]
    taken = ", ".join(f"{ctype} a{number}" for number, ctype in enumerate(types)) or "void"
    given = ", ".join(word_of(kind, f"a{number}") for number, kind in enumerate(kinds)) or "0"
    what = f"&calls[{place}], (uint64_t[]){{{given}}}"
    if name in RETURNED:
        return f"uint64_t {prefix}{name}({taken}) {{ return invoke_text({what}, __builtin_frame_address(0)); }}\n"
    flags = "PER_THREAD_STREAM" if own_stream else "0"
    made = f"invoke({what}, {flags}, __builtin_frame_address(0))"
    return f"uint64_t {prefix}{name}({taken}) {{ return TAGGED({made}); }}\n"


def word_of(kind: str, name: str) -> str:
    """Return the C expression for an argument's word: a number or an address."""
    if kind in KINDS:
        return f"(uint64_t){name}"
    return f"(uint64_t)&{name}"


def structs_of(lines: Iterable[str]) -> Iterator[str]:
    """Yield C structs for arguments passed by value.

    Their size alone matters: no member is floating point.
    """
    for size in sorted({int(found) for line in lines for found in re.findall(r"struct bytes_(\d+)", line)}):
        yield f"struct bytes_{size} {{ uint{_unit(size)}_t content[{size * 8 // _unit(size)}]; }};\n"


def _unit(size: int) -> int:
    """Return the C struct for members that share a struct's bytes."""
    return 32 if size % 8 else 64


def _flags(call: Function) -> str:
    flags = [
        name
        for name, holds in (
            ("IS_INIT", call.name == "cuInit"),
            ("FINDS_DRIVER", call.name in ENTRY_POINTS),
            ("RETURNS_TEXT", call.name in RETURNED),
        )
        if holds
    ]
    return " | ".join(flags) or "0"


def places_of(call: Function) -> dict[str, int]:
    """Return the indices of the parameters among the arguments in C."""
    return {param.name: place for place, param in enumerate(call.params)}


def inputs_of(call: Function) -> Iterator[str]:
    """Yield the inputs of a call as rows of the C table."""
    places = places_of(call)
    for param in call.inputs:
        kind, key = _given_as(call, param)
        most = convention(call.name, param.count).at_most
        row = [str(places[param.name]), kind, str(places.get(key, -1)), str(places.get(most, -1))]
        told = f"{schema.FABRIC_SIZE}s" if kind == "DESCRIPTOR" else shape(param)
        if convention(call.name, param.name).form == "size_word":
            told = "Q"
        yield f"{{{', '.join([*row, json.dumps(told)])}}}"


def _given_as(call: Function, param: Param) -> tuple[str, str]:
    """Return how to read an input, and the parameter that selects the layout."""
    form = convention(call.name, param.name).form
    if form in GIVEN:
        return GIVEN[form], key_of(call, param)
    if form == "extents":
        less = convention(call.name, param.name).less
        return f"EXTENTS_LESS_{less}" if less else "EXTENTS", param.count
    if param.type in POINTED:
        return POINTED[param.type], ""
    if param.type in UNIONS:
        return "MEMORY_OPERATIONS" if param.array else "STREAM_VALUE", key_of(call, param)
    if param.kind == "string" and param.type == "void":
        return "IMAGE", ""
    if param.kind == "string":
        return "STRING", ""
    if param.array or (param.kind == "struct" and param.count):
        return "MANY", param.count
    if param.kind in {"bytes", "struct", "word"}:
        return "BEHIND", ""
    return "VALUE", ""


def _outputs(call: Function, short: str) -> Iterator[str]:
    places = places_of(call)
    for param in call.outputs:
        kind, key = returned_as(call, param)
        yield f"{{{places[param.name]}, {kind}, {places.get(key, -1)}, {json.dumps(short or shape(param))}}}"


def returned_as(call: Function, param: Param) -> tuple[str, str]:
    """Return how to write a result, and the parameter that selects the layout."""
    form = convention(call.name, param.name).form
    if form in RETURNED_AT:
        return RETURNED_AT[form], "" if RETURNED_AT[form] in BY_CONTENT else key_of(call, param)
    if param.type in UNIONS:
        return "STREAM_VALUE_AT", key_of(call, param)
    if param.type in POINTED:
        return f"{POINTED[param.type]}_AT", ""
    if param.role == "inout" and param.kind == "bytes":
        return "NODE_TOLD", ""
    if param.role == "string_out":
        return "TEXT_IN", ""
    if param.kind == "string":
        return "TEXT_AT", ""
    if param.kind == "bytes":
        return "BYTES_AT", ""
    owned = param.array and any(one.name == param.count for one in call.outputs if one.role == "out")
    return "OWNED_AT" if owned else "RESULTS_AT" if param.array else "RESULT_AT", ""


def shape(param: Param) -> str:
    """Return the layout of a parameter's value in C."""
    if (
        param.type in UNIONS
        or param.type in POINTED
        or param.kind == "string"
        or (param.kind == "bytes" and param.role == "out")
    ):
        return ""
    if param.kind in {"bytes", "struct"}:
        return shape_of(param.type)
    if param.kind == "word" and param.role != "inout":
        return "I"
    return "Q" if param.type == "void" or (param.kind in {"any", "host"} and not param.array) else code_of(param.type)


def _layouts(name: str, layouts: dict[int, Any], first: Struct | None = None) -> str:
    """Return a table of layouts by key, with the preceding bytes."""
    head = first.format if first else ""
    rows = "".join(
        f'    {{{key}, "({spelt(head)}{spelt(layout.format)})"}},\n' for key, layout in sorted(layouts.items())
    )
    return f"static const struct layout {name}[] = {{\n{rows}}};\n"


def _numbers(name: str, numbers: Iterable[int]) -> str:
    return f"static const int {name}[] = {{{', '.join(map(str, sorted(numbers)))}}};\n"
