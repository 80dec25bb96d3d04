"""The functions behind ``libnvidia-ml.so.1``.

Each makes the call on the driver library's machine.
It reads arguments from memory and writes results to memory, as :data:`fakecuda.spec.nvml.CALLS` describes.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.reach.native.callbacks import SUCCESS
from fakecuda.reach.native.callbacks import door as driver_door
from fakecuda.reach.native.callbacks import nvml_door as door
from fakecuda.reach.native.library import library
from fakecuda.reach.native.objects import management
from fakecuda.reach.native.values import text_at
from fakecuda.rules.registry import NVML
from fakecuda.spec.nvml import CALLS, FIELD, NAMES, PROTOTYPES, text_of
from fakecuda.spec.nvml_types import type_of

if TYPE_CHECKING:
    from fakecuda.machine.machine import Machine
    from fakecuda.model.nvml import Management
    from fakecuda.reach.native.library import Library
    from fakecuda.spec.description import Param

WORD = ctypes.c_uint32


@frozen
class Argument:
    """A parameter in C, with the operation's argument and result for it.

    Attributes:
        name: The name.
        type: Its ctypes type, without a star.
        given: The operation's argument: ``number``, ``word``, ``text``, ``struct``, ``fields``, or empty for none.
        returned: The operation's result; None for none.
    """

    name: str
    type: Any
    given: str
    returned: Param | None


def load() -> None:
    """Load the library of this process and bind all its symbols.

    A second call does nothing.

    Raises:
        FakeCudaError: Another ``libnvidia-ml.so.1`` is loaded in this process.
    """
    door.library = library(management(), _prepare)
    door.ends = driver_door.ends


@cache
def _own() -> Management:
    """Return NVML's state in this OS process, which outlives machines."""
    from fakecuda.model.nvml import Management  # noqa: PLC0415 - a child attaches without the state of cards

    return Management()


def enter(machine: Machine) -> None:
    """Send calls to a machine.

    If this process owns the machine, give it NVML's state in this OS process.
    """
    door.enter(machine)
    if not machine.elsewhere:
        machine.here.nvml = _own()
        _own().forget_events()


def _prepare(made: Library) -> None:
    for name in NAMES:
        made.bind(name, _function(name))
    os.register_at_fork(after_in_child=partial(_forked, made))


def _forked(made: Library) -> None:
    """Continue in a forked child of this OS process."""
    made.bind_again()
    if _own.cache_info().currsize:  # this process has owned a machine
        _own().fork(_own())


def _function(name: str) -> Any:
    """Return the C function of a symbol."""
    if name == "nvmlErrorString":
        return ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)(_error_string)
    if name not in NVML.ops:
        return ctypes.CFUNCTYPE(ctypes.c_uint64)(partial(door.not_modelled, name, ""))
    kinds = [type_of(kind) for kind, _ in PROTOTYPES[name]]
    return ctypes.CFUNCTYPE(ctypes.c_uint64, *kinds)(partial(_call, name))


@cache
def arguments(name: str) -> tuple[Argument, ...]:
    """Return the parameters of a function.

    The cache is filled lazily, because few functions are called.
    """
    made = []
    for kind, label in PROTOTYPES[name]:
        described = [param for param in CALLS[name].params if param.name == label]
        returned = next((param for param in described if param.role in {"out", "string_out"}), None)
        given = next((param for param in described if param is not returned), None)
        what = "" if given is None else "fields" if kind == FIELD else _given(given)
        made.append(Argument(label, type_of(kind.removesuffix("*").strip()), what, returned))
    return tuple(made)


def _given(param: Param) -> str:
    return {"integer": "number", "string": "text"}.get(param.kind, param.kind)


def _call(name: str, *values: int) -> int:
    """Make a call and write its results; return its tagged code."""
    try:
        call, given = door.find().native, arguments(name)
        inputs = [_read(one, value, values, given) for one, value in zip(given, values, strict=True) if one.given]
        nulls = frozenset(
            one.name for one, value in zip(given, values, strict=True) if one.returned and not one.given and not value
        )
        code, outs = NVML.ops[name].invoke(call.without(nulls) if nulls else call, *inputs)
        if outs is not None:
            returned = [(one, value) for one, value in zip(given, values, strict=True) if one.returned]
            for (one, value), out in zip(returned, outs if len(returned) > 1 else (outs,), strict=True):
                if value and out is not None:
                    _write(one, value, out)
    except BaseException as error:  # noqa: BLE001 - no exception can travel through C
        return door.failed(name, error)
    return SUCCESS | code


def _read(one: Argument, value: int, values: tuple[int, ...], arguments: tuple[Argument, ...]) -> Any:
    """Return the operation's argument for a parameter."""
    if one.given == "number":
        return value
    if not value:
        return None
    if one.given == "word":
        return WORD.from_address(value).value
    if one.given == "text":
        return ctypes.string_at(value)
    if one.given == "struct":
        return _plain(one.type.from_address(value))
    count = values[[each.name for each in arguments].index("valuesCount")]
    fields = (one.type * max(count, 0)).from_address(value)
    return tuple(field.fieldId | field.scopeId << 32 for field in fields)


def _plain(item: Any) -> Any:
    """Return a struct as a tuple of its members; an array of characters is bytes."""
    if isinstance(item, ctypes.Structure | ctypes.Union):
        return tuple(_plain(getattr(item, label)) for label, *_ in item._fields_)
    return tuple(map(_plain, item)) if isinstance(item, ctypes.Array) else item


def _write(one: Argument, address: int, out: Any) -> None:
    """Write the operation's result for a parameter."""
    assert one.returned is not None
    if one.returned.kind == "string":
        ctypes.memmove(address, out + b"\0", len(out) + 1)
    elif one.returned.array:
        for place, row in enumerate(out):
            store(one.type, address + place * ctypes.sizeof(one.type), row)
    else:
        store(one.type, address, out, skipped=1 if one.returned.keyword == "version" else 0)


def store(kind: Any, address: int, out: Any, skipped: int = 0) -> None:
    """Write a plain value of a type.

    Skipped members, such as a version, keep their content.
    """
    if isinstance(out, bytes) and issubclass(kind, ctypes.Structure):
        ctypes.memmove(address, out, len(out))
        return
    if not isinstance(out, tuple):
        kind.from_address(address).value = out
        return
    if issubclass(kind, ctypes.Array):
        size = ctypes.sizeof(kind._type_)
        for place, part in enumerate(out):
            store(kind._type_, address + place * size, part)
        return
    item = kind.from_address(address)
    for (label, member, *_), part in zip(kind._fields_[skipped:], out, strict=False):
        offset = getattr(kind, label).offset
        if isinstance(part, tuple):
            store(member, address + offset, part)
        else:
            setattr(item, label, part)


def _error_string(code: int) -> int:
    return text_at(text_of(code).encode())
