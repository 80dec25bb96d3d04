"""A block of threads as a loop, with all accesses checked before the first thread.

Many kernels use a word for each thread: no jump back, no wait, addresses that grow by a word from thread to thread, and a
branch that all threads of a block take alike, except in the last block. Their threads become a loop, for which a compiler
writes vector instructions. Otherwise the threads of a block run one by one, with the same results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.kernels.access import GENERIC, space_of
from fakecuda.kernels.compiled import access
from fakecuda.kernels.compiled.even import WIDE, Even, Evens
from fakecuda.kernels.compiled.layout import Answer, Block, Launch, Site
from fakecuda.kernels.compiled.lines import Lines
from fakecuda.kernels.compiled.liveness import Flow
from fakecuda.kernels.compiled.runtime import field as loaded
from fakecuda.kernels.lower import OPS, elements
from fakecuda.kernels.program import Memory, Not, Register, Special, Symbol, Variable
from fakecuda.kernels.row import NotRun, Row, bits_of
from fakecuda.kernels.special import CHANGING

if TYPE_CHECKING:
    from fakecuda.kernels.compiled.body import Body
    from fakecuda.kernels.compiled.values import Inlined
    from fakecuda.kernels.program import Instruction

BYTE = 8
ENDS = {"ret", "exit"}


class Uneven(Exception):  # noqa: N818 - a fact about a kernel
    """An exception: the threads of a kernel do not become a loop."""


@define
class Used:
    """An access of the loop.

    Attributes:
        site: Its number.
        address: Its address.
        size: Bytes.
        use: How it uses memory.
        flags: What it needs of global memory.
    """

    site: int
    address: Even
    size: int
    use: int
    flags: int

    @property
    def is_one(self) -> bool:
        """Whether all threads access the same address."""
        return self.address.step == "0"


@define(eq=False)
class Straight:
    """The loop of a kernel, while it is being written.

    Attributes:
        body: The kernel's code.
        evens: What is computed before the loop.
        loop: The lines of the loop.
        used: The accesses.
        count: How many instructions a thread executes.
    """

    body: Body
    evens: Evens = field(factory=Evens)
    loop: Lines = field(factory=Lines)
    used: list[Used] = field(factory=list)
    count: int = 0

    @property
    def root(self) -> Inlined:
        """The kernel's function."""
        return self.body.pieces[0][0]

    def walk(self) -> None:
        """Write the loop along the path of the threads.

        Raises:
            Uneven: The kernel does not become a loop.
            NotRun: An instruction is not lowered.
        """
        pieces, number = self.root.code.pieces, 0
        while True:
            piece = pieces[number]
            self.count += len(piece.instructions)
            if self._is_last(number):
                return
            following = number + 1
            for one in piece.instructions:
                if one.name == "bra":
                    target = self.root.lowering.piece_of(one.operands[0])
                    following = target if self._taken(one, ends=self._is_end(target)) else following
                elif one.name in ENDS:
                    if self._taken(one, ends=True):
                        return
                else:
                    self._instruction(one)
            number = following

    def _is_last(self, number: int) -> bool:
        return number == len(self.root.code.pieces) - 1

    def _is_end(self, number: int) -> bool:
        return self._is_last(number) or self.root.code.pieces[number].instructions[0].name in ENDS

    def _taken(self, instruction: Instruction, *, ends: bool) -> bool:
        """Return whether threads jump or end, and note that all must agree."""
        if instruction.guard is None:
            return True
        guard, wanted = instruction.guard, "0" if ends else "1"
        if isinstance(guard, Not):
            guard, wanted = guard.of, "1" if ends else "0"
        found = self.evens.known.get(guard) if isinstance(guard, Register) else None
        if found is None:
            raise Uneven
        self.evens.facts.append(self.evens.o(f"icmp eq i1 {found.first}, {wanted}"))
        return not ends

    def _instruction(self, one: Instruction) -> None:
        if one.guard is not None or self._asks_for_time(one):
            raise Uneven
        if one.name in {"ld", "st"}:
            self._access(one)
            return
        if one.name in OPS:
            raise Uneven
        self.body.write(self.root, one)
        target = one.operands[0]
        found = self.evens.found(one) if isinstance(target, Register) else None
        for part in elements(target):
            self.evens.keep(part, found)

    @staticmethod
    def _asks_for_time(one: Instruction) -> bool:
        return any(isinstance(part, Special) and part.name in CHANGING for part in one.operands)

    def _access(self, one: Instruction) -> None:
        """Write an access."""
        row = Row.of(one.name, one.modifiers, tuple([len(elements(part)) for part in one.operands]))
        loads = one.name == "ld"
        use, space = access.use_of(row, loads=loads), space_of(row)
        row.take("v2", "v4", "v8")
        operand, listed = (one.operands[1], one.operands[0]) if loads else one.operands
        assert isinstance(operand, Memory)  # the reference has checked it
        parts, base = elements(listed), operand.base
        type_ = row.type()
        bits, size = bits_of(type_), bits_of(type_) // BYTE * len(parts)
        if space == "param" and loads and isinstance(base, Symbol) and isinstance(base.target, Variable):
            self.body.write(self.root, one)
            for number, part in enumerate(parts):
                place = self.root.lowering.places[base.target] + base.offset + operand.offset + number * bits // BYTE
                at = access.argument(self.evens.o, place)
                value = self.evens.o(f"load i{bits}, ptr {at}, align {bits // BYTE}")
                self.evens.keep(part, Even(value, "0", bits))
            return
        address = self.evens.value(base, "u64")
        if space not in {"global", GENERIC} or address is None:
            raise Uneven
        if address.step == "0" and not (loads and size >= access.WORD):
            raise Uneven
        if address.step != "0":
            self.evens.facts.append(self.evens.o(f"icmp eq i64 {address.step}, {size}"))
        address = Even(self.evens.o(f"add i64 {address.first}, {operand.offset}"), address.step, WIDE)
        site = next(number for number, known in enumerate(self.body.sites) if known.instruction is one)
        if self.body.sites[site].spare:
            raise Uneven
        self.used.append(Used(site, address, size, use, self.body.sites[site].flags))
        o, number = self.body.o, len(self.used) - 1
        host = f"%host{number}"
        if not self.used[-1].is_one:
            host = o(f"getelementptr i8, ptr {host}, i64 {o(f'mul i64 %tx, {size}')}")
        for number, part in enumerate(parts):
            at = o(f"getelementptr i8, ptr {host}, i64 {number * bits // BYTE}")
            if loads:
                self.body.put(self.root, part, o(f"load i{bits}, ptr {at}, align {bits // BYTE}"), type_)
                self.evens.keep(part, None)
            else:
                o.do(f"store i{bits} {self.body.value(self.root, part, type_)}, ptr {at}, align {bits // BYTE}")


