"""What is said of the museum's programs on a card: by ``check --real``, by compute-sanitizer, and in the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("cuda.bindings.driver")

from conformance.record.findings import LEFT, REFUSED, UNDEFINED
from tools.museum import card
from tools.museum.exhibit import Part, id_of
from tools.pages import gpu_team

if TYPE_CHECKING:
    from collections.abc import Sequence

SAID = """========= COMPUTE-SANITIZER
========= Program hit CUDA_ERROR_INVALID_VALUE (error 1) due to "invalid argument" on CUDA API call to cuMemUnmap.
=========     Saved host backtrace up to driver entry point at error
========= Leaked 4,194,304 bytes at 0x7f2a00000000
========= LEAK SUMMARY: 4194304 bytes leaked in 1 allocations
========= ERROR SUMMARY: 2 errors
"""


def test_reports_of_compute_sanitizer_are_told_without_numbers() -> None:
    """Its stacks and its sums do not count."""
    told = [card.NUMBER.sub("…", one["text"]) for one in card.SAYS.finditer(SAID)]
    assert told == [
        'Program hit CUDA_ERROR_INVALID_VALUE (error …) due to "invalid argument" on CUDA API call to cuMemUnmap.',
        "Leaked … bytes at …",
    ]


@pytest.mark.parametrize(
    ("kind", "text", "about"),
    [
        (
            UNDEFINED,
            "cuMemFree in process a\n  rule       memory.mem_free.NO_IMPORTER_IS_OPEN (undefined)",
            "memory.mem_free.NO_IMPORTER_IS_OPEN",
        ),
        (LEFT, "handle of process a: allocation 0x1 on device 0\n  fix        free it", "handle"),
        (
            REFUSED,
            "cuMemFree in process a -> INVALID_VALUE: this was to end an object\n  at  call:9",
            "cuMemFree in process a -> INVALID_VALUE: this was to end an object",
        ),
    ],
)
def test_a_finding_is_about_a_rule_or_an_object(kind: str, text: str, about: str) -> None:
    """The report has the driver's words for a refusal that breaks no rule of the model."""
    assert card._what(kind, text) == about


def test_a_program_agrees_if_all_its_answers_were_compared() -> None:
    """And none differs: a program that made no call agrees with nothing."""
    told = {"answers": 9, "differ": [], "ended": "", "skipped": 0}
    assert card.agrees(told)
    for other in ({"answers": 0}, {"differ": ["one"]}, {"ended": "step 3"}, {"skipped": 1}):
        assert not card.agrees({**told, **other})
    assert not card.agrees({})
    assert not card.agrees({"failed": "it did not start"})


def test_what_a_card_can_run_has_no_faults_and_is_not_hips() -> None:
    """The faulty programs whose behaviour is undefined are among them: that is what a card does not report."""
    found = list(card.programs())
    assert all(one.part is not Part.SWEPT for one, *_ in found)
    assert any(one.part is Part.UNDEFINED and not fixed for one, _, fixed in found)


def test_the_table_has_the_faulty_programs_whose_calls_were_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the fixed program has, too, is not told. A program whose fixed version failed has not run."""
    compared: dict[str, Any] = {"status": 0, "answers": 3, "differ": [], "skipped": 0, "ended": "", "said": ""}
    fixed = {**compared, "found": {"left behind: context": 1}}
    faulty = {**compared, "found": {"left behind: context": 1, "left behind: handle": 2}, "sanitizer": {}}
    pairs = [(one, variant) for one, variant, is_fixed in card.programs() if is_fixed][:3]
    heard: dict[str, Any] = {}
    for (one, variant), more, less in zip(pairs, [{}, {"skipped": 1}, {}], [{}, {}, {"status": 1}], strict=True):
        heard[id_of(one, variant, fixed=False)] = {**faulty, **more}
        heard[id_of(one, variant, fixed=True)] = {**fixed, **less}
    for module in (gpu_team, card):
        monkeypatch.setattr(module, "heard_of", lambda: {"card": "card", "driver": "1", "programs": heard})
    rows: Sequence[str] = list(gpu_team._table())[2:]
    (one, variant), *_ = pairs
    assert rows[0] == f"| [{one.title}](../museum.md#{one.anchor}) | `{variant}` | left behind: handle | nothing |"
    assert rows[2].endswith("reports something of 1 of these programs, compute-sanitizer alone of")
    assert "**Not compared**: 1 " in rows[4]
    assert "**Not run**: 1 " in rows[6]
    assert "`" + variant + "` faulty, `" + variant + "` fixed" in card.agreed(one)
