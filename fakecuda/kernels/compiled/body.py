"""The code of a thread: a function of LLVM IR with the pieces of a kernel, and of the functions that it calls in place.

A thread counts down the instructions of its turn at the end of each piece, as the reference does. If none is left, it writes its
registers to memory and returns the number of the piece that comes next. So a turn ends at the same instruction in both engines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.kernels import bind
from fakecuda.kernels.compiled import access, ends, floats, integers, layout, logic, specials
from fakecuda.kernels.compiled.layout import Access, Block, Launch, Thread
from fakecuda.kernels.compiled.lines import Lines
from fakecuda.kernels.floats import FORMATS
from fakecuda.kernels.lower import elements, meaning_of
from fakecuda.kernels.program import Constant, Discard, Memory, Not, Register, Several, Special, Symbol
from fakecuda.kernels.row import CARRY, Row, bits_of, is_signed, refuse
from fakecuda.model.code.code import function_address

if TYPE_CHECKING:
    from fakecuda.kernels.lower import Lowering
    from fakecuda.kernels.program import Instruction, Operand, Variable
    from fakecuda.kernels.row import Meaning
    from fakecuda.kernels.threads import Code, Kernel, Piece

WIDEST = 64
"""Bits of the widest register."""
MOST = 20_000
"""The most instructions that are compiled: a compiler takes about a millisecond for each."""


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
        if type_ in FORMATS:
            made = floats.floating(row, type_)
        elif name in integers.MEANINGS:
            made = integers.MEANINGS[name](row, type_)
        else:
            refuse(name)
    row.finish()
    known = meaning_of(Row(name, shapes, words, types))
    if (known.results, known.sources) != (made.results, made.sources):
        refuse("its types")
    return made


ARGUMENTS = "ptr %launch, ptr %block, ptr %thread, i64 %n, i64 %tx, i64 %ty, i64 %tz"
"""Of a thread: where the launch, its block and itself lie, its number in the block, and its place there."""


@define(eq=False)
class Inlined:
    """A function where it is called.

    Attributes:
        number: Its number.
        code: The function.
        lowering: How the reference reads its operands.
        caller: The function that calls it. None for the kernel.
        following: The piece of the caller that comes next.
        into: Where the caller wants results.
        first: The number of its first piece.
        base: Where its local memory begins.
        local: Bytes of the thread's local memory while it executes.
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
    areas: dict[Variable, str] = field(factory=dict)

    @property
    def depth(self) -> list[str]:
        """The names of the functions that a thread is in."""
        return [self.code.name, *([] if self.caller is None else self.caller.depth)]