def _checked(one: Used, number: int) -> str:
    """Return the code that checks an access of all threads against its last hit."""
    o = Lines(count=2_000_000 + 1000 * number)
    sites = o(f"load ptr, ptr {o(f'getelementptr i64, ptr %launch, i64 {int(Launch.SITES)}')}, align 8")

    def word(field: Site) -> str:
        place = o(f"getelementptr i64, ptr {sites}, i64 {one.site * len(Site) + field}")
        return o(f"load i64, ptr {place}, align 8")

    offset = o(f"sub i64 {one.address.first}, {word(Site.LOW)}")
    turned, span = access.turned(o, offset, one.size), word(Site.SPAN)
    last = turned if one.is_one else o(f"add i64 {turned}, %others")
    inside = o(f"and i1 {o(f'icmp ult i64 {turned}, {span}')}, {o(f'icmp ult i64 {last}, {span}')}")
    if one.size < access.WORD:
        ends = o(f"or i64 {one.address.first}, {o(f'mul i64 %block_x, {one.size}')}")
        low = o(f"and i64 {ends}, {access.WORD - 1}")
        inside = o(f"and i1 {inside}, {o(f'icmp eq i64 {low}, 0')}")
    o.do(f"%fine{number} = and i1 {inside}, true")
    o.do(f"%host{number} = inttoptr i64 {o(f'add i64 {word(Site.HOST)}, {offset}')} to ptr")
    mark = o(f"add i64 {word(Site.MARK)}, {o(f'lshr i64 {offset}, 2')}")
    o.do(f"%mark{number} = inttoptr i64 {mark} to ptr")
    return "\n".join(o.text)


