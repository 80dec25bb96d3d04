"""Barriers, operations of warps, and kernels that do not end."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import pytest

import fakecuda
from fakecuda.kernels import launch
from fakecuda.kernels.compiled import engine

from .world import Bench, kernel, words

FULL = "0xFFFFFFFF"
STORE = "mov.u32 %r30, %tid.x; mul.wide.u32 %d9, %r30, 4; add.u64 %d9, %d0, %d9; st.global.u32 [%d9], %r0;"
"""PTX: each thread writes %r0 to its own word."""


def per_thread(body: str, threads: int = 32, **launch_: Any) -> list[int]:
    """Return what each thread of a block has in %r0, with its number in %r1."""
    return words(f"mov.u32 %r1, %tid.x; {body} {STORE}", threads, block=(threads, 1, 1), **launch_)


@pytest.mark.parametrize(
    ("mode", "by", "clamp", "wanted"),
    [
        ("up", 3, 0, lambda lane: lane - 3 if lane >= 3 else lane),
        ("down", 3, 31, lambda lane: lane + 3 if lane <= 28 else lane),
        ("bfly", 5, 31, lambda lane: lane ^ 5),
        ("idx", 7, 31, lambda _lane: 7),
        ("down", 3, 0x1807, lambda lane: lane + 3 if lane % 8 <= 4 else lane),
        ("idx", 9, 0x1807, lambda lane: lane // 8 * 8 + 1),
        ("up", 1, 0x1800, lambda lane: lane - 1 if lane % 8 else lane),
    ],
)
def test_shuffles(mode: str, by: int, clamp: int, wanted: object) -> None:
    """In a warp, and in segments of eight lanes; the predicate says whether the lane exists."""
    assert callable(wanted)
    body = (
        f"shfl.sync.{mode}.b32 %r2|%p1, %r1, {by}, {clamp}, {FULL}; selp.u32 %r3, 100, 0, %p1; add.u32 %r0, %r2, %r3;"
    )
    found = per_thread(body)
    assert [one % 100 for one in found] == [wanted(lane) for lane in range(32)]
    sources = {"up": lambda lane: lane - by, "down": lambda lane: lane + by}.get(mode)
    if sources is not None and clamp < 32:
        assert [one >= 100 for one in found] == [0 <= sources(lane) < 32 for lane in range(32)]


def test_votes() -> None:
    """Of predicates that some lanes have."""
    body = "setp.lt.u32 %p1, %r1, 5;"
    for number, name in enumerate(("all", "any", "uni")):
        body += f"vote.sync.{name}.pred %p2, %p1, {FULL}; selp.u32 %r{number + 2}, 1, 0, %p2;"
    body += f"vote.sync.ballot.b32 %r5, %p1, {FULL}; shl.b32 %r2, %r2, 8; shl.b32 %r3, %r3, 9; shl.b32 %r4, %r4, 10;"
    body += "or.b32 %r0, %r2, %r3; or.b32 %r0, %r0, %r4; or.b32 %r0, %r0, %r5;"
    assert per_thread(body) == [1 << 9 | 0b11111] * 32
    assert (
        per_thread(f"setp.lt.u32 %p1, %r1, 50; vote.sync.all.pred %p2, %p1, {FULL}; selp.u32 %r0, 1, 0, %p2;")
        == [1] * 32
    )
    assert per_thread(f"setp.lt.u32 %p1, %r1, 5; vote.sync.ballot.b32 %r0, !%p1, {FULL};") == [0xFFFFFFE0] * 32


def test_matches_and_reductions() -> None:
    """Lanes with equal values, and sums over lanes."""
    found = per_thread(f"and.b32 %r2, %r1, 1; match.any.sync.b32 %r0, %r2, {FULL};")
    assert found == [0x55555555, 0xAAAAAAAA] * 16
    body = f"match.all.sync.b32 %r0|%p1, %r1, {FULL}; @%p1 mov.u32 %r0, 9;"
    assert per_thread(body) == [0] * 32
    assert per_thread(f"match.all.sync.b32 %r0|%p1, 5, {FULL}; @!%p1 mov.u32 %r0, 9;") == [0xFFFFFFFF] * 32
    for how, kind, wanted in (("add", "u32", sum(range(32))), ("max", "u32", 31), ("xor", "b32", 0), ("or", "b32", 31)):
        assert per_thread(f"redux.sync.{how}.{kind} %r0, %r1, {FULL};") == [wanted] * 32
    assert per_thread(f"sub.u32 %r2, %r1, 4; redux.sync.min.s32 %r0, %r2, {FULL};") == [0xFFFFFFFC] * 32


def test_elections() -> None:
    """The lowest lane of the mask leads; the others of the warp have ended."""
    body = "setp.lt.u32 %p1, %r1, 4; @%p1 exit; elect.sync %r2|%p2, 0xFFFFFFF0; selp.u32 %r3, 100, 0, %p2; add.u32 %r0, %r2, %r3;"
    assert per_thread(body) == [0] * 4 + [104] + [4] * 27


def test_lanes_that_have_ended_do_not_count() -> None:
    """A warp does not wait for them, whether they end before or behind the others."""
    body = f"setp.eq.u32 %p1, %r1, 3; @%p1 exit; mov.u32 %r0, 7; bar.warp.sync {FULL};"
    assert per_thread(body) == [7] * 3 + [0] + [7] * 28
    late = f"setp.eq.u32 %p1, %r1, 31; @%p1 exit; shfl.sync.idx.b32 %r0, %r1, 31, 31, {FULL};"
    assert per_thread(late) == [*range(31), 0]


def test_active_masks() -> None:
    """The lanes that come to the instruction together."""
    body = "setp.lt.u32 %p1, %r1, 8; @%p1 bra LOW; activemask.b32 %r0; bra END; LOW: activemask.b32 %r0; END:"
    assert per_thread(body) == [0xFF] * 8 + [0xFFFFFF00] * 24


def test_barriers_order_shared_memory() -> None:
    """Each thread reads what another has written before."""
    body = """
    .shared .align 4 .b32 values[64]; .reg .b32 %s;
    mov.u32 %s, values; shl.b32 %r2, %r1, 2; add.u32 %r2, %s, %r2; st.shared.u32 [%r2], %r1;
    bar.sync 0;
    sub.u32 %r3, 252, %r2; add.u32 %r3, %r3, %s; ld.shared.u32 %r0, [%r3];
    """
    assert per_thread(body, 64) == list(range(63, -1, -1))


@pytest.mark.parametrize(
    ("form", "wanted"),
    [
        ("bar.red.popc.u32 %r0, 1, %p1;", 5),
        ("bar.red.popc.u32 %r0, 1, !%p1;", 59),
        ("barrier.cta.red.popc.aligned.u32 %r0, 1, 64, %p1;", 5),
        ("bar.red.and.pred %p2, 1, %p1; selp.u32 %r0, 1, 0, %p2;", 0),
        ("bar.red.or.pred %p2, 1, %p1; selp.u32 %r0, 1, 0, %p2;", 1),
    ],
)
def test_reductions_at_barriers(form: str, wanted: int) -> None:
    """Of predicates that five threads have."""
    assert per_thread(f"setp.lt.u32 %p1, %r1, 5; {form}", 64) == [wanted] * 64


def test_barriers_with_counts() -> None:
    """The first warp arrives and goes on, the second waits for it."""
    body = """
    setp.lt.u32 %p1, %r1, 32; @%p1 bra FIRST;
    barrier.sync 3, 64; mov.u32 %r0, 2; bra END;
    FIRST: mov.u32 %r0, 1; bar.arrive 3, 64;
    END:
    """
    assert per_thread(body, 64) == [1] * 32 + [2] * 32


def test_threads_that_have_ended_do_not_count_at_a_barrier() -> None:
    """The last to end releases the others."""
    body = "setp.gt.u32 %p1, %r1, 5; @%p1 exit; mov.u32 %r0, 1; bar.sync 0;"
    assert per_thread(body, 40) == [1] * 6 + [0] * 34


def test_an_arrival_does_not_wait_for_the_end() -> None:
    """A barrier where threads have arrived and none waits stays as it is."""
    assert per_thread("mov.u32 %r0, 1; bar.arrive 3, 64;", 32) == [1] * 32


def test_a_barrier_that_cannot_be_met() -> None:
    """The report says who waits where."""
    with Bench(
        kernel(
            "mov.u32 %r1, %tid.x; setp.gt.u32 %p2, %r1, 31; @%p2 exit; setp.eq.u32 %p1, %r1, 0; @%p1 bar.sync 1, 64; bar.sync 0;"
        )
    ) as bench:
        with pytest.raises(fakecuda.KernelError) as error:
            bench.launch("k", 0, block=(33, 1, 1))
        text = str(error.value)
        assert "kernel k: block (0, 0, 0) waits for ever" in text
        assert "31 of its threads wait at line" in text
        assert "bar.sync 0;, the first is thread (1, 0, 0) of block (0, 0, 0)" in text
        assert bench.sync() == 0  # the launch was refused


def test_a_lane_outside_its_mask() -> None:
    """It is an error that names the lane."""
    with (
        Bench(kernel("bar.warp.sync 2;")) as bench,
        pytest.raises(fakecuda.KernelError, match=r"lane 0 executes bar\.warp\.sync 2"),
    ):
        bench.launch("k", 0)


def test_an_endless_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends by the number of instructions, with a report of where the threads are."""
    monkeypatch.setattr(launch, "limit", lambda *_: 20_000)
    body = ".loc 1 7 0\nL: ld.volatile.global.u32 %r0, [%d0]; setp.eq.u32 %p1, %r0, 0; nanosleep.u32 20; @%p1 bra L;"
    with Bench(kernel(body, '.file 1 "spin.cu"\n')) as bench:
        with pytest.raises(fakecuda.KernelError, match="does not end") as error:
            bench.launch("k", bench.memory(bytes(4)), block=(4, 1, 1))
        assert "4 of its threads come to line" in str(error.value)
        assert "(spin.cu:7)" in str(error.value)
        assert "give the machine a longer wait_timeout" in str(error.value)


