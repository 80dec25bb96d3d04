"""Instructions as texts: how operands are read, and what is refused by name before a launch has an effect."""

from __future__ import annotations

import ctypes
import re
from types import SimpleNamespace
from typing import Any

import pytest

import fakecuda
from fakecuda.kernels import asynchronous, logic
from fakecuda.kernels.parse import parsed
from fakecuda.kernels.row import NotRun, Row

from .world import HEAD, Bench, kernel, words


def test_constants() -> None:
    """Integers with signs, floats by their bits and as decimals, for types of both widths; the width of a warp."""
    body = """
    mov.u32 %r0, -5; st.global.u32 [%d0], %r0;
    mov.f32 %f0, 0f3F800000; st.global.f32 [%d0+4], %f0;
    mov.f64 %g0, 0d3FF0000000000000; cvt.rn.f32.f64 %f0, %g0; st.global.f32 [%d0+8], %f0;
    mov.f32 %f0, 0d4000000000000000; st.global.f32 [%d0+12], %f0;
    mov.f64 %g0, 0f40000000; cvt.rn.f32.f64 %f0, %g0; st.global.f32 [%d0+16], %f0;
    mov.f32 %f0, 1.5; st.global.f32 [%d0+20], %f0;
    mov.f32 %f0, -0f3F800000; st.global.f32 [%d0+24], %f0;
    mov.f32 %f0, -1.5; st.global.f32 [%d0+28], %f0;
    mov.u32 %r0, WARP_SZ; st.global.u32 [%d0+32], %r0;
    mov.u32 %r0, +7; st.global.u32 [%d0+36], %r0;
    mov.f64 %g0, -0d3FF0000000000000; cvt.rn.f32.f64 %f0, %g0; st.global.f32 [%d0+40], %f0;
    """
    one, two, minus = 0x3F800000, 0x40000000, 0xBF800000
    wanted = [0xFFFFFFFB, one, one, two, two, 0x3FC00000, minus, 0xBFC00000, 32, 7, minus]
    assert words(body, 11) == wanted


def test_predicates() -> None:
    """Guards and sources may be negated; a comparison gives a predicate and its opposite; results may be unwanted."""
    body = """
    setp.lt.u32 %p1|%p2, 1, 2;
    @%p1 st.global.u32 [%d0], 1;
    @!%p2 st.global.u32 [%d0+4], 2;
    @%p2 st.global.u32 [%d0+8], 3;
    and.pred %p3, %p1, !%p2;
    selp.u32 %r0, 5, 6, %p3; st.global.u32 [%d0+12], %r0;
    setp.eq.or.u32 %p4, 1, 2, !%p2;
    selp.u32 %r0, 5, 6, %p4; st.global.u32 [%d0+16], %r0;
    @%p2 bra END;
    @!%p2 bra OVER;
    st.global.u32 [%d0+20], 9;
    OVER:
    setp.lt.u32 _|%p5, 1, 2;
    selp.u32 %r0, 5, 6, %p5; st.global.u32 [%d0+24], %r0;
    END:
    """
    assert words(body, 7) == [1, 2, 0, 5, 5, 0, 6]


def test_widths() -> None:
    """A result in a wider register is extended by its sign, and a source in a wider one is cut."""
    body = """
    mov.u32 %r0, 0x1FF; cvt.s32.s8 %r1, %r0; st.global.u32 [%d0], %r1;
    cvt.s8.s32 %r1, %r0; st.global.u32 [%d0+4], %r1;
    st.global.u8 [%d0+8], %r0;
    mov.u32 %r2, 0x80; st.global.u8 [%d0+12], %r2; ld.global.s8 %r1, [%d0+12]; st.global.u32 [%d0+16], %r1;
    ld.global.u8 %r1, [%d0+12]; st.global.u32 [%d0+20], %r1;
    mov.b64 %d1, {%r0, %r2}; mov.b64 {%r3, %r4}, %d1; st.global.v2.u32 [%d0+24], {%r3, %r4};
    ld.global.v2.s8 {%r5, %r6}, [%d0+12]; st.global.u32 [%d0+32], %r5;
    mov.b32 %r7, {%h0, %h1}; st.global.u32 [%d0+36], %r7;
    """
    assert words(body, 10) == [0xFFFFFFFF, 0xFFFFFFFF, 0xFF, 0x80, 0xFFFFFF80, 0x80, 0x1FF, 0x80, 0xFFFFFF80, 0]


