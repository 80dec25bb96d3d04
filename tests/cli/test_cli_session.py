"""A prompt's statements as a whole: taken back, and saved as a test."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.prompt.console import Prompt
from fakecuda.prompt.session import Typed, as_test

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TYPED = [
    "a.driver.cuInit(0)",
    "_, context = a.driver.cuCtxCreate(None, 0, 0)",
    "_, p = a.driver.cuMemAlloc(1 << 20)",
]


@pytest.fixture
def prompt() -> Iterator[Prompt]:
    """Return a prompt that can make its machine again."""

    def made(profile: str = "h200-x2") -> Machine:
        return Machine(profile, seed=7)

    prompt = Prompt(made(), made)
    yield prompt
    prompt.machine.close()


def test_undo_takes_statements_back(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """What they did is undone, and what came before is as it was: the same addresses, nothing printed again."""
    prompt.feed(TYPED)
    before = prompt.locals["p"]
    prompt.feed(["a.driver.cuMemFree(p)", "for n in (1, 2):", "    q = a.c.cuMemAlloc(n)", "q = 5"])
    capsys.readouterr()
    prompt.feed(["undo(3)"])
    assert capsys.readouterr().out == (
        "undone: q = 5\nundone: for n in (1, 2):\n    q = a.c.cuMemAlloc(n)\nundone: a.driver.cuMemFree(p)\n"
    )
    assert "q" not in prompt.locals
    assert int(prompt.locals["p"]) == int(before)
    prompt.feed(["a.c.cuMemFree(int(p))"])
    assert capsys.readouterr().out == "(0,)\n"
    prompt.feed(["undo()", "undo(9)", "undo()"])
    out = capsys.readouterr().out
    assert out.endswith("undone: a.driver.cuInit(0)\nnothing was typed\n")
    assert prompt.machine.processes["a"].contexts == {}


def test_replay_tells_what_another_machine_answers(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """Statement by statement, by code or exception; what asks the prompt is no statement."""
    prompt.feed(["a.c.cuInit(0)", "show()", "a.driver.cuDeviceGet(1)", "x = [].pop", "1/0"])
    capsys.readouterr()
    prompt.feed(["replay()", 'replay("h200")'])
    assert capsys.readouterr().out == (
        "4 statements on h200-x2, 0 differ\n"
        "a.driver.cuDeviceGet(1)\n  here: CUDA_SUCCESS\n  on h200: CUDA_ERROR_INVALID_DEVICE\n"
        "4 statements on h200, 1 differ\n"
    )
    assert [one.source for one in prompt.typed] == ["a.c.cuInit(0)", "a.driver.cuDeviceGet(1)", "x = [].pop", "1/0"]


def test_what_raises_was_typed_too(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """It may have made a call first; what is no Python was not."""
    prompt.feed([*TYPED[:2], "a.c.cuMemAlloc(2 << 20)[1]; 1/0", "n +* 2", TYPED[2], "n = 1"])
    before = int(prompt.locals["p"])
    capsys.readouterr()
    prompt.feed(["undo(0)", 'undo("x")', "undo()"])
    refused = "".join(f"undo({count!r}): write the number of statements to undo, at least 1\n" for count in (0, "x"))
    assert capsys.readouterr() == (refused + "undone: n = 1\n", "")
    assert int(prompt.locals["p"]) == before
    assert [one.raised for one in prompt.typed] == [False, False, True, False]


def test_a_prompt_of_a_machine_of_others_says_what_undo_needs(capsys: pytest.CaptureFixture[str]) -> None:
    """It cannot make the machine again."""
    with Machine("h200") as machine:
        Prompt(machine).feed(["undo()"])
    assert (
        capsys.readouterr().out == "undo needs a prompt that made its own machine: start one with python -m fakecuda\n"
    )


def test_a_session_becomes_a_test_that_passes(tmp_path: Path) -> None:
    """With the codes that were answered, refused ones too; what was asked of the prompt is left out."""
    saved = tmp_path / "test_it.py"
    typed = [
        *TYPED,
        "a.driver.cuMemFree(int(p) + 8)",
        "why()",
        "where = CUmemLocation() if False else c.cuDeviceGetCount()",
        "machine.clock.advance(1)",
        "if True:",
        "    for number in range(2):",
        "        pass",
        "",
        "Result.INVALID_VALUE",
        "c.cuDeviceGetCount();  # a note",
        "n = c.cuDeviceGetCount()[1]",
        'text = """a',
        'b"""',
        "assert (len(text), n) == (3, 2)",
        "c.cuCtxGetDevice()[5]",
        "a.driver.cuMemFree(p)",
        "CUlimit.CU_LIMIT_STACK_SIZE",
        f"save({str(saved)!r})",
    ]
    command = [sys.executable, "-m", "fakecuda"]
    done = subprocess.run(command, input="\n".join([*typed, ""]), capture_output=True, text=True, check=False)
    assert done.stdout.endswith(f"wrote {saved}: pytest {saved}\n")
    text = saved.read_text(encoding="utf-8")
    assert "    answer = a.driver.cuMemFree(int(p) + 8)\n    assert answer[0] == 1\n" in text
    assert "    with pytest.raises(Exception):\n        c.cuCtxGetDevice()[5]\n" in text
    assert "why" not in text
    assert "save" not in text
    run = subprocess.run([sys.executable, "-m", "pytest", "-q", saved], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    saved.write_text(text.replace("[0] == 1", "[0] == 0"), encoding="utf-8")
    assert subprocess.run([sys.executable, "-m", "pytest", "-q", saved], capture_output=True, check=False).returncode


def test_the_last_result_is_kept_where_a_statement_reads_it() -> None:
    """Unless the name is one of the statements' own."""
    typed = [Typed("c.cuDeviceGetCount()", 0), Typed("5"), Typed("n = _"), Typed("show()")]
    assert as_test(typed, {}).endswith(
        "    _ = answer = c.cuDeviceGetCount()\n    assert answer[0] == 0\n    _ = 5\n    n = _\n"
    )
    own = [Typed("_, n = c.cuDeviceGetCount()"), *typed]
    assert "    5\n    n = _\n" in as_test(own, {"profile": "h200", "strict": False})
    assert "@pytest.mark.fakecuda(profile='h200', strict=False)" in as_test(own, {"profile": "h200", "strict": False})
