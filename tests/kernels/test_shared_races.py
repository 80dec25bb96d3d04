"""Races in shared memory: each kind of a missing order makes a finding in both engines, and its mended twin makes no finding."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.kernels import shared_races
from fakecuda.kernels.compiled import engine, stamps
from fakecuda.kernels.shared_races import BlockRaces
from fakecuda.kernels.spaces import POLLS, READS, UPDATES, WRITES
from tests.rotation import part

from .drawn_races import compared
from .world import Bench, kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    Mistake = Callable[[pytest.MonkeyPatch], object]

SHARED = ".shared .align 16 .b8 tile[1024]; .shared .align 8 .b64 bar;"
BEGIN = """
mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, tile; add.u32 %r4, %r3, %r2; xor.b32 %r5, %r2, {other}; add.u32 %r5, %r3, %r5;
and.b32 %r6, %r1, 31; shr.u32 %r7, %r1, 5; setp.eq.u32 %p1, %r1, 0; setp.lt.u32 %p2, %r1, 32; cvt.u64.u32 %d1, %r4; mov.u32 %r9, 0;
"""
"""%r1 is the thread, %r4 its own word, %r5 that of another one, %r6 its lane, %r7 its warp; %p1 holds for thread 0, %p2 for warp 0."""
OWN, READ, WRITE = "st.shared.u32 [%r4], %r1;", "ld.shared.u32 %r8, [%r5];", "st.shared.u32 [%r5], %r1;"
SYNC, WARP, FENCE = "bar.sync 0;", "bar.warp.sync 0xffffffff;", "membar.cta;"
FLAG = "ld.volatile.shared.u32 %r8, [tile+512];"
COPY = "cp.async.ca.shared.global [%r4], [%d0], 4; cp.async.commit_group;"
ROWS = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r14];"
STORES = "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r14], {%r10, %r11, %r12, %r13};"
ROW = "shl.b32 %r14, %r1, 4; add.u32 %r14, %r14, %r3;"
OTHER_WARP, OTHER_LANE = 4 * 33, 4 * 5
PAIRS: dict[str, tuple[int, str, str]] = {
    "a read after a write": (OTHER_WARP, f"{OWN} {READ}", f"{OWN} {SYNC} {READ}"),
    "a write after a read": (OTHER_WARP, f"{READ} {OWN}", f"{READ} {SYNC} {OWN}"),
    "two writes": (OTHER_WARP, f"{OWN} {WRITE}", f"{OWN} {SYNC} {WRITE}"),
    "a reduction": (OTHER_WARP, f"{OWN} {SYNC} {READ} {OWN}", f"{OWN} {SYNC} {READ} {SYNC} {OWN}"),
    "a write of a read by several": (
        OTHER_WARP,
        f"ld.shared.u32 %r8, [tile]; @%p1 {OWN}",
        f"ld.shared.u32 %r8, [tile]; {SYNC} @%p1 {OWN}",
    ),
    "a warp": (OTHER_LANE, f"{OWN} {READ}", f"{OWN} {WARP} {READ}"),
    "two warps with a barrier of each": (OTHER_WARP, f"{OWN} {WARP} {READ}", f"{OWN} {SYNC} {READ}"),
    "a shuffle": (
        OTHER_LANE,
        f"{OWN} shfl.sync.idx.b32 %r8, %r1, 0, 31, 0xffffffff; {READ}",
        f"{OWN} shfl.sync.idx.b32 %r8, %r1, 0, 31, 0xffffffff; {WARP} {READ}",
    ),
    "phases of a warp": (
        OTHER_LANE,
        f"{OWN} {WARP} {READ} {OWN}",
        f"{OWN} {WARP} {READ} {WARP} {OWN}",
    ),
    "values of threads": (OTHER_LANE, "st.shared.u32 [tile], %r1;", "st.shared.u32 [tile], 7;"),
    "a value again": (
        OTHER_LANE,
        "st.shared.u32 [tile], 7; @%p1 st.shared.u32 [tile], 8;",
        f"st.shared.u32 [tile], 7; {SYNC} @%p1 st.shared.u32 [tile], 8;",
    ),
    "bytes of a word": (
        OTHER_LANE,
        "add.u32 %r4, %r3, %r1; st.shared.u8 [%r4], %r1; ld.shared.u8 %r8, [%r4+1];",
        "add.u32 %r4, %r3, %r1; st.shared.u8 [%r4], %r1; ld.shared.u8 %r8, [%r4];",
    ),
    "elements of a vector": (
        OTHER_LANE,
        "ld.shared.v2.u32 {%r8, %r9}, [tile+8]; add.u32 %r8, %r8, %r9; @%p1 st.shared.u32 [tile+12], 1;",
        "ld.shared.v2.u32 {%r8, %r20}, [tile+8]; add.u32 %r8, %r8, %r9; @%p1 st.shared.u32 [tile+12], 1;",
    ),
    "a named barrier": (
        OTHER_WARP,
        f"bar.sync 1, 64; {OWN} {READ}",
        f"{OWN} bar.sync 1, 64; {READ}",
    ),
    "arrivals": (
        OTHER_WARP,
        f"@%p2 {OWN} @%p2 bra END; {READ} END:",
        f"@%p2 {OWN} @%p2 bar.arrive 2, 64; @%p2 bra END; bar.sync 2, 64; {READ} END:",
    ),
    "a reducing barrier": (OTHER_WARP, f"{READ} {OWN}", f"{READ} bar.red.popc.u32 %r8, 0, %p1; {OWN}"),
    "an atomic operation": (
        OTHER_LANE,
        "atom.shared.add.u32 %r8, [tile], 1; ld.shared.u32 %r8, [tile];",
        "atom.shared.add.u32 %r8, [tile], 1; ld.volatile.shared.u32 %r8, [tile];",
    ),
    "an atomic operation on a weak store": (
        OTHER_LANE,
        "@%p1 st.shared.u32 [tile], 0; red.shared.add.u32 [tile], 1;",
        f"@%p1 st.shared.u32 [tile], 0; {SYNC} red.shared.add.u32 [tile], 1;",
    ),
    "a flag": (
        OTHER_LANE,
        "@%p1 st.shared.u32 [tile+512], 1; ld.volatile.shared.u32 %r8, [tile+512];",
        "@%p1 st.volatile.shared.u32 [tile+512], 1; ld.volatile.shared.u32 %r8, [tile+512];",
    ),
    "data behind a flag": (
        OTHER_WARP,
        f"{OWN} @%p1 st.volatile.shared.u32 [tile+512], 1; {FLAG} {READ}",
        f"{OWN} {FENCE} @%p1 st.volatile.shared.u32 [tile+512], 1; {FLAG} {FENCE} {READ}",
    ),
    "a release": (
        OTHER_WARP,
        f"{OWN} atom.relaxed.cta.shared.add.u32 %r8, [tile+512], 1; {READ}",
        f"{OWN} atom.release.cta.shared.add.u32 %r8, [tile+512], 1; {READ}",
    ),
    "a store that releases": (
        OTHER_WARP,
        f"{OWN} st.relaxed.cta.shared.u32 [tile+512], 1; {READ}",
        f"{OWN} st.release.cta.shared.u32 [tile+512], 1; {READ}",
    ),
    "a generic address": (
        OTHER_LANE,
        f"cvta.shared.u64 %d1, %d1; st.u32 [%d1], %r1; {READ}",
        f"cvta.shared.u64 %d1, %d1; st.u32 [%d1], %r1; {WARP} {READ}",
    ),
    "a copy without a wait": (
        OTHER_LANE,
        f"{COPY} ld.shared.u32 %r8, [%r4];",
        f"{COPY} cp.async.wait_all; ld.shared.u32 %r8, [%r4];",
    ),
    "a copy that others do not wait for": (
        OTHER_WARP,
        f"{COPY} cp.async.wait_group 0; {READ}",
        f"{COPY} cp.async.wait_group 0; {SYNC} {READ}",
    ),
    "a copy that begins too early": (OTHER_WARP, f"{READ} {COPY}", f"{READ} {SYNC} {COPY}"),
    "a copy in a phase of a warp": (
        OTHER_LANE,
        f"{WARP} {COPY} {WARP} cp.async.wait_all; {READ}",
        f"{WARP} {COPY} cp.async.wait_all; {WARP} {READ}",
    ),
    "an mbarrier": (
        OTHER_WARP,
        f"@%p1 mbarrier.init.shared.b64 [bar], 64; {SYNC} {OWN} mbarrier.pending_count.b64 %r8, %d1; {READ}",
        f"""@%p1 mbarrier.init.shared.b64 [bar], 64; {SYNC} {OWN} mbarrier.arrive.shared.b64 %d2, [bar];
        AGAIN: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0; @!%p3 bra AGAIN; {READ}""",
    ),
    "a tracked copy": (
        OTHER_WARP,
        f"""@%p1 mbarrier.init.shared.b64 [bar], 64; {SYNC} {COPY} cp.async.mbarrier.arrive.noinc.shared.b64 [bar];
        {READ}""",
        f"""@%p1 mbarrier.init.shared.b64 [bar], 64; {SYNC} {COPY} cp.async.mbarrier.arrive.noinc.shared.b64 [bar];
        AGAIN: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0; @!%p3 bra AGAIN; {READ}""",
    ),
    "rows of a matrix": (OTHER_LANE, f"{ROW} {OWN} {ROWS}", f"{ROW} {OWN} {SYNC} {ROWS}"),
    "a matrix that is stored": (OTHER_LANE, f"{ROW} {STORES} {READ}", f"{ROW} {STORES} {SYNC} {READ}"),
    "wmma": (
        OTHER_LANE,
        f"{OWN} wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 {{%r10, %r11, %r12, %r13}}, [tile];",
        f"{OWN} {SYNC} wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 {{%r10, %r11, %r12, %r13}}, [tile];",
    ),
}
"""By case: how threads' words differ, a kernel with a race, and one without."""