@define(eq=False)
class Body:
    """The function that is written.

    Attributes:
        kernel: The kernel.
        turn: How many instructions a thread executes before others have their turn.
        resumed: Whether threads go on where their last turn has ended, and do not begin.
        o: The lines of pieces.
        head: The lines before them.
        pieces: The pieces, with the function that each is part of.
        sites: What may fail.
        symbols: The variables whose addresses a launch gives, with a function's name and an offset each.
        stops: Whether a thread may stop before it ends.
        waits: The instructions that threads wait at.
        local: Bytes of local memory.
    """

    kernel: Kernel
    turn: int
    resumed: bool
    o: Lines = field(factory=Lines)
    head: list[str] = field(factory=list)
    pieces: list[tuple[Inlined, Piece]] = field(factory=list)
    sites: list[Access] = field(factory=list)
    symbols: list[tuple[Variable, int]] = field(factory=list)
    stops: bool = False
    waits: list[Instruction] = field(factory=list)
    local: int = 0
    _saved: list[tuple[str, int]] = field(factory=list)
    _areas: list[tuple[str, int]] = field(factory=list)
    _count: int = 0
    _counts: bool = True

    def all(self) -> None:
        """Write the pieces.

        Raises:
            NotRun: An instruction is not lowered.
        """
        name = next(iter(self.kernel.codes))
        self.inline(name, None, 0, [])
        pieces = self.kernel.codes[name].pieces
        self._counts = not self._is_short(pieces)
        done = 0
        while done < len(self.pieces):
            self._piece(*self.pieces[done], done)
            done += 1

    def _is_short(self, pieces: list[Piece]) -> bool:
        """Return whether a thread ends before its turn: no piece jumps back or calls, and all are executed once at most."""
        root = self.pieces[0][0]
        total = 0
        for number, piece in enumerate(pieces):
            total += len(piece.instructions)
            for one in piece.instructions:
                back = one.name == "bra" and root.lowering.piece_of(one.operands[0]) <= number
                if back or one.name in {"call", "brx"}:
                    return False
        return total < self.turn

    def inline(self, name: str, caller: Inlined | None, following: int, into: list[Variable]) -> Inlined:
        """Return a function where it is called."""
        if caller is not None and name in caller.depth:
            refuse("its recursion")
        code, lowering = self.kernel.codes[name], self.kernel.lowerings[name]
        base = 0 if caller is None else -(-caller.local // 16) * 16
        local = base + code.local if code.local else 0 if caller is None else caller.local
        number = self._count
        self._count += 1
        made = Inlined(number, code, lowering, caller, following, into, len(self.pieces), base, local)
        self.local = max(self.local, local)
        self.pieces += [(made, piece) for piece in code.pieces]
        if sum(len(piece.instructions) for _, piece in self.pieces) > MOST:
            refuse("the number of its instructions")
        body = lowering.function.body or []
        registers = {one for instruction in body for one in _registers(instruction)}
        self._register(f"%c{number}", 1)
        for one in sorted(registers, key=lambda one: one.slot):
            if bits_of(one.type) > WIDEST:
                refuse(f"a register of type .{one.type}")
            self._register(self.place_of(made, one), bits_of(one.type))
        function = lowering.function
        for at, variable in enumerate(lowering.places):
            if variable.space != "local" and (caller is not None or variable not in function.params):
                area = made.areas[variable] = f"%a{number}_{at}"
                self.head.append(f"  {area} = alloca [{max(variable.size, 1)} x i8], align 16")
                self._areas.append((area, variable.size))
        return made

    def _register(self, name: str, bits: int) -> None:
        self.head.append(f"  {name} = alloca i{bits}")
        self._saved.append((name, bits))

    @staticmethod
    def place_of(inlined: Inlined, register: Register) -> str:
        """Return the name of a register's memory."""
        return f"%r{inlined.number}_{register.slot}"

    def begin(self, inlined: Inlined) -> list[str]:
        """Return the code that clears registers, parameters and local memory of a function."""
        of = f"%r{inlined.number}_", f"%c{inlined.number}", f"%a{inlined.number}_"
        lines = [
            f"  store i{bits} 0, ptr {name}" for name, bits in self._saved if name.startswith(of[0]) or name == of[1]
        ]
        lines += [
            f"  call void @llvm.memset.p0.i64(ptr {name}, i8 0, i64 {size}, i1 false)"
            for name, size in self._areas
            if name.startswith(of[2])
        ]
        start = 0 if inlined.caller is None else inlined.caller.local
        if inlined.local > start:
            place = f"%l{inlined.number}"
            lines.append(f"  {place} = getelementptr i8, ptr %local, i64 {start}")
            lines.append(f"  call void @llvm.memset.p0.i64(ptr {place}, i8 0, i64 {inlined.local - start}, i1 false)")
        return lines

    def _piece(self, inlined: Inlined, piece: Piece, number: int) -> None:
        o = self.o
        o.label(f"P{number}")
        behind = number == inlined.first + len(inlined.code.pieces) - 1  # behind the last instruction
        end = None
        for one in () if behind else piece.instructions:
            if one is piece.instructions[-1] and one.name in ends.ENDS:
                end = one
                break
            self._guarded(inlined, one)
        left = o("load i32, ptr %left")
        o.do(f"store i32 {o(f'sub i32 {left}, {len(piece.instructions)}')}, ptr %left")
        if behind:
            ends.leave(self, inlined)
        elif end is None:
            self.go(number + 1)
        else:
            self._end(inlined, end, number + 1)

    def _end(self, inlined: Inlined, instruction: Instruction, following: int) -> None:
        row = Row.of(instruction.name, instruction.modifiers, ())
        if instruction.guard is not None:
            yes, no = self.o.new("E"), self.o.new("E")
            self.o.do(f"br i1 {self._guard(inlined, instruction.guard)}, label %{yes}, label %{no}")
            self.o.label(no)
            self.go(following)
            self.o.label(yes)
        ends.ENDS[instruction.name](self, inlined, instruction, row, following)
        row.finish()

    def _guard(self, inlined: Inlined, guard: Register | Not) -> str:
        return self.value(inlined, guard, "pred")

    def _guarded(self, inlined: Inlined, instruction: Instruction) -> None:
        after = ""
        if instruction.guard is not None:
            do, after = self.o.new("G"), self.o.new("G")
            self.o.do(f"br i1 {self._guard(inlined, instruction.guard)}, label %{do}, label %{after}")
            self.o.label(do)
        self._op(inlined, instruction)
        if after:
            self.o.do(f"br label %{after}")
            self.o.label(after)

    def _op(self, inlined: Inlined, instruction: Instruction) -> None:
        operands = instruction.operands
        row = Row.of(instruction.name, instruction.modifiers, tuple([len(elements(one)) for one in operands]))
        if instruction.name in access.OPS:
            access.OPS[instruction.name](self, inlined, instruction, row)
            row.finish()
            return
        meaning = compiled_meaning(row)
        given = [part for one in operands[1:] for part in elements(one)]
        wanted = [type_ for type_ in meaning.sources if type_ != CARRY]
        targets = elements(operands[0])
        values = [self.value(inlined, one, type_) for one, type_ in zip(given, wanted, strict=True)]
        carry = f"%c{inlined.number}"
        if len(meaning.sources) > len(wanted):
            values.append(self.o(f"load i1, ptr {carry}"))
        found = meaning.function(self.o, *values)
        if len(meaning.results) == 1:
            self.put(inlined, targets[0], found, meaning.results[0])
            return
        for target, value, type_ in zip(targets, found, meaning.results, strict=False):
            self.put(inlined, target, value, type_, single=False)
        if meaning.results[-1] == CARRY:
            self.o.do(f"store i1 {found[1]}, ptr {carry}")

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

    def value(self, inlined: Inlined, operand: Operand, type_: str) -> str:
        """Return the value of a source of a type."""
        bits = bits_of(type_)
        if isinstance(operand, Not):
            return self.o(f"xor i1 {self.value(inlined, operand.of, 'pred')}, true")
        if isinstance(operand, Register):
            width = bits_of(operand.type)
            if width < bits:
                refuse("its operands")
            found = self.o(f"load i{width}, ptr {self.place_of(inlined, operand)}")
            return self.o.resize(found, width, bits)
        if isinstance(operand, Constant):
            return str(bind.constant(operand, type_))
        if isinstance(operand, Special) and operand.name in specials.READERS and bits == specials.BITS:
            return specials.READERS[operand.name](self.o)
        if isinstance(operand, Symbol):
            shared = not isinstance(operand.target, str) and operand.target.space == "shared"
            if bits == WIDEST or (shared and bits == specials.BITS):
                return self.address(inlined, operand)
        return refuse("its operands")

    def address(self, inlined: Inlined, operand: Symbol) -> str:
        """Return the address of a variable or a function."""
        target = operand.target
        if isinstance(target, str):
            return str(function_address(target))
        if target.space == "param":
            if inlined.caller is not None or target not in inlined.lowering.function.params:
                refuse("the address of its parameter")
            return str(inlined.lowering.places[target] + operand.offset)
        if target.space == "local":
            return str(inlined.base + inlined.lowering.places[target] + operand.offset)
        if target.space == "shared":
            return str(self.kernel.shared[target] + operand.offset)
        if (target, operand.offset) not in self.symbols:
            self.symbols.append((target, operand.offset))
        return self.word(self.field(Launch.SYMBOLS), self.symbols.index((target, operand.offset)))

    def word(self, base: str, number: int) -> str:
        """Return a word of an array, by the array's address."""
        o = self.o
        place = o(f"getelementptr i64, ptr {o(f'inttoptr i64 {base} to ptr')}, i64 {number}")
        return o(f"load i64, ptr {place}, align 8")

    def field(self, number: Launch) -> str:
        """Return a word of the launch."""
        return self.o(f"load i64, ptr {self.o(f'getelementptr i64, ptr %launch, i64 {int(number)}')}, align 8")

    def go(self, number: int) -> None:
        """Jump to a piece, or end the turn before it."""
        if not self._counts:
            self.o.do(f"br label %P{number}")
            return
        self.stops = True
        self.o.do(f"store i32 {number}, ptr %next")
        left = self.o(f"icmp sgt i32 {self.o('load i32, ptr %left')}, 0")
        self.o.do(f"br i1 {left}, label %P{number}, label %stop")

    def stop(self, number: int, state: str) -> None:
        """End the turn before a piece in a state."""
        self.stops = True
        self.o.do(f"store i32 {number}, ptr %next")
        self.o.do(f"br label %{state}")

    def fail(self, address: str, space: str) -> None:
        """End the run at the last site: the reference's checks say what is wrong."""
        fields = ((Launch.SITE, len(self.sites) - 1), (Launch.ADDRESS, address), (Launch.SPACE, space))
        for number, value in fields:
            self.o.do(f"store i64 {value}, ptr {self.o(f'getelementptr i64, ptr %launch, i64 {int(number)}')}, align 8")
        self.o.do("ret i64 -1")

    @property
    def stride(self) -> int:
        """Bytes of a thread."""
        registers = layout.REGISTERS + layout.WORD * len(self._saved)
        areas = sum(-(-size // 16) * 16 for _, size in self._areas)
        return -(-registers // 16) * 16 + areas + -(-self.local // 16) * 16

    def _kept(self, *, load: bool) -> list[str]:
        """Return the code that reads or writes registers and parameters of a thread that has stopped."""
        lines = []
        for number, (name, bits) in enumerate(self._saved):
            place, value = f"%k{number}{load:d}", f"%s{number}{load:d}"
            wide = f"i{max(bits, 8)}"
            lines.append(f"  {place} = getelementptr i8, ptr %thread, i64 {layout.REGISTERS + layout.WORD * number}")
            if load:
                lines.append(f"  {value} = load {wide}, ptr {place}, align 8")
                if bits == 1:
                    lines.append(f"  {value}b = trunc i8 {value} to i1")
                lines.append(f"  store i{bits} {value}{'b' if bits == 1 else ''}, ptr {name}")
            else:
                lines.append(f"  {value} = load i{bits}, ptr {name}")
                if bits == 1:
                    lines.append(f"  {value}b = zext i1 {value} to i8")
                lines.append(f"  store {wide} {value}{'b' if bits == 1 else ''}, ptr {place}, align 8")
        at = -(-(layout.REGISTERS + layout.WORD * len(self._saved)) // 16) * 16
        for number, (name, size) in enumerate(self._areas):
            place = f"%m{number}{load:d}"
            lines.append(f"  {place} = getelementptr i8, ptr %thread, i64 {at}")
            to, of = (name, place) if load else (place, name)
            lines.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {of}, i64 {size}, i1 false)")
            at += -(-size // 16) * 16
        return lines

    def text(self) -> str:
        """Return the function."""
        turn = self.turn
        words = {name: f"%t{name.name.lower()}" for name in Thread}
        place = [f"  {value} = getelementptr i32, ptr %thread, i64 {int(name)}" for name, value in words.items()]
        head = [
            f"define internal i64 @step({ARGUMENTS}) alwaysinline {{",
            "entry:",
            *place,
            f"  %local = getelementptr i8, ptr %thread, i64 {self.stride - -(-self.local // 16) * 16}",
            "  %left = alloca i32",
            "  %next = alloca i32",
            f"  store i32 {turn}, ptr %left",
            "  store i32 0, ptr %next",
            *self.head,
        ]
        if self.resumed:
            head += self._kept(load=True)
            head.append(f"  %at = load i32, ptr {words[Thread.PIECE]}, align 4")
            cases = " ".join(f"i32 {number}, label %P{number}" for number in range(len(self.pieces)))
            head += [f"  switch i32 %at, label %never [ {cases} ]", "never:", "  unreachable"]
        else:
            head += [*self.begin(self.pieces[0][0]), "  br label %P0"]
        tail = ["stop:", f"  store i32 {layout.READY}, ptr {words[Thread.STATE]}, align 4", "  br label %keep", "keep:"]
        tail += self._kept(load=False)
        tail += [
            "  %next.now = load i32, ptr %next",
            f"  store i32 %next.now, ptr {words[Thread.PIECE]}, align 4",
            "  br label %out",
            "finish:",
            f"  store i32 {layout.ENDED}, ptr {words[Thread.STATE]}, align 4",
            f"  %live.at = getelementptr i64, ptr %block, i64 {int(Block.LIVE)}",
            "  %live = load i64, ptr %live.at, align 8",
            "  %live.less = sub i64 %live, 1",
            "  store i64 %live.less, ptr %live.at, align 8",
            *(["  call void @left(ptr %launch, ptr %block)"] if self.waits else []),
            "  br label %out",
            "out:",
            "  %left.now = load i32, ptr %left",
            f"  %used = sub i32 {turn}, %left.now",
            "  %used.wide = zext i32 %used to i64",
            "  ret i64 %used.wide",
            "}",
        ]
        return "\n".join([*head, *self.o.text, *tail])


def _registers(instruction: Instruction) -> list[Register]:
    """Return the registers of an instruction."""
    found: list[Register] = []
    left: list[Any] = [*instruction.operands, instruction.guard]
    while left:
        one = left.pop()
        if isinstance(one, Register):
            found.append(one)
        elif isinstance(one, Several):
            left += one.parts
        elif isinstance(one, Not):
            left.append(one.of)
        elif isinstance(one, Memory):
            left.append(one.base)
    return found
