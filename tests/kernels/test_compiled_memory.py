"""Native code that uses memory of all kinds, beside the reference: its end, many and large allocations, other devices."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from fakecuda.kernels.compiled import layout, private, rooms
from fakecuda.kernels.spaces import KINDS, POLLS, READS, UPDATES, WRITES
from fakecuda.model.code.array_bytes import ArrayBytes
from fakecuda.model.memory.backing import DeviceMemory

from .world import Bench, kernel

pytest.importorskip("llvmlite", reason="llvmlite: pip install -e '.[kernels]'")
MIB = 1 << 20
PADDED = "ld.global.v4.u32 {{%r1, %r2, %r3, %r4}}, [%d0+{}]; add.u32 %r1, %r1, %r3; st.global.u32 [%d0], %r1;"
SMALL = ".{0} .align 16 .b8 s[28]; st.{0}.u32 [s+16], 4; st.{0}.u32 [s+24], 6; ld.{0}.v4.u32 {{%r1, %r2, %r3, %r4}}, [s+16];"


def test_an_access_over_the_end_of_memory() -> None:
    """The reference says whether other memory adjoins."""
    with Bench(kernel("ld.global.u64 %d1, [%d0+8];")) as bench:
        assert bench.launch("k", bench.memory(bytes(12))) == 0
        assert bench.sync() == 700
        assert (bench.twins.compared, bench.twins.refused) == (0, 1)


@pytest.mark.parametrize(
    "body",
    [
        PADDED.format(16),
        f"{SMALL.format('shared')} add.u32 %r1, %r1, %r3; st.global.u32 [%d0], %r1;",
        f"{SMALL.format('local')} add.u32 %r1, %r1, %r3; st.global.u32 [%d0], %r1;",
        f"add.u64 %d1, %d0, 32; L: {PADDED.format(0)} add.u64 %d0, %d0, 16; setp.lt.u64 %p1, %d0, %d1; @%p1 bra L;",
    ],
)
def test_elements_of_a_vector_that_nothing_reads(body: str) -> None:
    """They may lie behind the memory: compilers read an aligned vector for its first elements."""
    with Bench(kernel(body)) as bench:
        out = bench.array("c_uint32", *range(7))
        assert bench.launch("k", out) == 0
        assert (bench.twins.compared, bench.sync()) == (1, 0)
        assert 10 in bench.values(out, "c_uint32", 7)


@pytest.mark.parametrize(
    ("body", "words", "told"),
    [
        (PADDED.format(16), 6, "reads 12 bytes at"),
        (PADDED.format(8), 7, "uses 16 bytes at"),
        (PADDED.format(16) + "st.global.u32 [%d0], %r4;", 7, "reads 16 bytes at"),
        ("ld.global.v2.u16 {%h1, %h2}, [%d0+24]; st.global.u16 [%d0], %h1;", 6.5, "reads 4 bytes at"),
        ("ld.relaxed.gpu.global.v2.u32 {%r1, %r2}, [%d0+24]; st.global.u32 [%d0], %r1;", 7, "reads 8 bytes at"),
        ("ld.global.v2.u32 {%r1, %r2}, [%d0+24];", 7, "reads 8 bytes at"),
        (
            ".shared .align 16 .b8 s[28]; ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s+32]; st.u32 [%d0], %r3;",
            7,
            "uses 12",
        ),
        ("L: ld.global.v2.u64 {%d1, %d2}, [%d2]; st.global.u64 [%d0], %d1; bra L;", 7, "reads 16 bytes at"),
    ],
)
def test_vectors_over_the_end(body: str, words: float, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The elements that something reads lie in memory, and the vector is aligned."""
    with Bench(kernel(body)) as bench:
        out = bench.memory(bytes(int(4 * words)))
        assert bench.launch("k", out) == 0
        assert bench.sync() == (716 if "uses 16" in told else 700)
    assert told in capsys.readouterr().err


