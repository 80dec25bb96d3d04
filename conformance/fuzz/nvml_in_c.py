"""NVML calls through C functions: arguments, and results as of an operation."""

from __future__ import annotations

import ctypes
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from conformance.fuzz.nonsense import HOST, SMALL, Held, Plain
from fakecuda.spec.nvml import ALIASES, CALLS, STRUCTS
from fakecuda.spec.nvml_types import type_of
from realcuda import nvml, plain
from realcuda.arguments import RESULTS, argument_of, result_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fakecuda.spec.description import Function, Param

VERSIONS = (1, 1, 2, 3, 4, 99)
"""Version numbers of structs."""
FIELDS, SCOPES = (0, 1, 38, 60, 82, 83, 91, 149, 164, 165, 166, 200, 250, 1 << 31), (0, 0, 1, 3, 17, 1 << 31)
"""Field ids, and their scopes."""
SIZES = (0, 1, 2, 7, 64)
"""Lengths in words of arrays that a call fills."""
TEXTS = (b"", b"00000000:01:00.0", b"GPU-", b"x" * 300)
HANDLE = "void*"


def made(name: str, inputs: Sequence[Any], null: str = "") -> tuple[Any, ...]:
    """Make a call by the library; return its code and results, with structs as bytes.

    Args:
        name: The call.
        inputs: The plain values of its inputs.
        null: Names of the results whose pointers are null, separated by spaces.

    Raises:
        TypeError: C has no such arguments.
    """
    request = plain.prepare(name, inputs, null)
    passed = [(tag, *argument_of(tag, content, [])) for tag, content in request.arguments]
    code = int(getattr(ctypes.CDLL(nvml.LIBRARY), name)(*(value for _, value, _ in passed)))
    results = [result_of(tag, *held, code, []) for tag, _, held in passed if tag in RESULTS]
    return plain.finish(request, code, results, [])


class Drawn(Plain):
    """Draws plain values for NVML operations."""

    def arguments(self, call: Function) -> tuple[Any, ...]:
        """Return arguments of a call, with as many fields as its count says."""
        values = {param.name: self._value(call, param) for param in call.inputs}
        for param in call.inputs:
            if param.array and values[param.name] is not None:
                count = self.random.choice((len(values[param.name]), len(values[param.name]), 0, -1))
                values["valuesCount"], values[param.name] = count, values[param.name][: max(count, 0)]
        for param in call.inputs:  # what is written lies in memory that is there
            if param.name.endswith("Size") and any(one.array for one in call.outputs):
                values[param.name] = self.random.choice(SIZES)
        return tuple(values.values())

    def _value(self, call: Function, param: Param) -> Any:
        random = self.random
        if param.pointer and not random.randrange(8):
            return None
        if param.array:
            return tuple(random.choice(SCOPES) << 32 | random.choice(FIELDS) for _ in range(random.randrange(4)))
        if param.kind == "string":
            return random.choice([*TEXTS, Held("text", random.randrange(4))])
        if param.kind == "struct":
            return self.struct(param.type)
        if param.keyword == "version":
            return self._version(next(one.type for one in call.outputs if one.name == param.name))
        return self.integer(param.type)

    def _version(self, struct: str) -> int:
        """Return a struct's version, mostly with the struct's size."""
        if not self.random.randrange(4):
            return int(self.integer("unsigned int"))
        return ctypes.sizeof(type_of(struct)) | self.random.choice(VERSIONS) << 24

    def struct(self, name: str) -> tuple[Any, ...]:
        """Return the members of a struct; an inner union once for each view."""
        values: list[Any] = []
        for ctype, label in STRUCTS[name]:
            if label == "version":
                values.append(self._version(name))
            elif ctype in STRUCTS:
                size = ctypes.sizeof(type_of(ctype))
                content = self.random.choice([bytes(size), self.random.randbytes(size), b"GPU-".ljust(size, b"\0")])
                values.append(_read(type_of(ctype).from_buffer_copy(content)))
            else:
                values.append(self.integer(ctype))
        return tuple(values)

    def integer(self, ctype: str) -> Any:
        """Return a number that a C type can hold."""
        random, kind = self.random, type_of(ctype)
        if ctype.endswith("*"):
            return random.choice([Held(HOST, 0), 0])
        if ALIASES.get(ctype) == HANDLE:
            odd = (Held("", random.randrange(64)), 0, 1)
            return Held(ctype, random.randrange(4)) if random.randrange(6) else random.choice(odd)
        value = random.choice(SMALL) if random.randrange(4) else random.randrange(20)
        if not random.randrange(8):
            value = random.getrandbits(8 * ctypes.sizeof(kind))
        return kind(value).value


