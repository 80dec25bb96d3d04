"""Families of instructions of random kernels: copies, clusters, matrices, textures and system functions.

A kernel with a family has no faults: whole warps, blocks and clusters must meet, and what is undefined is left to the reference.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from conformance.record.textures import CLAMP, FLOAT, U32

from .drawn_matrices import group, matrix

if TYPE_CHECKING:
    from collections.abc import Callable

    from .drawn import Drawn
    from .world import Bench

THREADS = 128
"""The most threads of a block."""
HELD = 64
"""The number of registers of 32 and of 64 bits for matrices."""
DECLARED = """
.extern .func (.param .b64 place) malloc (.param .b64 size); .extern .func free (.param .b64 place);
.extern .func (.param .b32 count) vprintf (.param .b64 form, .param .b64 given);
"""
VARIABLES = f"""
.global .align 16 .b64 objects[2];
.shared .align 8 .b8 bars[{8 * THREADS}];
.global .align 8 .b8 form[32] = {{37, 100, 32, 37, 120, 32, 37, 108, 108, 117, 10, 0}};
"""
"""The texture and the surface object, an mbarrier for each thread, and the format ``%d %x %llu``."""
OWN = """mov.u32 %t1, %tid.x; mov.u32 %t2, %tid.y; mad.lo.u32 %t1, %t2, 8, %t1; shl.b32 %t1, %t1, 3;
mov.u32 %t2, bars; add.u32 %t1, %t1, %t2; cvt.u64.u32 %at, %t1; cvta.shared.u64 %at, %at;"""
"""PTX: the address of the thread's mbarrier in %t1, and its generic address in %at."""
TOGETHER = "barrier.cluster.arrive; barrier.cluster.wait;"
TRACKED = "mbarrier::complete_tx::bytes"


def _mask(made: Drawn, mask: str) -> str:
    """Return an operation of a warp by the lanes of a mask."""
    draw, target, source = made.draw, made.register(32), made.register(32)
    predicate, by = (
        draw.choice(["", "!"]) + made.register(1),
        draw.choice([str(draw.randrange(34)), made.register(32)]),
    )
    limits = draw.choice([str(draw.choice([0, 31, 0x181F, 0x1C03, 0x1000, 0x0F1F])), made.register(32)])
    return draw.choice(
        [
            f"shfl.sync.{draw.choice(['up', 'down', 'bfly', 'idx'])}.b32 {target}|{made.register(1)}, {source}, {by}, {limits}, {mask};",
            f"shfl.sync.{draw.choice(['up', 'down', 'bfly', 'idx'])}.b32 {target}, {source}, {by}, {limits}, {mask};",
            f"vote.sync.{draw.choice(['all', 'any', 'uni'])}.pred {made.register(1)}, {predicate}, {mask};",
            f"vote.sync.ballot.b32 {target}, {predicate}, {mask};",
            f"and.b32 {source}, {source}, 3; match.any.sync.b32 {target}, {source}, {mask};",
            f"match.any.sync.b64 {target}, {made.register(64)}, {mask};",
            f"match.all.sync.b32 {target}|{made.register(1)}, {source}, {mask};",
            f"redux.sync.{draw.choice(['add', 'min', 'max'])}.{draw.choice(['u32', 's32'])} {target}, {source}, {mask};",
            f"redux.sync.{draw.choice(['and', 'or', 'xor'])}.b32 {target}, {source}, {mask};",
            f"elect.sync {target}|{made.register(1)}, {mask};",
            f"bar.warp.sync {mask};",
        ]
    )


def together(made: Drawn) -> str:
    """Return an operation of a warp: by all lanes, by those that come together, or by some."""
    draw = made.draw
    if made.faults and draw.random() < 0.1:
        return _mask(made, draw.choice([made.register(32), "0x55555555", "7"]))
    if made.depth == 1 and draw.random() < 0.6:
        return _mask(made, "0xffffffff" if draw.random() < 0.7 else "-1")
    return f"activemask.b32 %t1; {_mask(made, '%t1')}"