def test_carry_chains() -> None:
    """The flag lies between instructions. A difference sets it without a borrow: ``add.cc 0, 0; subc 0, 0`` is -1 on cards."""
    body = """
    mov.u32 %r0, 0xFFFFFFFF;
    add.cc.u32 %r1, %r0, 1; addc.u32 %r2, 0, 0; st.global.v2.u32 [%d0], {%r1, %r2};
    sub.cc.u32 %r1, 0, 1; subc.cc.u32 %r2, 5, 0; st.global.v2.u32 [%d0+8], {%r1, %r2};
    addc.u32 %r1, 0, 0; sub.cc.u32 %r2, 0, 1; addc.u32 %r2, 0, 0; st.global.v2.u32 [%d0+16], {%r1, %r2};
    add.cc.u32 %r1, 0, 0; subc.u32 %r1, 0, 0; add.cc.u32 %r2, %r0, 1; subc.u32 %r2, 0, 0; st.global.v2.u32 [%d0+24], {%r1, %r2};
    """
    assert words(body, 8) == [0, 1, 0xFFFFFFFF, 4, 1, 0, 0xFFFFFFFF, 0]


def test_blocks_hide_names() -> None:
    """A block has registers, variables and labels of its own."""
    body = """
    .reg .u32 a; mov.u32 a, 1;
    { .reg .u32 a; mov.u32 a, 2; bra L; st.global.u32 [%d0], 9; L: st.global.u32 [%d0+4], a; }
    { bra L; st.global.u32 [%d0], 9; L: st.global.u32 [%d0+8], a; }
    { .reg .b32 %q<3>, single; mov.u32 %q2, 3; st.global.u32 [%d0+12], %q2; bra AFTER; }
    st.global.u32 [%d0], 9;
    AFTER:
    """
    assert words(body, 4) == [0, 2, 1, 3]


def test_special_registers() -> None:
    """Of the launch, the block, the warp and the thread."""
    names = "tid.x tid.y tid.z ntid.x ntid.y ctaid.x nctaid.x laneid warpid nwarpid nsmid lanemask_eq lanemask_le lanemask_lt"
    names += " lanemask_ge lanemask_gt dynamic_smem_size total_smem_size smid"
    body = "mov.u32 %r9, %ctaid.x; setp.ne.u32 %p0, %r9, 1; @%p0 ret; mov.u32 %r9, %tid.y; setp.ne.u32 %p0, %r9, 1; @%p0 ret;\n"
    body += "mov.u32 %r9, %tid.x; setp.ne.u32 %p0, %r9, 3; @%p0 exit;\n"
    for number, name in enumerate(names.split()):
        body += f"mov.u32 %r0, %{name}; st.global.u32 [%d0+{4 * number}], %r0;\n"
    found = words(body, 19, grid=(2, 1, 1), block=(20, 2, 1), shared=64)
    lane = 23
    masks = [1 << lane, (2 << lane) - 1, (1 << lane) - 1, -1 << lane & 0xFFFFFFFF, -2 << lane & 0xFFFFFFFF]
    # the thread (3, 1, 0) is number 23 of its block
    assert found == [3, 1, 0, 20, 2, 1, 2, lane, 0, 2, 132, *masks, 64, 64, 1]


