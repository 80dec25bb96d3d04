"""Copies of boxes of tensors: what a card is asked, by the manual's tables, what is undefined, and what is not modelled."""

from __future__ import annotations

import ctypes
from itertools import product
from typing import Any

import pytest

import fakecuda
from conformance.record import tensors
from conformance.record.tensors import ROOM, Question, pattern

from .test_card_values import RECORDED
from .world import Bench, kernel

SHARED = ".shared .align 1024 .b8 data[4096]; .shared .align 8 .b64 bar;"
PARAMS = ".param .u64 out, .param .align 64 .b8 map[128], .param .u64 there"
LOAD = "cp.async.bulk.tensor.{}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
BEGIN = "mov.u64 %d1, map; cvta.param.u64 %d1, %d1; ld.param.u64 %d2, [there]; mbarrier.init.shared.b64 [bar], 1;"
EXPECT = "mbarrier.arrive.expect_tx.shared.b64 _, [bar], {};"
WAIT = "wait: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra wait;"
LINES = {0: [0], 1: [0, 1], 2: [0, 1, 2, 3], 3: [0, 1, 2, 3, 4, 5, 6, 7]}
"""Exchange numbers of the pieces of 128-byte lines, by CUtensorMapSwizzle."""
UNKNOWN = {
    "short row swizzle 64": "swizzles a row of 32 bytes",
    "short row swizzle 128": "swizzles a row of 64 bytes",
    "fill by NaN": "a fill by NaN or an element stride",
    "step 2": "a fill by NaN or an element stride",
    "fill by NaN at 16 bytes": "a fill by NaN or an element stride",
    "step 2 at 16 bytes": "a fill by NaN or an element stride",
    "box at 64, at 16 bytes": "which is not a multiple of 128",
    "store at -8": r"writes a box at \(-8, 0\): a coordinate is negative",
    "1d store to the end": "writes to a row of 63 elements",
}


ILLEGAL = "cuCtxSynchronize: 715"


def spot(number: int, swizzle: int, width: int, start: int) -> int:
    """Return where an element of a box lies, by the manual's table: a line has 8 pieces of 16 bytes."""
    line, inside = divmod(start + number * width, 128)
    piece, byte = divmod(inside, 16)
    return line * 128 + (piece ^ LINES[swizzle][line % len(LINES[swizzle])]) * 16 + byte