def _opened(one: Used, number: int) -> str:
    """Return the code that searches the allocation of an access."""
    arguments = f"i64 {one.site}, i64 {one.address.first}, i64 {one.size}, i64 0, i64 {one.flags}, i64 {one.use}"
    return f"""open{number}:
  %answer{number} = call i64 @search(ptr %launch, {arguments})
  %open.fine{number} = icmp eq i64 %answer{number}, {Answer.FOUND}
  br i1 %open.fine{number}, label %open{number + 1}, label %slow"""


def _marked(one: Used, number: int) -> str:
    """Return the code that marks the bytes that the threads have used."""
    size = one.size // access.WORD if one.is_one else f"%marks{number}"
    return f"""  %bytes{number} = mul i64 %block_x, {one.size}
  %marks{number} = lshr i64 %bytes{number}, 2
  call void @llvm.memset.p0.i64(ptr %mark{number}, i8 {access.ALL}, i64 {size}, i1 false)"""


def text(body: Body) -> str:
    """Return the function, which returns the instruction count, or 0 to give up."""
    made = Straight(body)
    made.loop.count = 1_000_000
    made.loop.declared = made.evens.o.declared = body.o.declared
    o, flow = body.o, body.flow
    body.o, body.flow = made.loop, Flow()
    body.flow.begin(0)
    root = body.pieces[0][0]
    try:
        made.walk()
        begin = body.begin(root)
    except (Uneven, NotRun):
        return ""
    finally:
        body.o, body.flow = o, flow
    if root.local or not made.used:
        return ""
    numbered = list(enumerate(made.used))
    all_of = Lines(count=3_000_000)
    fine, known = "%flat", "true"
    for fact in made.evens.facts:
        fine = all_of(f"and i1 {fine}, {fact}")
    checks = Lines(count=4_000_000)
    for number, _ in numbered:
        known = checks(f"and i1 {known}, %fine{number}")
    lines = [
        "define internal i64 @straight(ptr %launch, ptr %block) {",
        "entry:",
        *body.head,
        *[loaded(one.name.lower(), "%launch", one) for one in (Launch.BLOCK_X, Launch.BLOCK_Y, Launch.BLOCK_Z)],
        "  %others = sub i64 %block_x, 1",
        "  %area = mul i64 %block_y, %block_z",
        "  %flat = icmp eq i64 %area, 1",
        *made.evens.o.text,
        *all_of.text,
        f"  br i1 {fine}, label %check, label %slow",
        "check:",
        f"  %tried = phi i1 [ false, %entry ], [ true, %open{len(numbered)} ]",
        *[_checked(one, number) for number, one in numbered],
        *checks.text,
        f"  br i1 {known}, label %each, label %again",
        "again:",
        "  br i1 %tried, label %slow, label %open0",
        *[_opened(one, number) for number, one in numbered],
        f"open{len(numbered)}:",
        "  br label %check",
        "each:",
        "  %tx = phi i64 [ 0, %check ], [ %tx.next, %next ]",
        "  %ty = add i64 0, 0",
        "  %tz = add i64 0, 0",
        "  %n = add i64 %tx, 0",
        *begin,
        *made.loop.text,
        "  br label %next",
        "next:",
        "  %tx.next = add i64 %tx, 1",
        "  %end = icmp eq i64 %tx.next, %block_x",
        "  br i1 %end, label %over, label %each",
        "over:",
        *[_marked(one, number) for number, one in numbered],
        f"  %live.at = getelementptr i64, ptr %block, i64 {int(Block.LIVE)}",
        "  store i64 0, ptr %live.at, align 8",
        f"  %all = mul i64 %block_x, {made.count}",
        "  ret i64 %all",
        "slow:",
        "  ret i64 0",
        "}",
    ]
    return "\n".join(lines)