def test_many_allocations() -> None:
    """A kernel may use more than the table has room for at first."""
    text = """
    mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 8; add.u64 %d1, %d1, %d0; ld.global.u64 %d2, [%d1];
    atom.global.add.u32 %r2, [%d2], %r1; st.global.u32 [%d2+4], %r2;
    """
    with Bench(kernel(text)) as bench:
        places = [bench.array("c_uint32", number, 0) for number in range(40)]
        assert bench.launch("k", bench.array("c_uint64", *places, *places), block=(80, 1, 1)) == 0
        assert bench.twins.compared == 1
        assert [bench.values(one, "c_uint32", 2) for one in places] == [[3 * n + 40, 2 * n] for n in range(40)]


def test_large_allocations() -> None:
    """Their pages are shared until the kernel writes them, and a fault leaves them as they were."""
    text = "add.u64 %d1, %d0, {}; ld.global.u32 %r1, [%d1]; add.u32 %r1, %r1, 1; st.global.u32 [%d1], %r1; {}"
    for filled in (None, 3):
        for end in ("", "trap;"):
            with Bench(kernel(text.format(5 * MIB, end))) as bench:
                out = bench.ok(bench.c.cuMemAlloc(8 * MIB))
                if filled is not None:
                    bench.ok(bench.c.cuMemsetD32(out, filled, 2 * MIB))
                assert bench.launch("k", out) == 0
                assert bench.twins.compared == 1
                assert bench.sync() == (719 if end else 0)
                if not end:
                    begun = filled or 0
                    assert bench.values(out + 5 * MIB - 4, "c_uint32", 3) == [begun, begun + 1, begun]


def test_other_kinds_of_memory() -> None:
    """Page-locked and managed memory, and a mapping that its device may only read."""
    text = "ld.global.u32 %r1, [%d0]; add.u32 %r1, %r1, 1; st.global.u32 [%d0], %r1;"
    with Bench(kernel(text)) as bench:
        places = [bench.ok(bench.c.cuMemHostAlloc(8, 0)), bench.ok(bench.c.cuMemAllocManaged(8, 1))]
        for place in places:
            ctypes.c_uint32.from_address(place).value = 41
            assert bench.launch("k", place) == 0
            assert bench.sync() == 0
            assert ctypes.c_uint32.from_address(place).value == 42
        assert bench.twins.compared == 2
        place = bench.ok(bench.c.cuMemAddressReserve(2 * MIB, 0, 0, 0))
        handle = bench.ok(bench.c.cuMemCreate(2 * MIB, (1, 0, (1, 0), 0, (0, 0, 0)), 0))
        bench.ok(bench.c.cuMemMap(place, 2 * MIB, 0, handle, 0))
        for flags, code in ((3, 0), (1, 700)):
            bench.ok(bench.c.cuMemSetAccess(place, 2 * MIB, [((1, 0), flags)], 1))
            assert bench.launch("k", place) == 0
            assert bench.sync() == code
        assert bench.twins.compared == 4


def test_polls_of_memory_that_may_only_be_read() -> None:
    """They need no right to write, and strong stores do."""
    for text, code in (("ld.relaxed.gpu.u32 %r1, [%d0];", 0), ("st.relaxed.gpu.u32 [%d0], 1;", 700)):
        with Bench(kernel(text)) as bench:
            place = bench.ok(bench.c.cuMemAddressReserve(2 * MIB, 0, 0, 0))
            handle = bench.ok(bench.c.cuMemCreate(2 * MIB, (1, 0, (1, 0), 0, (0, 0, 0)), 0))
            bench.ok(bench.c.cuMemMap(place, 2 * MIB, 0, handle, 0))
            bench.ok(bench.c.cuMemSetAccess(place, 2 * MIB, [((1, 0), 1)], 1))
            assert bench.launch("k", place) == 0
            assert bench.sync() == code
            assert bench.twins.compared == 1