def wanted(question: Question) -> bytes:
    """Return what a question leaves in shared memory or in the tensor, element by element."""
    shared, tensor, width = bytearray(pattern(ROOM, 7)), bytearray(pattern(question.size, 11)), question.width
    for number, place in enumerate(product(*[range(one) for one in reversed(question.box)])):
        at = [first + more for first, more in zip(question.at, reversed(place), strict=True)]
        spots = slice(start := spot(number, question.swizzle, width, question.place), start + width)
        far = at[0] * width + sum(one * stride for one, stride in zip(at[1:], question.strides, strict=True))
        inside = all(0 <= one < extent for one, extent in zip(at, question.dims, strict=True))
        more = all(0 <= one < extent for one, extent in zip(at[1:], question.dims[1:], strict=True))
        fills = more and 0 <= at[0] * width < -(-question.dims[0] * width // 16) * 16
        if question.stores and fills:
            tensor[far : far + width] = shared[spots]
        elif not question.stores:
            shared[spots] = tensor[far : far + width] if inside else bytes(width)
    return bytes(tensor if question.stores else shared)


def mapped(bench: Bench, question: Question, address: int) -> Any:
    """Return a tensor map."""
    kind, rank, *rest = question.shape
    (words,) = bench.ok(bench.c.cuTensorMapEncodeTiled(kind, rank, address, *rest))
    return (ctypes.c_uint64 * 16)(*words)


def answered(question: Question) -> str:
    """Return what a question leaves in hexadecimal digits, or the context's code."""
    with Bench(tensors.written(question)) as bench:
        out, tensor = bench.memory(pattern(ROOM, 7)), bench.memory(pattern(question.size, 11))
        assert bench.launch("k", out, mapped(bench, question, tensor)) == 0
        if code := bench.sync():
            return f"cuCtxSynchronize: {code}"
        assert not bench.twins.compared  # native code leaves tensors to the reference
        return (bench.read(tensor, question.size) if question.stores else bench.read(out, ROOM)).hex()


@pytest.mark.parametrize("question", tensors.questions(), ids=lambda one: one.name)
def test_questions(question: Question) -> None:
    """Elements outside of a tensor are 0 in shared memory, and count as bytes that have come. A store fills the last 16 bytes of a row.

    A box that does not begin at a multiple of 16 bytes is an illegal instruction.
    """
    if question.name in UNKNOWN:
        with pytest.raises(fakecuda.KernelError, match=UNKNOWN[question.name]):
            answered(question)
        return
    found = answered(question)
    assert found == (ILLEGAL if question.at[0] * question.width % 16 else wanted(question).hex())
    assert RECORDED["tensors"].get(question.name, found) == found


FLOATS = Question("floats", (16, 4), 4, (8, 2), (0, 0))
TWO = f"mov.u32 %r0, 0; {EXPECT.format(64)} {LOAD.format(2)} [data], [%d1, {{%r0, %r0}}], [bar];"


def test_a_tensor_map_in_memory() -> None:
    """It need not be a parameter."""
    body = f"{BEGIN} {TWO.replace('%d1', '%d2')} {WAIT} ld.shared.u32 %r1, [data+36]; st.global.u32 [%d0], %r1;"
    with Bench(kernel(body, SHARED, PARAMS)) as bench:
        tensor, out = bench.memory(pattern(FLOATS.size, 11)), bench.memory(bytes(4))
        made = mapped(bench, FLOATS, tensor)
        assert bench.launch("k", out, made, bench.memory(bytes(made))) == 0
        at = FLOATS.strides[0] + 4
        assert bench.read(out, 4) == pattern(FLOATS.size, 11)[at : at + 4]


def test_several_blocks() -> None:
    """Each block of a mask gets the box."""
    body = f"""{BEGIN} {EXPECT.format(64)} mov.u32 %r1, %cluster_ctarank; setp.ne.u32 %p2, %r1, 0;
    barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r0, 4; mov.b16 %h1, 3;
    @!%p2 {LOAD.format(1)}.multicast::cluster.L2::cache_hint [data], [%d1, {{%r0}}], [bar], %h1, %d0;
    {WAIT} ld.shared.u32 %r2, [data+4]; mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %d3, %d0; st.global.u32 [%d3], %r2;
    barrier.cluster.arrive; barrier.cluster.wait; cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%d1, {{%r0}}];"""
    with Bench(kernel(body, SHARED, PARAMS)) as bench:
        tensor, out = bench.array("c_int32", *range(64)), bench.memory(bytes(8))
        made = mapped(bench, tensors.MODELLED[0], tensor)
        assert bench.launch("k", out, made, 0, grid=(2, 1, 1), cluster=(2, 1, 1)) == 0
        assert bench.values(out, "c_uint32", 2) == [5, 5]


@pytest.mark.parametrize(
    ("body", "text", "made"),
    [
        (TWO.replace("[data]", "[data+4096]"), "beyond the shared memory of a block", None),
        (TWO.replace("2d", "1d").replace("{%r0, %r0}", "{%r0}"), "not a tensor map of tiles in 1 dimensions", None),
        (TWO, "not a tensor map of tiles in 2 dimensions", ctypes.c_uint64 * 16),
    ],
)
def test_what_is_undefined(body: str, text: str, made: Any) -> None:
    """It raises."""
    with Bench(kernel(f"{BEGIN} {body}", SHARED, PARAMS)) as bench:
        given = made() if made is not None else mapped(bench, FLOATS, bench.memory(bytes(FLOATS.size)))
        with pytest.raises(fakecuda.KernelError, match=text):
            bench.launch("k", bench.memory(bytes(4)), given, 0)


def test_types_without_a_format_of_their_own() -> None:
    """Numbers that a copy rounds are not modelled."""
    with Bench(kernel(f"{BEGIN} {TWO}", SHARED, PARAMS)) as bench:
        address = bench.memory(bytes(FLOATS.size))
        for kind in (10, 11, 12):
            (words,) = bench.ok(bench.c.cuTensorMapEncodeTiled(kind, 2, address, *FLOATS.shape[2:]))
            with pytest.raises(fakecuda.KernelError, match="not a tensor map of tiles in 2 dimensions"):
                bench.launch("k", address, (ctypes.c_uint64 * 16)(*words), 0)


@pytest.mark.parametrize(
    ("body", "part"),
    [
        (f"{LOAD.format(3).replace('.tile', '.im2col')} [data], [%d1, {{%r0, %r0, %r0}}], [bar], {{%h1}};", ".im2col"),
        ("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%d1, {%r0}], [data];", ".reduce"),
        (f"{LOAD.format(1)} [data], [%d1], [bar];", "its operands"),
    ],
)
def test_what_is_refused(body: str, part: str) -> None:
    """The part is named."""
    with Bench(kernel(body, SHARED)) as bench, pytest.raises(fakecuda.KernelNotDefined, match=part):
        bench.launch("k", 0)
