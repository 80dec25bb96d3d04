"""Operations of warps and barriers as native code beside the reference: results, waits, deadlocks and their reports."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda.errors import KernelError
from fakecuda.kernels import grid
from fakecuda.kernels.compiled import barriers, engine, meetings, waits
from fakecuda.kernels.compiled.body import Body
from fakecuda.kernels.compiled.liveness import Flow
from fakecuda.kernels.lower import lowered
from fakecuda.kernels.parse import parsed

from .native import replaced
from .world import Bench, kernel, words

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("llvmlite", reason="llvmlite: pip install -e '.[kernels]'")
FULL = "0xffffffff"
THREADS = 40


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """Forget compiled kernels, which a test may have broken."""
    yield
    engine.native.cache_clear()


def found(text: str, *, threads: int = THREADS) -> list[int]:
    """Return the word and the predicate that each thread has at the end, as one number, with native code compared."""
    text = f"""
    mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, 0x9E3779B1; and.b32 %r3, %r2, 3; setp.lt.u32 %p1, %r3, 2; and.b32 %r4, %r1, 31;
    mov.u32 %r0, 77; setp.ne.u32 %p0, %r0, %r0; mov.u64 %d2, 0x1234500000000; cvt.u64.u32 %d1, %r3; or.b64 %d2, %d2, %d1;
    {text}
    mul.wide.u32 %d1, %r1, 8; add.u64 %d1, %d1, %d0; selp.u32 %r9, 1, 0, %p0; st.global.v2.u32 [%d1], {{%r0, %r9}};
    """
    with Bench(kernel(text)) as bench:
        out = bench.memory(bytes(8 * threads))
        assert bench.launch("k", out, block=(threads, 1, 1)) == 0
        assert bench.twins.compared == 1
        return bench.values(out, "c_uint64", threads)


STRAIGHT = [
    *[
        f"shfl.sync.{mode}.b32 %r0|%p0, %r2, {by}, {limits}, {FULL};"
        for mode in ("up", "down", "bfly", "idx")
        for by, limits in (("1", "31"), ("%r3", "0x181f"), ("33", "0x1c03"), ("20", "%r2"))
    ],
    f"shfl.sync.up.b32 %r0, %r2, 3, 0, {FULL};",
    f"shfl.sync.idx.b32 _|%p0, %r2, 3, 0x1807, {FULL};",
    *[f"vote.sync.{mode}.pred %p0, {value}, {FULL};" for mode in ("all", "any", "uni") for value in ("%p1", "!%p1")],
    *[
        f"setp.lt.u32 %p2, %r1, {n}; vote.sync.{mode}.pred %p0, %p2, {FULL};"
        for mode in ("all", "uni")
        for n in (0, 99)
    ],
    f"vote.sync.ballot.b32 %r0, %p1, {FULL};",
    f"vote.sync.ballot.b32 %r0, !%p1, {FULL};",
    f"match.any.sync.b32 %r0, %r3, {FULL};",
    f"match.any.sync.b64 %r0, %d2, {FULL};",
    f"match.all.sync.b32 %r0|%p0, %r3, {FULL};",
    f"mov.u32 %r5, 5; match.all.sync.b32 %r0|%p0, %r5, {FULL};",
    *[f"redux.sync.{how}.{type_} %r0, %r2, {FULL};" for how in ("add", "min", "max") for type_ in ("u32", "s32")],
    *[f"redux.sync.{how}.b32 %r0, %r2, {FULL};" for how in ("and", "or", "xor")],
    f"or.b32 %r5, %r2, 0x80000001; redux.sync.and.b32 %r0, %r5, {FULL};",
    f"elect.sync %r0|%p0, {FULL};",
    f"bar.warp.sync {FULL}; mov.u32 %r0, 5;",
    "bar.red.popc.u32 %r0, 1, %p1;",
    "bar.red.popc.u32 %r0, 1, !%p1;",
    "bar.red.and.pred %p0, 1, %p1;",
    "bar.red.or.pred %p0, 1, !%p1;",
    "setp.lt.u32 %p2, %r1, 99; bar.red.and.pred %p0, 1, %p2;",
    "setp.gt.u32 %p2, %r1, 99; bar.red.or.pred %p0, 1, %p2;",
    "mov.u32 %r5, 3; mov.u32 %r6, 40; barrier.sync %r5, %r6; barrier.cta.sync.aligned %r5;",
]
"""Operations of all threads that end with a word and a predicate."""


def test_operations() -> None:
    """Each thread has the reference's results, in a whole warp and in one of 8 threads."""
    texts = [
        f"{text} selp.u32 %r9, 0x9E37, 1, %p0; mad.lo.u32 %r8, %r8, %r9, %r0; mul.lo.u32 %r8, %r8, 0x85EBCA6B;"
        for text in STRAIGHT
    ]
    assert len(set(found("mov.u32 %r8, 0;" + "\n".join(texts) + "mov.u32 %r0, %r8;"))) == THREADS