def finding(body: str, threads: int = 64, **options: Any) -> dict[str, Any] | None:
    """Return the facts of a finding on a kernel, which both engines have. None without a finding."""
    with Bench(kernel(body, SHARED), **options) as bench:
        try:
            assert bench.launch("k", bench.memory(bytes(1024)), block=(threads, 1, 1)) == 0
        except fakecuda.UndefinedBehaviour as error:
            found = error.finding
            assert found.rule.id == "execution.shared.THREADS_ARE_ORDERED"
            return dict(found.facts)
        finally:
            assert bench.twins.compared == engine.is_installed()
        return None


@pytest.mark.parametrize("what", PAIRS)
def test_a_missing_order(what: str) -> None:
    """The finding names both accesses. With the order, the launch makes no finding."""
    other, wrong, right = PAIRS[what]
    begin = BEGIN.format(other=other)
    facts = finding(begin + wrong)
    assert facts is not None
    assert facts["kernel"] == "k"
    assert finding(begin + right) is None


def test_the_report() -> None:
    """Kernel, block, bytes, both threads with their lines, and what is missing."""
    found = finding(BEGIN.format(other=OTHER_WARP) + f"\n{OWN}\n\n{READ}")
    assert found == {
        "kernel": "k",
        "block": (0, 0, 0),
        "memory": "4 bytes at byte 128 of tile in shared memory",
        "earlier": "thread (1, 0, 0) reads them at line 14 of the PTX: ld.shared.u32 %r8, [%r5];",
        "later": "thread (32, 0, 0) writes them at line 12 of the PTX: st.shared.u32 [%r4], %r1;",
        "missing": "an order: a barrier of the block, or of the warp, between the two accesses",
    }


