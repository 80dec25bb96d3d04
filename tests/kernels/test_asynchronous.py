"""cp.async and mbarrier: their words by the manual, what is undefined, and copies that nothing has waited for."""

from __future__ import annotations

import random
from typing import Any

import pytest

import fakecuda
from conformance.record import instructions
from fakecuda.kernels import grid
from fakecuda.kernels.compiled import engine

from .test_card_values import RECORDED
from .world import Bench, kernel, words

SHARED = ".shared .align 16 .b8 data[4096]; .shared .align 8 .b64 bar;"
BYTES = [int.from_bytes(instructions.given_bytes()[512 + at : 516 + at], "little") for at in range(0, 512, 4)]
"""The words to copy."""
WORDS = instructions.WORDS // 2
OLD = 0x5A5A5A5A
PROGRAMS = {
    "phases": [0, 1, 2, 0, 0, 1, 1, 1, 1, 1, 0, 2, 0, 1, 1, 1, 1, 0, 1],
    "dropped": [3, 2, 0, 1, 1, 1, 0, 2, 0, 1, 1, 0, 1, 2, 1, 1, 0],
    "counts": [5, 0, 2, 1, 1, 1, 0, 5, 0, 3, 2, 1, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0],
    "transactions": [1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1],
    "threads": [3 * (63 - lane) for lane in range(64)],
    "tried": [45] * 64,
    "groups": [
        *BYTES[0:4],
        *BYTES[8:12],
        *BYTES[16:20],
        *BYTES[24:28],
        *BYTES[32:36],
        *BYTES[40:44],
        *BYTES[2:4],
        OLD,
        OLD,
    ],
    "arrived": [*BYTES[0:4], 1, 0, *BYTES[8:12], 1],
    "all": [BYTES[2 * (63 - lane) + 1] for lane in range(64)],
    "copies": [
        *[BYTES[1], OLD, OLD, OLD, *BYTES[4:6], OLD, OLD, *BYTES[8:16], BYTES[17] & 0xFF, OLD, OLD, OLD],
        *[BYTES[20], BYTES[21] & 0xFF, OLD, OLD, 0, 0, 0, 0, *BYTES[28:31], BYTES[31] & 0xFF, *BYTES[32:36]],
        *[BYTES[36], BYTES[37] & 0xFFFFFF, 0, 0, 0, 0, 0, 0, *BYTES[44:48], BYTES[48] & 0xFFFFFF],
    ],
}
"""The first words that each kernel writes; all others are 0."""
FAULTS = {
    "misaligned_target": 716,
    "misaligned_source": 716,
    "misaligned_barrier": 716,
    "beyond": 700,
    "nowhere": 700,
}
TRACKED = "mbarrier.init.shared.b64 [bar], 2; cp.async.mbarrier.arrive.noinc.shared.b64 [bar];"
ARRIVE = "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];"
REFERENCE = {"copies"}
"""Kernels with a copy that reads only a part of its bytes."""


def run(name: str) -> tuple[list[int], int, int]:
    """Return the words of a kernel that a card is asked, the context's code, and how often both engines have run it."""
    with Bench(instructions.KERNELS.read_bytes(), strict=False) as bench:
        memory = bench.memory(instructions.given_bytes())
        assert bench.launch(name, memory, block=(instructions.THREADS, 1, 1)) == 0
        code = bench.sync()
        found = [] if code else bench.values(memory, "c_uint32", WORDS)
        return found, code, bench.twins.compared


