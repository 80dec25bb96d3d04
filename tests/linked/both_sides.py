"""A program that makes each call in C and in Python, and compares the results.

It plays the owner of a machine for the client in C, and notes what arrives. The functions in Python, behind the stubs of the
native door, get operations that note what they are given. What differs is printed.
"""

from __future__ import annotations

import ctypes
import os
import random
import re
import socket
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from fakecuda.model.os.threads import own
from fakecuda.reach.native import nvml, objects
from fakecuda.reach.native.generated import callbacks
from fakecuda.reach.native.generated import cudart as runtime
from fakecuda.reach.native.library import argument
from fakecuda.reach.remote import VARIABLE
from fakecuda.reach.remote.client.local import ENTRY_POINTS
from fakecuda.reach.remote.linked import nvml_tables, tables
from fakecuda.reach.remote.linked.build import CLIENT
from fakecuda.reach.remote.protocol import schema
from fakecuda.reach.remote.protocol.frames import Kind, Line, LineClosed
from fakecuda.rules.registry import DRIVER, FORMS, NVML, RUNTIME, api_of
from fakecuda.spec import cudart, launch_config, resources
from fakecuda.spec.descriptors import IMPORTS
from fakecuda.spec.mem_ops import LAYOUTS as OPERATIONS
from fakecuda.spec.stream_values import LAYOUTS as STREAM_VALUES
from fakecuda.spec.symbols import symbols

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from struct import Struct

SPACE = 5 << 44
PAGE = 1 << 13
COUNTS = (1, 2, 3, 4, 6, 8, 9, 10)
"""Values of numbers: counts, attribute ids and handle types."""
OPERATION = 48
ADDRESSES = {"TEXT_AT", "OWNED_AT"}
POINTED = {"LISTS_OF_INTS", "ATTRIBUTES_AT"}
CODE = re.compile(r"(\d*)([a-zA-Z()])")
SIZES = {"b": 1, "B": 1, "H": 2, "i": 4, "I": 4, "q": 8, "Q": 8, "f": 4, "d": 8}


class Owner:
    """A fake owner of a machine, for the client.

    Attributes:
        given: The last call: its number, its mask of null pointers and its arguments.
        outs: What it is answered.
    """

    def __init__(self, path: Path) -> None:
        self.given: Any = None
        self.outs: Any = None
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            line = Line(self._listener.accept()[0])
            threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _serve(self, line: Line) -> None:
        facts = 1, "", b"t" * 32, "a", "", 13020, SPACE, SPACE + (1 << 20)
        role = line.receive()[1][1]
        line.send(Kind.WELCOME, facts if role == "process" else ())
        try:
            while True:
                kind, value, _ = line.receive()
                if kind == Kind.CALL:
                    number, place, _, mask, args, _ = value
                    self.given = schema.NAMES[place], mask, args
                    line.send(Kind.RESULT, (number, 0, self.outs, (), 1, ()))
                elif value[0] == 2:
                    line.send(Kind.NOTED, ())
        except LineClosed:
            return


class Call:
    """A call in the form of the Python functions, with its null result pointers."""

    def __init__(self, nulls: frozenset[str] = frozenset()) -> None:
        self.nulls = nulls

    def without(self, nulls: frozenset[str]) -> Call:
        """Return one with nulls."""
        return Call(nulls)


THREAD = SimpleNamespace(native=Call(), per_thread=Call(), failed_at=0)


def value_of(shape: str, draw: random.Random) -> Any:
    """Return a plain value of a shape."""
    stack: list[list[Any]] = [[]]
    for digits, code in CODE.findall(shape):
        if code == "(":
            stack.append([])
        elif code == ")":
            done = tuple(stack.pop())
            stack[-1].append(done)
        elif code in "szt":
            stack[-1].append(draw.randbytes(int(digits)) if code == "s" else b"text")
        elif code in "fd":
            stack[-1].append(draw.randrange(1000) / 8)
        elif code in SIZES:
            stack[-1].append(draw.randrange(1 << 8 * SIZES[code] - 1))
    return stack[0][0]


def _union(layouts: dict[int, Struct], kind: int, draw: random.Random) -> Any:
    """Return what a union has for a type; nothing for an unknown type."""
    return (
        tuple(draw.randrange(1 << 31) for _ in layouts[kind].unpack(bytes(layouts[kind].size)))
        if kind in layouts
        else ()
    )


