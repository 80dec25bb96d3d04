"""Single instructions as native code: the card's recorded results, and the reference's for drawn operands."""

from __future__ import annotations

import random
from array import array
from itertools import islice, product
from typing import Any

import pytest

from conformance.record import binades, instructions, sums
from fakecuda.kernels.compiled import engine, floats, formats, rounding
from fakecuda.kernels.row import CARRY, bits_of
from tests.rotation import part

from .drawn_instructions import FLOATS, INSTRUCTIONS, value
from .native import Column, columns, native_meaning
from .test_card_values import OPERANDS, RECORDED, ROOT, SUMMED, VALUES, digest, held
from .world import meaning

pytest.importorskip("llvmlite", reason="llvmlite: pip install -e '.[kernels]'")
WAYS = ".rz", ".rm", ".rp"
HALVES = "f16", "bf16", "f16x2", "bf16x2"
SMALL = "e4m3x2", "e5m2x2"
MORE = [
    *INSTRUCTIONS,
    *[f"setp.eq.{join}.{type_}" for join in ("and", "or", "xor") for type_ in ("u16", "f64")],
    *[f"set.lt.{join}.u32.{type_}" for join in ("and", "xor") for type_ in ("s32", "f32")],
    "selp.u16",
    "abs.u32",
    "cvta.global.u64",
    "cvta.shared.u64",
    "cvta.to.local.u64",
    "cvta.to.global.u64",
    "isspacep.shared",
    "isspacep.global",
    *[f"cvt.{to}.{of}" for to in ("u8", "s8") for of in ("u16", "s32", "u64")],
    *[f"cvt.{to}.{of}" for to in ("u16", "s32", "u64") for of in ("u8", "s8")],
    *["cvt.f32.f32", "cvt.sat.f32.f32", "cvt.f64.f64", "cvt.rn.sat.f32.s32", "cvt.rzi.s8.f32", "cvt.rni.u8.f64"],
    *[f"{name}{how}.{type_}" for name in ("add", "sub", "mul", "fma") for how in WAYS for type_ in ("f32", "f64")],
    *[f"{name}{how}.{type_}" for name in ("div", "rcp", "sqrt") for how in WAYS for type_ in ("f32", "f64")],
    *[f"{name}{how}.ftz.f32" for name in ("add", "mul", "fma", "div", "rcp", "sqrt") for how in (".rn", *WAYS)],
    *[f"fma{how}.ftz.sat.f32" for how in WAYS],
    *[f"div.{how}.ftz.f32" for how in ("approx", "full")],
    *[f"{name}.approx{flush}.f32" for name in ("rcp", "sqrt") for flush in ("", ".ftz")],
    "rcp.approx.ftz.f64",
    *[f"{name}.rn.{type_}" for name in ("add", "sub", "mul", "fma") for type_ in HALVES],
    *[f"{name}.sat.f16" for name in ("add", "sub", "mul")],
    *[f"{name}.ftz.{type_}" for name in ("add", "sub", "mul", "neg", "abs") for type_ in ("f16", "f16x2")],
    *[f"fma.rn.{how}.{type_}" for how in ("ftz.sat", "relu", "ftz.relu") for type_ in ("f16", "f16x2")],
    *[f"fma.rn.relu.{type_}" for type_ in ("bf16", "bf16x2")],
    *[f"{name}.{type_}" for name in ("neg", "abs") for type_ in HALVES],
    *[
        f"{name}{how}.{type_}"
        for name in ("min", "max")
        for how in ("", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs")
        for type_ in ("f32", *HALVES)
    ],
    *[f"setp.{how}.{type_}" for how in ("eq", "ltu", "nan", "ge") for type_ in ("f16", "ftz.f16", "bf16")],
    *[f"set.lt.{to}.{type_}" for to in ("u32", "f16", "bf16", "s16") for type_ in ("f16", "bf16", "s32")],
    *[f"set.{how}.{type_}.{type_}" for how in ("ltu", "eq", "ftz.gt") for type_ in ("f16x2", "bf16x2")],
    *[f"setp.{how}.{type_}" for how in ("ltu", "eq", "nan") for type_ in ("f16x2", "bf16x2", "ftz.f16x2")],
    *[f"{name}.approx{how}.f32" for name in ("sin", "cos", "ex2", "lg2", "rsqrt") for how in ("", ".ftz")],
    *[f"tanh.approx.{type_}" for type_ in ("f32", *HALVES)],
    *["ex2.approx.f16", "ex2.approx.f16x2", "ex2.approx.ftz.bf16", "ex2.approx.ftz.bf16x2"],
    *["rsqrt.approx.f64", "rsqrt.approx.ftz.f64"],
    *[
        f"cvt{how}.{to}.{of}"
        for how in (".rn", *WAYS)
        for to in ("f16", "bf16", "f32")
        for of in ("f32", "f64")
        if to != of
    ],
    *[
        f"cvt{how}.{to}.{of}"
        for how in (".rn", *WAYS)
        for to in ("f16", "bf16", "f32", "f64")
        for of in ("s8", "u32", "s64", "u64")
    ],
    *[
        f"cvt.{how}i.{to}.{of}"
        for how in ("rn", "rz", "rm", "rp")
        for to in ("f16", "s16", "u32", "s64")
        for of in ("f16", "bf16")
    ],
    *[f"cvt.{to}.{of}" for to in ("f32", "f64") for of in ("f16", "bf16")],
    *[f"cvt.rn.ftz{how}.f32.f64" for how in ("", ".sat", ".relu")],
    *[
        "cvt.ftz.f32.f16",
        "cvt.rz.ftz.f32.f64",
        "cvt.rp.ftz.f32.f64",
        "cvt.rn.ftz.f16.f32",
        "cvt.sat.f32.bf16",
        "cvt.rzi.f32.f16",
    ],
    *[
        "cvt.rna.tf32.f32",
        "cvt.s32.f32",
        "cvt.rz.f16x2.f32",
        "cvt.rn.relu.bf16x2.f32",
        "cvt.rn.f16x2.f32",
        "cvt.rni.f16.f32",
    ],
    *[f"slct.{type_}.{by}" for type_ in ("u16", "b32", "f64") for by in ("s32", "f32")],
    "slct.f32.f32",
    "slct.ftz.f32.f32",
    *[f"bfind{how}.{type_}" for how in ("", ".shiftamt") for type_ in ("u32", "s32", "u64", "s64")],
    *["bfe.s32", "bfe.s64", "fns.b32", "bmsk.clamp.b32", "bmsk.wrap.b32"],
    *[f"szext.{how}.{type_}" for how in ("clamp", "wrap") for type_ in ("u32", "s32")],
    *[f"{name}.{a}.{b}" for name in ("dp4a", "dp2a.lo", "dp2a.hi") for a in ("u32", "s32") for b in ("u32", "s32")],
    *[
        f"testp.{what}.{type_}"
        for what in ("finite", "infinite", "number", "notanumber", "normal", "subnormal")
        for type_ in ("f32", "f64")
    ],
    *[f"prmt.b32.{mode}" for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")],
    *[f"{name}.{part}.{type_}" for name in ("mul24", "mad24") for part in ("lo", "hi") for type_ in ("u32", "s32")],
    *["mad24.hi.sat.s32", "mad.hi.sat.s32"],
    *["add.u16x2", "add.s16x2", "min.relu.s32", "max.relu.s32"],
    *[f"{name}.{type_}" for name in ("min", "max") for type_ in ("u16x2", "s16x2", "relu.s16x2")],
    *[f"cvt.{how}.tf32.f32" for how in ("rna.satfinite", "rn", "rz", "rn.relu", "rz.relu")],
    *[
        f"cvt.rn.satfinite{how}.{to}"
        for how in ("", ".relu")
        for to in ("f16.f32", "bf16.f32", "f16x2.f32", "bf16x2.f32")
    ],
    *[f"cvt.rn.satfinite{how}.{to}.{of}" for how in ("", ".relu") for to in SMALL for of in ("f32", "f16x2")],
    *[f"cvt.rn{how}.f16x2.{of}" for how in ("", ".relu") for of in SMALL],
    *[f"cvt.pack.sat.{to}.s32" for to in ("u16", "s16")],
    *[f"cvt.pack.sat.{to}.s32.b32" for to in ("u8", "s8", "u4", "s4", "u2", "s2")],
]
SHAPED = [
    *[(f"mov.b{bits}", (1, count)) for bits in (32, 64) for count in (2, 4)],
    *[(f"mov.b{bits}", (count, 1)) for bits in (32, 64) for count in (2, 4)],
    ("min.f32", (1, 1, 1)),
    ("mov.v2.b32", (2, 2)),
]
OTHERS = [
    *[
        "sqrt.approx.ftz.f64",
        "add.ftz.f64",
        "add.f32x2",
        "set.eq.u32.f16x2",
        "set.lt.and.bf16x2.bf16x2",
        "set.eq.f64.f32",
    ],
    *["cvt.rna.s32.f32", "cvt.f32.b32", "cvt.b32.f32", "mul.u8", "add.u8", "div.u8", "addc.u8", "mul24.lo.u64"],
    *["isspacep.const", "setp.lo.f32", "tex", "tex.u32", "tex.f32", "setp.num.s32", "sub.b32", "min.f32x2"],
]
"""Instructions that are not lowered."""


def test_recorded_values() -> None:
    """All lowered instructions return the card's bits."""
    rows = {text: rest for text, *rest in VALUES}
    found = {text: one for text in rows if (one := native_meaning(text)) is not None}
    counts, wrong = [], []
    for column in columns(found):
        counts.append(0)
        for text in column.meanings:
            _, bits, sets, step, results = rows[text]
            operands = [OPERANDS[name] for name in sets]
            given = list(islice(product(*operands), 0, None, step))
            for number, made in enumerate(held(text, bits, column.results(text, given)[0])):
                counts[-1] += 1
                if made != int(results[number :: len(given)], 16):
                    wrong.append((text, given[number], made))
    assert not wrong
    assert (len(found), counts[0]) == (len(VALUES), sum(4 * len(row[5]) // row[2] for row in VALUES))


def test_sums_of_the_card() -> None:
    """Native code gives the card's results for 65,536 drawn operands of each instruction."""
    rows = {text: rest for text, *rest in part(VALUES, SUMMED) if text in RECORDED["sums"]}
    column, wrong = Column({text: native_meaning(text) for text in rows}), []  # type: ignore[misc]
    for text, (bits, size, sets, *_) in rows.items():
        given = list(zip(*sums.operands(text, bits, sets, OPERANDS), strict=True))
        results = column.results(text, given)[0]
        ours = [digest(text, size, results[first : first + sums.PART]) for first in range(0, sums.COUNT, sums.PART)]
        wrong += [] if "".join(ours) == RECORDED["sums"][text] else [text]
    assert wrong == []


BINADES = 16
"""In so many commits the sums of all exponents are compared."""


def test_sums_of_whole_exponents() -> None:
    """Native code gives the card's results for all 2**23 operands of an exponent, from which the pieces were derived."""
    rows = {text: instructions.Row(text, *rest) for text, *rest in VALUES}
    found = binades.questions(rows)
    assert {one.name for one in found} == set(RECORDED["binades"])
    assert f"{len(found) * binades.FRACTIONS:,} results" in (ROOT / "docs" / "kernels.md").read_text()
    asked, wrong = part(found, BINADES), []
    column = Column({one.row.text: native_meaning(one.row.text) for one in asked}, level=engine.LAST)  # type: ignore[misc]
    for one in asked:
        results = (column.array(one.row.text, array("Q", operands)) for operands in binades.parts(one.first))
        wrong += [] if sums.digest_of(results) == RECORDED["binades"][one.name] else [one.name]
    assert wrong == []


def differing(
    texts: list[tuple[str, tuple[int, ...]]], constants: dict[str, dict[int, int]] | None = None
) -> list[str]:
    """Return the instructions for which native code returns other results than the reference, with operands."""
    shaped = dict(texts)
    found = {text: native_meaning(text, *shapes) for text, shapes in shaped.items()}
    assert [text for text, one in found.items() if one is None] == []
    wrong: dict[str, str] = {}
    for column in columns(found, constants):  # type: ignore[arg-type]
        for text in column.meanings:
            wrong |= _differing(column, text, shaped[text], (constants or {}).get(text, {}))
    return list(wrong.values())


def _differing(column: Column, text: str, shapes: tuple[int, ...], fixed: dict[int, int]) -> dict[str, str]:
    """Return the first operands for which an instruction returns another result than the reference, by the instruction."""
    draw = random.Random(text)  # noqa: S311 - no secret
    known: Any = meaning(text, *shapes)
    widths = [1 if type_ == CARRY else bits_of(type_) for type_ in column.meanings[text].sources]
    rows = [tuple([fixed.get(place, value(draw, bits)) for place, bits in enumerate(widths)]) for _ in range(60)]
    if widths[:2] in ([32, 32], [64, 64]):
        rows += [(*pair, *rows[0][2:]) for pair in product(FLOATS[widths[0]], repeat=2)]
    results = column.results(text, rows)
    for number, row in enumerate(rows):
        theirs = known(*row)
        ours = tuple([result[number] for result in results])
        if ours != (theirs if isinstance(theirs, tuple) else (theirs,)):
            return {text: f"{text} {row}: {theirs} {ours}"}
    return {}


def test_drawn_operands() -> None:
    """Every lowered form returns the reference's bits."""
    assert differing([(text, ()) for text in MORE]) == []


def test_vectors() -> None:
    """Values that are packed and unpacked."""
    for one in SHAPED:
        assert differing([one]) == []


def test_tables() -> None:
    """lop3 has a constant table."""
    for table in range(0, 256, 15):
        texts = "lop3.b32", "lop3.and.b32", "lop3.or.b32"
        assert differing([(text, ()) for text in texts], {text: {3: table} for text in texts}) == []


@pytest.mark.parametrize("text", OTHERS)
def test_what_is_not_lowered(text: str) -> None:
    """The reference runs it."""
    assert native_meaning(text, 2, 1) is None if text.startswith("mov") else native_meaning(text) is None


def test_a_wrong_lowering_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A NaN as the processor makes it, a comparison of the wrong sign, and a sum that is not flushed."""
    monkeypatch.setattr(floats, "finished", lambda o, found, one, *_: formats.bits_of(o, found, one))
    assert [one.split()[0] for one in differing([("add.f32", ()), ("mul.lo.u32", ())])] == ["add.f32"]
    monkeypatch.undo()
    monkeypatch.setattr("fakecuda.kernels.compiled.logic.is_signed", lambda _type: False)
    assert len(differing([("setp.lt.s32", ()), ("shr.s32", ())])) == 2
    monkeypatch.undo()
    monkeypatch.setitem(floats.FLUSHING, "add", floats.binary("fadd"))
    assert len(differing([("add.ftz.f32", ())])) == 1
    monkeypatch.setattr(rounding, "odd", lambda o, found, _error: o(f"bitcast double {found} to i64"))
    assert len(differing([("add.rz.f32", ()), ("mul.rz.f32", ())])) == 1
    monkeypatch.setitem(rounding.MODES, "rm", rounding.MODES["rz"])
    assert len(differing([("add.rm.f64", ()), ("add.rz.f64", ())])) == 1
