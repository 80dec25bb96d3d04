"""Garbage programs through C: arguments that a C program could pass."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from attrs import frozen

from conformance.fuzz.nonsense import FUNCTION, FUNCTIONS, HOST, SMALL, Held, Plain
from conformance.fuzz.pages import free, guarded
from fakecuda.reach.native import door, hip
from fakecuda.reach.native.callbacks import CALL_IS_ANSWERED
from fakecuda.reach.native.generated import hip as hip_calls
from fakecuda.reach.native.library import argument
from fakecuda.rules.registry import DRIVER, HIP
from fakecuda.spec.conventions import convention
from fakecuda.spec.hip import DESCRIPTION
from fakecuda.spec.symbols import symbols

if TYPE_CHECKING:
    from collections.abc import Callable

    import fakecuda
    from fakecuda.rules.registry import Api
    from fakecuda.spec.description import Function, Param

ROOM = 1 << 16
"""Bytes behind a pointer: more than any struct or any text that a call writes."""
WORDS = 40
LONGEST = 4
COUNTS = (-1, 1 << 13, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 63, (1 << 64) - 1)
"""Lengths of missing or short arrays."""
OUTPUTS = frozenset({"out", "string_out", "buffer_out"})
SIZES_IN_MEMORY = "int_lists"
"""The form of results whose sizes an array contains."""
FILE = {"driver": "libcuda.so.1", "hip": "libamdhip64.so"}


@frozen
class Stored:
    """Memory with some 64-bit numbers, and zeros.

    Attributes:
        words: The numbers.
    """

    words: tuple[Any, ...]


@frozen
class Room:
    """Memory for a result."""


class InC(Plain):
    """Draws arguments of a C program: pointers to memory, or null pointers."""

    def arguments(self, call: Function) -> tuple[Any, ...]:
        """Return arguments of a call, in the order of its prototype."""
        values = {param.name: self.argument(param) for param in call.params}
        told = {param.name for param in call.params if param.role in OUTPUTS}  # a count may be a result
        counts = {name for param in call.params for name in (param.count, param.length) if name in values}
        for name in sorted(counts - told):
            count = self._count([param for param in call.params if name in (param.count, param.length)], values)
            behind = any(param.name == name and param.role == "inout" for param in call.params)
            values[name] = Stored((count % LONGEST,)) if behind else count
        written = [
            param
            for param in call.params
            if param.role in OUTPUTS and (param.type == "void" or convention(call.name, param.name).form == "ints")
        ]
        if written:
            for name in values:
                if "size" in name.lower():
                    values[name] = self._count(written, values)
        return tuple(values.values())

    def _count(self, arrays: list[Param], values: dict[str, Any]) -> int:
        """Return the length of arrays or buffers; any number if none is written.

        Behind memory that is too small to be written lies what is the program's own.
        """
        if any(isinstance(values[param.name], Room) for param in arrays) or self.random.randrange(2):
            return self.random.randrange(LONGEST)
        return self.random.choice(COUNTS)

    def argument(self, param: Param) -> Any:
        """Return an argument for a parameter."""
        random = self.random
        if param.type in FUNCTIONS:
            return Held(FUNCTION, 0)
        if param.kind == HOST:
            return self._one(param)
        if param.role in OUTPUTS:
            return random.choice([Room(), Room(), Room(), Room(), 0])
        if param.pointer or param.kind in {"struct", "bytes", "string"}:
            return Stored(tuple(self._word() for _ in range(WORDS))) if random.randrange(6) else 0
        return self.integer(param.type)

    def _word(self) -> Any:
        return self.random.choice(
            [0, 0, 1, 1 << 32 | 1, self.random.choice(SMALL), Held(HOST, 0), Held("", self.random.randrange(64))]
        )


class Library:
    """A library whose functions take arguments of :class:`InC`.

    Args:
        api: Which.
        machine: The machine that its calls reach.
    """

    def __init__(self, api: str, machine: fakecuda.Machine) -> None:
        self._machine = machine
        self._door: Any = {"driver": door, "hip": hip}[api]
        self._door.attach(machine)
        self._api: Api = {"driver": DRIVER, "hip": HIP}[api]
        self._file = ctypes.CDLL(FILE[api])
        self._kept: list[int] = []

    def detach(self) -> None:
        """Remove the target of the library's calls."""
        self._door.detach(self._machine)
        for start in self._kept:
            free(start, ROOM)

    def __getattr__(self, name: str) -> Callable[..., tuple[Any, ...]]:
        """Return a function that makes a call; it returns the code and the results."""
        call = self._api.calls[name]
        kinds = hip_calls.ARGUMENTS[name] if self._api is HIP else KINDS[call.symbol]
        function = getattr(self._file, call.symbol)

        def made(*args: Any) -> tuple[Any, ...]:
            rooms: list[Any] = []
            values = [self._given(value, kind, rooms) for value, kind in zip(args, kinds, strict=True)]
            code = function(*values)
            for finding in self._machine.findings:
                if finding.rule is CALL_IS_ANSWERED:
                    raise AssertionError(finding.facts["raised"])
            return code, *(ctypes.c_uint64.from_buffer(room).value for room in rooms)

        return made

    def _given(self, value: Any, kind: str, rooms: list[Any]) -> Any:
        """Return a value as a C argument; keep its memory, which a stream may use later."""
        if isinstance(value, Room | Stored):
            words = value.words if isinstance(value, Stored) else ()
            start = guarded(ROOM)
            self._kept.append(start)
            memory = (ctypes.c_char * ROOM).from_address(start)
            memory.raw = b"".join(word.to_bytes(8, "little") for word in words).ljust(ROOM, b"\0")
            if isinstance(value, Room):
                rooms.append(memory)
            value = ctypes.addressof(memory) if kind == "P" else memory.raw
        if kind.startswith("S"):
            content = value if isinstance(value, bytes) else bytes(ROOM)
            return argument(kind).from_buffer_copy(content)
        return argument(kind)(value if isinstance(value, int | float) else 0)


def callable_by_c(api: str, names: list[str]) -> list[str]:
    """Return the calls that return a code and whose arguments limit their output."""
    texts = DESCRIPTION.library.texts if api == "hip" else ()
    calls = {"driver": DRIVER, "hip": HIP}[api].calls
    return [
        name
        for name in names
        if calls[name].symbol not in texts
        and all(convention(name, param.name).form != SIZES_IN_MEMORY for param in calls[name].outputs)
    ]


KINDS = {symbol.name: symbol.args for symbol in symbols()}
