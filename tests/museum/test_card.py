"""What is said of the museum's programs on a card: by ``check --real``, by compute-sanitizer, and in the pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("cuda.bindings.driver")

from conformance.record.findings import LEFT, REFUSED, UNDEFINED
from conformance.record.log import Log
from fakecuda.reach.native.stubs import NATIVE, NEEDS
from fakecuda.reach.shadow.run import Ran
from tools.museum import __main__ as museum
from tools.museum import card
from tools.museum.exhibit import Part, id_of
from tools.pages import gpu_team

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fakecuda import FakeCuda
    from tools.museum.exhibit import Exhibit

needs_native = pytest.mark.skipif(not NATIVE, reason=NEEDS)
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
    assert not card.agrees({"needs": "4 devices"})
    assert not card.agrees({**told, "lost": "without 2 lost records"})


def test_what_a_card_can_run_has_no_faults_and_is_not_hips() -> None:
    """The faulty programs whose behaviour is undefined are among them: that is what a card does not report."""
    found = list(card.programs())
    assert all(one.part is not Part.SWEPT for one, *_ in found)
    assert any(one.part is Part.UNDEFINED and not fixed for one, _, fixed in found)


def test_the_table_has_the_faulty_programs_whose_calls_were_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows leave out what the fixed program has, too."""
    compared: dict[str, Any] = {"status": 0, "answers": 3, "differ": [], "skipped": 0, "ended": "", "said": ""}
    fixed = {**compared, "found": {"left behind: context": 1}}
    faulty = {**compared, "found": {"left behind: context": 1, "left behind: handle": 2}, "sanitizer": {}}
    *pairs, larger = [(one, variant) for one, variant, is_fixed in card.programs() if is_fixed][:4]
    heard: dict[str, Any] = {}
    for (one, variant), more, less in zip(pairs, [{}, {"skipped": 1}, {}], [{}, {}, {"status": 1}], strict=True):
        heard[id_of(one, variant, fixed=False)] = {**faulty, **more}
        heard[id_of(one, variant, fixed=True)] = {**fixed, **less}
    for is_fixed in (False, True):
        heard[id_of(*larger, fixed=is_fixed)] = {"needs": "4 devices"}
    for module in (gpu_team, card):
        monkeypatch.setattr(module, "heard_of", lambda: {"card": "card", "driver": "1", "programs": heard})
    rows: Sequence[str] = list(gpu_team._table())[2:]
    (one, variant), *_ = pairs
    assert rows[0] == f"| [{one.title}](../museum.md#{one.anchor}) | `{variant}` | left behind: handle | nothing |"
    assert rows[2].endswith("reports something of 1 of these programs, compute-sanitizer alone of")
    assert "**Not compared**: 1 " in rows[4]
    assert rows[6:] == [
        "- **Not run**: 1 programs, which need more devices.",
        "- **Failed**: 1 programs, whose fixed versions failed, too.",
    ]
    assert "`" + variant + "` faulty, `" + variant + "` fixed" in card.agreed(one)


MODELS = {1: "h200", 2: "h200-x2", 4: "h200-x4", 10: "pcie-10"}
"""Profiles by their number of devices."""
CARRIED = [
    pytest.param(exhibit, variant, id=id_of(exhibit, variant, fixed=True), marks=pytest.mark.fakecuda(**settings))
    for exhibit, variant, is_fixed in card.programs()
    if is_fixed
    for settings in [{**exhibit.settings, "profile": MODELS[exhibit.devices.get(variant, 1)]}]
]


@needs_native
@pytest.mark.parametrize(("exhibit", "variant"), CARRIED)
def test_a_program_runs_on_as_many_devices_as_it_needs(fakecuda: FakeCuda, exhibit: Exhibit, variant: str) -> None:
    """A model stands in for the driver. The program uses nothing of its machine that a card's machine lacks."""
    exhibit.programs[variant](card.Beside(fakecuda), fixed=True)  # type: ignore[arg-type]


FEWER = {2: "h200", 4: "h200-x2", 10: "hgx-8"}
"""Profiles with fewer devices than a program needs."""


@needs_native
@pytest.mark.parametrize(
    ("exhibit", "variant"),
    [
        pytest.param(one, variant, id=id_of(one, variant, fixed=True), marks=pytest.mark.fakecuda(profile=FEWER[count]))
        for one, variant, is_fixed in card.programs()
        if is_fixed and (count := one.devices.get(variant, 1)) > 1
    ],
)
def test_a_program_needs_no_fewer_devices(fakecuda: FakeCuda, exhibit: Exhibit, variant: str) -> None:
    """On fewer, the fixed program fails, which is no answer about the bug."""
    with pytest.raises((RuntimeError, AssertionError)):
        exhibit.programs[variant](card.Beside(fakecuda), fixed=True)  # type: ignore[arg-type]


NAMED = "27-torchcomms#777-each-rank-fixed"
"""A program that needs four devices."""


def heard_of(monkeypatch: pytest.MonkeyPatch, profile: str, lost: int = 0) -> dict[str, Any]:
    """Return what is heard of :data:`NAMED` with a recording of one call that a run has written."""

    def logged(command: Sequence[str], *_: Any, **__: Any) -> tuple[Ran, Log]:
        assert command[-1] == NAMED
        log = Log()
        log.program.steps += [{"process": "a", "call": "spawn"}, {"process": "a", "call": "cuInit", "args": [0]}]
        log.program.answers += [{"code": 0, "outs": {}}] * 2
        log.program.lost = "without 2 lost records" if lost else ""
        return Ran(0, lost=lost, nested=0), log

    monkeypatch.setattr(card, "logged", logged)
    return card.inside(NAMED, Path(profile), "")


def test_lost_records_are_in_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not every call was compared, so that the program does not agree."""
    whole, cut = (heard_of(monkeypatch, "h200-x4", lost) for lost in (0, 2))
    assert (whole["answers"], whole["lost"]) == (1, "")
    assert card.agrees(whole)
    assert cut["lost"] == "without 2 lost records"
    assert not card.agrees(cut)


def test_a_host_with_too_few_devices_does_not_run_a_program(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The result and the output say how many it needs; so they do if a program did not start or records were lost."""
    needs = heard_of(monkeypatch, "h200-x2")
    assert needs == {"needs": "4 devices"}
    heard = {"large": needs, "broken": {"failed": "no module"}, "cut": {"lost": "without 2 lost records"}, "well": {}}
    monkeypatch.setattr(card, "visited", lambda: {"programs": heard})
    monkeypatch.setattr("sys.argv", ["museum", "--card", str(tmp_path / "heard.json")])
    assert museum.main() == 0
    assert json.loads((tmp_path / "heard.json").read_text()) == {"programs": heard}
    assert capsys.readouterr().out.splitlines() == [
        "large: needs 4 devices",
        "broken: did not run: no module",
        "cut: not all was seen: without 2 lost records",
    ]
