"""The prompt in IPython, at a real terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.cli.test_cli_terminal import TAB, Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("IPython", reason="IPython: pip install -e '.[prompt]'")


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """Return a prompt in IPython, which knows that this terminal does not tell where its cursor is."""
    monkeypatch.setenv("PROMPT_TOOLKIT_NO_CPR", "1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    terminal = Terminal("xterm", [], "In [1]: ")
    yield terminal
    assert terminal.close() == 0


def test_a_session(terminal: Terminal, tmp_path: Path) -> None:
    """The prompt's words, what is near, what is kept of statements, and completion."""
    cells = 1

    def run(source: str) -> str:
        nonlocal cells
        cells += 1
        return terminal.type(f"{source}\r", f"In [{cells}]: ")

    assert "machine h200-x2: 2 x NVIDIA H200" in terminal.banner
    assert "(<CUresult.CUDA_SUCCESS: 0>,)" in run("a.driver.cuInit(0)")
    assert "did you mean: cuMemMap, cuMemUnmap" in run("a.driver.cuMemMpa")
    assert "(101, None)" in run("a.c.cuDeviceGet(7)")
    assert "device.ordinal.DEVICE_IS_VALID" in run("why()")
    assert "hipMemLocationTypeInvalid" in run("a.hip.hipMemAllocationProp()")
    assert "EndlessWait" not in run("%precision")
    assert "3 statements on h200, 0 differ" in run("replay('h200')")
    run("_, p = a.c.cuDeviceGet(0)")
    assert "wrote" in run(f"save({str(tmp_path / 'test_it.py')!r})")
    terminal.type(f"driver.cuDeviceGetCou{TAB}", "cuDeviceGetCount()")
    assert re.search(r"CUDA_SUCCESS: 0>, 2\)", terminal.type("\r", f"In [{cells + 1}]: "))
    cells += 1
    saved = (tmp_path / "test_it.py").read_text()
    assert "    answer = a.c.cuDeviceGet(7)\n    assert answer[0] == 101\n" in saved
    assert "precision" not in saved
    assert "cuMemMpa" not in saved
    assert "undone: a.driver.cuInit(0)\n" in run("undo()")
