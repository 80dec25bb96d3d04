"""Checks of the arguments in frames, so that only valid ones reach an operation."""

from __future__ import annotations

import struct
from functools import cache
from hashlib import sha256
from reprlib import repr as short
from typing import TYPE_CHECKING, Any

from fakecuda.rules.registry import EVERY_OP, HIP, api_of
from fakecuda.spec import hip_memory, launch_config, mem_ops, resources, stream_values
from fakecuda.spec.conventions import convention
from fakecuda.spec.descriptors import IMPORTS
from fakecuda.spec.driver import ENUMS
from fakecuda.spec.layouts import CODES, HIDDEN, POINTING, UNIONS
from fakecuda.spec.sizes import BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.spec.description import Function, Param

    Check = Callable[[Any], bool]

NAMES = tuple(sorted(EVERY_OP))
"""The modelled calls of all APIs, by their numbers in frames."""
NUMBERS = {name: number for number, name in enumerate(NAMES)}
DIGEST = sha256(",".join(NAMES).encode()).digest()[:8]
"""A digest of the numbers of the calls. Both ends must have the same."""
WIDTH = {"b": 8, "B": 8, "H": 16, "i": 32, "I": 32, "q": 64, "Q": 64}
SIGNED = {"b", "i", "q"}
LONGEST_TEXT = 4096
"""Maximum number of bytes of a text. Images of code are limited only by the size of a frame."""
READ = {HIP: hip_memory.MOST}
"""The maximum number of members to read from an array."""
SAME_RELEASE = "install the same release of fakecuda in both processes"
FABRIC, FABRIC_SIZE = ENUMS["CUmemAllocationHandleType"]["CU_MEM_HANDLE_TYPE_FABRIC"], 64
"""The type of fabric handles, and their size in bytes. Handles of other types are descriptors."""


def call_of(name: str) -> Function:
    """Return the description of a call of any API."""
    return api_of(name).calls[name]


class Unfit(ValueError):  # noqa: N818 - a fact about a frame
    """An exception: a call cannot have an argument."""


def check(name: str, args: Any) -> None:
    """Check the arguments of a call.

    Args:
        name: The call.
        args: The received arguments.

    Raises:
        Unfit: The call cannot have these arguments.
    """
    call, checks = call_of(name), _checks(name)
    if type(args) is not tuple:
        msg = f"a message calls {name} with arguments of type {type(args).__name__}, not tuple: {SAME_RELEASE}"
        raise Unfit(msg)
    if len(args) != len(checks):
        msg = f"a message calls {name} with {len(args)} arguments, but the call takes {len(checks)}: {SAME_RELEASE}"
        raise Unfit(msg)
    for param, fits, value in zip(call.inputs, checks, args, strict=True):
        if not fits(value):
            msg = (
                f"a message calls {name} with {param.name}={short(value)}, which is not a {param.type} ({param.kind}): "
                f"{SAME_RELEASE}"
            )
            raise Unfit(msg)
    for array, count in _counts(name):
        if args[array] is not None and len(args[array]) < min(args[count], READ.get(api_of(name), args[count])):
            msg = (
                f"a message calls {name} with {len(args[array])} members in {call.inputs[array].name}, but with "
                f"{call.inputs[count].name}={args[count]}: {SAME_RELEASE}"
            )
            raise Unfit(msg)
    for union, key in _unions(name):
        _check_union(call.inputs[union], args[union], args[key])
    if name in IMPORTS:
        place, key, _ = IMPORTS[name]
        if type(args[place]) is bytes and (args[key] != FABRIC or api_of(name) is HIP):
            msg = (
                f"a message calls {name} with bytes for {call.inputs[place].name}, not with a file descriptor: "
                f"{SAME_RELEASE}"
            )
            raise Unfit(msg)


@cache
def _checks(name: str) -> tuple[Check, ...]:
    api = api_of(name).description
    checks = [_check_of(api, param) for param in call_of(name).inputs]
    if name in IMPORTS:  # an address, the number of a descriptor, or the bytes of a fabric handle
        place = IMPORTS[name][0]
        address, number, handle = checks[place], _integer(api.ENUMS, "int"), _bytes(FABRIC_SIZE)
        checks[place] = lambda value: address(value) or number(value) or handle(value)
    return tuple(checks)


@cache
def _counts(name: str) -> tuple[tuple[int, int], ...]:
    """Return, for each array, its index among the inputs and the index of its count."""
    call = call_of(name)
    places = {param.name: place for place, param in enumerate(call.inputs)}
    return tuple(
        (place, places[param.count])
        for place, param in enumerate(call.inputs)
        if param.array and param.count in places and not _may_be_shorter(call, param)
    )


def _may_be_shorter(call: Function, param: Param) -> bool:
    """Return whether an array may have fewer members than its count."""
    extents = convention(call.name, param.name).form == "extents"
    return extents or bool(convention(call.name, param.count).at_most) or param.type in UNIONS


@cache
def _unions(name: str) -> tuple[tuple[int, int], ...]:
    """Return the index of each union and of its selector.

    The index of a union is among the inputs.
    """
    inputs = call_of(name).inputs
    return tuple((place, max(place - 1, 0)) for place, param in enumerate(inputs) if param.type in UNIONS)


