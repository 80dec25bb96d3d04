"""Linkers, which make one image of several.

It lies in host memory until the linker ends.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from attrs import define, evolve, field, frozen

from fakecuda.errors import FakeCudaError
from fakecuda.model import history
from fakecuda.model.code import cubin_writer
from fakecuda.model.code.code import Image
from fakecuda.model.effect import FIRST, effect
from fakecuda.model.memory import blocks, transfer
from fakecuda.model.memory.blocks import Arena
from fakecuda.model.memory.space import WRITE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fakecuda.model.history import Stack
    from fakecuda.model.memory.blocks import Block
    from fakecuda.model.os.process import Process, Thread

    Log = tuple[int, int]

INFO, ERRORS = 3, 5
"""CU_JIT_INFO_LOG_BUFFER and CU_JIT_ERROR_LOG_BUFFER."""


@frozen
class Input:
    """An input of a linker.

    Attributes:
        name: The name that the caller gave it.
        image: Its contents.
    """

    name: str
    image: Image


@define(eq=False)
class Linker(history.Lifetime):
    """A linker, which makes one image of several.

    Attributes:
        handle: The CUlinkState.
        process: Its process.
        thread: The thread that created it.
        arch: The architecture that it links for, such as 90 for sm_90.
        logs: The address and the bytes of each of its logs, by CUjit_option.
        inputs: Its inputs.
        texts: The text of each of its logs, cut to the log's bytes.
        arena: The arena of the linked image.
        completed: Whether it has linked its inputs.
        failed: The code that its calls return after a failure. 0 before a failure.
    """

    words = ("created", "destroyed")
    handle: int
    process: Process = field(repr=False)
    thread: Thread = field(repr=False)
    arch: int
    logs: dict[int, Log] = field(repr=False)
    arena: Arena = field(repr=False)
    inputs: list[Input] = field(factory=list, repr=False)
    texts: dict[int, str] = field(factory=dict, repr=False)
    completed: bool = False
    failed: int = 0

    def needed(self) -> dict[str, Input]:
        """Return names that are used and not defined, each with its first user."""
        there = {name for one in self.inputs for name in (*one.image.names.own, *one.image.names.weak)}
        used = {name: one for one in reversed(self.inputs) for name in reversed(one.image.names.needed)}
        return {name: used[name] for name in reversed(used) if name not in there}

    def twice(self, image: Image) -> dict[str, Input]:
        """Return names that an image and an earlier input define, each with that input."""
        there = {name: one for one in self.inputs for name in one.image.names.own}
        kernels = [name for name in image.names.own if name in image.entries]
        names = [*reversed(kernels), *(name for name in image.names.own if name not in image.entries)]
        return {name: there[name] for name in names if name in there}

    def elsewhere(self, image: Image) -> dict[str, Input]:
        """Return variables that an earlier input has in another space, with that input."""
        spaces = {name: (space, one) for one in reversed(self.inputs) for name, space in one.image.names.spaces}
        return {
            name: spaces[name][1] for name, space in image.names.spaces if name in spaces and spaces[name][0] != space
        }

    def image(self) -> Image:
        """Return the contents of all inputs together.

        For equal names the first input counts.
        """
        made = Image({}, {})
        for one in reversed(self.inputs):
            made.entries.update(one.image.entries)
            made.variables.update(one.image.variables)
        return made

    def __repr__(self) -> str:
        return f"linker {self.handle:#x}"


def blocks_of(process: Process) -> Iterator[Block]:
    """Yield the blocks of a process that belong to no context.

    They hold linked images and managed variables of libraries.
    """
    if process.shared is not None:
        yield from process.shared.arena("managed").blocks.values()
    for item in process.loaded.values():
        if isinstance(item, Linker):
            yield from item.arena.blocks.values()


def in_fork(fork: Process, items: Mapping[int, object]) -> dict[int, Linker]:
    """Return a fork's copies of the linkers of a process, with the same handles.

    Args:
        fork: The fork.
        items: The loaded objects of the process, by handle.
    """
    return {
        handle: evolve(
            item,
            process=fork,
            inputs=list(item.inputs),
            texts=dict(item.texts),
            arena=Arena(item.arena.memory),
        )
        for handle, item in items.items()
        if isinstance(item, Linker)
    }


def let_go(process: Process) -> None:
    """Release the linked images of a fork that ends."""
    for item in process.loaded.values():
        if isinstance(item, Linker):
            blocks.release_all(process, item.arena)


@effect(makes="Linker")
def create(thread: Thread, arch: int, logs: dict[int, Log], stack: Stack) -> Linker:
    """Return a new linker of a thread's process, with empty logs.

    Args:
        thread: The thread.
        arch: The architecture that it links for.
        logs: The address and the bytes of each of its logs.
        stack: The stack that creates it.
    """
    process = thread.process
    machine = process.machine
    linker = Linker(machine.territory.new_handle(), process, thread, arch, logs, Arena(machine.pinned), created=stack)
    process.loaded[linker.handle] = linker
    for number in logs:
        log(linker, number)
    return linker


@effect(beside="a refused call writes the reason to the log")
def log(linker: Linker, number: int, lines: Iterable[str] = ()) -> None:
    """Add lines to a log, if the linker has it.

    Memory of other OS processes is not written.

    Args:
        linker: The linker.
        number: ``INFO`` or ``ERRORS``.
        lines: The lines. They are consumed and written as far as the log has room.
    """
    address, size = linker.logs.get(number, (0, 0))
    if not address or not size:
        return
    text = linker.texts.get(number, "")
    for line in lines:
        if len(text) >= size:
            break
        text += "\n" * bool(text) + line
    linker.texts[number] = text = text[:size]
    system = linker.process.system
    if not system.whole.memory.near or not system.reaches(address, size, WRITE):
        return
    held = ctypes.create_string_buffer(text.encode()[: size - 1])
    transfer.write(system.pieces(address, len(held)), ctypes.addressof(held))


@effect(beside="a refused call makes the linker unusable")
def fail(linker: Linker, code: int) -> None:
    """Let a linker's later calls return a code."""
    linker.failed = code


@effect()
def take_in(linker: Linker, name: str, image: Image) -> None:
    """Add an input to a linker."""
    linker.inputs.append(Input(name, image))


@effect()
def complete(linker: Linker) -> tuple[int, int] | None:
    """Link the inputs, and return the address and the bytes of the image.

    None if there is no room for it.

    Raises:
        FakeCudaError: A cubin cannot hold the inputs, or the image would exceed the memory's cap; nothing has changed.
    """
    data = cubin_writer.written(linker.image(), linker.arch)
    block = blocks.new(linker.process, linker.arena, -(-len(data) // blocks.BLOCK) * blocks.BLOCK)
    if block is None:
        return None
    try:
        transfer.write([(block.extent, 0, len(data))], transfer.bytes_address(data))
    except FakeCudaError:
        blocks.release(linker.process, block)
        raise
    linker.completed = True
    return block.start, len(data)


FIRST.add(cubin_writer.written.__code__)


@effect(ends="linker")
def end(linker: Linker, stack: Stack) -> None:
    """End a linker with its image; modules that were loaded from the image stay."""
    process = linker.process
    linker.ended = stack
    blocks.release_all(process, linker.arena)
    del process.loaded[linker.handle]
    process.note_freed(linker.handle, linker)
