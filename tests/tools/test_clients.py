"""The table of clients: what is run, the reasons of failures, and the page that is written from them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import attrs
import pytest

from tests.limits import LONG
from tools.clients import __main__ as command
from tools.clients import card, emitted, page, places, reasons, results
from tools.clients.reasons import Reason, judge
from tools.clients.results import ENDED, Result, gathered
from tools.clients.suites import Change, LeftOut, Source, Suite, Suppressed, Together, suites
from tools.codegen.steps import ROOT

SUITE = Suite(
    name="some", client="some", about="its suite", packages=["some==1.0"], arguments=["tests"], profile="h200"
)


SUPPRESSED = Suppressed("device.device_get_name.LENGTH_IS_NOT_ZERO", "test_it", "it is theirs")


def result(**failed: str) -> Result:
    """Return a result with these failures."""
    return Result("", {"some": "1.0"}, "3.11", 3, 1, {"no card": 2}, failed)


def reason(*tests: str, error: str = "", suite: str = "some") -> Reason:
    """Return a reason."""
    return Reason(suites=[suite], tests=tests, kind="client", why="it is so", error=error)


def test_the_page_is_what_the_last_runs_and_the_reasons_say() -> None:
    """And each failure has a reason, each reason a failure."""
    made, known = results.load(), reasons.reasons()
    assert page.PAGE.read_text(encoding="utf-8") == page.written(suites(), made, known), (
        "python -m tools.clients --page"
    )
    judgement = judge(made, known)
    assert not judgement.unexplained
    assert not judgement.stale
    assert list(made) == list(suites())
    assert not [one for name, suite in suites().items() for one in suite.unused(made[name].suppressed)]


def test_the_page_of_races_has_the_counts_of_the_last_runs() -> None:
    """How many tests of cuda.core's suites, and of the others, have findings of accesses that nothing orders."""
    told = (ROOT / "docs" / "races.md").read_text(encoding="utf-8")
    for core in (True, False):
        made = [one for name, one in results.load().items() if name.startswith("cuda.core-") is core]
        found = sum(count for one in made for count in one.suppressed.values())
        assert f"| {sum(one.tests for one in made)} | {found} | 0 |" in told


def test_each_test_with_a_race_is_told() -> None:
    """As many of each module as its suppressed findings are of, in each of cuda.core's suites; each with the orders that it lacks."""
    told = (ROOT / "docs" / "races.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| `([\w/]+)\.py::\w+`([^|]*)\| (\d+) \| ([^|]*) \|$", told, re.MULTILINE)
    orders = set(re.findall(r"^\| ([A-Z]) \|", told, re.MULTILINE))
    assert {letter for *_, missing in found for letter in re.findall(r"\b[A-Z]\b", missing)} == orders
    assert all(re.match(r"[A-Z]\b", missing) for *_, missing in found)
    made = {name: one for name, one in results.load().items() if name.startswith("cuda.core-")}
    assert len(made) == 2
    for name, one in made.items():
        modules = {what.split()[1] for what in one.suppressed}
        counts = Counter[str]()
        for module, which, times, missing in found:
            if "only" in which and name not in {f"cuda.core-{word[:3]}" for word in which.split()}:
                continue
            rule = "graph.branches.BRANCHES_ARE_ORDERED" if missing == "F" else "stream.race.ACCESSES_ARE_ORDERED"
            counts[f"{rule} {next(part for part in module.split('/') if part in modules)}"] += int(times)
        assert one.suppressed == counts


def test_each_phase_counts_and_the_worst_is_the_tests() -> None:
    """A test that began and never ended has failed, each error is kept once, and no text names the folder of the run."""
    lines = [
        {"test": "a", "outcome": "begun", "text": ""},
        {"test": "a", "outcome": "passed", "text": ""},
        {"test": "a", "outcome": "failed", "text": "in /run/here/a.py of /env/lib/site-packages/some"},
        *[{"test": "a", "outcome": "failed", "text": "its reason"} for _ in range(2)],
        {"test": "b", "outcome": "skipped", "text": "no card"},
        {"test": "c", "outcome": "expected", "text": "no"},
        {"test": "d", "outcome": "passed", "text": ""},
        {"test": "e", "outcome": "begun", "text": ""},
        *[{"test": test, "outcome": "suppressed", "text": "some.RULE tests: why"} for test in ("a", "d", "d")],
    ]
    made = gathered(lines, "/run/here", "abc")
    assert (made.passed, made.expected, made.skipped) == (1, 1, {"no card": 1})
    assert made.failed == {"a": "in a.py of some; its reason", "e": ENDED}
    assert made.tests == 5
    assert made.suppressed == {"some.RULE tests": 2}
    assert made.commit == "abc"


