"""The code of a thread: one LLVM IR function with the pieces of a kernel.

A thread counts down the instructions of its turn at the end of each piece, as the reference does. If none is left, it writes its
registers to memory and returns the number of the piece that comes next. So a turn ends at the same instruction in both engines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.kernels.clusters import operands_of
from fakecuda.kernels.compiled import access, asynchronous, bulk, calls, ends, nans, textures, thread
from fakecuda.kernels.compiled.layout import RESUMED, Access, Launch
from fakecuda.kernels.compiled.values import Inlined, Values, compiled_meaning
from fakecuda.kernels.lower import elements
from fakecuda.kernels.program import Not, Register, registers_of
from fakecuda.kernels.row import CARRY, Row, bits_of, refuse

if TYPE_CHECKING:
    from fakecuda.kernels.compiled.calls import Unit
    from fakecuda.kernels.compiled.meetings import Settle
    from fakecuda.kernels.products import Product
    from fakecuda.kernels.program import Function, Instruction, Variable
    from fakecuda.kernels.threads import Piece
    from fakecuda.kernels.wgmma import Group

OPS = access.OPS | textures.OPS | {"cp": bulk.copy}
"""Writers of instructions that read or write memory, by name."""
MOST = 20_000
"""The maximum number of compiled instructions, at about a millisecond each."""


@define(eq=False)
class Body(Values):
    """The function of a thread, while it is being written.

    Attributes:
        turn: How many instructions a thread executes before others have their turn.
        resumed: Whether threads go on where their last turn has ended, and do not begin.
        head: The lines before those of pieces.
        pieces: The pieces, with the function that each is part of.
        resumes: Where threads take the result of what they have waited for, with the piece that comes next.
        sites: What may fail.
        waits: The instructions that threads wait at.
        meetings: What threads of a warp do together, by the number of the instruction that they wait at.
        reduces: Whether a barrier counts predicates.
        converges: Whether threads wait until no other thread of their block can come to an instruction before it.
        local: Bytes of local memory of the kernel's unit.
        units: The functions that have a stack, by name.
        saved: The registers and their bits.
        areas: The parameters and their bytes.
        first: The code that a thread begins with.
        stacked: The functions that are units where they are called.
        returned: To how many places units return.
        copies: Bytes of the thread's asynchronous copies.
        fragments: Bytes of the registers that a thread keeps for matrix instructions.
        products: The products of matrices, by the names of their functions.
        groups: The products of warp groups, by the numbers of their functions.
        tracks: Whether copies arrive at an mbarrier.
        groups_bulk: Whether threads have groups of bulk copies.
        last: The code that a thread ends with.
        reads_texels: Whether native code may read textures itself.
        hot: Whether the kernel executes much.
        in_cluster: Whether threads use the barrier of their cluster.
        stops: The pieces that a turn may end before.
    """

    turn: int
    resumed: bool
    hot: bool = False
    head: list[str] = field(factory=list)
    pieces: list[tuple[Inlined, Piece]] = field(factory=list)
    resumes: list[int] = field(factory=list)
    sites: list[Access] = field(factory=list)
    waits: list[Instruction] = field(factory=list)
    meetings: dict[int, Settle] = field(factory=dict)
    reduces: bool = False
    converges: bool = False
    local: int = 0
    units: dict[str, Unit] = field(factory=dict)
    saved: list[tuple[str, int]] = field(factory=list)
    areas: list[tuple[str, int]] = field(factory=list)
    first: list[str] = field(factory=list)
    stacked: set[str] = field(factory=set)
    returned: int = 0
    copies: int = 0
    fragments: int = 0
    products: dict[str, Product] = field(factory=dict)
    groups: list[Group] = field(factory=list)
    tracks: bool = field(init=False)
    groups_bulk: bool = False
    last: list[str] = field(factory=list)
    reads_texels: bool = False
    in_cluster: bool = False
    stops: set[int] = field(factory=set)
    _free: dict[Function, set[Register]] = field(factory=dict)
    _count: int = 0
    _counts: bool = True

    def all(self) -> None:
        """Write the pieces.

        Raises:
            NotRun: An instruction is not lowered.
        """
        name = next(iter(self.kernel.codes))
        self.stacked = calls.stacked(self.kernel)
        bodies = [one.function.body or [] for one in self.kernel.lowerings.values()]
        each = [one for body in bodies for one in body]
        self.tracks = any(asynchronous.is_tracking(one) or bulk.is_tracked(one) for one in each)
        if any(map(bulk.is_grouped, each)):
            bulk.grouped(self)
        self.inline(name, None, 0, [])
        pieces = self.kernel.codes[name].pieces
        self._counts = not self._is_short(pieces)
        done = 0
        while done < len(self.pieces):
            self._piece(*self.pieces[done], done)
            done += 1
        self.first = self.begin(self.pieces[0][0])
        if self.copies:
            names = ["%copies", *([bulk.GROUPS] if self.groups_bulk else [])]
            clear = "  call void @llvm.memset.p0.i64(ptr {}, i8 0, i64 {}, i1 false)"
            self.first += [clear.format(name, asynchronous.HEAD) for name in names]
        for unit in self.units.values():
            calls.frames(self, unit)

    @property
    def may_be_straight(self) -> bool:
        """Whether each thread ends in its first turn, without other threads."""
        alone = not (self._counts or self.waits or self.meetings or self.converges or self.copies or self.fragments)
        return alone and self.hot and not self.resumed

    def _is_short(self, pieces: list[Piece]) -> bool:
        """Return whether a thread ends within its first turn: no loops and no calls."""
        root = self.pieces[0][0]
        total = 0
        for number, piece in enumerate(pieces):
            total += len(piece.instructions)
            for one in piece.instructions:
                back = one.name == "bra" and root.lowering.piece_of(one.operands[0]) <= number
                if back or one.name in {"call", "brx"}:
                    return False
        return total < self.turn

    @property
    def registers(self) -> int:
        """The size of a thread's registers and parameters in bytes."""
        return thread.size_of(self.saved, self.areas)

    @property
    def room(self) -> int:
        """The size of local memory that a thread may use."""
        return self.local + (calls.ROOM if self.units else 0)

    @property
    def stack(self) -> int:
        """The size of the stack for registers of calling functions."""
        return calls.ROOM if self.units else 0

    def inline(
        self, name: str, caller: Inlined | None, following: int, into: list[Variable], unit: Unit | None = None
    ) -> Inlined:
        """Return a function that is inlined at its call, or the first of a unit."""
        code, lowering = self.kernel.codes[name], self.kernel.lowerings[name]
        base = 0 if caller is None else -(-caller.local // 16) * 16
        local = base + code.local if code.local else 0 if caller is None else caller.local
        number = self._count
        self._count += 1
        made = Inlined(number, code, lowering, caller, following, into, len(self.pieces), base, local, unit)
        if unit is None:
            self.local = max(self.local, local)
        else:
            unit.inlined.append(made)
        self.pieces += [(made, piece) for piece in code.pieces]
        if sum(len(piece.instructions) for _, piece in self.pieces) > MOST:
            refuse("the number of its instructions")
        body = lowering.function.body or []
        registers = {one for instruction in body for one in registers_of(instruction)}
        self.register(f"%c{number}", 1)
        for one in sorted(registers, key=lambda one: one.slot):
            self.register(self.place_of(made, one), bits_of(one.type))
        function = lowering.function
        for at, variable in enumerate(lowering.places):
            if variable.space != "local" and (not made.is_kernel or variable not in function.params):
                area = made.areas[variable] = f"%a{number}_{at}"
                self.area(area, variable.size)
                self.areas.append((area, variable.size))
        return made

    def area(self, name: str, size: int) -> None:
        """Reserve memory for a parameter."""
        self.head.append(f"  {name} = alloca [{max(size, 1)} x i8], align 16")

    def register(self, name: str, bits: int) -> None:
        """Declare a register that a thread keeps between turns."""
        self.head.append(f"  {name} = alloca i{bits}")
        self.saved.append((name, bits))

    def begin(self, inlined: Inlined) -> list[str]:
        """Return the code that clears a function's registers, parameters and local memory."""
        saved, areas = self.own(inlined)
        lines = [f"  store i{bits} 0, ptr {name}" for name, bits in saved]
        lines += [f"  call void @llvm.memset.p0.i64(ptr {name}, i8 0, i64 {size}, i1 false)" for name, size in areas]
        start = 0 if inlined.caller is None else inlined.caller.local
        if inlined.local > start and inlined.unit is None:
            place = f"%l{inlined.number}"
            lines.append(f"  {place} = getelementptr i8, ptr %local, i64 {start}")
            lines.append(f"  call void @llvm.memset.p0.i64(ptr {place}, i8 0, i64 {inlined.local - start}, i1 false)")
        return lines

    def own(self, inlined: Inlined) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
        """Return the registers and the parameters of a function."""
        begins = f"%r{inlined.number}_", f"%a{inlined.number}_"
        saved = [one for one in self.saved if one[0].startswith(begins) or one[0] == f"%c{inlined.number}"]
        return saved, [one for one in self.areas if one[0].startswith(begins)]

    def _piece(self, inlined: Inlined, piece: Piece, number: int) -> None:
        o = self.o
        self.flow.begin(number)
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
        self.flow.sure = False
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
            self.flow.sure = False
        self.write(inlined, instruction)
        self.flow.sure = True
        if after:
            self.o.do(f"br label %{after}")
            self.o.label(after)

    def write(self, inlined: Inlined, instruction: Instruction) -> None:
        """Write an instruction without its guard, unless it ends a piece."""
        operands = operands_of(instruction, clustered=self.kernel.program.clustered)
        row = Row.of(instruction.name, instruction.modifiers, tuple([len(elements(one)) for one in operands]))
        write = OPS.get(instruction.name)
        if write is not None:
            write(self, inlined, instruction, row)
            row.finish()
            return
        meaning = compiled_meaning(row)
        given = [part for one in operands[1:] for part in elements(one)]
        wanted = [type_ for type_ in meaning.sources if type_ != CARRY]
        targets = elements(operands[0])
        values = [self.value(inlined, one, type_) for one, type_ in zip(given, wanted, strict=True)]
        carry = f"%c{inlined.number}"
        if len(meaning.sources) > len(wanted):
            self.flow.read(carry)
            values.append(self.o(f"load i1, ptr {carry}"))
        self.o.any_nan = nans.is_sum(instruction) and targets[0] in self._unseen(inlined)
        found = meaning.function(self.o, *values)
        self.o.any_nan = False
        if len(meaning.results) == 1:
            self.put(inlined, targets[0], found, meaning.results[0])
            return
        for target, value, type_ in zip(targets, found, meaning.results, strict=False):
            self.put(inlined, target, value, type_, single=False)
        if meaning.results[-1] == CARRY:
            self.o.do(f"store i1 {found[1]}, ptr {carry}")
            self.flow.write(carry)

    def _unseen(self, inlined: Inlined) -> set[Register]:
        function = inlined.lowering.function
        if function not in self._free:
            self._free[function] = nans.unseen(function)
        return self._free[function]

    def go(self, number: int) -> None:
        """Jump to a piece, or end the turn before it."""
        self.flow.follow(number)
        if not self._counts:
            self.o.do(f"br label %P{number}")
            return
        self.stops.add(number)
        left = self.o(f"icmp sgt i32 {self.o('load i32, ptr %left')}, 0")
        self.o.do(f"br i1 {left}, label %P{number}, label %turn{number}")

    def product(self, product: Product) -> str:
        """Return the name of the function of a product of matrices."""
        name = f"product.{product.name}"
        self.products[name] = product
        return name

    def group(self, group: Group) -> str:
        """Return the name of the function of a product of a warp group."""
        self.groups.append(group)
        return f"group.{len(self.groups) - 1}"

    def waiting(self, instruction: Instruction) -> int:
        """Return the number of an instruction at which threads wait."""
        if instruction not in self.waits:
            self.waits.append(instruction)
        return self.waits.index(instruction)

    def resume(self, following: int) -> tuple[int, str, str]:
        """Return number and labels of a place where threads stop and resume."""
        self.resumes.append(following)
        number = len(self.resumes) - 1
        return RESUMED + number, f"R{number}", f"keep{number}"

    def stop(self, number: int, state: str) -> None:
        """End the turn before a piece, with the thread in a state."""
        self.o.do(f"store i32 {number}, ptr %next")
        self.o.do(f"br label %{state}")

    def fail(self, address: str, space: str, limit: str = "0") -> None:
        """End the run at the last access; the reference's checks give the error."""
        site = len(self.sites) - 1
        fields = ((Launch.SITE, site), (Launch.ADDRESS, address), (Launch.SPACE, space), (Launch.LIMIT, limit))
        for number, value in fields:
            self.o.do(f"store i64 {value}, ptr {self.o(f'getelementptr i64, ptr %launch, i64 {int(number)}')}, align 8")
        self.o.do("ret i64 -1")
