"""Calls that native code makes by a stack, by an address, and of system functions, beside the reference."""

from __future__ import annotations

import ctypes
import signal
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda.kernels import grid, launch
from fakecuda.kernels.compiled import asked, calls, engine
from fakecuda.kernels.compiled import grid as compiled_grid
from fakecuda.model.code.kernel_run import Run

from .test_compiled import ran
from .world import Bench, kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("llvmlite", reason="llvmlite: pip install -e '.[kernels]'")
FIB = """
.func (.param .b32 r) half (.param .b32 n);
.func (.param .b32 r) inner (.param .b32 n);
.func (.param .b32 r) fib (.param .b32 n) {
.reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p; .local .align 8 .b8 own[12]; .param .b32 a; .param .b32 b;
ld.param.b32 %r0, [n]; ld.local.u32 %r5, [own+8]; st.local.u32 [own+8], %r0; mov.u64 %d0, own; cvta.local.u64 %d0, %d0;
setp.lt.u32 %p, %r0, 2; @%p bra L; sub.u32 %r1, %r0, 1; st.param.b32 [a], %r1; call.uni (b), fib, (a); ld.param.b32 %r2, [b];
sub.u32 %r1, %r0, 2; st.param.b32 [a], %r1; call.uni (b), half, (a); ld.param.b32 %r3, [b]; ld.u32 %r4, [%d0+8];
sub.u32 %r4, %r4, %r0; add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r5; st.param.b32 [r], %r2; ret;
L: st.param.b32 [r], %r0; }
.func (.param .b32 r) half (.param .b32 n) {
.reg .b32 %r<9>; .local .b32 l; .param .b32 a; .param .b32 b; ld.param.b32 %r0, [n]; st.local.b32 [l], %r0; st.param.b32 [a], %r0;
call.uni (b), inner, (a); ld.param.b32 %r1, [b]; st.param.b32 [r], %r1; }
.func (.param .b32 r) inner (.param .b32 n) {
.reg .b32 %r<9>; .local .b32 l; .param .b32 a; .param .b32 b; ld.param.b32 %r0, [n]; st.local.b32 [l], %r0; st.param.b32 [a], %r0;
call.uni (b), fib, (a); ld.param.b32 %r1, [b]; st.param.b32 [r], %r1; }
"""
CALL_FIB = """
.param .b32 a; .param .b32 b; .local .align 4 .b8 odd[20]; mov.u32 %r1, %tid.x; st.local.u32 [odd+16], %r1; st.param.b32 [a], %r1;
call.uni (b), fib, (a); ld.param.b32 %r2, [b]; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d1, %d0; st.global.u32 [%d1], %r2;
"""


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """Forget compiled kernels, which a test may have changed."""
    yield
    engine.native.cache_clear()


