"""Matrix instructions: what an H200 computed, by both engines, what is undefined, and what is refused."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pytest

from conformance.record import groups, matrices
from fakecuda.errors import KernelError
from fakecuda.kernels import fragments, launch, products, wgmma
from fakecuda.kernels.compiled import engine
from fakecuda.kernels.lower import NotLowered, lowered
from fakecuda.kernels.parse import parsed

from .test_card_values import RECORDED
from .world import Bench, kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

QUESTIONS = {one.name: one for one in [*matrices.questions(), *groups.questions()]}
ANSWERS = RECORDED["matrices"]
LAYOUTS = [name for name in ANSWERS if name.startswith("wmma.load")]
"""Recorded programs about the elements that a thread holds."""


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """Forget kernels, which a test may have broken."""
    yield
    engine.native.cache_clear()
    launch.kernel_of.cache_clear()


def answered(question: matrices.Question, blocks: int, runner: Any = None) -> str:
    """Return the words that some blocks of a question's kernel write, or the code of the context."""
    with Bench(matrices.written(question), strict=False) as bench:
        if runner is not None:
            bench.machine.ptx = runner
        flat = [word for words in question.given[:blocks] for word in words]
        given, found = (
            bench.memory(struct.pack(f"<{len(flat)}I", *flat)),
            bench.memory(bytes(4 * question.found * blocks)),
        )
        assert bench.launch("k", given, found, grid=(blocks, 1, 1), block=(question.threads, 1, 1)) == 0
        code = bench.sync()
        if code:
            return f"cuCtxSynchronize: {code}"
        assert runner is not None or bench.twins.refused == 0 or not engine.is_installed()
        return "".join(f"{one:08x}" for one in bench.values(found, "c_uint32", question.found * blocks))


@pytest.mark.parametrize("name", [name for name in ANSWERS if name not in LAYOUTS])
def test_each_instruction_leaves_the_words_of_the_card(name: str) -> None:
    """Native code for all blocks, and both engines for the first ones."""
    question, text = QUESTIONS[name], ANSWERS[name]
    count, plain = len(question.given), text.partition("#")[0]
    both = 1 if question.threads > matrices.LANES else min(count, 8)
    found = answered(question, both)
    assert found[: len(plain)] == plain[: len(found)]
    if both < count or plain != text:
        assert matrices.kept(answered(question, count, launch.Runner())) == text


def test_threads_hold_the_elements_of_the_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """wmma.load gives each register the elements that it has on an H200, in both orders."""
    monkeypatch.setattr(engine, "native", lambda *_: None)
    for name in LAYOUTS:
        assert answered(QUESTIONS[name], len(QUESTIONS[name].given), launch.Runner()) == ANSWERS[name], name


