"""The names of a PTX text, by the place where they are visible.

A block hides the names of the blocks around it. Its own names end with it. A label may be used before its block has it,
so that uses of labels are settled when a block ends.

What a name is stands as a text, which the checks of instructions compare:

- a register is its type (``.u32``), and a register of elements a tuple of types
- a special register is ``%`` and its type (``%.u32``)
- a variable is ``&`` and its space (``&global``)
- others are ``label``, ``targets``, ``prototype``, ``function`` and ``kernel``
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from attrs import define, field

if TYPE_CHECKING:
    import re

Class: TypeAlias = "str | tuple[Class, ...]"
"""The class of an operand or a name."""
LABEL, TARGETS, PROTOTYPE, FUNCTION, KERNEL = "label", "targets", "prototype", "function", "kernel"
MANY = "<"
"""The end of a key of numbered registers: ``%r<`` for ``%r<5>``."""
DIGITS, MOST_DIGITS = "0123456789", 11
"""The digits of register numbers, and more digits than any register number has."""


@define
class Block:
    """A block of a function.

    Attributes:
        hidden: What each name that it declares was before. None if the name was unknown.
        wanted: The labels that it uses and that are not known yet, with their first use.
    """

    hidden: dict[str, Class | None] = field(factory=dict)
    wanted: dict[str, re.Match[str]] = field(factory=dict)


@define
class Symbols:
    """The names that are known where a statement stands.

    Attributes:
        known: What each name is.
        counts: How many registers a key of numbered registers has.
        blocks: The blocks that are open, beginning with the function's.
        numbered: The numbered registers that were looked up, by name.
        counted: How many values each function returns, and how many parameters it has.
    """

    known: dict[str, Class] = field(factory=dict)
    counts: dict[str, int] = field(factory=dict)
    blocks: list[Block] = field(factory=list)
    numbered: dict[str, Class] = field(factory=dict)
    counted: dict[str, tuple[int, int]] = field(factory=dict)

    def begin(self) -> None:
        """Open a block."""
        self.blocks.append(Block())

    def end(self) -> dict[str, re.Match[str]]:
        """Close a block; at the end of a function, return labels that are still undefined."""
        block = self.blocks.pop()
        for name in block.hidden:
            if self.known.get(name) in {LABEL, TARGETS, PROTOTYPE}:
                block.wanted.pop(name, None)
        for name, before in block.hidden.items():
            if before is None:
                del self.known[name]
            else:
                self.known[name] = before
        self.numbered.clear()
        if not self.blocks:
            return block.wanted
        outer = self.blocks[-1]
        if len(outer.wanted) < len(block.wanted):
            outer.wanted, block.wanted = block.wanted, outer.wanted
        for name, match in block.wanted.items():
            outer.wanted.setdefault(name, match)
        return {}

    def declare(self, name: str, what: Class) -> bool:
        """Declare a name in the current block or the text; return whether it is new there."""
        if not self.blocks:
            new = name not in self.known
            self.known[name] = what
            return new
        hidden = self.blocks[-1].hidden
        if name in hidden or self._is_numbered(name):
            return False
        hidden[name] = self.known.get(name)
        self.known[name] = what
        self.numbered.clear()
        return True

    def _is_numbered(self, name: str) -> bool:
        """Return whether a name is a numbered register of the current block."""
        base = name.rstrip(DIGITS)
        key, digits = base + MANY, name[len(base) :]
        return key in self.blocks[-1].hidden and 0 < len(digits) < MOST_DIGITS and int(digits) < self.counts[key]

    def declare_many(self, name: str, count: int, what: Class) -> bool:
        """Declare numbered registers, as ``%r<5>`` does; return whether they are new in their block."""
        key = name + MANY
        new = self.declare(key, what)
        self.counts[key] = max(count, 0 if new else self.counts.get(key, 0))
        return new

    def find(self, name: str) -> Class | None:
        """Return the class of a name; None if it is unknown."""
        found = self.known.get(name) or self.numbered.get(name)
        if found is None:
            base = name.rstrip(DIGITS)
            digits = name[len(base) :]
            while digits:  # %r1<3> declares %r10
                found = self.known.get(base + MANY)
                if found is not None and len(digits) < MOST_DIGITS and int(digits) < self.counts[base + MANY]:
                    self.numbered[name] = found
                    return found
                if len(digits) > MOST_DIGITS:
                    return None
                found, base, digits = None, base + digits[0], digits[1:]
        return found

    def want(self, name: str, match: re.Match[str]) -> None:
        """Note the use of a label that may come later."""
        if self.known.get(name) not in {LABEL, TARGETS, PROTOTYPE, FUNCTION}:
            self.blocks[-1].wanted.setdefault(name, match)
