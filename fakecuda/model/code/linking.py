"""Linkers, which link several images into one.

It lies in host memory until the linker ends.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from attrs import define, evolve, field, frozen

from fakecuda.errors import FakeCudaError
from fakecuda.model import history
from fakecuda.model.code import cubin_writer
from fakecuda.model.code.code import COMMON, EXTERN, OWN, PRIVATE, WEAK, Image, joined
from fakecuda.model.code.cost import spent
from fakecuda.model.effect import FIRST, effect
from fakecuda.model.memory import blocks, transfer
from fakecuda.model.memory.blocks import Arena
from fakecuda.model.memory.space import WRITE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fakecuda.model.code.code import Prototype, Symbol
    from fakecuda.model.history import Stack
    from fakecuda.model.memory.blocks import Block
    from fakecuda.model.os.process import Process
    from fakecuda.model.os.thread import Thread

    Log = tuple[int, int]

INFO, ERRORS = 3, 5
"""CU_JIT_INFO_LOG_BUFFER and CU_JIT_ERROR_LOG_BUFFER."""
STRENGTH = (PRIVATE, EXTERN, COMMON, WEAK, OWN)
"""The ways in which inputs have one symbol, up to the one that counts."""


@frozen
class Input:
    """An input of a linker.

    Attributes:
        name: The name that the caller gave it.
        image: Its contents.
    """

    name: str
    image: Image


def needed(inputs: Sequence[Input]) -> dict[str, Input]:
    """Return the names that inputs use and no input defines, with their first users."""
    there = {name for one in inputs for name in (*one.image.names.own, *one.image.names.weak)}
    used = {name: one for one in reversed(inputs) for name in reversed(one.image.names.needed)}
    return {name: used[name] for name in reversed(used) if name not in there}


def together(images: Sequence[Image]) -> Image:
    """Return several images as one.

    Of equal names, the strong name counts, or else that of the first image.
    """
    made = Image({}, {})
    for one, names in zip(reversed(images), reversed(joined(images)), strict=True):
        made.entries.update({name: entry for name, entry in one.entries.items() if name not in names.dropped})
        variables = [variable.among(names.renamed) for variable in one.variables.values()]
        made.variables.update({one.name: one for one in variables if one.name not in names.dropped})
    return made


@define(eq=False)
class Linker(history.Lifetime):
    """A linker, which links several images into one.

    Attributes:
        handle: The CUlinkState.
        process: Its process.
        thread: The thread that created it.
        arch: The architecture that it links for, such as 90 for sm_90.
        jit: The values of its options of the compiler, by CUjit_option.
        logs: The address and the bytes of each of its logs, by CUjit_option.
        inputs: What it was given.
        symbols: By each name, the symbol that other inputs must agree with, and the first input that has it.
        prototypes: By each function that PTX exports or calls, its first definition or else its first declaration, and
            the input that has it.
        ends: Bytes of the text in each of its logs.
        arena: Where the image lies that it has made.
        completed: Whether it has made that.
        failed: The code that it answers from now on; 0 while it can make an image.
        incomplete: Whether it was to make an image, and a name was missing.
    """

    words = ("created", "destroyed")
    handle: int
    process: Process = field(repr=False)
    thread: Thread = field(repr=False)
    arch: int
    jit: dict[int, int] = field(repr=False)
    logs: dict[int, Log] = field(repr=False)
    arena: Arena = field(repr=False)
    inputs: list[Input] = field(factory=list, repr=False)
    symbols: dict[str, tuple[Symbol, Input]] = field(factory=dict, repr=False)
    prototypes: dict[str, tuple[Prototype, Input]] = field(factory=dict, repr=False)
    ends: dict[int, int] = field(factory=dict, repr=False)
    completed: bool = False
    failed: int = 0
    incomplete: bool = False

    def needed(self) -> dict[str, Input]:
        """Return undefined names, each with its first user."""
        return needed(self.inputs)

    def unlike(self, made: Input) -> dict[str, tuple[str, Input]]:
        """Return functions that an earlier input has otherwise: both prototypes, and the input that has the function.

        It is the input that defines the function first, or else the one that declares it first.
        """
        found = {}
        for one in made.image.names.prototypes:
            known, first = self.prototypes.get(one.name, (one, made))
            if known.types != one.types:
                types = f"{one.types}, earlier with {known.types}"
                found[one.name] = types, made if one.defined and not known.defined else first
        return found

    def image(self) -> Image:
        """Return the linked image of all inputs."""
        return together([one.image for one in self.inputs])

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
            symbols=dict(item.symbols),
            prototypes=dict(item.prototypes),
            ends=dict(item.ends),
            arena=Arena(item.arena.memory),
        )
        for handle, item in items.items()
        if isinstance(item, Linker)
    }


def let_go(process: Process) -> None:
    """Release the linked images of a fork that ends."""
    for item in process.loaded.values():
        assert isinstance(item, Linker)  # a fork loads nothing else
        blocks.release_all(process, item.arena)


@effect(makes="Linker")
def create(thread: Thread, arch: int, jit: dict[int, int], logs: dict[int, Log], stack: Stack) -> Linker:
    """Create a linker of a thread's process, with empty logs, and return it.

    Args:
        thread: The thread.
        arch: The architecture that it links for.
        jit: The values of its options of the compiler, by CUjit_option.
        logs: The address and the bytes of each of its logs.
        stack: The stack that creates it.
    """
    process = thread.process
    machine = process.machine
    handle, arena = machine.territory.new_handle(), Arena(machine.pinned)
    linker = Linker(handle, process, thread, arch, jit, logs, arena, created=stack)
    process.loaded[linker.handle] = linker
    for number in logs:
        log(linker, number)
    return linker


@effect(beside="a refused call writes the reason to the log")
def log(linker: Linker, number: int, lines: Iterable[str] = ()) -> None:
    """Append lines to a log buffer, if the linker has one, and clear the rest.

    A first line that is alone leaves the last byte of the log as it is, as on an H100.

    Args:
        linker: The linker.
        number: ``INFO`` or ``ERRORS``.
        lines: The lines. They are consumed and written as far as the log has room.
    """
    address, size = linker.logs.get(number, (0, 0))
    if not address or not size:
        return
    end, text, count = linker.ends.get(number, 0), bytearray(), 0
    if end >= size:
        return
    for line in lines:
        count += 1
        if end + len(text) >= size:
            break
        text += b"\n" * bool(end or text) + line.encode()
    linker.ends[number] = min(end + len(text), size)
    spent.bytes_produced += len(text)
    system = linker.process.system
    if not system.reaches(address, size, WRITE):
        return
    held = ctypes.create_string_buffer(bytes(text[: size - 1 - end]))
    cleared = size - end - (count == 1 and not end) if count else 0
    if cleared > 0:
        transfer.fill(system.pieces(address + end, cleared), 0)
    transfer.write(system.pieces(address + end, len(held)), ctypes.addressof(held))


@effect(beside="a refused call makes the linker unusable")
def fail(linker: Linker, code: int, *, incomplete: bool = False) -> None:
    """Make a linker's later calls return a code.

    Args:
        linker: The linker.
        code: The code.
        incomplete: Whether it was to make an image, and a name was missing.
    """
    linker.failed, linker.incomplete = code, incomplete


@effect()
def note_refused(thread: Thread, code: int) -> None:
    """Note that a call of a thread refused PTX, which affects the thread's linkers."""
    thread.refused_text = code