A, B, C, D = "{%r0, %r1, %r2, %r3}", "{%r4, %r5}", "{%r8, %r9, %r10, %r11}", "{%r12, %r13, %r14, %r15}"
WHOLE = f"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {D}, {A}, {B}, {C};"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {D}, {A}, {B}, {C};", "its shape .m8n8k4 with factors of .f16"),
        (f"mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32 {D}, {A}, {B}, {C};", "the order of its factors"),
        (f"mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {D}, {A}, {B}, {C};", "its type .bf16"),
        (f"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f32 {D}, {A}, {B}, {C};", "its type .f16"),
        (f"mma.sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16 {D}, {A}, {B}, {C};", "its type .f16"),
        (f"mma.sync.aligned.m16n8k16.row.col.s32.s8.s4.s32 {D}, {A}, {B}, {C};", "its type .s4"),
        (f"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {D}, {A}, {A}, {C};", "its operands"),
        (f"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {D}, {{%h0, %r1, %r2, %r3}}, {B}, {C};", "its operands"),
        (f"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {D}, {B}, {B}, {C}, %r16, 0;", "its modifier .sp"),
        ("mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64 {%d1, %d2}, {%d3}, {%d4}, {%d5, %d6};", "its modifier .rz"),
        ("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, %r1}, [%r2];", "its modifier .m16n16"),
        ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%h0}, [%r2];", "its operands"),
        ("wmma.load.a.sync.aligned.row.m16n16k16.global.f32 {%r0, %r1, %r2, %r3}, [%d0];", "its type .f32"),
        ("wmma.load.c.sync.aligned.row.m16n16k16.global.bf16 {%r0, %r1, %r2, %r3}, [%d0];", "its type .bf16"),
        ("wmma.load.a.sync.aligned.row.m16n8k16.global.f16 {%r0, %r1, %r2, %r3}, [%d0];", "its modifier .m16n8k16"),
        ("wmma.load.c.sync.aligned.row.m16n16k16.global.f16 {%r0, %r1}, [%d0];", "its operands"),
        ("wmma.load.c.sync.aligned.row.m16n16k16.global.f16 {%r0, %r1, %r2, %r3}, %d0;", "its address"),
        ("wmma.mma.sync.aligned.row.col.m8n8k4.rz.f64.f64.f64.f64 {%d1, %d2}, {%d3}, {%d4}, {%d5, %d6};", "its modifier .rz"),
        ("wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.u4.s32 {%r0, %r1}, {%r2}, {%r3}, {%r4, %r5};", "its type .s32"),
        ("wmma.mma.sync.aligned.row.row.m8n8k32.s32.s4.s4.s32 {%r0, %r1}, {%r2}, {%r3}, {%r4, %r5};", "its type .s32"),
        ("wgmma.mma_async.sync.aligned.m64n8k32.f32.f16.f16 {%r0, %r1, %r2, %r3}, %d1, %d2, %p0, 1, 1, 0, 0;", "its type .f32"),
        ("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r0, %r1, %r2, %r3}, %d1, %d2, %p0, 1, 1, 0;", "its operands"),
        ("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r0, %r1, %r2, %r3}, %r1, %d2, %p0, 1, 1, 0, 0;", "its operands"),
        ("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%r0, %r1, %r2, %r3}, %d1, %d2, %r9, 0, %p0, 1, 1, 0, 0;", "its modifier .sp"),
        ("wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%r0, %r1, %r2, %r3}, %d1, %d2, %p0;", "its modifier .m64n8k256"),
        ("wgmma.fence.sync;", "its form without .aligned"),
    ],
)  # fmt: skip
def test_what_is_not_run_is_refused(text: str, why: str) -> None:
    """By its name, before the launch has an effect."""
    with pytest.raises(NotLowered, match=why):
        lowered(parsed(kernel(text)), "k")


@pytest.mark.parametrize(
    ("text", "threads", "why"),
    [
        (WHOLE, 48, "is executed by 16 of the 32 threads of a warp"),
        ("ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%d0];", 32, "a row at 0x[0-9a-f]+, which is not in shared memory"),
        ("mov.u64 %d1, 0x7FF; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r0, %r1, %r2, %r3}, %d1, %d1, 1, 1, 1, 0, 0;", 128, "reads 2 bytes at 0x7ff0 of shared memory, which has 64"),
    ],
)  # fmt: skip
def test_what_is_undefined_raises(text: str, threads: int, why: str) -> None:
    """Only the reference runs it, and says what is wrong."""
    image = kernel(text, ".shared .align 16 .b8 space[64];\n").replace("sm_90", "sm_90a").replace("out])", "out])")
    image = image.replace("ret;", "mov.u32 %r39, space; ret;")
    with Bench(image) as bench:
        out = bench.memory(bytes(4))
        with pytest.raises(KernelError, match=why):
            bench.launch("k", out, block=(threads, 1, 1))


def test_a_product_is_not_added_to_what_is_scaled_by_zero() -> None:
    """Without the predicate of wgmma, the registers of the result do not count, even if they are NaNs."""
    name = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16, 1, 1, 0"
    question = QUESTIONS[name]
    with_nans = [[*words[:-512], *[0x7FC00000] * 512] for words in question.given[:1]]
    without = [[*words[:-512], *[0] * 512] for words in question.given[:1]]
    found = [
        answered(question._replace(given=given, body=question.body.replace("%p, 0, 0", f"%p, 0, {adds}")), 1)
        for given, adds in ((with_nans, 1), (without, 0))
    ]
    assert found[0] == found[1]
    constant = question.body.replace("%p, 1, 1, 0;", "0, 1, 1, 0;")
    assert answered(question._replace(given=with_nans, body=constant), 1) == found[0]