def test_how_many_instructions_a_launch_executes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's wait_timeout sets it, for each engine; a machine that waits for ever has no limit that a launch reaches."""
    loop = "mov.u32 %r0, 0; L: add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 100000; @%p0 bra L;"
    with Bench(kernel(loop), wait_timeout=0.1) as bench:
        monkeypatch.setattr(engine, "native", lambda *_: None)
        with pytest.raises(fakecuda.KernelError, match=r"has executed 2[0-9]{5} instructions and does not end"):
            bench.launch("k", 0)
        monkeypatch.undo()
        pytest.importorskip("llvmlite", reason="llvmlite: pip install -e '.[kernels]'")
        assert bench.launch("k", 0) == 0
    assert launch.limit(60, launch.NATIVE) == 12_000_000_000
    assert launch.limit(math.inf, launch.PLAIN) == launch.MOST


def test_a_barrier_of_a_grid() -> None:
    """Blocks that wait for each other are resident together, as many as the card holds."""
    body = """
    atom.global.add.u32 %r0, [%d0], 1;
    L: ld.volatile.global.u32 %r1, [%d0]; mov.u32 %r2, %nctaid.x; setp.lt.u32 %p1, %r1, %r2; @%p1 bra L;
    """
    assert words(body, 1, grid=(5, 1, 1)) == [5]