def red(threads: int) -> str:
    """Return a sum of places by a mask of all lanes, which some lanes reach late and leave the block before."""
    return f"""
    setp.lt.u32 %p2, %r4, {threads}; @%p2 exit; setp.eq.u32 %p1, %r4, 5; @%p1 bra L; redux.sync.add.u32 %r0, %r1, {FULL}; bra M;
    L: nanosleep.u32 1; exit; M:
    """


APART = [
    """
    setp.lt.u32 %p1, %r4, 5; @%p1 bra L; activemask.b32 %r0; bra M;
    L: nanosleep.u32 1; setp.lt.u32 %p1, %r4, 2; @%p1 bra N; activemask.b32 %r0; bra M; N: activemask.b32 %r0; M:
    """,
    "setp.lt.u32 %p1, %r4, 4; @%p1 bra L; mov.u32 %r5, 0xfffffff0; bra M; L: mov.u32 %r5, 15; M: redux.sync.add.u32 %r0, %r1, %r5;",
    red(0),
    red(2),
    f"@%p1 exit; shfl.sync.idx.b32 %r0|%p0, %r2, 0, 31, {FULL};",
    """
    mov.u32 %r9, 40; setp.lt.u32 %p2, %r1, 8; @%p2 bra L; bar.arrive 3, %r9; bra M;
    L: bar.red.and.pred %p0, 3, %r9, %p2; M: @%p2 bra N; bar.sync 4, %r9; bra O; N: bar.red.popc.u32 %r0, 4, %r9, %p1; O:
    """,
    "mov.u32 %r9, 40; setp.lt.u32 %p2, %r1, 8; @%p2 bra L; bar.arrive 3, %r9; nanosleep.u32 1; exit; L: bar.sync 3, %r9;",
    "mov.u32 %r9, 41; bar.arrive 5, %r9; mov.u32 %r0, 3; exit;",
]


@pytest.mark.parametrize("text", APART)
def test_groups_of_threads(text: str) -> None:
    """Threads come apart, come late, arrive without a wait, or end before the others go on."""
    assert len(found(text)) == THREADS