def test_products_beyond_the_largest_number_may_cancel() -> None:
    """Two products above the largest ``f32`` whose sum is zero."""
    text = """
    ld.global.b32 %r0, [%d0]; ld.global.b32 %r1, [%d0+4]; mov.b32 %r2, 0;
    mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r3, %r4, %r5, %r6}, {%r0, %r2, %r2, %r2}, {%r1, %r2}, {%r2, %r2, %r2, %r2};
    bar.warp.sync -1; st.global.b32 [%d0], %r3;
    """
    with Bench(kernel(text)) as bench:
        out = bench.array("c_uint32", 0x61EFE1EF, 0x732B732B)  # -x and x, y and y
        assert bench.launch("k", out, block=(32, 1, 1)) == 0
        assert bench.values(out, "c_uint32", 1) == [0]


def test_a_matrix_lies_row_by_row_without_a_stride() -> None:
    """An address may be generic, and go to shared memory."""
    body = f"""
    wmma.load.c.sync.aligned.row.m16n16k16.f16 {A}, [%d0];
    mov.u32 %r20, space; cvt.u64.u32 %d1, %r20; cvta.shared.u64 %d1, %d1;
    wmma.store.d.sync.aligned.row.m16n16k16.f16 [%d1], {A}; bar.warp.sync -1;
    wmma.load.c.sync.aligned.col.m16n16k16.shared.f16 {C}, [%r20];
    wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%d0+512], {C};
    """
    with Bench(kernel(body, ".shared .align 32 .b8 space[512];")) as bench:
        out = bench.memory(struct.pack("<256H", *range(256)) + bytes(512))
        assert bench.launch("k", out, block=(32, 1, 1)) == 0
        assert bench.sync() == 0
        assert bench.values(out + 512, "c_uint16", 256) == [16 * (n % 16) + n // 16 for n in range(256)]
        assert bench.twins.refused == 0 or not engine.is_installed()


def test_registers_of_any_type_with_64_bits() -> None:
    """The products of doubles lie in registers of integers as well."""
    name = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64"
    question = QUESTIONS[name]
    text = matrices.written(question).replace(".reg .b64 %c64_", ".reg .u64 %c64_")
    with Bench(text, strict=False) as bench:
        given = bench.memory(struct.pack(f"<{len(question.given[0])}I", *question.given[0]))
        found = bench.memory(bytes(4 * question.found))
        assert bench.launch("k", given, found, block=(32, 1, 1)) == 0
        words = bench.values(found, "c_uint32", question.found)
        assert "".join(f"{one:08x}" for one in words) == ANSWERS[name][: 8 * question.found]


def test_mistakes_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer bits of an addend, a fragment whose columns are rows, a pattern that is not swizzled."""
    name = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
    test_each_instruction_leaves_the_words_of_the_card(name)
    monkeypatch.setattr(products, "KEPT", 24)
    monkeypatch.setattr(engine, "native", lambda *_: None)
    with pytest.raises(AssertionError):
        test_each_instruction_leaves_the_words_of_the_card(name)
    monkeypatch.undo()
    turned = fragments.turned(fragments.sums(16, 8, "f32"), 8)
    monkeypatch.setattr(products, "sums", lambda *_: turned)
    launch.kernel_of.cache_clear()
    with pytest.raises(AssertionError):
        test_each_instruction_leaves_the_words_of_the_card(name)
    monkeypatch.undo()
    monkeypatch.setattr(wgmma, "PATTERNS", (16, 64, 128, 32))
    with pytest.raises(AssertionError):
        test_each_instruction_leaves_the_words_of_the_card("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 a 128 0")