def _check_union(param: Param, value: Any, key: Any) -> None:
    if value is None:
        return
    try:
        if param.array:
            for row in value:
                mem_ops.pack(row)
        else:
            stream_values.pack(key, value)
    except (struct.error, IndexError) as error:
        msg = f"a message has a value for {param.name} that is not a {param.type}: {SAME_RELEASE}"
        raise Unfit(msg) from error


def _check_of(api: Any, param: Param) -> Check:
    enums = api.ENUMS
    if param.kind == "integer" and not param.array:
        return _integer(enums, param.type if not param.pointer else "void")
    if param.kind == "integer":
        return _or_none(_all(_integer(enums, param.type)))
    if param.kind == "host":
        return _integer(enums, "void")
    if param.kind == "word":
        return _or_none(_integer(enums, "void"))
    if param.kind == "string" and param.type == "void":
        return _or_none(lambda value: type(value) is bytes)
    if param.kind == "string":
        return _or_none(lambda value: type(value) is bytes and len(value) <= LONGEST_TEXT)
    if param.kind == "bytes":
        exact = _bytes(BYTES[param.type])
        return _or_none(exact) if param.pointer else exact
    if param.kind == "any":  # a pointer of HIP: its binding accepts any object with an address
        one = _integer(enums, param.type)
        return _or_none(_all(one)) if param.array else one
    if param.type in UNIONS:
        return _or_none(_rows if param.array else _row)
    if param.type in POINTING:
        return _or_none(POINTED[param.type] if param.type in POINTED else _resource(resources.OF[param.type]))
    shape = _shape(api, param.type)
    if param.array:
        return _or_none(_all(shape))
    return _or_none(shape) if param.pointer else shape


def _integer(enums: dict[str, dict[str, int]], ctype: str) -> Check:
    code = CODES.get(ctype) or ("i" if ctype in enums else "Q")
    if code == "f":
        return lambda value: type(value) in {int, float}
    width = WIDTH[code]
    low, high = (-(1 << width - 1), 1 << width - 1) if code in SIGNED else (0, 1 << width)
    if ctype in enums:
        high = 1 << width  # some callers pass members as unsigned numbers
    return lambda value: type(value) is int and low <= value < high


def _bytes(size: int) -> Check:
    return lambda value: type(value) is bytes and len(value) == size


def _or_none(fits: Check) -> Check:
    return lambda value: value is None or fits(value)


def _all(fits: Check) -> Check:
    return lambda value: type(value) is tuple and all(map(fits, value))


def _row(value: Any) -> bool:
    return type(value) is tuple and all(type(one) in {int, float} for one in value)


def _rows(value: Any) -> bool:
    return type(value) is tuple and all(_row(row) and row for row in value)


def _launch(value: Any) -> bool:
    if type(value) is not tuple or not (value and (value[-1] is None or _rows(value[-1]))) or not _row(value[:-1]):
        return False
    try:
        launch_config.pack(value, 0)
    except struct.error:
        return False
    return True


def _restore(value: Any) -> bool:
    return (
        type(value) is tuple and len(value) == len(RESTORE) and all(fits(value[at]) for at, fits in enumerate(RESTORE))
    )


def _resource(layouts: dict[int, struct.Struct]) -> Check:
    def fits(value: Any) -> bool:
        try:
            return type(value) is tuple and _row(value[1]) and bool(resources.pack(value, layouts))
        except (struct.error, IndexError, TypeError, ValueError):
            return False

    return fits


def _shape(api: Any, name: str) -> Check:
    """Return the check of a struct: a tuple of its members without unused ones."""
    checks: list[Check] = []
    for ctype, label in api.STRUCTS[name]:
        member, _, count = label.rstrip("]").partition("[")
        if ctype in BYTES:
            checks.append(_bytes(BYTES[ctype]))
        elif ctype in api.STRUCTS and not count:
            checks.append(_shape(api, ctype))
        elif not HIDDEN.match(member):
            checks.append(_member(api, ctype, int(count or 0)))
    return lambda value: (
        type(value) is tuple
        and len(value) == len(checks)
        and all(fits(part) for fits, part in zip(checks, value, strict=True))
    )


def _member(api: Any, ctype: str, count: int) -> Check:
    if count and ctype == "char":
        return lambda value: type(value) is bytes and len(value) <= count
    one = _integer(api.ENUMS, ctype)
    return _many(one, count) if count else one


def _many(fits: Check, count: int) -> Check:
    return lambda value: type(value) is tuple and len(value) == count and all(map(fits, value))


_PAIRS = _all(_many(_bytes(BYTES["CUuuid"]), 2))
RESTORE: tuple[Check, ...] = (
    lambda value: (type(value) is int and not value) or _PAIRS(value),
    _integer({}, "unsigned int"),
    _integer({}, "void"),
)
"""Checks of the arguments for restoring a process: pairs of GPUs, their number, and reserved members."""
POINTED: dict[str, Check] = {"CUlaunchConfig": _launch, "CUcheckpointRestoreArgs": _restore}
"""Checks of structs that point to other structs, except resources of textures."""