def handles(name: str, results: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Yield handles in returned structs and texts, with their types."""
    outputs = CALLS[name].outputs if name in CALLS else ()  # a prelude also makes calls of the driver
    for param, value in zip(outputs, results, strict=False):
        if param.kind == "string" and value:
            yield "text", value
        elif type(value) is tuple and param.type in STRUCTS and not param.array:
            labels = STRUCTS[param.type][-len(value) :]
            yield from (
                (ctype, one) for (ctype, _), one in zip(labels, value, strict=True) if ALIASES.get(ctype) == HANDLE
            )


def shown(name: str, inputs: Sequence[Any], answer: tuple[Any, ...]) -> str:
    """Return an answer as text that does not depend on C or the operation.

    Args:
        name: The call.
        inputs: Its inputs.
        answer: The code and the results: a struct is its bytes, or its members without those that are not written.
    """
    call = CALLS[name]
    versions = {
        param.name: value for param, value in zip(call.inputs, inputs, strict=True) if param.keyword == "version"
    }
    results = [
        _result_of(param, versions.get(param.name, 0), value)
        for param, value in zip(call.outputs, answer[1:], strict=True)
    ]
    return repr((int(answer[0]), *results))


def _result_of(param: Param, version: int, value: Any) -> Any:
    if value is None or param.type not in STRUCTS:
        return value
    kind = type_of(param.type)
    if param.array and isinstance(value, bytes):
        size = ctypes.sizeof(kind)
        return [_members(kind, value[at : at + size], ()) for at in range(0, len(value), size)]
    given = (version,) if param.keyword == "version" else ()
    return [_members(kind, one, ()) for one in value] if param.array else _members(kind, value, given)


def _members(kind: Any, value: Any, given: tuple[Any, ...]) -> Any:
    """Return all members of a struct, from its bytes or from written members."""
    if isinstance(value, bytes):
        return _read(kind.from_buffer_copy(value.ljust(ctypes.sizeof(kind), b"\0")))
    whole = (*given, *value) if len(value) < len(kind._fields_) else value
    return tuple(_whole(member, part) for (_, member), part in zip_longest(kind._fields_, whole))


def _whole(kind: Any, value: Any) -> Any:
    """Return a member as :func:`_read` does, from its plain value, or None."""
    if issubclass(kind, ctypes.Structure):
        return _members(kind, value or (), ())
    if issubclass(kind, ctypes.Union):
        content = bytearray(ctypes.sizeof(kind))
        for (_, member), part in zip(kind._fields_, value or (), strict=False):
            content[: ctypes.sizeof(member)] = bytes(member(part))
        return _read(kind.from_buffer(content))
    if issubclass(kind, ctypes.Array):
        if kind._type_ is ctypes.c_char:
            return (value or b"").partition(b"\0")[0]
        return tuple(
            _whole(kind._type_, part) for part in (*(value or ()), *[None] * (kind._length_ - len(value or ())))
        )
    return value or 0


def _read(item: Any) -> Any:
    """Return the plain value in memory; a struct is the tuple of its members."""
    if isinstance(item, ctypes.Structure | ctypes.Union):
        return tuple(_read(getattr(item, label)) for label, *_ in item._fields_)
    if isinstance(item, ctypes.Array):
        return tuple(map(_read, item))
    return item if isinstance(item, bytes) else item or 0
