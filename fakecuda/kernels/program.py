"""A PTX text as instructions, functions, variables and operands."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TypeAlias

from attrs import define, field, frozen

FIRST = 3
"""The first slot of a register, after frame, carry flag and discarded results."""
CARRY_SLOT, SINK = 1, 2
RANK = 24
"""The lowest bit of a block's rank in a shared memory address."""
REMOTE = frozenset({".shared::cluster", ".multicast::cluster"})
"""Modifiers that may address the shared memory of other blocks."""


@frozen
class Register:
    """A register: its slot in a frame, and its type."""

    slot: int
    type: str


@frozen
class Constant:
    """A constant: an integer, or the bits of a float of 32 or 64 bits."""

    value: int
    kind: str


@frozen
class Special:
    """A special register with its element, such as ``%tid.x``."""

    name: str


@frozen(eq=False)
class Variable:
    """A variable or a parameter.

    Attributes:
        name: Its name.
        space: ``global``, ``const``, ``shared``, ``local`` or ``param``.
        size: Bytes. 0 if a launch says how many.
        align: The alignment of its address.
    """

    name: str
    space: str
    size: int
    align: int


@frozen
class Symbol:
    """The address of a variable, or of a function by its name, and an offset."""

    target: Variable | str
    offset: int = 0


@frozen
class Label:
    """A label by its name, and the block that uses it."""

    name: str
    scope: int


@frozen
class Memory:
    """An address in memory: a base and an offset."""

    base: Operand
    offset: int


@frozen
class Texel:
    """A place in a texture or surface: object and coordinates."""

    seen: Operand
    coordinates: tuple[Operand, ...]


@frozen
class Several:
    """A vector, a pair of results, or the arguments of a call."""

    parts: tuple[Operand, ...]


@frozen
class Not:
    """A negated predicate."""

    of: Register


@frozen
class Discard:
    """A result that is discarded."""


@frozen
class Unknown:
    """An operand that fakecuda does not support, by its text."""

    text: str


Operand: TypeAlias = (
    "Register | Constant | Special | Symbol | Label | Memory | Texel | Several | Not | Discard | Unknown"
)


@frozen(eq=False)
class Instruction:
    """An instruction.

    Attributes:
        name: Its name.
        modifiers: Its modifiers and types, with dots.
        operands: Its operands.
        guard: The predicate that it depends on. None without one.
        line: Its line in the text, from 1.
        source: The number of the source file and the line there. None if the text does not say.
        text: How it is written, for reports.
    """

    name: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: Register | Not | None
    line: int
    source: tuple[int, int] | None
    text: str


def registers_of(instruction: Instruction) -> list[Register]:
    """Return the registers of an instruction."""
    found: list[Register] = []
    left: list[Operand | None] = [*instruction.operands, instruction.guard]
    while left:
        one = left.pop()
        if isinstance(one, Register):
            found.append(one)
        elif isinstance(one, Several):
            left += one.parts
        elif isinstance(one, Texel):
            left += [one.seen, *one.coordinates]
        elif isinstance(one, Not):
            left.append(one.of)
        elif isinstance(one, Memory):
            left.append(one.base)
    return found


@define(eq=False)
class Function:
    """A kernel or a device function.

    Attributes:
        name: Its name.
        returns: What it returns.
        params: Its parameters.
        body: Its instructions. None without a body.
        registers: How many slots its frame needs.
        labels: The instruction that a label stands before, by the label and its block.
        targets: The labels of a list of branch targets.
        outer: The block around a block.
        locals: Its variables in local memory, and its own parameters.
    """

    name: str
    returns: list[Variable] = field(factory=list)
    params: list[Variable] = field(factory=list)
    body: list[Instruction] | None = None
    registers: int = FIRST
    labels: dict[tuple[str, int], int] = field(factory=dict)
    targets: dict[tuple[str, int], list[Label]] = field(factory=dict)
    outer: list[int] = field(factory=list)
    locals: list[Variable] = field(factory=list)

    @cached_property
    def _named(self) -> Counter[Register]:
        """How often instructions name each register."""
        return Counter(register for one in self.body or () for register in registers_of(one))

    def wanted(self, results: tuple[Operand, ...]) -> int:
        """Return how many elements of a result vector are used."""
        return max(
            [at + 1 for at, one in enumerate(results) if isinstance(one, Register) and self._named[one] > 1], default=0
        )

    def around(self, label: Label) -> list[tuple[str, int]]:
        """Return the keys of a label in its block and in outer blocks."""
        scopes = [label.scope]
        while scopes[-1]:
            scopes.append(self.outer[scopes[-1]])
        return [(label.name, scope) for scope in scopes]


@define(eq=False)
class Program:
    """The contents of a PTX text.

    Attributes:
        functions: Its kernels and functions by name.
        aliases: Other names of functions.
        files: The names of source files by number.
        pointed: The functions with whose addresses variables begin.
        mapped: The kernels whose grids are counted in clusters.
        digest: What says all of an image that it was read from. Empty if nothing does.
    """

    functions: dict[str, Function] = field(factory=dict)
    aliases: dict[str, str] = field(factory=dict)
    files: dict[int, str] = field(factory=dict)
    pointed: set[str] = field(factory=set)
    mapped: set[str] = field(factory=set)
    digest: str = ""

    @cached_property
    def clustered(self) -> bool:
        """Whether instructions address the shared memory of other blocks."""
        bodies = [function.body or () for function in self.functions.values()]
        return any(
            one.name in {"mapa", "getctarank"} or not REMOTE.isdisjoint(one.modifiers)
            for body in bodies
            for one in body
        )

    def add(self, other: Program, dropped: frozenset[str]) -> None:
        """Add the contents of another linker input.

        Args:
            other: The contents. For equal names the first input counts.
            dropped: The functions that do not count.
        """
        for name, function in other.functions.items():
            if name in dropped:
                continue
            known = self.functions.get(name)
            if known is None or known.body is None:
                self.functions[name] = function
        self.aliases = other.aliases | self.aliases
        self.files |= other.files
        self.pointed |= other.pointed
        self.mapped |= other.mapped

    def place(self, instruction: Instruction) -> str:
        """Return the source place of an instruction; empty if unknown."""
        if instruction.source is None:
            return ""
        number, line = instruction.source
        return f"{self.files.get(number, f'file {number}')}:{line}"

    def function(self, name: str) -> Function | None:
        """Return a function by its name or alias; None without a body."""
        found = self.functions.get(self.aliases.get(name, name))
        return found if found is not None and found.body is not None else None