@pytest.mark.parametrize("turn", [1, 7, 5000])
def test_functions_that_call_themselves(turn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has registers, parameters and local memory of its own, whatever a turn is."""
    monkeypatch.setattr(grid, "TURN", turn)
    with Bench(kernel(CALL_FIB, FIB)) as bench:
        out = bench.memory(bytes(44))
        assert bench.launch("k", out, block=(11, 1, 1)) == 0
        assert bench.twins.compared == 1
        assert bench.values(out, "c_uint32", 11) == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55]


ENDLESS = """
.func deep (.param .b64 n) { .reg .b64 %d<4>; .param .b64 a; MORE
ld.param.b64 %d0, [n]; add.u64 %d0, %d0, 1; st.param.b64 [a], %d0; call.uni deep, (a); ret; }
"""


@pytest.mark.parametrize("more", ["", ".local .align 16 .b8 l[512];"])
def test_functions_without_end(more: str) -> None:
    """The reference says that the stack is too small."""
    with Bench(kernel(".param .b64 a; call.uni deep, (a);", ENDLESS.replace("MORE", more))) as bench:
        assert bench.launch("k", bench.memory(bytes(4))) == 0
        assert bench.sync() == 714
        assert (bench.twins.compared, bench.twins.refused) == (0, 1)


def test_stacks_of_several_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference runs what needs more."""
    compared = []
    for room in (300, 700, 1100, 4000):
        monkeypatch.setattr(calls, "ROOM", room)
        engine.native.cache_clear()
        with Bench(kernel(CALL_FIB, FIB)) as bench:
            assert bench.launch("k", bench.memory(bytes(44)), block=(11, 1, 1)) == 0
            compared.append(bench.twins.compared)
    assert compared == [0, 0, 0, 1]


POINTED = """
.func (.param .b32 r) plus (.param .b32 n) { .reg .b32 %r<4>; .local .b32 l; ld.param.b32 %r0, [n]; st.local.b32 [l], %r0;
ld.local.b32 %r1, [l]; add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; }
.func (.param .b32 r) times (.param .b32 n) { .reg .b32 %r<4>; ld.param.b32 %r0, [n]; shl.b32 %r1, %r0, 4; st.param.b32 [r], %r1; ret; }
.func (.param .b32 r) wide (.param .b64 n) { st.param.b32 [r], 5; ret; }
.func one () { ret; }
.global .u64 table[4] = {plus, times, wide, one};
"""
CALL_POINTED = """
.param .b32 a; .param .b32 b; mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d1, %d0;
and.b32 %r2, %r1, 1; WHICH mul.wide.u32 %d2, %r2, 8; mov.u64 %d3, table; add.u64 %d3, %d3, %d2; ld.global.u64 %d4, [%d3];
st.param.b32 [a], %r1; P: .callprototype (.param .b32 _) _ (.param .b32 _); call (b), %d4, (a), P; ld.param.b32 %r3, [b];
mov.u64 %d5, plus; st.param.b32 [a], %r3; call (b), %d5, (a), P; call.uni (b), plus, (b); ld.param.b32 %r3, [b];
st.global.u32 [%d1], %r3;
"""


@pytest.mark.parametrize("turn", [1, 5000])
def test_functions_by_their_addresses(turn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a table and of the code, and the same functions by their names."""
    monkeypatch.setattr(grid, "TURN", turn)
    with Bench(kernel(CALL_POINTED.replace("WHICH", ""), POINTED)) as bench:
        out = bench.memory(bytes(24))
        assert bench.launch("k", out, block=(6, 1, 1)) == 0
        assert bench.twins.compared == 1
        assert bench.values(out, "c_uint32", 6) == [3, 18, 5, 50, 7, 82]


def test_other_addresses_are_faults() -> None:
    """The reference runs a function whose parameters are others."""
    with Bench(kernel(CALL_POINTED.replace("WHICH", "add.u32 %r2, %r2, 2;"), POINTED)) as bench:
        assert bench.launch("k", bench.memory(bytes(24))) == 0
        assert (bench.twins.compared, bench.twins.refused) == (0, 1)
    code, _, count = ran(
        ".param .b32 a; .param .b32 b; P: .callprototype (.param .b32 _) _ (.param .b32 _); call (b), %d0, (a), P;",
    )
    assert (code, count) == (718, 1)


BRANCHES = """
mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d1, %d0; T: .branchtargets A, B, A;
@%p0 brx.idx %r1, T; brx.idx.uni %r1, T; A: st.global.u32 [%d1], 5; ret; B: st.global.u32 [%d1], 6; ret;
"""


def test_branches_by_an_index() -> None:
    """A number beyond the list is a fault."""
    code, found, count = ran(BRANCHES, block=(3, 1, 1))
    assert (code, found[:4], count) == (0, [5, 6, 5, 0], 1)
    code, _, count = ran(BRANCHES, block=(4, 1, 1))
    assert (code, count) == (719, 1)


def test_registers_that_count_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """They grow with each turn of a thread and with each question."""
    monkeypatch.setattr(grid, "TURN", 3)
    text = "mov.u32 %r1, %clock; mov.u64 %d1, %clock64; mov.u32 %r2, %clock_hi; mov.u64 %d2, %globaltimer;"
    text += "cvt.u32.u64 %r3, %d1; st.global.v4.u32 [%d0], {%r1, %r3, %r2, %r1}; st.global.u64 [%d0+16], %d2;"
    code, found, count = ran(text, block=(2, 1, 1))
    assert (code, count) == (0, 1)
    assert found[0] < found[1] < found[4]
    assert found[2] == 0


PRINT = """
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.global .align 8 .b8 form[16] = {37, 100, 32, 37, 115, 32, 37, 115, 10, 0};
.global .align 8 .b8 word[8] = {119, 111, 0};
.shared .align 8 .b8 near[8];
"""
CALL_PRINT = """
.param .b64 a; .param .b64 b; .param .b32 w; .local .align 8 .b8 stack[24]; mov.u32 %r1, %tid.x; st.shared.u32 [near], 0x6968;
st.local.u32 [stack], %r1; mov.u64 %d1, word; cvta.global.u64 %d1, %d1; st.local.u64 [stack+8], %d1;
mov.u64 %d1, near; cvta.shared.u64 %d1, %d1; st.local.u64 [stack+16], %d1; mov.u64 %d1, form; cvta.global.u64 %d1, %d1;
WHICH st.param.b64 [a], %d1; mov.u64 %d2, stack; cvta.local.u64 %d2, %d2; st.param.b64 [b], %d2;
call.uni (w), vprintf, (a, b); ld.param.b32 %r2, [w]; red.global.add.u32 [%d0], %r2;
"""


def printed(which: str, capsys: pytest.CaptureFixture[str], threads: int = 3) -> tuple[int, int, str]:
    """Return what a wait answers after a kernel that prints, how many launches native code has run, and the text."""
    with Bench(kernel(CALL_PRINT.replace("WHICH", which), PRINT)) as bench:
        out = bench.memory(bytes(16))
        assert bench.launch("k", out, block=(threads, 1, 1)) == 0
        code, count = bench.sync(), bench.twins.compared
        if not code:
            assert bench.values(out, "c_uint32", 1) == [3 * threads] or which
    return code, count, capsys.readouterr().out


def test_printing(capsys: pytest.CaptureFixture[str]) -> None:
    """Texts lie in global and in shared memory, and arguments in the local memory of the thread."""
    assert printed("", capsys) == (0, 1, "0 wo hi\n1 wo hi\n2 wo hi\n")


@pytest.mark.parametrize(
    ("which", "code", "native"),
    [
        ("mov.u64 %d1, 0;", 700, 1),
        ("mov.u64 %d1, 0x1000000000001000;", 700, 1),
        ("mov.u64 %d1, out; cvta.param.u64 %d1, %d1; add.u64 %d1, %d1, 7;", 0, 1),
        ("st.local.u64 [stack+8], 0x2000000000000000;", 0, 1),
        ("st.local.u64 [stack+8], 5;", 700, 1),
    ],
)
def test_printing_of_other_addresses(which: str, code: int, native: int, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong one is a fault of the call."""
    assert printed(which, capsys, 1)[:2] == (code, native)


def test_printing_of_arguments_in_global_memory(capsys: pytest.CaptureFixture[str]) -> None:
    """The reference says whether other memory adjoins."""
    text = """
    .param .b64 a; .param .b64 b; .param .b32 w; mov.u64 %d1, form; cvta.global.u64 %d1, %d1; st.param.b64 [a], %d1;
    add.u64 %d2, %d0, {}; st.param.b64 [b], %d2; call.uni (w), vprintf, (a, b);
    """
    before = PRINT.replace("form[16] = {37, 100, 32, 37, 115, 32, 37, 115, 10, 0}", "form[8] = {37, 108, 100, 10, 0}")
    for offset, code, native in ((0, 0, 1), (8, 0, 0), (1 << 50, 700, 1)):
        with Bench(kernel(text.format(offset), before)) as bench:
            bench.c.cuMemAlloc(12)
            out = bench.ok(bench.c.cuMemAlloc(12))
            bench.ok(bench.c.cuMemcpyHtoD(out, (7).to_bytes(8, "little"), 8))
            bench.launch("k", out)
            assert bench.sync() in {code, 700}
            assert bench.twins.compared == native
    assert capsys.readouterr().out.startswith("7\n")


@pytest.mark.parametrize("window", [1, 2])
def test_printing_of_arguments_in_memory_without_bytes(window: int) -> None:
    """The kernel has no shared and no local memory."""
    text = ".param .b64 a; .param .b32 w; st.param.b64 [a], {}; call.uni (w), vprintf, (a, a);"
    with Bench(kernel(text.format(window << 60), PRINT.replace(".shared .align 8 .b8 near[8];", ""))) as bench:
        assert bench.launch("k", bench.memory(bytes(4))) == 0
        assert bench.sync() == 700
        assert bench.twins.compared == 1


def test_assertions(capsys: pytest.CaptureFixture[str]) -> None:
    """The text names the block and the thread."""
    before = (
        PRINT
        + ".extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);"
    )
    text = """
    .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; mov.u64 %d1, word; cvta.global.u64 %d1, %d1;
    st.param.b64 [a], %d1; st.param.b64 [b], %d1; st.param.b32 [c], 42; st.param.b64 [d], %d1; mov.u32 %r1, %tid.x;
    setp.ne.u32 %p0, %r1, 3; @%p0 ret; call.uni __assertfail, (a, b, c, d, e);
    """
    with Bench(kernel(text, before)) as bench:
        assert bench.launch("k", bench.memory(bytes(4)), block=(8, 1, 1)) == 0
        assert bench.sync() == 710
        assert bench.twins.compared == 1
    assert "wo:42: wo: block: [0, 0, 0], thread: [3, 0, 0] Assertion `wo` failed." in capsys.readouterr().err


def test_an_interruption_while_a_thread_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends the launch as it would end the reference's."""

    def interrupted(*_: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(asked, "FUNCTIONS", [interrupted])
    with Bench(kernel(CALL_PRINT.replace("WHICH", ""), PRINT)) as bench, pytest.raises(KeyboardInterrupt):
        bench.launch("k", bench.memory(bytes(16)))


def pressed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Have Ctrl-C pressed when a kernel first uses memory, and return the addresses that it uses."""
    found: list[int] = []
    at = Run.at

    def pressing(self: Run, address: int) -> Any:
        found.append(address)
        if len(found) == 1:
            signal.raise_signal(signal.SIGINT)
        return at(self, address)

    monkeypatch.setattr(Run, "at", pressing)
    return found


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("is_native", [True, False])
def test_ctrl_c_ends_a_launch(is_native: bool, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: FBT001
    """An endless one, too. It has changed nothing, and the machine is as before."""
    monkeypatch.setattr(compiled_grid, "SLICE", 1000)
    if not is_native:
        monkeypatch.setattr(engine, "native", lambda *_: None)
    with Bench(kernel("st.global.u32 [%d0], 7; L: bra L;")) as bench:
        bench.machine.ptx = launch.Runner()
        out = bench.memory(bytes(4))
        with monkeypatch.context() as patched:
            found = pressed(patched)
            with pytest.raises(KeyboardInterrupt):
                bench.launch("k", out)
        assert found
        assert bench.values(out, "c_uint32", 1) == [0]


COUNTING = "mov.u32 %r1, 0; L: st.global.u32 [%d0], %r1; add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 99; @%p0 bra L;"


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_during_a_kernel_that_has_waited(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel ends first: it runs in the middle of another effect."""
    monkeypatch.setattr(compiled_grid, "SLICE", 10)
    with Bench(kernel(COUNTING), completion="manual") as bench:
        bench.machine.ptx = launch.Runner()
        out = bench.memory(bytes(4))
        assert bench.launch("k", out) == 0
        with monkeypatch.context() as patched:
            found = pressed(patched)
            with pytest.raises(KeyboardInterrupt):
                bench.sync()
        assert found
        assert bench.values(out, "c_uint32", 1) == [98]


def test_another_signal_during_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its handler may make calls, so it runs after the launch."""
    monkeypatch.setattr(compiled_grid, "SLICE", 10)
    with Bench(kernel(COUNTING)) as bench:
        bench.machine.ptx = launch.Runner()
        out = bench.memory(bytes(4))
        seen: list[list[int]] = []
        before = signal.signal(signal.SIGINT, lambda *_: seen.append(bench.values(out, "c_uint32", 1)))
        try:
            with monkeypatch.context() as patched:
                pressed(patched)
                assert bench.launch("k", out) == 0
        finally:
            signal.signal(signal.SIGINT, before)
        assert seen == [[98]]


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_during_a_launch_of_a_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """The launch ends first: other nodes may have changed memory."""
    monkeypatch.setattr(compiled_grid, "SLICE", 10)
    with Bench(kernel(COUNTING)) as bench:
        bench.machine.ptx = launch.Runner()
        out = ctypes.c_uint64(bench.memory(bytes(4)))
        places = (ctypes.c_void_p * 1)(ctypes.addressof(out))
        function = bench.ok(bench.c.cuModuleGetFunction(bench.module, b"k"))
        graph = bench.ok(bench.c.cuGraphCreate(0))
        node = function, 1, 1, 1, 1, 1, 1, 0, ctypes.addressof(places), 0, 0, 0
        bench.ok(bench.c.cuGraphAddKernelNode(graph, None, 0, node))
        launched = bench.ok(bench.c.cuGraphInstantiate(graph, 0))
        with monkeypatch.context() as patched:
            found = pressed(patched)
            with pytest.raises(KeyboardInterrupt):
                bench.c.cuGraphLaunch(launched, 0)
        assert found
        assert bench.values(out.value, "c_uint32", 1) == [98]
