"""Clusters: their registers and barriers, and the shared memory of other blocks."""

from __future__ import annotations

import ctypes
import struct
from itertools import product

import pytest

import fakecuda
from fakecuda.kernels import clusters, grid

from .world import CLUSTER, Bench, kernel

SHARED = ".shared .align 16 .b8 data[256]; .shared .align 8 .b64 bar;"
HERE = "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %cluster_ctarank; mov.u32 %r4, %cluster_nctarank;"
SYNC = "barrier.cluster.arrive; barrier.cluster.wait;"
PEER = "xor.b32 %r5, %r3, 1; mov.u32 %r6, data; mapa.shared::cluster.u32 %r7, %r6, %r5;"
"""PTX: the address of the other block's data, of two."""
FIRST = "setp.ne.u32 %p1, %r3, 0; setp.eq.u32 %p2, %r3, 0;"
"""PTX: whether the block is not the first, and whether it is."""
OUT = "mad.lo.u32 %r30, %r2, 8, %r1; mul.wide.u32 %d10, %r30, 4; add.u64 %d10, %d0, %d10; st.global.u32 [%d10], %r20;"
"""PTX: a word for 8 threads of each block."""


def run(
    body: str,
    count: int,
    *,
    blocks: int = 2,
    threads: int = 1,
    cluster: tuple[int, int, int] | None = (2, 1, 1),
    native: bool = True,
) -> list[int]:
    """Return the words that a kernel of clusters has written by both engines."""
    with Bench(kernel(f"{HERE} {body}", SHARED)) as bench:
        out = bench.memory(bytes(4 * count))
        assert bench.launch("k", out, grid=(blocks, 1, 1), block=(threads, 1, 1), cluster=cluster) == 0
        assert bench.sync() == 0
        assert bench.twins.refused == (not native) or not bench.twins.compared
        return bench.values(out, "c_uint32", count)


REGISTERS = [
    f"%{name}.{axis}" for name in ("clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid") for axis in "xyz"
]


