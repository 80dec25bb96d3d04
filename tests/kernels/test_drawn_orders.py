"""Launches in drawn orders of their blocks and threads: mistakes that only another order shows, and their corrections."""

from __future__ import annotations

import ctypes
import random
import re
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.errors import FakeCudaError, KernelError, UndefinedBehaviour
from fakecuda.kernels import drawn, late, launch
from fakecuda.kernels.lower import lowered
from fakecuda.kernels.parse import parsed
from fakecuda.kernels.spaces import GlobalMemory
from fakecuda.machine.orders.step import THREADS, drawing, following, switching
from fakecuda.machine.runs.explore import Search
from fakecuda.model.code.kernel_run import Run
from fakecuda.model.effect import watched
from fakecuda.model.machine import MANUAL

from .world import Bench, kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Orders

ORDERS = 40
"""How many orders each mistake shows within, and each correction passes."""
SIZE = 256
PLACE = "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x;"
FIRST = PLACE + "setp.ne.u32 %p1, %r1, 0; @%p1 bra END;"
"""Only the first thread of each block goes on."""
END = "END:"


def handed_over(fence: str, store: str = "st.volatile", load: str = "ld.volatile") -> str:
    """Return a kernel whose first block hands a value over to the second one."""
    return f"""{FIRST} setp.ne.u32 %p1, %r2, 0; @%p1 bra TAKE;
    st.global.u32 [%d0+64], 7; {fence} {store}.global.u32 [%d0+128], 1; bra END;
    TAKE: {load}.global.u32 %r5, [%d0+128]; setp.eq.u32 %p1, %r5, 0; @%p1 bra TAKE;
    ld.global.u32 %r6, [%d0+64]; st.global.u32 [%d0], %r6; {END}"""


def last_block(fence: str) -> str:
    """Return a kernel whose last block adds what all blocks have stored."""
    return f"""{FIRST} mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %d0, %d1; st.global.u32 [%d1+64], 1; {fence}
    atom.global.add.u32 %r6, [%d0+128], 1; sub.u32 %r7, %r3, 1; setp.ne.u32 %p1, %r6, %r7; @%p1 bra END; {fence}
    mov.u32 %r8, 0; mov.u32 %r9, 0; add.u64 %d1, %d0, 64;
    NEXT: ld.global.u32 %r10, [%d1]; add.u32 %r9, %r9, %r10; add.u64 %d1, %d1, 4; add.u32 %r8, %r8, 1;
    setp.lt.u32 %p1, %r8, %r3; @%p1 bra NEXT; st.global.u32 [%d0], %r9; {END}"""


def locked(take: str, give: str) -> str:
    """Return a kernel whose blocks count under a lock."""
    return f"""{FIRST} TAKE: {take} %r5, [%d0+128], 0, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra TAKE;
    ld.global.u32 %r6, [%d0]; add.u32 %r6, %r6, 1; st.global.u32 [%d0], %r6; {give} %r7, [%d0+128], 0; {END}"""