@pytest.mark.parametrize("turn", [1, 3, 50, grid.TURN])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, turn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both engines write the words of the manual, wherever turns end."""
    monkeypatch.setattr(grid, "TURN", turn)
    wanted = PROGRAMS[name]
    found, code, _ = run(name)
    assert (code, found) == (0, wanted + [0] * (WORDS - len(wanted)))


def test_the_card_has_written_the_same() -> None:
    """The words and the faults of an H200."""
    wanted = {name: [*found, *[0] * (WORDS - len(found))] for name, found in PROGRAMS.items()}
    recorded: dict[str, Any] = {
        name: [int(text[at : at + 8], 16) for at in range(0, 8 * WORDS, 8)] if text.isalnum() else text
        for name, text in RECORDED["kernels"].items()
        if name in PROGRAMS or name in FAULTS
    }
    recorded["copies"][50:52] = 0, 0  # shared memory that the kernel has not written
    assert recorded == wanted | {name: f"cuCtxSynchronize: {code}" for name, code in FAULTS.items()}


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name: str) -> None:
    """Addresses are checked when a copy begins."""
    assert run(name)[:2] == ([], FAULTS[name])


def test_native_code() -> None:
    """It runs all but what is left to the reference."""
    pytest.importorskip("llvmlite", reason="llvmlite: pip install -e '.[kernels]'")
    assert {name for name in PROGRAMS if not run(name)[2]} == REFERENCE


def shared(body: str, count: int) -> list[int]:
    """Return words that one thread has written, which has 64 words to copy at %d1, and may read before it waits."""
    source = "".join(f"st.global.u32 [%d0+{256 + 4 * place}], {place + 1};" for place in range(64))
    return words(f"add.u64 %d1, %d0, 256; {source} {body}", count + 128, before=SHARED, races=False)[:count]


def test_a_copy_is_made_when_it_is_waited_for() -> None:
    """A kernel that reads before it waits gets what was there, even if other threads have waited for their own."""
    copy = "cp.async.ca.shared.global [data], [%d1], 4; cp.async.commit_group;"
    read = "ld.shared.u32 %r0, [data]; st.global.u32 [%d0+{}], %r0;"
    body = f"st.shared.u32 [data], 77; {copy} {read.format(0)} cp.async.wait_group 1; {read.format(4)}"
    assert shared(f"{body} cp.async.wait_group 0; {read.format(8)}", 3) == [77, 77, 1]
    late = f"{copy} st.global.u32 [%d1], 9; cp.async.wait_all; {read.format(0)}"
    assert shared(late, 1) == [9]
    assert shared(f"cp.async.ca.shared.global [data], [%d1], 4; cp.async.wait_group 0; {read.format(0)}", 1) == [0]


def test_the_oldest_of_many_copies_is_made() -> None:
    """A thread has 128 copies that are not made; groups that are empty do not count."""
    copies = "".join(f"cp.async.ca.shared.global [data+{4 * n}], [%d1+{4 * (n % 64)}], 4;" for n in range(130))
    copies = copies.replace(";", "; cp.async.commit_group; cp.async.commit_group;", 1)
    read = "".join(f"ld.shared.u32 %r0, [data+{4 * n}]; st.global.u32 [%d0+{4 * n}], %r0;" for n in range(4))
    assert shared(copies + read, 4) == [1, 2, 0, 0]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("mbarrier.arrive.shared.b64 %d2, [bar];", "which is not initialised"),
        ("mbarrier.init.shared.b64 [bar], 1; mbarrier.inval.shared.b64 [bar]; {test}", "which is not initialised"),
        ("mbarrier.init.shared.b64 [bar], 0;", "initialises an mbarrier for 0 arrivals"),
        ("mbarrier.init.shared.b64 [bar], 1048576;", "initialises an mbarrier for 1048576 arrivals"),
        ("mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 %d2, [bar], 3;", "with 2 pending arrivals"),
        ("mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 %d2, [bar], 0;", "arrives 0 times"),
        (
            "mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.noComplete.shared.b64 %d2, [bar], 1;",
            "completes a phase",
        ),
        ("mbarrier.init.b64 [%d0], 1;", "which is not in shared memory"),
        ("mov.u32 %r0, 9; cp.async.ca.shared.global [data], [%d0], 8, %r0;", "reads 9 bytes for a copy of 8"),
        (f"{TRACKED} mbarrier.inval.shared.b64 [bar]; {{test}}", "which is not initialised"),
        (
            f"mbarrier.init.shared.b64 [bar], 1; mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 8; {2 * ARRIVE} {{test}}",
            "with 0 pending arrivals",
        ),
    ],
)
def test_what_is_undefined(body: str, text: str) -> None:
    """It raises, and names the thread and the instruction."""
    test = "mbarrier.test_wait.parity.shared.b64 %p0, [bar], 0;"
    with (
        Bench(kernel(body.format(test=test), SHARED)) as bench,
        pytest.raises(fakecuda.KernelError, match=text) as error,
    ):
        bench.launch("k", bench.memory(bytes(64)))
    assert "thread (0, 0, 0) of block (0, 0, 0)" in str(error.value)


def both(body: str, count: int, threads: int, *, native: bool = True, races: bool = True) -> list[int]:
    """Return words that a kernel has written by both engines, or by the reference alone."""
    with Bench(kernel(body, SHARED), races=races) as bench:
        out = bench.memory(b"".join(place.to_bytes(4, "little") for place in range(count)))
        assert bench.launch("k", out, block=(threads, 1, 1)) == 0
        assert bench.twins.compared == (native and engine.is_installed())
        return bench.values(out, "c_uint32", count)


def test_a_generic_address() -> None:
    """An mbarrier lies in shared memory, also by a generic address."""
    body = (
        "mov.u64 %d1, bar; cvta.shared.u64 %d1, %d1; mbarrier.init.b64 [%d1], 1; mbarrier.arrive.b64 %d2, [%d1];"
        "mbarrier.try_wait.b64 %p0, [%d1], %d2, 100; selp.u32 %r0, 1, 0, %p0; st.global.u32 [%d0], %r0;"
    )
    assert both(body, 1, 1) == [1]
    with Bench(kernel(body.replace("bar;", "8192;"), SHARED), strict=False) as bench:
        assert bench.launch("k", bench.memory(bytes(4))) == 0
        assert bench.sync() == 700


def test_a_copy_of_bytes_that_change_before_it_is_made() -> None:
    """It reads them where a later store leaves them, although nothing has written there before."""
    copy = "cp.async.ca.shared.global [data], [%d0+4], 4; st.global.u32 [%d0+4], 9; cp.async.wait_all;"
    assert both(f"{copy} ld.shared.u32 %r0, [data]; st.global.u32 [%d0], %r0;", 2, 1) == [9, 9]


LISTED = """
mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 4; mov.u32 %r3, data; add.u32 %r3, %r3, %r2; cvt.u64.u32 %d1, %r2; add.u64 %d1, %d0, %d1;
setp.ne.u32 %p1, %r1, 0; @%p1 bra BEGUN; mbarrier.init.shared.b64 [bar], 8; mbarrier.init.shared.b64 [data+4088], 8;
BEGUN: bar.sync 0;
cp.async.ca.shared.global [%r3], [%d1], 4; cp.async.ca.shared.global [%r3+4], [%d1+4], 4; cp.async.commit_group;
cp.async.mbarrier.arrive.noinc.shared.b64 [bar];
cp.async.ca.shared.global [%r3+8], [%d1+8], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [data+4088];
cp.async.ca.shared.global [%r3+12], [%d1+12], 4; cp.async.wait_all;
bar.sync 0;
@%p1 bra SECOND;
FIRST: mbarrier.try_wait.parity.shared.b64 %p2, [data+4088], 0; @!%p2 bra FIRST;
SECOND: bar.sync 0;
ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r3]; st.global.v4.u32 [%d1+128], {%r4, %r5, %r6, %r7}; bar.sync 0;
THIRD: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra THIRD;
ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r3]; st.global.v4.u32 [%d1+256], {%r4, %r5, %r6, %r7};
"""


def test_copies_of_several_mbarriers() -> None:
    """Each makes its own copies, and those that a thread begins later are its group's."""
    found = both(LISTED, 96, 8, races=False)
    assert found[32:64] == [one for lane in range(8) for one in (0, 0, 4 * lane + 2, 4 * lane + 3)]
    assert found[64:] == list(range(32))


