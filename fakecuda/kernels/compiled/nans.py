"""Registers whose NaN payload is unobservable, so that any NaN will do.

Sums and products are a NaN for any NaN. All other instructions tell the bits apart, so that they get the card's NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels.program import Register, registers_of

if TYPE_CHECKING:
    from fakecuda.kernels.program import Function, Instruction

SUMS = {"add", "sub", "mul", "fma", "mad"}
PLAIN = {".f32", ".rn"}


def is_sum(instruction: Instruction) -> bool:
    """Return whether an instruction is an ``f32`` sum or product, rounded to nearest."""
    return instruction.name in SUMS and ".f32" in instruction.modifiers and PLAIN.issuperset(instruction.modifiers)


def unseen(function: Function) -> set[Register]:
    """Return the registers that only sums, products or such copies read."""
    seen: set[Register] = set()
    every: set[Register] = set()
    copied: dict[Register, list[Register]] = {}
    for one in function.body or []:
        found = registers_of(one)
        every.update(found)
        operands = one.operands
        if is_sum(one):
            continue
        if one.name == "mov" and one.guard is None and all(isinstance(part, Register) for part in operands):
            target, source = operands
            copied.setdefault(target, []).append(source)  # type: ignore[arg-type] # both are registers
        else:
            seen.update(found)
    left = [*seen]
    while left:
        for source in copied.pop(left.pop(), ()):
            seen.add(source)
            left.append(source)
    return every - seen