@pytest.mark.parametrize("cluster", [None, (1, 1, 1), (2, 1, 3)])
def test_registers(cluster: tuple[int, int, int] | None) -> None:
    """A launch without a cluster has clusters of one block, and is not explicit."""
    names = [*REGISTERS, "%cluster_ctarank", "%cluster_nctarank"]
    stores = "".join(f"mov.u32 %r9, {name}; st.global.u32 [%d1+{4 * n}], %r9;" for n, name in enumerate(names))
    size, words = (4, 1, 6), len(names) + 1
    body = f"""mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.z; mad.lo.u32 %r1, %r2, 4, %r1; mul.lo.u32 %r1, %r1, {4 * words};
    cvt.u64.u32 %d1, %r1; add.u64 %d1, %d0, %d1; {stores}
    mov.pred %p1, %is_explicit_cluster; selp.u32 %r9, 1, 0, %p1; st.global.u32 [%d1+{4 * words - 4}], %r9;"""
    with Bench(kernel(body)) as bench:
        out = bench.memory(bytes(4 * 24 * words))
        assert bench.launch("k", out, grid=size, cluster=cluster) == 0
        found = bench.values(out, "c_uint32", 24 * words)
    sides = cluster or (1, 1, 1)
    for z, x in product(range(6), range(4)):
        index, number = (x, 0, z), z * 4 + x
        inside = [one % side for one, side in zip(index, sides, strict=True)]
        rank = inside[0] + sides[0] * (inside[1] + sides[1] * inside[2])
        wanted = [one // side for one, side in zip(index, sides, strict=True)]
        wanted += [one // side for one, side in zip(size, sides, strict=True)]
        wanted += [*inside, *sides, rank, sides[0] * sides[2], cluster is not None]
        assert found[number * words : (number + 1) * words] == wanted


@pytest.mark.parametrize("turn", [1, 3, 50, grid.TURN])
def test_blocks_exchange_words(turn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By shared::cluster and generic addresses, wherever turns end; loads, stores and atomic operations."""
    monkeypatch.setattr(grid, "TURN", turn)
    body = f"""
    {PEER} mad.lo.u32 %r6, %r1, 4, %r6; mad.lo.u32 %r7, %r1, 4, %r7; mad.lo.u32 %r8, %r2, 8, %r1; st.shared.u32 [%r6], %r8;
    {SYNC} ld.shared::cluster.u32 %r9, [%r7];
    barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;
    cvt.u64.u32 %d1, %r6; cvta.shared.u64 %d1, %d1; mapa.u64 %d2, %d1, %r5; cvt.u64.u32 %d3, %r7; cvta.shared::cluster.u64 %d3, %d3;
    setp.eq.u64 %p1, %d2, %d3; atom.add.u32 %r10, [%d2], 1000; red.shared::cluster.add.u32 [%r7], 10000;
    {SYNC} ld.u32 %r11, [%d1]; ld.shared::cta.u32 %r12, [%r6]; st.shared::cluster.u32 [%r7+128], %r9;
    {SYNC} ld.shared.u32 %r13, [%r6+128]; selp.u32 %r20, %r11, 0, %p1; setp.eq.u32 %p2, %r11, %r12; selp.u32 %r20, %r20, 0, %p2;
    mad.lo.u32 %r20, %r13, 1000000, %r20; {OUT}"""
    found = run(body, 32, blocks=4, threads=8)
    assert found == [1000000 * one + 11000 + one for one in range(32)]


def test_a_histogram() -> None:
    """Four blocks count in the bins of all; each has a part of them."""
    body = f"""
    mov.u32 %r6, data; mad.lo.u32 %r7, %r1, 4, %r6; mov.u32 %r8, 0; st.shared.u32 [%r7], %r8; {SYNC}
    mad.lo.u32 %r9, %r2, 8, %r1; mul.lo.u32 %r9, %r9, 7; rem.u32 %r9, %r9, 32;
    shr.u32 %r10, %r9, 3; and.b32 %r11, %r9, 7; mad.lo.u32 %r11, %r11, 4, %r6;
    mapa.shared::cluster.u32 %r12, %r11, %r10; atom.shared::cluster.add.u32 %r13, [%r12], 1;
    {SYNC} ld.shared.u32 %r20, [%r7]; {OUT}"""
    counts = [0] * 32
    for one in range(32):
        counts[one * 7 % 32] += 1
    assert run(body, 32, blocks=4, threads=8, cluster=(4, 1, 1)) == counts


def test_addresses() -> None:
    """An address tells the rank of its block, also that of the block itself."""
    ranks = "getctarank.shared::cluster.u32 %r20, %r7; getctarank.shared::cluster.u32 %r21, %r6; mad.lo.u32 %r20, %r20, 10, %r21;"
    assert run(f"{PEER} {ranks} {OUT}", 16) == [10, *[0] * 7, 1, *[0] * 7]
    generic = "cvt.u64.u32 %d1, %r6; cvta.shared.u64 %d1, %d1; mapa.u64 %d2, %d1, %r5; getctarank.u64 %r20, %d2;"
    spaces = "".join(
        f"isspacep.{space} %p1, {address}; selp.u32 %r21, {1 << bit}, 0, %p1; or.b32 %r20, %r20, %r21;"
        for bit, (space, address) in enumerate(
            product(["shared::cta", "shared", "shared::cluster", "global"], ["%d1", "%d2", "%d0"]), start=1
        )
    )
    wanted = 0b100_011_001_001 << 1
    assert run(f"{PEER} {generic} {spaces} {OUT}", 9)[::8] == [wanted | 1, wanted]
    same = "mapa.shared::cluster.u32 %r8, data, %r3; setp.eq.u32 %p1, %r8, %r6; selp.u32 %r20, 1, 0, %p1;"
    wide = "mapa.shared::cluster.u64 %d1, data, %r5; ld.shared::cluster.u32 %r21, [%d1]; add.u32 %r20, %r20, %r21;"
    before = "add.u32 %r9, %r3, 20; st.shared.u32 [%r6], %r9;"
    assert run(f"{PEER} {before} {SYNC} {same} {wide} {SYNC} {OUT}", 9)[::8] == [22, 21]


def test_a_barrier_does_not_wait_for_threads_that_have_ended() -> None:
    """Some end before it, some behind their arrival."""
    body = f"""
    setp.eq.u32 %p1, %r1, 3; @%p1 exit; barrier.cluster.arrive; setp.eq.u32 %p1, %r1, 4; @%p1 exit;
    barrier.cluster.wait; {SYNC} mov.u32 %r20, 7; setp.eq.u32 %p1, %r2, 1; @%p1 exit; {OUT} {SYNC}"""
    assert run(body, 16, threads=8) == [7, 7, 7, 0, 0, 7, 7, 7, *[0] * 8]
    late = "setp.eq.u32 %p1, %r1, 1; @%p1 st.shared.u32 [data], 9; barrier.cluster.arrive; @%p1 exit; barrier.cluster.wait;"
    assert run(f"{late} ld.shared.u32 %r20, [data]; {OUT}", 9, threads=2)[::8] == [9, 9]
    assert run(f"{late} ld.shared.u32 %r20, [data]; {OUT}", 25, blocks=4, threads=2)[::8] == [9, 9, 9, 9]
    assert run(f"{late} ld.shared.u32 %r20, [data]; {OUT}", 25, blocks=4, threads=2, cluster=None)[::8] == [9, 9, 9, 9]


def test_an_arrival_is_not_a_wait() -> None:
    """A thread that has arrived goes on; a phase that has completed meanwhile does not stop it."""
    body = f"""
    {PEER} {FIRST} st.shared.u32 [%r6], %r2; {SYNC}
    @%p1 st.shared::cluster.u32 [%r7], 40; barrier.cluster.arrive;
    wait: @%p2 ld.volatile.shared.u32 %r20, [%r6]; @%p2 setp.ne.u32 %p3, %r20, 40; @%p2 @%p3 bra wait;
    barrier.cluster.wait; {OUT} {SYNC}""".replace("@%p2 @%p3 bra", "and.pred %p3, %p3, %p2; @%p3 bra")
    assert run(body, 9)[0] == 40


def test_an_mbarrier_of_another_block() -> None:
    """The other block arrives there, and adds bytes and takes them away."""
    body = f"""
    {FIRST} @%p2 mbarrier.init.shared.b64 [bar], 2; fence.mbarrier_init.release.cluster; {SYNC}
    mapa.shared::cluster.u32 %r8, bar, 0; cvt.u64.u32 %d1, %r8; cvta.shared::cluster.u64 %d1, %d1;
    @%p2 bra wait;
    mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r8], 16;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8]; mbarrier.arrive.release.cluster.b64 _, [%d1];
    mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r8], 16; bra over;
    wait: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [bar], 0; @!%p3 bra wait;
    mbarrier.test_wait.parity.b64 %p3, [%d1], 0; selp.u32 %r20, 5, 0, %p3; {OUT}
    over: {SYNC}"""
    assert run(body, 9)[0] == 5


def failing(body: str, text: str, *, threads: int = 1) -> str:
    """Return the text of the error that a kernel raises in both engines."""
    with Bench(kernel(f"{HERE} {body}", SHARED)) as bench:
        out = bench.memory(bytes(64))
        with pytest.raises(fakecuda.KernelError, match=text) as error:
            bench.launch("k", out, grid=(2, 1, 1), block=(threads, 1, 1), cluster=(2, 1, 1))
    return str(error.value)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (f"{PEER} {FIRST} @%p2 exit; {SYNC} ld.shared::cluster.u32 %r8, [%r7];", r"block \(0, 0, 0\), which has ended"),
        (f"{PEER} st.shared::cluster.u32 [%r7], 1; {SYNC}", r"block \(1, 0, 0\), which has not begun"),
        ("barrier.cluster.arrive; barrier.cluster.arrive;", "arrives again at the barrier of its cluster"),
        (
            f"{PEER} {SYNC} cvt.u64.u32 %d1, %r7; cvta.shared.u64 %d1, %d1; mbarrier.test_wait.b64 %p1, [%d1], %d0; {SYNC}",
            "which is not in shared memory",
        ),
        (f"{PEER} {SYNC} mbarrier.arrive.shared::cluster.b64 _, [%r7]; {SYNC}", "which is not initialised"),
    ],
)
def test_what_is_undefined(body: str, text: str) -> None:
    """It raises, and names the thread and the instruction."""
    assert "line " in failing(body, text)


def test_deadlocks() -> None:
    """The report lists the threads of all blocks of the cluster."""
    found = failing(f"{FIRST} @%p1 bar.sync 0, 64; {SYNC}", r"the cluster of block \(0, 0, 0\) waits for ever")
    assert "barrier.cluster.wait;" in found
    assert "bar.sync 0, 64;, the first is thread (0, 0, 0) of block (1, 0, 0)" in found
    assert "barrier.cluster.wait;" in failing(f"{FIRST} {SYNC} @%p1 barrier.cluster.wait; {SYNC}", "waits for ever")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("mapa.shared::cluster.u32 %r7, data, 2; ld.shared::cluster.u32 %r8, [%r7];", 719),
        ("mapa.shared::cluster.u32 %r7, data, 256; ld.shared::cluster.u32 %r8, [%r7];", 719),
        (f"{PEER} ld.shared::cluster.u32 %r8, [%r7+252];", 0),
        (f"{PEER} ld.shared::cluster.u32 %r8, [%r7+256];", 700),
        (f"{PEER} ld.shared::cluster.u32 %r8, [%r7+2];", 716),
        (f"{PEER} ld.shared.u32 %r8, [%r7];", 715),
        (f"{PEER} cvt.u64.u32 %d1, %r7; cvta.shared.u64 %d1, %d1; ld.v2.u32 {{%r8, %r9}}, [%d1+260];", 716),
        ("mapa.shared::cluster.u64 %d1, data, 5; cvta.shared::cluster.u64 %d1, %d1; mbarrier.init.b64 [%d1], 1;", 719),
    ],
)
def test_faults(body: str, code: int) -> None:
    """An address beyond the cluster, or beyond a block's shared memory, or of another block where only the own one counts."""
    with Bench(kernel(f"{HERE} {SYNC} {body} {SYNC}", SHARED), strict=False) as bench:
        assert bench.launch("k", bench.memory(bytes(4)), grid=(2, 1, 1), cluster=(2, 1, 1)) == 0
        assert bench.sync() == code


