"""``fakecuda conform``: what it runs, prints and answers, also where a run is cut off."""

from __future__ import annotations

import importlib.util
import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.runner.checks import Check
from conformance.runner.sampling import parts_of
from fakecuda.__main__ import main
from tests import warm

REPOSITORY = Path(__file__).parents[2]
FEW = ("test_get_error_name", "multicast/test_waiting")
"""Patterns that match few checks."""
SUITE_IS_MISSING = (
    "the conformance suite, which is in a checkout of fakecuda: in the root of the checkout, pip install . ./conformance, or run "
    "the command there"
)
SUITE = """
import os, signal
import pytest
from fakecuda import Machine

@pytest.mark.parametrize("size", range(6))
def test_size(size):
    with Machine("h200-x2") as machine:
        machine.spawn().c.cuInit(0)
    assert size != 3, "three is wrong"

def test_cuInit():
    pass

@pytest.mark.parametrize("size", range(2))
def test_crash(size):
    if size == 1:
        os.kill(os.getpid(), signal.SIGSEGV)

def test_fixture(tmp_path):
    pytest.skip("there is no GPU here")

@pytest.mark.parametrize("how", [pytest.param(1, marks=pytest.mark.xfail(reason="it is known"))])
def test_known(how):
    assert how == 2

@pytest.mark.parametrize("number", range(200))
def test_slow(number):
    if number == 0 and os.environ.get("BLOCK"):
        print("blocked", file=open(os.environ["BLOCK"], "w"), flush=True)
        signal.pause()
"""
"""Checks that pass, fail, crash, are skipped, and are expected to fail."""
MALFORMED = (
    "from conformance.mutate import survivors",
    "from fakecuda.explain.evidence import EvidenceError",
    "def malformed(known): raise EvidenceError('core.toml, [[survivor]] 1: no such mutant')",
    "survivors.load = malformed",
)
"""Statements that make the evidence unreadable."""

PAGES = (
    "from conformance.pages import write",
    "def pages(folder, report, what):",
    "    print(f'PAGES {folder.name}, {len(report.failed)} of {report.counts[\"cases\"]} failed, {what}')",
    "    folder.mkdir()",
    "    return [folder]",
    "write.write = pages",
)
"""Statements that create the folder of pages, but no pages."""


PRELOADED = ("conformance.runner.schedule",)
"""What each run imports."""


def conform(*options: str) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    command = [sys.executable, "-m", "fakecuda", "conform", "--jobs=2", *options]
    return warm.run(command, cwd=REPOSITORY, preloaded=PRELOADED, ends=False)


@pytest.fixture
def suite(tmp_path: Path, request: pytest.FixtureRequest) -> list[str]:
    """Return the command line of a run of a small suite; a parameter's lines come before it."""
    (tmp_path / "test_small.py").write_text(SUITE)
    lines = (
        *getattr(request, "param", ()),
        "import sys",
        "from pathlib import Path",
        "from conformance import run",
        f"run.SUITE = Path({str(tmp_path)!r})",
        "sys.exit(run.main(sys.argv[1:]))",
    )
    return [sys.executable, "-c", "\n".join(lines), "--jobs=2"]


def ran(suite: list[str], *options: str) -> subprocess.CompletedProcess[str]:
    """Run the small suite."""
    return warm.run([*suite, *options], cwd=REPOSITORY, preloaded=PRELOADED, ends=False)


def untimed(text: str) -> str:
    """Return what was printed, times apart."""
    return re.sub(r"\d+\.\d s", "… s", text)


def test_two_runs_print_the_same(suite: list[str]) -> None:
    """In whichever order processes end."""
    first, second = (ran(suite, "size", "fixture", "known", "slow") for _ in range(2))
    assert first.returncode == 1, first.stdout + first.stderr
    assert untimed(first.stdout) == untimed(second.stdout)
    assert first.stderr == second.stderr


def test_the_seed_comes_first_and_the_table_last() -> None:
    """Every chapter is in it."""
    done = conform(*FEW)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "conform: recordings on h200-x2, seed 0, 2 processes"
    assert [line.split()[0] for line in lines[2:-1]] == ["chapter", "core", "suite", "all"]
    assert re.fullmatch(r"\d+ checks agree; \d+\.\d s", lines[-1])


def test_programs_are_drawn_from_a_seed_that_is_said() -> None:
    """Another seed draws other programs, and the line says how to draw them again."""
    drawn = conform("--random", "7", "test_machine[hip-clr-2024-0]")
    assert drawn.stdout.startswith("conform: recordings on h200-x2, seed 7, repeat with --random 7, 2 processes\n")
    assert drawn.returncode == 0, drawn.stdout