@pytest.mark.parametrize("turn", [1, 2, 3, 7])
def test_turns(turn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Registers live on while a thread waits, whatever a turn is, in loops and in functions."""
    monkeypatch.setattr(grid, "TURN", turn)
    text = f"""
    mov.u32 %r0, 0; mov.u32 %r5, 0;
    L: shfl.sync.bfly.b32 %r6|%p0, %r2, %r5, 31, {FULL}; add.u32 %r0, %r0, %r6; activemask.b32 %r7; add.u32 %r0, %r0, %r7;
    atom.global.add.u32 %r8, [%d0+{8 * THREADS}], 1; xor.b32 %r0, %r0, %r8; @%p1 nanosleep.u32 5;
    bar.red.popc.u32 %r6, 0, %p1; mad.lo.u32 %r0, %r6, 3, %r0;
    .param .b32 q; st.param.b32 [q], %r0; call (q), f, (q); ld.param.b32 %r0, [q];
    add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 5; @%p2 bra L;
    """
    before = f"""
    .func (.param .b32 b) f (.param .b32 a) {{ .reg .b32 %r<4>; ld.param.b32 %r0, [a];
    redux.sync.max.u32 %r1, %r0, {FULL}; sub.u32 %r1, %r1, %r0; st.param.b32 [b], %r1; ret; }}
    """
    whole = f"""
    mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, 77; setp.lt.u32 %p1, %r1, 20; {text}
    mul.wide.u32 %d1, %r1, 8; add.u64 %d1, %d1, %d0; st.global.u32 [%d1], %r0;
    """
    with Bench(kernel(whole, before)) as bench:
        out = bench.memory(bytes(8 * THREADS + 8))
        assert bench.launch("k", out, block=(THREADS, 1, 1), grid=(2, 1, 1)) == 0
        assert bench.twins.compared == 1
        assert len(set(bench.values(out, "c_uint64", THREADS))) > 8


def test_a_barrier_beyond_the_last() -> None:
    """The reference runs a kernel whose barrier has a larger number."""
    with Bench(kernel("mov.u32 %r5, 16; barrier.sync %r5;")) as bench:
        assert bench.launch("k", 0) == 0
        assert (bench.twins.compared, bench.twins.refused) == (0, 1)


ERRORS = [
    ("shfl.sync.idx.b32 %r0, %r1, 0, 31, 7;", "lane 3 executes .* is not in its mask 0x00000007"),
    ("bar.sync 0; vote.sync.any.pred %p0, %p1, 0x20;", "lane 7 executes .* is not in its mask 0x00000020"),
    (f"setp.eq.u32 %p1, %r1, 1; @%p1 bra L; bar.warp.sync {FULL}; L: bar.sync 0;", "waits for ever"),
    ("bar.red.popc.u32 %r0, 1, 64, %p1;", "waits for ever"),
]


@pytest.mark.parametrize(("text", "error"), ERRORS)
def test_errors(text: str, error: str) -> None:
    """Both engines report the same threads in the same places."""
    with Bench(kernel(f"mov.u32 %r1, %tid.x; {text}")) as bench:
        with pytest.raises(KernelError, match=error):
            bench.launch("k", 0, block=(THREADS, 1, 1), grid=(2, 1, 1))
        assert bench.twins.compared == 1


OTHER = f"setp.lt.u32 %p2, %r4, 9; @%p2 bra L; redux.sync.add.u32 %r0, %r1, {FULL}; bra M; L: redux.sync.add.u32 %r0, %r1, {FULL}; M:"
BROKEN: list[tuple[Any, str, str, str, str]] = [
    (meetings, "warps", "icmp eq i32 %waits.own, %waits", "icmp eq i32 %waits, %waits", OTHER),
    (meetings, "warps", "%ended = icmp eq i32 %n.state, 1", "%ended = icmp eq i32 %n.state, 99", APART[4]),
    (meetings, "meeting", "%m.end = icmp eq i64 %m.more, %count", "%m.end = icmp eq i64 %m, 0", red(2)),
    (barriers, "converging", "icmp eq i32 %other.waits, %waits", "icmp eq i32 %waits, %waits", APART[0]),
    (barriers, "barriers", "%wait.more = add i64 %wait.now, 1", "%wait.more = add i64 %wait.now, 0", APART[5]),
    (barriers, "barriers", "%more = add i32 %sum, %value", "%more = add i32 %sum, 1", APART[5]),
    (barriers, "barriers", "br i1 %waits, label %wait, label %release", "br label %wait", APART[5]),
]
"""Planted bugs, as ``PLANTED`` of the tests of whole kernels."""


@pytest.mark.parametrize(("owner", "name", "old", "new", "text"), BROKEN)
def test_mistakes_in_waits_are_found(
    owner: Any, name: str, old: str, new: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broken line makes the engines differ, perhaps in how they report a deadlock."""
    with contextlib.suppress(KernelError):
        found(text)
    replaced(monkeypatch, owner, name, old, new)
    with pytest.raises(AssertionError):
        found(text)


def test_a_mistake_in_a_result_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A vote whose negated predicate is not negated, and a shuffle that reads lanes beyond its segment."""
    brought = waits.brought

    def broken(body: Any, inlined: Any, operand: Any, type_: str) -> str:
        return brought(body, inlined, getattr(operand, "of", operand), type_)

    monkeypatch.setattr(waits, "brought", broken)
    with pytest.raises(AssertionError):
        found(f"vote.sync.ballot.b32 %r0, !%p1, {FULL};")
    monkeypatch.undo()
    engine.native.cache_clear()
    monkeypatch.setitem(meetings.WORDS, "down", "xor")
    with pytest.raises(AssertionError):
        found(f"shfl.sync.down.b32 %r0|%p0, %r2, 3, 31, {FULL};")


KEPT = """
mov.u32 %r1, %tid.x; mov.u32 %r2, 7; setp.eq.u32 %p1, %r1, 3; mov.u32 %r3, 0;
L: @%p1 mov.u32 %r4, 5; mov.u32 %r5, 1; bar.sync 0; add.u32 %r3, %r3, %r5; setp.lt.u32 %p2, %r3, %r4; @%p2 bra L;
mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d1, %d0; st.global.u32 [%d1], %r3;
"""


def test_registers_that_threads_keep_while_they_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are read later, in a loop or if a predicate does not hold, too; without them the engines differ."""
    kernel_of = lowered(parsed(kernel(KEPT)), "k")
    made = Body(kernel_of, grid.TURN, resumed=False)
    made.all()
    assert len(made.flow.live(made.resumes[0])) == len(["%d0", "%r1", "%r3", "%r4", "%r5", "%p1"])
    assert words(KEPT, 8, block=(8, 1, 1)) == [1, 1, 1, 5, 1, 1, 1, 1]
    engine.native.cache_clear()
    monkeypatch.setattr(Flow, "live", lambda *_: set())
    with pytest.raises(AssertionError):
        words(KEPT, 8, block=(8, 1, 1))
