"""Bulk copies: their mbarriers and groups, how late they are made, reductions, and what is undefined."""

from __future__ import annotations

import struct
from typing import Any

import pytest

import fakecuda
from fakecuda.kernels import grid

from .world import Bench, kernel

SHARED = ".shared .align 16 .b8 data[512]; .shared .align 8 .b64 bar;"
HERE = "mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; add.u64 %d1, %d0, 512; setp.ne.u32 %p1, %r1, 0; mov.u32 %r3, data;"
BEGIN = "@%p1 bra BEGUN; mbarrier.init.shared.b64 [bar], 1; fence.proxy.async.shared::cta; BEGUN: bar.sync 0;"
LOAD = "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"
NEAR = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
FAR = "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
STORE = "cp.async.bulk.global.shared::cta.bulk_group"
EXPECT = "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar],"
WAIT = "wait{0}: mbarrier.try_wait.parity.shared::cta.b64 %p8, [bar], {1}; @!%p8 bra wait{0};"
SYNC = "barrier.cluster.arrive; barrier.cluster.wait;"
COMMIT, DONE = "cp.async.bulk.commit_group;", "cp.async.bulk.wait_group 0;"


def bench(body: str, **options: Any) -> Bench:
    """Return a process with a kernel, whose shared memory begins with the numbers from 1000 on if it has 32 threads."""
    return Bench(kernel(f"{HERE} {body}", SHARED), **options)


def run(
    body: str, count: int, *, blocks: int = 1, threads: int = 1, native: bool = True, data: bytes = b""
) -> list[int]:
    """Return the first words of 1024 that a cluster has written by both engines; each holds its number at first."""
    with bench(body) as made:
        out = made.memory(data or struct.pack("<1024I", *range(1024)))
        size = (blocks, 1, 1)
        assert made.launch("k", out, grid=size, block=(threads, 1, 1), cluster=size if blocks > 1 else None) == 0
        assert made.sync() == 0
        assert made.twins.refused == (not native) or not made.twins.compared
        return made.values(out, "c_uint32", count)


def out(register: str, place: int) -> str:
    """Return the code by which a thread keeps a word."""
    return f"st.global.u32 [%d0+{4 * place}], {register};"


