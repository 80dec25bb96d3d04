"""The modifiers of an instruction, which its meaning must take.

What is left over is refused by name, so that no modifier is passed over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from attrs import define, field, frozen

from fakecuda.spec.ptx.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable

CARRY, PREDICATE = "cc", "pred"
"""The types of the carry flag and of predicates."""


class NotRun(Exception):  # noqa: N818 - a fact about an instruction
    """An exception: fakecuda does not run an instruction.

    The argument says what of it is unknown.
    """


def refuse(what: str) -> NoReturn:
    """Refuse an instruction with an unknown part."""
    raise NotRun(what)


def refuse_type(type_: str) -> NoReturn:
    """Refuse an instruction with a type that it does not run with."""
    refuse(f"its type .{type_}")


@frozen
class Meaning:
    """The effect of an instruction on its operands.

    Attributes:
        function: Returns the result of the sources; a tuple if ``results`` has several.
        results: The type of each result.
        sources: The type of each source.
    """

    function: Callable[..., Any]
    results: tuple[str, ...]
    sources: tuple[str, ...]


@define
class Row:
    """The name and the modifiers of an instruction.

    Attributes:
        name: The name.
        shapes: How many elements each operand has: 1 unless it is a vector.
        words: The modifiers that are left, without dots.
        types: The types that are left.
    """

    name: str
    shapes: tuple[int, ...]
    words: list[str] = field(factory=list)
    types: list[str] = field(factory=list)

    @classmethod
    def of(cls, name: str, modifiers: tuple[str, ...], shapes: tuple[int, ...]) -> Row:
        """Return the row of an instruction."""
        words = [one[1:] for one in modifiers if one not in TYPES]
        return cls(name, shapes, words, [one[1:] for one in modifiers if one in TYPES])

    def take(self, *names: str, default: str = "") -> str:
        """Take and return the first modifier among some names."""
        for word in self.words:
            if word in names:
                self.words.remove(word)
                return word
        return default

    def flag(self, name: str) -> bool:
        """Take a modifier, and return whether it was present."""
        return bool(self.take(name))

    def type(self, *allowed: str) -> str:
        """Take and return the first type.

        Raises:
            NotRun: It is not one of the allowed types.
        """
        if not self.types or (allowed and self.types[0] not in allowed):
            refuse(f"its type .{self.types[0]}" if self.types else "its form without a type")
        return self.types.pop(0)

    def finish(self) -> None:
        """Check that all modifiers were taken.

        Raises:
            NotRun: A modifier or a type is left.
        """
        if self.words:
            refuse(f"its modifier .{self.words[0]}")
        if self.types:
            refuse_type(self.types[0])


def bits_of(type_: str) -> int:
    """Return the bits of a type."""
    return TYPES["." + type_][1]


def is_signed(type_: str) -> bool:
    """Return whether a type is a signed integer."""
    return type_.startswith("s")
