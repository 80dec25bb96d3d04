"""LLVM IR functions by which the threads of a warp meet.

A thread that waits keeps the instruction, the mask and what it brings. The last thread of the mask gives each its result, which
the thread takes when it goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels.compiled import thread as thread_text
from fakecuda.kernels.compiled.layout import ENDED, MEETING, READY, Launch, Thread
from fakecuda.kernels.compiled.lines import Lines
from fakecuda.kernels.compiled.runtime import loop, those, thread, word
from fakecuda.kernels.logic import LOGIC
from fakecuda.kernels.threads import WARP

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.body import Body

    Each = Callable[[str, str], None]
    Settle = Callable[["Warp"], None]

LANES = WARP - 1
EXTREMES = {"umin": 0xFFFFFFFF, "umax": 0, "smin": 0x7FFFFFFF, "smax": 0x80000000}
"""The minimum or maximum of no values."""
WORDS = {"up": "sub", "down": "add", "bfly": "xor"}
"""The lane computation of each shuffle mode."""


class Warp:
    """A function on the threads of a warp and the lanes that have met.

    Args:
        o: Its lines.
        stride: Bytes of a thread.
        fragments: Bytes of a thread before the registers that it keeps for matrix instructions.
    """

    def __init__(self, o: Lines, stride: int, fragments: int) -> None:
        self.o, self.stride, self.fragments = o, stride, fragments
        self.head: list[str] = []

    def variable(self, value: object) -> str:
        """Return a new 32-bit variable."""
        place = self.o.new("%a")
        self.head.append(f"  {place} = alloca i32")
        self.o.do(f"store i32 {value}, ptr {place}")
        return place

    def thread(self, lane: str) -> str:
        """Return the address of a thread."""
        wide = self.o(f"zext i32 {lane} to i64")
        return self.o(f"getelementptr i8, ptr %warp, i64 {self.o(f'mul i64 {wide}, {self.stride}')}")

    def load(self, thread: str, field: Thread, bits: int = 32) -> str:
        """Return a field of a thread."""
        return self.o(f"load i{bits}, ptr {self.o(f'getelementptr i32, ptr {thread}, i64 {int(field)}')}, align 4")

    def store(self, thread: str, field: Thread, value: object) -> None:
        """Write a field of a thread."""
        place = self.o(f"getelementptr i32, ptr {thread}, i64 {int(field)}")
        self.o.do(f"store i32 {value}, ptr {place}, align 4")

    def answer(self, thread: str, result: str, holds: str = "") -> None:
        """Give a thread its result and its predicate."""
        self.store(thread, Thread.RESULT, result)
        if holds:
            self.store(thread, Thread.HOLDS, self.o(f"zext i1 {holds} to i32"))

    def each(self, act: Each) -> None:
        """Write a loop over the lanes that have met."""
        o = self.o
        rest, loop, over = self.variable("%lanes"), o.new("L"), o.new("L")
        o.do(f"br label %{loop}")
        o.label(loop)
        now = o(f"load i32, ptr {rest}")
        lane = o.call("i32", "llvm.cttz.i32", f"i32 {now}", "i1 true")
        act(self.thread(lane), lane)
        left = o(f"and i32 {now}, {o(f'sub i32 {now}, 1')}")
        o.do(f"store i32 {left}, ptr {rest}")
        o.do(f"br i1 {o(f'icmp eq i32 {left}, 0')}, label %{over}, label %{loop}")
        o.label(over)

    def folded(self, begin: int, act: Callable[[str, str, str], str]) -> str:
        """Return a fold of a function over the lanes that have met."""
        found = self.variable(begin)

        def add(thread: str, lane: str) -> None:
            before = self.o(f"load i32, ptr {found}")
            self.o.do(f"store i32 {act(before, thread, lane)}, ptr {found}")

        self.each(add)
        return self.o(f"load i32, ptr {found}")

    def mask_of(self, holds: Callable[[str], str]) -> str:
        """Return a mask of the lanes whose threads fulfil a condition."""

        def joined(before: str, thread: str, lane: str) -> str:
            bit = self.o(f"shl i32 {self.o(f'zext i1 {holds(thread)} to i32')}, {lane}")
            return self.o(f"or i32 {before}, {bit}")

        return self.folded(0, joined)


def synced(_warp: Warp) -> None:
    """Write the settlement of bar.warp.sync."""


def voted(mode: str) -> Settle:
    """Write the settlement of vote."""

    def settle(warp: Warp) -> None:
        o = warp.o
        ballot = warp.mask_of(lambda thread: o(f"icmp ne i32 {warp.load(thread, Thread.VALUE)}, 0"))
        every, none = o(f"icmp eq i32 {ballot}, %lanes"), o(f"icmp eq i32 {ballot}, 0")
        answers = {"all": every, "any": o(f"xor i1 {none}, true"), "uni": o(f"or i1 {every}, {none}")}
        result = ballot if mode == "ballot" else o(f"zext i1 {answers[mode]} to i32")
        warp.each(lambda thread, _: warp.answer(thread, result))

    return settle


def matched(*, every: bool) -> Settle:
    """Write the settlement of match."""

    def settle(warp: Warp) -> None:
        o = warp.o

        def answer(thread: str, _lane: str) -> None:
            own = warp.load(thread, Thread.VALUE, 64)
            same = warp.mask_of(lambda other: o(f"icmp eq i64 {warp.load(other, Thread.VALUE, 64)}, {own}"))
            whole = o(f"icmp eq i32 {same}, %lanes")
            warp.answer(thread, o.choose(whole, "i32", same, 0) if every else same, whole)

        warp.each(answer)

    return settle


def reduced(how: str, *, negative: bool) -> Settle:
    """Write the settlement of redux."""
    word = ("s" if negative else "u") + how

    def settle(warp: Warp) -> None:
        o = warp.o

        def joined(before: str, thread: str, _lane: str) -> str:
            own = warp.load(thread, Thread.VALUE)
            if how == "add" or how in LOGIC:
                return o(f"{how} i32 {before}, {own}")
            return o.call("i32", f"llvm.{word}.i32", f"i32 {before}", f"i32 {own}")

        result = warp.folded(EXTREMES.get(word, 0xFFFFFFFF if how == "and" else 0), joined)
        warp.each(lambda thread, _: warp.answer(thread, result))

    return settle


def elected(warp: Warp) -> None:
    """Write the settlement of elect."""
    leader = warp.o.call("i32", "llvm.cttz.i32", "i32 %lanes", "i1 true")
    warp.each(lambda thread, lane: warp.answer(thread, leader, warp.o(f"icmp eq i32 {lane}, {leader}")))


def shuffled(mode: str) -> Settle:
    """Write the settlement of shfl."""

    def settle(warp: Warp) -> None:
        o = warp.o

        def answer(thread: str, lane: str) -> None:
            own, limits = warp.load(thread, Thread.VALUE), warp.load(thread, Thread.LIMITS)
            by = o(f"and i32 {warp.load(thread, Thread.OTHER)}, {LANES}")
            segment = o(f"and i32 {o(f'lshr i32 {limits}, 8')}, {LANES}")
            rest = o(f"xor i32 {segment}, {LANES}")
            least = o(f"and i32 {lane}, {segment}")
            most = o(f"or i32 {least}, {o(f'and i32 {limits}, {rest}')}")
            if mode == "idx":
                source = o(f"or i32 {least}, {o(f'and i32 {by}, {rest}')}")
            else:
                source = o(f"{WORDS[mode]} i32 {lane}, {by}")
            inside = o(f"icmp {'sge' if mode == 'up' else 'sle'} i32 {source}, {most}")
            lowest = o(f"and i32 {source}, {LANES}")
            met = o(f"lshr i32 %lanes, {lowest}")
            known = o(f"and i1 {inside}, {o(f'trunc i32 {met} to i1')}")
            known = o(f"and i1 {known}, {o(f'icmp eq i32 {lowest}, {source}')}")
            other = warp.thread(o.choose(known, "i32", source, lane))
            warp.answer(thread, o.choose(known, "i32", warp.load(other, Thread.VALUE), own), inside)

        warp.each(answer)

    return settle


def warps(stride: int) -> str:
    """Return the functions that find a warp, and its lanes that have met."""
    return f"""
