"""The meaning of instructions that use memory: ld, st, atom and red, sections 9.7.8 and 9.7.13 of the PTX ISA manual.

One thread executes at a time, so that memory is sequentially consistent: orders, scopes and caches make no difference.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from fakecuda.kernels import floats
from fakecuda.kernels.arithmetic import PAIRS, paired, smallest_or_largest
from fakecuda.kernels.clusters import own
from fakecuda.kernels.floats import F32, FORMATS
from fakecuda.kernels.integers import signed
from fakecuda.kernels.logic import LOGIC
from fakecuda.kernels.program import Memory, Several
from fakecuda.kernels.row import bits_of, is_signed, refuse
from fakecuda.model.code.ptx_declarations import LANES

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.lower import Lowering
    from fakecuda.kernels.program import Function, Instruction, Operand
    from fakecuda.kernels.row import Row

    Op = Callable[[list[Any]], None]
    Place = Callable[[list[Any]], tuple[Any, int]]

NO_DIFFERENCE = (
    *("weak", "relaxed", "acquire", "release", "acq_rel", "volatile", "mmio", "cta", "gpu", "sys", "cluster"),
    *("ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "L2::64B", "L2::128B", "L2::256B"),
    *("L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"),
)
"""Modifiers of order, scope and cache, which make no difference here."""
STRONG = frozenset({"relaxed", "acquire", "release", "volatile", "mmio"})
"""Modifiers of strong operations, which are not ordered among each other."""
WITHOUT_EFFECT = (
    *("membar", "fence", "prefetch", "prefetchu", "applypriority", "discard", "pmevent"),
    *("griddepcontrol", "setmaxnreg"),
)
"""Instructions without effect here. A kernel runs when those before it have ended."""
SPACES = {"global": "memory", "const": "memory", "shared": "shared", "local": "local", "param": "params"}
"""The attribute of a frame that holds each state space."""
GENERIC, CLUSTER = "generic", "shared::cluster"
ADDRESS = (1 << 64) - 1
BYTE = 8
WORD = 32


def space_of(row: Row) -> str:
    """Return the state space of an access, and take modifiers without effect."""
    while row.take(*NO_DIFFERENCE):
        pass
    found = row.take(*SPACES, "shared::cta", CLUSTER, "param::entry", "param::func")
    return found if found == CLUSTER else found.partition("::")[0] or GENERIC


def is_strong(row: Row) -> bool:
    """Return whether a load or store is strong, before its modifiers are taken."""
    return not STRONG.isdisjoint(row.words)


def place_of(lowering: Lowering, operand: object, space: str) -> Place:
    """Return a function of slots that returns an operand's state space and address."""
    if not isinstance(operand, Memory):
        refuse("its address")
    slot, offset = lowering.slot(operand.base, "u64"), operand.offset
    if space == GENERIC:

        def generic(slots: list[Any]) -> tuple[Any, int]:
            found: tuple[Any, int] = slots[0].resolve(slots[slot] + offset & ADDRESS)
            return found

        return generic
    if space == CLUSTER:
        return lambda slots: slots[0].lane.block.reach(slots[slot] + offset & ADDRESS)
    if space == "shared" and lowering.kernel.program.clustered:
        return own(slot, offset)
    attribute = SPACES[space]
    if offset:
        return lambda slots: (getattr(slots[0], attribute), slots[slot] + offset & ADDRESS)
    return lambda slots: (getattr(slots[0], attribute), slots[slot])


def spare_of(function: Function, results: Operand, bits: int) -> int:
    """Return how many bytes at the end of a vector are not read.

    Compilers read more than a program asks for, because an aligned vector lies in one page. Vectors of small elements are read
    whole.

    Args:
        function: The function that loads the vector.
        results: The vector, or another result.
        bits: Bits of an element.
    """
    parts = results.parts if isinstance(results, Several) and bits >= WORD else ()
    wanted = function.wanted(parts)
    return (len(parts) - wanted) * bits // BYTE if wanted else 0


def load(lowering: Lowering, instruction: Instruction, row: Row) -> Op:
    """Return the meaning of ld, ldu or ld.global.nc."""
    strong, space = is_strong(row), space_of(row)
    count, type_ = LANES.get("." + row.take("v2", "v4", "v8"), 1), row.type()
    place = place_of(lowering, instruction.operands[1], space)
    bits, targets = bits_of(type_), lowering.results(instruction.operands[0])
    size, mask = bits // BYTE * count, (1 << bits) - 1
    widths = [(1 << width) - 1 for width in lowering.widths(instruction.operands[0], type_)]
    negative = is_signed(type_)
    spare = 0 if strong else spare_of(lowering.function, instruction.operands[0], bits)
    if count == 1 and not negative and not strong:
        (target,) = targets

        def one(slots: list[Any]) -> None:
            memory, address = place(slots)
            slots[target] = memory.load(address, size)

        return one

    def several(slots: list[Any]) -> None:
        memory, address = place(slots)
        if spare:
            value = memory.front(address, size, spare)
        else:
            value = memory.poll(address, size) if strong else memory.load(address, size)
        for target, width in zip(targets, widths, strict=True):
            part = value & mask
            slots[target] = signed(part, bits) & width if negative else part
            value >>= bits

    return several


