"""Even values, which grow by the same step from thread to thread.

An instruction makes an even value of even values, or its result is unknown. What must hold for that is noted, and checked for
each block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.kernels import bind
from fakecuda.kernels.compiled import specials
from fakecuda.kernels.compiled.lines import Lines
from fakecuda.kernels.compiled.values import compiled_meaning
from fakecuda.kernels.program import Constant, Register, Special
from fakecuda.kernels.row import CARRY, Row, bits_of, is_signed

if TYPE_CHECKING:
    from fakecuda.kernels.program import Instruction, Operand

NARROW, WIDE = 32, 64
UNIFORM = {f"%{name}.{axis}" for name in ("ntid", "ctaid", "nctaid") for axis in "xyz"}
SIGNED = {"lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}
UNSIGNED = {"lt": "ult", "le": "ule", "gt": "ugt", "ge": "uge", "lo": "ult", "ls": "ule", "hi": "ugt", "hs": "uge"}
INTEGERS = {"u32", "s32", "u64", "s64"}


@define
class Even:
    """A value that grows by the same step from thread to thread.

    Attributes:
        first: The value of the first thread.
        step: What each thread's is more than the one before it: ``0`` if all have the same.
        bits: Its bits.
    """

    first: str
    step: str
    bits: int


@define(eq=False)
class Evens:
    """The registers that hold even values.

    Attributes:
        o: The lines that compute them, before a loop over ``%others + 1`` threads.
        known: The registers.
        facts: The names of conditions that must hold.
    """

    o: Lines = field(factory=Lines)
    known: dict[Register, Even] = field(factory=dict)
    facts: list[str] = field(factory=list)

    def keep(self, target: Operand, value: Even | None) -> None:
        """Note the value of a register; None if it is not even."""
        if isinstance(target, Register):
            self.known.pop(target, None)
            if value is not None and bits_of(target.type) == value.bits:
                self.known[target] = value

    def value(self, operand: Operand, type_: str) -> Even | None:
        """Return the value of a source. None if it is not even."""
        bits = bits_of(type_)
        if isinstance(operand, Register):
            found = self.known.get(operand)
            return found if found is not None and found.bits == bits else None
        if isinstance(operand, Constant):
            return Even(str(bind.constant(operand, type_)), "0", bits)
        if isinstance(operand, Special) and bits == NARROW:
            if operand.name == "%tid.x":
                return Even("0", "1", bits)
            if operand.name in UNIFORM:
                return Even(specials.READERS[operand.name](self.o), "0", bits)
        return None

    def found(self, one: Instruction) -> Even | None:
        """Return the result of an instruction. None if it is not even."""
        row = Row.of(one.name, one.modifiers, (1,) * len(one.operands))
        if row.name in {"mov", "cvta"} and len(one.operands) == 2:  # noqa: PLR2004 - a result and a source
            fine = row.name == "mov" or "global" in row.words
            return self.value(one.operands[1], row.types[0]) if fine else None
        if not row.types:
            return None
        types, words = set(row.types), set(row.words)
        if row.name == "shl":
            return self._shifted(one, row.types[0])
        sources = [self.value(part, row.types[-1]) for part in one.operands[1:]]
        if row.name == "mad":
            wide = row.types[0][0] + "64" if "wide" in words else row.types[0]
            sources[2] = self.value(one.operands[3], wide)
        values = [part for part in sources if part is not None]
        if len(values) < len(sources):
            return None
        if all(part.step == "0" for part in values):
            return self._same(row, values)
        if not types <= INTEGERS:
            return None
        type_ = row.types[-1]
        if row.name in {"add", "sub"} and not words:
            return self._sum(row.name, *values)
        if row.name in {"mul", "mad"} and (words == {"lo"} or (words == {"wide"} and bits_of(type_) == NARROW)):
            if "wide" in words:
                values[:2] = [self._extended(part, signed=is_signed(type_)) for part in values[:2]]
            made = self._product(*values[:2])
            return made if made is None or row.name == "mul" else self._sum("add", made, values[2])
        if row.name == "cvt" and not words and [bits_of(part) for part in row.types] == [WIDE, NARROW]:
            return self._extended(values[0], signed=is_signed(type_))
        if row.name == "setp" and len(words) == 1 and bits_of(type_) == NARROW:
            return self._compared(words.pop(), is_signed(type_), *values)
        return None

    def _same(self, row: Row, values: list[Even]) -> Even | None:
        """Return a result that all threads share."""
        meaning = compiled_meaning(row)
        if CARRY in (*meaning.sources, *meaning.results):
            return None
        fits = [bits_of(type_) for type_ in meaning.sources] == [part.bits for part in values]
        if not fits:
            return None
        made = meaning.function(self.o, *[part.first for part in values])
        return Even(made if len(meaning.results) == 1 else made[0], "0", bits_of(meaning.results[0]))

    def _shifted(self, one: Instruction, type_: str) -> Even | None:
        value, by = self.value(one.operands[1], type_), one.operands[2]
        if value is None or not isinstance(by, Constant) or not 0 <= by.value < value.bits:
            return None
        return self._product(value, Even(str(1 << by.value), "0", value.bits))

    def _sum(self, word: str, a: Even, b: Even) -> Even:
        first = self.o(f"{word} i{a.bits} {a.first}, {b.first}")
        step = a.step if b.step == "0" else self.o(f"{word} i{a.bits} {a.step}, {b.step}")
        return Even(first, step, a.bits)

    def _product(self, a: Even, b: Even) -> Even | None:
        if a.step == "0":
            a, b = b, a
        if b.step != "0":
            return None
        first, step = (self.o(f"mul i{a.bits} {one}, {b.first}") for one in (a.first, a.step))
        return Even(first, step, a.bits)

    def _extended(self, one: Even, *, signed: bool) -> Even:
        """Return a 64-bit value, and note that no thread's value may wrap."""
        o = self.o
        first = o.resize(one.first, NARROW, WIDE, negative=signed)
        if one.step == "0":
            return Even(first, "0", WIDE)
        made = Even(first, o.resize(one.step, NARROW, WIDE, negative=True), WIDE)
        last = self._last(made)
        below, above = (-(1 << NARROW - 1), 1 << NARROW - 1) if signed else (0, 1 << NARROW)
        self.facts += [o(f"icmp sge i64 {last}, {below}"), o(f"icmp slt i64 {last}, {above}")]
        return made

    def _last(self, one: Even) -> str:
        """Return the value of the last thread."""
        return self.o(f"add i64 {one.first}, {self.o(f'mul i64 {one.step}, %others')}")

    def _compared(self, word: str, signed: bool, a: Even, b: Even) -> Even | None:  # noqa: FBT001 - a type
        """Return a comparison, and note that all threads must have the same result."""
        known = SIGNED if signed else UNSIGNED
        if word not in known:
            return None
        a, b = (self._extended(part, signed=signed) for part in (a, b))
        if "0" not in {a.step, b.step}:
            return None
        o, how = self.o, known[word]
        ends = [
            o(f"icmp {how} i64 {first}, {second}")
            for first, second in ((a.first, b.first), (self._end(a), self._end(b)))
        ]
        self.facts.append(o(f"icmp eq i1 {ends[0]}, {ends[1]}"))
        return Even(ends[0], "0", 1)

    def _end(self, one: Even) -> str:
        return one.first if one.step == "0" else self._last(one)