def test_failures_are_told_and_listed(suite: list[str], tmp_path: Path) -> None:
    """What failed stands before the table with its text, and behind it by name; a crash costs its task alone."""
    done = ran(suite, f"--report={tmp_path / 'report.json'}", "size", "crash", "fixture", "known")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "AssertionError: three is wrong" in done.stdout
    assert "ended by signal SIGSEGV" in done.stdout
    names = [line.rpartition("::")[2] for line in done.stdout.splitlines() if line.startswith("FAILED ")]
    assert names == ["test_crash[1]", "test_size[3]"]
    assert "skipped: suite: 1: there is no GPU here" in done.stdout
    assert "2 of 9 checks failed, 1 differ as expected" in done.stdout
    report = json.loads((tmp_path / "report.json").read_text())
    assert (len(report["failed"]), report["skipped"]) == (2, [["suite", "there is no GPU here", 1]])
    assert list(report["expected"].values()) == ["it is known"]


def test_a_whole_run_begins_with_a_sample(suite: list[str]) -> None:
    """Its verdict comes first, with what failed in it; the other checks follow, and no check runs twice."""
    quick = [ran(suite, "--quick", f"--sample={number}") for number in (0, 40)]
    assert untimed(quick[0].stdout) == untimed(quick[1].stdout).replace("--sample 40", "--sample 0")
    alone = re.search(r"^(?:\d+ of )?(\d+) checks ", quick[0].stdout, re.MULTILINE)
    assert alone
    whole = ran(suite, "--sample=0")
    lines = whole.stdout.splitlines()
    assert lines[1] == "conform: sample 1 of 40, by its number (--sample 0)"
    verdict = next(line for line in lines if line.startswith("the sample: "))
    assert re.fullmatch(rf"the sample: (\d of )?{alone[1]} checks .*; the other checks follow", verdict)
    assert lines.index(verdict) < next(number for number, line in enumerate(lines) if line.startswith("chapter "))
    assert re.match(r"2 of 21[01] checks failed, 1 differ as expected", lines[-1])  # a crash costs its task


def test_a_run_says_what_it_leaves_out(suite: list[str], tmp_path: Path) -> None:
    """Each two rules meet once; --all runs their other pairs, too."""
    (tmp_path / "test_small.py").write_text("from conformance.cases.driver.va.test_mem_map import test_mem_map\n")
    few, all_pairs = ran(suite, "--sample=0"), ran(suite, "--sample=0", "--all")
    assert (few.returncode, all_pairs.returncode) == (0, 0), few.stdout + all_pairs.stdout
    said = re.search(
        r"^pairs: (\d+) of (\d+), which show what all show; --all runs the others, too$", few.stdout, re.MULTILINE
    )
    assert said
    assert 0 < int(said[1]) < int(said[2])
    assert re.search(rf"^all +1 +\d+ +{said[2]} ", all_pairs.stdout, re.MULTILINE)
    assert re.search(rf"^all +1 +\d+ +{said[1]} ", few.stdout, re.MULTILINE)
    assert "--all" not in all_pairs.stdout


def test_a_failure_in_the_sample_is_printed_at_once(suite: list[str], tmp_path: Path) -> None:
    """Of forty samples one has the check that fails."""
    group = f"{tmp_path.name}/test_small.py::test_size"
    checks = [Check(str(size), frozenset({"test_small"}), lambda: None) for size in range(6)]
    number = parts_of(group, checks)[3]
    lines = ran(suite, f"--sample={number}").stdout.splitlines()
    told = next(at for at, line in enumerate(lines) if line.startswith("the sample: "))
    assert any(line.endswith("test_size[3]") and line.startswith("FAILED ") for line in lines[:told])


def test_the_first_failure_ends_a_run_that_asks_for_it(suite: list[str]) -> None:
    """The table says that it was cut off."""
    done = ran(suite, "-x", "--jobs=1", "size", "slow")
    assert done.returncode == 1
    assert "cut off, stopped at the first failure" in done.stdout


@pytest.mark.usefixtures("interruptible")
def test_an_interrupted_run_tells_what_it_saw_and_goes_on_later(suite: list[str], tmp_path: Path) -> None:
    """Ctrl-C ends it with the failures so far; with the same file a later run does the rest."""
    blocked, journal = tmp_path / "blocked", tmp_path / "journal"
    os.mkfifo(blocked)
    command = [*suite, "--resume", str(journal), "size", "slow"]
    run = subprocess.Popen(
        command, cwd=REPOSITORY, env={**os.environ, "BLOCK": str(blocked)}, stdout=subprocess.PIPE, text=True
    )
    blocked.read_text()  # a check is at it and does not end
    while "test_size" not in journal.read_text():
        pass
    run.send_signal(signal.SIGINT)
    told, _ = run.communicate()
    assert run.returncode == 1, told
    assert "FAILED " in told
    assert "cut off, interrupted: " in told
    again = ran(suite, "--resume", str(journal), "size", "slow")
    assert again.returncode == 1
    assert "1 of 206 checks failed" in again.stdout
    other = ran(suite, "--resume", str(journal), "size")
    assert other.returncode == 2
    assert "is of another run" in other.stderr