def test_a_long_loop() -> None:
    """It goes on after the turns of others, and ends."""
    body = "mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 7000; @%p1 bra L; st.global.u32 [%d0], %r1;"
    assert words(body, 1) == [7000]


WORKSPACE = """
mov.u32 %r1, %envreg2; mov.u32 %r2, %envreg1; cvt.u64.u32 %d1, %r1; cvt.u64.u32 %d2, %r2; bfi.b64 %d1, %d2, %d1, 32, 32;
"""
"""PTX: the address of the cooperative groups workspace, in %d1."""
GRID_BARRIER = f"""
{WORKSPACE}
mov.u32 %r3, %ctaid.x; mov.u32 %r4, %nctaid.x; mov.u32 %r10, %tid.x;
mul.wide.u32 %d3, %r3, 4; add.u64 %d3, %d0, %d3; add.u32 %r5, %r3, 7; st.global.u32 [%d3], %r5;
barrier.sync 0; setp.ne.u32 %p1, %r10, 0; @%p1 bra AFTER;
setp.eq.u32 %p2, %r3, 0; sub.u32 %r6, 0x80000001, %r4; selp.u32 %r6, %r6, 1, %p2;
atom.add.release.gpu.u32 %r7, [%d1+4], %r6;
POLL: ld.acquire.gpu.u32 %r8, [%d1+4]; xor.b32 %r8, %r7, %r8; setp.ge.s32 %p3, %r8, 0; @%p3 bra POLL;
AFTER: barrier.sync 0;
add.u32 %r9, %r3, 1; rem.u32 %r9, %r9, %r4; mul.wide.u32 %d4, %r9, 4; add.u64 %d4, %d0, %d4; ld.global.u32 %r9, [%d4];
mul.wide.u32 %d5, %r4, 4; add.u64 %d5, %d3, %d5; st.global.u32 [%d5], %r9;
"""
"""PTX of ``grid.sync()`` by nvcc; each block then reads the next block's word."""


