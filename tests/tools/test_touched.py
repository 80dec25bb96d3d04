"""What a call or a file touches is found and run, and every failure is reported at once, with its command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.record.recordings import read
from tools.codegen.steps import Step
from tools.touched import __main__ as command
from tools.touched import gates, parts, recorded, what
from tools.touched.affected import affected
from tools.touched.parts import Chosen, Failure, Part
from tools.touched.what import ROOT, Touched, UnknownTargetError, touched

UNMAP = "fakecuda/rules/driver/va/mem_unmap.py"
CASES = "conformance/cases/driver/va/test_mem_unmap.py"


def test_a_call_touches_its_operation_and_its_cases() -> None:
    """They stand at the same path; its chapter's evidence and page are touched, too."""
    assert touched(["cuMemUnmap"]) == Touched({"cuMemUnmap"}, {UNMAP, CASES}, {"driver/va"})


@pytest.mark.parametrize(
    ("file", "calls", "chapters", "tests"),
    [
        (UNMAP, {"cuMemUnmap"}, {"driver/va"}, set()),
        (CASES, {"cuMemUnmap"}, set(), {CASES}),
        ("fakecuda/explain/evidence/driver/va.toml", set(), {"driver/va"}, set()),
        ("docs/rules/driver/va.md", set(), {"driver/va"}, set()),
        ("fakecuda/model/memory/va.py", set(), set(), {"tests/model/test_va.py"}),
        ("fakecuda/reach/native/elf.py", set(), set(), {"tests/native/test_elf.py"}),
        ("fakecuda/reach/remote/protocol/frames.py", set(), set(), {"tests/remote/test_frames.py"}),
        ("fakecuda/explain/html/markup.py", set(), set(), {"tests/html/test_markup.py"}),
        ("tools/touched/what.py", set(), set(), {"tests/tools/test_touched.py"}),
        (".ci/run", set(), set(), {"tests/packaging/test_ci_run.py"}),
        ("tests/model/test_va.py", set(), set(), {"tests/model/test_va.py"}),
        ("docs/races.md", set(), set(), {"tests/docs/test_named.py", "tests/docs/test_pages.py"}),
    ],
)
def test_a_file_touches_what_mirrors_it(file: str, calls: set[str], chapters: set[str], tests: set[str]) -> None:
    """By its path."""
    found = touched([file])
    assert (found.calls, found.chapters, found.tests) == (calls, chapters, tests)
    assert file in found.files


def test_a_file_of_rules_of_nvml_has_tests() -> None:
    """NVML has no cases."""
    found = touched(["nvmlSystemGetDriverBranch"])
    assert found.chapters == {"nvml/system"}
    assert "tests/nvml/test_rules.py" in found.tests


def test_what_is_neither_a_call_nor_a_file_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """With the calls that are called alike."""
    with pytest.raises(
        UnknownTargetError, match=r"cuMemUnmapp is neither a modelled call nor a file of .*; did you mean: cuMemUnmap"
    ):
        touched(["cuMemUnmapp"])
    assert command.main(["cuMemUnmapp"]) == 2
    assert "touched: cuMemUnmapp is neither" in capsys.readouterr().err


def test_files_that_git_knows_to_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Committed on the branch, changed, deleted or new; ignored ones are left out."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    monkeypatch.setattr(what, "ROOT", tmp_path)

    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True)  # noqa: S607 - the one on PATH

    git("init", "-q", "-b", "main")
    (tmp_path / ".gitignore").write_text("ignored\n")
    for name in ("kept", "changed", "deleted"):
        (tmp_path / name).write_text(name)
    git("add", ".")
    git("commit", "-q", "-m", "x")
    git("checkout", "-q", "-b", "branch")
    (tmp_path / "committed").write_text("x")
    git("add", ".")
    git("commit", "-q", "-m", "x")
    (tmp_path / "changed").write_text("x")
    (tmp_path / "deleted").unlink()
    for name in ("ignored", "new"):
        (tmp_path / name).write_text("x")
    assert what.changed() == ["changed", "committed", "deleted", "new"]
    assert what.changed("HEAD") == ["changed", "deleted", "new"]
    with pytest.raises(UnknownTargetError, match=r"git diff .* nothing -- failed: "):
        what.changed("nothing")


def test_who_is_affected_by_a_guard() -> None:
    """The calls whose operations reach it, through other guards too, and the modules that import it."""
    found = affected(["fakecuda/rules/driver/va/mapped.py"])
    assert found.calls == {"cuMemSetAccess", "cuMemUnmap"}
    assert found.guards["fakecuda.rules.driver.va.mapped.filled"] == ["cuMemSetAccess"]
    assert "fakecuda/rules/driver/va/mem_unmap.py" in found.modules["fakecuda/rules/driver/va/mapped.py"]