def store(lowering: Lowering, instruction: Instruction, row: Row) -> Op:
    """Return the meaning of st."""
    strong, space = is_strong(row), space_of(row)
    count, type_ = LANES.get("." + row.take("v2", "v4", "v8"), 1), row.type()
    place = place_of(lowering, instruction.operands[0], space)
    bits, sources = bits_of(type_), lowering.sources(instruction.operands[1], type_)
    size, mask = bits // BYTE * count, (1 << bits) - 1

    def act(slots: list[Any]) -> None:
        memory, address = place(slots)
        value = 0
        for source in reversed(sources):
            value = value << bits | slots[source] & mask
        if strong:
            memory.change(address, size, value)
        else:
            memory.store(address, size, value)

    return act


def changed(row: Row, type_: str) -> Callable[..., int]:
    """Return the function of an atomic operation on the value and the operands."""
    how, bits = row.take("add", "min", "max", "inc", "dec", "exch", "cas", *LOGIC), bits_of(type_)
    one, mask = FORMATS.get(PAIRS.get(type_, type_)), (1 << bits) - 1
    if one is not None and how in {"add", "min", "max"}:
        row.flag("noftz")
        total = partial(floats.add, one=one) if how == "add" else smallest_or_largest(how, one)
        return paired(total) if type_ in PAIRS else total
    if how in LOGIC:
        return LOGIC[how]
    number: Callable[[int], int] = (lambda value: signed(value, bits)) if is_signed(type_) else (lambda value: value)
    found: dict[str, Callable[..., int]] = {
        "add": lambda a, b: a + b & mask,
        "min": lambda a, b: min(a, b, key=number),
        "max": lambda a, b: max(a, b, key=number),
        "inc": lambda a, b: 0 if a >= b else a + 1,
        "dec": lambda a, b: b if not a or a > b else a - 1,
        "exch": lambda _a, b: b,
        "cas": lambda a, b, c: c if a == b else a,
    }
    return found[how]


def flushing(function: Callable[..., int]) -> Callable[..., int]:
    """Return an ``f32`` addition that flushes subnormals to 0, as global memory does."""

    def found(a: int, b: int) -> int:
        return floats.flushed(function(floats.flushed(a, F32), floats.flushed(b, F32)), F32)

    return found


def atomic(lowering: Lowering, instruction: Instruction, row: Row) -> Op:
    """Return the meaning of atom or red; vector elements change one by one."""
    space, count, type_ = space_of(row), LANES.get("." + row.take("v2", "v4", "v8"), 1), row.type()
    function = changed(row, type_)
    operands = list(instruction.operands)
    targets = lowering.results(operands.pop(0)) if row.name == "atom" else []
    place = place_of(lowering, operands.pop(0), space)
    sources = [lowering.sources(one, type_) for one in operands]
    each = list(zip(*sources, strict=True))
    bits = bits_of(type_)
    size, mask = bits // BYTE * count, (1 << bits) - 1
    in_global = flushing(function) if type_ == "f32" else function

    def act(slots: list[Any]) -> None:
        memory, address = place(slots)
        before = memory.peek(address, size)
        how = in_global if memory is slots[0].memory else function
        parts = [before >> bits * number & mask for number in range(count)]
        after = 0
        for number, part in enumerate(parts):
            after |= how(part, *[slots[source] for source in each[number]]) << bits * number
        memory.change(address, size, after)
        for target, part in zip(targets, parts, strict=False):
            slots[target] = part

    return act


def nothing(_lowering: Lowering, _instruction: Instruction, row: Row) -> Op:
    """Return the meaning of an instruction without effect: fence, prefetch or hint."""
    row.words.clear()
    row.types.clear()
    return lambda _slots: None


OPS: dict[str, Callable[[Lowering, Instruction, Row], Op]] = {
    "ld": load,
    "ldu": load,
    "st": store,
    "atom": atomic,
    "red": atomic,
    **dict.fromkeys(WITHOUT_EFFECT, nothing),
}
"""The meanings of memory instructions, by name."""