def _until(made: Drawn, state: str = "%st", *, parity: bool = False) -> str:
    """Return a loop that waits for a phase of the thread's mbarrier."""
    label, how = made.label(), made.draw.choice(["test_wait", "try_wait"])
    more = ".parity" if parity else ""
    return f"{label}: mbarrier.{how}{more}.shared.b64 %q1, [%t1], {state}; @!%q1 bra {label};"


def phase(made: Drawn) -> str:
    """Return a phase of the thread's mbarrier."""
    draw, count = made.draw, made.draw.randrange(1, 5)
    space, at = draw.choice([(".shared", "[%t1]"), (".shared::cta", "[%t1]"), ("", "[%at]")])
    text = [OWN, f"mbarrier.init{space}.b64 {at}, {count};"]
    state, bytes_ = "%st", 0
    while count:
        many = draw.randrange(1, count + 1)
        last = many == count
        ways = [
            "arrive",
            "arrive_drop",
            "arrive.release.cta",
            "arrive.expect_tx",
            *([] if last else ["arrive.noComplete"]),
        ]
        how = draw.choice(ways)
        if how == "arrive.expect_tx":
            size, many = draw.choice([0, 16, 4096]), 1
            bytes_ += size
            text.append(f"mbarrier.{how}{space}.b64 {state}, {at}, {size};")
        else:
            given = f", {many}" if many > 1 or draw.random() < 0.5 or "no" in how else ""
            text.append(f"mbarrier.{how}{space}.b64 {state}, {at}{given};")
        count -= many
        state = draw.choice(["_", made.register(64)])
        if draw.random() < 0.3:
            text.append(f"mbarrier.test_wait{space}.b64 {made.register(1)}, {at}, %st;")
        if draw.random() < 0.3:
            text.append(f"mbarrier.expect_tx.relaxed.cta{space}.b64 {at}, 8; mbarrier.complete_tx{space}.b64 {at}, 8;")
    if bytes_:
        text.append(f"mbarrier.complete_tx.relaxed.cta{space}.b64 {at}, {bytes_};")
    text.append(f"mbarrier.pending_count.b64 {made.register(32)}, %st;")
    text.append(_until(made) if draw.random() < 0.5 else _until(made, "0", parity=True))
    return "\n".join(
        [*text, f"mbarrier.test_wait.parity{space}.b64 {made.register(1)}, {at}, 1; mbarrier.inval{space}.b64 {at};"]
    )


def copies(made: Drawn) -> str:
    """Return cp.async, a group of them, or a phase of an mbarrier."""
    draw, size = made.draw, made.draw.choice([4, 8, 16])
    if draw.random() < 0.25:
        return phase(made)
    how = draw.choice(["ca", "cg"]) if size == 16 else "ca"
    ways = ["", f", {size}", ", 0", f", {made.register(1)}", f", !{made.register(1)}", ", %t0"]
    before = f"selp.b32 %t0, {size}, 0, {made.register(1)};"
    target, source = draw.randrange(0, 240, 16), draw.randrange(0, 480, 16)
    text = f"{before} cp.async.{how}.shared.global [%mine+{target}], [%own+{source}], {size}{draw.choice(ways)};"
    if draw.random() < 0.25:
        more, noinc = draw.choice([(1, ""), (2, ".noinc")])
        arrive = f"cp.async.mbarrier.arrive{noinc}.shared.b64 [%t1]; mbarrier.arrive.shared.b64 %st, [%t1];"
        return f"{OWN} mbarrier.init.shared.b64 [%t1], {more}; {text} {arrive} {_until(made)} mbarrier.inval.shared.b64 [%t1];"
    ends = ["", "", "cp.async.commit_group;", f"cp.async.wait_group {draw.randrange(4)};", "cp.async.wait_all;"]
    return text + "".join(draw.choices(ends, k=2))