def result_of(kind: str, shape: str, count: int, draw: random.Random) -> Any:
    """Return what an operation may return of a result."""
    some = [draw.randrange(1 << 31) for _ in range(count)]
    values = {
        "TEXT_IN": b"a text",
        "TEXT_AT": b"a text of its own",
        "DEVICE_NAME": b"a name",
        "BYTES_AT": draw.randbytes(8),
        "NODE_TOLD": (draw.getrandbits(48),),
        "INTS": some[0],
        "LISTS_OF_INTS": tuple(some),
        "ATTRIBUTE_AT": some[0],
        "ATTRIBUTES_AT": tuple(some),
        "DESCRIPTOR_AT": 7,
        "POOL_WORD_AT": some[0],
        "RESOURCE_AT": (kind_of := count % 5, _union(resources.LAYOUTS, kind_of, draw), some[0]),
        "RUNTIME_RESOURCE_AT": (kind_of, _union(resources.RUNTIME_LAYOUTS, kind_of, draw), 0),
    }
    if kind == "STREAM_VALUE_AT":
        return value_of(f"({STREAM_VALUES[count].format[1:]})", draw) if count in STREAM_VALUES else ()
    if kind in {"RESULTS_AT", "OWNED_AT"}:
        return tuple(value_of(shape, draw) for _ in range(count))
    return values[kind] if kind in values else value_of(shape, draw)