define internal ptr @warp(ptr %launch, ptr %block, i64 %n) {{
  %lanes.at = getelementptr i64, ptr %launch, i64 {int(Launch.LANES)}
  %lanes = load i64, ptr %lanes.at, align 8
  %first = and i64 %n, {-WARP}
  %behind = mul i64 %first, {stride}
  %place = add i64 %lanes, %behind
  %warp = getelementptr i8, ptr %block, i64 %place
  ret ptr %warp
}}

define internal i64 @lanes(ptr %launch, i64 %n) {{
  %threads.at = getelementptr i64, ptr %launch, i64 {int(Launch.THREADS)}
  %threads = load i64, ptr %threads.at, align 8
  %first = and i64 %n, {-WARP}
  %rest = sub i64 %threads, %first
  %count = call i64 @llvm.umin.i64(i64 %rest, i64 {WARP})
  ret i64 %count
}}

define internal i32 @come(ptr %warp, i64 %count, i32 %waits, i32 %mask) noinline {{
entry:
{_come(stride)}  ret i32 %lanes.next
}}
"""


def _come(stride: int) -> str:
    """Return the loop that finds whether the threads of a mask have met."""
    look = f"""{thread("n", "%warp", stride)}
  %lane.word = trunc i64 %n to i32
  %bit = shl i32 1, %lane.word
  %wanted = and i32 %mask, %bit
  %counts = icmp ne i32 %wanted, 0
  br i1 %counts, label %look, label %n.next