def test_a_kernel_without_a_cluster_reaches_itself() -> None:
    """A launch without a cluster has clusters of one block, one after another or together."""
    body = f"""
    mapa.shared::cluster.u32 %r7, data, 0; st.shared::cluster.u32 [%r7], %r2; {SYNC}
    ld.shared.u32 %r20, [data]; mad.lo.u32 %r20, %r4, 100, %r20; {OUT}"""
    assert run(body, 24, blocks=3, cluster=None)[::8] == [100, 101, 102]


def test_clusters_that_wait_for_each_other() -> None:
    """As many run together as the card holds."""
    body = f"""
    {SYNC} atom.global.add.u32 %r9, [%d0+128], 1;
    wait: ld.volatile.global.u32 %r9, [%d0+128]; setp.lt.u32 %p1, %r9, 8; @%p1 bra wait; mov.u32 %r20, %r9; {OUT}"""
    assert run(body, 57, blocks=8)[::8] == [8, 8, 8, 8, 8, 8, 8, 8]


def test_a_cluster_executes_too_much() -> None:
    """The report says where the threads of all clusters are."""
    with (
        Bench(kernel(f"{SYNC} again: bra again;", SHARED), wait_timeout=0.01) as bench,
        pytest.raises(fakecuda.KernelError, match="8 of its threads come to"),
    ):
        bench.launch("k", 0, grid=(4, 1, 1), block=(2, 1, 1), cluster=(2, 1, 1))


