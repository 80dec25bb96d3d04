"""LLVM IR as lines of text."""

from __future__ import annotations

from typing import Any

from attrs import define, field


@define(eq=False)
class Lines:
    """Instructions of a function.

    Attributes:
        text: The lines.
        declared: The declarations of functions that they call.
        count: How many names were given.
        any_nan: Whether a result of ``f32`` may be any NaN, as nothing tells it from the card's.
    """

    text: list[str] = field(factory=list)
    declared: set[str] = field(factory=set)
    count: int = 0
    any_nan: bool = False

    def __call__(self, code: str) -> str:
        """Add an instruction, and return the name of its result."""
        name = self.new("%v")
        self.text.append(f"  {name} = {code}")
        return name

    def do(self, code: str) -> None:
        """Add an instruction without a result."""
        self.text.append(f"  {code}")

    def new(self, hint: str) -> str:
        """Return an unused name."""
        self.count += 1
        return f"{hint}{self.count}"

    def label(self, name: str) -> None:
        """Begin a basic block."""
        self.text.append(f"{name}:")

    def call(self, result: str, name: str, *args: str) -> str:
        """Call an intrinsic function, and return the name of its result."""
        types = ", ".join(one.rsplit(" ", 1)[0] for one in args)
        self.declared.add(f"declare {result} @{name}({types})")
        return self(f"call {result} @{name}({', '.join(args)})")

    def choose(self, condition: str, type_: str, yes: Any, no: Any) -> str:
        """Select one of two values."""
        return self(f"select i1 {condition}, {type_} {yes}, {type_} {no}")

    def resize(self, value: str, source: int, target: int, *, negative: bool = False) -> str:
        """Return an integer of another width: cut, zero-extended or sign-extended."""
        if source == target:
            return value
        how = "trunc" if source > target else "sext" if negative else "zext"
        return self(f"{how} i{source} {value} to i{target}")
