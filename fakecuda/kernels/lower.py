"""Instructions as functions: a kernel, and all functions that it reaches, in pieces without a jump inside.

A function of an instruction reads and writes the slots of a frame: registers, and constants, which have slots too. What is not
known of an instruction refuses the kernel before it runs.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.kernels import access, bind, clusters, late, logic, special, tensors, textures, watched
from fakecuda.kernels.approximate import UNIT
from fakecuda.kernels.arithmetic import INTEGER, arithmetic, binary
from fakecuda.kernels.control import ENDS, jump
from fakecuda.kernels.floats import F32
from fakecuda.kernels.program import (
    CARRY_SLOT,
    SINK,
    Constant,
    Discard,
    Label,
    Not,
    Register,
    Several,
    Special,
    Symbol,
    Unknown,
    Variable,
)
from fakecuda.kernels.row import CARRY, PREDICATE, NotRun, Row, bits_of, is_signed, refuse
from fakecuda.kernels.shared_races import Watch
from fakecuda.kernels.threads import Code, Kernel, Piece
from fakecuda.model.code.code import function_address

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.program import Function, Instruction, Operand, Program
    from fakecuda.kernels.row import Meaning
    from fakecuda.kernels.threads import Frame

    Op = Callable[[list[Any]], None]

OPS = access.OPS | textures.OPS | {"cp": tensors.copy}
"""The meanings of instructions that read or write memory, by name."""
ARITHMETIC = frozenset({*INTEGER, *binary(F32, "rn"), *UNIT})
"""The instructions that :func:`arithmetic` knows."""
ALIGNED = 16
"""The alignment of dynamic shared memory."""


class NotLowered(Exception):  # noqa: N818 - a fact about a kernel
    """An exception: a kernel reaches an instruction that fakecuda does not run.

    Args:
        instruction: The instruction.
        why: What of it is unknown.
    """

    def __init__(self, instruction: Instruction, why: str) -> None:
        super().__init__(instruction, why)
        self.instruction = instruction
        self.why = why


def elements(operand: Operand) -> tuple[Operand, ...]:
    """Return the elements of a vector or pair, or the operand itself."""
    return operand.parts if isinstance(operand, Several) else (operand,)


def meaning_of(row: Row) -> Meaning:
    """Return the meaning of an instruction without memory access.

    Raises:
        NotRun: It is not known.
    """
    if row.name in logic.MEANINGS:
        return logic.MEANINGS[row.name](row)
    if row.name not in ARITHMETIC:
        refuse(row.name)
    return arithmetic(row)


@lru_cache(maxsize=1024)
def _known(name: str, modifiers: tuple[str, ...], shapes: tuple[int, ...]) -> Meaning:
    """Return the meaning of an instruction by what its row is made of."""
    row = Row.of(name, modifiers, shapes)
    meaning = meaning_of(row)
    row.finish()
    return meaning


def lowered(program: Program, name: str, *, races: bool = False, splits: bool = False) -> Kernel:
    """Return a kernel of a program, ready to run.

    Args:
        program: The program.
        name: The kernel.
        races: Whether to look for races in shared memory, if the kernel has any and works in its block alone.
        splits: Whether it is for a drawn order. Its stores are late then, unless it has clusters or bulk copies.

    Raises:
        NotLowered: It reaches an instruction that fakecuda does not run.
    """
    expected = races and watched.is_expected(program, name)
    is_late = splits and not (program.clustered or watched.copies(program))
    made = partial(Kernel, program, splits=splits, is_late=is_late)
    code_of(kernel := made(watch=Watch() if expected else None), name)
    wanted = races and bool(kernel.shared) and not watched.is_left_alone(kernel)
    if wanted is not expected:
        code_of(kernel := made(watch=Watch() if wanted else None), name)
    for variable in [one for one in kernel.shared if not one.size]:
        kernel.shared[variable] = -(-kernel.static // ALIGNED) * ALIGNED
    kernel.fenced = any(map(late.is_fence, watched.instructions(kernel)))
    return kernel


def code_of(kernel: Kernel, name: str) -> Code:
    """Return a function of a kernel, which is lowered the first time."""
    if (found := kernel.codes.get(name)) is not None:
        return found
    function = kernel.program.function(name)
    if function is None:
        refuse(f"its call of {name}, which has no body in this text")
    code = kernel.codes[name] = Code(name)
    made = kernel.lowerings[name] = Lowering(kernel, function, code)
    made.all()
    return code


@define(eq=False)
class Lowering:
    """A function that is being lowered to code.

    Attributes:
        kernel: The kernel that reaches it.
        function: The function.
        made: The code.
        places: Where variables lie in local memory, or parameters among themselves.
    """

    kernel: Kernel
    function: Function
    made: Code
    _constants: dict[object, int] = field(factory=dict)
    _pieces: dict[int, int] = field(factory=dict)
    places: dict[Variable, int] = field(factory=dict)

    def all(self) -> None:
        """Lower the function."""
        body, made = self.function.body, self.made
        assert body is not None
        made.template = [0] * self.function.registers
        self._place_variables()
        ends = {number + 1 for number, one in enumerate(body) if one.name in ENDS}
        ends |= {number for number, one in enumerate(body) if self.kernel.splits and late.is_point(one)}
        starts = sorted({0, *ends, *self.function.labels.values()} - {len(body)})
        self._pieces = {start: number for number, start in enumerate(starts)} | {len(body): len(starts)}
        for number, start in enumerate(starts):
            behind = starts[number + 1] if number + 1 < len(starts) else len(body)
            made.pieces.append(self._piece(tuple(body[start:behind]), number + 1))
        made.pieces.append(Piece((), lambda frame: frame.leave(), (*body[-1:],)))

    def _place_variables(self) -> None:
        """Place parameters and local variables."""
        made, function = self.made, self.function
        ends = {True: 0, False: 0}  # of local memory, and of parameters
        for one in function.params + function.returns + function.locals:
            end = ends[one.space == "local"]
            self.places[one] = end + -end % one.align
            ends[one.space == "local"] = self.places[one] + one.size
        made.local, made.param = ends[True], ends[False]
        made.params = [(self.places[one], one.size) for one in function.params]
        made.returns = [(self.places[one], one.size) for one in function.returns]

    def _piece(self, instructions: tuple[Instruction, ...], following: int) -> Piece:
        """Return a piece of code."""
        ops: list[Op] = []
        end = jump(following)
        for one in instructions:
            try:
                if one.name in ENDS:
                    end = self._end(one, following)
                else:
                    ops.append(self._op(one))
            except NotRun as error:
                raise NotLowered(one, str(error)) from None
        return Piece(tuple(ops), end, instructions)

    def _end(self, instruction: Instruction, following: int) -> Callable[[Frame], bool]:
        row = Row.of(instruction.name, instruction.modifiers, ())
        end = ENDS[instruction.name](self, instruction, row, following)
        row.finish()
        if self.kernel.watch is not None:
            end = watched.end(self.kernel.watch, instruction, end)
        guard = instruction.guard
        if guard is None:
            return end
        slot, wanted = self._guard(guard)

        def guarded(frame: Frame) -> bool:
            if frame.slots[slot] == wanted:
                return end(frame)
            frame.at = following
            return False

        return guarded

    @staticmethod
    def _guard(guard: Register | Not) -> tuple[int, int]:
        """Return the slot of a guard, and the value that enables the instruction."""
        return (guard.of.slot, 0) if isinstance(guard, Not) else (guard.slot, 1)

    def _op(self, instruction: Instruction) -> Op:
        operands = clusters.operands_of(instruction, clustered=self.kernel.program.clustered)
        name, shapes = instruction.name, tuple([len(elements(one)) for one in operands])
        made = OPS.get(name)
        if made is not None:
            row = Row.of(name, instruction.modifiers, shapes)
            op = made(self, instruction, row)
            row.finish()
        elif name == "mov" and isinstance(operands[1], Special) and operands[1].name in special.CHANGING:
            (target,) = self.results(operands[0])
            op = special.read(target, operands[1].name)
        else:
            op = self._function(operands, _known(name, instruction.modifiers, shapes))
        if self.kernel.watch is not None:
            op = watched.operation(self, self.kernel.watch, instruction, op)
        op = late.releasing(op) if self.kernel.is_late and late.is_release(instruction) else op
        if instruction.guard is None:
            return op
        slot, wanted = self._guard(instruction.guard)

        def guarded(slots: list[Any]) -> None:
            if slots[slot] == wanted:
                op(slots)

        return guarded

    def _function(self, operands: tuple[Operand, ...], meaning: Meaning) -> Op:
        """Adapt a function of values to slots."""
        targets = self.results(operands[0])
        widths = self.widths(operands[0], meaning.results[0])
        given = [part for one in operands[1:] for part in elements(one)]
        wanted = [type_ for type_ in meaning.sources if type_ != CARRY]
        if len(given) != len(wanted) or len(targets) > len(meaning.results):
            refuse("its operands")
        function = bind.cut(given, wanted, meaning.function)
        sources = [self.slot(one, type_) for one, type_ in zip(given, wanted, strict=True)]
        sources += [CARRY_SLOT] * (len(meaning.sources) - len(wanted))
        if meaning.results[-1] == CARRY:
            targets = [targets[0], CARRY_SLOT]
        kind = meaning.results[0]
        if is_signed(kind) and widths[0] > bits_of(kind):
            function = bind.extended(function, bits_of(kind), (1 << widths[0]) - 1)
        if len(meaning.results) == 1:
            return bind.single(function, targets[0], sources)

        def several(slots: list[Any]) -> None:
            for target, value in zip(targets, function(*[slots[source] for source in sources]), strict=False):
                slots[target] = value

        return several

    def results(self, operand: Operand) -> list[int]:
        """Return the slots of results."""
        found = []
        for one in elements(operand):
            if isinstance(one, Discard):
                found.append(SINK)
            elif isinstance(one, Register):
                found.append(one.slot)
            else:
                refuse(f"its operand {one.text}" if isinstance(one, Unknown) else "its operands")
        return found

    @staticmethod
    def widths(operand: Operand, type_: str) -> list[int]:
        """Return the bits of result registers."""
        return [bits_of(one.type if isinstance(one, Register) else type_) for one in elements(operand)]

    def sources(self, operand: Operand, type_: str) -> list[int]:
        """Return the slots of the elements of a source."""
        return [self.slot(one, type_) for one in elements(operand)]

    def slot(self, operand: Operand, type_: str) -> int:
        """Return the slot of a typed source."""
        if isinstance(operand, Register):
            return operand.slot
        if isinstance(operand, Not):
            return operand.of.slot
        if isinstance(operand, Constant):
            value = bind.constant(operand, type_)
            return self._kept(("constant", value), value)
        if isinstance(operand, Special):
            return self._special(operand)
        if isinstance(operand, Symbol):
            return self._symbol(operand)
        return refuse(f"its operand {operand.text}" if isinstance(operand, Unknown) else "its operands")

    def predicate(self, operand: Operand) -> Callable[[list[Any]], int]:
        """Return a function of slots that reads a predicate, possibly negated."""
        slot = self.slot(operand, PREDICATE)
        if isinstance(operand, Not):
            return lambda slots: 1 - int(slots[slot])
        return lambda slots: int(slots[slot])

    def _kept(self, key: object, value: int = 0) -> int:
        """Return the slot of a value that is in frames from the start."""
        found = self._constants.get(key)
        if found is None:
            found = self._constants[key] = len(self.made.template)
            self.made.template.append(value)
        return found

    def _special(self, operand: Special) -> int:
        reader = special.FIXED.get(operand.name)
        if reader is None:
            refuse(f"its operand {operand.name}")
        self.kernel.has_workspace |= operand.name in special.WORKSPACE
        slot = self._kept(operand)
        if (slot, reader) not in self.made.specials:
            self.made.specials.append((slot, reader))
        return slot

    def _symbol(self, operand: Symbol) -> int:
        """Return the slot of an address."""
        target = operand.target
        if isinstance(target, str):
            return self.address(target)
        known = ("symbol", target, operand.offset) in self._constants
        slot = self._kept(("symbol", target, operand.offset))
        if known:
            return slot
        if target.space == "reg":
            refuse(f"its operand {target.name}, a parameter that is a register")
        if target.space in {"param", "local"} and target not in self.places:
            refuse(f"its operand {target.name}, which lies outside of functions")
        if target.space == "param":
            self.made.template[slot] = self.places[target] + operand.offset
        elif target.space == "local":
            self.made.locals.append((slot, self.places[target] + operand.offset))
        else:
            if target.space == "shared" and target not in self.kernel.shared:
                start = -(-self.kernel.static // target.align) * target.align
                self.kernel.shared[target] = start
                self.kernel.static = start + target.size
            self.kernel.symbols.setdefault(self.made.name, []).append((slot, target, operand.offset))
        return slot

    def address(self, name: str) -> int:
        """Return the slot of a function's address."""
        address = function_address(name)
        self.kernel.by_address[address] = self.code(name)
        return self._kept(("function", name), address)

    @property
    def by_address(self) -> dict[int, Code]:
        """The functions by address."""
        return self.kernel.by_address

    def code(self, name: str) -> Code:
        """Return the code of a function."""
        return code_of(self.kernel, self.kernel.program.aliases.get(name, name))

    def passed(self, operand: Operand) -> list[tuple[int, int]]:
        """Return the offsets and sizes of a call's arguments or results."""
        assert isinstance(operand, Several)
        found = []
        for one in operand.parts:
            if not isinstance(one, Symbol) or one.target not in self.places:
                refuse("its arguments, which are not all variables of the space .param")
            assert isinstance(one.target, Variable)
            found.append((self.places[one.target], one.target.size))
        return found

    def piece_of(self, operand: Operand) -> int:
        """Return the piece of code at a label."""
        if isinstance(operand, Label):
            for key in self.function.around(operand):
                if key in self.function.labels:
                    return self._pieces[self.function.labels[key]]
        return refuse("its label")

    def targets(self, operand: Operand) -> list[Label]:
        """Return the labels of a list."""
        if isinstance(operand, Label):
            for key in self.function.around(operand):
                if key in self.function.targets:
                    return self.function.targets[key]
        return refuse("its list of labels")

    @staticmethod
    def must(row: Row, word: str) -> None:
        """Take a modifier that must be present, or refuse the instruction."""
        if not row.flag(word):
            refuse(f"its form without .{word}")
