"""Instructions that report their shared memory accesses to the race detector."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from fakecuda.kernels.access import BYTE, GENERIC, is_strong, space_of, spare_of
from fakecuda.kernels.row import Row, bits_of
from fakecuda.model.code.ptx_declarations import LANES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.kernels.lower import Lowering
    from fakecuda.kernels.program import Function, Instruction, Program
    from fakecuda.kernels.shared_races import Watch
    from fakecuda.kernels.threads import Frame, Kernel

    Op = Callable[[list[Any]], None]
    End = Callable[[Frame], bool]

USES = frozenset({"ld", "ldu", "st", "atom", "red"})
FENCES = frozenset({"membar", "fence"})
LEFT_ALONE = {"cp": ".bulk", "barrier": ".cluster"}
"""Instructions that the race detector does not support, by name and modifier."""
RELEASES = frozenset({".release", ".acq_rel"})
"""Modifiers of operations that order earlier accesses of a thread."""
ELEMENTS = {".f16": 2, ".bf16": 2, ".tf32": 4, ".f32": 4, ".s32": 4, ".f64": 8}
"""Element sizes of ``wmma`` loads and stores; other elements have at most 1 byte."""


def is_expected(program: Program, name: str) -> bool:
    """Return whether a kernel is likely to have races that are looked for, by its own instructions; it is lowered so first."""
    function = program.function(name)
    body = [] if function is None else function.body or []
    return any(".shared" in one.modifiers for one in body) and not program.clustered and not copies(program)


@lru_cache(maxsize=8)
def copies(program: Program) -> bool:
    """Return whether a function has an instruction whose accesses and orders the detector does not know."""
    return any(map(_is_unknown, (one for function in program.functions.values() for one in function.body or ())))


def _is_unknown(instruction: Instruction) -> bool:
    return LEFT_ALONE.get(instruction.name) in instruction.modifiers


def is_left_alone(kernel: Kernel) -> bool:
    """Return whether the race detector leaves a kernel out."""
    return kernel.program.clustered or any(map(_is_unknown, instructions(kernel)))


def instructions(kernel: Kernel) -> Iterator[Instruction]:
    """Yield the instructions of a kernel and of the functions that it reaches."""
    for code in kernel.codes.values():
        for piece in code.pieces:
            yield from piece.instructions


def size_of(function: Function, instruction: Instruction, row: Row) -> int:
    """Return the size of an access in bytes, and take its modifiers."""
    count, type_ = LANES.get("." + row.take("v2", "v4", "v8"), 1), row.type()
    bits = bits_of(type_)
    spare = spare_of(function, instruction.operands[0], bits) if row.name in {"ld", "ldu"} else 0
    return bits // BYTE * count - spare


def orders(instruction: Instruction) -> bool:
    """Return whether an instruction is a fence or includes one."""
    return instruction.name in FENCES or (
        instruction.name in {"st", "atom", "red"} and not RELEASES.isdisjoint(instruction.modifiers)
    )


def enter(watch: Watch, function: Function, instruction: Instruction) -> int | None:
    """Add a memory instruction and return its number; None if not on shared memory."""
    row = Row.of(instruction.name, instruction.modifiers, ())
    strong = is_strong(row) or row.name in {"atom", "red"}
    if space_of(row) not in {"shared", GENERIC}:
        return None
    size = size_of(function, instruction, row)
    watch.strong |= strong
    return watch.add(instruction, size)


def operation(lowering: Lowering, watch: Watch, instruction: Instruction, op: Op) -> Op:
    """Return an operation of slots that reports to the detector."""
    site = enter(watch, lowering.function, instruction) if instruction.name in USES else None
    ordering = orders(instruction)
    if site is None and not ordering:
        return op

    def act(slots: list[Any]) -> None:
        shared = slots[0].shared
        if site is not None:
            shared.begin(slots[0].lane, site)
        op(slots)
        shared.lane = None
        if ordering:
            shared.races.order()

    return act


def end(watch: Watch, instruction: Instruction, end_: End) -> End:
    """Return an end of a piece that reports to the detector."""
    modifiers = set(instruction.modifiers)
    if instruction.name != "wmma" or modifiers.isdisjoint({".load", ".store"}) or ".global" in modifiers:
        return end_
    site = watch.add(instruction, next((ELEMENTS[one] for one in ELEMENTS if one in modifiers), 1))

    def act(frame: Frame) -> bool:
        shared: Any = frame.shared
        shared.begin(frame.lane, site)
        stops = end_(frame)
        shared.lane = None
        return stops

    return act
