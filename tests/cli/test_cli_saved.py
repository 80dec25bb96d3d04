"""Saved sessions: each is a test that passes, with what was explored and without what was only typed."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.prompt import saved as saving
from fakecuda.prompt.console import Prompt
from fakecuda.prompt.saved import as_test
from fakecuda.prompt.session import Typed
from tests import warm

if TYPE_CHECKING:
    from pathlib import Path

START = ["a.driver.cuInit(0)", "_, context = a.driver.cuCtxCreate(None, 0, 0)", "_, p = a.driver.cuMemAlloc(1 << 20)"]
SESSIONS: dict[str, list[str]] = {
    "nothing": [],
    "refused": [*START, "a.driver.cuMemFree(int(p) + 8)", "why()", "_, q = a.driver.cuMemAlloc(0)", "r = a.c.cuMemAlloc(0)"],
    "errors": [
        *START, "nonsense", "a.driver.cuMemAlloc()", "a.driver.nothing", "1 +* 2", "1/0", "x = 5; 1/0", "x + 1",
        "y = a.driver.cuMemAlloc(8)[1]; nonsense", "a.driver.cuMemFree(y)", "assert x == 5", "raise KeyError(1)",
    ],
    "looks": [*START, "p", "hex(p)", "print(p, len([p]))", "CUlimit.CU_LIMIT_STACK_SIZE", "[x for x in (1, 2)]", "show(p); why()"],
    "undo": [*START, "a.driver.cuMemFree(p)", "undo()", "a.driver.cuMemFree(p)", "a.driver.cuMemFree(p)"],
    "lines": [
        *START, "def f(n):", "    '''Two", "    lines.'''", "    return a.driver.cuMemAlloc(n)", "",
        "for n in (0, 1):", "    f(n)", "    show()", "", "if n:", "    why()", "", 'text = """a', 'b"""', "assert len(text) == 3",
        "with a.thread('w') if False else __import__('contextlib').nullcontext():", "    a.driver.cuCtxGetDevice()",
    ],
    "hip": ["_, q = a.hip.hipMalloc(16)", "a.hip.hipFree(q)", "a.hip.hipSetDevice(99)", "a.c.hipMalloc(0)"],
    "runtime": ["_, q = a.runtime.cudaMalloc(16)", "a.runtime.cudaFree(q)", "a.runtime.cudaSetDevice(99)", "a.c.cudaGetLastError()"],
    "processes": [
        *START, "_, handle = a.driver.cuIpcGetMemHandle(p)", "b.driver.cuInit(0)", "_, other = b.driver.cuCtxCreate(None, 0, 0)",
        "_, q = b.driver.cuIpcOpenMemHandle(handle, 1)", "b.driver.cuIpcCloseMemHandle(q)", "z = machine.spawn('z')",
        "z.driver.cuInit(1)", "b.exit()", "b.driver.cuInit(0)",
    ],
    "undefined": [*START, "a.c.cuMemRelease(7)", "a.driver.cuMemGetInfo()"],
    "fault": [*START, "fault = machine.fail('cuMemAlloc', code='OUT_OF_MEMORY')", "a.driver.cuMemAlloc(8)"],
    "last result": ["a.c.cuInit(0)", "a.c.cuDeviceGetCount()", "n = _", "assert n == (0, 2)", "5", "m = _", "assert m == 5"],
    "names": [
        "answer = 42", "a.c.cuInit(0)", "id = id(5)", "import pytest", "1/0; 2", "assert answer == 42", "pytest = a.c.cuInit(1)",
        "from os.path import *", "from __future__ import annotations", "n = 0", "def g():", "    global n", "    n += 1", "",
        "g()", "assert n == 1", "x = why()", "assert x is None", "c = a.c", "c.cuInit(0)", "Result.INVALID_VALUE; limit = CUlimit",
        "show = print", "show(n)", "del n",
    ],
}  # fmt: skip


@pytest.fixture
def _warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run what is saved in a fork of a Python that has imported pytest."""
    monkeypatch.setattr(saving, "subprocess", SimpleNamespace(run=lambda command, **_: warm.run(command)))


