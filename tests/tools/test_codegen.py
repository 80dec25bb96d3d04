"""Generated files are what the generators write, and the command says how to write them."""

from __future__ import annotations

import subprocess
import sys
import time
from importlib.metadata import version
from typing import TYPE_CHECKING

import attrs
import pytest

from fakecuda.explain.evidence import ANSWERS
from fakecuda.spec.driver import DESCRIBED
from tools.codegen import cache, command, reads
from tools.codegen.steps import ROOT, STEPS, Step

if TYPE_CHECKING:
    from pathlib import Path


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Return the status of the command, and what it printed."""
    return command.main(list(arguments)), capsys.readouterr().out


@pytest.fixture
def step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Step:
    """Return a step that writes one file of a checkout that lacks it."""
    made = Step("letters", "a file", ("letters",), ("cuda-bindings", DESCRIBED))
    monkeypatch.setitem(STEPS, "letters", made)
    monkeypatch.setattr(Step, "files", lambda _: {tmp_path / "generated.txt": "abc"})
    monkeypatch.setattr(command, "ROOT", tmp_path)
    return made


@pytest.mark.parametrize("name", [name for name, step in STEPS.items() if not step.apart])
def test_generated_files_are_what_is_committed(name: str) -> None:
    """Nobody has edited them, and nobody has forgotten them."""
    step = STEPS[name]
    if step.lacks:
        pytest.skip(f"{name}: {step.lacks}")
    differing = [str(path.relative_to(ROOT)) for path in step.differing()]
    assert not differing, f"write them anew: python -m tools.codegen {name}"


@pytest.mark.skipif(any(step.lacks for step in STEPS.values()), reason="a step cannot be taken here: see above")
def test_every_file_in_a_folder_of_generated_ones_is_generated() -> None:
    """But for the line that makes a package of the folder."""
    found = {
        path
        for path in (ROOT / "fakecuda").glob("**/generated/*")
        if path.suffix in {".json", ".py"} and path.name != "__init__.py"
    }
    written = {path for step in STEPS.values() if not step.apart for path in step.files()}
    assert found == {path for path in written if path.parent.name == "generated"} | {ANSWERS}


def test_a_difference_is_told_with_the_command(step: Step, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --check nothing is written."""
    told = "generated.txt differs from the generated content: run python -m tools.codegen letters\n"
    assert said(capsys, "--check", step.name) == (1, told)
    assert not list(tmp_path.iterdir())


