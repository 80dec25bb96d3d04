"""What a user's type checker says where fakecuda is installed, and not read as a part of the user's project."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ANNOTATED = Path(__file__).with_name("test_annotated.py")
MISUSED = """
from fakecuda import FakeCuda, Machine

def test_it(fakecuda: FakeCuda) -> None:
    fakecuda.spawn(visible_devices=1)
    Machine(strikt=True)
"""


@pytest.mark.long(
    "the static checks of each commit read the same file; mypy needs some seconds for all that it imports"
)
def test_mypy_takes_an_annotated_test(tmp_path: Path) -> None:
    """``--strict`` has nothing to say of right uses; of a wrong one it has, so that it knows the types."""
    shutil.copy(ANNOTATED, tmp_path)
    (tmp_path / "test_misused.py").write_text(MISUSED)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-error-summary", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    first, second = (line for line in done.stdout.splitlines() if ": error: " in line)
    assert 'test_misused.py:5: error: Argument "visible_devices" to "spawn" of "FakeCuda"' in first
    assert 'test_misused.py:6: error: Unexpected keyword argument "strikt" for "Machine"' in second
