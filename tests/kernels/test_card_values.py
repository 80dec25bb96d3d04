"""Values that a card computed: all instructions of ``conformance/data/instructions.json.gz``, on operands at the edges."""

from __future__ import annotations

import gzip
import json
import struct
from itertools import islice, product, starmap
from pathlib import Path
from typing import Any

from conformance import DATA
from conformance.record import instructions, sums
from fakecuda.kernels import floats, integers
from tests.rotation import part

from .world import Bench, meaning

ROOT = Path(__file__).parents[2]
RECORDED = json.loads(gzip.decompress((DATA / "instructions.json.gz").read_bytes()))
"""The card, the operands by the name of their set, the words of kernels, and of each instruction:

its text, the bits of each operand, the bits of the result, the operands' sets, the step through all combinations of
operands, and the results in hexadecimal digits of that width: the first digit of each result, then the second of each, and so on.
"""
OPERANDS = instructions.operands(RECORDED["operands"])
"""All sets of operands."""
COUNTS = 1021, 1_222_878
"""Instructions, and results."""
SUMS = 1013 * sums.COUNT
"""Results of drawn operands, by their sums."""
VALUES = [row for row in RECORDED["instructions"] if not row[0].startswith("red")]
"""Instructions that do not change memory."""


SUMMED = 40
"""In so many commits the sums of all instructions are compared."""


def held(text: str, bits: int, ours: list[int]) -> list[int]:
    """Return the results of an instruction as the card's register holds them: signed bytes lie in 32 bits."""
    extended = text.startswith("cvt") and text.split(".")[-2] == "s8"
    return [integers.signed(one, 8) & (1 << bits) - 1 for one in ours] if extended else ours


def digest(text: str, bits: int, ours: list[int]) -> str:
    """Return the sum of the results of an instruction, as the card's register holds them."""
    return sums.digest(held(text, bits, ours))


def wrong(text: str, bits: int, sets: list[str], step: int, results: str) -> list[tuple[tuple[int, ...], str, int]]:
    """Return the operands for which an instruction gives another result, with both results."""
    function, count = meaning(text), 4 * len(results) // bits
    operands = [OPERANDS[name] for name in sets]
    found = []
    given = list(islice(product(*operands), 0, None, step))
    made = [one[0] if isinstance(one, tuple) else one for one in starmap(function, given)]
    for number, (values, ours) in enumerate(zip(given, held(text, bits, made), strict=True)):
        theirs = results[number::count]
        if ours != int(theirs, 16):
            found.append((values, theirs, ours))
    assert number + 1 == count
    return found


def differing(*names: str) -> list[str]:
    """Return the instructions that give another result than the card, each with the first such operands; of all names by default."""
    return [
        f"{text}: {found[0]}"
        for text, _, bits, sets, step, results in VALUES
        if (not names or text.partition(".")[0] in names) and (found := wrong(text, bits, sets, step, results))
    ]


def test_each_instruction_gives_the_bits_of_the_card() -> None:
    """NaNs, subnormals, infinities, both zeros, divisors of zero and places beyond a word included."""
    rows: list[list[Any]] = RECORDED["instructions"]
    assert (len(rows), sum(4 * len(row[5]) // row[2] for row in rows)) == COUNTS
    assert f"for {COUNTS[0]} instructions, {COUNTS[1]:,} in all" in (ROOT / "docs" / "kernels.md").read_text()
    assert differing() == []


def summed(rows: list[Any], first: int) -> list[str]:
    """Return the instructions that give another result than the card for operands of a part of their sums."""
    found = []
    for text, bits, size, sets, *_ in rows:
        function, given = meaning(text), sums.operands(text, bits, sets, OPERANDS)
        results = [
            one[0] if isinstance(one, tuple) else one
            for one in map(function, *[column[first : first + sums.PART] for column in given])
        ]
        place = first // sums.PART * sums.DIGITS
        if digest(text, size, results) != RECORDED["sums"][text][place : place + sums.DIGITS]:
            found.append(text)
    return found


def test_sums_of_the_card() -> None:
    """Drawn operands: 65,536 of each instruction, of which the reference computes a part of 4,096 here."""
    rows = [row for row in VALUES if row[0] in RECORDED["sums"]]
    assert rows == VALUES
    assert len(rows) * sums.COUNT == SUMS
    assert f"{SUMS:,} results" in (ROOT / "docs" / "kernels.md").read_text()
    assert summed(part(rows, SUMMED), 0) == []


def test_a_wrong_result_changes_a_sum(monkeypatch: Any) -> None:
    """Places of fields in words of 64 bits count whole."""
    rows = [row for row in VALUES if row[0].startswith("bfi")]
    assert summed(rows, sums.PART) == []
    monkeypatch.setattr(integers, "span", lambda start, count, _bits: (start & 0xFF, count & 0xFF))
    assert summed(rows, sums.PART) == ["bfi.b64"]


def test_reductions() -> None:
    """What both engines leave in memory is what the card left."""
    for text, bits, size, sets, step, results in RECORDED["instructions"]:
        if text.startswith("red"):
            given = list(islice(product(*[OPERANDS[name] for name in sets]), 0, None, step))
            row = instructions.Row(text, bits, size, sets, step, results)
            with Bench(instructions.written(row, len(given)), strict=False) as bench:
                data = [one for column in zip(*given, strict=True) for one in column]
                inputs, outputs = (
                    bench.memory(struct.pack(f"<{len(data)}Q", *data)),
                    bench.memory(bytes(8 * len(given))),
                )
                blocks = -(-len(given) // instructions.THREADS), 1, 1
                assert bench.launch("k", inputs, outputs, grid=blocks, block=(instructions.THREADS, 1, 1)) == 0
                assert bench.sync() == 0
                found = [f"{one:0{size // 4}x}" for one in bench.values(outputs, "c_uint64", len(given))]
                assert bench.twins.refused == 0 or not bench.twins.compared
            assert "".join(["".join(plane) for plane in zip(*found, strict=True)]) == results


def test_mistakes_are_found(monkeypatch: Any) -> None:
    """A remainder of 0 for a divisor of 0, and a NaN that a change of sign leaves as it is."""
    monkeypatch.setattr(integers, "divide", lambda a, b: abs(a) // abs(b) if b else 0)
    assert any(one.startswith("div.s32: ") for one in differing("div"))
    monkeypatch.undo()
    monkeypatch.setattr(floats, "negative", lambda a, one: a ^ one.sign)
    assert [one.split(": ")[0] for one in differing("neg")] == [
        "neg.f32",
        "neg.ftz.f32",
        "neg.f64",
        "neg.f16",
        "neg.bf16",
        "neg.f16x2",
        "neg.ftz.f16x2",
        "neg.bf16x2",
    ]
