"""The detector of races in shared memory as LLVM IR, with the verdicts of :mod:`fakecuda.kernels.shared_races`.

An access of one grain looks for a write in this epoch that it needs an order with. All else is done by functions:
:mod:`fakecuda.kernels.compiled.stamps`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.kernels.compiled.layout import Block, Launch
from fakecuda.kernels.compiled.runtime import field
from fakecuda.kernels.compiled.stamps import BITS, PAIR, PHASES, before, place, shift
from fakecuda.kernels.shared_races import LAST, SITE, SITES, Party, race_of
from fakecuda.kernels.spaces import QUIET, WRITES
from fakecuda.kernels.threads import WARP
from fakecuda.kernels.watched import orders

if TYPE_CHECKING:
    from fakecuda.kernels.compiled.body import Body
    from fakecuda.kernels.compiled.grid import CompiledGrid
    from fakecuda.kernels.compiled.lines import Lines
    from fakecuda.kernels.program import Instruction
    from fakecuda.kernels.shared_races import Watch


@frozen
class Note:
    """The facts of an access for the race detector.

    Attributes:
        instruction: The instruction.
        use: How it uses memory.
        new: The name of what it writes, an integer. Empty if that does not matter.
        bits: The bits of what it writes.
        begins: Whether it is the beginning of an asynchronous copy.
    """

    instruction: Instruction
    use: int
    new: str = ""
    bits: int = 0
    begins: bool = False


def begin(body: Body) -> list[str]:
    """Return the code at the beginning of a thread's turn."""
    if body.kernel.watch is None:
        return []
    return [
        field("shadow", "%launch", Launch.SHADOW).rstrip(),
        "  %phases = getelementptr i8, ptr %block, i64 %shadow",
        f"  %cells = getelementptr i8, ptr %phases, i64 {PHASES}",
        f"  %n.warp = lshr i64 %n, {WARP.bit_length() - 1}",
        "  %phase.at = getelementptr i64, ptr %phases, i64 %n.warp",
        f"  %limit.at = getelementptr i64, ptr %block, i64 {int(Block.LIMIT)}",
        f"  %loads.at = getelementptr i64, ptr %block, i64 {int(Block.LOADS)}",
        f"  %n.high = shl i64 %n, {SITE}",
        f"  %n.low = sub i64 {LAST << SITE}, %n.high",
        "  %n.one = insertelement <2 x i64> undef, i64 %n.high, i64 0",
        "  %n.both = insertelement <2 x i64> %n.one, i64 %n.low, i64 1",
    ]


def note(body: Body, note_: Note, address: str, size: int) -> None:
    """Write the detector's check of an access."""
    watch, o, use = body.kernel.watch, body.o, note_.use
    assert watch is not None
    site, count = watch.sites[note_.instruction], size // watch.grain
    over = o.new("N")
    if count == 1 and not note_.begins:
        cell = o(f"getelementptr i8, ptr %cells, i64 {o(f'shl i64 {address}, {shift(watch)}')}")
        limit = o("load i64, ptr %limit.at, align 8")
        places = [
            o(f"getelementptr i8, ptr {cell}, i64 {place(watch, other)}")
            for other in before(watch, use)
            if other not in QUIET
        ]
        held = [o(f"load i64, ptr {one}, align 8") for one in (*places, *([] if use in QUIET else ["%loads.at"]))]
        free = [o(f"icmp ult i64 {one}, {limit}") for one in held]
        while len(free) > 1:
            free.append(o(f"and i1 {free.pop(0)}, {free.pop(0)}"))
        fast, slow = o.new("N"), o.new("N")
        o.do(f"br i1 {free[0]}, label %{fast}, label %{slow}")
        o.label(fast)
        if use in QUIET:
            o.do(f"store i64 {limit}, ptr %loads.at, align 8")
        else:
            at = o(f"getelementptr i8, ptr {cell}, i64 {place(watch, use)}")
            _stamp(o, watch, at, site, limit, plain=use == WRITES)
        o.do(f"br label %{over}")
        o.label(slow)
    new = o.resize(note_.new, note_.bits, 128) if note_.new else "0"
    arguments = f"i64 %n, i64 {address}, i64 {count}, i64 {site}"
    o.do(f"call void @race.use.{use}(ptr %launch, ptr %block, {arguments}, i1 {bool(note_.new):d}, i128 {new})")
    if note_.begins:
        o.do(f"call void @race.begin(ptr %launch, ptr %block, {arguments})")
    o.do(f"br label %{over}")
    o.label(over)