def test_a_time_limit_ends_a_run(suite: list[str], tmp_path: Path) -> None:
    """Nothing failed, and the status says that it was cut off."""
    os.mkfifo(tmp_path / "blocked")
    reader = os.open(tmp_path / "blocked", os.O_RDONLY | os.O_NONBLOCK)
    done = subprocess.run(
        [*suite, "--time-limit=1", "slow"],
        cwd=REPOSITORY,
        env={**os.environ, "BLOCK": str(tmp_path / "blocked")},
        capture_output=True,
        text=True,
        check=False,
    )
    os.close(reader)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "cut off, the time limit of 1 s has passed" in done.stdout


def test_mistakes_in_the_use_are_told(suite: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A selection that matches nothing, and an option that there is not."""
    done = ran(suite, "no_such_check")
    assert (done.returncode, done.stderr) == (2, "conform: no check was selected\n")
    with pytest.raises(SystemExit) as caught:
        main(["conform", "--nonsense"])
    assert caught.value.code == 2
    assert "unrecognized arguments: --nonsense" in capsys.readouterr().err
    done = ran(suite, "--target=both", "--require-real")
    assert done.returncode == 2
    assert "--require-real: no real driver: " in done.stderr


@pytest.mark.parametrize("suite", [MALFORMED], ids=["malformed"], indirect=True)
def test_evidence_that_is_malformed_ends_the_command(suite: list[str]) -> None:
    """It is read at the end, for the rules that no program breaks: its text is told, and no traceback."""
    done = ran(suite, "cuInit")
    assert done.returncode == 2
    assert done.stderr.endswith("conform: core.toml, [[survivor]] 1: no such mutant\n")


def test_a_terminal_gets_a_bar(suite: list[str]) -> None:
    """The bar is redrawn in its line, with count, total and time."""
    ours, theirs = pty.openpty()
    command = [*suite, "slow"]
    done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=theirs, text=True, check=False)
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert done.returncode == 0
    assert re.search(rf"\r\[{'#' * 30}\] (\d+)/\1  0:0", shown)
    assert shown.endswith("\r\n")


def test_plugins_and_options_of_the_environment_stay_away(suite: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the user has installed or asks of pytest elsewhere."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    monkeypatch.setenv("PYTEST_PLUGINS", "no_such_plugin")
    assert ran(suite, "slow").returncode == 0


@pytest.mark.parametrize(
    ("absent", "fix"),
    [
        (("pytest", "hypothesis"), "pytest and hypothesis: pip install pytest hypothesis"),
        (("hypothesis",), "hypothesis: pip install hypothesis"),
        (("conformance", "hypothesis"), SUITE_IS_MISSING),
    ],
)
def test_what_is_missing_is_told(
    absent: tuple[str, ...], fix: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line names it and how to get it; the suite brings what it needs, so that nothing else is named with it."""
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in absent else find(name))
    assert main(["conform"]) == 2
    assert capsys.readouterr() == ("", f"fakecuda: conform needs {fix}\n")


def test_a_folder_of_the_name_is_not_the_suite(tmp_path: Path) -> None:
    """Its user's own, where the product is installed without the suite."""
    (tmp_path / "conformance").mkdir()
    for name in ("fakecuda", "attr", "attrs"):
        package = importlib.util.find_spec(name)
        assert package is not None
        assert package.origin is not None
        (tmp_path / name).symlink_to(Path(package.origin).parent)
    command = [sys.executable, "-S", "-m", "fakecuda", "conform"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, f"fakecuda: conform needs {SUITE_IS_MISSING}\n")


@pytest.mark.parametrize("suite", [PAGES], indirect=True)
def test_pages_tell_of_the_run(suite: list[str], tmp_path: Path) -> None:
    """They are written when it has ended, with what failed; a folder that cannot be made is told, and changes no status."""
    done = ran(suite, "--html", str(tmp_path / "out"), "test_size")
    assert done.returncode == 1
    assert "PAGES out, 1 of 6 failed, recordings on h200-x2, seed 0; of chosen checks: test_size." in done.stdout
    assert f"pages: {tmp_path / 'out'}" in done.stdout
    assert "PAGES" not in ran(suite, "test_cuInit").stdout
    (tmp_path / "taken").write_text("")
    done = ran(suite, "--html", str(tmp_path / "taken" / "out"), "test_cuInit")
    assert done.returncode == 0
    assert f"--html: {tmp_path / 'taken' / 'out'}: Not a directory" in done.stdout
