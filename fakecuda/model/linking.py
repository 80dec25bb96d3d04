"""Linkers: what makes one image of several, which lies in memory of the host until the linker ends."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model import blocks, cubin_writer, history, transfer
from fakecuda.model.blocks import Arena
from fakecuda.model.code import Image
from fakecuda.model.effect import effect
from fakecuda.model.space import WRITE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.blocks import Block
    from fakecuda.model.history import Stack
    from fakecuda.model.process import Process

    Log = tuple[int, int]

INFO, ERRORS = 3, 5
"""CU_JIT_INFO_LOG_BUFFER and CU_JIT_ERROR_LOG_BUFFER."""


@define(eq=False)
class Linker(history.Lifetime):
    """What makes one image of several.

    Attributes:
        handle: The CUlinkState.
        process: Its process.
        arch: The architecture that it links for: 90 of sm_90.
        logs: The address and the bytes of each of its logs, by CUjit_option.
        inputs: What it was given.
        arena: Where the image lies that it has made.
        completed: Whether it has made that.
    """

    words = ("created", "destroyed")
    handle: int
    process: Process = field(repr=False)
    arch: int
    logs: dict[int, Log] = field(repr=False)
    arena: Arena = field(repr=False)
    inputs: list[Image] = field(factory=list, repr=False)
    completed: bool = False

    def needed(self) -> list[str]:
        """Return the names that some input uses and none has."""
        there = {name for one in self.inputs for name in (*one.names.own, *one.names.weak)}
        return sorted({name for one in self.inputs for name in one.names.needed} - there)

    def twice(self) -> list[str]:
        """Return the names that several inputs have for their own."""
        names = [name for one in self.inputs for name in one.names.own]
        return sorted({name for name in names if names.count(name) > 1})

    def image(self) -> Image:
        """Return what all its inputs hold together; of what several have, the first counts."""
        made = Image({}, {})
        for one in self.inputs:
            made = Image(one.entries | made.entries, one.variables | made.variables)
        return made

    def __repr__(self) -> str:
        return f"linker {self.handle:#x}"


def blocks_of(process: Process) -> Iterator[Block]:
    """Yield the memory of images that linkers of a process have made."""
    for item in process.loaded.values():
        if isinstance(item, Linker):
            yield from item.arena.blocks.values()


@effect(makes="Linker")
def create(process: Process, arch: int, logs: dict[int, Log], stack: Stack) -> Linker:
    """Return a new linker of a process; its logs are empty texts.

    Args:
        process: The process.
        arch: The architecture that it links for.
        logs: The address and the bytes of each of its logs.
        stack: The stack that creates it.
    """
    machine = process.machine
    linker = Linker(machine.territory.new_handle(), process, arch, logs, Arena(machine.pinned), created=stack)
    process.loaded[linker.handle] = linker
    for number in logs:
        log(linker, number, "")
    return linker


@effect(beside="a call that is refused says why")
def log(linker: Linker, number: int, text: str) -> None:
    """Write a text to a log, if there is one; those of other OS processes stay as they are.

    Args:
        linker: The linker.
        number: ``INFO`` or ``ERRORS``.
        text: The text, which is cut where the log has no room for more.
    """
    address, size = linker.logs.get(number, (0, 0))
    system = linker.process.system
    if not address or not size or not system.whole.memory.near or not system.reaches(address, size, WRITE):
        return
    held = ctypes.create_string_buffer(text.encode()[: size - 1])
    transfer.write(system.pieces(address, len(held)), ctypes.addressof(held))


@effect()
def take_in(linker: Linker, image: Image) -> None:
    """Give a linker an input."""
    linker.inputs.append(image)


@effect()
def complete(linker: Linker) -> tuple[int, int] | None:
    """Make one image of a linker's inputs, and return its address and its bytes; None when there is no room for it."""
    data = cubin_writer.written(linker.image(), linker.arch)
    block = blocks.new(linker.process, linker.arena, -(-len(data) // blocks.BLOCK) * blocks.BLOCK)
    if block is None:
        return None
    linker.completed = True
    held = ctypes.create_string_buffer(data, len(data))
    transfer.write([(block.extent, 0, len(data))], ctypes.addressof(held))
    return block.start, len(data)


@effect(ends="linker")
def end(linker: Linker, stack: Stack) -> None:
    """End a linker, with the image that it has made; what was loaded of that stays."""
    process = linker.process
    linker.ended = stack
    blocks.release_all(process, linker.arena)
    del process.loaded[linker.handle]
    process.note_freed(linker.handle, linker)
