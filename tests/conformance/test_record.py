"""Recording: the whole way, with a model in place of the driver."""

from __future__ import annotations

import datetime as dt
import json
import shutil
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

import fakecuda
from conformance.fuzz.machine import BEGINNING, generate, machine_on
from conformance.kit.program import run
from conformance.record import recordings, replay
from conformance.record.recorder import main
from conformance.record.recordings import read
from conformance.record.replay import stretch
from conformance.targets.divergences import Divergence
from fakecuda.profiles import load
from fakecuda.rules.dispatch import Op
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.record.recordings import Recording

pytestmark = pytest.mark.long("the recorder runs where there is a card")


def cases(folder: Path) -> Recording:
    """Return a recording of cases; its profile is put into a folder in which parts of it are to be replayed."""
    kept = read(recordings.ROOT / "h200-x2" / "cases.jsonl.gz")
    shutil.copy(kept.profile(), folder / recordings.BESIDE)
    return kept


def test_a_recording_is_made_and_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Cases, pairs and generated programs are written, compressed, and hold on a model of the profile."""
    arguments = [
        "--target",
        "model",
        "--profile",
        "h200-x2",
        "--only",
        "cuMemMap",
        "--machine-programs",
        "2",
        "--jobs",
        "2",
    ]
    assert main([*arguments, "--out", str(tmp_path)]) == 0
    assert "programs in" in capsys.readouterr().out
    folder = next(tmp_path.iterdir())
    written = sorted(path.name for path in folder.glob("*.gz"))
    assert written == ["cases.jsonl.gz", "machine.jsonl.gz", "pairs.jsonl.gz"]
    for path in recordings.files(tmp_path):
        found = read(path)
        assert found.programs
        for number in range(len(found.programs)):
            assert replay.replay(path, number).unknown == ()


def test_a_changed_answer_is_found(tmp_path: Path) -> None:
    """A recorded code that the model does not give is a difference of the stretch that holds it."""
    found = cases(tmp_path)
    program = next(one for one in found.programs if one.name.startswith("cuMemMap/"))
    step = next(n for n, one in enumerate(program.steps) if one["call"] == "cuMemMap")
    program.answers[step]["code"] = 999
    recordings.write(tmp_path / "changed.jsonl", found.header, [program])
    (difference,) = replay.replay(tmp_path / "changed.jsonl", 0).unknown
    assert (difference.step, difference.expected, difference.got) == (step, 999, 0)
    text = stretch(program, difference.step).as_python()
    assert text.rstrip().endswith("assert code == 999")


def test_without_a_driver_nothing_is_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line says why."""
    from realcuda import available  # noqa: PLC0415 - it asks the machine

    if not available():
        pytest.skip("a driver is there")
    assert main(["--out", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith("nothing recorded: ")
    assert error.count("\n") == 1


def test_generated_programs_are_the_same_for_a_seed() -> None:
    """A seed names its programs; another seed gives others."""
    once, again, other = generate("h200-x2", 2, 1), generate("h200-x2", 2, 1), generate("h200-x2", 2, 2)
    assert [one.steps for one in once] == [one.steps for one in again]
    assert [one.steps for one in once] != [one.steps for one in other]
    assert json.loads(json.dumps(once[0].steps)) == once[0].steps


def test_generated_programs_are_no_variants_of_each_other() -> None:
    """Those that begin alike are kept once; the calls that are wanted make the choice."""
    programs = generate("h200-x2", 3, 2, {"cuStreamQuery"})
    beginnings = {json.dumps(one.steps[:BEGINNING]) for one in programs}
    assert len(beginnings) == len(programs) > 1
    counts = [sum(step["call"] == "cuStreamQuery" for step in one.steps) for one in programs]
    assert counts[0] > 0


class Mutant(fakecuda.Machine):
    """A machine on which cuMemAlloc grants a size of 0."""


def test_lockstep_finds_a_target_that_answers_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """The failure ends with the shortest program that shows it."""
    target = Mutant(load("h200-x2"), strict=False)
    function = DRIVER.ops["cuMemAlloc"].function

    def permissive(call: Any, size: int) -> Any:
        return function(call, size or 1 if isinstance(call.machine, Mutant) else size)

    monkeypatch.setitem(DRIVER.ops, "cuMemAlloc", Op("cuMemAlloc", DRIVER, permissive))
    chosen = settings(
        max_examples=40,
        stateful_step_count=2,
        phases=(Phase.generate, Phase.shrink),  # nobody reads which arguments the failure would survive
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )

    def explore() -> None:
        for number in range(50):
            run_state_machine_as_test(seed(number)(machine_on(load("h200-x2"), target)), settings=chosen)

    with target, pytest.raises(AssertionError, match="the model answers otherwise") as caught:
        explore()
    message = str(caught.value)
    assert "cuMemAlloc(0)" in message
    assert message.count("cuMem") < 6


def test_a_known_divergence_covers_its_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry of the rule, the codes and the driver's version hides the difference; any other does not."""
    found = cases(tmp_path)
    program = next(
        one
        for one in found.programs
        if one.name.startswith("cuMemMap/") and any(answer["code"] == 1 for answer in one.answers)
    )
    step = next(n for n, answer in enumerate(program.answers) if answer["code"] == 1)
    program.answers[step]["code"] = 0
    with fakecuda.Machine(load("h200-x2"), strict=False) as machine:
        rules: list[fakecuda.Rule | None] = []
        run(program, machine, rules)
    broken = rules[step]
    assert broken is not None
    entry = Divergence(
        rule=broken.id,
        grade="",
        call="",
        kind="code",
        driver=((">=", found.header.driver),),
        driver_code=0,
        model_code=1,
        reason="it was changed",
        validated=dt.date(2026, 1, 31),
    )
    of_grade = attrs.evolve(entry, rule="", grade=broken.grade, model_code=None)
    others = attrs.evolve(entry, model_code=2), attrs.evolve(of_grade, grade="undefined")
    wanted = [(entry, 0), (of_grade, 0), *((other, 1) for other in others)]
    for name, (known, unknown) in zip("abcd", wanted, strict=True):
        recordings.write(tmp_path / f"{name}.jsonl", found.header, [program])
        monkeypatch.setattr(replay, "known_divergences", lambda known=known: (known,))
        replayed = replay.replay(tmp_path / f"{name}.jsonl", 0)
        assert (len(replayed.unknown), replayed.covered) == (unknown, frozenset() if unknown else {0})
