"""Making the calls of a program: through ctypes, in a process that loads the library afresh, for some calls may crash."""

from __future__ import annotations

import ctypes
import json
import os
import re
import signal
import traceback
from functools import partial
from typing import TYPE_CHECKING, Any

from fakecuda.reach.native.nvml_types import type_of
from fakecuda.spec.nvml import PROTOTYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.record.nvml.plan import Argument, Program

LIBRARY = "libnvidia-ml.so.1"
ROOM = 1 << 18
"""Bytes of what a call may write to each pointer."""
KEPT = 4096
"""Bytes of them that are looked at."""
FILL = 0xA5
"""What stands in them before, so that one sees what was written."""
LIMIT = 120
"""Seconds after which a process is held for one that hangs, and ended."""
TEXTS = {"uuid": "nvmlDeviceGetUUID", "serial": "nvmlDeviceGetSerial"}
BUS_ID = 36
"""Where a nvmlPciInfo_t has its text."""
MAKERS = {"nvmlEventSetCreate": 0, "nvmlSystemEventSetCreate": 8}
"""Calls that make an event set, and where in the room they write its handle."""
Answer = list[Any]
"""The function, the arguments, the code or what it returns, and what is written to each room: in hexadecimal digits."""


class Asker:
    """Makes calls.

    Args:
        library: The library, or its name.
    """

    def __init__(self, library: str = LIBRARY) -> None:
        self.library = ctypes.CDLL(library)
        self.set = 0

    def ask(self, name: str, arguments: Sequence[Argument]) -> Answer:
        """Make a call and return what it answers."""
        if not hasattr(self.library, name):
            return [name, arguments, "missing", []]
        function = getattr(self.library, name)
        function.restype = ctypes.c_char_p if name == "nvmlErrorString" else ctypes.c_uint
        rooms: list[Any] = []
        given = [self._given(one, rooms) for one in arguments]
        kinds = [kind for kind, _ in PROTOTYPES[name]]
        values = [
            value if kind.endswith("*") or value is None else type_of(kind)(value)
            for kind, value in zip(kinds, given, strict=True)
        ]
        code = function(*values)
        if isinstance(code, bytes):
            code = code.decode()
        if name in MAKERS and code == 0:
            place = MAKERS[name]
            self.set = int.from_bytes(rooms[0].raw[place : place + 8], "little")
            rooms = []
        outs = [self._shown(name, room.raw[:KEPT], rooms) for room in rooms]
        return [name, arguments, code, outs]

    def device(self, index: int) -> int:
        """Return the handle of a device; 0 where there is none."""
        handle = ctypes.c_uint64(0)
        self.library.nvmlDeviceGetHandleByIndex_v2(ctypes.c_uint(index), ctypes.byref(handle))
        return handle.value

    def _given(self, argument: Argument, rooms: list[Any]) -> Any:
        kind, *rest = argument
        if kind == "null":
            return None
        if kind in {"int", "handle"}:
            return rest[0]
        if kind == "dev":
            return self.device(int(str(rest[0])))
        if kind == "set":
            return self.set
        if kind == "out":
            room = self._room(rooms)
            content = b"".join(self._part(str(part), rooms) for part in rest)
            ctypes.memmove(room, content, len(content))
            return room
        if kind == "text":
            return ctypes.c_char_p(str(rest[0]).encode())
        return ctypes.c_char_p(changed(self._text(int(str(rest[0])), str(rest[1])), str(rest[2])).encode())

    def _part(self, part: str, rooms: list[Any]) -> bytes:
        """Return what a room begins with: a handle, the address of another room, or hexadecimal digits."""
        if part == "set":
            return self.set.to_bytes(8, "little")
        if part == "room":
            return ctypes.addressof(self._room(rooms)).to_bytes(8, "little")
        return bytes.fromhex(part)

    @staticmethod
    def _room(rooms: list[Any]) -> Any:
        rooms.append(ctypes.create_string_buffer(bytes([FILL]) * ROOM, ROOM))
        return rooms[-1]

    def _text(self, index: int, what: str) -> str:
        handle, room = ctypes.c_uint64(self.device(index)), ctypes.create_string_buffer(ROOM)
        if what == "bus":
            self.library.nvmlDeviceGetPciInfo_v3(handle, room)
            return room.raw[BUS_ID:].partition(b"\0")[0].decode()
        getattr(self.library, TEXTS[what])(handle, room, ctypes.c_uint(96))
        return room.value.decode()

    def _shown(self, name: str, raw: bytes, rooms: list[Any]) -> str:
        """Return what was written, the fill behind it left out; handles and addresses by words."""
        if self.set:
            raw = raw.replace(self.set.to_bytes(8, "little"), b"the set ")
        for room in rooms:
            raw = raw.replace(ctypes.addressof(room).to_bytes(8, "little"), b"a room  ")
        if any(kind == "nvmlDevice_t*" for kind, _ in PROTOTYPES[name]):
            for index in range(2):
                if handle := self.device(index):
                    raw = raw.replace(handle.to_bytes(8, "little"), b"device %d" % index)
        return raw.rstrip(bytes([FILL])).hex()


def changed(text: str, how: str) -> str:
    """Return a text that identifies a device, written otherwise."""
    match how:
        case "lower":
            return text.lower()
        case "upper":
            return text.upper()
        case "without prefix":
            return text.partition("-")[2]
        case "first half":
            return text[: len(text) // 2]
        case "with a space":
            return f" {text}"
        case "without domain":
            return text.partition(":")[2]
        case "short domain":
            return text[4:]
        case "another function":
            return f"{text[:-1]}1"
        case "another bus":
            return re.sub(r":..:", ":fe:", text)
        case "without function":
            return text.rpartition(".")[0]
        case _:
            return text


def answers(program: Program, library: str = LIBRARY) -> list[Answer]:
    """Return the answers to a program, made in forks of this process; ``crash`` where one ended a process.

    What follows a crash is asked again from the start, without the call that crashed.
    """
    left: Program = list(program)
    crashed: dict[int, Answer] = {}
    while True:
        asked = [step for place, step in enumerate(left) if place not in crashed]
        found = in_fork(partial(iter_answers, asked, library))
        if len(found) == len(asked):
            break
        places = [place for place in range(len(left)) if place not in crashed]
        place = places[len(found)]
        crashed[place] = [*left[place], "crash", []]
    iterator = iter(found)
    return [crashed[place] if place in crashed else next(iterator) for place in range(len(left))]


def iter_answers(program: Program, library: str = LIBRARY) -> Any:
    """Yield the answers to a program, made in this process."""
    asker = Asker(library)
    for name, arguments in program:
        yield asker.ask(name, arguments)


def in_fork(work: Callable[[], Any]) -> list[Any]:
    """Return what an iterator yields in a fork of this process, as far as that gets."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        signal.alarm(LIMIT)
        try:
            with os.fdopen(writing, "w") as lines:
                for one in work():
                    lines.write(json.dumps(one) + "\n")
                    lines.flush()
        except Exception:  # noqa: BLE001 - it goes no further than this process
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as lines:
        found = [json.loads(line) for line in lines if line.endswith("\n")]
    os.waitpid(child, 0)
    return found
