"""The steps in which a method of a look-alike reads its arguments, for :mod:`tools.codegen.surfaces`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.spec.conventions import convention, key_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.spec.description import Function, Param
    from tools.codegen.conventions import Conventions

BITS = {
    "unsigned char": 8,
    "unsigned short": 16,
    "unsigned int": 32,
    "unsigned long": 64,
    "size_t": 64,
    "unsigned long long": 64,
}
WRAPPED = {"CUhostFn", "CUstreamCallback", "cudaHostFn_t", "cudaStreamCallback_t"}
"""Function types that the binding wraps in its own function, which also calls null."""
WORDS = {
    "pointer_attribute": "_word({value}, {key}, _{type}_known)",
    "pool_word": "_pool_word({value}, {key})",
    "size_word": "_size_word({value})",
}
"""The way to read new values of attributes, by form; the type is the key's."""
BY_VALUE = frozenset({"ints", "pointer_attribute", "pool_word", "shareable", "size_word"})
"""Forms with a key that the binding reads by ``.value``."""
WHOLE = frozenset({"int_lists", "pointer_attributes"})
"""Forms whose key is an array that is read in full, and also determines the number of results."""
OPTION_VALUES = {
    "CUjit_option": {"options": "optionValues", "jitOptions": "jitOptionsValues"},
    "CUlibraryOption": {"libraryOptions": "libraryOptionValues"},
}
"""For each enum of options: the arguments with a list of options, with the arguments that have their values."""
VALUES = frozenset(values for arguments in OPTION_VALUES.values() for values in arguments.values())
"""Arguments that are arrays with one value of any type per option."""


def steps_of(c: Conventions, call: Function, given: list[Param]) -> Iterator[list[str]]:
    """Yield the steps that read arguments, in the binding's order."""
    numbers = {*BITS, "int"}
    yield from (_number(p) for p in given if (p.type in numbers and not p.array) or p.role == "string_in")
    yield from (_checked(c, p) for p in given if not p.array)
    addresses = [p for p in given if p.array and p.type == "void" and p.keyword not in VALUES]
    early = [p for p in reversed(given) if binding_of(call, p) != "late" and p not in addresses]
    yield from (_checked(c, p) if p.array else _handle(c, call, p) for p in early if p.array or c.handle(p.type))
    yield from ([f"{p.keyword}, held_{p.keyword} = _addresses({p.keyword})"] for p in addresses)
    yield from (
        [f"if type({p.keyword}) is not bytes:", f"    {p.keyword}, held_{p.keyword} = _host({p.keyword})"]
        if _is_image(p)
        else _rest(c, call, p)
        for p in given
    )
    # Memory at an address is read last. By then the binding has refused all wrong arguments.
    yield from ([f"{p.keyword} = _image({p.keyword})"] for p in given if _is_image(p))


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
    return [
        f"{k} = ({value}) or CALLS_NULL" if p.type in WRAPPED and binding_of(call, p) != "bare" else f"{k} = {value}"
    ]


def _rest(c: Conventions, call: Function, p: Param) -> list[str]:
    k = p.keyword
    if binding_of(call, p) == "late" or p.role == "string_in" or p.has_default:
        return []
    if p.array:
        return _array(c, call, p)
    if p in by_value(call):
        plain = f"+{k} if type({k}) is {p.type} and {k} in _{p.type}_known"
        return [f"{k} = {plain} else _{p.type}_by_value({k})"]
    if p.type in c.described.enums:
        steps = [f"{k} = +{k} if type({k}) is {p.type} else _{p.type}({k})"]
        imported = [one.keyword for one in call.inputs if _is_imported(call, one) and key_of(call, one) == p.name]
        return [*steps, *(f"{one} = _shared({one}, {k})" for one in imported)]
    if p.type in c.by_attribute:
        return [f"{k} = None if {k} is None else _stream_value({k}, attr)"]
    if is_changed(p):
        return [f"held_{k} = {k}", f"{k} = None if {k} is None else _{p.type}_plain({k})"]
    if p.kind in {"bytes", "struct"}:
        made = f"None if {k} is None else _{p.type}_plain({k})" if p.pointer else f"_{p.type}_plain({k})"
        return [*([f"held_{k} = {k}"] * _points(c, p.type)), f"{k} = {made}"]
    if p.kind == "word":
        selector = key(call, p)
        word = WORDS[convention(call.name, p.name).form]
        return [f"{k} = {word.format(value=k, key=selector.keyword, type=selector.type)}"]
    if p.kind == "host" and p.type in c.described.structs:
        return [f"{k} = 0 if {k} is None else {k}.getPtr()"]
    if p.type == "void":
        how = "kernel_params" if binding_of(call, p) == "kernel_params" else "host"
        return [f"if type({k}) is not int or {k} >> 64:", f"    {k}, held_{k} = _{how}({k})"]
    return []


def _points(c: Conventions, kind: str) -> bool:
    """Return whether a node's struct holds addresses that are read.

    Such a struct has to be kept alive.
    """
    members = c.described.structs.get(kind, ()) if kind.endswith("NODE_PARAMS") else ()
    return kind in {"CUgraphNodeParams", "cudaGraphNodeParams"} or any(ctype.endswith("*") for ctype, _ in members)


def binding_of(call: Function, p: Param) -> str:
    """Return how the binding treats a parameter; empty for the usual way of its type."""
    return convention(call.name, p.name).binding


def key(call: Function, p: Param) -> Param:
    """Return the parameter on which another one's form depends, or that one itself."""
    return next((one for one in call.params if one.name == key_of(call, p)), p)


def _is_imported(call: Function, p: Param) -> bool:
    """Return whether a parameter is an input that another process has exported."""
    return p.role == "in" and convention(call.name, p.name).form == "shareable"


def by_value(call: Function) -> list[Param]:
    """Return the parameters of a call that the binding reads by ``.value``."""
    return [
        key(call, p)
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
        late = [one.keyword for one in call.inputs if binding_of(call, one) == "late"]
        sizes = [f'{a} = _{p.type}_sizes({a}, "{a}", {counted}, {k})' for a in late]
        kinds = {
            "whole": sizes,
            f"{p.type}_whole": any(
                convention(call.name, one.name).form in WHOLE and key(call, one) is p for one in call.outputs
            ),
            "measured": binding_of(call, p) == "measured",
            "listed": True,
        }
        plain = next(kind for kind, applies in kinds.items() if applies)
        return [*sizes, f"{k} = _{plain}({k}, {counted})"]
    if p.type == "void":
        return [f"{k} = _plain_addresses({k}, {counted})"]
    in_full = binding_of(call, p) == "unmeasured" or convention(call.name, p.name).form == "extents"
    count = f"len({k})" if in_full else counted
    if c.handle(p.type):
        return [f"{k} = _plain_pointers({k}, {count})"]
    if p.type == "int":
        return [f"{k} = tuple([_signed(one) for one in {k}])"]
    if p.type in BITS:
        return [f"{k} = _plain_numbers({k}, {counted})"]
    return [f"{k} = _counted({k}, {count}, _{p.type}_plain)"]


def is_changed(p: Param) -> bool:
    """Return whether a parameter is a struct that is read and then written."""
    return p.role == "inout" and p.kind in {"bytes", "struct"}