def test_clocks_go_on() -> None:
    """They count executed instructions."""
    body = "mov.u32 %r0, %clock; mov.u32 %r1, %clock; sub.u32 %r2, %r1, %r0; st.global.u32 [%d0], %r2;"
    body += (
        "mov.u64 %d1, %globaltimer; mov.u64 %d2, %clock64; setp.gt.u64 %p0, %d2, %d1; @%p0 st.global.u32 [%d0+4], 1;"
    )
    body += "mov.u32 %r0, %clock_hi; st.global.u32 [%d0+8], %r0;"
    assert words(body, 3) == [1, 1, 0]


def test_tables_of_branches() -> None:
    """An index beyond the table ends the kernel with an error."""
    body = """
    mov.u32 %r0, %tid.x;
    T: .branchtargets A, B;
    brx.idx %r0, T;
    A: st.global.u32 [%d0], 1; ret;
    B: st.global.u32 [%d0+4], 2; ret;
    """
    assert words(body, 2, block=(2, 1, 1)) == [1, 2]
    with Bench(kernel(body)) as bench:
        assert bench.launch("k", bench.memory(bytes(8)), block=(3, 1, 1)) == 0
        assert bench.sync() == 719


FUNCTIONS = """
.func (.param .b32 r) twice (.param .b32 x) { .reg .b32 %a<3>; ld.param.b32 %a0, [x]; add.u32 %a1, %a0, %a0; st.param.b32 [r], %a1; ret; }
.func (.param .b32 r) other (.param .b32 x);
.func nothing () { }
.func (.param .b32 r) deep (.param .b32 x) {
  .reg .b32 %a<3>; .reg .b64 %b<2>; .local .align 8 .b8 depot[8];
  mov.u64 %b0, depot; ld.param.b32 %a0, [x]; st.local.u32 [%b0], %a0; call nothing; ld.local.u32 %a1, [%b0]; st.param.b32 [r], %a1;
}
.func (.param .b32 r) other (.param .b32 x) { .reg .b32 %a<3>; ld.param.b32 %a0, [x]; st.param.b32 [r], %a0; ret; }
.alias again, twice;
"""


def called(name: str) -> str:
    """Return a call of a function with 21, whose result goes to %r1."""
    return (
        f"""{{ .param .b32 p; .param .b32 q; st.param.b32 [p], 21; call (q), {name}, (p); ld.param.b32 %r1, [q]; }}"""
    )


def test_calls() -> None:
    """Of functions with local memory, that are declared before, and that are called by an alias."""
    body = "".join(
        f"{called(name)} st.global.u32 [%d0+{4 * n}], %r1;"
        for n, name in enumerate(("twice", "other", "deep", "twice"))
    )
    assert words(body, 4, before=FUNCTIONS.replace(".alias again, twice;", "")) == [42, 21, 21, 42]


def test_local_memory_is_given_back() -> None:
    """A second call has it at the same place."""
    place = """.func (.param .b32 r) place () { .reg .b64 %b; .reg .b32 %a; .local .b64 l; mov.u64 %b, l; cvt.u32.u64 %a, %b;
    st.param.b32 [r], %a; ret; }"""
    call = "{ .param .b32 q; call (q), place, (); ld.param.b32 %r1, [q]; }"
    assert words(f"{call} {call} st.global.u32 [%d0], %r1;", 1, before=place) == [0]


def test_aliases() -> None:
    """A second name of a function."""
    program = parsed(HEAD + FUNCTIONS)
    assert program.function("again") is program.function("twice")


def test_calls_by_address() -> None:
    """An address that is no function's ends the kernel with an error."""
    call = """
    P: .callprototype (.param .b32 _) _ (.param .b32 _);
    { .param .b32 p; .param .b32 q; st.param.b32 [p], 4; call (q), %d1, (p), P; ld.param.b32 %r1, [q]; }
    st.global.u32 [%d0], %r1;
    """
    both = f"mov.u64 %d1, other; mov.u64 %d1, twice; mov.u64 %d1, twice; {call}"
    assert words(both, 1, before=FUNCTIONS.replace(".alias again, twice;", "")) == [8]
    with Bench(kernel("mov.u64 %d1, 5;" + call)) as bench:
        assert bench.launch("k", bench.memory(bytes(4))) == 0
        assert bench.sync() == 718


