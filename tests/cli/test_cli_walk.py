"""From nothing to a saved test: the real command in a pseudo terminal, key by key, as a user types."""

from __future__ import annotations

import importlib.util
import os
import re
from typing import TYPE_CHECKING

import pytest

from tests.cli.test_cli_saved import check

if TYPE_CHECKING:
    from pathlib import Path

if importlib.util.find_spec("termios") is None:  # pty needs it
    pytest.skip("the prompt at a terminal needs the module pty", allow_module_level=True)
from tests.cli.test_cli_terminal import Terminal


@pytest.fixture(autouse=True)
def _pty() -> None:
    """Skip the tests if the system gives no pseudo terminal."""
    try:
        ours, theirs = os.openpty()
    except OSError as error:
        pytest.skip(f"the prompt at a terminal needs a pseudo terminal: {error}")
    os.close(ours)
    os.close(theirs)


def test_from_nothing_to_a_saved_test(tmp_path: Path) -> None:
    """The banner, a call, a refused call, why, a typo, undo, show, save, the end; the saved test passes."""
    terminal = Terminal("dumb")
    saved = tmp_path / "test_x.py"
    assert "help() lists all names" in terminal.banner
    assert "CUDA_SUCCESS" in terminal.type("a.driver.cuInit(0)\n")
    assert "CUDA_SUCCESS" in terminal.type("a.driver.cuCtxCreate(None, 0, 0)\n")
    terminal.type("_, p = a.driver.cuMemAlloc(4096)\n")
    assert "CUDA_ERROR_INVALID_VALUE" in terminal.type("a.driver.cuMemFree(int(p) + 8)\n")
    assert "memory.mem_free.POINTER_IS_A_BASE" in terminal.type("why()\n")
    assert "did you mean: cuMemAlloc" in terminal.type("a.driver.cuMemAloc(4096)\n")
    terminal.type("_, q = a.driver.cuMemAlloc(8192)\n")
    assert "\nundone: _, q = a.driver.cuMemAlloc(8192)\n" in terminal.type("undo()\n")
    shown = terminal.type("show('memory')\n")
    assert re.search(r"\na +0x\w+ +4 KiB +0 +allocation", shown)
    assert "8 KiB" not in shown
    assert f"wrote {saved}, and it passes: pytest {saved}" in terminal.type(f'save("{saved}")\n')
    assert terminal.close() == 0
    text = saved.read_text(encoding="utf-8")
    assert "    answer = a.driver.cuMemFree(int(p) + 8)\n    assert answer[0] == 1\n" in text
    assert "cuMemAloc" not in text
    assert "8192" not in text
    check(saved)
