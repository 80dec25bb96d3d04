"""Surfaces: what kernels read and write through them, and forms of instructions that are refused."""

from __future__ import annotations

import ctypes
import math
import struct

import pytest

import fakecuda
from conformance.record.textures import FLOAT, HALF, LAYERED, SURFACE, U8, U32, Question, written
from fakecuda.kernels import lower
from fakecuda.kernels.parse import parsed

from .test_textures import QUESTIONS, Reader, answers
from .world import HEAD, Bench

SEEN = QUESTIONS["surface_clamp"]


@pytest.mark.parametrize(
    "name", ["surface_clamp", "surface_zero", "surface_clamp_v2", "surface_zero_v2", "surface_trap"]
)
def test_surfaces(name: str) -> None:
    """The nearest place, or zeros, beyond them."""
    asked, wide = QUESTIONS[name], "v2" in name
    data, wanted = asked.content(), []
    for x, y, _, _ in asked.places:
        at = [one - (one >> 31 << 32) for one in (x, y)]
        near = [min(max(at[0], 0), 24 if wide else 28), min(max(at[1], 0), 4)]
        words = struct.unpack_from("<2I" if wide else "<I", data, near[1] * 32 + near[0])
        wanted.append(list(words) if at == near or "clamp" in name else [0] * len(words))
    assert [one[: len(wanted[0])] for one in answers(asked, 4)] == wanted


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (SEEN._replace(places=[(2, 0, 0, 0)]), "uses 4 bytes at byte 2 of a row, a misaligned place"),
        (SEEN._replace(image=(8, 5, 0, U32, 1, 0)), "without CUDA_ARRAY3D_SURFACE_LDST"),
        (SEEN._replace(image=(8, 5, 3, U32, 1, SURFACE)), "the geometry 3d"),
        (QUESTIONS["surface_clamp_v2"]._replace(image=(7, 5, 0, U32, 1, SURFACE)), "beyond it: no recording"),
    ],
)
def test_surfaces_that_are_refused(asked: Question, why: str) -> None:
    """What no recording shows."""
    with pytest.raises(fakecuda.KernelError, match=why):
        answers(asked, 4)


WRITE = """.visible .entry k(.param .u64 seen) {{
.reg .b64 %seen; .reg .b32 %x, %y, %z; .reg .b16 %h<9>;
ld.param.u64 %seen, [seen]; mov.u32 %x, %tid.x; mov.u32 %y, %tid.y; mov.u32 %z, %tid.z; mov.u16 %h1, 0x1234; cvt.u16.u32 %h2, %x;
{body}
ret;
}}
"""


def written_by(body: str, image: tuple[int, ...], block: tuple[int, int, int]) -> bytes:
    """Return the bytes of an array that a kernel has written through a surface."""
    with Bench(HEAD + WRITE.format(body=body), strict=False) as bench:
        c, extents = bench.c, Question("", "", image, 0, 0, 0, []).extents  # type: ignore[arg-type]
        array = bench.ok(c.cuArray3DCreate(image))
        size = math.prod(extents)
        bench.ok(
            c.cuMemcpy3D(
                (
                    0,
                    0,
                    0,
                    0,
                    2,
                    0,
                    bench.memory(bytes(size)),
                    0,
                    0,
                    *extents[:2],
                    0,
                    0,
                    0,
                    0,
                    3,
                    0,
                    0,
                    array,
                    0,
                    0,
                    0,
                    *extents,
                )
            )
        )
        surface = bench.ok(c.cuSurfObjectCreate((0, (array,), 0)))
        assert bench.launch("k", surface, block=block) == 0
        assert bench.sync() == 0
        memory = bench.memory(bytes(size))
        bench.ok(
            c.cuMemcpy3D((0, 0, 0, 0, 3, 0, 0, array, 0, 0, 0, 0, 0, 0, 0, 2, 0, memory, 0, 0, *extents[:2], *extents))
        )
        assert bench.twins.refused == 0 or not bench.twins.compared
        return bench.read(memory, size)