def bulk(made: Drawn) -> str:
    """Return a bulk copy, which the mbarrier of its thread tracks, or which is in a group."""
    draw, size = made.draw, made.draw.choice([0, 16, 32, 48])
    near, far = f"[%mine+{draw.randrange(0, 192, 16)}]", f"[%own+{draw.randrange(0, 448, 16)}]"
    if draw.random() < 0.5:
        to = draw.choice(["shared::cta", "shared::cluster"])
        copy = f"cp.async.bulk.{to}.global.{TRACKED} {near}, {far}, {size}, [%t1];"
        expect = f"mbarrier.arrive.expect_tx.shared.b64 %st, [%t1], {size};"
        both = f"{copy} {expect}" if draw.random() < 0.3 else f"{expect} {copy}"
        return f"{OWN} mbarrier.init.shared.b64 [%t1], 1; {both} {_until(made)} mbarrier.inval.shared.b64 [%t1];"
    wait = f"cp.async.bulk.wait_group{draw.choice(['', '.read'])} {draw.randrange(3)};"
    text = f"cp.async.bulk.global.shared::cta.bulk_group {far}, {near}, {size};"
    prefetch = f"cp.async.bulk.prefetch.L2.global {far}, {size};"
    return text + "".join(draw.choices(["", "cp.async.bulk.commit_group;", wait, prefetch], k=3))


def cluster(made: Drawn) -> str:
    """Return the use of another block's shared memory, or a barrier of the cluster."""
    draw, rank = made.draw, f"and.b32 %t2, {made.register(32)}, 1;"
    if made.depth == 1 and draw.random() < 0.3:
        ways = ["", ".release", ".relaxed"], ["", ".acquire"], ["", ".aligned"]
        arrive, wait, aligned = (draw.choice(one) for one in ways)
        inside = made.guarded(made.computed()) if draw.random() < 0.5 else ""
        return f"barrier.cluster.arrive{arrive}{aligned}; {inside} barrier.cluster.wait{wait}{aligned};"
    if made.depth == 1 and draw.random() < 0.3:
        size = draw.choice([16, 32])
        peer = "mov.u32 %t2, %cluster_ctarank; xor.b32 %t2, %t2, 1; mapa.shared::cluster.u32 %t0, %t1, %t2; mapa.shared::cluster.u64 %at, %mine, %t2;"
        copy = f"cp.async.bulk.shared::cluster.shared::cta.{TRACKED} [%at+{draw.randrange(0, 192, 16)}], [%mine+64], {size}, [%t0];"
        expect = (
            f"mbarrier.init.shared.b64 [%t1], 1; {TOGETHER} mbarrier.arrive.expect_tx.shared.b64 %st, [%t1], {size};"
        )
        far = "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%t0];"
        remote = f"mbarrier.init.shared.b64 [%t1], 1; {TOGETHER} {far} {_until(made, '0', parity=True)}"
        body = f"{expect} {copy} {_until(made)}" if draw.random() < 0.5 else remote
        return f"{OWN} {peer} {body} {TOGETHER}"
    bits, at = draw.choice([32, 64]), draw.randrange(0, 240, 8)
    one = made.register(bits)
    if draw.random() < 0.3:
        space = draw.choice(["shared::cta", "shared", "shared::cluster", "global", "local"])
        return f"{rank} mapa.u64 %at, %gs, %t2; getctarank.u64 {made.register(32)}, %at; isspacep.{space} {made.register(1)}, %at;"
    place = f"{rank} mapa.shared::cluster.u64 %at, %mine, %t2; getctarank.shared::cluster.u64 {made.register(32)}, %at;"
    kind = ".shared::cluster"
    if draw.random() < 0.5:
        place, kind = f"{rank} mapa.u64 %at, %gs, %t2;", ""
    uses = [
        f"ld{kind}.b{bits} {one}, [%at+{at}];",
        f"st{kind}.b{bits} [%at+{at}], {one};",
        f"atom{kind}.add.u{bits} {one}, [%at+{at}], {made.register(bits)};",
        f"red{kind}.xor.b{bits} [%at+{at}], {one};",
    ]
    return place + draw.choice(uses)