def test_recursion_without_end() -> None:
    """It exceeds the stack."""
    endless = ".func endless () { call endless; ret; }"
    with Bench(kernel("call endless;", endless)) as bench:
        assert bench.launch("k", 0) == 0
        assert bench.sync() == 714


def test_declarations_of_all_kinds() -> None:
    """Banks, pointers, alignments, attributes, dimensions, initial values, sections, pragmas and lines."""
    before = """
    .const[2] .align 4 .b8 table[8] = {1, 0, 0, 0, -1, -1, -1, -1};
    .global .attribute(.managed) .align 8 .u32 shared_value = 3;
    .global .align 16 .v2 .u32 pair[2][1] = {{1, 2}, {3, 4}}, single;
    .global .u32 sized[] = {7, 8, 9};
    .pragma "nounroll";
    .file 1 "a.cu", 123, 456
    """
    body = """
    .pragma "used_bytes_mask";
    .loc 1 5 6
    .loc 1 7 8, function_name $name, inlined_at 1 2 3
    .loc 1 7 8, function_name $name+16, inlined_at 1 2 3
    .loc 1 0 0
    .reg .align 4 .v2 .u32 vector;
    ld.const.u32 %r0, [table+4]; st.global.u32 [%d0], %r0;
    ld.global.u32 %r0, [shared_value]; st.global.u32 [%d0+4], %r0;
    ld.global.u32 %r0, [pair+8]; st.global.u32 [%d0+8], %r0;
    mov.u64 %d1, sized; ld.global.u32 %r0, [%d1+8]; st.global.u32 [%d0+12], %r0;
    mov.u64 %d1, sized+4; ld.global.u32 %r0, [%d1]; st.global.u32 [%d0+16], %r0;
    """
    text = kernel(body, before, ".param .u64 .ptr .global .align 8 out, .param .align 4 .b8 more[4]")
    text = text.replace(".visible .entry k(", ".visible .entry k(").replace(
        ") {", ")\n.maxntid 32, 1, 1\n.minnctapersm 1\n{", 1
    )
    text = text.replace(".reg .pred", "ld.param.u64 %d0, [out];.reg .pred").replace("ld.param.u64 %d0, [out];", "", 1)
    text = text.replace("%g<9>;", "%g<9>; ld.param.u64 %d0, [out];") + ".section .debug_info { .b32 1 }\n"
    with Bench(text.replace("$name", "L").replace('.pragma "used', 'L: .pragma "used')) as bench:
        out = bench.memory(bytes(20))
        assert bench.launch("k", out, ctypes.c_uint32(0)) == 0
        assert bench.values(out, "c_uint32", 5) == [0xFFFFFFFF, 3, 3, 9, 8]