def test_writes() -> None:
    """Of bytes, vectors, layers and slices; beyond a surface nothing is written."""
    found = written_by(
        "sust.b.1d.v2.b8.zero [%seen, {%x}], {%h2, %h1};".replace("{%x}", "{%y}"), (6, 0, 0, U8, 1, SURFACE), (1, 1, 1)
    )
    assert found == bytes([0, 0x34, 0, 0, 0, 0])
    shift = "shl.b32 %x, %x, 2; "
    body = shift + "sust.b.a2d.b32.trap [%seen, {%z, %x, %y, %y}], %x;"
    found = written_by(body, (3, 2, 2, U32, 1, SURFACE | LAYERED), (3, 2, 2))
    assert struct.unpack("<12I", found) == (0, 4, 8) * 4
    body = shift + "sust.b.3d.b32.zero [%seen, {%x, %y, %z, %z}], %x;"
    assert struct.unpack("<12I", written_by(body, (3, 2, 2, U32, 1, SURFACE), (5, 3, 3))) == (0, 4, 8) * 4
    body = shift + "sust.b.a1d.b32 [%seen, {%y, %x}], %x;"
    assert struct.unpack("<6I", written_by(body, (3, 0, 2, U32, 1, SURFACE | LAYERED), (3, 2, 1))) == (0, 4, 8) * 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%d0, %d1, {%f0, %f1}];", "its operand , { %f0 , %f1 }"),
        ("tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%d0, {%f0}];", "its operands"),
        ("tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%d0];", "its operands"),
        ("tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%d0, {%f0, %f1}], {%r0, %r1};", "its operands"),
        ("tex.level.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%d0, {%f0, %f1}];", "its modifier .level"),
        ("tex.acube.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%d0, {%r0, %f0, %f1, %f1}];", "its modifier .acube"),
        ("tex.2d.v4.f16.f32 {%h0, %h1, %h2, %h3}, [%d0, {%f0, %f1}];", "its type .f16"),
        ("tex.2d.v4.f32.f32 {%h0, %r1, %r2, %r3}, [%d0, {%f0, %f1}];", "its operands"),
        ("suld.b.2d.v2.b32.trap {%r0, %r1, %r2}, [%d0, {%r0, %r1}];", "its operands"),
        ("tld4.r.cube.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%d0, {%f0, %f1, %f2, %f3}];", "its modifier .cube"),
        ("tld4.r.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%d0, {%f0, %f1}], {%r0, %r1};", "its operands"),
        ("sured.b.add.cube.u32.trap [%d0, {%r0, %r1, %r2, %r3}], %r0;", "its operands"),
        ("sured.p.min.2d.b32.trap [%d0, {%r0, %r1}], %r0;", "its operands"),
        ("txq.array_size.b32 %r0, [%d0];", "its modifier .array_size"),
        ("txq.level.width.b32 %r0, [%d0], %r1;", "its operands"),
        ("suq.width.b32 %r0, [%d0+8];", "its operands"),
    ],
)
def test_forms_that_are_refused(text: str, why: str) -> None:
    """By name."""
    body = f".entry k() {{ .reg .b32 %r<4>; .reg .b16 %h<4>; .reg .f32 %f<4>; .reg .b64 %d<4>; {text} ret; }}"
    with pytest.raises(lower.NotLowered) as error:
        lower.lowered(parsed(HEAD + body), "k")
    assert error.value.why == why


def why(question: Question, text: str, match: str) -> None:
    """Assert that a kernel raises an error: no recording shows what a card does."""
    image = written(question).replace(question.text, text)
    with Reader(question, image) as reader, pytest.raises(fakecuda.KernelError, match=match):
        reader.asked(question.places[:1])


def test_what_no_recording_shows() -> None:
    """Elements that are no words, components of another number, rounded numbers, objects of other kinds."""
    small = QUESTIONS["sured_p"]._replace(image=(8, 5, 0, U8, 1, SURFACE), places=[(0, 0, 1, 1)])
    why(small, small.text, "which are not words")
    one = QUESTIONS["sust_p_half_1"]
    why(one._replace(image=(10, 2, 0, HALF, 2, SURFACE)), one.text, "writes 1 components of .*, which has 2")
    for bits in (0x3F801FFF, 0x7F800000, 0x7FC00001):
        why(one._replace(places=[(0, 0, bits, 0)]), one.text, "as half, rounded")
    cube = QUESTIONS["cube_point"]._replace(text="txq.width.b32", places=[(0, 0, 0, 0)])
    why(cube, cube.text, "asks for the width")
    gather = QUESTIONS["gather_r"]
    why(gather._replace(image=(8, 6, 3, FLOAT, 1, LAYERED)), gather.text, "gathers texels of")


def test_sizes_of_memory() -> None:
    """A texture object of linear memory has no array."""
    asked = QUESTIONS["txq_width_line"]
    with Reader(asked, written(asked)) as reader:
        memory = reader.array_of([0] * 64)
        reader.seen = reader.ok(reader.c.cuTexObjectCreate((2, (memory, FLOAT, 1, 256), 0), asked.sampling, None))
        with pytest.raises(fakecuda.KernelError, match="which is not an array"):
            reader.asked(asked.places)


def test_elements_of_layers() -> None:
    """The place in a row is the second coordinate, in elements."""
    body = "sust.p.a1d.b32.trap [%seen, {%y, %x}], %x;"
    found = written_by(body, (3, 0, 2, U32, 1, SURFACE | LAYERED), (3, 2, 1))
    assert struct.unpack("<6I", found) == (0, 1, 2) * 2


def test_races() -> None:
    """What a kernel writes through a surface, work of another stream may not read at once; other rows it may."""
    body = "shl.b32 %x, %x, 2; sust.b.2d.b32.trap [%seen, {%x, %y}], %x;"
    with Bench(HEAD + WRITE.format(body=body)) as bench:
        c, ok = bench.c, bench.ok
        array = ok(c.cuArray3DCreate((32, 2, 0, U32, 1, SURFACE)))
        surface = ctypes.c_uint64(ok(c.cuSurfObjectCreate((0, (array,), 0))))
        places = (ctypes.c_void_p * 1)(ctypes.addressof(surface))
        function, memory = ok(c.cuModuleGetFunction(bench.module, b"k")), bench.memory(bytes(128))
        one, two = ok(c.cuStreamCreate(1)), ok(c.cuStreamCreate(1))
        ok(c.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, one, ctypes.addressof(places), 0))

        def copied(row: int) -> None:
            """Copy a row of the array in the other stream."""
            into = *(0,) * 4, 2, 0, memory, 0, 0, 128, 0
            ok(c.cuMemcpy3DAsync((0, row, 0, 0, 3, 0, 0, array, 0, 0, 0, *into, 128, 1, 1), two))

        copied(1)
        with pytest.raises(fakecuda.UndefinedBehaviour):
            copied(0)