def test_what_differs_is_written(step: Step, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And nothing else: a second time there is nothing to do."""
    assert said(capsys, step.name) == (0, "wrote generated.txt\n")
    assert (tmp_path / "generated.txt").read_text() == "abc"
    assert said(capsys, step.name) == (0, "")
    assert said(capsys, "--check", step.name) == (0, "")


def test_what_is_not_written_any_more_goes(
    step: Step, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where a step owns a folder: the page of a chapter that is no more."""
    monkeypatch.setattr("tools.codegen.steps.ROOT", tmp_path)
    monkeypatch.setitem(STEPS, "letters", attrs.evolve(step, owns="pages/*.md"))
    gone = tmp_path / "pages" / "gone.md"
    gone.parent.mkdir()
    gone.write_text("x")
    assert said(capsys, step.name) == (0, "wrote generated.txt\ndeleted pages/gone.md\n")
    assert not gone.exists()


def test_each_step_is_taken_in_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own, and none after one that failed."""
    taken: list[list[str]] = []

    def run(arguments: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        taken.append(arguments[3:])
        return subprocess.CompletedProcess(arguments, int(arguments[3] == "index"), "")

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(Step, "lacks", "")
    assert command.main([]) == 1
    steps = ("description", "hip-description", "conventions", "documented", "nvml", "nvml-documented", "index")
    assert taken == [[step] for step in steps]
    taken.clear()
    assert command.main(["--check"]) == 1
    assert taken == [[name, "--check"] for name, step in STEPS.items() if not step.apart]
    taken.clear()
    assert command.main(["surfaces", "native"]) == 0
    assert taken == [["surfaces"], ["native"]]


def test_a_step_that_takes_long_is_taken_where_it_is_named(
    step: Step, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command says why, and what checks its files."""
    monkeypatch.setattr(command, "STEPS", {"letters": attrs.evolve(step, apart="a whole run compares")})
    assert said(capsys) == (0, "left out: letters: a whole run compares\n")
    assert said(capsys, "letters") == (0, "wrote generated.txt\n")


def test_another_release_of_a_source_is_said(
    step: Step, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The step is left out, but where it is asked for: that is how the files become those of another release."""
    other = attrs.evolve(step, source=("cuda-bindings", "1.2.3"))
    monkeypatch.setattr(command, "STEPS", {"letters": other})
    lacks = f"it is made from cuda-bindings 1.2.3, but {version('cuda-bindings')} is installed"
    assert said(capsys) == (0, f"left out: letters: {lacks}\n")
    assert said(capsys, "letters") == (0, "wrote generated.txt\n")


def test_a_source_that_is_not_installed(
    step: Step, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who asks for the step is told what it is made from."""

    def files(_: Step) -> dict[Path, str]:
        raise ModuleNotFoundError

    monkeypatch.setattr(Step, "files", files)
    monkeypatch.setitem(STEPS, "letters", attrs.evolve(step, source=("no-such-bindings", "1.2.3")))
    assert said(capsys, "letters") == (1, "letters: it is made from no-such-bindings 1.2.3, but none is installed\n")
    monkeypatch.setitem(STEPS, "letters", attrs.evolve(step, source=("", "")))
    with pytest.raises(ModuleNotFoundError):
        command.main(["letters"])


def test_an_unknown_step(capsys: pytest.CaptureFixture[str]) -> None:
    """The steps there are."""
    with pytest.raises(SystemExit):
        command.main(["natives"])
    assert (
        "no such step: natives; use description, hip-description, conventions, documented, nvml, nvml-documented, index"
        in capsys.readouterr().err
    )


def entry(root: Path, monkeypatch: pytest.MonkeyPatch) -> Step:
    """Return a step of a checkout that was taken: it read two files and wrote one."""
    made = Step("letters", "a file", ("letters",), owns="pages/*.md")
    for name in ("fakecuda/rule.py", "fakecuda/data.toml", "pages/written.md"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(name)
    monkeypatch.setattr(reads, "inputs", lambda: ({"fakecuda/rule.py", "fakecuda/data.toml"}, {"fakecuda"}))
    cache.keep(made, [root / "pages/written.md"], time.time() + 60, root)
    return made


def test_a_step_that_was_taken_is_not_taken_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as what it read and wrote is the same, by content."""
    made = entry(tmp_path, monkeypatch)
    assert cache.holds(made, tmp_path)
    (tmp_path / "fakecuda/rule.py").write_text("fakecuda/rule.py")
    assert cache.holds(made, tmp_path)


@pytest.mark.parametrize(
    "name", ["fakecuda/rule.py", "fakecuda/data.toml", "fakecuda/new.py", "pages/written.md", "pages/new.md"]
)
@pytest.mark.parametrize("change", ["write", "delete"])
def test_what_changed_is_seen(name: str, change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An input, an output, a file that comes or goes beside them."""
    made = entry(tmp_path, monkeypatch)
    if change == "write":
        (tmp_path / name).write_text("other")
    elif (tmp_path / name).exists():
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_text("x")
    assert not cache.holds(made, tmp_path)


def test_another_environment_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By what is installed, and by the Python that runs. A damaged entry does not count."""
    made = entry(tmp_path, monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(cache, "environment", lambda: "other")
        assert not cache.holds(made, tmp_path)
    assert cache.holds(made, tmp_path)
    (tmp_path / cache.FOLDER / "letters.json").write_text("{")
    assert not cache.holds(made, tmp_path)


def test_what_changes_while_a_step_runs_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The step may have read it before."""
    made = entry(tmp_path, monkeypatch)
    (tmp_path / cache.FOLDER / "letters.json").unlink()
    cache.keep(made, [tmp_path / "pages/written.md"], 0, tmp_path)
    assert not (tmp_path / cache.FOLDER / "letters.json").exists()


def test_ci_trusts_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does --fresh, nor who calls the function."""
    taken: list[str] = []

    def run(arguments: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        taken.append(arguments[3])
        return subprocess.CompletedProcess(arguments, 0, "")

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(Step, "lacks", "")
    monkeypatch.setattr(cache, "holds", lambda _: True)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setitem(reads.state, "watching", True)
    assert command.main(["--check"]) == 0
    assert taken == []
    assert command.main(["--check", "--fresh"]) == 0
    every = [name for name, step in STEPS.items() if not step.apart]
    assert taken == every
    taken.clear()
    monkeypatch.setenv("CI", "true")
    assert command.main(["--check"]) == 0
    assert taken == every
    taken.clear()
    monkeypatch.delenv("CI")
    monkeypatch.setitem(reads.state, "watching", False)
    assert command.main([]) == 0
    assert taken == [name for name in every if not STEPS[name].on_demand]


def test_what_a_process_reads_is_noted() -> None:
    """Files, folders, modules; a Python that it starts may read anything."""
    script = """
import subprocess, sys
from tools.codegen import reads
reads.watch()
import fakecuda.near
from pathlib import Path
list(Path("docs/guides").iterdir())
Path("pyproject.toml").read_text()
files, folders = reads.inputs()
print("fakecuda/near.py" in files, "pyproject.toml" in files, "docs/guides" in folders, "realcuda/probe.py" in files)
subprocess.run([sys.executable, "-c", ""])
print("realcuda/probe.py" in reads.inputs()[0])
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "True True True False\nTrue\n"