def texture(made: Drawn) -> str:
    """Return a read of a texture, or the use of a surface."""
    draw, words = made.draw, [made.register(32) for _ in range(2)]
    places = "".join(f"and.b32 %t{n + 1}, {one}, 15;" for n, one in enumerate(words))
    floats = "".join(f"cvt.rn.f32.u32 %w{n}, %t{n + 1}; mul.f32 %w{n}, %w{n}, 0f3F200000;" for n in range(2))
    targets = f"{{{', '.join(made.register(32) for _ in range(4))}}}"
    one, clamp = made.register(32), draw.choice(["clamp", "zero"])
    return draw.choice(
        [
            f"{places} {floats} tex.2d.v4.f32.f32 {targets}, [%seen, {{%w0, %w1}}];",
            f"{places} {floats} tld4.{draw.choice('rgba')}.2d.v4.f32.f32 {targets}, [%seen, {{%w0, %w1}}];",
            f"txq.{draw.choice(['width', 'height'])}.b32 {one}, [%seen];",
            f"suq.{draw.choice(['width', 'height'])}.b32 {one}, [%kept];",
            f"{places} shl.b32 %t1, %t1, 2; suld.b.2d.b32.{clamp} {one}, [%kept, {{%t1, %t2}}];",
            f"{places} shl.b32 %t1, %t1, 2; sust.b.2d.b32.{clamp} [%kept, {{%t1, %t2}}], {one};",
            f"{places} shl.b32 %t1, %t1, 2; sured.b.{draw.choice(['add', 'min', 'max'])}.2d.u32.{clamp} [%kept, {{%t1, %t2}}], {one};",
        ]
    )


def system(made: Drawn) -> str:
    """Return the use of the heap, or of printf."""
    draw = made.draw
    if draw.random() < 0.5:
        size, one, other = draw.choice([8, 24, 100]), made.register(64), made.register(64)
        begin = f"{{ .param .b64 a; .param .b64 b; st.param.b64 [a], {size}; call.uni (b), malloc, (a); ld.param.b64 %at, [b]; }}"
        used = f"st.b64 [%at], {one}; atom.add.u64 {other}, [%at], 5; ld.b64 {one}, [%at];"
        return f"{begin} {used} {{ .param .b64 a; st.param.b64 [a], %at; call.uni free, (a); }}"
    label = made.label()
    words = f"st.local.b32 [stack+64], {made.register(32)}; st.local.b32 [stack+68], {made.register(32)}; st.local.b64 [stack+72], {made.register(64)};"
    call = f"{{ .param .b64 fo{label}; .param .b64 gi{label}; .param .b32 co{label}; mov.u64 %at, form; cvta.global.u64 %at, %at; st.param.b64 [fo{label}], %at; mov.u64 %at, stack; cvta.local.u64 %at, %at; add.u64 %at, %at, 64; st.param.b64 [gi{label}], %at;"
    return f"{words} {call} call.uni (co{label}), vprintf, (fo{label}, gi{label}); ld.param.b32 {made.register(32)}, [co{label}]; }}"


def objects(bench: Bench, seed: int) -> tuple[int, int]:
    """Return a texture object, which filters every other time, and a surface object of new arrays."""
    data = bench.memory(struct.pack("<1024f", *[one % 37 - 18.5 for one in range(1024)]))
    arrays = []
    for form, channels in ((FLOAT, 4), (U32, 1)):
        array, row = bench.ok(bench.c.cuArray3DCreate((16, 16, 0, form, channels, 2))), 64 * channels
        into = 0, 0, 0, 0, 3, 0, 0, array, 0, 0, 0
        bench.ok(bench.c.cuMemcpy3D((0, 0, 0, 0, 2, 0, data, 0, 0, row, 16, *into, row, 16, 1)))
        arrays.append(array)
    sampling = (CLAMP,) * 3, seed // 2 % 2, 0, 0, 0.0, 0.0, 0.0, (0.0,) * 4
    seen = bench.ok(bench.c.cuTexObjectCreate((0, (arrays[0],), 0), sampling, None))
    return int(seen), int(bench.ok(bench.c.cuSurfObjectCreate((0, (arrays[1],), 0))))


FAMILIES: dict[str, Callable[[Drawn], str]] = {
    "copies": copies,
    "bulk": bulk,
    "cluster": cluster,
    "matrix": matrix,
    "group": group,
    "texture": texture,
    "system": system,
}
"""Writers of a statement, by the name of the family."""
WHOLE = {"matrix": [(32, 1, 1), (64, 1, 1)], "group": [(THREADS, 1, 1)]}
"""The blocks of families whose warps are whole."""