def merged(new: Symbol, made: Input, known: Symbol, first: Input) -> tuple[Symbol, Input]:
    """Return the symbol that later inputs must agree with, and the input that a log names.

    Args:
        new: The symbol of a new input.
        made: The new input.
        known: The symbol so far.
        first: The input that has it.
    """
    if PRIVATE in {known.how, new.how}:
        return (known, first) if new.how == PRIVATE else (new, made)
    how = max(known.how, new.how, key=STRENGTH.index)
    if known.how == new.how == COMMON and new.size > known.size:
        return new, made
    size = known.size or (new.size if new.how != EXTERN else 0)
    return evolve(known, how=how, size=size), first


@effect()
def take_in(linker: Linker, made: Input) -> None:
    """Add an input to a linker."""
    linker.inputs.append(made)
    for one in made.image.names.symbols:
        linker.symbols[one.name] = merged(one, made, *linker.symbols.get(one.name, (one, made)))
    for prototype in made.image.names.prototypes:
        known, _ = linker.prototypes.setdefault(prototype.name, (prototype, made))
        if prototype.defined and not known.defined:
            linker.prototypes[prototype.name] = prototype, made


@effect()
def complete(linker: Linker) -> tuple[int, int] | None:
    """Link the inputs, and return the address and the size of the image.

    None if there is no room for it.

    Raises:
        FakeCudaError: A cubin cannot hold the inputs, or the image would exceed the memory's cap; nothing has changed.
    """
    data = cubin_writer.written(linker.image(), linker.arch, [one.image.code for one in linker.inputs])
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
    """Destroy a linker with its image; modules loaded from the image remain."""
    process = linker.process
    linker.ended = stack
    blocks.release_all(process, linker.arena)
    del process.loaded[linker.handle]
    process.note_freed(linker.handle, linker)