def test_text_in_shared_memory() -> None:
    """Text that is printed may lie in the shared memory of its own block; the reference reads that of another."""
    call = """{ .param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], %d2; st.param.b64 [b], 0;
    call (c), vprintf, (a, b); }"""
    for address, native in (("%d1", True), ("%d3", False)):
        body = f"""{HERE} {PEER} add.u32 %r9, %r3, 65; st.shared.u32 [data], %r9; {SYNC}
        cvt.u64.u32 %d1, %r6; cvta.shared.u64 %d1, %d1; mapa.u64 %d3, %d1, %r5; mov.u64 %d2, {address}; {call} {SYNC}"""
        head = ".extern .func (.param .b32 c) vprintf (.param .b64 a, .param .b64 b);" + SHARED
        with Bench(kernel(body, head)) as bench:
            assert bench.launch("k", bench.memory(bytes(4)), grid=(2, 1, 1), cluster=(2, 1, 1)) == 0
            assert bench.twins.refused == (not native) or not bench.twins.compared


def test_directives_and_graphs() -> None:
    """A compiled size counts in launches, in nodes of graphs and beside required attributes; blocks as clusters are refused."""
    text = kernel(
        "mov.u32 %r1, %cluster_nctarank; mov.pred %p1, %is_explicit_cluster; @%p1 add.u32 %r1, %r1, 10; red.global.add.u32 [%d0], %r1;"
    )
    compiled = text.replace(".param .u64 out)", ".param .u64 out) .reqnctapercluster 2", 1)
    with Bench(compiled) as bench:
        out = bench.memory(bytes(4))
        assert bench.launch("k", out, grid=(2, 1, 1)) == 0
        assert bench.values(out, "c_uint32", 1) == [24]
    with Bench(text) as bench:
        out = bench.memory(bytes(4))
        function = bench.ok(bench.c.cuModuleGetFunction(bench.module, b"k"))
        for attribute in (11, 12, 13):
            bench.ok(bench.c.cuFuncSetAttribute(function, attribute, 1 + (attribute == 12)))
        assert bench.launch("k", out, grid=(1, 2, 1)) == 0
        assert bench.values(out, "c_uint32", 1) == [24]
        for attribute in (11, 12, 13):
            bench.ok(bench.c.cuFuncSetAttribute(function, attribute, 0))
        stream, place = bench.ok(bench.c.cuStreamCreate(1)), ctypes.c_uint64(out)
        kept = (ctypes.c_void_p * 1)(ctypes.addressof(place))
        bench.ok(bench.c.cuStreamBeginCapture(stream, 0))
        config = 4, 1, 1, 1, 1, 1, 0, stream, ((CLUSTER, 4, 1, 1),)
        bench.ok(bench.c.cuLaunchKernelEx(config, function, ctypes.addressof(kept), 0))
        graph = bench.ok(bench.c.cuStreamEndCapture(stream))
        bench.ok(bench.c.cuGraphLaunch(bench.ok(bench.c.cuGraphInstantiate(graph, 0)), stream))
        assert bench.sync() == 0
        assert bench.values(out, "c_uint32", 1) == [24 + 4 * 14]
    mapped = compiled.replace(".reqnctapercluster", ".reqntid 1 .blocksareclusters .reqnctapercluster").replace(
        "8.1", "9.0", 1
    )
    with Bench(mapped) as bench, pytest.raises(fakecuda.KernelNotDefined, match="blocksareclusters"):
        bench.launch("k", 0, grid=(2, 1, 1))