@pytest.mark.parametrize("blocks", [1, 2, 9])
def test_grid_sync(blocks: int) -> None:
    """The blocks of a cooperative launch count in its workspace, which no other memory is."""
    with Bench(kernel(GRID_BARRIER)) as bench:
        out = bench.memory(bytes(8 * blocks))
        for _ in range(2):
            assert bench.launch("k", out, grid=(blocks, 1, 1), block=(33, 1, 1), cooperative=True) == 0
            assert bench.sync() == 0
        wanted = [one + 7 for one in range(blocks)]
        assert bench.values(out, "c_uint32", 2 * blocks) == wanted + wanted[1:] + wanted[:1]


def test_a_workspace_is_there_in_cooperative_launches_alone() -> None:
    """By all calls that launch, and in graphs; other launches have null."""
    body = WORKSPACE + "setp.ne.u64 %p1, %d1, 0; selp.u32 %r1, 1, 0, %p1; red.global.add.u32 [%d0], %r1;"
    with Bench(kernel(body)) as bench:
        c, ok, out = bench.c, bench.ok, bench.memory(bytes(4))
        function = ok(c.cuModuleGetFunction(bench.module, b"k"))
        place = ctypes.c_uint64(out)
        kept = (ctypes.c_void_p * 1)(ctypes.addressof(place))
        params = ctypes.addressof(kept)
        config = 1, 1, 1, 1, 1, 1, 0, 0

        def counted(*_: object) -> int:
            bench.sync()
            return int(bench.values(out, "c_uint32", 1)[0])

        assert counted(ok(c.cuLaunchKernel(function, *config, params, 0))) == 0
        assert counted(ok(c.cuLaunchCooperativeKernel(function, *config, params))) == 1
        assert counted(ok(c.cuLaunchKernelEx((*config, ()), function, params, 0))) == 1
        assert counted(ok(c.cuLaunchKernelEx((*config, ((2, (1,)),)), function, params, 0))) == 2
        stream = ok(c.cuStreamCreate(1))
        ok(c.cuStreamBeginCapture(stream, 0))
        ok(c.cuLaunchCooperativeKernel(function, *config[:7], stream, params))
        ok(c.cuLaunchKernel(function, *config[:7], stream, params, 0))
        graph = ok(c.cuStreamEndCapture(stream))
        executable = ok(c.cuGraphInstantiate(graph, 0))
        assert counted(ok(c.cuGraphLaunch(executable, stream))) == 3


@pytest.mark.parametrize("room", [0, 8])
def test_the_end_of_a_workspace(room: int, capfd: pytest.CaptureFixture[str]) -> None:
    """An access beyond it fails the context; a launch that is not cooperative has none."""
    body = f"{WORKSPACE} setp.eq.u64 %p1, %d1, 0; @%p1 mov.u64 %d1, 0x4000000000000000; ld.u32 %r0, [%d1+{room}];"
    with Bench(kernel(body), strict=False) as bench:
        assert bench.launch("k", bench.memory(bytes(4)), cooperative=bool(room)) == 0
        assert bench.sync() == 700
        assert f"uses 4 bytes at {room:#x} of workspace memory, which has {room} bytes" in capfd.readouterr().err


def test_printing_of_a_workspace(capfd: pytest.CaptureFixture[str]) -> None:
    """A system function reads it, too."""
    before = """
    .extern .func (.param .b32 r) vprintf (.param .b64 form, .param .b64 given);
    .global .align 1 .b8 text[6] = {91, 37, 115, 93, 10, 0};
    """
    body = f"""
    .local .align 8 .b8 held[8]; .param .b64 a; .param .b64 b; .param .b32 r;
    {WORKSPACE} st.u32 [%d1], 0x6968; mov.u64 %d6, held; cvta.local.u64 %d6, %d6; st.u64 [%d6], %d1;
    mov.u64 %d7, text; cvta.global.u64 %d7, %d7; st.param.b64 [a], %d7; st.param.b64 [b], %d6; call (r), vprintf, (a, b);
    """
    with Bench(kernel(body, before)) as bench:
        assert bench.launch("k", bench.memory(bytes(4)), cooperative=True) == 0
        assert bench.sync() == 0
    assert capfd.readouterr().out == "[hi]\n"