def test_what_passes_on_a_card_and_not_here(tmp_path: Path) -> None:
    """A failure, a skip and a test that is left out count; what fails on the card too, and what this suite has not, do not."""
    there = {"a": "passed", "b": "passed", "c": "passed", "d": "passed", "e": "failed", "f": "skipped", "h": "passed"}
    kept = tmp_path / "card.json.gz"
    for name in ("some", "other"):
        card.keep(name, {test: (outcome, "") for test, outcome in there.items()}, kept)
    assert list(card.load(kept)) == ["other", "some"]
    assert card.load(tmp_path / "none") == {}
    suite = attrs.evolve(SUITE, card="one GPU", left_out=[LeftOut(["d"], "it is slow")])
    ends = {
        "a": ("passed", ""),
        "b": ("failed", "no"),
        "c": ("skipped", "no card"),
        "e": ("failed", ""),
        "g": ("failed", ""),
    }
    made = results.beside(result(b="no"), suite, ends, card.load(kept)["some"])
    assert (made.card, made.missing) == (4, {"b": "failed: no", "c": "skipped: no card", "d": "not run: it is slow"})
    assert attrs.evolve(made, card=0, missing={}) == results.beside(result(b="no"), suite, ends, {})
    written = page.written({"some": suite}, {"some": made}, [reason("b")])
    assert "- On the card: one GPU." in written
    assert "(#some-10-its-suite) | 7 | 3 | 1 | 3 | 4 | 1, 25.0% |" in written
    assert "| 1 | failed: it is so | `b` |" in written
    assert "| 1 | skipped: no card | `c` |" in written
    assert "| 1 | not run: it is slow | `d` |" in written


