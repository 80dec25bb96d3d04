"""Copies of boxes of tensors: their places by the manual's tables, what lies outside of a tensor, and what is not modelled."""

from __future__ import annotations

import ctypes
from itertools import product
from typing import Any

import pytest

import fakecuda

from .world import Bench, kernel

SHARED = ".shared .align 1024 .b8 data[4096]; .shared .align 8 .b64 bar;"
PARAMS = ".param .u64 out, .param .align 64 .b8 map[128], .param .u64 there, .param .align 4 .b8 at[20]"
LOAD = "cp.async.bulk.tensor.{}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
STORE = "cp.async.bulk.tensor.{}d.global.shared::cta.tile.bulk_group"
BEGIN = "mov.u64 %d1, map; cvta.param.u64 %d1, %d1; ld.param.u64 %d2, [there]; mbarrier.init.shared.b64 [bar], 1;"
EXPECT = "mbarrier.arrive.expect_tx.shared.b64 _, [bar], {};"
WAIT = "wait: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra wait;"
DUMP = """mov.u32 %r9, 0; mov.u32 %r8, data; mov.u64 %d3, %d0;
dump: ld.shared.u32 %r7, [%r8]; st.global.u32 [%d3], %r7; add.u32 %r8, %r8, 4; add.u64 %d3, %d3, 4; add.u32 %r9, %r9, 1;
setp.lt.u32 %p1, %r9, 1024; @%p1 bra dump;"""
FILL = DUMP.replace(
    "ld.shared.u32 %r7, [%r8]; st.global.u32 [%d3], %r7", "ld.global.u32 %r7, [%d3]; st.shared.u32 [%r8], %r7"
).replace("dump", "fill")
FORMS = {1: "B", 2: "H", 4: "I", 8: "Q"}
KINDS = {1: 0, 2: 6, 4: 7, 8: 8}
"""CUtensorMapDataType by the bytes of an element."""
LINES = {0: [0], 1: [0, 1], 2: [0, 1, 2, 3], 3: [0, 1, 2, 3, 4, 5, 6, 7]}
"""The numbers with which the pieces of lines of 128 bytes are exchanged, by CUtensorMapSwizzle."""