@pytest.mark.parametrize(
    ("body", "before", "why"),
    [
        ("prefetch.const.tensormap [%d0]; alloca.u64 %d1, 16;", "", "alloca"),
        ("mov.u32 %r0, %envreg3;", "", "its operand %envreg3"),
        ("mov.u32 %r0, %aggr_smem_size;", "", "its operand %aggr_smem_size"),
        ("mov.u32 %r0, 3 + 4;", "", r"its operand 3 \+ 4"),
        ("mov.u32 %r0, (3);", "", r"its operand"),
        ("mov.u32 %r0, WARP_SZ|1;", "", r"its operand \| 1"),
        ("ld.global.u32 %r0, [%d0+(4)];", "", "its address"),
        ("mov.u64 %d1, far+(4);", ".global .u32 far;", "its operand"),
        ("add.u32 %r0, v.x, 1;", "", "its operand v.x"),
        ("add.u32 v.x, 1, 1;", "", "its operand v.x"),
        ("add.u32 %w1.x, 1, 1;", "", "its operand %w1.x"),
        ("vadd.u32.u32.u32 %r0, %r1, %r2;", "", "vadd"),
        (
            "call (%r0), registers, (%r1);",
            ".func (.reg .b32 a) registers (.reg .b32 b) { mov.b32 a, b; ret; }",
            "its arguments",
        ),
        ("call malloc, (%d1);", ".extern .func malloc (.param .b64 size);", "its arguments"),
        ("mov.u64 %d1, far;", ".local .b32 far;", "its operand far, which lies outside of functions"),
        ("mov.u64 %d1, out;", "", None),
    ],
)
def test_what_is_not_run_is_refused(body: str, before: str, why: str | None) -> None:
    """Before the launch has an effect, with the line and the instruction; other kernels of the text run."""
    text = kernel(".reg .v2 .u32 v; .reg .v2 .u32 %w<3>;\n" + body, before)
    with Bench(text + ".visible .entry fine() { ret; }") as bench:
        if why is None:
            assert bench.launch("k", bench.memory(bytes(4))) == 0
            return
        with pytest.raises(fakecuda.KernelNotDefined, match=why) as error:
            bench.launch("k", bench.memory(bytes(4)))
        assert re.search(r"line \d+ of its PTX has an instruction that fakecuda does not run", str(error.value))
        assert bench.launch("fine") == 0
        assert bench.sync() == 0


def test_what_has_no_effect() -> None:
    """Cache policies, as Triton writes them for evict_last; waits for earlier kernels; counts of registers."""
    body = """
    createpolicy.fractional.L2::evict_last.b64 %d1, 1.0; createpolicy.range.global.L2::evict_last.b64 %d2, [%d0], 4, 4;
    setp.eq.u32 %p0, 1, 2; @%p0 createpolicy.fractional.L2::evict_first.b64 %d1, 0.5; griddepcontrol.wait;
    ld.global.L1::evict_last.L2::cache_hint.v2.b32 {%r0, %r1}, [%d0], %d1; griddepcontrol.launch_dependents;
    st.global.L1::evict_first.L2::cache_hint.b32 [%d0+8], %r1, %d1; setmaxnreg.dec.sync.aligned.u32 40;
    atom.global.add.L2::cache_hint.u32 %r2, [%d0], 5, %d2; red.global.add.L2::cache_hint.u32 [%d0+4], %r2, %d1;
    atom.global.cas.L2::cache_hint.b32 %r3, [%d0+8], %r1, 9, %d1;
    """
    with Bench(kernel(body)) as bench:
        out = bench.array("c_uint32", 2, 3, 0)
        assert bench.launch("k", out) == 0
        assert bench.values(out, "c_uint32", 3) == [7, 5, 9]


def test_registers_as_parameters_are_refused_where_they_stand() -> None:
    """A function that has them runs no more than its caller."""
    taker = ".func (.reg .b32 a) registers (.reg .b32 b) { .reg .b32 c; mov.b32 c, b; ret; }"
    text = kernel("mov.u64 %d1, registers;", taker)
    with Bench(text) as bench, pytest.raises(fakecuda.KernelNotDefined, match="its operand"):
        bench.launch("k", 0)


def test_a_python_function_comes_first() -> None:
    """The test's own meaning of a kernel stands before its PTX."""
    seen = []
    fakecuda.kernel("mine", "u64")(lambda _grid, _block, out: seen.append(out))
    with Bench(HEAD + ".visible .entry mine(.param .u64 out) { trap; }") as bench:
        assert bench.launch("mine", 7) == 0
        assert bench.sync() == 0
    assert seen == [7]


def test_modifiers_that_no_form_has() -> None:
    """They are refused by name, though the table of PTX has no such forms."""
    lowering: Any = SimpleNamespace(must=lambda *_: None, kernel=SimpleNamespace(watch=None))
    copying: Any = SimpleNamespace(operands=())
    with pytest.raises(NotRun, match="odd"):
        asynchronous.copy(lowering, copying, Row.of("cp", (".odd",), ()))
    with pytest.raises(NotRun, match="odd"):
        logic.window_of(Row.of("cvta", (".odd",), ()))
