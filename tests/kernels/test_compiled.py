"""Native code of whole kernels beside the reference: faults, turns of threads, and what only the reference runs."""

from __future__ import annotations

import mmap
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.kernels import grid, launch, lower
from fakecuda.kernels.compiled import access, barriers, body, engine, private, rooms, runtime, search, thread, values
from fakecuda.kernels.parse import parsed
from fakecuda.kernels.row import Meaning
from fakecuda.kernels.spaces import WRITES

from .children import wrong
from .drawn import lowered
from .native import native_meaning, replaced
from .world import Bench, kernel, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytest.importorskip("llvmlite", reason="llvmlite: pip install -e '.[kernels]'")


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """Forget compiled kernels, which a test may have broken."""
    yield
    engine.native.cache_clear()


def ran(text: str, count: int = 16, **launch_options: Any) -> tuple[int, list[int], int]:
    """Return what a wait answers after a kernel, the words that it has written, and how many launches native code has run."""
    with Bench(kernel(text)) as bench:
        out = bench.memory(bytes(4 * count))
        assert bench.launch("k", out, **launch_options) == 0
        code = bench.sync()
        return code, [] if code else bench.values(out, "c_uint32", count), bench.twins.compared


REFUSED = [
    "ld.global.v8.u32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%d0];",
    "ld.global.v2.u32 %r0, [%d0];",
    "st.global.v2.u32 [%d0], %r0;",
    "ld.global.u32 %r0, [%h0];",
    "ld.global.u64 %r0, [%d0];",
    "add.u64 %d1, %r0, 1;",
    "mov.u32 %r0, g;",
    "mov.u64 %d1, %tid.x;",
    ".param .b64 q; mov.u64 %d1, q;",
    ".param .b64 q; ld.param.u32 %r0, [q+8];",
    ".param .b64 q; ld.param.u32 %r0, [q+2];",
    "ld.param.u32 %r0, [g];",
    "ld.param.u32 %r0, [f];",
    ".local .b32 l; ld.param.u32 %r0, [l];",
    "st.param.u32 [out], 1;",
    "red.param.add.u32 [out], 1;",
    "atom.global.cas.b32 %r0, [%d0], %r1;",
    "lop3.b32 %r0, %r1, %r2, %r3, %r4;",
    "bar.sync 16;",
    "bar.arrive 17, 64;",
    "shfl.sync.idx.b32 %r0, %d1, 0, 31, -1;",
    "vote.sync.any.pred %p0, %p1, %d1;",
    "bar.red.popc.u32 %r0, %h1, %p1;",
    "call f, (out);",
    ".param .b32 q; call f, (q);",
    ".param .b64 q; call reads, (q);",
    ".param .b64 q; call looks, (q);",
    ".param .align 8 .b8 q[16]; .param .b32 w; call (w), vprintf, (q, q);",
]
FUNCTIONS = """
.global .u32 g;
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.func f (.param .b64 p) { ret; }
.func reads (.param .b64 p) { .reg .b64 %d<2>; ld.param.u64 %d0, [%d1]; ret; }
.func looks (.param .b64 p) { .reg .b64 %d; mov.u64 %d, p; ret; }
"""


@pytest.mark.parametrize("text", REFUSED)
def test_what_only_the_reference_runs(text: str) -> None:
    """An instruction that is not lowered refuses its kernel."""
    program = parsed(kernel(text, FUNCTIONS))
    assert engine.native(lower.lowered(program, "k"), grid.TURN) is None


def test_limits_of_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many instructions, types of a meaning that differ from the reference's, and a system without llvmlite."""
    made = lower.lowered(parsed(kernel("add.u32 %r0, %r0, 1;")), "k")
    assert engine.native(made, 1) is not None
    monkeypatch.setattr(body, "MOST", 2)
    assert engine.native(made, 2) is None
    monkeypatch.undo()
    monkeypatch.setattr(values, "meaning_of", lambda _row: Meaning(lambda: 0, ("u32",), ("u32",)))
    assert engine.native(made, 3) is None
    monkeypatch.undo()
    monkeypatch.setattr(engine, "is_installed", lambda: False)
    assert engine.native(made, 4) is None
    assert native_meaning("min.f32", 1, 1, 1, 1) is None