def _stamp(o: Lines, watch: Watch, at: str, site: int, epoch: str, *, plain: bool) -> None:
    """Write the stamp of an access, in place if nothing newer is there."""
    times = [epoch]
    if watch.phased:
        phase = o("load i64, ptr %phase.at, align 8")
        times.append(o.call("i64", "llvm.umax.i64", f"i64 {phase}", f"i64 {epoch}"))
    for number, time in enumerate(times):
        held = o(f"getelementptr i8, ptr {at}, i64 {number * PAIR}")
        one = o(f"insertelement <2 x i64> undef, i64 {o(f'or i64 {time}, {site}')}, i64 0")
        both = o(f"shufflevector <2 x i64> {one}, <2 x i64> undef, <2 x i32> zeroinitializer")
        both = o(f"or <2 x i64> {both}, %n.both")
        if not plain:
            earlier = o(f"load <2 x i64>, ptr {held}, align 16")
            both = o.call("<2 x i64>", "llvm.smax.v2i64", f"<2 x i64> {earlier}", f"<2 x i64> {both}")
        o.do(f"store <2 x i64> {both}, ptr {held}, align 16")


def of_store(body: Body, instruction: Instruction, use: int, values: list[str], bits: int) -> Note:
    """Return the detector's facts of a store."""
    watch, o, found = body.kernel.watch, body.o, "0"
    if watch is None or instruction not in watch.sites or use != WRITES:
        return Note(instruction, use)
    wide = bits * len(values)
    for number, value in enumerate(values):
        part = o(f"shl i{wide} {o.resize(value, bits, wide)}, {number * bits}")
        found = o(f"or i{wide} {found}, {part}")
    return Note(instruction, use, found, wide)


def released(body: Body, instruction: Instruction) -> None:
    """Write the order that a fence makes."""
    if body.kernel.watch is not None and orders(instruction):
        order(body)


def order(body: Body) -> None:
    """Write that all earlier work of the block precedes all later work."""
    body.o.do("call void @race.order(ptr %launch, ptr %block)")


def flipped(body: Body, old: str, new: str, phase: int) -> None:
    """Write the order of an mbarrier, if it has reached its next phase."""
    o = body.o
    differs = o(f"xor i64 {old}, {new}")
    bit = o(f"trunc i64 {o(f'lshr i64 {differs}, {phase}')} to i1")
    yes, no = o.new("N"), o.new("N")
    o.do(f"br i1 {bit}, label %{yes}, label %{no}")
    o.label(yes)
    order(body)
    o.do(f"br label %{no}")
    o.label(no)


def found(grid: CompiledGrid) -> None:
    """Keep the race that native code has found."""
    words = grid.words
    earlier, later, uses = (words[one] for one in (Launch.RACE_EARLIER, Launch.RACE_LATER, Launch.RACE_USES))
    number, (x, y, _) = words[Launch.RACE_BLOCK], grid.size
    ways = (1 << BITS) - 1
    parties = (
        Party(earlier >> SITE, earlier & SITES, uses >> BITS & ways),
        Party(later >> SITE, later & SITES, uses & ways),
    )
    block = number % x, number // x % y, number // (x * y)
    grid.race = race_of(grid, block, words[Launch.RACE_AT], parties, pending=bool(uses >> 2 * BITS))