class Arena:
    """Memory for the pointers of a call, restored for the second side."""

    def __init__(self, pieces: int, count: int, draw: random.Random, *, pointers: bool, launches: bool = False) -> None:
        self.memory = ctypes.create_string_buffer(PAGE * (pieces + 1))
        self.first = draw.randbytes(len(self.memory) - 1)
        start = ctypes.addressof(self.memory)
        self.pieces = [start + PAGE * number for number in range(pieces)]
        ctypes.memmove(self.memory, self.first, len(self.first))
        for piece in self.pieces:
            for place in range(0, 16 * OPERATION, OPERATION):  # what tells operations apart
                ctypes.c_int32.from_address(piece + place).value = [*OPERATIONS, 99][(place // OPERATION + count) % 8]
            for place in range(0, 256 * pointers, 8):
                ctypes.c_uint64.from_address(piece + place).value = start + PAGE * pieces + 64 * (place // 8)
            ctypes.c_char.from_address(piece + 4000).value = b"\0"
            if launches:  # attributes of known and unknown ids
                attributes = start + PAGE * pieces
                ctypes.c_uint64.from_address(piece + launch_config.ATTRIBUTES_AT).value = attributes * (count % 9 > 0)
                ctypes.c_uint32.from_address(piece + launch_config.COUNT_AT).value = 2 * count
                for number in range(2 * count):
                    place = attributes + launch_config.SIZE * number
                    ctypes.c_int32.from_address(place).value = (number + count) % 20
        self.first = self.memory.raw

    def taken(self) -> bytes:
        """Return what it holds now, and restore what it held at first."""
        found = self.memory.raw
        ctypes.memmove(self.memory, self.first, len(self.first))
        return found


def rows() -> Iterator[tuple[str, str, tuple[str, ...], Callable[..., Any], Any]]:
    """Yield each call with its symbol, the kinds of its arguments, its function in Python, and the module of that."""
    taken = {one.name: one.args for one in symbols()}
    for name in (*sorted(DRIVER.ops), *sorted(FORMS.ops)):
        symbol = api_of(name).calls[name].symbol
        if name not in ENTRY_POINTS and not tables.points(name):
            yield name, objects.PREFIXES["libcuda.so.1"] + symbol, taken[symbol], getattr(callbacks, name), callbacks
    newest = {one.call for one in cudart.exported(13)}
    for name in sorted(set(RUNTIME.ops) - {*runtime.RETURNED, *ENTRY_POINTS}):
        major = 13 if name in newest else 12
        symbol = next(one.name for one in cudart.exported(major) if one.call == name and not one.own_stream)
        yield (
            name,
            objects.PREFIXES[cudart.soname(major)] + symbol,
            runtime.ARGUMENTS[name],
            getattr(runtime, name),
            runtime,
        )
    for name in nvml_tables.modelled():
        function = lambda *args, name=name: nvml._call(name, *args)  # noqa: E731 - as its stub does
        yield name, objects.PREFIXES["libnvidia-ml.so.1"] + name, nvml_tables.kinds(name), function, nvml


def shapes() -> dict[str, list[tuple[str, str]]]:
    """Return how the results of each call are written, and their shapes."""
    found = {}
    for name in (*DRIVER.ops, *FORMS.ops, *RUNTIME.ops):
        call = api_of(name).calls[name]
        found[name] = [(tables.returned_as(call, param)[0], tables.shape(param)) for param in call.outputs]
    for name, _, outputs in nvml_tables.rows():
        rows = [re.fullmatch(r'\{\d+, (\w+), -1, "(.*)"\}', one) for one in outputs]
        found[name] = [(one[1], one[2].replace("(4k", "(", 1)) for one in rows if one]
    return found


def main(folder: Path) -> None:
    """Make all calls; print what differs, and how many were made."""
    owner = Owner(folder / "machine")
    os.environ[VARIABLE] = f"{folder / 'machine'}#1"
    CLIENT.build(folder / objects.CLIENT, "-DBOTH_ENDS")
    library = ctypes.CDLL(str(folder / objects.CLIENT))
    written, made = shapes(), 0
    callbacks_any: Any = callbacks
    callbacks_any.threads = {own.number: THREAD}
    nvml_any: Any = nvml
    nvml_any.door = SimpleNamespace(find=lambda: THREAD, failed=failed)
    for name, symbol, kinds, function, module in rows():
        for count in (*COUNTS, 0):
            draw = random.Random(f"{name} {count}")  # noqa: S311 - no secret
            results = [result_of(kind, shape, count or 1, draw) for kind, shape in written[name]]
            outs = results[0] if len(results) == 1 else tuple(results) or None
            pointers = any(kind in POINTED for kind, _ in written[name])
            launches = any(param.type == "CUlaunchConfig" for param in api_of(name).calls[name].params)
            arena = Arena(len(kinds), count or 1, draw, pointers=pointers, launches=launches)
            null = count == 0  # once with null pointers
            values = [
                argument(kind).from_buffer_copy(arena.first[: int(kind[1:])])
                if kind[0] == "S"
                else argument(kind)((0 if null else arena.pieces[number]) if kind == "P" else max(count, 1))
                for number, kind in enumerate(kinds)
            ]
            if null and any(kind in POINTED for kind, _ in written[name]):
                continue  # a driver reads behind the pointer
            owner.given, owner.outs = None, outs
            c = getattr(library, symbol)
            c.restype, c.argtypes = ctypes.c_uint64, [type(value) for value in values]
            code = c(*values) & 0xFFFFFFFF
            in_c = arena.taken()
            given = called(module, name, function, values, outs)
            in_python = arena.taken()
            made += 1
            told = owner.given and (owner.given[0], names(name, owner.given[1]), owner.given[2])
            if code or not same(name, told, given):
                sys.stdout.write(f"{name} {count}: C {code} {told!r}, Python {given!r}"[:600] + "\n")
            if in_c != in_python and not any(kind in ADDRESSES for kind, _ in written[name]):
                places = [place for place, (one, other) in enumerate(zip(in_c, in_python, strict=True)) if one != other]
                told_places = [(place // PAGE, place % PAGE) for place in places[:5]]
                sys.stdout.write(f"{name} {count}: memory differs at {told_places}, {len(places)} bytes\n")
    sys.stdout.write(f"{made}\n")
    sys.stdout.flush()
    os._exit(0)  # the client says goodbye when the process ends, and nobody would hear it


def failed(name: str, error: BaseException) -> int:
    """Raise what has come of a call in Python."""
    raise RuntimeError(name) from error


def same(name: str, told: Any, given: Any) -> bool:
    """Return whether both have read the same; a descriptor travels beside the frame."""
    if told is None or given is None:
        return bool(told == given)
    if name in IMPORTS:
        place = IMPORTS[name][0]
        if told[2][place] == -1:
            return True
    return bool(told == given)


def names(name: str, mask: int) -> frozenset[str]:
    """Return which result pointers are null."""
    return frozenset(one.name for place, one in enumerate(api_of(name).calls[name].outputs) if mask >> place & 1)


def called(module: Any, name: str, function: Callable[..., Any], values: list[Any], outs: Any) -> Any:
    """Make a call in Python; return what its operation was given."""
    seen: list[Any] = []

    def operation(call: Call, *args: Any) -> tuple[int, Any]:
        seen.append((name, call.nulls, args))
        return 0, outs

    plain = [value if isinstance(value, ctypes.Structure) else value.value for value in values]
    if module is nvml:
        nvml_any: Any = nvml
        nvml_any.NVML = SimpleNamespace(ops={name: SimpleNamespace(invoke=operation)})
        function(*plain)
        nvml_any.NVML = NVML
    else:
        setattr(module, f"_{name}", operation)
        function(*([Call()] if module is runtime else []), *plain)
    return seen[0] if seen else None


if __name__ == "__main__":
    main(Path(sys.argv[1]))