COUNT = "ld.global.u32 %r5, [%d0]; add.u32 %r5, %r5, 1; st.global.u32 [%d0], %r5;"
SWAP, CAS = "atom{}.global.exch.b32", "atom{}.global.cas.b32"
PAIRS: dict[str, tuple[str, str, tuple[int, int], int]] = {
    "a counter without atomic operations": (COUNT, "red.global.add.u32 [%d0], 1;", (2, 32), 64),
    "a value that is not awaited": (
        f"""{FIRST} setp.ne.u32 %p1, %r2, 0; @%p1 bra TAKE; st.global.u32 [%d0+64], 7; bra END;
        TAKE: ld.global.u32 %r6, [%d0+64]; st.global.u32 [%d0], %r6; {END}""",
        handed_over("membar.gl;"),
        (2, 1),
        7,
    ),
    "a flag without a fence": (handed_over(""), handed_over("fence.acq_rel.gpu;"), (2, 32), 7),
    "a fence for the block alone": (handed_over("membar.cta;"), handed_over("membar.sys;"), (2, 32), 7),
    "a flag by plain accesses": (
        handed_over("", "st", "ld"),
        handed_over("", "st.release.gpu", "ld.acquire.gpu"),
        (2, 32),
        7,
    ),
    "a sum by the last block": (last_block(""), last_block("membar.gl;"), (5, 32), 5),
    "a lock without an order": (
        locked(CAS.format(""), SWAP.format("")),
        locked(CAS.format(".acquire"), SWAP.format(".release")),
        (4, 2),
        4,
    ),
    "a lock of a block in shared memory": (
        f".shared .u32 held; {COUNT}",
        f"""mov.u32 %r4, held; TAKE: atom.shared.cas.b32 %r5, [%r4], 0, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra TAKE;
        {COUNT} membar.cta; atom.shared.exch.b32 %r5, [%r4], 0;""",
        (1, 40),
        40,
    ),
}
"""A kernel with a mistake and a correct one, blocks and threads of a block, and what both leave in the first word."""


def launched(machine: Any, body: str, grid: int = 1, block: int = 1, data: bytes = b"") -> bytes:
    """Return what a kernel leaves in memory."""
    c: Any = machine.spawn().c
    assert c.cuInit(0) == (0,)
    Bench.ok(c.cuCtxCreate(None, 0, 0))
    before = ".shared .align 4 .u32 held;" if "held" in body else ""
    text = kernel(body.replace(before[:8] + " .u32 held;", ""), before)
    function = Bench.ok(c.cuModuleGetFunction(Bench.ok(c.cuModuleLoadData(text.encode())), b"k"))
    memory = ctypes.c_uint64(Bench.ok(c.cuMemAlloc(SIZE)))
    assert c.cuMemcpyHtoD(memory.value, data.ljust(SIZE, b"\0"), SIZE) == (0,)
    places = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
    assert c.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, 0, ctypes.addressof(places), 0) == (0,)
    found = bytearray(SIZE)
    assert c.cuMemcpyDtoH(found, memory.value, SIZE) == (0,)
    return bytes(found)


def program(body: str, shape: tuple[int, int], wanted: int) -> Callable[[Orders], None]:
    """Return a program that launches a kernel and looks at the first word."""

    def launches(orders: Orders) -> None:
        assert int.from_bytes(launched(orders.machine, body, *shape)[:4], "little") == wanted

    return launches


def explored(function: Callable[[Orders], None], **options: Any) -> Any:
    """Return the result of a search."""
    given: dict[str, Any] = {"profile": "h200", "kernels": "run", "schedules": ORDERS}
    return fakecuda.explore(function, **given | options)


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_mistakes_and_their_corrections(pair: tuple[str, str, tuple[int, int], int]) -> None:
    """The usual order shows none but the first one's: a card's would seldom."""
    wrong, correct, shape, wanted = pair
    found = explored(program(wrong, shape, wanted))
    assert isinstance(found.error, AssertionError)
    assert re.fullmatch(r"k@0:~[1-9]\d*", found.schedule)
    assert 1 < found.orders <= ORDERS
    passed = explored(program(correct, shape, wanted))
    assert (passed.error, passed.orders, passed.whole) == (None, ORDERS, False)


def test_a_schedule_repeats_an_order() -> None:
    """The same number gives the same bytes; the usual order passes."""
    wrong, _, shape, wanted = PAIRS["a counter without atomic operations"]
    function = program(wrong, shape, wanted)
    found = explored(function)
    again = explored(function, schedule=found.schedule)
    assert isinstance(again.error, AssertionError)
    assert again.schedule == found.schedule
    assert explored(function, schedule="").error is None
    left = set()
    for number in (1, 1, 2, 3, 4, 5):
        kept: list[bytes] = []

        def keep(orders: Orders, kept: list[bytes] = kept) -> None:
            kept.append(launched(orders.machine, wrong, *shape))

        explored(keep, schedule=f"k@0:~{number}")
        explored(keep, schedule=f"k@0:~{number}")
        assert kept[0] == kept[1]
        left.add(kept[0])
    assert len(left) > 2