def test_the_reference_runs_what_is_not_lowered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel is too long."""
    monkeypatch.setattr(body, "MOST", 2)
    code, found, count = ran("st.global.u32 [%d0], 5;")
    assert (code, found[0], count) == (0, 5, 0)


def test_llvmlite_is_imported_late() -> None:
    """The first launch that needs it imports it."""
    program = (
        "import sys, fakecuda; m = fakecuda.Machine('h200', kernels='run'); m.spawn(); m.close(); "
        "sys.exit('llvmlite' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_special_registers() -> None:
    """They have the reference's values in each thread."""
    names = ["tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ntid.z", "ctaid.x", "ctaid.y", "ctaid.z", "nctaid.x"]
    names += ["nctaid.y", "nctaid.z", "laneid", "warpid", "nwarpid", "smid", "nsmid", "dynamic_smem_size"]
    names += ["total_smem_size", *[f"lanemask_{one}" for one in ("eq", "le", "lt", "ge", "gt")]]
    text = """
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mad.lo.u32 %r1, %r2, 2, %r1; mov.u32 %r2, %ctaid.z; mad.lo.u32 %r1, %r2, 4, %r1;
    mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r1, 7, %r2; mov.u32 %r2, %tid.y; mad.lo.u32 %r1, %r1, 3, %r2;
    mov.u32 %r2, %tid.z; mad.lo.u32 %r1, %r1, 2, %r2; mul.wide.u32 %d1, %r1, 96; add.u64 %d1, %d1, %d0;
    """
    text += "".join(f"mov.u32 %r3, %{name}; st.global.u32 [%d1+{4 * place}], %r3;" for place, name in enumerate(names))
    code, found, count = ran(text, 8 * 42 * 24, grid=(2, 2, 2), block=(7, 3, 2), shared=64)
    assert (code, count) == (0, 1)
    assert found[24 + 2] == 1


@pytest.mark.parametrize(
    ("text", "code", "native"),
    [
        ("ld.global.u64 %d1, [%d0+56];", 0, 1),
        ("ld.global.u64 %d1, [%d0+64];", 700, 1),
        ("st.global.u32 [%d0+-4], 1;", 700, 1),
        ("ld.global.u16 %h0, [%d0+1];", 716, 1),
        ("ld.global.u32 %r0, [%d0]; ld.global.u32 %r0, [%d0+62];", 716, 1),
        (".shared .b64 s; st.shared.u64 [s], 1;", 0, 1),
        (".shared .b64 s; st.shared.u64 [s+8], 1;", 700, 1),
        (".shared .b64 s; st.shared.u64 [s+-8], 1;", 700, 1),
        (".shared .b64 s; st.shared.u64 [s+4], 1;", 716, 1),
        (".shared .b64 s; mov.u32 %r0, s; st.shared.u32 [%r0+4], 1;", 0, 1),
        (".local .b64 l; st.local.u64 [l], 1;", 0, 1),
        (".local .b64 l; st.local.u64 [l+8], 1;", 700, 1),
        (".local .b64 l; st.local.u64 [l+2], 1;", 716, 1),
        ("mov.u64 %d1, out; ld.param.u64 %d2, [%d1]; st.global.u32 [%d2], 7;", 0, 1),
        ("mov.u64 %d1, out; cvta.param.u64 %d1, %d1; ld.u64 %d2, [%d1]; st.global.u32 [%d2], 7;", 0, 1),
        ("mov.u64 %d1, out; cvta.param.u64 %d1, %d1; st.u64 [%d1], 5;", 0, 0),
        ("mov.u64 %d1, 0x4000000000000000; ld.u32 %r0, [%d1];", 700, 1),
        ("trap;", 719, 1),
        ("brkpt;", 719, 1),
        ("mov.u32 %r1, %tid.x; setp.eq.u32 %p0, %r1, 3; @%p0 trap; st.global.u32 [%d0], 1;", 719, 1),
    ],
)
def test_faults(text: str, code: int, native: int) -> None:
    """Both engines report the same kernel, thread, line, address and allocation."""
    found, _, count = ran(text, block=(5, 1, 1))
    assert (found, count) == (code, native)


