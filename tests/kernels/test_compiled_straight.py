"""Blocks whose threads are a loop without checks, beside the reference: which kernels have one, and when it runs."""

from __future__ import annotations

import contextlib
import io

import pytest

from fakecuda.kernels import grid
from fakecuda.kernels.compiled import engine, nans, straight
from fakecuda.kernels.compiled.body import Body
from fakecuda.kernels.lower import lowered
from fakecuda.kernels.parse import parsed

from .engines import hot
from .world import Bench, kernel

pytest.importorskip("llvmlite", reason="llvmlite: pip install -e '.[kernels]'")
OWN = "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d1, %d0;"
"""PTX: the address of the thread's word, in %d1."""
PUT = "st.global.u32 [%d1], %r2;"


@pytest.fixture(autouse=True)
def _hot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile each kernel as if it had executed much."""
    monkeypatch.setattr(engine, "native", hot)


def is_even(text: str) -> bool:
    """Return whether a kernel has a loop."""
    made = Body(lowered(parsed(kernel(text)), "k"), grid.TURN, resumed=False, hot=True)
    made.all()
    return made.may_be_straight and bool(straight.text(made))


def ran(text: str, block: tuple[int, int, int] = (40, 1, 1), blocks: int = 3) -> list[int]:
    """Return the words of a kernel that both engines have run alike; the first word of each thread is its number."""
    with Bench(kernel(text)) as bench, contextlib.redirect_stderr(io.StringIO()):
        out = bench.array("c_uint32", *range(400))
        assert bench.launch("k", out, grid=(blocks, 1, 1), block=block) == 0
        assert bench.twins.compared == 1
        return bench.values(out, "c_uint32", 400) if bench.sync() == 0 else []


EVEN = [
    f"{OWN} ld.global.u32 %r2, [%d1]; add.u32 %r2, %r2, 5; {PUT}",
    f"{OWN} ld.u32 %r2, [%d1]; st.u32 [%d1], %r2;",
    f"{OWN} ld.global.u32 %r2, [%d0+4]; {PUT}",
    f"{OWN} ld.acquire.gpu.global.u32 %r2, [%d0+4]; {PUT}",
    f"{OWN} ld.volatile.u32 %r2, [%d1]; add.u32 %r2, %r2, 5; st.relaxed.gpu.global.u32 [%d1], %r2;",
    f"{OWN} mov.u32 %r2, %ctaid.x; mul.lo.u32 %r2, %r2, %r1; {PUT}",
    f"{OWN} add.u64 %d1, %d1, 0; sub.u64 %d1, %d1, 0; mov.u32 %r2, 3; {PUT} exit;",
    f"{OWN} mov.b64 {{%r2, %r3}}, %d1; add.cc.u32 %r2, 1, 2; addc.u32 %r2, 0, 0; {PUT}",
    f"{OWN} mov.b64 {{%r2, _}}, %d1; bfe.u64 %d3, %d0, 3, 4; mov.u32 %r2, 1; {PUT}",
    f"{OWN} isspacep.global %p1, %d1; shl.b32 %r3, %r1, -1; selp.u32 %r2, 1, %r3, %p1; {PUT}",
    f"{OWN} mul.hi.u32 %r2, %r1, 4; and.b32 %r3, %r1, 3; {PUT}",
    f"{OWN} mul.lo.u32 %r2, %r1, %r1; add.sat.s32 %r3, %r1, 3; shr.u32 %r3, %r1, 1; {PUT}",
    f"{OWN} setp.eq.u32 %p1, %r1, 3; setp.lt.u32 %p2|%p3, %r1, %r1; selp.u32 %r2, 1, 2, %p1; {PUT}",
    f"{OWN} mov.f32 %f1, 0f3F800000; cvt.rn.f32.u32 %f2, %r1; add.f32 %f1, %f1, %f2; st.global.f32 [%d1], %f1;",
    f"{OWN} cvta.to.global.u64 %d1, %d1; cvta.shared.u64 %d2, %d1; mov.u32 %r2, 7; mov.u32 %r3, %laneid; {PUT}",
    "mov.u32 %r1, %tid.x; cvt.u64.u32 %d1, %r1; shl.b64 %d1, %d1, 2; add.u64 %d1, %d1, %d0; st.global.u32 [%d1], %r1;",
    "mov.u32 %r1, %tid.x; mad.wide.u32 %d1, %r1, 4, %d0; mov.u32 %r3, 2; mad.lo.u32 %r2, %r1, 3, %r3; st.global.u32 [%d1], %r2;",
    "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 16; add.u64 %d1, %d1, %d0; ld.global.v4.u32 {_, %r2, %r3, %r4}, [%d1]; st.global.v4.u32 [%d1], {%r3, %r2, %r4, %r4};",
    "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 2; add.u64 %d1, %d1, %d0; ld.global.u16 %h1, [%d1]; st.global.u16 [%d1+2], %h1;",
    f"{OWN} setp.ge.u32 %p1, %r1, 38; @%p1 bra E; mov.u32 %r2, 1; {PUT} E:",
    f"{OWN} mov.u32 %r3, 50; setp.ge.s32 %p1, %r3, %r1; @!%p1 ret; mov.u32 %r2, 1; {PUT}",
    f"{OWN} setp.lt.u32 %p1, %r1, 40; @%p1 bra A; ret; A: mov.u32 %r2, 6; {PUT}",
    f"{OWN} mov.u32 %r3, %ctaid.x; setp.ne.u32 %p1, %r3, 1; @%p1 exit; mov.u32 %r2, 6; {PUT} bra.uni E; E:",
    f"{OWN} mov.u32 %r3, %ctaid.x; shl.b32 %r4, %r3, 1; mul.wide.u32 %d3, %r4, 4; mov.u32 %r2, %r4; {PUT}",
]
UNEVEN = [
    f"{OWN} ld.global.u32 %r3, [%d1]; setp.eq.u32 %p1, %r3, 3; @%p1 bra E; mov.u32 %r2, 1; {PUT} E:",
    f"{OWN} setp.eq.u32 %p1, %r1, 3; @%p1 bra E; mov.u32 %r2, 1; {PUT} E:",
    f"{OWN} setp.lt.u32 %p1, %r1, %r1; @%p1 bra E; mov.u32 %r2, 1; {PUT} E:",
    f"{OWN} setp.lt.u32 %p1, %r1, 3; @%p1 st.global.u32 [%d1], 1;",
    f"{OWN} mov.u32 %r2, %clock; {PUT}",
    f"{OWN} atom.global.add.u32 %r2, [%d1], 1; {PUT}",
    f"{OWN} and.b32 %r3, %r1, 7; mul.wide.u32 %d2, %r3, 4; add.u64 %d2, %d2, %d0; ld.global.u32 %r2, [%d2]; {PUT}",
    f"{OWN} mul.wide.u32 %d2, %r1, %r1; and.b64 %d2, %d2, 4; add.u64 %d2, %d2, %d0; ld.global.u32 %r2, [%d2]; {PUT}",
    f"{OWN} shl.b32 %r3, %r1, %r1; mul.wide.u32 %d2, %r3, 0; add.u64 %d2, %d2, %d0; ld.global.u32 %r2, [%d2]; {PUT}",
    f"{OWN} mul.wide.u32 %d2, %r1, %r1; mad.lo.u64 %d2, %d1, %d1, %d2; mov.u32 %r2, 1; st.global.u32 [%d0], %r2;",
    f"{OWN} ld.global.u8 %h1, [%d0]; st.global.u8 [%d1], %h1;",
    f"{OWN} .local .b8 own[8]; st.local.u32 [own], 1; ld.local.u32 %r2, [own]; {PUT}",
    f"{OWN} mov.u32 %r2, 1; bar.sync 0; {PUT}",
    "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 16; add.u64 %d1, %d1, %d0; ld.global.v4.u32 {%r2, %r3, %r4, _}, [%d1]; st.global.v4.u32 [%d1], {%r3, %r2, %r4, %r4};",
    "mov.u32 %r1, 4;",
]


@pytest.mark.parametrize("text", EVEN)
def test_even_kernels(text: str) -> None:
    """In blocks of one row, of two, and with a thread that uses memory behind its end."""
    assert is_even(text)
    assert ran(text)
    ran(text, (20, 2, 1))
    ran(text, (500, 1, 1), 1)


@pytest.mark.parametrize("text", UNEVEN)
def test_other_kernels(text: str) -> None:
    """They have no loop."""
    assert not is_even(text)
    assert ran(text)


def test_a_kernel_without_a_last_instruction() -> None:
    """It ends behind its last one."""
    text = kernel(f"{OWN} mov.u32 %r2, 1; {PUT}").replace("ret;", "")
    made = Body(lowered(parsed(text), "k"), grid.TURN, resumed=False, hot=True)
    made.all()
    assert straight.text(made)
    with Bench(text) as bench:
        out = bench.array("c_uint32", 5, 6, 7)
        assert bench.launch("k", out, block=(2, 1, 1)) == 0
        assert bench.values(out, "c_uint32", 3) == [1, 1, 7]


@pytest.mark.parametrize(("more", "free"), [("", ["%f2", "%f3"]), ("@%p1 mov.f32 %f6, %f2;", ["%f3"])])
def test_registers_whose_nan_nothing_tells_apart(more: str, free: list[str]) -> None:
    """Those that sums and copies to such registers read alone."""
    text = f"""
    add.f32 %f2, %f1, %f1; mov.f32 %f3, %f2; add.f32 %f4, %f3, %f1; mov.f32 %f5, %f4; add.f32 %f6, %f1, %f1; {more}
    add.rz.f32 %f7, %f5, %f5; mov.b64 {{%r1, %r2}}, %d0; st.global.f32 [%d0], %f6;
    """
    function = parsed(kernel(text)).function("k")
    assert function is not None
    found = nans.unseen(function)
    sums = [one for one in function.body or [] if one.name in {"add", "mov"} and not one.guard]
    targets = {one.operands[0]: one.text.split()[1].rstrip(",") for one in sums}
    assert [name for register, name in targets.items() if register in found] == free


def test_a_nan_that_a_store_sees() -> None:
    """It is the card's, behind any number of sums and copies."""
    text = """
    mov.f32 %f1, 0fFFC00001; fma.rn.f32 %f2, %f1, %f1, %f1; mov.f32 %f3, %f2; add.f32 %f4, %f3, %f1; mul.f32 %f5, %f2, %f4;
    mov.f32 %f6, %f5; st.global.f32 [%d0], %f6; st.global.f32 [%d0+4], %f4; mov.b32 %r1, %f2; st.global.u32 [%d0+8], %r1;
    """
    assert ran(text, (1, 1, 1), 1)[:3] == [0x7FFFFFFF] * 3