class Tensor:
    """A tensor in memory, whose element n is n, with rows of some more bytes.

    Args:
        bench: The process.
        dims: Its dimensions.
        width: Bytes of an element.
    """

    def __init__(self, bench: Bench, dims: tuple[int, ...], width: int) -> None:
        self.bench, self.dims, self.width = bench, dims, width
        row = -(-dims[0] * width // 16) * 16 + 16
        self.strides = [row]
        for one in dims[1:-1]:
            self.strides.append(self.strides[-1] * one)
        self.strides = self.strides[: len(dims) - 1]
        self.size = row if len(dims) == 1 else self.strides[-1] * dims[-1]
        self.address = bench.memory(bytes(self.size))
        self.write({at: number for number, at in enumerate(self.places())})

    def places(self) -> list[tuple[int, ...]]:
        """Return the coordinates of all elements."""
        return [tuple(reversed(one)) for one in product(*[range(one) for one in reversed(self.dims)])]

    def place(self, at: tuple[int, ...]) -> int:
        """Return the first byte of an element."""
        return at[0] * self.width + sum(one * stride for one, stride in zip(at[1:], self.strides, strict=True))

    def write(self, values: dict[tuple[int, ...], int]) -> None:
        """Write elements."""
        data = bytearray(self.size)
        for at, value in values.items():
            place = self.place(at)
            data[place : place + self.width] = (value % 256**self.width).to_bytes(self.width, "little")
        self.bench.ok(self.bench.c.cuMemcpyHtoD(self.address, bytes(data), self.size))

    def map(self, box: tuple[int, ...], *looks: int, kind: int | None = None, steps: tuple[int, ...] = ()) -> Any:
        """Return a tensor map: interleave, swizzle, promotion and fill."""
        rank = len(self.dims)
        number = KINDS[self.width] if kind is None else kind
        shape = (number, rank, self.address, self.dims, tuple(self.strides), box, steps or (1,) * rank)
        (words,) = self.bench.ok(self.bench.c.cuTensorMapEncodeTiled(*shape, *(looks or (0, 0, 0, 0))))
        return (ctypes.c_uint64 * 16)(*words)


def spot(number: int, swizzle: int, width: int) -> int:
    """Return where an element of a box lies, by the manual's table: a line has 8 pieces of 16 bytes."""
    line, inside = divmod(number * width, 128)
    piece, byte = divmod(inside, 16)
    lines = LINES[swizzle]
    return line * 128 + (piece ^ lines[line % len(lines)]) * 16 + byte


def read(coordinates: int) -> str:
    """Return the code that reads coordinates, and their list."""
    return "".join(f"ld.param.u32 %r{n}, [at+{4 * n}];" for n in range(coordinates))


def listed(count: int) -> str:
    """Return registers of coordinates."""
    return ", ".join(f"%r{n}" for n in range(count))


def launched(bench: Bench, tensor_map: Any, at: tuple[int, ...], out: int) -> None:
    """Launch a kernel with a tensor map as a parameter, and in memory."""
    there = bench.memory(bytes(tensor_map))
    assert bench.launch("k", out, tensor_map, there, (ctypes.c_int32 * 5)(*at)) == 0
    assert bench.sync() == 0
    assert not bench.twins.compared  # native code leaves tensors to the reference


SHAPES = [
    ((64,), 4, (16,), (5,), 0),
    ((20, 10), 2, (16, 4), (3, 2), 1),
    ((20, 10), 2, (16, 4), (-3, 8), 1),
    ((40, 6), 2, (32, 8), (0, 0), 2),
    ((80, 20), 2, (64, 16), (7, 1), 3),
    ((10, 5, 4), 4, (8, 4, 2), (1, 2, 3), 1),
    ((9, 3, 3, 3), 8, (4, 2, 2, 2), (6, 2, 2, 2), 0),
    ((33, 2, 2, 2, 3), 1, (16, 2, 2, 2, 2), (20, 0, 1, 0, 2), 0),
]


@pytest.mark.parametrize("kept", ["%d1", "%d2"])
@pytest.mark.parametrize(("dims", "width", "box", "at", "swizzle"), SHAPES)
def test_loads(
    dims: tuple[int, ...], width: int, box: tuple[int, ...], at: tuple[int, ...], swizzle: int, kept: str
) -> None:
    """Elements outside of the tensor are 0, and count as bytes that have come."""
    count, size = len(dims), width
    for one in box:
        size *= one
    body = f"""{BEGIN} {read(count)} {EXPECT.format(size)}
    {LOAD.format(count)} [data], [{kept}, {{{listed(count)}}}], [bar]; {WAIT} {DUMP}"""
    with Bench(kernel(body, SHARED, PARAMS)) as bench:
        tensor, out = Tensor(bench, dims, width), bench.memory(bytes(4096))
        launched(bench, tensor.map(box, 0, swizzle, 0, 0), at, out)
        found = bench.read(out, 4096)
    wanted = bytearray(4096)
    numbers = {one: number for number, one in enumerate(tensor.places())}
    for number, place in enumerate(product(*[range(one) for one in reversed(box)])):
        element = numbers.get(tuple(first + more for first, more in zip(at, reversed(place), strict=True)), 0)
        start = spot(number, swizzle, width)
        wanted[start : start + width] = (element % 256**width).to_bytes(width, "little")
    assert found == wanted


@pytest.mark.parametrize(("dims", "width", "box", "at", "swizzle"), [one for one in SHAPES if min(one[3]) >= 0])
def test_stores(dims: tuple[int, ...], width: int, box: tuple[int, ...], at: tuple[int, ...], swizzle: int) -> None:
    """Elements outside of the tensor are not written."""
    count = len(dims)
    body = f"""{BEGIN} {read(count)} {FILL} ld.param.u32 %r7, [at+{4 * count - 4}]; {read(count)}
    {STORE.format(count)} [%d1, {{{listed(count)}}}], [data]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"""
    given = bytes((7 * one + 3) % 256 for one in range(4096))
    with Bench(kernel(body, SHARED, PARAMS)) as bench:
        tensor, out = Tensor(bench, dims, width), bench.memory(given)
        before = bytearray(bench.read(tensor.address, tensor.size))
        launched(bench, tensor.map(box, 0, swizzle, 0, 0), at, out)
        found = bench.read(tensor.address, tensor.size)
    for number, place in enumerate(product(*[range(one) for one in reversed(box)])):
        element = tuple(first + more for first, more in zip(at, reversed(place), strict=True))
        if all(one < extent for one, extent in zip(element, dims, strict=True)):
            start, of = tensor.place(element), spot(number, swizzle, width)
            before[start : start + width] = given[of : of + width]
    assert found == before


def test_several_blocks() -> None:
    """Each block of a mask gets the box."""
    body = f"""{BEGIN} {EXPECT.format(64)} mov.u32 %r1, %cluster_ctarank; setp.ne.u32 %p2, %r1, 0;
    barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r0, 4; mov.b16 %h1, 3;
    @!%p2 {LOAD.format(1)}.multicast::cluster.L2::cache_hint [data], [%d1, {{%r0}}], [bar], %h1, %d0;
    {WAIT} ld.shared.u32 %r2, [data+4]; mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %d3, %d0; st.global.u32 [%d3], %r2;
    barrier.cluster.arrive; barrier.cluster.wait; cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%d1, {{%r0}}];"""
    with Bench(kernel(body, SHARED, PARAMS)) as bench:
        tensor, out = Tensor(bench, (64,), 4), bench.memory(bytes(8))
        given = out, tensor.map((16,)), 0, (ctypes.c_int32 * 5)()
        assert bench.launch("k", *given, grid=(2, 1, 1), cluster=(2, 1, 1)) == 0
        assert bench.values(out, "c_uint32", 2) == [5, 5]


def failing(body: str, text: str, tensor_map: Any = None, **options: Any) -> None:
    """Check the error of a kernel with a tensor of 64 floats."""
    with Bench(kernel(f"{BEGIN} {body}", SHARED, PARAMS)) as bench:
        tensor = Tensor(bench, (16, 4), 4)
        made = tensor.map((8, 2), **options) if tensor_map is None else tensor_map(tensor)
        with pytest.raises(fakecuda.KernelError, match=text):
            bench.launch("k", bench.memory(bytes(4)), made, 0, (ctypes.c_int32 * 5)())


TWO = f"mov.u32 %r0, 0; {EXPECT.format(64)} {LOAD.format(2)} [data], [%d1, {{%r0, %r0}}], [bar];"


def test_what_is_undefined() -> None:
    """It raises, and so does what fakecuda does not model."""
    failing(TWO.replace("[data]", "[data+64]"), "which is not a multiple of 128")
    failing(TWO.replace("[data]", "[data+4096]"), "beyond the shared memory of a block")
    failing(TWO.replace("2d", "1d").replace("{%r0, %r0}", "{%r0}"), "not a tensor map of tiles in 1 dimensions")
    failing(TWO, "not a tensor map of tiles in 2 dimensions", lambda _: (ctypes.c_uint64 * 16)())
    failing(TWO, "not a tensor map of tiles in 2 dimensions", kind=11)
    failing(TWO, "element strides are not modelled", steps=(1, 2))
    failing(TWO, "fills by NaN", lambda tensor: tensor.map((8, 2), 0, 0, 0, 1))
    failing(TWO, "swizzles a row of 32 bytes", lambda tensor: tensor.map((8, 2), 0, 3, 0, 0))
    store = f"mov.u32 %r0, -1; {STORE.format(2)} [%d1, {{%r0, %r0}}], [data];"
    failing(store, r"writes a box at \(-1, -1\): a coordinate is negative")


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