def test_a_kernel_that_runs_later() -> None:
    """The finding is kept when the stream runs the launch; no call can raise it."""
    with Bench(kernel(BEGIN.format(other=OTHER_WARP) + OWN + READ, SHARED), completion="manual") as bench:
        assert bench.launch("k", bench.memory(bytes(1024)), block=(64, 1, 1)) == 0
        assert not bench.machine.findings
        assert bench.sync() == 0
        (found,) = bench.machine.findings
        assert (found.rule.id, found.facts["kernel"]) == ("execution.shared.THREADS_ARE_ORDERED", "k")


@pytest.mark.parametrize("options", [{"races": False}, {"strict": False}])
def test_without_race_detection(options: dict[str, Any]) -> None:
    """The kernel runs, and nothing looks at its shared memory."""
    assert finding(BEGIN.format(other=OTHER_WARP) + OWN + READ, **options) is None


@pytest.mark.parametrize("seed", part(range(300), 15))
def test_drawn_kernels(seed: int) -> None:
    """``python -m tests.kernels.drawn_races 0 10000`` judges more of them by all pairs of their accesses."""
    compared(seed)


def _without(part_: int) -> Mistake:
    """Return the mistake that one of the four stamps is missing."""
    stamp = BlockRaces._stamp

    def wrong(self: BlockRaces, held: list[int], *args: int) -> None:
        before = held[part_]
        stamp(self, held, *args)
        held[part_] = before

    return lambda patch: patch.setattr(BlockRaces, "_stamp", wrong)