look:
  %ended = icmp eq i32 %n.state, {ENDED}
  br i1 %ended, label %n.next, label %compare
compare:
  %meets = icmp eq i32 %n.state, {MEETING}
{word("waits.own", "%n.thread", Thread.WAITS)}{word("mask.own", "%n.thread", Thread.MASK)}
  %here = icmp eq i32 %waits.own, %waits
  %same = icmp eq i32 %mask.own, %mask
  %both = and i1 %meets, %here
  %all = and i1 %both, %same
  %joined = or i32 %lanes, %bit
  br i1 %all, label %n.next, label %missing
missing:
  ret i32 0
"""
    return loop(
        "n",
        "entry",
        "%count",
        look,
        carried="  %lanes = phi i32 [ 0, %entry ], [ %lanes.next, %n.next ]\n",
        joined="  %lanes.next = phi i32 [ %lanes, %n.each ], [ %lanes, %look ], [ %joined, %compare ]\n",
    )


def meeting(stride: int, *, phased: bool) -> str:
    """Return the functions by which a thread joins and leaves a warp operation.

    Args:
        stride: Bytes of a thread.
        phased: Whether the detector of races in shared memory wants to know when threads of a warp synchronise.
    """
    together = "  call void @race.together(ptr %launch, ptr %block, i64 %n, i32 %waits)\n" if phased else ""
    again = f"""{word("waits", "%m.thread", Thread.WAITS)}{word("mask", "%m.thread", Thread.MASK)}
  %lanes = call i32 @come(ptr %warp, i64 %count, i32 %waits, i32 %mask)
  %some = icmp ne i32 %lanes, 0
  br i1 %some, label %go, label %m.next
go:
  call void @settle(ptr %warp, i32 %lanes, i32 %waits)
{together}  br label %m.next
"""
    return f"""
define internal i1 @meet(ptr %launch, ptr %block, ptr %thread, i64 %n, i32 %waits, i32 %mask) noinline {{
  store i32 {MEETING}, ptr %thread, align 4
  %mask.at = getelementptr i32, ptr %thread, i64 {int(Thread.MASK)}
  store i32 %mask, ptr %mask.at, align 4
  %warp = call ptr @warp(ptr %launch, ptr %block, i64 %n)
  %count = call i64 @lanes(ptr %launch, i64 %n)
  %lanes = call i32 @come(ptr %warp, i64 %count, i32 %waits, i32 %mask)
  %some = icmp ne i32 %lanes, 0
  br i1 %some, label %go, label %no
no:
  ret i1 false
go:
  call void @settle(ptr %warp, i32 %lanes, i32 %waits)
{together}  ret i1 true
}}

define internal void @leave(ptr %launch, ptr %block, i64 %n) noinline {{
entry:
  %warp = call ptr @warp(ptr %launch, ptr %block, i64 %n)
  %count = call i64 @lanes(ptr %launch, i64 %n)
{loop("m", "entry", "%count", thread("m", "%warp", stride) + those("m", MEETING, again))}  ret void
}}
"""


def settlements(body: Body, stride: int) -> str:
    """Return the function that gives threads their results, by instruction number."""
    made = []
    for number, settle in body.meetings.items():
        o = Lines(declared=body.o.declared)
        warp = Warp(o, stride, thread_text.fragments_of(body))
        settle(warp)
        warp.each(lambda thread, _, warp=warp: warp.store(thread, Thread.STATE, READY))  # type: ignore[misc]
        lines = "\n".join(warp.head + o.text)
        made.append(
            f"define internal void @settle.{number}(ptr %warp, i32 %lanes) noinline {{\nentry:\n{lines}\n  ret void\n}}"
        )
    cases = " ".join(f"i32 {number}, label %S{number}" for number in body.meetings)
    calls = "\n".join(
        f"S{number}:\n  call void @settle.{number}(ptr %warp, i32 %lanes)\n  ret void" for number in body.meetings
    )
    made.append(
        f"define internal void @settle(ptr %warp, i32 %lanes, i32 %waits) {{\n"
        f"  switch i32 %waits, label %never [ {cases} ]\nnever:\n  unreachable\n{calls}\n}}"
    )
    return "\n".join(made)