@pytest.mark.usefixtures("_warm")
@pytest.mark.parametrize("name", SESSIONS)
def test_a_saved_session_passes(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file is a test on a machine with other addresses, and it passes."""
    saved = tmp_path / "test_it.py"

    def made(profile: str = "h200-x2") -> Machine:
        return Machine(profile, seed=7)

    prompt = Prompt(made(), made)
    prompt.feed([*SESSIONS[name], f"save({str(saved)!r})"])
    prompt.machine.end_faults()
    prompt.machine.close()
    assert capsys.readouterr().out.endswith(f"wrote {saved}, and it passes: pytest {saved}\n")
    text = saved.read_text(encoding="utf-8")
    for word in ("why()", "nonsense", "nothing", "save(", "undo", "hex("):
        assert word not in text.replace("x = why()", "").replace("cuMemAlloc(8)[1]\n        nonsense", "")


def check(saved: Path) -> None:
    """Run a saved test."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(saved)]
    done = warm.run(command, cwd=saved.parent)
    assert done.returncode == 0, saved.read_text(encoding="utf-8") + done.stdout


def test_a_test_that_fails_is_saved_with_what_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that the session deleted is missing; then a test that cannot run, and a system without pytest."""
    saved = tmp_path / "test_it.py"
    with Machine("h200-x2") as machine:
        prompt = Prompt(machine)
        (tmp_path / "seen").touch()
        prompt.feed(
            [*START, "import pathlib", f"seen = pathlib.Path({str(tmp_path / 'seen')!r})", "n = int(seen.exists())"]
        )
        prompt.feed(["r = a.c.cuMemAlloc(8 * n)", "seen.unlink()", f"save({str(saved)!r})"])
        said = capsys.readouterr().out.splitlines()
        start = said.index(f"wrote {saved}, but it fails:")
        text = saved.read_text(encoding="utf-8")
        number = text.splitlines().index("    assert r[0] == 0") + 1
        assert said[start + 1].endswith(f"test_it.py:{number}: in test_session")
        assert "  assert 1 == 0" in said[start:]
        assert said[-1] == f"run it: pytest {saved}"
        assert "\n\n# This test failed when it was saved:\n# " in text
        assert text.endswith("\n# assert 1 == 0\n")
        (tmp_path / "seen").touch()
        check(saved)  # the remark is only a comment
        (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --unknown\n")
        prompt.feed([f"save({str(saved)!r})"])
        assert "unrecognized arguments: --unknown" in capsys.readouterr().out
        monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
        prompt.feed([f"save({str(saved)!r})"])
        assert capsys.readouterr().out == (
            f"wrote {saved}, and did not run it: pytest is not installed\nrun it: pytest {saved}\n"
        )


def session(*lines: str) -> str:
    """Return the test of a session."""
    with Machine("h200-x2") as machine:
        prompt = Prompt(machine)
        prompt.feed(lines)
        return as_test(prompt.typed, {}).text


def test_each_code_is_asserted(capsys: pytest.CaptureFixture[str]) -> None:
    """Printed or assigned, of success or refusal; a block expects its refused calls."""
    text = session(*SESSIONS["refused"], *SESSIONS["lines"][3:11])
    capsys.readouterr()
    for lines in (
        "    answer = a.driver.cuMemFree(int(p) + 8)\n    assert answer[0] == 1\n",
        "    _, q = a.driver.cuMemAlloc(0)\n    assert _ == 1\n",
        "    r = a.c.cuMemAlloc(0)\n    assert r[0] == 1\n",
        "    with fakecuda.expect('CUDA_ERROR_INVALID_VALUE'):\n        for n in (0, 1):\n            f(n)\n            pass\n",
    ):
        assert lines in text, text


def test_a_changed_answer_fails(tmp_path: Path) -> None:
    """The assertions are real."""
    saved = tmp_path / "test_it.py"
    saved.write_text(session(*START, "a.driver.cuMemAlloc(0)").replace("[0] == 1", "[0] == 2"), encoding="utf-8")
    with pytest.raises(AssertionError, match="1 failed"):
        check(saved)


def test_undefined_behaviour_is_expected(capsys: pytest.CaptureFixture[str]) -> None:
    """By the id of its rule; other exceptions by their class."""
    text = session(
        *SESSIONS["undefined"], "b.exit()", "b.driver.cuInit(0)", "1/0", "x = 1; 1/0", "import json; json.loads('')"
    )
    capsys.readouterr()
    assert "    with fakecuda.expect_undefined('va.handle.HANDLE_IS_HELD'):\n        a.c.cuMemRelease(7)\n" in text
    assert "    with pytest.raises(fakecuda.ProcessDied):\n        b.driver.cuInit(0)\n" in text
    assert text.count("    with pytest.raises(ZeroDivisionError):\n        x = 1\n        1 / 0\n") == 1
    assert "    with pytest.raises(Exception):\n        import json\n" in text


def test_addresses_become_variables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A number that was copied from the screen would be another one in the next run."""
    saved = tmp_path / "test_it.py"
    with Machine("h200-x2") as machine:
        prompt = Prompt(machine)
        prompt.feed([*START[:2], START[2], "a.driver.cuMemAlloc(64)"])
        printed = machine.log[-1].outs
        held = int(prompt.scope["p"])
        prompt.feed(
            [f"a.driver.cuMemFree({held + 8})", f"a.driver.cuMemFree({printed})", f"a.driver.cuMemFree({held:#x})"]
        )
        primary = "a.c.cuDevicePrimaryCtxRetain(1)[1] and 0"
        prompt.feed([f"a.c.cuCtxSetCurrent({primary})", f"save({str(saved)!r})"])
        text = saved.read_text(encoding="utf-8")
        assert "a.driver.cuMemFree(int(p) + 8)" in text
        assert "    assert answer[0] == 0\n    made = answer[1]\n" in text
        assert "a.driver.cuMemFree(int(made))" in text
        assert "a.driver.cuMemFree(int(p))" in text
        check(saved)
        other = next(handle for handle, one in machine.processes["a"].contexts.items() if one.primary)
        capsys.readouterr()
        prompt.feed([f"a.c.cuCtxSetCurrent({other})", f"save({str(saved)!r})"])
        assert capsys.readouterr().out.splitlines()[1] == (
            f"{other:#x} differs in each run: assign the result of the call that returned it, and use the variable"
        )


def test_options_become_the_mark() -> None:
    """A test runs on the machine of the prompt."""
    text = as_test([Typed("n = 1")], {"profile": "h200", "strict": False}).text
    assert "@pytest.mark.fakecuda(profile='h200', strict=False)\n" in text


def test_an_interrupted_statement_is_left_out() -> None:
    """It might run for ever."""
    assert "while" not in as_test([Typed("while True: pass", error=KeyboardInterrupt())], {}).text