def test_the_report_of_a_launch() -> None:
    """It names the launch, its order, and what is to do."""
    wrong, _, shape, wanted = PAIRS["a flag without a fence"]
    found = explored(program(wrong, shape, wanted))
    lines = found.report.splitlines()
    assert lines[0].endswith("orders fails, with 1 switch")
    assert f"->     the threads of this launch run in a drawn order: {found.schedule}" in lines
    assert any(line.startswith("  fix      order the threads of k that use the same memory: ") for line in lines)
    again = f'fakecuda.explore(launches, schedule="{found.schedule}", profile="h200", kernels="run")'
    assert f"  again    {again}" in lines


def test_only_the_launch_that_matters_is_drawn() -> None:
    """Of several, in a schedule with a seed too; a launch of one thread has no other order."""
    wrong, correct, shape, _ = PAIRS["a counter without atomic operations"]

    def several(orders: Orders) -> None:
        launched(orders.machine, correct, *shape)
        launched(orders.machine, wrong, 1, 1)
        assert launched(orders.machine, wrong, *shape)[0] == 64

    found = explored(several)
    assert re.fullmatch(r"k@1:~[1-9]\d*", found.schedule)
    assert explored(several, schedule=found.schedule.replace("@1", "@0")).error is None
    search = Search(several, {"profile": "h200", "kernels": "run", "completion": MANUAL, "shared": False}, prune=True)
    with watched(search.note):
        failed = next(run for run in map(search.run, map(drawing, range(30))) if run.error is not None)
        assert len([one for step in failed.steps for one in step.drawn]) in {1, 2}
        shorter = search.shortened(failed)
    assert [place for step in shorter.steps for place, _ in step.drawn] == ["k@1"]


def test_launches_within_calls() -> None:
    """With eager completion the call itself runs the kernel, and with pruning off the orders are the same."""
    wrong, _, shape, wanted = PAIRS["a counter without atomic operations"]
    for options in ({"completion": "eager"}, {"prune": False}):
        assert re.fullmatch(r"k@0:~\d+", explored(program(wrong, shape, wanted), **options).schedule)


def test_all_orders_of_one_thread() -> None:
    """There is one, so the search is whole."""
    found = explored(program("st.global.u32 [%d0], 7;", (1, 1), 7))
    assert (found.error, found.whole) == (None, True)


def test_launches_that_execute_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have the usual order alone. A drawn one that executes much more than that does not end."""
    wrong, _, shape, wanted = PAIRS["a counter without atomic operations"]
    function = program(wrong, shape, wanted)
    monkeypatch.setattr(launch, "MANY", 100)
    found = explored(function)
    assert (found.error, found.whole) == (None, True)
    monkeypatch.undo()
    monkeypatch.setattr(launch, "TIMES", 0)
    monkeypatch.setattr(launch, "SPINS", 100)
    found = explored(function, completion="eager")
    assert isinstance(found.error, KernelError)
    assert "does not end" in str(found.error)


def test_all_orders_of_a_launch_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The list of orders ends."""
    monkeypatch.setattr("fakecuda.machine.orders.step.THREADS", THREADS[:3])
    found = explored(program("red.global.add.u32 [%d0], 1;", (2, 2), 4), handles="apart")
    assert (found.error, found.orders, found.whole) == (None, 3, True)


def test_a_program_that_launches_something_else() -> None:
    """What was recorded for a call cannot be the order of a launch."""
    _, correct, shape, wanted = PAIRS["a counter without atomic operations"]
    search = Search(
        program(correct, shape, wanted),
        {"profile": "h200", "kernels": "run", "completion": MANUAL, "shared": False},
        prune=True,
    )
    with watched(search.note):
        done = search.run(switching(()))
        at = done.choices.index(THREADS[0])
        with pytest.raises(FakeCudaError, match="differs from run to run: at place k@0 of the order, main could run"):
            search._again("apart", [*done.choices[:at], "main"])
        assert search.run(following(done.choices)).error is None