def test_who_is_affected_by_a_file_of_the_model() -> None:
    """The calls whose operations or guards stand in a module that imports it."""
    found = affected(["fakecuda/model/memory/mapping.py"])
    assert {"cuMemMap", "cuMemUnmap"} <= found.calls
    assert UNMAP in found.modules["fakecuda/model/memory/mapping.py"]
    assert affected(["README.md"]).calls == set()


def test_recordings_that_hold_a_call() -> None:
    """Those named after it first, then the shortest; no other."""
    found, more = recorded.holding({"cuMemUnmap"}, most=30)
    lines = [read(path).programs.line(number) for path, number in found]
    assert all('"call":"cuMemUnmap"' in line for line in lines)
    own = [line.startswith('{"name":"cuMemUnmap/') for line in lines]
    assert own == sorted(own, reverse=True)
    assert own.count(True) > 10
    assert more > 1000


def test_a_recording_that_differs_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the first differences; many are counted."""

    def check(*_: object) -> None:
        msg = 'step 3: wrong\n\n"""cuMemUnmap/case/0: recorded calls."""\n'
        raise AssertionError(msg)

    monkeypatch.setattr(recorded, "check", check)
    told = recorded.run({"calls": ["cuMemUnmap"], "most": 8})
    assert [one["text"] for one in told["failures"]] == ["step 3: wrong"] * 5 + ["3 more recorded programs differ"]
    assert told["failures"][0]["command"] == f"python -m fakecuda conform '{told['failures'][0]['name']}'"
    assert (told["count"], told["more"] > 0) == (8, True)


def test_gates_leave_out_what_is_about_others(tmp_path: Path) -> None:
    """Parameters that name another call, rule, file or page; a parameter that names none runs."""
    gate = gates.Gate({"cuMemUnmap"}, {"cuMemUnmap", "cuMemMap"}, {"test_gate.py"})
    (tmp_path / "test_gate.py").write_text(
        "import pytest\n\n"
        "@pytest.mark.parametrize('name', ['cuMemUnmap', 'cuMemMap', 'other'])\n"
        "def test_one(name):\n    assert name == 'x'\n\n"
        "def test_all():\n    pass\n"
    )
    pytest.main(
        [*gates.QUIET, "-pno:randomly", f"--rootdir={tmp_path}", f"-c{os.devnull}", str(tmp_path)], plugins=[gate]
    )
    assert [one["name"] for one in gate.failures] == [
        "test_gate.py::test_one[cuMemUnmap]",
        "test_gate.py::test_one[other]",
    ]
    assert gate.failures[0]["command"] == "python -m pytest 'test_gate.py::test_one[cuMemUnmap]'"
    assert "AssertionError: assert 'cuMemUnmap' == 'x'" in gate.failures[0]["text"]
    assert gate.count == 3


def test_a_page_that_differs_is_a_short_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that writes it, and not all of its characters."""
    page = ROOT / "docs/rules/driver/va.md"
    monkeypatch.setattr(Step, "differing", lambda _: {page: page.read_text().replace("Fix:", "Repair:")})
    [failure] = gates.differences("pages")
    assert failure["name"] == "docs/rules/driver/va.md"
    assert failure["command"] == "python -m tools.codegen pages"
    lines = failure["text"].splitlines()
    assert len(lines) == gates.LINES + 1
    assert lines[0] == "--- committed"
    assert lines[-1].endswith("more lines")


