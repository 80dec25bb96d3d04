"""``fakecuda conform``: the bar, the closing table, the status."""

from __future__ import annotations

import importlib.util
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fakecuda.__main__ import Suite, main

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

REPOSITORY = Path(__file__).parents[2]
CASE = """
import pytest

@pytest.mark.parametrize("size", range(3))
def test_size(size, record_property):
    for name, value in {"chapter": "va", "call": "cuMemMap", "rule": f"va.mem_map.R{size % 2}", "held": "core.init.H",
                        "programs": 2, "answers": 1000, "differences": 1, "explained": 1}.items():
        record_property(name, value)
    assert size != BAD

@pytest.mark.skip(reason="there is no GPU here")
def test_skipped():
    pass

@pytest.mark.xfail(strict=True)
def test_expected():
    assert False
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Return a directory with a small suite of the name."""
    package = tmp_path / "conformance" / "va"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "test_mem_map.py").write_text(CASE.replace("BAD", "9"))
    (package / "test_mem_unmap.py").write_text(CASE.replace("BAD", "1").replace("mem_map.R", "mem_unmap.R"))
    return tmp_path


def conform(path: Path, *options: str, stderr: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    """Run the suite in that directory."""
    environment = {**os.environ, "PYTHONPATH": f"{path}:{REPOSITORY}", "COLUMNS": "120"}
    command = [sys.executable, "-m", "fakecuda", "conform", *options]
    return subprocess.run(
        command, cwd=path, env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True, timeout=120, check=False
    )


def test_the_table_adds_up_by_chapter(suite: Path) -> None:
    """Properties of the cases are counted; a case without any belongs to its directory."""
    done = conform(suite, "-k", "mem_map")
    assert done.returncode == 0, done.stdout + done.stderr
    head, chapter, total = done.stdout.strip().splitlines()[-3:]
    assert head.split("  ")[0] == "chapter"
    assert chapter.split() == ["va", "2", "5,", "1", "skipped", "6", "3000", "3", "(3)", "2", "/", "1"]
    assert total.split() == ["all", *chapter.split()[1:]]
    assert done.stderr == ".....\n"


def test_a_failure_is_told_and_counted(suite: Path) -> None:
    """The report says what failed, its status is the command's."""
    done = conform(suite)
    assert done.returncode == 1
    assert "assert 1 != 1" in done.stdout
    assert "FAILED conformance/va/test_mem_unmap.py::test_size[1]" in done.stdout
    assert done.stdout.splitlines()[-1].split()[:6] == ["all", "3", "10,", "1", "failed,", "2"]
    assert done.stderr.count("F") == 1


def test_options_go_to_pytest(suite: Path) -> None:
    """A selection that matches nothing is said in a line."""
    done = conform(suite, "-k", "no_such_case")
    assert (done.returncode, done.stdout.strip(), done.stderr) == (5, "", "fakecuda: no case was selected\n")


def test_a_terminal_gets_a_bar(suite: Path) -> None:
    """The bar is redrawn in its line, with count, total and time."""
    ours, theirs = pty.openpty()
    done = conform(suite, "-k", "mem_map", stderr=theirs)
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert done.returncode == 0
    assert shown.startswith("\r[######----")
    assert f"\r[{'#' * 30}] 5/5  0:0" in shown
    assert shown.endswith("\r\n")


@pytest.fixture
def _no_pytest(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec

    def spec_of(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name in {"pytest", "hypothesis"} else find(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", spec_of)


@pytest.mark.usefixtures("_no_pytest")
def test_without_the_extra_the_mend_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """One line names what is missing and how to get it."""
    assert main(["conform"]) == 2
    mend = "fakecuda: conform needs pytest and hypothesis: pip install 'fakecuda[conformance]'\n"
    assert capsys.readouterr() == ("", mend)


def test_rules_are_counted_once() -> None:
    """A rule that two chapters break is one rule of the whole."""
    suite = Suite(bar=False)
    suite._note("conformance/a/test_x.py::t", [("rule", "core.init.R"), ("held", "core.init.H")], failed=False)
    suite._note("conformance/b/test_x.py::t", [("rule", "core.init.R"), ("rule", "core.init.S")], failed=False)
    assert [line.split("  ")[-1].strip() for line in suite.text().splitlines()[-3:]] == ["1 / 1", "2 / 0", "2 / 1"]