def test_other_instructions_of_shared_memory() -> None:
    """Matrices, asynchronous copies and vectors in blocks of a higher rank, by addresses with their rank."""
    body = """
    mov.u32 %r6, data; mad.lo.u32 %r7, %r1, 16, %r6; mad.lo.u32 %r8, %r2, 1000, %r1; setp.lt.u32 %p1, %r1, 8; cvt.u64.u32 %d1, %r7;
    @%p1 st.shared.v4.u32 [%r7], {%r8, %r8, %r8, %r8}; bar.warp.sync 0xffffffff; mapa.shared::cluster.u32 %r9, %r6, %r2;
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r7]; cvta.shared.u64 %d1, %d1;
    ldmatrix.sync.aligned.m8n8.x1.b16 {%r11}, [%d1]; sub.u32 %r11, %r11, %r10; add.u32 %r20, %r10, %r11;
    setp.ne.u32 %p2, %r1, 0; @%p2 bra COPIED; add.u64 %d2, %d0, 512; cp.async.ca.shared.global [data+128], [%d2], 16; cp.async.wait_all;
    ld.shared.v2.b64 {%d3, %d4}, [data+128]; cvt.u32.u64 %r12, %d4; add.u32 %r20, %r20, %r12;
    COPIED: mad.lo.u32 %r30, %r2, 32, %r1; mul.wide.u32 %d10, %r30, 4; add.u64 %d10, %d0, %d10; st.global.u32 [%d10], %r20;"""
    with Bench(kernel(f"{HERE} {body}", SHARED)) as bench:
        out = bench.memory(bytes(512) + struct.pack("<4I", 0, 0, 70000, 0))
        assert bench.launch("k", out, grid=(2, 1, 1), block=(32, 1, 1), cluster=(2, 1, 1)) == 0
        found = bench.values(out, "c_uint32", 64)
        assert bench.twins.refused == 0 or not bench.twins.compared
    wanted = [1000 * rank + lane // 4 for rank in range(2) for lane in range(32)]
    assert found == [one + 70000 * (place % 32 == 0) for place, one in enumerate(wanted)]


def test_members() -> None:
    """Clusters follow each other as blocks do, and their blocks lie beside each other."""
    found = list(clusters.members((4, 2, 1), (2, 2, 1)))
    assert found == [
        [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)],
        [(2, 0, 0), (3, 0, 0), (2, 1, 0), (3, 1, 0)],
    ]
