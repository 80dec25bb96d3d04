"""PTX with mistakes: the model agrees with ptxas as recorded, and a mistake planted in its reader is found."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from conformance.fuzz import ptx, ptx_changes
from fakecuda.model.code import ptx_body, ptx_check, ptx_fits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SOME = 200
BOTH = 414
"""The number of recorded mistakes that both refuse."""
MISSED = 17
"""The number of recorded mistakes that only ptxas refuses; it may only fall."""


def asked(count: int = 0) -> ptx.Agreement:
    """Return how far the model agrees with ptxas, of the first recorded changes or of all."""
    answers = ptx.recorded()[: count or None]
    return ptx.compared(ptx.kernels(), 0, range(len(answers)), lambda _, number: (answers[number] == "1", "recorded"))


def test_kernels_of_compilers_are_read() -> None:
    """Each is accepted, as each form of the table is."""
    refused = {text: answer for text in ptx.kernels() if not (answer := ptx.model(text))[0]}
    assert not refused


def test_the_model_refuses_nothing_that_ptxas_takes() -> None:
    """And takes no more than it did of what ptxas refuses."""
    found = asked()
    assert not found.refused_by("the model"), ptx.report(found)
    assert found.refused_by("ptxas") == MISSED, ptx.report(found)
    assert found.both == BOTH


def narrow_registers(patch: pytest.MonkeyPatch) -> None:
    """Let no register be wider than what is loaded."""
    patch.setitem(ptx_fits.PLAIN, "w", ptx_fits.PLAIN["d"])


def lost_modifiers(patch: pytest.MonkeyPatch) -> None:
    """Take no modifiers besides types."""
    patch.setattr(ptx_check, "_others", lambda *_: (ptx_check.MODIFIERS, "no"))


def lost_labels(patch: pytest.MonkeyPatch) -> None:
    """Take each name for a label."""
    patch.setattr(ptx_body, "_settle", lambda *_: None)


def any_form(patch: pytest.MonkeyPatch) -> None:
    """Take each instruction."""
    patch.setattr(ptx_check.Checker, "judge", lambda *_: "")


@pytest.mark.parametrize(
    ("plant", "who"),
    [(narrow_registers, "the model"), (lost_modifiers, "the model"), (lost_labels, "ptxas"), (any_form, "ptxas")],
)
def test_a_planted_mistake_is_found(
    plant: Callable[[pytest.MonkeyPatch], None], who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It makes the model refuse or take more."""
    before = asked(SOME).refused_by(who)
    ptx_check.checker.cache_clear()
    plant(monkeypatch)
    assert asked(SOME).refused_by(who) > before
    ptx_check.checker.cache_clear()


@pytest.mark.parametrize("name", ptx_changes.CHANGES)
def test_each_change_makes_other_texts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a kernel, with its name."""
    monkeypatch.setattr(ptx_changes, "NAMES", [name])
    texts = ptx.kernels()[:3]
    made = [ptx.drawn(texts, 5, number) for number in range(20)]
    assert {change for _, change in made} == {name}
    assert sum(text not in texts for text, _ in made) >= len(made) // 2


def test_a_head_alone_changes_in_its_last_token() -> None:
    """But for its version and target; what takes other tokens leaves it."""
    head = ".version 7.0\n.target sm_70\n.address_size 64\n"
    for number in range(60):
        text, change = ptx.drawn([head], 3, number)
        assert change in ptx_changes.RARE or text.startswith(head.removesuffix("64\n"))
        assert text == head or change not in {"near", "reorder", "statement", "swap"}


def test_the_command_asks_ptxas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each text is compiled; a ptxas without an answer counts for nothing; answers can be recorded."""
    program, kernels, data = tmp_path / "ptxas", tmp_path / "kernels", tmp_path / "data.gz"
    program.write_text('#!/bin/sh\ncase "$1" in *90a) exit 1;; esac\nexit 0\n')
    program.chmod(0o755)
    kernels.mkdir()
    for name, text in zip("ab", ptx.kernels(), strict=False):
        (kernels / f"{name}.ptx").write_text(text)
    monkeypatch.setattr(ptx, "DATA", data)
    arguments = ["ptx", "--ptxas", str(program), "--kernels", str(kernels), "--count", "10"]
    monkeypatch.setattr(sys, "argv", [*arguments, "--record"])
    assert ptx.main() == 1  # it takes everything
    assert ptx.recorded() == "1" * 10
    monkeypatch.setattr(sys, "argv", [*arguments, "--show", "3"])
    assert ptx.main() == 0

    def late(command: list[str], **_: object) -> None:
        raise subprocess.TimeoutExpired(command, 1)

    monkeypatch.setattr(subprocess, "run", late)
    assert ptx.compiler("ptxas")("") is None
    monkeypatch.setattr(sys, "argv", [*arguments, "--record"])
    assert ptx.main() == 0
    assert ptx.recorded() == ptx.UNKNOWN * 10


def test_the_command_compares_with_recorded_answers() -> None:
    """And names the classes of what differs."""
    command = [sys.executable, "-m", "conformance.fuzz.ptx", "--count", "60"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "60 texts, " in run.stdout + run.stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--record"], "--record writes the answers of a ptxas: name it with --ptxas"),
        (["--seed", "1"], "answers are recorded for seed 0 and the recorded kernels alone"),
        (["--kernels", "."], "answers are recorded for seed 0 and the recorded kernels alone"),
        (["--ptxas", "ptxas", "--record", "--seed", "1"], "answers are recorded for seed 0 from the first change on"),
        (["--ptxas", "ptxas", "--record", "--first", "1"], "answers are recorded for seed 0 from the first change on"),
    ],
)
def test_answers_are_of_what_they_were_recorded_for(
    arguments: list[str], why: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other texts are compared with no recorded answer, and their answers are not recorded."""
    monkeypatch.setattr(sys, "argv", ["ptx", *arguments])
    with pytest.raises(SystemExit, match="2"):
        ptx.main()
    assert f"error: {why}" in capsys.readouterr().err


def test_the_last_changes_end_with_the_recorded_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those that --count names beyond them are left out."""
    first = len(ptx.recorded()) - 3
    monkeypatch.setattr(sys, "argv", ["ptx", "--first", str(first), "--count", "60"])
    assert ptx.main() == 0
    assert "3 texts, " in "".join(capsys.readouterr())
