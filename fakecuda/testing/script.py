"""A script that repeats the calls behind a difference between model and card."""

from __future__ import annotations

import ctypes
import re
from itertools import count
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Key = int | bytes
    """A handle or an address, or the bytes of an IPC handle."""

LARGE = 1 << 31
"""The number from which values are addresses or handles, which differ."""
LONG = 64
"""The buffer size from which the script writes an empty buffer."""
MOST = 12
"""The maximum number of calls on the same objects, the last ones."""
NEAR = 1 << 40
"""The maximum offset from a known address."""
STATE = re.compile(r"cuInit|CtxSetCurrent|CtxPush|CtxPop|CtxCreate|SetDevice|DeviceReset|PrimaryCtxReset")
"""Calls that set state for later calls, such as the current context."""
HOLE = re.compile("\0(\\d+)\0")
IPC = re.compile(r"(?i)ipc(mem|event)handle")
"""Types of IPC handles of ``LONG`` bytes."""
NAMES = {"deviceptr": "pointer", "int": "pointer"}
"""Variable names for some types."""


@frozen
class Written:
    """A call as source, with holes for addresses and handles.

    Attributes:
        call: The function.
        lines: The statements before it, which make its structs.
        args: Its arguments.
        keys: The handles and addresses that stand in the holes.
        results: Each result's type and its handle or address. The latter is None for another result.
        place: The line that called, and what of its arguments is not written.
    """

    call: str
    lines: tuple[str, ...]
    args: str
    keys: tuple[Key, ...]
    results: tuple[tuple[str, Key | None], ...]
    place: str

    @property
    def made(self) -> set[Key]:
        """The handles and addresses that the call returned."""
        return {key for _, key in self.results if key is not None}

    @property
    def touched(self) -> set[Key]:
        """The handles and addresses in its arguments and results."""
        return {*self.keys, *self.made}


@define
class _Writer:
    """Writes the arguments of one call.

    Attributes:
        lines: The statements that make its structs.
        keys: The handles and addresses that stand in its holes.
        others: The classes of arguments that cannot be written.
    """

    lines: list[str] = field(factory=list)
    keys: list[Key] = field(factory=list)
    others: list[str] = field(factory=list)
    _numbers: Iterator[int] = field(factory=lambda: count(1))

    def source(self, value: Any) -> str:
        """Return an argument as source."""
        kind = type(value).__name__
        if (key := _key(value)) is not None:
            self.keys.append(key)
            return f"\0{len(self.keys) - 1}\0"
        if isinstance(value, int) and (name := getattr(value, "name", "")):
            return f"{_module(kind)}.{kind}.{name}"
        if isinstance(value, bytes | bytearray) and len(value) > LONG:
            return f"{kind}({len(value)})"
        if value is None or isinstance(value, int | float | str | bytes | bytearray):
            return repr(value)
        if isinstance(value, list | tuple):
            return f"[{', '.join(map(self.source, value))}]"
        if hasattr(value, "__int__"):
            return str(int(value)) if kind == "CUdevice" else f"{_module(kind)}.{kind}({int(value)})"
        return self._struct(value, kind)

    def _struct(self, value: Any, kind: str) -> str:
        """Return a variable for a struct, which statements before the call fill."""
        if not type(value).__module__.startswith("cuda.bindings"):
            self.others.append(kind)
            return "None"
        name = f"{_variable(kind)}_{next(self._numbers)}"
        self.lines.append(f"{name} = {_module(kind)}.{kind}()")
        self._fill(value, name)
        return name

    def _fill(self, value: Any, name: str) -> None:
        """Write the fields of a struct that are not zero."""
        for label in dir(value):
            if label.startswith("_") or callable(one := getattr(value, label)):
                continue
            if isinstance(one, int | bytes) or hasattr(one, "__int__"):
                if any(one) if isinstance(one, bytes) else int(one):
                    self.lines.append(f"{name}.{label} = {self.source(one)}")
            elif type(one).__module__.startswith("cuda.bindings"):
                self._fill(one, f"{name}.{label}")


def written(call: str, args: Sequence[Any], keywords: dict[str, Any], result: Any, place: str) -> Written:
    """Return a call as source.

    Args:
        call: The function of the bindings.
        args: Its arguments.
        keywords: Its arguments by name.
        result: What it returned.
        place: The line that called.
    """
    writer = _Writer()
    text = [*map(writer.source, args), *(f"{name}={writer.source(value)}" for name, value in keywords.items())]
    results = tuple((type(one).__name__, _key(one)) for one in result[1:]) if isinstance(result, tuple) else ()
    if writer.others:
        place += f"; None is in place of: {', '.join(writer.others)}"
    return Written(call, tuple(writer.lines), ", ".join(text), tuple(writer.keys), results, place)