def test_memory_of_another_device() -> None:
    """Without peer access it is a fault."""
    with Bench(kernel("st.global.u32 [%d0], 1;"), profile="h200-x2") as bench:
        other = bench.ok(bench.c.cuCtxCreate(None, 0, 1))
        far = bench.memory(bytes(4))
        bench.ok(bench.c.cuCtxSetCurrent(bench.context))
        bench.ok(bench.c.cuCtxEnablePeerAccess(other, 0))
        assert bench.launch("k", far) == 0
        assert bench.values(far, "c_uint32", 1) == [1]
        bench.ok(bench.c.cuCtxDisablePeerAccess(other))
        assert bench.launch("k", far) == 0
        assert bench.sync() == 700
        assert bench.twins.compared == 2


def test_an_address_of_local_memory_in_32_bits() -> None:
    """Compilers of some versions write it so."""
    text = """
    .local .align 8 .b8 own[12]; mov.u32 %r1, own; add.u32 %r1, %r1, 4; cvt.u64.u32 %d1, %r1; cvta.local.u64 %d2, %d1;
    st.u32 [%d2], 7; ld.local.u32 %r2, [own+4]; st.global.u32 [%d0], %r2;
    """
    with Bench(kernel(text)) as bench:
        out = bench.memory(bytes(4))
        assert bench.launch("k", out) == 0
        assert bench.values(out, "c_uint32", 1) == [7]
        assert bench.twins.compared == 1


def test_chunks_of_an_allocation() -> None:
    """A word that a thread has read is read again after another has written to its chunk; what others have is untouched."""
    text = """
    mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d1, %d0; ld.global.u32 %r2, [%d1];
    add.u32 %r2, %r2, 1; st.global.u32 [%d1+4], %r2; st.global.u8 [%d1+700001], 3; ld.global.u16 %h1, [%d1+262142];
    atom.global.add.u32 %r3, [%d0+524284], 1;
    """
    with Bench(kernel(text)) as bench:
        out = bench.memory(bytes(4) + bytes([9]) * 800_000)
        assert bench.launch("k", out, block=(8, 1, 1)) == 0
        assert bench.twins.compared == 1
        assert bench.values(out, "c_uint32", 9) == [*range(9)]
        assert bench.read(out + 36, 4) == bytes([9]) * 4