def test_a_report_from_a_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reporter alone writes it, without a machine, and the command keeps its outcomes."""
    (tmp_path / "pytest.ini").touch()
    (tmp_path / "test_it.py").write_text("import sys\ndef test_it():\n    assert 'fakecuda' not in sys.modules\n")
    report, kept = tmp_path / "report", tmp_path / "card.json.gz"
    options = ("-q", "-p", "tools.clients.reporter", f"--client-report={report}")
    subprocess.run([sys.executable, "-m", "pytest", *options], cwd=tmp_path, env=_environment(), check=True)
    monkeypatch.setattr(command, "load", dict)
    monkeypatch.setattr(command, "save", lambda _: None)
    monkeypatch.setattr(page, "PAGE", tmp_path / "clients.md")
    monkeypatch.setattr(card.keep, "__defaults__", (kept,))
    assert command.main(["--card", f"some={report}"]) == 0
    assert card.load(kept) == {"some": {"test_it.py::test_it": ("passed", "")}}


def test_a_failure_without_a_reason_and_a_reason_without_a_failure_are_told() -> None:
    """The first reason that is about a failure explains it; a pattern is stale by itself."""
    first, second = reason("a*", error="no"), reason("a[1]", "gone")
    made = {"some": result(**{"a[1]": "no card", "a[2]": "other", "b": "no"})}
    judgement = judge(made, [first, second])
    assert judgement.explained == {"some": {first: ["a[1]"]}}
    assert judgement.unexplained == {"some": {"a[2]": "other", "b": "no"}}
    assert judgement.stale == [(second, "some"), (second, "gone")]


def test_a_reason_of_a_suite_that_was_not_run_is_not_stale() -> None:
    """There is nothing that it could be about."""
    assert not judge({"some": result()}, [reason("a", suite="other")]).stale
    assert judge({"some": result()}, [reason("a")]).stale


def test_a_reason_of_an_unknown_kind_is_refused() -> None:
    """The text says which there are."""
    with pytest.raises(ValueError, match="kernels, call"):
        Reason(suites=["*"], tests=["*"], kind="none", why="no")


def test_the_page_tells_figures_reasons_and_what_has_none() -> None:
    """For each suite, with what was changed and left out."""
    suite = attrs.evolve(SUITE, together=[Together(["TestA"], "it keeps a worker")], suppressed=[SUPPRESSED])
    ran = attrs.evolve(result(a="no | card", b="x"), suppressed={SUPPRESSED.what: 2})
    written = page.written({"some": suite}, {"some": ran}, [reason("b")])
    assert "- Suppressed in 2 tests: `device.device_get_name.LENGTH_IS_NOT_ZERO` in `test_it`: it is theirs." in written
    assert "- One machine for all tests of a class: `TestA`: it keeps a worker." in written
    assert "| some 1.0 | [its suite](#some-10-its-suite) | 8 | 3 | 2 | 3 |" in written
    assert "| 1 | it is so: `b` |" in written
    assert "| 1 | **unexplained**: `a`: no \\| card | |" in written
    assert "| 2 | no card |" in written


def test_a_source_is_taken_from_a_clone(tmp_path: Path) -> None:
    """At its commit, with its changes; a change that fits nothing and a commit that is not there are refused."""
    clone = tmp_path / "clone"
    (clone / "tests").mkdir(parents=True)
    (clone / "tests" / "test_it.py").write_text("old = 1\n")
    git = ("git", "-c", "user.name=a", "-c", "user.email=a", "-C", str(clone))
    for step in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "it")):
        subprocess.run([*git, *step], check=True)
    made = places._extract(Source("https://example.org/some", "HEAD", ["tests"]), clone, tmp_path / "made")
    assert len(made) == 40
    assert (tmp_path / "made" / "tests" / "test_it.py").read_text() == "old = 1\n"
    suite = attrs.evolve(SUITE, changes=[Change("tests/test_it.py", "old", "new", "because")])
    places.change(suite, tmp_path / "made")
    assert (tmp_path / "made" / "tests" / "test_it.py").read_text() == "new = 1\n"
    with pytest.raises(places.Unavailable, match="does not contain 'old': correct the change"):
        places.change(suite, tmp_path / "made")
    with pytest.raises(places.Unavailable, match="has no commit gone"):
        places._extract(Source("https://example.org/some", "gone", ["tests"]), clone, tmp_path / "made")


def test_tests_that_know_nothing_of_fakecuda_have_a_machine_each(tmp_path: Path) -> None:
    """And one while they are collected; those of some classes have one machine. Every end is reported."""
    (tmp_path / "pytest.ini").touch()
    (tmp_path / "test_it.py").write_text(
        "import fakecuda, pytest\n"
        "OUTER = fakecuda.machine.install.installed()\n"
        "SEEN = []\n"
        "@pytest.mark.parametrize('number', range(2))\n"
        "def test_it(number):\n"
        "    SEEN.append(fakecuda.machine.install.installed())\n"
        "    assert OUTER is not None and len({OUTER, *SEEN}) == number + 2\n"
        "    assert len(SEEN[-1].devices) == 4\n"
        "class TestTogether:\n"
        "    machines = []\n"
        "    @pytest.mark.parametrize('number', range(2))\n"
        "    def test_it(self, number):\n"
        "        self.machines.append(fakecuda.machine.install.installed())\n"
        "        assert len({OUTER, *SEEN, *self.machines}) == 4\n"
        "def test_skipped():\n"
        "    pytest.skip('no card')\n"
        "def test_failed():\n"
        "    raise ValueError('no such thing')\n"
    )
    report = tmp_path / "report"
    options = (
        "-q",
        "-p",
        "fakecuda.plugin",
        "-p",
        "tools.clients.simulated",
        "--client-profile=h200-x4",
        "--client-together=TestTogether",
        f"--client-report={report}",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=tmp_path,
        env=_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    made = gathered([json.loads(line) for line in report.read_text().splitlines()], str(tmp_path))
    assert (made.passed, made.skipped) == (4, {"no card": 1}), done.stdout
    assert made.failed == {"test_it.py::test_failed": "ValueError: no such thing"}


def test_what_a_suite_is_known_for_is_suppressed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It fails no test, and is counted by tests; an entry that is about nothing is told."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "pytest.ini").touch()
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "@pytest.mark.parametrize('calls', range(3))\n"
        "def test_it(fakecuda, calls):\n"
        "    fakecuda.here.c.cuInit(0)\n"
        "    for _ in range(calls):\n"
        "        fakecuda.here.c.cuDeviceGetName(0, 0)\n"
    )
    other = attrs.evolve(SUPPRESSED, module="elsewhere")
    suite = attrs.evolve(SUITE, packages=["attrs"], arguments=["test_it.py"], suppressed=[SUPPRESSED, other])
    made = results.run(suite, places.Place(Path(sys.executable), tmp_path, ""), tmp_path, LONG)
    assert (made.passed, made.failed) == (3, {})
    assert made.suppressed == {SUPPRESSED.what: 2}
    assert suite.unused(made.suppressed) == [other]


def test_a_suite_whose_tests_share_a_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a module made on import is there in each test; variables and suppressions hold; a finding fails its test."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "pytest.ini").touch()
    (tmp_path / "test_it.py").write_text(
        "import ctypes, os\n"
        "cuda, context, name = ctypes.CDLL('libcuda.so.1'), ctypes.c_void_p(), ctypes.c_char()\n"
        "made = cuda.cuInit(0), cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0)\n"
        "def test_one():\n"
        "    assert (made, cuda.cuCtxSynchronize()) == ((0, 0), 0)\n"
        "    cuda.cuDeviceGetName(ctypes.byref(name), 0, 0)\n"
        "    assert ctypes.CDLL('libcudart.so.13').cudaDeviceSynchronize() == 0\n"
        "    assert os.path.exists(os.environ['LD_PRELOAD'])\n"
        "def test_two():\n"
        "    assert cuda.cuCtxDestroy_v2(context) == 0\n"
        "    assert os.path.isdir(os.environ['PLACE'] + '/attr')\n"
        "def test_three():\n"
        "    try:\n"
        "        cuda.cuEventQuery(ctypes.c_void_p(12345))\n"
        "    except BaseException:\n"
        "        pass\n"
    )
    suite = attrs.evolve(
        SUITE,
        packages=["attrs"],
        arguments=["test_it.py"],
        suppressed=[SUPPRESSED],
        environment={"PLACE": "{packages}"},
        one_machine="it keeps a context",
        linked="its libcudart",
    )
    made = results.run(suite, places.Place(Path(sys.executable), tmp_path, ""), tmp_path, LONG)
    assert (made.passed, list(made.failed)) == (2, ["test_it.py::test_three"]), (tmp_path / "some.txt").read_text()
    assert made.suppressed == {SUPPRESSED.what: 1}
    written = page.written({"some": suite}, {"some": made}, [])
    assert "`PLACE=site-packages pytest test_it.py` in `.`" in written
    assert "- One machine for all tests: it keeps a context." in written
    assert "- Linked with the machine's libraries: its libcudart." in written


@pytest.mark.parametrize(("kept", "status"), [("a", 0), ("b", 1)])
def test_the_command_fails_where_a_failure_has_no_reason(
    kept: str, status: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It writes the page all the same."""
    monkeypatch.setattr(command, "suites", lambda: {"some": SUITE})
    monkeypatch.setattr(command, "load", dict)
    monkeypatch.setattr(command, "save", lambda _: None)
    monkeypatch.setattr(command, "place", lambda *_: None)
    monkeypatch.setattr(command, "run", lambda *_: result(**{kept: "no"}))
    monkeypatch.setattr(command, "reasons", lambda: [reason("a")] if kept == "a" else [])
    monkeypatch.setattr(page, "PAGE", tmp_path / "clients.md")
    assert command.main(["some", "--kept", str(tmp_path)]) == status
    assert ("no reason: some b: no" in capsys.readouterr().out) is bool(status)
    assert "its suite" in page.PAGE.read_text()


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)}


def test_kernels_that_clients_emit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those that run, those that an instruction stops, and a file that no driver takes."""
    head = ".version 8.0\n.target sm_90\n.address_size 64\n"
    for name, body in (
        ("fine", "ret;"),
        ("pause", "elect.sync _|%p, 1;"),
        ("video", ".reg .b32 %r; vadd.s32.s32.s32 %r, %r, %r;"),
    ):
        text = f"{head}.visible .entry {name}() {{ .reg .pred %p; {body} }}"
        (tmp_path / f"{name}.ptx").write_text(text)
    (tmp_path / "wrong.ptx").write_text(".version 1")
    emitted.main([str(tmp_path)])
    first, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith("3 kernels: 2 run, ")
    assert [one.strip() for one in rest] == [
        "1 vadd.s32.s32: vadd",
        "1 the driver does not take the file",
    ]