def lines_of(earlier: Sequence[Written], last: Written) -> list[str]:
    """Return a script that repeats a call and its dependencies.

    These are the last calls that touch the same objects, the calls that made the objects, and those that set the
    current context.

    Args:
        earlier: The calls before it, oldest first.
        last: The call, whose answer the script prints.
    """
    chosen = _chosen(earlier, last)
    names = _names([*(earlier[number] for number in chosen), last])
    modules = sorted({_module(one.call) for one in (*(earlier[number] for number in chosen), last)})
    lines = [f"from cuda.bindings import {', '.join(modules)}", ""]
    for number in chosen:
        lines += _statements(earlier[number], names)
    return [*lines, *_statements(last, names, printed=True)]


def _chosen(earlier: Sequence[Written], last: Written) -> list[int]:
    """Return the numbers of the earlier calls in a script, oldest first."""
    known = {key for one in earlier for key in one.made}
    wanted = _bases(last.keys, known)
    touching = [number for number, one in enumerate(earlier) if not wanted.isdisjoint(_bases(one.touched, known))]
    state = [number for number, one in enumerate(earlier) if STATE.search(one.call)]
    chosen = {*touching[-MOST:], *state[:1], *state[-MOST:]}
    needed = _bases([*last.keys, *(key for number in chosen for key in earlier[number].keys)], known)
    for number in range(len(earlier) - 1, -1, -1):
        one = earlier[number]
        if number in chosen or not one.made.isdisjoint(needed):
            chosen.add(number)
            needed = needed - one.made | _bases(one.keys, known)
    return sorted(chosen)


def _bases(keys: Iterable[Key], known: Iterable[Key]) -> set[Key]:
    """Return handles and addresses; inner addresses count as the memory's start."""
    return {key if (base := _base(key, known)) is None else base for key in keys}


def _base(key: Key, known: Iterable[Key]) -> Key | None:
    """Return the start of the memory at an address, or None."""
    if key in known or not isinstance(key, int):
        return key if key in known else None
    below = [one for one in known if isinstance(one, int) and key - NEAR < one < key]
    return max(below, default=None)


def _names(calls: Iterable[Written]) -> dict[Key, str]:
    """Return a variable for each returned and used handle or address."""
    names: dict[Key, str] = {}
    calls = list(calls)
    used = _bases({key for one in calls for key in one.keys}, {key for one in calls for key in one.made})
    for one in calls:
        for kind, key in one.results:
            if key is not None and key in used and key not in names:
                base = _variable(kind)
                names[key] = f"{base}{1 + sum(name.rstrip('0123456789') == base for name in names.values())}"
    return names


def _statements(one: Written, names: dict[Key, str], *, printed: bool = False) -> list[str]:
    """Return the statements of a call."""

    def filled(text: str) -> str:
        return HOLE.sub(lambda hole: _expression(one.keys[int(hole[1])], names), text)

    call = f"{_module(one.call)}.{one.call}({filled(one.args)})"
    targets = [names.get(key, "_") if key is not None else "_" for _, key in one.results]
    if printed:
        call = f"print({call})"
    elif any(name != "_" for name in targets):
        call = f"{', '.join(['_', *targets])} = {call}"
    return [*map(filled, one.lines), f"{call}  # {one.place}"]


def _expression(key: Key, names: dict[Key, str]) -> str:
    """Return an expression for a handle or an address."""
    base = _base(key, names)
    if base is None:
        return hex(key) if isinstance(key, int) else repr(key)
    if base == key:
        return names[key]
    assert isinstance(key, int)
    assert isinstance(base, int)
    return f"int({names[base]}) + {key - base}"


def _key(value: Any) -> Key | None:
    """Return the handle or address of a value, or None."""
    if isinstance(value, bool | float | str | bytes | bytearray | list | tuple) or value is None:
        return None
    if isinstance(value, int) or hasattr(value, "__int__"):
        return number if (number := int(value)) >= LARGE else None
    if IPC.search(type(value).__name__) is None:
        return None
    return ctypes.string_at(int(value.getPtr()), LONG)


def _module(name: str) -> str:
    """Return the binding module of a function or type."""
    return "runtime" if name.startswith("cuda") else "driver"


def _variable(kind: str) -> str:
    """Return the variable stem of a type, such as ``stream`` for CUstream."""
    stem = re.sub(r"^(CU|cuda)|_t$|_st$", "", kind).lower()
    return NAMES.get(stem, stem)
