"""Checks whether an operand of a PTX instruction matches a form of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.spec.ptx.types import BITS, FLOAT, INT, TYPES

if TYPE_CHECKING:
    from fakecuda.model.code.ptx_symbols import Class
    from fakecuda.spec.ptx import Operand

PLACES = {"T": 0, "U": 1, "W": 2}
"""The index of the instruction type that a letter stands for."""
ADDRESS = 64
"""The bits of an address."""
PREDICATE, PAIR = ".pred", ".f16x2"
HALF, SHORT = 16, 32
"""The bits of a half-precision float, and of a 32-bit address."""
GENERIC = frozenset({"global", "shared", "local"})
"""State spaces that a generic address reaches."""
ANY = "any"
"""A stand-in for the state spaces of an instruction that has several."""
BRACED = frozenset({"v1", "wV", "xV"})
"""Operands whose single element may be in braces, as Triton writes for ld and st."""


def fits(operand: Operand, types: list[str], lanes: int, space: str, given: Class) -> str:
    """Return what an operand must be; empty if it matches.

    Args:
        operand: What the form wants.
        types: The types of the instruction.
        lanes: The elements that its vector modifier gives, or 1.
        space: The state space that its modifiers give. Empty without one.
        given: The class of the operand.
    """
    kind, type_ = operand.kind, operand.type
    if type_ in PLACES:
        type_ = types[PLACES[type_]] if PLACES[type_] < len(types) else ""
    if kind in PLAIN:
        return "" if PLAIN[kind](type_, given) else f"{WORDS[kind]} {type_}".rstrip()
    if kind == "m":
        return "" if _memory(space, given) else f"an address{' in ' + space if space else ''} in brackets"
    count = lanes if kind.endswith("V") else int(kind[1:])
    one = PLAIN["d" if kind[0] == "v" else kind[0]]
    if count == 1 and kind[0] != "v" and one(type_, given):
        return ""
    if isinstance(given, tuple) and given[0] == "{" and len(given) == count + 1 and (count > 1 or kind in BRACED):
        parts = [part for part in given[1:] if part != "_"]
        registers = [part for part in parts if isinstance(part, str) and part[0] == "."]
        alike = len({TYPES[part][1] for part in registers}) < 2  # noqa: PLR2004 - of the same size; one may be of another kind
        fit = [part for part in parts if one(type_, part)]
        others = [part for part in parts if part not in fit and part not in registers]
        return "" if alike and not others and (fit or not parts) else f"{count} registers of {type_}"
    return f"a vector of {count} registers of {type_}" if count > 1 else f"a register of {type_}"


def holds(register: str, type_: str, *, wide: bool = False) -> bool:
    """Return whether a register of one type can hold values of another.

    Args:
        register: The register's type.
        type_: The type of the values.
        wide: Whether the register may be wider.
    """
    if register not in TYPES or type_ not in TYPES:
        return False
    (kind, bits), (wanted, size) = TYPES[register], TYPES[type_]
    if wide and register == PAIR:
        kind = BITS
    if bits != size and not (wide and bits > size and (kind != FLOAT or wanted == BITS)):
        return False
    return kind in {wanted, BITS} or wanted in {BITS, "any"}


def _register(type_: str, given: Class) -> bool:
    return isinstance(given, str) and given[0] == "." and given != PREDICATE and holds(given, type_)


def _source(type_: str, given: Class) -> bool:
    if _register(type_, given):
        return True
    kind, bits = TYPES.get(type_, ("", 0))
    if given == "int":
        return kind in {INT, BITS, "any"}
    if given == "hex":
        return (kind == FLOAT and bits > HALF) or kind == BITS
    if given == "float":
        return kind == FLOAT and bits > HALF
    if given == "double":
        return (kind == FLOAT and bits > HALF) or (kind == BITS and bits == ADDRESS)
    if kind not in {INT, BITS}:
        return False
    if not isinstance(given, tuple) or given[0] != "+":
        return given in {"function", "kernel"} and bits == ADDRESS
    return bits == ADDRESS if given[1][0] == "&" else _register(type_, given[1])


def _general(type_: str, given: Class) -> bool:
    """Check a source of mov, which may be a special register or an address."""
    if _source(type_, given):
        return True
    kind, bits = TYPES.get(type_, ("", 0))
    if isinstance(given, tuple):
        if given[0] == "{":
            return False
        given = given[1] if given[0] == "+" else given[0]
    if not isinstance(given, str):
        return False
    if given[0] == "%":
        return _special(type_, given)
    return (given[0] == "&" or given in {"function", "kernel", "label"}) and kind in {INT, BITS} and bits >= SHORT


def _special(type_: str, given: Class) -> bool:
    """Return whether a special register can be read as values of a type."""
    if not isinstance(given, str) or given[0] != "%":
        return False
    if PREDICATE in {type_, given[1:]}:
        return type_ == given[1:]
    kind, bits = TYPES.get(type_, ("", 0))
    read, wide = TYPES[given[1:]]
    return kind in {INT, BITS} and (read == "any" or (bits == ADDRESS) == (wide == ADDRESS))


def _converted(type_: str, given: Class) -> bool:
    return _wide_source(type_, given) or _special(type_, given)


def _result_or_none(type_: str, given: Class) -> bool:
    return given == "_" or _register(type_, given)


def _address(type_: str, given: Class) -> bool:
    if isinstance(given, tuple) and given[0] == "+":
        given = given[1]
    if isinstance(given, str) and given[0] == "&":
        return True
    return _register(type_, given) if type_ else _register(".u64", given) or _register(".u32", given)


def _wide_result(type_: str, given: Class) -> bool:
    return isinstance(given, str) and holds(given, type_, wide=True)


def _wide_source(type_: str, given: Class) -> bool:
    return _wide_result(type_, given) or (not isinstance(given, tuple) and _source(type_, given))


def _predicate(_: str, given: Class) -> bool:
    return given in {PREDICATE, "int"} or given == ("!", PREDICATE)


def _predicate_result(_: str, given: Class) -> bool:
    return given in {PREDICATE, "_"}


def _predicates(_: str, given: Class) -> bool:
    if isinstance(given, tuple):
        return given[0] == "|" and all(one in {PREDICATE, "_"} for one in given[1:])
    return given in {PREDICATE, "_"}


def _result_and_predicate(type_: str, given: Class) -> bool:
    if isinstance(given, tuple) and given[0] == "|":
        return (given[1] == "_" or _register(type_, given[1])) and given[2] in {PREDICATE, "_"}
    return _register(type_, given)


def _pair(type_: str, given: Class) -> bool:
    return isinstance(given, tuple) and given[0] == "|" and _result_and_predicate(type_, given)


def _constant(_: str, given: Class) -> bool:
    return given == "int"


def _label(_: str, given: Class) -> bool:
    return given in {"label", "targets", "later"}


def _policy(_: str, given: Class) -> bool:
    return _register(".b64", given)


def _memory(space: str, given: Class) -> bool:
    """Return whether an operand is an address in a state space."""
    if not isinstance(given, tuple) or given[0] != "[" or len(given) != 2:  # noqa: PLR2004 - and what is in it
        return False
    base = given[1]
    if isinstance(base, tuple):
        if base[0] != "+":
            return False
        base = base[1]
    if not isinstance(base, str):
        return False
    if base[0] == "&":
        return (
            base[1:] in GENERIC if not space else space in {ANY, "." + base[1:]} or space.startswith(f".{base[1:]}::")
        )
    if base == "int":
        return space not in {".global", ""}
    if base[0] != ".":
        return False
    kind, bits = TYPES[base]
    return kind in {INT, BITS} and (bits == ADDRESS or (bits == SHORT and space not in {"", ".global"}))


PLAIN = {
    "d": _register,
    "s": _source,
    "r": _register,
    "g": _general,
    "y": _address,
    "z": _converted,
    "k": _result_or_none,
    "w": _wide_result,
    "x": _wide_source,
    "p": _predicate,
    "dp": _predicate_result,
    "dp2": _predicates,
    "dq": _result_and_predicate,
    "d2p": _pair,
    "c": _policy,
    "i": _constant,
    "l": _label,
}
"""A test of operands for each operand kind."""
WORDS = {
    "d": "a register of",
    "s": "a register or constant of",
    "r": "a register of",
    "g": "a register, constant or address of",
    "z": "a register or constant of",
    "k": "a register, or _, of",
    "y": "an address, or a register of",
    "w": "a register of",
    "x": "a register or constant of",
    "p": "a predicate, not",
    "dp": "a predicate register, not",
    "dp2": "one or two predicate registers, not",
    "dq": "a register, and perhaps | and a predicate register, of",
    "d2p": "a register, | and a predicate register, of",
    "c": "a cache policy, a register of .b64, not",
    "i": "a constant, not",
    "l": "a label, not",
}
"""The name of each operand kind, for errors."""
