"""Drawn kernels with races in shared memory, judged by an enumeration of all pairs: ``python -m tests.kernels.drawn_races 0 1000``.

A small interpreter runs the threads in the turns of the engines and lists their accesses and what orders them. The first access
that has no order with an earlier one must be the finding of both engines, and the earlier one must be such a one.
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING
from unittest import mock

from attrs import define, field, frozen

import fakecuda
from fakecuda.kernels.compiled import engine

from .children import main
from .engines import NATIVE, hot
from .world import Bench, kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOM, WARP = 64, 32
"""Bytes of shared memory, and threads of a warp."""
LOAD, STORE, POLL, PUT, ADD = "load", "store", "poll", "put", "add"
"""Weak loads and stores, strong loads and stores, and atomic operations."""
COPY, WAIT, FENCE, BAR, NAMED, SYNC, SHUFFLE, PAUSE = (
    "copy",
    "wait",
    "fence",
    "bar",
    "named",
    "warp",
    "shuffle",
    "pause",
)
STRONG, QUIET = {POLL, PUT, ADD}, {LOAD, POLL}
MEETING = {BAR, SYNC, SHUFFLE}
SOURCE = bytes(range(1, 5))
"""The source of copies."""
PARTY = re.compile(r"thread \((\d+), 0, 0\) .* at line (\d+) of the PTX")
BYTE = re.compile(r"(\d+) bytes at byte (\d+) of tile")
HEAD = 8
"""Lines before the first statement."""


@frozen
class Statement:
    """A statement of a kernel.

    Attributes:
        kind: What it does.
        first: The first thread that does it.
        last: The one behind the last thread.
        each: Of these, one of so many threads does it.
        factor: What a thread's number counts for its place.
        more: What is added to the place.
        places: How many places there are.
        size: Bytes.
        value: What it stores. None for the thread's number.
    """

    kind: str
    first: int = 0
    last: int = 1024
    each: int = 1
    factor: int = 0
    more: int = 0
    places: int = 1
    size: int = 4
    value: int | None = None

    def has(self, thread: int) -> bool:
        """Return whether a thread does it."""
        return self.first <= thread < self.last and thread % self.each == 0

    def address(self, thread: int) -> int:
        """Return which bytes a thread uses."""
        return (thread * self.factor + self.more) % self.places * self.size

    def text(self) -> str:
        """Return the statement: two lines, with the instruction in the second one."""
        orders = {
            WAIT: "cp.async.wait_all;",
            FENCE: "membar.cta;",
            BAR: "bar.sync 0;",
            NAMED: f"setp.lt.u32 %p1, %r1, {self.last}; @%p1 bar.sync 1, {self.last};",
            SYNC: "bar.warp.sync -1;",
            SHUFFLE: "shfl.sync.idx.b32 %r7, %r1, 0, 31, -1;",
            PAUSE: "nanosleep.u32 1;",
        }
        if self.kind in orders:
            return f"\n{orders[self.kind]}"
        place = f"mad.lo.u32 %r2, %r1, {self.factor}, {self.more}; rem.u32 %r2, %r2, {self.places}; mad.lo.u32 %r2, %r2, {self.size}, %r3;"
        guard = f"setp.ge.u32 %p1, %r1, {self.first}; setp.lt.and.u32 %p1, %r1, {self.last}, %p1; rem.u32 %r4, %r1, {self.each};"
        value = "mov.u32 %r6, %r1;" if self.value is None else f"mov.u32 %r6, {self.value};"
        value += "cvt.u16.u32 %h1, %r6; cvt.u64.u32 %d1, %r6;"
        register, type_ = {1: ("%h1", "u8"), 2: ("%h1", "u16"), 4: ("%r6", "u32"), 8: ("%d1", "u64")}[self.size]
        into = {1: "%h2", 2: "%h2", 4: "%r7", 8: "%d2"}[self.size]
        does = {
            LOAD: f"ld.shared.{type_} {into}, [%r2];",
            POLL: f"ld.volatile.shared.{type_} {into}, [%r2];",
            STORE: f"st.shared.{type_} [%r2], {register};",
            PUT: f"st.volatile.shared.{type_} [%r2], {register};",
            ADD: "atom.shared.add.u32 %r7, [%r2], 1;",
            COPY: "cp.async.ca.shared.global [%r2], [%d0], 4; cp.async.commit_group;",
        }[self.kind]
        return f"{value}{place}{guard} setp.eq.and.u32 %p1, %r4, 0, %p1;\n@%p1 {does}"


def drawn(seed: int) -> tuple[list[Statement], int]:
    """Return the statements of a drawn kernel, and how many threads its block has."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    threads = draw.choice([3, 32, 40, 64, 96])
    sizes = draw.choice([[4], [4], [8], [4, 8], [1, 2, 4], [2]])
    barriers, syncs = draw.choice([(5, 0), (5, 0), (5, 4), (0, 9)])
    kinds = [LOAD, STORE] * 4 + [BAR] * barriers + [SYNC] * syncs + draw.choice([[], [FENCE, SHUFFLE, PAUSE]])
    kinds += draw.choice([[], [POLL, PUT, ADD] * 3, [COPY, WAIT, WAIT] * 4])
    found = []
    for _ in range(draw.randrange(2, 9)):
        kind = draw.choice(kinds if threads < 2 * WARP else [*kinds, NAMED])
        if kind == NAMED:
            found.append(Statement(kind, last=2 * WARP))
        elif kind in {BAR, SYNC, SHUFFLE, PAUSE, FENCE, WAIT}:
            found.append(Statement(kind))
        else:
            first = draw.choice([0, 0, 0, draw.randrange(threads)])
            last = draw.choice([1024, 1024, first + 1, first + draw.randrange(1, 40)])
            size = 4 if kind in {ADD, COPY} else draw.choice(sizes)
            places = draw.choice([1, 2, ROOM // size, ROOM // size])
            shape = draw.choice([0, 1, 1, 3]), draw.randrange(8), places, size, draw.choice([None, 5, 0])
            found.append(Statement(kind, first, last, draw.choice([1, 1, 2, 5]), *shape))
    return found, threads


@define(eq=False)
class Access:
    """An access of a thread.

    Attributes:
        at: When it was, among all that the block has done.
        thread: The thread.
        kind: What it does.
        line: Its line.
        start: Its first byte.
        size: Its bytes.
        differs: The bytes that a store changes.
        copies: Whether it is a copy.
        ends: When a copy is made. None while nothing has waited for it.
    """

    at: int
    thread: int
    kind: str
    line: int
    start: int
    size: int
    differs: set[int]
    copies: bool = False
    ends: int | None = None


@define(eq=False)
class Run:
    """A block that runs.

    Attributes:
        statements: The statements.
        threads: How many threads there are.
        accesses: What they have done.
        orders: When something was ordered, and which threads: a warp, or all.
    """

    statements: list[Statement]
    threads: int
    accesses: list[Access] = field(factory=list)
    orders: list[tuple[int, int | None]] = field(factory=list)
    data: bytearray = field(factory=lambda: bytearray(ROOM))
    _now: int = 0
    _at: list[int] = field(factory=list)
    _waits: dict[int, tuple[str, int]] = field(factory=dict)

    def all(self) -> None:
        """Run all threads to their ends, in turns."""
        self._at = [0] * self.threads
        while any(one < len(self.statements) for one in self._at):
            for thread in range(self.threads):
                while thread not in self._waits and self._at[thread] < len(self.statements):
                    number = self._at[thread]
                    self._at[thread] += 1
                    one = self.statements[number]
                    if one.has(thread) and self._stops(thread, one, number):
                        break

    def _stops(self, thread: int, one: Statement, number: int) -> bool:
        """Do a statement of a thread, and return whether its turn ends."""
        self._now += 1
        if one.kind in MEETING or one.kind == NAMED:
            group = f"warp {thread // WARP}" if one.kind in {SYNC, SHUFFLE} else "block"
            self._waits[thread] = key = group, number
            here = [each for each, other in self._waits.items() if other == key]
            warp = range(thread // WARP * WARP, min(self.threads, thread // WARP * WARP + WARP))
            wanted = {NAMED: one.last, BAR: self.threads}.get(one.kind, len(warp))
            if len(here) < wanted:
                return True
            for each in here:
                del self._waits[each]
            if one.kind != SHUFFLE:
                self.orders.append((self._now, thread // WARP if one.kind == SYNC else None))
        elif one.kind == FENCE:
            self.orders.append((self._now, None))
        elif one.kind == WAIT:
            for copy in self.accesses:
                if copy.copies and copy.thread == thread and copy.ends is None:
                    copy.ends = self._now
                    self.data[copy.start : copy.start + copy.size] = SOURCE
        elif one.kind != PAUSE:
            self._use(thread, one, number)
        return one.kind == PAUSE

    def _use(self, thread: int, one: Statement, number: int) -> None:
        start, end = one.address(thread), one.address(thread) + one.size
        differs = set(range(start, end))
        if one.kind == ADD:
            value = int.from_bytes(self.data[start:end], "little") + 1
            self.data[start:end] = (value % (1 << 32)).to_bytes(4, "little")
        elif one.kind in {STORE, PUT}:
            value = thread if one.value is None else one.value
            new = (value % (1 << 8 * one.size)).to_bytes(one.size, "little")
            differs = {start + at for at, byte in enumerate(new) if byte != self.data[start + at]}
            self.data[start:end] = new
        line = HEAD + 2 * number + 2
        copies = one.kind == COPY
        self.accesses.append(
            Access(self._now, thread, STORE if copies else one.kind, line, start, one.size, differs, copies)
        )

    def ordered(self, earlier: Access, later: Access) -> bool:
        """Return whether an access comes before another one, wherever the turns end."""
        begin = earlier.at
        if earlier.copies:
            if earlier.ends is None or earlier.ends > later.at:
                return False
            begin = earlier.ends
        if earlier.thread == later.thread:
            return True
        warps = {earlier.thread // WARP, later.thread // WARP}
        return any(begin < at < later.at and (warp is None or warps == {warp}) for at, warp in self.orders)

    def races(self) -> Iterator[tuple[Access, list[Access]]]:
        """Yield each access that has no order with earlier ones, and these."""
        for number, later in enumerate(self.accesses):
            before = [one for one in self.accesses[:number] if conflict(one, later) and not self.ordered(one, later)]
            if before:
                yield later, before


def conflict(one: Access, other: Access) -> bool:
    """Return whether two accesses need an order; the earlier one comes first."""
    both = set(range(one.start, one.start + one.size)) & set(range(other.start, other.start + other.size))
    if {one.kind, other.kind} <= STRONG or {one.kind, other.kind} <= QUIET:
        return False
    return bool(both & other.differs if one.kind == other.kind == STORE else both)


def compared(seed: int) -> bool:
    """Run a drawn kernel by both engines; return whether it has a race, as the enumeration says. Every third is optimised."""
    statements, threads = drawn(seed)
    run = Run(statements, threads)
    run.all()
    wanted = next(run.races(), None)
    lines = "\n".join(one.text() for one in statements)
    text = kernel(f"mov.u32 %r1, %tid.x; mov.u32 %r3, tile;\n{lines}", f".shared .align 16 .b8 tile[{ROOM}];")
    native = hot if seed % 3 == 0 else NATIVE
    with mock.patch.object(engine, "native", native), Bench(text) as bench:
        found = None
        try:
            bench.launch("k", bench.memory(SOURCE * 16), block=(threads, 1, 1))
        except fakecuda.UndefinedBehaviour as error:
            found = error.finding.facts
    if wanted is None or found is None:
        assert (wanted is None) == (found is None), (seed, wanted, found)
        return False
    later, before = wanted
    named = {which: tuple(map(int, PARTY.match(found[which]).groups())) for which in ("earlier", "later")}  # type: ignore[union-attr]
    assert named["later"] == (later.thread, later.line), (seed, later, found)
    _, byte = map(int, BYTE.match(found["memory"]).groups())  # type: ignore[union-attr]
    assert named["earlier"] in {(one.thread, one.line) for one in before if one.start <= byte < one.start + one.size}, (
        seed,
        before,
        found,
    )
    return True


if __name__ == "__main__":
    main(lambda seed: "" if compared(seed) else None)
