"""``fakecuda rules`` and ``fakecuda profiles``: what they print, and how they answer a mistake."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from fakecuda import Result, profiles
from fakecuda.__main__ import main
from fakecuda.explain.ledger import pairs
from fakecuda.explain.ledger.codes import MASKED
from fakecuda.explain.reports.text import table
from fakecuda.near import nearest
from fakecuda.prompt.evidence import answers, evidence_text, select
from fakecuda.rules.registry import DRIVER, RUNTIME, every_rule

RULES = {rule.id for rule in every_rule(DRIVER)}
FIELDS = {"function", "code", "id", "statement", "source", "grade"}


def test_rules_lists_every_rule_of_a_call(capsys: pytest.CaptureFixture[str]) -> None:
    """Each rule's code, statement and id stand there, under the call's name."""
    assert main(["rules", "cuMemUnmap"]) == 0
    out = capsys.readouterr().out
    assert "\ncuMemUnmap\n" in out
    for rule in DRIVER.ops["cuMemUnmap"].rules:
        assert rule.id in out
        assert rule.code.name in out


def test_rules_of_a_call_of_the_runtime_api(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own, and those of the driver's call beneath; of one that is not modelled it is said what it answers."""
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["rules", "cudaMalloc"]) == 0
    out = capsys.readouterr().out
    for rule in RUNTIME.ops["cudaMalloc"].rules:
        assert (rule.id in out) is (rule.id not in MASKED)
    assert "\n  cudaErrorMemoryAllocation " in out
    assert "calls: 1; documented pairs: 3 (" in " ".join(out.split())
    assert main(["rules", "cudaGreenCtxCreate"]) != 0
    assert "cudaErrorNotSupported" in capsys.readouterr().err