def test_many_copies_of_an_mbarrier() -> None:
    """The reference runs a block whose list is too long for native code."""
    for arrivals, native in ((12, True), (13, False)):
        copy = f"cp.async.ca.shared.global [data], [%d0+4], 4; {ARRIVE}"
        body = f"mbarrier.init.shared.b64 [bar], {arrivals}; {copy * arrivals}"
        test = "mbarrier.test_wait.parity.shared.b64 %p0, [bar], 0; selp.u32 %r0, 1, 0, %p0;"
        rest = f"{test} ld.shared.u32 %r1, [data]; add.u32 %r0, %r0, %r1; st.global.u32 [%d0], %r0;"
        assert both(body + rest, 2, 1, native=native, races=False) == [2, 1]
    copy = "cp.async.ca.shared.global [data], [%d0+4], 4;"
    body = f"mbarrier.init.shared.b64 [bar], 1; {copy * 25} cp.async.mbarrier.arrive.noinc.shared.b64 [bar];"
    assert both(body + rest, 2, 1, native=False, races=False) == [2, 1]


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("cp.async.cg.shared.global [data], [%d0], 8;", "its size"),
    ],
)
def test_what_is_refused(body: str, part: str) -> None:
    """The part is named."""
    with Bench(kernel(body, SHARED)) as bench, pytest.raises(fakecuda.KernelNotDefined, match=part):
        bench.launch("k", bench.memory(bytes(64)))


def test_many_groups() -> None:
    """Native code keeps 14 groups; the reference runs kernels that leave more pending."""
    draw = random.Random(3)  # noqa: S311 - no secret
    for left in (0, 1, 5, 13, 14):
        counts = [draw.randrange(3) for _ in range(20)]
        lines, place = [], 0
        for count in counts:
            for _ in range(count):
                lines.append(f"cp.async.ca.shared.global [data+{4 * place}], [%d1+{4 * place}], 4;")
                place += 1
            lines.append("cp.async.commit_group;")
        made = sum(counts[: 20 - left])
        read = [f"ld.shared.u32 %r0, [data+{4 * n}]; st.global.u32 [%d0+{4 * n}], %r0;" for n in range(place)]
        found = shared("\n".join([*lines, f"cp.async.wait_group {left};", *read]), place)
        assert found == [n + 1 if n < made else 0 for n in range(place)]
