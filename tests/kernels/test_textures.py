"""Textures and surfaces: what the manual says of them, on the questions that a card is asked, and what is refused."""

from __future__ import annotations

import contextlib
import math
import struct
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.record import textures
from conformance.record.textures import (
    BORDER,
    BYTES,
    CLAMP,
    CUBEMAP,
    FLOAT,
    HALF,
    INTEGER,
    LAYERED,
    LINEAR,
    MIRROR,
    NORMALIZED,
    POINT,
    U8,
    U32,
    WRAP,
    Question,
    along,
    line,
    word,
    written,
)
from fakecuda.kernels import launch, sampling

from .test_card_values import RECORDED
from .world import Bench

if TYPE_CHECKING:
    from collections.abc import Sequence

QUESTIONS = {one.name: one for one in textures.questions()}
NUMBER = struct.Struct("<f")


def number(bits: int) -> float:
    """Return the value of an ``f32``."""
    return float(NUMBER.unpack(bits.to_bytes(4, "little"))[0])


class Reader(Bench):
    """A process with the array of a question, and a texture or a surface object of it."""

    def __init__(self, question: Question, image: str, **changed: Any) -> None:
        super().__init__(image, strict=False)
        c, extents = self.c, question.extents
        self.held = self.ok(c.cuArray3DCreate(question.image))
        data = self.memory(question.content())
        into = 0, 0, 0, 0, 3, 0, 0, self.held, 0, 0, 0
        self.ok(c.cuMemcpy3D((0, 0, 0, 0, 2, 0, data, 0, 0, *extents[:2], *into, *extents)))
        if question.text.startswith("s"):
            self.seen = self.ok(c.cuSurfObjectCreate((0, (self.held,), 0)))
        else:
            sampling = list(question.sampling)
            for place, value in changed.items():
                sampling[int(place[1:])] = value
            self.seen = self.ok(c.cuTexObjectCreate((0, (self.held,), 0), tuple(sampling), None))

    def asked(self, places: Sequence[Sequence[int]]) -> list[list[int]]:
        """Return the words that the kernel reads at each place."""
        flat = [one for place in places for one in place]
        given, found = self.array_of(flat), self.memory(bytes(4 * len(flat)))
        grid = -(-len(places) // 64), 1, 1
        assert self.launch("k", given, found, self.seen, grid=grid, block=(64, 1, 1)) == 0
        assert self.sync() == 0
        words = self.values(found, "c_uint32", len(flat))
        return [words[at : at + 4] for at in range(0, len(words), 4)]

    def array_of(self, words: Sequence[int]) -> int:
        """Return the address of new memory with words."""
        return self.memory(struct.pack(f"<{len(words)}I", *words))


def answers(question: Question, wanted: int = 1, **changed: Any) -> list[list[int]]:
    """Return what both engines read at the places of a question."""
    with Reader(question, written(question, wanted), **changed) as reader:
        found = reader.asked(question.places)
        assert reader.twins.refused == 0 or not reader.twins.compared
        return found


def texel(question: Question, x: int, y: int, z: int) -> list[Fraction]:
    """Return the numbers of a texel as the manual says, each an ``f32``."""
    _, _, _, form, channels, _ = question.image
    row, rows, _ = question.extents
    size = BYTES[form] * channels
    at = (z * rows + y) * row + x * size
    code = {1: "B", 2: "H", 3: "I", 8: "b", 9: "h", 10: "i", HALF: "e", FLOAT: "f"}[form]
    values = struct.unpack(f"<{channels}{code}", question.content()[at : at + size])
    if form >= HALF or question.flags & INTEGER:
        return [Fraction(one) for one in values]
    most = (1 << 8 * BYTES[form] - (form >= 8)) - 1
    return [Fraction(number(word(max(one / most, -1)))) for one in values]


def reached(at: int, side: int, mode: int) -> int | None:
    """Return the texel of a dimension."""
    if mode == WRAP:
        return at % side
    if mode == MIRROR:
        return (list(range(side)) + list(range(side))[::-1])[at % (2 * side)]
    return min(max(at, 0), side - 1) if mode == CLAMP else at if 0 <= at < side else None


def read(question: Question, coordinates: Sequence[float], layer: int = 0) -> list[Fraction]:
    """Return what the guide's formulas say of a place."""
    dimensions, taps = len(coordinates), []
    mode = question.mode if question.flags & NORMALIZED or question.mode == BORDER else CLAMP
    for coordinate, side in zip(coordinates, (*question.image[:2], max(question.image[2], 1)), strict=False):
        place = Fraction(coordinate) * (side if question.flags & NORMALIZED else 1)
        if question.near == POINT:
            taps.append([(Fraction(1), reached(math.floor(place), side, mode))])
            continue
        fixed = math.floor((place - Fraction(1, 2)) * 256 + Fraction(1, 2))
        share = Fraction(fixed % 256, 256)
        taps.append([(1 - share, reached(fixed // 256, side, mode)), (share, reached(fixed // 256 + 1, side, mode))])
    channels = question.image[4]
    total = [Fraction(0)] * channels
    for several in product(*taps):
        weight = math.prod(one for one, _ in several)
        at = [place for _, place in several]
        if None in at:
            values = [Fraction(one) for one in textures.EDGE[:channels]]
        else:
            x, y, z = (*at, 0, 0, 0)[:3]
            values = texel(question, x, y, layer if dimensions < 3 else z)  # type: ignore[arg-type]
        total = [one + weight * value for one, value in zip(total, values, strict=True)]
    return total


def numbers(words: Sequence[int]) -> list[float]:
    """Return words as numbers."""
    return [number(one) for one in words]


def rounded(values: Sequence[Fraction]) -> list[float]:
    """Return the ``f32`` next to numbers."""
    return [number(word(float(one))) for one in values]


FLAT = [
    name
    for name, one in QUESTIONS.items()
    if one.text.startswith("tex") and one.text.split(".")[1] in {"1d", "2d", "3d"}
]


@pytest.mark.parametrize("name", FLAT)
def test_formulas(name: str) -> None:
    """Weights, addresses beyond an array, borders, and each format; whole numbers too."""
    asked, channels = QUESTIONS[name], QUESTIONS[name].image[4]
    count = {"1d": 1, "2d": 2, "3d": 3}[asked.text.split(".")[1]]
    places = [one for one in asked.places[::7] if all(math.isfinite(number(each)) for each in one[:count])]
    found = answers(asked._replace(places=places), channels)
    wanted = [read(asked, [number(one) for one in place[:count]]) for place in places]
    if ".f32.f32" in asked.text:
        assert [numbers(one[:channels]) for one in found] == [rounded(one) for one in wanted]
    else:
        assert [one[:channels] for one in found] == [[int(each) % (1 << 32) for each in one] for one in wanted]
    assert all(one[channels:] == [0] * (4 - channels) for one in found)


def test_layers() -> None:
    """An index says which, and then there are two coordinates, or one."""
    asked = QUESTIONS["layers"]
    wanted = [read(asked, [number(one) for one in place[1:3]], place[0]) for place in asked.places]
    found = answers(asked)
    assert [numbers(one[:1]) for one in found] == [rounded(one) for one in wanted]
    rows = asked._replace(text="tex.a1d.v4.f32.f32", image=(8, 0, 3, FLOAT, 1, LAYERED))
    places = [(layer, word(3.5), 0, 0) for layer in range(3)]
    text = (
        written(asked._replace(places=places), 1).replace("a2d", "a1d").replace("%f0, %f1, %f2, %f3}];", "%f0, %f1}];")
    )
    with Reader(rows, text) as reader:
        assert [numbers(one[:1]) for one in reader.asked(places)] == [rounded(texel(rows, 3, 0, at)) for at in range(3)]
        with pytest.raises(fakecuda.KernelError, match="reads layer 3 of texture object 1"):
            reader.asked([(3, 0, 0, 0)])


FACES = {
    0: lambda x, y, z: (-z / x, -y / x),
    1: lambda x, y, z: (z / -x, -y / -x),
    2: lambda x, y, z: (x / y, z / y),
    3: lambda x, y, z: (x / -y, -z / -y),
    4: lambda x, y, z: (x / z, -y / z),
    5: lambda x, y, z: (-x / -z, -y / -z),
}
"""The table of the guide, by the face."""


@pytest.mark.parametrize("near", [POINT, LINEAR])
def test_cubes(near: int) -> None:
    """The largest component of a direction says which face; an edge is refused."""
    asked = QUESTIONS["cube_linear" if near else "cube_point"]
    places, wanted = [], []
    for place in asked.places:
        way = [number(one) for one in place[:3]]
        axis = max(range(3), key=lambda one: abs(way[one]))
        face = 2 * axis + (way[axis] < 0)
        s, t = ((one + 1) / 2 for one in FACES[face](*way))
        if not near or all(1 / 15 < one < 14 / 15 for one in (s, t)):
            places.append(place)
            wanted.append(rounded(read(asked, (s, t), face)))
    assert len(places) > 500
    assert [numbers(one[:1]) for one in answers(asked._replace(places=places))] == wanted
    with pytest.raises(fakecuda.KernelError, match="which goes through an edge"):
        answers(QUESTIONS["cube_point_edges"])
    if near:
        with pytest.raises(fakecuda.KernelError, match="across an edge of a face"):
            answers(asked._replace(places=[(word(1), word(0.999), word(0.5), 0)]))


def test_linear_memory() -> None:
    """It is read by whole numbers, and not beyond its end. Its bytes count as read."""
    asked = QUESTIONS["float_2"]._replace(text="tex.1d.v4.f32.s32", places=[(5, 0, 0, 0), (0, 0, 0, 0)])
    with Reader(asked, written(asked, 2)) as reader:
        memory = reader.array_of([word(one) for one in range(16)])
        reader.seen = reader.ok(reader.c.cuTexObjectCreate((2, (memory, FLOAT, 2, 64), 0), asked.sampling, None))
        assert [numbers(one) for one in reader.asked(asked.places)] == [[10, 11, 0, 0], [0, 1, 0, 0]]
        with pytest.raises(fakecuda.KernelError, match=r"reads element -1 of texture object 2 .*which has 8 elements"):
            reader.asked([((1 << 32) - 1, 0, 0, 0), (0, 0, 0, 0)])
        places, found = reader.array_of([0] * 4), reader.memory(bytes(16))
        reader.ok(reader.c.cuMemFree(memory))
        assert reader.launch("k", places, found, reader.seen) == 0
        assert reader.sync() == 700


def test_pitched_memory() -> None:
    """It has rows, and is filtered."""
    places = [(word(2.5), word(1.5), 0, 0), (word(2.25), word(2.75), 0, 0)]
    asked = QUESTIONS["plane"]._replace(places=places)
    with Reader(asked, written(asked, 1)) as reader:
        memory = reader.array_of([word(one) for one in range(512)])
        resource = 3, (memory, FLOAT, 1, 8, 4, 512), 0
        reader.seen = reader.ok(reader.c.cuTexObjectCreate(resource, asked.sampling, None))
        assert [numbers(one[:1]) for one in reader.asked(places)] == [[130], [2 - 0.25 + 128 * 2.25]]
        reader.ok(reader.c.cuMemsetD32(memory, word(math.inf), 1))
        with pytest.raises(fakecuda.KernelError, match=r"filters texels of .* that are infinite or NaN"):
            reader.asked([(word(1), word(1), 0, 0)] * 2)


LINES = Question("line", "tex.1d.v4.f32.f32", line(5), CLAMP, POINT, 0, along(1.5))


@pytest.mark.parametrize(
    ("asked", "wanted", "changed", "why"),
    [
        (LINES, 2, {}, "uses 2 components of texture object 1 .* has 1 components"),
        (LINES._replace(image=(5, 5, 0, FLOAT, 1, 0)), 1, {}, "the geometry 2d"),
        (LINES._replace(image=(4, 4, 4, FLOAT, 1, 0)), 1, {}, "the geometry 3d"),
        (LINES._replace(image=(4, 4, 12, FLOAT, 1, LAYERED | CUBEMAP)), 1, {}, "the geometry acube"),
        (LINES._replace(places=along(math.nan)), 1, {}, "a coordinate that is infinite or NaN"),
        (LINES._replace(text="tex.1d.v4.f32.s32"), 1, {}, "by integers"),
        (LINES._replace(text="tex.1d.v4.s32.f32"), 1, {}, "reads .s32 of .* whose texels are .f32"),
        (LINES, 1, {"_3": 4}, "with anisotropic filtering"),
        (LINES, 1, {"_2": 16}, "CU_TRSF_SRGB"),
        (LINES._replace(image=line(5, U8), text="tex.1d.v4.u32.f32", near=LINEAR, flags=INTEGER), 1, {}, "filters"),
        (
            LINES._replace(image=line(5, U32), text="tex.1d.v4.u32.f32", mode=BORDER, places=along(9)),
            1,
            {},
            "with the border",
        ),
    ],
)
def test_what_is_refused(asked: Question, wanted: int, changed: dict[str, Any], why: str) -> None:
    """What the manual does not say, or fakecuda does not run, raises an error that says what."""
    if asked.near == LINEAR:
        asked = asked._replace(places=along(1.25))
    with pytest.raises(fakecuda.KernelError, match=why):
        answers(asked, wanted, **changed)


def test_objects_that_are_refused() -> None:
    """Formats, views, levels and arrays of kinds that fakecuda does not run, and objects that are gone."""
    with Reader(LINES, written(LINES, 1)) as reader:
        c, ok = reader.c, reader.ok
        fine = reader.seen

        def why(text: str) -> None:
            with pytest.raises(fakecuda.KernelError, match=text):
                reader.asked(LINES.places)

        reader.seen = ok(
            c.cuTexObjectCreate((0, (ok(c.cuArray3DCreate((5, 0, 0, 192, 1, 0))),), 0), LINES.sampling, None)
        )
        why("the CUarray_format 192")
        reader.seen = ok(c.cuTexObjectCreate((0, (reader.held,), 0), LINES.sampling, (22, 5, 0, 0, 0, 0, 0, 0)))
        why("a resource view")
        levels = ok(c.cuMipmappedArrayCreate((8, 0, 0, FLOAT, 1, 0), 2))
        reader.seen = ok(c.cuTexObjectCreate((1, (levels,), 0), LINES.sampling, None))
        why("of a mipmapped array")
        later = ok(c.cuArray3DCreate((64, 64, 0, FLOAT, 1, 64)))
        reader.seen = ok(c.cuTexObjectCreate((0, (later,), 0), LINES.sampling, None))
        why("whose memory is mapped later")
        reader.seen = ok(c.cuTexObjectCreate((2, (reader.memory(bytes(64)), FLOAT, 1, 64), 0), LINES.sampling, None))
        why("by floats")
        reader.seen = 77
        why("uses 0x4d, which is no texture object of")
        reader.seen = fine
        assert numbers(reader.asked(LINES.places)[0][:1]) == rounded(texel(LINES, 1, 0, 0))
        ok(c.cuArrayDestroy(reader.held))
        why(r"whose array 0x[0-9a-f]+ is destroyed")


def test_whole_borders_and_wide_signs() -> None:
    """A border of zeros is a zero; a byte below 0 fills a word."""
    asked = Question("s8", "tex.1d.v4.s32.f32", line(256, 8), BORDER, POINT, INTEGER, along(130.5, 999))
    assert [one[0] for one in answers(asked, 1, _8=(0.0,) * 4)] == [(1 << 32) - 126, 0]


def test_the_words_of_a_card() -> None:
    """Recorded answers, if there are any, are what the kernels read. Questions that fakecuda refuses do not count."""
    different = []
    for name, text in RECORDED.get("textures", {}).items():
        asked, channels = QUESTIONS[name], QUESTIONS[name].image[4]
        with contextlib.suppress(fakecuda.KernelError):
            found = [one[:channels] for one in answers(asked, channels)]
            words = [int(text[at : at + 8], 16) for at in range(0, len(text), 8)] if text.isalnum() else []
            if [words[at : at + channels] for at in range(0, len(words), 4)] != found:
                different.append(name)
    assert different == []


def test_memory_that_ends_early() -> None:
    """A texture object may show more rows than there is memory; only those rows fail."""
    places = [(word(0.5), word(one + 0.5), 0, 0) for one in range(4)]
    asked = QUESTIONS["plane"]._replace(places=places)
    with Reader(asked, written(asked, 1)) as reader:
        memory = reader.array_of([word(one) for one in range(512)])
        reader.seen = reader.ok(
            reader.c.cuTexObjectCreate((3, (memory, FLOAT, 1, 8, 65000, 512), 0), asked.sampling, None)
        )
        assert [numbers(one[:1]) for one in reader.asked(places)] == [[128 * one] for one in range(4)]
        beyond = reader.array_of([word(0.5), word(60000.5), 0, 0] * 4)
        assert reader.launch("k", beyond, reader.memory(bytes(64)), reader.seen) == 0
        assert reader.sync() == 700


@pytest.mark.parametrize(
    "name", ["plane", "solid", "border_linear_plain", "layers", "u8_4_whole", "s32_1_whole", "u16_2"]
)
def test_native_code_reads_texels(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python is asked once for each object, and not at each place."""
    pytest.importorskip("llvmlite", reason="llvmlite: pip install -e '.[kernels]'")
    asked, count = QUESTIONS[name], list[Any]()
    image_of = sampling.image_of
    with Reader(asked._replace(mode=CLAMP) if "whole" in name else asked, written(asked, asked.image[4])) as reader:
        reader.machine.ptx = launch.Runner()

        def counting(*given: Any) -> sampling.Image:
            count.append(given)
            return image_of(*given)

        monkeypatch.setattr(sampling, "image_of", counting)
        reader.asked(asked.places)
    assert len(count) == 2


def test_many_objects() -> None:
    """Native code lists 64; Python reads the others."""
    asked = LINES._replace(places=along(*[1.5] * 70))
    text = (
        written(asked, 1)
        .replace("ld.param.u64 %seen, [seen];", "")
        .replace("tex.1d", "cvt.u64.u32 %seen, %x; add.u64 %seen, %seen, 1;\ntex.1d")
    )
    with Reader(asked, text) as reader:
        for _ in range(69):
            reader.ok(reader.c.cuTexObjectCreate((0, (reader.held,), 0), asked.sampling, None))
        assert [numbers(one[:1]) for one in reader.asked(asked.places)] == [rounded(texel(asked, 1, 0, 0))] * 70