@pytest.mark.parametrize("turn", [1, 3, 50, grid.TURN])
def test_a_pipeline(turn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread loads tiles, all wait for each by its parity and change it, and one thread stores it."""
    monkeypatch.setattr(grid, "TURN", turn)
    body = f"""
    {BEGIN} mov.u32 %r4, 0; mad.lo.u32 %r5, %r1, 4, %r3; mov.u64 %d2, %d1; add.u64 %d3, %d1, 1024;
    AGAIN: and.b32 %r6, %r4, 1; @%p1 bra LOADED; {EXPECT} 128; {NEAR} [data], [%d2], 64, [bar]; {LOAD} [data+64], [%d2+64], 64, [bar];
    LOADED: mbarrier.try_wait.parity.shared.b64 %p2, [bar], %r6; @!%p2 bra LOADED;
    ld.shared.u32 %r7, [%r5]; add.u32 %r7, %r7, 1000; st.shared.u32 [%r5], %r7; fence.proxy.async.shared::cta; bar.sync 0;
    @%p1 bra STORED; {STORE} [%d3], [data], 128; {COMMIT} cp.async.bulk.wait_group.read 0;
    STORED: bar.sync 0; add.u64 %d2, %d2, 128; add.u64 %d3, %d3, 128; add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 4; @%p3 bra AGAIN;
    """
    assert run(body, 512, threads=32)[384:512] == [one + 1000 for one in range(128, 256)]


def test_copies_are_made_late() -> None:
    """A kernel that reads before it waits gets the bytes from before the copy, and a copy reads what its source holds then."""
    read = "ld.shared.u32 %r9, [data];"
    body = f"{BEGIN} st.shared.u32 [data], 7; {EXPECT} 16; {LOAD} [data], [%d1], 16, [bar]; {read} {out('%r9', 0)}"
    assert run(f"{body} st.global.u32 [%d1], 9; {WAIT.format(0, 0)} {read} {out('%r9', 1)}", 2) == [7, 9]
    early = f"{BEGIN} {LOAD} [data], [%d1], 16, [bar]; {EXPECT} 16;"
    assert run(f"{early} {WAIT.format(0, 0)} {read} {out('%r9', 0)}", 1) == [128]
    tested = "mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0; selp.u32 %r9, 1, 0, %p2;"
    few = f"{BEGIN} {EXPECT} 32; {LOAD} [data], [%d1], 16, [bar]; {tested} {out('%r9', 0)} {LOAD} [data], [%d1], 16, [bar];"
    assert run(f"{few} {tested} {out('%r9', 1)}", 2) == [0, 1]


def test_groups_are_made_late() -> None:
    """When their thread waits for them, whatever else it waits for, or when it ends."""
    begin = "st.shared.u32 [data], 7; st.shared.u32 [data+16], 8;"
    read = f"ld.global.u32 %r9, [%d1]; {out('%r9', 0)} ld.global.u32 %r9, [%d1+16]; {out('%r9', 1)}"
    two = f"{begin} {STORE} [%d1], [data], 16; {COMMIT} {STORE} [%d1+16], [data+16], 16; {COMMIT}"
    assert run(f"{two} cp.async.wait_all; {read}", 2) == [128, 132]
    assert run(f"{two} cp.async.bulk.wait_group 1; {read}", 2) == [7, 132]
    assert run(f"{two} cp.async.bulk.wait_group.read 1; {read}", 2) == [7, 132]
    assert run(f"{two} st.shared.u32 [data], 9; {DONE} {read}", 2) == [9, 8]
    assert run(two, 133)[128::4] == [7, 8]
    assert run(two.replace(COMMIT, "") + DONE + read, 2) == [128, 132]
    assert run(two.replace(COMMIT, ""), 133)[128::4] == [7, 8]
    many = f"{STORE} [%d1], [data], 16; {COMMIT}" * 20
    assert run(f"{begin} {many} cp.async.bulk.wait_group 13; {read}", 1) == [7]
    assert run(f"{begin} {many} cp.async.bulk.wait_group 14; {read}", 1, native=False) == [7]


def test_both_groups_of_a_thread() -> None:
    """Bulk copies, other copies and copies that an mbarrier tracks have groups of their own."""
    body = f"""
    {BEGIN} cp.async.ca.shared.global [data+64], [%d1], 16; cp.async.commit_group; st.shared.u32 [data], 7;
    {STORE} [%d1+64], [data], 16; {COMMIT} {EXPECT} 16; {LOAD} [data+32], [%d1+128], 16, [bar]; cp.async.wait_all;
    ld.shared.u32 %r9, [data+64]; {out("%r9", 0)} ld.shared.u32 %r9, [data+32]; {out("%r9", 1)}
    ld.global.u32 %r9, [%d1+64]; {out("%r9", 2)} {WAIT.format(0, 0)} ld.shared.u32 %r9, [data+32]; {out("%r9", 3)}
    {DONE} ld.global.u32 %r9, [%d1+64]; {out("%r9", 4)}
    """
    assert run(body, 5) == [128, 0, 144, 160, 7]


def test_blocks_of_a_cluster() -> None:
    """A block copies to another one, from global and from its own shared memory, and signals the mbarrier there."""
    begin = f"{BEGIN} st.shared.u32 [data], %r2; mov.u32 %r4, 7; st.shared.u32 [data+32], %r4; {SYNC}"
    peer = "xor.b32 %r5, %r2, 1; mapa.shared::cluster.u32 %r6, data, %r5; mapa.shared::cluster.u32 %r7, bar, %r5;"
    keep = "ld.shared.u32 %r9, [data+{}]; mad.lo.u32 %r8, %r2, 64, 0; cvt.u64.u32 %d9, %r8; add.u64 %d9, %d9, %d0; st.global.u32 [%d9+{}], %r9;"
    body = f"""{begin} {peer} add.u32 %r4, %r2, 70; st.shared.u32 [data+32], %r4; {EXPECT} 48; mad.wide.u32 %d2, %r2, 32, %d1;
    {NEAR} [%r6+64], [%d2], 32, [%r7]; {FAR} [%r6+128], [data+32], 16, [%r7];
    {WAIT.format(0, 0)} {keep.format(64, 0)} {keep.format(128, 4)} {SYNC}"""
    found = run(body, 18, blocks=2)
    assert [found[:2], found[16:]] == [[136, 71], [128, 70]]


def test_copies_to_several_blocks() -> None:
    """Each block of the mask gets the bytes, and its own mbarrier the signal."""
    body = f"""
    {BEGIN} {SYNC} {EXPECT} 32; setp.ne.u32 %p3, %r2, 1; mov.b16 %h1, 13;
    @!%p3 {NEAR}.multicast::cluster.L2::cache_hint [data+16], [%d1], 32, [bar], %h1, %d0;
    @!%p3 bra OVER; {WAIT.format(0, 0)} ld.shared.u32 %r9, [data+20]; mul.wide.u32 %d9, %r2, 4; add.u64 %d9, %d9, %d0;
    st.global.u32 [%d9], %r9; OVER: {SYNC}"""
    assert run(body, 4, blocks=4, native=False) == [129, 1, 129, 129]


def reduced(name: str, before: bytes, values: bytes) -> bytes:
    """Return the bytes in global memory after a reduction of the words there by other words."""
    size, bits = len(before), len(values) // 4
    copies = "".join(f"ld.global.u32 %r9, [%d1+{4 * n}]; st.shared.u32 [data+{4 * n}], %r9;" for n in range(bits))
    body = f"{copies} cp.reduce.async.bulk.global.shared::cta.bulk_group.{name} [%d0], [data], {size}; {COMMIT} {DONE}"
    found = run(body, size // 4, native=False, data=before.ljust(512, b"\0") + values)
    return struct.pack(f"<{size // 4}I", *found)


@pytest.mark.parametrize(
    ("name", "form", "before", "values", "wanted"),
    [
        ("add.u32", "4I", (1, 2, 0xFFFFFFFF, 0), (5, 6, 2, 0), (6, 8, 1, 0)),
        ("min.s32", "4i", (1, -2, 3, 4), (-1, 5, 3, 7), (-1, -2, 3, 4)),
        ("max.u64", "2Q", (1, 1 << 63), (5, 7), (5, 1 << 63)),
        ("inc.u32", "4I", (1, 5, 6, 0), (5, 5, 5, 5), (2, 0, 0, 1)),
        ("xor.b64", "2Q", (3, 1 << 40), (1, 1 << 40), (2, 0)),
        ("add.f32", "4f", (1.5, 2.0**-130, 3.0, -0.0), (2.0, 2.0**-130, 2.0**-24, -0.0), (3.5, 2.0**-129, 3.0, -0.0)),
        ("add.f64", "2d", (1.5, 2.0**-1070), (2.0, 2.0**-1070), (3.5, 2.0**-1069)),
        ("add.noftz.f16", "8e", (1.5, 2.0**-24, *[0.0] * 6), (2.0, 2.0**-24, *[1.0] * 6), (3.5, 2.0**-23, *[1.0] * 6)),
    ],
)
def test_reductions(name: str, form: str, before: Any, values: Any, wanted: Any) -> None:
    """Each element by itself; single floats lose subnormal values."""
    found = reduced(name, struct.pack(f"<{form}", *before), struct.pack(f"<{form}", *values))
    assert found == struct.pack(f"<{form}", *wanted)


def test_reductions_in_another_block() -> None:
    """They signal the mbarrier as copies do."""
    body = f"""
    {BEGIN} add.u32 %r4, %r2, 5; st.shared.u32 [data], %r4; {SYNC} setp.ne.u32 %p3, %r2, 0; @!%p3 bra TAKE;
    mapa.shared::cluster.u32 %r6, data, 0; mapa.shared::cluster.u32 %r7, bar, 0;
    cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r6], [data], 16, [%r7]; bra OVER;
    TAKE: {EXPECT} 16; {WAIT.format(0, 0)} ld.shared.u32 %r9, [data]; {out("%r9", 0)} OVER: {SYNC}"""
    assert run(body, 1, blocks=2, native=False) == [11]


def test_hints() -> None:
    """Prefetches and policies of caches have no effect."""
    body = f"""
    cp.async.bulk.prefetch.L2.global [%d1], 16; cp.async.bulk.prefetch.L2.global.L2::cache_hint [%d1], 16, %d0; st.shared.u32 [data], 5;
    {STORE}.L2::cache_hint [%d0], [data], 16, %d0; {COMMIT} {BEGIN} {EXPECT} 16;
    {LOAD}.L2::cache_hint [data+16], [%d1], 16, [bar], %d0; {WAIT.format(0, 0)} ld.shared.u32 %r9, [data+16]; {out("%r9", 4)}"""
    assert run(body, 5) == [5, 0, 0, 0, 128]


INIT = "mbarrier.init.shared.b64 [bar], 1;"
TEST = "mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (f"{INIT} {LOAD} [data], [%d1], 8, [bar];", "copies 8 bytes, which is no multiple of 16"),
        (f"{INIT} {LOAD} [data+512], [%d1], 16, [bar];", "beyond the shared memory of a block"),
        (f"{STORE} [%d1], [data], 2048;", "beyond the shared memory of a block"),
        (f"{LOAD} [data], [%d1], 16, [bar];", "which is not initialised"),
        (f"{INIT} {LOAD} [data], [%d1], 16, [bar+8];", "an mbarrier at 0x208, where none can lie"),
        (f"{INIT} {FAR} [data], [data+16], 16, [bar];", "copies to the shared memory of its own block"),
        (
            f"{INIT} mapa.shared::cluster.u32 %r5, data, 1; {NEAR} [%r5], [%d1], 16, [bar]; {SYNC}",
            "which has not begun",
        ),
        (
            f"{INIT} mov.b16 %h1, 6; {NEAR}.multicast::cluster [data], [%d1], 16, [bar], %h1;",
            "to blocks 0x6 of a cluster of 2",
        ),
        (
            f"{INIT} {LOAD} [data], [%d1], 16, [bar]; mbarrier.inval.shared.b64 [bar]; {TEST}",
            "which is not initialised",
        ),
    ],
)
def test_what_is_undefined(body: str, text: str) -> None:
    """It raises, and names the thread and the instruction."""
    with bench(body) as made, pytest.raises(fakecuda.KernelError, match=text) as error:
        made.launch("k", made.memory(bytes(4096)), grid=(2, 1, 1), cluster=(2, 1, 1))
    assert "thread (0, 0, 0) of block (0, 0, 0)" in str(error.value)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (f"{INIT} {LOAD} [data], [%d1], 64, [bar];", "reads 16 bytes at"),
        (f"{INIT} {LOAD} [data+8], [%d1], 16, [bar];", "these addresses are not both multiples of 16"),
        (f"{STORE} [%d1+8], [data], 16;", "these addresses are not both multiples of 16"),
        (f"{INIT} {LOAD} [data], [%d1], 16, [bar+4];", "uses 8 bytes at 0x204 of shared memory, a misaligned address"),
        (f"{STORE} [%d1], [data], 64;", "writes 16 bytes at"),
    ],
)
def test_faults(body: str, text: str, capfd: pytest.CaptureFixture[str]) -> None:
    """The first bytes beyond an allocation, and misaligned addresses, when the copy begins."""
    with bench(body, strict=False) as made:
        assert made.launch("k", made.memory(bytes(512 + 32))) == 0
        assert made.sync() == (700 if text.endswith("at") else 716)
    assert text in capfd.readouterr().err


@pytest.mark.parametrize(
    ("body", "part"),
    [
        (f"{NEAR}.ignore_oob [data], [%d1], 16, [bar];", ".ignore_oob"),
        ("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r3], %r1, [bar];", ".async"),
        ("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r3], %r1, [bar];", ".async"),
    ],
)
def test_what_is_refused(body: str, part: str) -> None:
    """The part is named."""
    with bench(body) as made, pytest.raises(fakecuda.KernelNotDefined, match=part):
        made.launch("k", made.memory(bytes(64)))