def test_a_generator_that_fails_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the end of its traceback."""
    monkeypatch.setattr(Step, "differing", lambda _: 1 / 0)
    [failure] = gates.differences("pages")
    assert failure["text"].endswith("ZeroDivisionError: division by zero")


def completed(status: int, text: str = "") -> subprocess.CompletedProcess[str]:
    """Return what a process came to."""
    return subprocess.CompletedProcess([], status, text, "")


def test_every_part_reports_its_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that fails does not keep the others from running; a rule without a case is named."""

    def ran(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        if module == "fakecuda":
            failed = {f"x.py::test_recorded[a][{number}]": "differs" for number in range(6)}
            failed["x.py::test_mem_unmap[valid]"] = 'wrong answer\n\n"""a program"""'
            told = {"failed": failed, "chapters": {"va": {"cases": 7}}, "not shown": ["cuMemUnmap never broke va.x.Y"]}
            Path(arguments[-1]).write_text(json.dumps(told))
        elif module == "tools.touched.mutants":
            Path(arguments[1]).write_text(
                json.dumps({"failures": [{"name": "a", "text": "b", "command": "c"}], "count": 3})
            )
        elif module == "tools.touched.recorded":
            return completed(1, "Traceback\nImportError: x")
        elif module == "tools.touched.gates":
            Path(arguments[1]).write_text(json.dumps({"failures": [], "count": 5}))
        return completed(int(module in {"ruff", "mypy"} and "format" not in arguments), "wrong style")

    monkeypatch.setattr(parts, "_ran", ran)
    found = {part.name: part for part in parts.run(Chosen(touched(["cuMemUnmap"]), mutants=True))}
    assert set(found) == {"gates and tests", "recordings", "cases", "mypy", "ruff", "mutants"}
    assert found["recordings"].failures[0].text == "it ended with status 1:\nTraceback\nImportError: x"
    names = [one.name for one in found["cases"].failures]
    assert names == [
        *(f"test_recorded[a][{number}]" for number in range(4)),
        "test_mem_unmap[valid]",
        "recordings",
        "cuMemUnmap lacks a case",
    ]
    assert found["cases"].failures[4].text == "wrong answer"
    assert found["cases"].failures[5].text == "2 more recorded programs of these calls differ"
    assert [one.name for one in found["ruff"].failures] == ["ruff check"]
    assert found["mypy"].failures[0].command == f"mypy {CASES} {UNMAP}"
    assert found["mutants"].failures == [Failure("a", "b", "c")]


def test_a_file_without_rules_passes_no_gates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tests run, and no cases."""
    asked = []

    def ran(module: str, *_: str) -> subprocess.CompletedProcess[str]:
        asked.append(module)
        return completed(0)

    monkeypatch.setattr(parts, "_ran", ran)
    parts.run(Chosen(touched(["tools/touched/what.py"]), jobs=1))
    assert asked == ["tools.touched.gates", "mypy", "ruff", "ruff"]


def test_all_failures_are_printed_with_their_commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Numbered, and counted at the end; the status says whether there are some."""
    failed = Part("cases", "7 checks", [Failure("one", "why\nso", "fix one"), Failure("two", "why", "fix two")])
    monkeypatch.setattr(command, "run", lambda _: [failed, Part("ruff", "2 files")])
    assert command.main(["fakecuda/rules/driver/va/mapped.py"]) == 1
    out = capsys.readouterr().out
    assert "\n1. one\n   why\n   so\n   $ fix one\n\n2. two\n   why\n   $ fix two\n\n" in out
    assert "cases: 7 checks; 2 failed\nruff: 2 files; nothing failed\n2 failures; " in out
    assert "affected calls: cuMemSetAccess, cuMemUnmap\n" in out
    assert command.main(["-n", "cuMemUnmap"]) == 0
    monkeypatch.setattr(command, "changed", lambda _: [])
    assert command.main([]) == 0
    assert "touched: no file differs from main" in capsys.readouterr().out
    monkeypatch.setattr(command, "changed", lambda _: ["docs/races.md"] * 41)
    assert [command.main(["-n", *base]) for base in ([], ["--base", "HEAD"])] == [0, 0]
    assert capsys.readouterr().out.count("--base HEAD checks the uncommitted ones alone") == 1


PLANTED = {
    "fakecuda/rules/driver/va/mapped.py": (
        'lies wholly in those bytes",\n    Result.INVALID_VALUE',
        'lies wholly in those bytes",\n    Result.INVALID_HANDLE',
    ),
    UNMAP: (
        "    process = supported(call)\n    mappings = mappings_of(call, ptr, size)\n",
        "    mappings = mappings_of(call, ptr, size)\n    process = supported(call)\n",
    ),
    CASES: ('@entry.undefined("MEMORY_IS_AT_REST", code=Result.SUCCESS)\n', ""),
    "docs/rules/driver/va.md": ("**MAPPINGS_ARE_WHOLE**", "**MAPINGS_ARE_WHOLE**"),
}
"""Planted errors: a wrong code, a wrong order, a missing case, a stale page."""


@pytest.mark.long("it runs everything that a call touches in a copy of the tree")
def test_planted_mistakes_are_reported_by_name_in_one_run(tmp_path: Path) -> None:
    """Each with its command."""
    for name in ("conformance", "docs", "fakecuda", "realcuda", "tests", "tools"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*-pytest-*"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for file, (right, wrong) in PLANTED.items():
        text = (tmp_path / file).read_text()
        assert text.count(right) == 1
        (tmp_path / file).write_text(text.replace(right, wrong))
    ran = subprocess.run(
        [sys.executable, "-m", "tools.touched", "cuMemUnmap", *PLANTED],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1, ran.stderr
    for text in (
        "va.mapped.MAPPINGS_ARE_WHOLE: the manual does not name INVALID_HANDLE for cuMemUnmap",
        "cuMemUnmap[MAPPINGS_ARE_WHOLE]]: INVALID_HANDLE instead of INVALID_VALUE",
        "INVALID_VALUE instead of NOT_INITIALIZED",
        "no case of the call breaks the rule: cuMemUnmap never broke stream.order.MEMORY_IS_AT_REST",
        "docs/rules/driver/va.md\n   --- committed\n   +++ generated\n",
        "$ python -m tools.codegen pages",
        "$ python -m fakecuda conform 'test_recorded[",
    ):
        assert text in ran.stdout
