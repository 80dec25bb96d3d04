"""The C tables of the recording library: driver functions and their arguments."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from fakecuda.reach.native.forms import EXPORT_TABLE, MODELLED
from fakecuda.reach.remote.linked import constants as client_constants
from fakecuda.reach.remote.linked import tables as client
from fakecuda.rules.registry import DRIVER, FORMS, api_of
from fakecuda.spec import launch_config, node_params
from fakecuda.spec.sizes import BYTES
from fakecuda.spec.symbols import symbols

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.spec.description import Function
    from fakecuda.spec.symbols import Symbol

PREFIX = "shadow_"
"""Prefix of the library's functions."""
OTHERS = 512
"""The maximum number of unknown driver functions."""
MOST_FAULTS = 32
"""The maximum number of faults of a run."""
LOOK_UPS = ("cuGetProcAddress", "cuGetProcAddress_v2")
BY_VALUE = "SEGL"
"""The kind of a struct argument passed by value, of unknown size."""
SIZES = {**BYTES, "char": 8}
"""The sizes of results that are bytes, such as a LUID."""


@cache
def known() -> tuple[Symbol, ...]:
    """Return the known driver functions; records have their numbers."""
    return tuple(one for one in symbols() if BY_VALUE not in one.args)


@cache
def rows() -> tuple[str, ...]:
    """Return the calls whose arguments the library reads, in the order of the table."""
    return tuple(name for api in (DRIVER, FORMS) for name in sorted(api.ops) if not client.points(name))


def row_of(symbol: str) -> int:
    """Return the row of a function's call; -1 without a row."""
    name = MODELLED.get(symbol)
    return rows().index(name) if name in rows() else -1


@cache
def digest() -> int:
    """Return 64 bits that identify the functions, their numbers and how their arguments are read."""
    return int.from_bytes(sha256(f"{tables()}{functions()}".encode()).digest()[:8], "little")


def constants() -> str:
    """Return the C constants."""
    numbers = {one.name: number for number, one in enumerate(known())}
    first, second = (numbers[name] for name in LOOK_UPS)
    told = {
        "SYMBOLS": f"{digest():#x}ull",
        "SYMBOL_COUNT": len(known()),
        "NEWEST": max(one.version for one in known()),
        "OTHERS": OTHERS,
        "MOST_FAULTS": MOST_FAULTS,
        "LAUNCH_SIZE": launch_config.HEAD.size,
        "MEMORY_NODE": node_params.MEM_ALLOC,
        "COUNT_OF_GRAPHS": node_params.BODIES - 4,
        "IS_LOOK_UP(symbol)": f"((symbol) == {first} || (symbol) == {second})",
    }
    return client_constants.constants() + "".join(f"#define {name} {value}\n" for name, value in told.items())


@cache
def tables() -> str:
    """Return the C tables of the calls' arguments and results."""
    return client.table(
        (call.name, _flags(call), list(client.inputs_of(call)), list(_outputs(call)))
        for call in (api_of(name).calls[name] for name in rows())
    )


def _flags(call: Function) -> str:
    return "IN_AND_OUT" if any(param.role == "inout" for param in call.params) else "0"


def _outputs(call: Function) -> Iterator[str]:
    """Yield the results of a call as in the client's table, with their counts."""
    places = client.places_of(call)
    for param in call.outputs:
        kind, key = client.returned_as(call, param)
        if kind in {"RESULTS_AT", "OWNED_AT"}:
            key = param.count
        elif kind == "TEXT_IN":
            key = param.length
        shape = f"{SIZES[param.type]}s" if kind == "BYTES_AT" else client.shape(param)
        yield f"{{{places[param.name]}, {kind}, {places.get(key, -1)}, {json.dumps(shape)}}}"


@cache
def functions() -> str:
    """Return the C functions, their table, and their order by version."""
    lines = [_function(number, one) for number, one in enumerate(known())]
    own = {one.base for one in known() if one.stream}
    table = [
        f'    {{"{one.base}", "{one.name}", {one.version}, {int(bool(one.stream))}, {int(one.base in own)}, {row_of(one.name)}, '
        f"(uint32_t(*)()){PREFIX}{one.name}, (uint32_t(*)()){PREFIX}found_{one.name}}},\n"
        if one.name != EXPORT_TABLE
        else f'    {{"{one.base}", "{one.name}", {one.version}, 0, 0, -1, (uint32_t(*)()){PREFIX}{one.name}, NULL}},\n'
        for one in known()
    ]
    newest = sorted(range(len(known())), key=lambda number: -known()[number].version)
    return "".join(
        [
            *client.structs_of(lines),
            *lines,
            "static const struct function functions[SYMBOL_COUNT] = {\n",
            *table,
            "};\nstatic const uint16_t newest[] = {",
            ", ".join(map(str, newest)),
            "};\n",
        ]
    )


def _function(number: int, symbol: Symbol) -> str:
    """Return the C functions of a symbol: as exported, and for cuGetProcAddress."""
    types = [client.KINDS.get(kind, f"struct bytes_{kind[1:]}") for kind in symbol.args]
    names = [f"a{place}" for place in range(len(types))]
    taken = ", ".join(f"{ctype} {name}" for ctype, name in zip(types, names, strict=True)) or "void"
    words = ", ".join(client.word_of(kind, name) for kind, name in zip(symbol.args, names, strict=True))
    passed = f"({', '.join(types) or 'void'}), ({', '.join(names)}){', ' if words else ','}{words}"
    return "".join(
        f"uint32_t {PREFIX}{prefix}{symbol.name}({taken}) {{ return PASS({number}, {row_of(symbol.name)}, {through}, {passed}); }}\n"
        for prefix, through in (("", "real"), ("found_", "found"))
    )
