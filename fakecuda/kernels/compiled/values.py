"""The values of operands: registers, constants, special registers and addresses, as LLVM IR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.kernels import bind
from fakecuda.kernels.arithmetic import PAIRS, SHORTS
from fakecuda.kernels.compiled import clusters, floats, integers, logic, specials
from fakecuda.kernels.compiled.layout import Launch
from fakecuda.kernels.compiled.lines import Lines
from fakecuda.kernels.compiled.liveness import Flow
from fakecuda.kernels.floats import FORMATS
from fakecuda.kernels.lower import meaning_of
from fakecuda.kernels.program import Constant, Discard, Not, Register, Special, Symbol
from fakecuda.kernels.row import Meaning, Row, bits_of, is_signed, refuse
from fakecuda.kernels.special import CHANGING
from fakecuda.model.code.code import function_address

if TYPE_CHECKING:
    from fakecuda.kernels.compiled.calls import Unit
    from fakecuda.kernels.lower import Lowering
    from fakecuda.kernels.program import Operand, Variable
    from fakecuda.kernels.threads import Code, Kernel

ADDRESS = 64
"""The bits of an address."""


def compiled_meaning(row: Row) -> Meaning:
    """Return the meaning of an instruction, whose function writes code.

    Raises:
        NotRun: It is not lowered.
    """
    name, shapes, words, types = row.name, row.shapes, [*row.words], [*row.types]
    if name in logic.MEANINGS:
        made = logic.MEANINGS[name](row)
    else:
        type_ = row.type()
        if PAIRS.get(type_, type_) in FORMATS:
            made = floats.floating(row, type_)
        elif name in integers.MEANINGS:
            made = integers.MEANINGS[name](row, SHORTS.get(type_, type_))
            if type_ in SHORTS:
                made = Meaning(floats.paired(made.function), (type_,), (type_,) * len(made.sources))
        else:
            refuse(name)
    row.finish()
    known = meaning_of(Row(name, shapes, words, types))
    if (known.results, known.sources) != (made.results, made.sources):
        refuse("its types")
    return made


@define(eq=False)
class Inlined:
    """A function that is inlined at its call.

    Attributes:
        number: Its number.
        code: The function.
        lowering: How the reference reads its operands.
        caller: The function that calls it. None for the kernel.
        following: The piece of the caller that comes next.
        into: Where the caller wants results.
        first: The number of its first piece.
        base: Where its local memory begins, from that of its unit.
        local: Bytes of local memory of its unit while it executes.
        unit: The unit that it is part of. None for that of the kernel.
        areas: Its parameters and those that it passes, by the names of their memory.
    """

    number: int
    code: Code
    lowering: Lowering
    caller: Inlined | None
    following: int
    into: list[Variable]
    first: int
    base: int
    local: int
    unit: Unit | None
    areas: dict[Variable, str] = field(factory=dict)

    @property
    def is_kernel(self) -> bool:
        """Whether the function is the kernel itself."""
        return self.caller is None and self.unit is None


@define(eq=False)
class Values:
    """Reader and writer of the operands of a function.

    Attributes:
        kernel: The kernel.
        o: The lines of pieces.
        symbols: The variables whose addresses a launch gives, with a function's name and an offset each.
        flow: What pieces read and write.
    """

    kernel: Kernel
    o: Lines = field(factory=Lines, init=False)
    symbols: list[tuple[Variable, int]] = field(factory=list, init=False)
    flow: Flow = field(factory=Flow, init=False)

    @staticmethod
    def place_of(inlined: Inlined, register: Register) -> str:
        """Return the name of a register's variable."""
        return f"%r{inlined.number}_{register.slot}"

    def put(self, inlined: Inlined, operand: Operand, value: str, type_: str, *, single: bool = True) -> None:
        """Write a result to a register, which may be wider."""
        if isinstance(operand, Discard):
            return
        assert isinstance(operand, Register)  # the reference has checked it
        width, bits = bits_of(operand.type), bits_of(type_)
        if width < bits or (is_signed(type_) and width > bits and not single):
            refuse("its operands")
        made = self.o.resize(value, bits, width, negative=is_signed(type_))
        self.o.do(f"store i{width} {made}, ptr {self.place_of(inlined, operand)}")
        self.flow.write(self.place_of(inlined, operand))

    def value(self, inlined: Inlined, operand: Operand, type_: str) -> str:
        """Return the value of a source as a type."""
        bits = bits_of(type_)
        if isinstance(operand, Not):
            return self.o(f"xor i1 {self.value(inlined, operand.of, 'pred')}, true")
        if isinstance(operand, Register):
            width = bits_of(operand.type)
            if width < bits:
                refuse("its operands")
            self.flow.read(self.place_of(inlined, operand))
            found = self.o(f"load i{width}, ptr {self.place_of(inlined, operand)}")
            return self.o.resize(found, width, bits)
        if isinstance(operand, Constant):
            return str(bind.constant(operand, type_))
        if isinstance(operand, Special) and operand.name in specials.READERS and bits == specials.bits_of(operand.name):
            return specials.READERS[operand.name](self.o)
        if isinstance(operand, Special) and operand.name in CHANGING:
            return specials.time(self.o, operand.name, bits)
        if isinstance(operand, Symbol):
            space = "" if isinstance(operand.target, str) else operand.target.space
            if bits == ADDRESS:
                return self.address(inlined, operand)
            if bits == specials.BITS and space in {"shared", "local"}:
                found = self.address(inlined, operand)
                return found if found.isdigit() else self.o.resize(found, ADDRESS, bits)
        return refuse("its operands")

    def address(self, inlined: Inlined, operand: Symbol) -> str:
        """Return the address of a variable or a function."""
        target = operand.target
        if isinstance(target, str):
            return str(function_address(target))
        if target.space == "param":
            if not inlined.is_kernel or target not in inlined.lowering.function.params:
                refuse("the address of its parameter")
            return str(inlined.lowering.places[target] + operand.offset)
        if target.space == "local":
            return self.inside(inlined, inlined.base + inlined.lowering.places[target] + operand.offset)
        if target.space == "shared":
            place = self.kernel.shared[target] + operand.offset
            if not self.kernel.program.clustered:
                return str(place)
            return self.o(f"add i64 {clusters.base(self)}, {place}")
        if (target, operand.offset) not in self.symbols:
            self.symbols.append((target, operand.offset))
        return self.word(self.field(Launch.SYMBOLS), self.symbols.index((target, operand.offset)))

    def inside(self, inlined: Inlined, offset: int) -> str:
        """Return a local memory address from an offset in a unit."""
        if inlined.unit is None:
            return str(offset)
        return self.o(f"add i64 {self.o(f'load i64, ptr {inlined.unit.base}')}, {offset}")

    def limit(self, inlined: Inlined) -> str:
        """Return the size of the thread's local memory."""
        if inlined.unit is not None and not inlined.local:
            return self.o(f"load i64, ptr {inlined.unit.outer}")
        return self.inside(inlined, inlined.local)

    def word(self, base: str, number: int) -> str:
        """Return a word of an array at an address."""
        o = self.o
        place = o(f"getelementptr i64, ptr {o(f'inttoptr i64 {base} to ptr')}, i64 {number}")
        return o(f"load i64, ptr {place}, align 8")

    def field(self, number: Launch) -> str:
        """Return a word of the launch."""
        return self.o(f"load i64, ptr {self.o(f'getelementptr i64, ptr %launch, i64 {int(number)}')}, align 8")