def run_in(number: int, body: str, wanted: Any, *, before: str = "", **shape: Any) -> None:
    """Launch a kernel in an order with a number, and compare the words that it leaves."""
    with Bench(kernel(body, before)) as bench:
        bench.machine.scheduler.wait_timeout = 0.05
        out = bench.memory(bytes(SIZE))
        runner = launch.Runner()

        def drawn_run(function: Any, config: Any, args: tuple[bytes, ...], graph: Any, _: Any) -> Run:
            runner.prepare(function)
            return runner._drawn(function, config, args, Run(function.module.context, graph), number, 1000)

        bench.twins.run = drawn_run  # type: ignore[method-assign]
        bench.launch("k", out, **shape)
        assert bench.values(out, "c_uint32", len(wanted)) == wanted


@pytest.mark.parametrize("number", range(1, 9))
def test_threads_that_meet(number: int) -> None:
    """Barriers, shuffles, votes and clusters work in each order; so does what converges."""
    run_in(
        number,
        """mov.u32 %r1, %tid.x; shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0xFFFFFFFF; bar.sync 0; activemask.b32 %r3;
        popc.b32 %r4, %r3; setp.eq.u32 %p1, %r4, 0; selp.u32 %r4, 100, 0, %p1; add.u32 %r2, %r2, %r4;
        mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d0, %d1; st.global.u32 [%d1], %r2;""",
        [one ^ 1 for one in range(32)],
        block=(32, 1, 1),
    )
    run_in(
        number,
        """mov.u32 %r1, %cluster_ctarank; mov.u32 %r4, word; st.shared.u32 [%r4], %r1; barrier.cluster.arrive; barrier.cluster.wait;
        xor.b32 %r2, %r1, 1; mapa.shared::cluster.u32 %r3, %r4, %r2; ld.shared::cluster.u32 %r5, [%r3];
        barrier.cluster.arrive; barrier.cluster.wait; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d0, %d1; st.global.u32 [%d1], %r5;""",
        [1, 0],
        before=".shared .align 4 .u32 word;",
        grid=(2, 1, 1),
        cluster=(2, 1, 1),
    )


@pytest.mark.parametrize("number", range(1, 5))
def test_kernels_that_do_not_end(number: int) -> None:
    """A deadlock and an endless loop are found, with where the threads stand."""
    half = "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 1; @%p1 bar.sync 0, 64;"
    with pytest.raises(
        KernelError, match=r"block \(0, 0, 0\) waits for ever\n  1 of its threads wait at line \d+: @%p1 bar"
    ):
        run_in(number, half, [], block=(32, 1, 1))
    with pytest.raises(KernelError, match=r"does not end: .*\n  2 of its threads come to line"):
        run_in(number, "AGAIN: ld.volatile.global.u32 %r1, [%d0]; bra AGAIN;", [], block=(2, 1, 1))


def test_faults_and_findings_in_a_drawn_order() -> None:
    """A fault fails the context, and a race in shared memory is found."""

    def strays(orders: Orders) -> None:
        launched(orders.machine, "st.global.u32 [%d0+4096], 1;", 2, 2)

    assert isinstance(explored(strays, schedule="k@0:~1").error, AssertionError)
    race = "mov.u32 %r1, %tid.x; mov.u32 %r2, held; st.shared.u32 [%r2], %r1;"
    found = explored(program(race, (1, 40), 0), schedule="k@0:~1")
    assert isinstance(found.error, UndefinedBehaviour)


OVERLAPS = """st.global.u64 [%d0], 0x1122334455667788; st.global.u8 [%d0+2], 0xAA; ld.global.u64 %d1, [%d0]; st.global.u64 [%d0+8], %d1;
ld.global.v2.u32 {%r1, %r2}, [%d0+8]; st.global.v2.u32 [%d0+16], {%r2, %r1}; ld.volatile.global.u32 %r3, [%d0+16];
st.global.u32 [%d0+16], 5; st.global.u32 [%d0+16], 6; atom.global.add.u32 %r4, [%d0+16], 1; st.volatile.global.u32 [%d0+20], %r3;
ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%d0+16]; st.global.u32 [%d0+24], %r5; st.global.u32 [%d0+28], %r4;"""