def _conflicts(use: int, *others: int) -> Mistake:
    """Return the mistake of both engines that a use needs an order with other uses than it does."""
    return lambda patch: patch.setitem(shared_races.CONFLICTS, use, others)


def _text(name: str, old: str, new: str) -> Mistake:
    """Return a mistake in the text of native code."""
    function = getattr(stamps, name)

    def wrong(*args: Any) -> str:
        return str(function(*args)).replace(old, new)

    return lambda patch: patch.setattr(stamps, name, wrong)


MISTAKES: dict[str, tuple[Mistake, int]] = {
    "barriers order nothing": (lambda patch: patch.setattr(BlockRaces, "order", lambda _: None), 13),
    "barriers of a warp order nothing": (lambda patch: patch.setattr(BlockRaces, "order_warp", lambda *_: None), 8),
    "barriers of a warp order all": (
        lambda patch: patch.setattr(BlockRaces, "order_warp", lambda self, _: self.order()),
        84,
    ),
    "loads need no order with atomic operations": (_conflicts(READS, WRITES), 117),
    "stores need no order with loads": (_conflicts(WRITES, WRITES, UPDATES, POLLS), 3),
    "stores need no order with each other": (_conflicts(WRITES, READS, UPDATES, POLLS), 0),
    "stores need no order with strong loads": (_conflicts(WRITES, WRITES, READS, UPDATES), 68),
    "strong loads need an order with strong stores": (_conflicts(POLLS, WRITES, UPDATES), 17),
    "no stamp of the highest thread": (_without(0), 1),
    "no stamp of the lowest thread": (_without(1), 24),
    "no stamp of the highest thread of a phase": (_without(2), 138),
    "no stamp of the lowest thread of a phase": (_without(3), 21),
    "copies are never made": (lambda patch: patch.setattr(BlockRaces, "end", lambda *_: None), 46),
    "no launch begins again": (_text("_use", "%mixed = zext i1 %after.loads to i64", "%mixed = add i64 0, 0"), 3),
    "equal values differ": (_text("_use", "and i1 %same, %valued", "and i1 %same, false"), 1),
    "the lowest thread is the highest": (_text("_use", "%low\n", "%high\n"), 5),
    "warps are mixed up": (_text("_judge", "icmp ne i64 %apart.0", "icmp eq i64 %apart.0"), 8),
    "phases do not begin": (_text("_together", "store i64 %next, ptr %phase.at", "store i64 0, ptr %phase.at"), 8),
}
"""Mistakes, each with the number of a random kernel that finds it."""


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_found(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A drawn kernel shows each."""
    plant, seed = MISTAKES[mistake]
    engine.native.cache_clear()
    with monkeypatch.context() as patch:
        plant(patch)
        with pytest.raises(AssertionError):
            compared(seed)
    engine.native.cache_clear()
    compared(seed)


def test_a_launch_that_begins_again() -> None:
    """A write behind a load of an epoch has it begin again, with the loads noted. It does its work once."""
    work = f"{BEGIN} ld.global.u32 %r8, [%d0]; {OWN} {SYNC} ld.shared.u32 %r9, [%r4]; st.shared.u32 [%r4], 5; {SYNC}"
    text = kernel(f"{work.replace('{other}', '4')} add.u32 %r8, %r8, 1; @%p1 st.global.u32 [%d0], %r8;", SHARED)
    with fakecuda.Machine("h200", kernels="run") as machine:
        c: Any = machine.spawn().c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        _, module = c.cuModuleLoadData(text.encode())
        _, function = c.cuModuleGetFunction(module, b"k")
        _, memory = c.cuMemAlloc(4)
        c.cuMemsetD32(memory, 7, 1)
        given = ctypes.c_uint64(memory)
        places = (ctypes.c_void_p * 1)(ctypes.addressof(given))
        assert c.cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, 0, ctypes.addressof(places), 0) == (0,)
        found = bytearray(4)
        assert c.cuMemcpyDtoH(found, memory, 4) == (0,)
    assert found[0] == 8
