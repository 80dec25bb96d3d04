"""The sweep beside a driver: a program that handles failures, and one that does not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from fakecuda.__main__ import main
from fakecuda.reach.shadow.build import PROCESSOR

from .shadow import on

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fakecuda import Machine

pytestmark = pytest.mark.skipif(os.uname().machine != PROCESSOR, reason=f"programs are recorded on {PROCESSOR}")


@pytest.fixture
def swept(
    machine: Machine,
    compile_program: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Callable[..., tuple[int, str]]:
    """Return what sweeps the program, and returns the exit status and the report."""
    program = compile_program("faults", "libcuda.so", options=("-g",))
    library, environ = on(machine)
    for name, value in {**environ, "LD_LIBRARY_PATH": str(library.parent)}.items():
        monkeypatch.setenv(name, value)

    def run(how: str, *options: str) -> tuple[int, str]:
        status = main(["check", "--real", "--sweep", "--profile", "h200-x2", *options, "--", str(program), how])
        return status, capfd.readouterr().err

    return run


def test_what_is_handled_well(swept: Callable[..., tuple[int, str]]) -> None:
    """The program ends with a status of its own, and frees what it has or ends."""
    status, said = swept("careful")
    assert (status, " 0 handled wrongly" in said) == (0, True)
    assert ": fail('cuMemAlloc', nth=2, code='OUT_OF_MEMORY'): exit status 0\n" not in said
    assert "fail('cuMemAlloc', nth=2, code='OUT_OF_MEMORY'): exit status 1\n" in said


@pytest.mark.parametrize(
    ("how", "fault", "told"),
    [
        ("leaks", "cuMemAlloc nth=2 code=OUT_OF_MEMORY", "left behind: allocation of process a"),
        ("crashes", "cuMemAlloc nth=2 code=OUT_OF_MEMORY", "ended by SIGSEGV"),
        ("swallows", "cuStreamCreate nth=1 code=OUT_OF_MEMORY", "swallowed: the program goes on with the same calls"),
        ("frees", "cuMemAlloc nth=2 code=OUT_OF_MEMORY", "refused: cuMemFree in process a -> INVALID_VALUE"),
    ],
)
def test_what_is_handled_wrongly(swept: Callable[..., tuple[int, str]], how: str, fault: str, told: str) -> None:
    """The report has the mistake, and the words that repeat it."""
    status, said = swept(how)
    assert status == 1
    assert told in said
    assert f'again: --fail "{fault}"\n' in said


def test_a_sweep_ends_with_its_time(swept: Callable[..., tuple[int, str]]) -> None:
    """What was left out is counted."""
    status, said = swept("careful", "--budget", "0")
    assert (status, ", 0 injected failures, 0 handled wrongly" in said) == (0, True)
    assert "failures were left out, for the time was over: use a larger --budget" in said


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--budget", "1"], "--budget needs --sweep"),
        (["--sweep", "--fail", "cuMemAlloc"], "leave out --fail and -o"),
        (["--sweep", "-o", "kept.jsonl"], "leave out --fail and -o"),
    ],
)
def test_options_that_do_not_go_together(options: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """No program is run."""
    assert main(["check", "--real", *options, "--", "no_such_program"]) == 2
    assert told in capsys.readouterr().err


def test_a_program_that_crashes_without_a_fault(swept: Callable[..., tuple[int, str]]) -> None:
    """There is nothing to compare with."""
    status, said = swept("always crashes")
    assert (status, "without a fault the program ends by SIGSEGV" in said) == (2, True)


def test_a_status_that_is_no_signal(swept: Callable[..., tuple[int, str]]) -> None:
    """A program may end by exit(-1): no signal has the number 127."""
    status, said = swept("ends by -1")
    assert (status, " 0 handled wrongly" in said, ": exit status 255\n" in said) == (0, True, True)