@pytest.mark.parametrize("turn", [1, 2, 7, 100])
def test_turns(turn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads of several blocks see each other's writes in the same order, whatever a turn is."""
    monkeypatch.setattr(grid, "TURN", turn)
    text = """
    .shared .b32 s; .local .b64 l; .param .b32 q; st.local.u64 [l], %d0; st.param.b32 [q], 3;
    mov.u32 %r1, %tid.x; mov.u32 %r2, 0;
    L: atom.global.add.u32 %r3, [%d0], %r1; atom.shared.add.u32 %r4, [s], %r3; st.global.u32 [%d0+4], %r4;
    ld.global.u32 %r5, [%d0+8]; mad.lo.u32 %r5, %r5, 3, %r1; st.global.u32 [%d0+8], %r5;
    add.u32 %r2, %r2, 1; setp.le.u32 %p1, %r2, %r1; @%p1 bra L;
    @%p1 nanosleep.u32 1; nanosleep.u32 1;
    ld.param.b32 %r6, [q]; ld.local.u64 %d3, [l]; red.global.add.u32 [%d3+12], %r6; setp.eq.u32 %p2, %r1, 3; @%p2 exit;
    bar.sync 0; ld.shared.u32 %r7, [s]; red.global.xor.b32 [%d0+16], %r7;
    """
    code, found, count = ran(text, grid=(3, 1, 1), block=(6, 1, 1))
    assert (code, count) == (0, 1)
    assert found[0] == 3 * sum(n * (n + 1) for n in range(6))
    assert found[3] == 54


def test_deadlocks_and_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both engines say where the threads are."""
    monkeypatch.setattr(launch, "limit", lambda *_: 20_000)
    for text in (
        "bar.sync 0, 64;",
        "bar.sync 0; bar.sync 1, 96;",
        "L: bra L;",
        "L: ld.global.u32 %r1, [%d0]; setp.eq.u32 %p0, %r1, 0; @%p0 bra L;",
        "mov.u32 %r1, %tid.x; setp.eq.u32 %p0, %r1, 1; @%p0 bra L; bar.sync 0; ret; L: bar.sync 1;",
    ):
        with Bench(kernel(text)) as bench:
            out = bench.memory(bytes(64))
            with pytest.raises(fakecuda.KernelError):
                bench.launch("k", out, grid=(200, 1, 1), block=(8, 1, 1))
            assert bench.twins.compared == 1


def test_functions() -> None:
    """Functions that are called twice, have local memory, parameters and barriers of their own, and fall off their end."""
    before = """
    .func (.param .b64 r) twice (.param .b32 a, .param .align 4 .b8 b[8]) {
    .reg .b32 %r<9>; .reg .b64 %d<4>; .local .b32 l; .reg .pred %p;
    ld.local.u32 %r4, [l]; ld.param.b32 %r0, [a]; ld.param.b32 %r1, [b+4]; st.local.u32 [l], 77; bar.sync 0;
    mad.lo.u32 %r2, %r0, %r1, %r4; cvt.u64.u32 %d0, %r2; st.param.b64 [r], %d0; setp.gt.u32 %p, %r0, 4; @%p ret;
    mov.u64 %d1, l; cvta.local.u64 %d1, %d1; ld.u32 %r3, [%d1]; cvt.u64.u32 %d1, %r3; st.param.b64 [r], %d1;
    }
    .func nothing () { ret; }
    """
    text = """
    .param .b64 r; .param .b32 a; .param .align 4 .b8 b[8]; .local .b64 l; mov.u32 %r1, %tid.x; st.local.u64 [l], 5;
    st.param.b32 [a], %r1; st.param.b32 [b+4], 3; call.uni nothing;
    call.uni (r), twice, (a, b); ld.param.b64 %d1, [r];
    call.uni (r), twice, (a, b); ld.param.b64 %d2, [r]; add.u64 %d1, %d1, %d2;
    mul.wide.u32 %d2, %r1, 8; add.u64 %d2, %d2, %d0; st.global.u64 [%d2], %d1; @%p0 call.uni nothing;
    """
    with Bench(kernel(text, before)) as bench:
        out = bench.memory(bytes(64))
        assert bench.launch("k", out, block=(8, 1, 1)) == 0
        assert bench.twins.compared == 1
        assert bench.values(out, "c_uint64", 8) == [154] * 5 + [30, 36, 42]


def test_what_a_search_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is raised by the launch; if only the system has no room, the reference runs."""
    with Bench(kernel("st.global.u32 [%d0], 1;")) as bench:
        runner = launch.Runner()
        bench.machine.ptx = runner
        out = bench.memory(bytes(4))

        def raising(error: Exception) -> Callable[..., None]:
            def raised(*_: object, **__: object) -> None:
                raise error

            return raised

        monkeypatch.setattr(private, "flags_of", raising(fakecuda.FakeCudaError("no bytes")))
        with pytest.raises(fakecuda.FakeCudaError, match="no bytes"):
            bench.launch("k", out)
        monkeypatch.undo()
        monkeypatch.setattr(rooms, "ROOMS", [])
        monkeypatch.setattr(mmap, "mmap", raising(OSError("no room")))
        assert bench.launch("k", out) == 0
        monkeypatch.undo()
        assert bench.values(out, "c_uint32", 1) == [1]


LOOP = "L: add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 9; @%p0 bra L;"
REREAD = """
mov.u32 %r2, 2; L: ld.global.u32 %r1, [%d0]; st.global.u32 [%d0], 9; sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L;
st.global.u32 [%d0+4], %r1;
"""
PLANTED: list[tuple[Any, str, str, str, str]] = [
    (
        *(search, "search", "%fit = udiv i64 %room.left, %size", "%fit = add i64 %room.left, 5"),
        "mov.u64 %d1, %d0; L: ld.global.u32 %r1, [%d1]; add.u64 %d1, %d1, 4; bra L;",
    ),
    (
        *(search, "search", "store i64 0, ptr %s.span", "store i64 4, ptr %s.span"),
        REREAD,
    ),
    (barriers, "barriers", "icmp uge i64 %come, %wanted", "icmp ugt i64 %come, %wanted", "bar.sync 0;"),
    (
        *(barriers, "barriers", "icmp ne i64 %wait, 0", "icmp ne i64 0, 0"),
        "mov.u32 %r1, %tid.x; setp.eq.u32 %p0, %r1, 4; @%p0 bra L; bar.sync 0; ret; L: nanosleep.u32 1; nanosleep.u32 1;",
    ),
    (runtime, "lanes", "add i64 %spent.now, %used", "add i64 %spent.now, 1", LOOP),
    (thread, "text", "%live.less = sub i64 %live, 1", "%live.less = sub i64 %live, 0", LOOP),
]
"""Planted bugs: function, part of its output, replacement, and a failing kernel."""


@pytest.mark.parametrize(("owner", "name", "old", "new", "text"), PLANTED)
def test_mistakes_are_found(
    owner: Any, name: str, old: str, new: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broken line makes the engines differ."""
    monkeypatch.setattr(grid, "TURN", 3)
    ran(text, block=(5, 1, 1))
    replaced(monkeypatch, owner, name, old, new)
    with pytest.raises(AssertionError):
        ran(text, block=(5, 1, 1))


def test_atomic_operations_that_count_as_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some drawn kernel shows the mistake; ``test_planted`` has others."""
    engine.native.cache_clear()
    monkeypatch.setattr(access, "UPDATES", WRITES)
    assert "AssertionError" in next(wrong(range(15), lowered))


PER_THREAD = "mul.wide.u32 %d9, %r1, 4; add.u64 %d9, %d0, %d9; st.global.u32 [%d9], %r0;"


def test_registers_after_a_pause() -> None:
    """A thread that waits keeps the registers that it reads after nanosleep."""
    body = f"mov.u32 %r1, %tid.x; add.u32 %r0, %r1, 7; bar.sync 0; nanosleep.u32 20; {PER_THREAD}"
    assert words(body, 4, block=(4, 1, 1)) == [7, 8, 9, 10]