@pytest.mark.parametrize("number", range(1, 5))
def test_a_block_sees_its_own_stores(number: int) -> None:
    """Of other sizes, as vectors, and behind atomic operations."""
    low = 0x55667788 & 0xFF00FFFF | 0xAA << 16
    run_in(number, OVERLAPS, [low, 0x11223344, low, 0x11223344, 7, 0x11223344, 7, 6])


@pytest.mark.parametrize("number", range(1, 4))
def test_many_late_stores(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest is made when there are too many; all are made at the end."""
    monkeypatch.setattr(late, "MOST", 3)
    stores = "".join(f"st.global.u32 [%d0+{4 * one}], {one};" for one in range(40))
    run_in(number, stores, list(range(40)))


def test_freed_memory_has_no_late_stores(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are made before it is freed, so that they change no other thread's memory."""
    made: list[int] = []
    kept = late.LateMemory.make_all

    def make_all(self: late.LateMemory) -> None:
        made.append(len(self.late))
        kept(self)

    monkeypatch.setattr(late.LateMemory, "make_all", make_all)
    before = ".extern .func free (.param .b64 p);"
    monkeypatch.setattr(drawn, "MAKES", (0.0,))
    run_in(
        1,
        "st.global.u32 [%d0], 3; { .param .b64 p0; st.param.b64 [p0], 0; call free, (p0); } st.global.u32 [%d0], 3;",
        [3],
        before=before,
    )
    assert made == [1, 1]


def test_where_threads_are_switched() -> None:
    """At accesses that others may see, and in kernels with bulk copies or clusters without late stores."""
    body = (
        "ld.param.u64 %d1, [out]; ld.global.u32 %r1, [%d0]; add.u32 %r1, %r1, 1; st.u32 [%d0], %r1; ld.shared.u32 %r2, [held];"
        "ld.volatile.shared.u32 %r2, [held]; red.shared.add.u32 [held], 1; membar.gl; add.u32 %r1, %r1, 1;"
    )
    text = kernel(body, ".shared .align 4 .u32 held;")
    pieces = lowered(parsed(text), "k", splits=True).codes["k"].pieces
    assert [one.instructions[0].name for one in pieces] == ["ld", "ld", "st", "ld", "red", "membar", "ret"]
    assert lowered(parsed(text), "k", splits=True).is_late
    assert not lowered(parsed(text), "k").is_late
    copies = kernel("cp.async.bulk.global.shared::cta.bulk_group [%d0], [held], 16;", ".shared .align 16 .b8 held[16];")
    for one in (copies, kernel("barrier.cluster.arrive; barrier.cluster.wait;")):
        assert not lowered(parsed(one), "k", splits=True).is_late


def test_strong_loads_and_vectors_see_late_stores() -> None:
    """They have the bytes that overlap, and the rest of memory."""
    with Bench(kernel("")) as bench:
        address = bench.memory(bytes(range(16)))
        memory = late.LateMemory(
            GlobalMemory(Run(next(iter(bench.machine.processes.values())).contexts[bench.context]))
        )
        memory.store(address + 2, 2, 0xFFFF)
        assert memory.poll(address, 4).to_bytes(4, "little") == b"\x00\x01\xff\xff"
        assert memory.front(address, 8, 4).to_bytes(4, "little") == b"\x00\x01\xff\xff"
        assert memory.whole.load(address, 4).to_bytes(4, "little") == bytes(range(4))
        draw = random.Random(0)  # noqa: S311 - no secret
        memory.make_some(draw)
        assert memory.whole.load(address, 4).to_bytes(4, "little") == b"\x00\x01\xff\xff"
        memory.make_some(draw)
