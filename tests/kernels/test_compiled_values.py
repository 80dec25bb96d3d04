"""Single instructions as native code: the card's recorded results, and the reference's for drawn operands."""

from __future__ import annotations

import random
from itertools import islice, product
from typing import Any

import pytest

from fakecuda.kernels import integers
from fakecuda.kernels.compiled import floats
from fakecuda.kernels.row import CARRY, bits_of

from .drawn import FLOATS, INSTRUCTIONS, value
from .native import Column, native_meaning
from .test_card_values import RECORDED
from .world import meaning

pytest.importorskip("llvmlite", reason="llvmlite: pip install -e '.[kernels]'")
LOWERED = 351, 165_984
"""How many recorded instructions are lowered, and how many results they have."""
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
    "cvt.f32.f32",
    "cvt.sat.f32.f32",
    "cvt.f64.f64",
    "cvt.rn.sat.f32.s32",
    "cvt.rzi.s8.f32",
    "cvt.rni.u8.f64",
]
SHAPED = [
    *[(f"mov.b{bits}", (1, count)) for bits in (32, 64) for count in (2, 4)],
    *[(f"mov.b{bits}", (count, 1)) for bits in (32, 64) for count in (2, 4)],
    ("min.f32", (1, 1, 1)),
]
OTHERS = [
    *[
        "bfe.s32",
        "fns.b32",
        "dp4a.s32.s32",
        "add.rz.f32",
        "add.f16",
        "fma.rn.ftz.f32",
        "sqrt.approx.f32",
        "ex2.approx.f32",
    ],
    *["min.f16", "set.eq.f16.f16", "setp.eq.f16", "setp.eq.f16x2", "setp.lt.ftz.f64", "cvt.rn.f16.f32", "cvt.f32.bf16"],
    *[
        "cvt.rn.ftz.f32.f64",
        "cvt.s32.f32",
        "cvt.rni.s32.u32",
        "cvt.rna.tf32.f32",
        "add.f32x2",
        "mul.u8",
        "add.u8",
        "div.u8",
    ],
    *["addc.u8", "lop3.or.b32", "prmt.b32.f4e", "isspacep.const", "mov.v2.b32", "setp.lo.f32", "tex", "sub.b32"],
]
"""Instructions that are not lowered."""


def test_recorded_values() -> None:
    """All lowered instructions return the card's bits."""
    rows = {text: rest for text, *rest in RECORDED["instructions"]}
    found = {text: one for text in rows if (one := native_meaning(text)) is not None}
    column, count, wrong = Column(found), 0, []
    for text in found:
        _, bits, sets, step, results = rows[text]
        operands = [[int(one, 16) for one in RECORDED["operands"][name]] for name in sets]
        given, digits = list(islice(product(*operands), 0, None, step)), bits // 4
        extended = text.startswith("cvt") and text.split(".")[-2] == "s8"
        for number, ours in enumerate(column.results(text, given)[0]):
            made = integers.signed(ours, 8) & (1 << bits) - 1 if extended else ours
            count += 1
            if made != int(results[number * digits : (number + 1) * digits], 16):
                wrong.append((text, given[number], made))
    assert not wrong
    assert (len(found), count) == LOWERED


def differing(
    texts: list[tuple[str, tuple[int, ...]]], constants: dict[str, dict[int, int]] | None = None
) -> list[str]:
    """Return the instructions for which native code returns other results than the reference, with operands."""
    found = {text: native_meaning(text, *shapes) for text, shapes in texts}
    assert [text for text, one in found.items() if one is None] == []
    column: Column = Column(found, constants)  # type: ignore[arg-type]
    draw, wrong = random.Random(7), []  # noqa: S311 - no secret
    for text, shapes in texts:
        known: Any = meaning(text, *shapes)
        one = found[text]
        assert one is not None
        widths = [1 if type_ == CARRY else bits_of(type_) for type_ in one.sources]
        fixed = (constants or {}).get(text, {})
        rows = [tuple([fixed.get(place, value(draw, bits)) for place, bits in enumerate(widths)]) for _ in range(60)]
        if widths[:2] in ([32, 32], [64, 64]):
            rows += [(*pair, *rows[0][2:]) for pair in product(FLOATS[widths[0]], repeat=2)]
        results = column.results(text, rows)
        for number, row in enumerate(rows):
            theirs = known(*row)
            ours = tuple([result[number] for result in results])
            if ours != (theirs if isinstance(theirs, tuple) else (theirs,)):
                wrong.append(f"{text} {row}: {theirs} {ours}")
                break
    return wrong


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
        assert differing([("lop3.b32", ())], {"lop3.b32": {3: table}}) == []


@pytest.mark.parametrize("text", OTHERS)
def test_what_is_not_lowered(text: str) -> None:
    """The reference runs it."""
    assert native_meaning(text, 2, 1) is None if text.startswith("mov") else native_meaning(text) is None


def test_a_wrong_lowering_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A NaN as the processor makes it, a comparison of the wrong sign, and a sum that is not flushed."""
    monkeypatch.setattr(floats, "finished", lambda o, found, one, *_: floats.bits_of(o, found, one))
    assert [one.split()[0] for one in differing([("add.f32", ()), ("mul.lo.u32", ())])] == ["add.f32"]
    monkeypatch.undo()
    monkeypatch.setattr("fakecuda.kernels.compiled.logic.is_signed", lambda _type: False)
    assert len(differing([("setp.lt.s32", ()), ("shr.s32", ())])) == 2
    monkeypatch.undo()
    monkeypatch.setitem(floats.FLUSHING, "add", floats.binary("fadd"))
    assert len(differing([("add.ftz.f32", ())])) == 1
