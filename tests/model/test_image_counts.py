"""The cost of the next image does not grow with the images before it: counted in instructions and in bytes, never in time."""

from __future__ import annotations

import ctypes
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from conformance.fuzz.interrupts import bare
from conformance.kit.kernels import HEAD
from fakecuda import Machine
from fakecuda.model.code import cubin_writer
from fakecuda.model.code.code import Entry, Image
from fakecuda.model.code.cost import spent
from fakecuda.model.code.image import CUBIN, FATBINARY, TEXT
from fakecuda.model.code.linking import Linker
from tests.model.test_image import ARCH, fatbin
from tests.model.world import started

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import FrameType

    from fakecuda.model.code.linking import Input

    Make = Callable[[bytes], object]
    Ways = dict[str, tuple[Callable[[int], bytes], Make]]

EARLY, LATE = 8, 72
"""The numbers of earlier images at which a call is counted."""
MORE = 1.02
"""The maximum ratio of a call's instructions after many and after few images."""
INFO, ERRORS = 3, 5
SIZES = INFO + 1, ERRORS + 1
"""The options of logs, which are followed by options of their sizes."""
NO_OPTIONS = (0, None, None)
WAYS = ("data", "file", "fatbin", "cubin", "without code", "refused", "twice", "module", "library")


def text(number: int) -> bytes:
    """Return PTX with names of its own, a weak name that all have, and names that all need."""
    name = f"{number:05}"
    return (
        HEAD
        + f".extern .func other(); .extern .global .u32 far; .weak .func soft() {{ ret; }}\n.visible .global .u32 v{name};\n"
        f".visible .entry k{name}() {{ .reg .u32 %r; call other; ld.global.u32 %r, [far]; ret; }}\n"
    ).encode()


def relocatable(number: int) -> bytes:
    """Return a cubin that is to be linked, with a name of its own."""
    name = f"k{number:05}"
    made = cubin_writer.written(Image({name: Entry(name)}, {}), ARCH)
    return made[:16] + b"\1\0" + made[18:]


def ways(c: Any, path: Path, log: ctypes.Array[ctypes.c_char]) -> Ways:
    """Return the calls that are counted, by their names: what makes the image of a number, and the call with it.

    Args:
        c: The process's C-level calls.
        path: Where a file may be written.
        log: Where linkers write what they log.
    """

    def linker(*options: int) -> int:
        values = tuple(len(log) if number in SIZES else ctypes.addressof(log) for number in options)
        code, handle = c.cuLinkCreate(len(options), options or None, values or None)
        assert not code
        return int(handle)

    def add(state: int, kind: int, data: bytes) -> object:
        return c.cuLinkAddData(state, kind, data, len(data), b"in", *NO_OPTIONS)

    def add_file(state: int, data: bytes) -> object:
        path.write_bytes(data)
        return c.cuLinkAddFile(state, TEXT, bytes(path), *NO_OPTIONS)

    has_all = linker()
    for number in range(LATE + 1):
        assert add(has_all, TEXT, text(number)) == (0,)
    return {
        "data": (text, partial(add, linker(), TEXT)),
        "file": (text, partial(add_file, linker())),
        "fatbin": (lambda number: fatbin((1, 70, text(number), 0)), partial(add, linker(), FATBINARY)),
        "cubin": (relocatable, partial(add, linker(), CUBIN)),
        "without code": (
            lambda number: fatbin((1, 99, text(number), 0)),
            partial(add, linker(INFO, SIZES[0]), FATBINARY),
        ),
        "refused": (lambda number: b"no %05d" % number, partial(add, linker(ERRORS, SIZES[1]), TEXT)),
        "twice": (lambda number: text(number) + b"\n", partial(add, has_all, TEXT)),
        "module": (lambda number: text(number).replace(b".extern", b"//"), c.cuModuleLoadData),
        "library": (relocatable, lambda data: c.cuLibraryLoadData(data, None, None, 0, None, None, 0)),
    }


def instructions(call: Callable[[], object]) -> int:
    """Return how many instructions of the interpreter a call takes."""
    count = 0

    def step(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True  # and lines, without which Python 3.13.0 leaves instructions out
        count += event == "opcode"
        return step

    before = sys.gettrace()
    bare(step)
    try:
        call()
    finally:
        bare(before)
    return count


def counts(way: str, path: Path) -> list[tuple[int, int, int]]:
    """Return instructions, bytes read and bytes produced of the calls that are counted."""
    found, log = [], ctypes.create_string_buffer(1 << 16)
    with Machine("h200", strict=False) as machine:
        image, make = ways(started(machine).c, path / "input", log)[way]
        for number in range(LATE + 1):
            data = image(number)
            spent.bytes_read = spent.bytes_produced = 0
            if number in {EARLY, LATE}:
                found.append((instructions(partial(make, data)), spent.bytes_read, spent.bytes_produced))
            else:
                make(data)
    return found


@pytest.mark.parametrize("way", WAYS)
def test_the_next_image_costs_what_the_first_ones_did(way: str, tmp_path: Path) -> None:
    """However many images a linker or a process has."""
    early, late = counts(way, tmp_path)
    assert early[0] > 100
    assert late[0] <= MORE * early[0]
    assert late[1:] == early[1:]


def looks_at_all(patch: pytest.MonkeyPatch) -> None:
    """Look at each earlier input for a name."""

    def unlike(self: Linker, made: Input) -> dict[str, tuple[str, Input]]:
        there = {name: one for one in self.inputs for name in one.image.names.own}
        return {name: ("", there[name]) for name in made.image.names.own if name in there}

    patch.setattr(Linker, "unlike", unlike)


def test_a_planted_scan_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An input that looks at all inputs before it takes more instructions."""
    looks_at_all(monkeypatch)
    early, late = counts("data", tmp_path)
    assert late[0] > MORE * early[0]