@pytest.mark.parametrize(
    ("text", "own", "use"),
    [
        ("ld.global.u32 %r1, [%d0];", 0, READS),
        ("st.global.u8 [%d0+1], 1;", 1, WRITES),
        ("red.global.add.u32 [%d0], 1;", 1, UPDATES),
        ("st.volatile.global.u16 [%d0], 1;", 1, UPDATES),
        ("ld.volatile.global.u32 %r1, [%d0];", 0, POLLS),
    ],
)
def test_the_state_of_a_chunk(text: str, own: int, use: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What changes a chunk copies it, and each use has marks of its own."""
    states: list[bytes] = []
    uses = private.PrivateMemory.uses

    def noted(self: private.PrivateMemory) -> tuple[list[tuple[int, int]], ...]:
        states[:] = [bytes(part.states) for part in self.parts]
        return uses(self)

    monkeypatch.setattr(private.PrivateMemory, "uses", noted)
    with Bench(kernel(text)) as bench:
        out = bench.memory(bytes(600_000))
        assert bench.launch("k", out) == 0
        assert bench.twins.compared == 1
    assert states == [bytes([own, *(one == use for one in range(KINDS)), *[0] * 2 * layout.STATES])]


def test_memory_that_later_launches_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is cleared, kept unless it is large, and an allocation without room in it has its own."""
    monkeypatch.setattr(rooms, "ROOMS", [])
    text = """
    ld.global.u32 %r1, [%d0]; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d1, %d0; ld.global.u32 %r2, [%d1]; add.u64 %d1, %d1, 8;
    st.global.u32 [%d1], 7;
    """
    with Bench(kernel(text)) as bench:
        for number in range(3):
            out = bench.array("c_uint32", number, *[0] * 9)
            assert bench.launch("k", out) == 0
            assert bench.values(out, "c_uint32", 10).index(7) == number + 2
            assert bench.twins.compared == number + 1
            assert len(rooms.ROOMS) == 1
        monkeypatch.setattr(private, "KEPT", 0)
        assert bench.launch("k", bench.array("c_uint32", 0, 1, 2, 3)) == 0
        assert not rooms.ROOMS
        monkeypatch.setattr(rooms, "ROOM", 64)
        monkeypatch.setattr(rooms, "ZEROS", [])
        large = bench.ok(bench.c.cuMemAlloc(MIB))
        assert bench.launch("k", large) == 0
        assert bench.values(large, "c_uint32", 4) == [0, 0, 7, 0]
        assert bench.twins.compared == 5


def test_memory_that_only_another_process_touches(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is copied before native code reads it."""

    def get(_memory: object, _extent: object, _offset: int, target: int, size: int) -> None:
        ctypes.memset(target, 5, size)

    with Bench(kernel("")) as bench:
        place = bench.memory(bytes(600_000))
        run = private.PrivateRun(bench.machine.processes["a"].contexts[bench.context])
        with monkeypatch.context() as patched:
            patched.setattr(DeviceMemory, "near", False)
            patched.setattr(DeviceMemory, "get", get, raising=False)
            assert run.memory.find(place + 8, 4, layout.READABLE) == layout.Answer.FOUND
        assert run.memory.read(place + 524_284, 4) == bytes([5]) * 4
        assert run.memory.uses()[READS] == [(place + 524_284, 4)]
        (part,) = run.memory.parts
        assert part.hold() is part.hold()


def test_generic_addresses_in_many_pieces() -> None:
    """The labels of their checks are no labels of pieces."""
    steps = [f"ld.u32 %r1, [%d0]; add.u32 %r1, %r1, 1; st.u32 [%d0], %r1; bra L{one}; L{one}:" for one in range(150)]
    with Bench(kernel(" ".join([*steps, "@%p0 bra L0;"]))) as bench:
        out = bench.array("c_uint32", 2)
        assert bench.launch("k", out) == 0
        assert bench.values(out, "c_uint32", 1) == [152]
        assert bench.twins.compared == 1


def test_several_allocations_that_were_never_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their zeros stay where they are while a launch lasts."""
    monkeypatch.setattr(rooms, "ZEROS", [])
    monkeypatch.setattr(rooms, "ROOM", 4096)
    text = """
    ld.global.u64 %d1, [%d0]; ld.global.u64 %d2, [%d0+8]; ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d2];
    L: ld.global.u32 %r3, [%d1+262140]; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 3; @%p1 bra L; add.u32 %r3, %r3, 5;
    st.global.u32 [%d1+262144], %r3;
    """
    with Bench(kernel(text)) as bench:
        places = [bench.ok(bench.c.cuMemAlloc(size)) for size in (4 * MIB, 64 * MIB)]
        assert bench.launch("k", bench.array("c_uint64", *places)) == 0
        assert bench.twins.compared == 1
        assert bench.values(places[0] + 262140, "c_uint32", 3) == [0, 5, 0]
        assert len(rooms.ZEROS) > 1


COPY = kernel(
    "ld.param.u64 %d1, [from]; ld.global.u32 %r1, [%d1]; st.global.u32 [%d0], %r1;",
    params=".param .u64 out, .param .u64 from",
)


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the addresses that native code has searched for."""
    found: list[int] = []
    find = private.PrivateMemory.find

    def noted(self: private.PrivateMemory, address: int, size: int, need: int) -> int:
        found.append(address)
        return find(self, address, size, need)

    monkeypatch.setattr(private.PrivateMemory, "find", noted)
    return found


def test_allocations_that_the_next_launch_knows(searches: list[int]) -> None:
    """They are searched for once while they are as they were, and a launch sees what was written between launches."""
    with Bench(COPY) as bench:
        out, given = bench.memory(bytes(4)), bench.ok(bench.c.cuMemAlloc(4))
        for number, block in enumerate((1, 1, 1, 32, 32)):
            bench.ok(bench.c.cuMemsetD32(given, number, 1)) if number else None
            assert bench.launch("k", out, given, block=(block, 1, 1)) == 0
            assert bench.values(out, "c_uint32", 1) == [number]
        assert searches == [given, out]
        more = [bench.array("c_uint32", number) for number in range(private.MOST)]
        for number, one in enumerate(more):
            assert bench.launch("k", out, one) == 0
            assert bench.values(out, "c_uint32", 1) == [number]
        assert searches.count(out) == 2  # there were too many to know all
        bench.ok(bench.c.cuMemFree(more[-1]))
        assert bench.launch("k", out, given) == 0
        assert searches.count(out) == 3
        assert bench.launch("k", out, more[-1]) == 0
        assert bench.sync() == 700
        assert bench.twins.compared == 5 + private.MOST + 2


def test_access_that_ends_between_launches(searches: list[int]) -> None:
    """A launch does not use memory of another device as the launch before did."""
    with Bench(COPY, profile="h200-x2") as bench:
        out = bench.memory(bytes(4))
        bench.ok(bench.c.cuCtxCreate(None, 0, 1))
        other, given = bench.ok(bench.c.cuCtxGetCurrent()), bench.array("c_uint32", 7)
        bench.ok(bench.c.cuCtxSetCurrent(bench.context))
        bench.ok(bench.c.cuCtxEnablePeerAccess(other, 0))
        for _ in range(2):
            assert bench.launch("k", out, given) == 0
        assert searches == [given, out]
        assert bench.values(out, "c_uint32", 1) == [7]
        bench.ok(bench.c.cuCtxDisablePeerAccess(other))
        assert bench.launch("k", out, given) == 0
        assert bench.sync() == 700
        assert bench.twins.compared == 3


def test_launches_that_use_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the rules and the commit keep of a launch is used again only if the next one uses the same bytes in the same ways."""
    text = kernel(
        "ld.param.u64 %d1, [at]; add.u64 %d1, %d1, %d0; ld.global.u32 %r1, [%d0]; add.u32 %r1, %r1, 1; st.global.u32 [%d1], %r1;",
        params=".param .u64 out, .param .u64 at",
    )
    written: list[tuple[int, int]] = []
    pieces = private.PrivateRun.pieces

    def noted(run: private.PrivateRun, address: int, size: int, access: int = 0) -> Any:
        written.append((address, size))
        return pieces(run, address, size, access)

    monkeypatch.setattr(private.PrivateRun, "pieces", noted)
    with Bench(text) as bench:
        out = bench.array("c_uint32", 1, 0, 0, 0)
        for at, value, is_known in (
            (4, 2, False),
            (4, 2, True),
            (8, 2, False),
            (0, 2, False),
            (0, 3, True),
            (0, 4, True),
            (4, 5, False),
        ):
            assert bench.launch("k", out, at) == 0
            assert bench.values(out, "c_uint32", 4)[at // 4] == value
            assert written == ([] if is_known else [(out, 4), (out + at, 4), (out + at, 4)]), at
            written.clear()
        assert bench.twins.compared == 7


def test_uses_that_no_marks_show() -> None:
    """Arrays and texels have no marks in the memory, so nothing is kept of launches that use them."""
    with Bench(COPY) as bench:
        assert bench.launch("k", bench.memory(bytes(4)), bench.memory(bytes(4))) == 0
        context = bench.machine.processes["a"].contexts[bench.context]
        run = private.PrivateRun(context, spare=bench.twins.spare)
        known = run.memory.uses()
        assert run.memory.uses() is known
        assert run.listed(lambda _: 1) == run.listed(lambda _: 2) == 1
        run.arrays[1] = ArrayBytes.__new__(ArrayBytes)
        assert run.listed(lambda _: 2) == 2
        run.memory.parts[0].hold()
        known = run.memory.uses()
        assert run.memory.uses() is not known
