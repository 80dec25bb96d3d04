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
    assert differing([(text, ()) for text in INSTRUCTIONS]) == []


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
