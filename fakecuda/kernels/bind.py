"""Functions of values, adapted to the slots of a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.kernels.floats import F32, F64, FORMATS, converted
from fakecuda.kernels.integers import signed
from fakecuda.kernels.operands import DOUBLE, SINGLE
from fakecuda.kernels.program import Not, Register
from fakecuda.kernels.row import bits_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.program import Constant, Operand

    Op = Callable[[list[Any]], None]


def cut(given: list[Operand], wanted: list[str], function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that accepts negated predicates, and cuts wide registers."""
    masks: list[int | None] = []
    for one, type_ in zip(given, wanted, strict=True):
        if isinstance(one, Not):
            masks.append(None)
        else:
            wide = isinstance(one, Register) and bits_of(one.type) > bits_of(type_)
            masks.append((1 << bits_of(type_)) - 1 if wide else -1)
    if all(mask == -1 for mask in masks):
        return function

    def found(*values: int) -> Any:
        cuts = [1 - one if mask is None else one & mask for one, mask in zip(values, masks, strict=False)]
        return function(*cuts, *values[len(masks) :])

    return found


def constant(operand: Constant, type_: str) -> int:
    """Return the bits of a constant as a type."""
    one = FORMATS.get(type_)
    if operand.kind == SINGLE:
        return converted(operand.value, F32, F64) if one is F64 else operand.value
    if operand.kind == DOUBLE:
        return converted(operand.value, F64, F32) if one is F32 else operand.value
    return operand.value & (1 << bits_of(type_)) - 1


def extended(function: Callable[..., int], bits: int, mask: int) -> Callable[..., int]:
    """Return a function whose result is sign-extended to a wider register."""
    return lambda *values: signed(function(*values), bits) & mask


def single(function: Callable[..., int], target: int, sources: list[int]) -> Op:
    """Return a function of slots with one result."""
    if len(sources) == 1:
        (first,) = sources

        def one(slots: list[Any]) -> None:
            slots[target] = function(slots[first])

        return one
    if len(sources) == 2:  # noqa: PLR2004 - the most common numbers have functions of their own
        first, second = sources

        def two(slots: list[Any]) -> None:
            slots[target] = function(slots[first], slots[second])

        return two

    def several(slots: list[Any]) -> None:
        slots[target] = function(*[slots[source] for source in sources])

    return several
