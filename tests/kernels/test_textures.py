"""Textures and surfaces: what the manual says of them, on the questions that a card is asked, and what is refused."""

from __future__ import annotations

import math
import random
import struct
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.record import textures
from conformance.record.textures import (
    BORDER,
    CHANGES,
    CLAMP,
    CUBEMAP,
    FLOAT,
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
from fakecuda.kernels import filtering, launch, sampling
from tests import rotation

from .test_card_values import RECORDED
from .world import Bench

if TYPE_CHECKING:
    from collections.abc import Sequence

QUESTIONS = {one.name: one for one in textures.questions()}
NUMBER = struct.Struct("<f")
PLACES = 256
"""The maximum number of places that a run reads; ``--long`` reads all."""


def number(bits: int) -> float:
    """Return the value of an ``f32``."""
    return float(NUMBER.unpack(bits.to_bytes(4, "little"))[0])


class Reader(Bench):
    """A process with an array, and a texture or surface object of it."""

    def __init__(self, question: Question, image: str, **changed: Any) -> None:
        super().__init__(image, strict=False)
        self.question = question
        c, extents = self.c, question.extents
        self.held = self.ok(c.cuArray3DCreate(question.image))
        data = self.memory(question.content())
        into = 0, 0, 0, 0, 3, 0, 0, self.held, 0, 0, 0
        self.ok(c.cuMemcpy3D((0, 0, 0, 0, 2, 0, data, 0, 0, *extents[:2], *into, *extents)))
        if question.text.startswith("su"):
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

    def content(self) -> bytes:
        """Return the bytes of the array."""
        row, rows, slices = self.question.extents
        back = self.memory(bytes(row * rows * slices))
        into = 0, 0, 0, 0, 2, 0, back, 0, 0, row, rows
        self.ok(self.c.cuMemcpy3D((0, 0, 0, 0, 3, 0, 0, self.held, 0, 0, 0, *into, row, rows, slices)))
        return self.read(back, row * rows * slices)

    def array_of(self, words: Sequence[int]) -> int:
        """Return the address of new memory with words."""
        return self.memory(struct.pack(f"<{len(words)}I", *words))


def answers(question: Question, wanted: int = 1, **changed: Any) -> list[list[int]]:
    """Return what both engines read at the places of a question."""
    with Reader(question, written(question, wanted), **changed) as reader:
        found = reader.asked(question.places)
        assert reader.twins.refused == 0 or not reader.twins.compared
        return found


def numbers(words: Sequence[int]) -> list[float]:
    """Return words as numbers."""
    return [number(one) for one in words]


def texels(question: Question) -> list[float]:
    """Return the numbers of an array of floats."""
    content = question.content()
    return list(struct.unpack(f"<{len(content) // 4}f", content))


def test_layers() -> None:
    """An index says which, and then there are two coordinates, or one."""
    asked = QUESTIONS["layers"]
    rows = asked._replace(text="tex.a1d.v4.f32.f32", image=(8, 0, 3, FLOAT, 1, LAYERED))
    places = [(layer, word(3.5), 0, 0) for layer in range(3)]
    text = (
        written(asked._replace(places=places), 1).replace("a2d", "a1d").replace("%f0, %f1, %f2, %f3}];", "%f0, %f1}];")
    )
    with Reader(rows, text) as reader:
        assert [number(one[0]) for one in reader.asked(places)] == texels(rows)[3::8]


@pytest.mark.parametrize("changed", [{"_0": (WRAP,) * 3}, {"_2": NORMALIZED | 32}])
def test_edges_of_cubes(changed: dict[str, Any]) -> None:
    """Filtering across an edge is recorded for one mode alone, and without CU_TRSF_SEAMLESS_CUBEMAP; in a face it is the same."""
    asked = QUESTIONS["cube_linear"]
    inside = asked._replace(places=[(word(1), word(0.3), word(0.5), 0)])
    assert answers(inside, 1, **changed) == answers(inside)
    with pytest.raises(fakecuda.KernelError, match="across an edge of a face"):
        answers(asked._replace(places=[(word(1), word(0.999), word(0.5), 0)]), 1, **changed)


@pytest.mark.parametrize("way", [(0.0, 0.0, 0.0), (math.nan, 1.0, 0.0)])
def test_directions_that_are_refused(way: tuple[float, ...]) -> None:
    """No face lies there."""
    with pytest.raises(fakecuda.KernelError, match=r"in the direction .*: no recording shows"):
        answers(QUESTIONS["cube_point"]._replace(places=[(*map(word, way), 0)]))


def test_filters_that_are_refused() -> None:
    """A border of two modes: no recording shows it."""
    asked = QUESTIONS["border_linear_plain"]._replace(places=[(word(-0.25), word(-0.25), 0, 0)])
    with pytest.raises(fakecuda.KernelError, match="no recording shows what a card answers"):
        answers(asked, 1, _0=(BORDER, WRAP, WRAP))


@pytest.mark.parametrize("mode", [BORDER, WRAP, MIRROR])
def test_sums_of_all_sizes(mode: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both engines filter numbers from the smallest to the largest alike."""
    draw = random.Random(mode)  # noqa: S311 - no secret
    words = [draw.getrandbits(31) % 0x7F800000 | draw.getrandbits(1) << 31 for _ in range(280)]
    words[::9] = [0, 1, 0x7FFFFF, 0x800000] * 8
    monkeypatch.setattr(Question, "content", lambda _: struct.pack("<280I", *words))
    for name, sides in (("solid", (8, 7, 5)), ("plane", (8, 7))):
        asked = QUESTIONS[name]._replace(
            image=(*sides, *[0] * (3 - len(sides)), FLOAT, 1, 0), mode=mode, flags=NORMALIZED
        )
        if name == "plane":
            monkeypatch.setattr(Question, "content", lambda _: struct.pack("<56I", *words[:56]))
        assert answers(asked._replace(places=textures.drawn(700, (1.0,) * len(sides), 3)))


def test_small_halves() -> None:
    """A sum has no bits below those of the smallest ``f16``."""
    assert filtering.summed([128, 128] + [0] * 6, [word(2**-24), word(2**-23)] + [0] * 6, half=True) == word(2**-23)


def test_sums_of_few_bits() -> None:
    """They are exact: zeros, and the smallest number alone."""
    for smallest in (0, 1):
        assert filtering.summed([256] + [0] * 7, [smallest] + [0] * 7) == smallest


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
        (LINES._replace(image=(5, 5, 0, FLOAT, 1, 0)), 1, {}, "the geometry 2d"),
        (LINES._replace(image=(4, 4, 4, FLOAT, 1, 0)), 1, {}, "the geometry 3d"),
        (LINES._replace(image=(4, 4, 12, FLOAT, 1, LAYERED | CUBEMAP)), 1, {}, "the geometry acube"),
        (LINES._replace(text="tex.1d.v4.f32.s32"), 1, {}, "with integers"),
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
        why("a sparse or deferred array")
        reader.seen = ok(c.cuTexObjectCreate((2, (reader.memory(bytes(64)), FLOAT, 1, 64), 0), LINES.sampling, None))
        why("with floats")
        reader.seen = 77
        why("uses 0x4d, which is not a texture object of")
        reader.seen = fine
        assert numbers(reader.asked(LINES.places)[0][:1]) == texels(LINES)[1:2]
        ok(c.cuArrayDestroy(reader.held))
        why(r"whose array 0x[0-9a-f]+ is destroyed")


def test_whole_borders_and_wide_signs() -> None:
    """A border of zeros is a zero; a byte below 0 fills a word."""
    asked = Question("s8", "tex.1d.v4.s32.f32", line(256, 8), BORDER, POINT, INTEGER, along(130.5, 999))
    assert [one[0] for one in answers(asked, 1, _8=(0.0,) * 4)] == [(1 << 32) - 126, 0]


@pytest.mark.parametrize("name", RECORDED["textures"])
def test_the_words_of_a_card(name: str) -> None:
    """Both engines read what the card read, and fail as it failed. Of many places a run takes a part."""
    asked, text = QUESTIONS[name], RECORDED["textures"][name]
    call, _, code = text.partition(": ")
    if code:
        with Reader(asked, written(asked)) as reader:
            given, found = reader.array_of(asked.places[0]), reader.memory(bytes(16))
            assert reader.launch("k", given, found, reader.seen) == 0
            assert (call, reader.sync()) == ("cuCtxSynchronize", int(code))
    elif asked.text.startswith(CHANGES):
        with Reader(asked, written(asked)) as reader:
            reader.asked(asked.places)
            assert reader.content().hex() == text
            assert reader.twins.refused == 0 or not reader.twins.compared
    else:
        count = len(asked.places)
        chosen = range(0, count, 1 if rotation.whole else -(-count // PLACES))
        read = answers(asked._replace(places=[asked.places[place] for place in chosen]), 4)
        for place, words in zip(chosen, read, strict=True):
            assert "".join(f"{one:08x}" for one in words) == text[32 * place : 32 * place + 32], asked.places[place]


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
    "name", ["plane", "solid", "border_point_plain", "layers", "u8_4_whole", "s32_1_whole", "u16_2"]
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
        assert [numbers(one[:1]) for one in reader.asked(asked.places)] == [texels(asked)[1:2]] * 70