def test_a_breach_that_succeeds_is_undefined_behaviour(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list and a rule itself say that the call succeeds, and what it is all the same."""
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["rules", "cuMemFreeAsync"]) == 0
    lines = capsys.readouterr().out.splitlines()
    of_rule = lines[: next(number for number, line in enumerate(lines) if line.endswith("mem_free_async.MEMORY_STAYS"))]
    assert of_rule[-1].strip() == "undefined behaviour: the call succeeds, and a strict machine reports a finding"
    text = evidence_text(answers(select("pool.mem_free_async.MEMORY_STAYS"), None))
    assert "  code           undefined behaviour; with strict=False the call answers SUCCESS (0)\n" in text
    assert "  code           NOT_SUPPORTED (801)\n" in evidence_text(
        answers(select("pool.mem_free_async.MEMORY_IS_NOT_MANAGED"), None)
    )


def test_rules_of_a_call_of_hip(capsys: pytest.CaptureFixture[str]) -> None:
    """In its codes, with what is documented and answered otherwise."""
    assert main(["rules", "hipFree"]) == 0
    out = capsys.readouterr().out
    assert "hip.memory.POINTER_IS_A_BASE" in out
    assert "\n  hipErrorInvalidDevicePointer " in out
    assert main(["rules", "hipGraphCreate"]) != 0
    assert "function of HIP" in capsys.readouterr().err


def test_rules_without_a_call_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    """Every modelled call has its heading, and the last lines count the pairs."""
    assert main(["rules"]) == 0
    out = capsys.readouterr().out
    assert {line for line in out.splitlines() if line.startswith("cu")} == DRIVER.ops.keys()
    assert "documented pairs: " in " ".join(out.split())


@pytest.mark.parametrize("columns", [50, 80, 200])
def test_rules_fits_the_terminal(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No line is wider than the terminal but for ids, which stay whole; columns are aligned."""
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(["rules"]) == 0
    out = capsys.readouterr().out
    assert all(len(line) <= columns or line.strip() in {*RULES, *DRIVER.ops} for line in out.splitlines())
    assert [line for line in out.splitlines() if line.strip() in RULES]
    rows = [line for line in out.splitlines() if line.startswith("  NOT_INITIALIZED")]
    assert len({line.index(line.split()[1]) for line in rows}) == 1


def test_rules_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """The list has an entry for each rule of each call, and one for each documented code that no rule gives."""
    assert main(["rules", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert all(row.keys() >= FIELDS for row in rows)
    assert len(rows) == len(pairs())
    rules = [row["id"] for row in rows if row["function"] == "cuMemUnmap" and row["id"]]
    assert rules == [rule.id for rule in DRIVER.ops["cuMemUnmap"].rules]
    assert {row["code"] for row in rows} <= Result.__members__.keys()


def test_json_gives_the_reason_of_what_no_rule_gives(capsys: pytest.CaptureFixture[str]) -> None:
    """An unreachable pair has the key, with its reason."""
    assert main(["rules", "cuInit", "--json"]) == 0
    rows = {row["code"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["SYSTEM_DRIVER_MISMATCH"]["unreachable"]["reason"]
    assert rows["SYSTEM_DRIVER_MISMATCH"]["id"] is None
    assert "unreachable" not in rows["INVALID_VALUE"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cuMemUnmp", "did you mean: cuMemUnmap"),
        ("memunmap", "did you mean: cuMemUnmap"),
        ("cumemunmap", "did you mean: cuMemUnmap"),
        ("xyzzy", "--evidence 'xyzzy' looks for rules instead"),
        ("", "name a function"),
        ("cuTexRefCreate", "cuTexRefCreate is not modelled"),
    ],
)
def test_an_unknown_function_is_one_line(name: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The line names the nearest calls; the status is 2."""
    assert main(["rules", name]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def test_an_unknown_option_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Only ``conform`` passes options on."""
    with pytest.raises(SystemExit, match="2"):
        main(["rules", "--jsn"])
    assert "unrecognized arguments: --jsn" in capsys.readouterr().err


def test_profiles_says_where_each_comes_from(capsys: pytest.CaptureFixture[str]) -> None:
    """Each profile's name, origin and devices stand in a line, and what it is for in one or more."""
    assert main(["profiles"]) == 0
    out = capsys.readouterr().out
    lines = {line.split()[0]: line.split() for line in out.splitlines()[1:] if not line.startswith(" ")}
    assert sorted(lines) == profiles.names()
    assert {words[1] for words in lines.values()} <= {"probed", "documented"}
    assert out.splitlines()[0].split() == ["profile", "origin", "driver", "devices", "what", "for"]


def test_the_values_of_a_profile_stand_below_their_sources(capsys: pytest.CaptureFixture[str]) -> None:
    """Each once, with its grade and its document; of a name with a count those of its family."""
    assert main(["profiles", "t4"]) == 0
    out = capsys.readouterr().out
    groups = {part.splitlines()[0]: part.splitlines()[1:] for part in out.split("\n\n")}
    [traits] = [head for head in groups if "for compute capability 7.5" in head]
    assert traits.startswith("documented: ")
    assert "(https://github.com/NVIDIA/cccl/" in traits
    assert "  device.MAX_THREADS_PER_MULTIPROCESSOR = 1024" in groups[traits]
    lines = [line for lines in groups.values() for line in lines]
    assert len(lines) == len(set(lines)) == len(profiles.values("t4"))
    assert main(["profiles", "h200-x8"]) == 0
    assert "probed: what the machine answered on " in capsys.readouterr().out


def test_values_of_an_unknown_profile_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """In one line, with the known ones."""
    assert main(["profiles", "t5"]) == 2
    assert capsys.readouterr().err.startswith("fakecuda: profile 't5' is unknown; did you mean: t4")


def test_a_reader_may_leave_early() -> None:
    """``| head`` ends the program without a traceback."""
    command = f"{sys.executable} -m fakecuda rules | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)  # noqa: S602 - a pipe is the point
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1


def test_table_wraps_what_is_widest() -> None:
    """Narrow columns keep their width; lines of a cell stay apart."""
    text = table(("a", "b"), [("1", "one two three four"), "between", ("22", "x\ny")], width=12)
    assert text.splitlines() == ["a   b", "1   one two", "    three", "    four", "between", "22  x", "    y"]


def test_table_of_nothing_has_its_head() -> None:
    """Without rows the titles stand alone."""
    assert table(("a", "b"), []) == "a  b"


def test_nearest_lists_all_where_none_is_near() -> None:
    """Somebody who guesses sees what there is."""
    assert nearest("qqq", ["devices", "peers"], "table") == "'qqq' is not a table; one of: devices, peers"
    many = [f"name{number}" for number in range(51)]
    assert nearest("qqq", many, "table") == "'qqq' is not a table; there are 51, such as name0"


def test_rules_of_a_call_of_nvml(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its codes have NVML's names; of one that is not modelled it is said what it answers."""
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["rules", "nvmlDeviceGetMemoryInfo_v2"]) == 0
    out = capsys.readouterr().out
    assert "NVML_ERROR_FUNCTION_NOT_FOUND" in out
    assert "nvml.memory.STRUCT_IS_THE_SECOND" in out
    assert main(["rules", "nvmlDeviceGetPgpuMetadataString"]) == 2
    assert capsys.readouterr().err.endswith("is not modelled: it answers NVML_ERROR_NOT_SUPPORTED\n")


def test_the_id_of_a_rule_is_taken_as_failures_print_it(capsys: pytest.CaptureFixture[str]) -> None:
    """What stands behind it is told, as by --evidence."""
    assert main(["rules", "nvml.rights.USER_IS_ROOT"]) == 0
    told = capsys.readouterr().out
    assert main(["rules", "--evidence", "nvml.rights.USER_IS_ROOT"]) == 0
    assert capsys.readouterr().out == told


def test_rules_of_a_call_say_where_its_operation_is(capsys: pytest.CaptureFixture[str]) -> None:
    """File and line below the call's name; a list of all calls goes without."""
    assert main(["rules", "cuMemMap"]) == 0
    assert "\ncuMemMap\n  fakecuda/rules/driver/va/mem_map.py:" in capsys.readouterr().out
    assert main(["rules"]) == 0
    assert ".py:" not in capsys.readouterr().out
