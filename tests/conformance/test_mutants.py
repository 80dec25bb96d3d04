"""Mutation testing of the rules: what mutants do, what kills them, what is said of survivors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import fakecuda
from conformance.cases.driver.core.test_initialized import entry_of
from conformance.mutate.mutants import main, report
from conformance.mutate.mutation import KINDS, MUTATED, Mutant, MutationError, every_mutant, follow, install, mutants
from conformance.mutate.survivors import load
from fakecuda.explain.evidence import EvidenceError, path_of
from fakecuda.rules.core import Broken, Rule, observed
from fakecuda.rules.dispatch import Op
from fakecuda.rules.driver.va.properties import properties
from fakecuda.rules.registry import DRIVER, OPS, api_of, chapter
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.long("the mutants are a part of .ci/long")

REPOSITORY = Path(__file__).parents[2]
FREE = "conformance/cases/driver/memory/test_mem_free.py"
RANGE = "conformance/cases/driver/copy/test_range.py"
RECORDED = "conformance/record/test_recordings.py::test_recorded[h200-x2/cases]"
BASE = Mutant("cuMemFree", "memory.mem_free.POINTER_IS_A_BASE", "code")
IDLE = Rule("nobody raises it", Result.INVALID_VALUE, observed("cuInit", "nothing"), fix="do nothing")


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    """Take mutants out again."""
    kept = {op: op.invoke for op in MUTATED.values()}
    yield
    for op, invoke in kept.items():
        op.invoke = invoke


def hunt(*arguments: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, after some statements."""
    text = (
        f"import sys\nfrom conformance.mutate import mutants, survivors\n{before}\nsys.exit(mutants.main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", text, "--jobs", "2", *arguments]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)


def numbers(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the last line of the table: all, cases, recordings, crashed, hung, survived, explained."""
    return next(line for line in done.stdout.splitlines() if line.startswith("all ")).split()[1:]


def of(call: str) -> dict[str, list[str]]:
    """Return the kinds of a call's mutants by the rule's constant."""
    found: dict[str, list[str]] = {}
    for mutant in every_mutant():
        if mutant.call == call:
            found.setdefault(mutant.rule.rpartition(".")[2], []).append(mutant.kind)
    return found


def test_every_rule_has_mutants() -> None:
    """A rule is dropped and has another code where it is raised, and is left unreported where it is a finding.

    Those of the driver API have mutants in its own calls alone.
    """
    own = {(op.name, rule.id) for op in MUTATED.values() for rule in api_of(op.name).of_rules(op)}
    assert {(one.call, one.rule) for one in every_mutant()} == own
    assert {(op.name, rule.id) for op in DRIVER.ops.values() for rule in op.rules} <= own
    assert of("cudaGetLastError")["NO_CALL_HAS_FAILED"] == ["dropped"]
    assert of("hipMemMap")["RANGE_IS_FREE"] == ["dropped", "code"]
    assert of("cuMemFree")["NO_IMPORTER_IS_OPEN"] == ["unreported"]
    assert of("cuMemMap")["HANDLE_IS_HELD"] == list(KINDS)
    assert of("cuMemMap")["RANGE_IS_RESERVED"] == ["dropped", "code"]


def test_a_rule_that_nothing_breaks_is_told() -> None:
    """An operation that names a rule and does not raise it cannot be mutated; the message says what to write."""

    def function(_: object) -> None:
        assert IDLE

    with pytest.raises(MutationError, match=r"IDLE and never breaks it: write raise IDLE\.broken\(…\) or"):
        list(mutants(Op("cuInit", DRIVER, function)))


def test_a_guard_s_rule_is_dropped_for_one_operation() -> None:
    """Operations that share the guard go on checking."""
    install(Mutant("cuDeviceGetCount", "core.initialized.DRIVER_IS_INITIALIZED", "dropped"))
    with fakecuda.Machine("h200-x2") as machine:
        c = machine.spawn().c
        assert c.cuDeviceGetCount() == (Result.SUCCESS, 2)
        assert c.cuDeviceGet(0) == (Result.NOT_INITIALIZED, None)
        assert c.cuDeviceGetCount() == (Result.SUCCESS, 2)


def test_another_code_is_one_operation_s_too() -> None:
    """The rule that the call names is the same."""
    install(Mutant("cuDeviceGetCount", "core.initialized.DRIVER_IS_INITIALIZED", "code"))
    with fakecuda.Machine("h200-x2") as machine:
        c = machine.spawn().c
        assert c.cuDeviceGetCount() == (Result.INVALID_VALUE, None)
        assert machine.log[-1].rule is next(
            one for one in DRIVER.ops["cuDeviceGet"].rules if one.code == Result.NOT_INITIALIZED
        )
        assert c.cuDeviceGet(0) == (Result.NOT_INITIALIZED, None)


def test_a_function_keeps_what_is_around_it() -> None:
    """An operation that is made by a function, and one that hands a code to the runtime's table, have mutants, too."""
    install(Mutant("hipCtxSynchronize", "hip.context.CALL_IS_IMPLEMENTED", "dropped"))
    install(Mutant("hipMemAddressReserve", "hip.va.SIZE_IS_ALIGNED", "dropped"))
    with fakecuda.Machine("hip-clr-2026") as machine:
        c = machine.spawn().c
        assert c.hipCtxSynchronize() == (Result.SUCCESS,)
        assert c.hipCtxGetFlags()[0] == Result.NOT_SUPPORTED
        assert c.hipMemAddressReserve(1, 0, 0, 0)[0] == Result.SUCCESS


def test_what_a_mutant_leaves_in_a_cache_is_dropped() -> None:
    """A guard with a cache would hand other operations what it let pass."""
    wrong = (2, 0, (1, 0), 0, (0, 0, 0))
    install(Mutant("cuMemCreate", "va.properties.TYPE_IS_PINNED", "dropped"))
    with fakecuda.Machine("h200-x2") as machine:
        c = machine.spawn().c
        c.cuInit(0)
        assert c.cuMemCreate(2 << 20, wrong, 0)[0] == Result.SUCCESS
    with pytest.raises(Broken):
        properties(wrong)


def test_a_finding_is_left_unreported() -> None:
    """A strict machine then goes on as a permissive one does."""
    install(Mutant("cuGetErrorName", "core.get_error_name.STRING_IS_GIVEN", "unreported"))
    with fakecuda.Machine("h200-x2") as machine:
        c = machine.spawn().c
        assert c.cuGetErrorName(1, null="pStr") == (Result.INVALID_VALUE, None)
        with pytest.raises(fakecuda.UndefinedBehaviour):
            c.cuGetErrorString(1, null="pStr")


def test_cases_follow_the_constant() -> None:
    """As they do when somebody edits it; a code that the case gives itself is an expectation of its own."""
    code = Mutant("cuGetErrorName", "core.get_error_name.CODE_IS_KNOWN", "code")
    cases = {case.name: case for case in entry_of("cuGetErrorName").singles()}
    followed = follow(cases["CODE_IS_KNOWN"], code)
    assert (cases["CODE_IS_KNOWN"].code, followed.code) == (Result.INVALID_VALUE, Result.DEINITIALIZED)
    assert followed.rule is cases["CODE_IS_KNOWN"].rule
    given = Mutant("cuGetErrorName", "core.get_error_name.STRING_IS_GIVEN", "code")
    for name, mutant in (("STRING_IS_GIVEN", given), ("CODE_IS_KNOWN", given), ("valid", code)):
        assert follow(cases[name], mutant) == cases[name]
    other = next(case for case in entry_of("cuGetErrorString").singles() if case.name == "CODE_IS_KNOWN")
    assert follow(other, code) == other


def test_recordings_kill_what_cases_follow() -> None:
    """All are killed: a guard's rule by its case, another code by the recording, a finding by the strict case."""
    done = hunt("--only", "cuMemFree", FREE, RECORDED, "conformance/cases/driver/core/test_initialized.py", RANGE)
    assert (done.returncode, done.stdout.count("survived:")) == (0, 0), done.stdout + done.stderr
    count, cases, recordings, *_, survived, _ = numbers(done)
    assert (int(count), survived) == (sum(mutant.call == "cuMemFree" for mutant in every_mutant()), "0")
    assert int(cases) > int(recordings) > 0
    assert done.stderr.splitlines()[-1].startswith(f"{count}/{count}  0 survived  0:0")


def test_a_survivor_fails_the_run_unless_it_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without the recording nothing tells of the changed code."""
    done = hunt("--only", BASE.rule, FREE)
    assert done.returncode == 1, done.stderr
    assert numbers(done) == ["2", "1", "0", "0", "0", "1", "(0)"]
    assert f"survived: {BASE}; add a case" in done.stdout
    assert report({BASE: "survived"}, {BASE: "why"}) == 0
    assert capsys.readouterr().out.splitlines()[-1].split()[-2:] == ["1", "(1)"]
    explain = f"from pathlib import Path; survivors.load.__defaults__ = (Path({str(entry(tmp_path))!r}),)"
    done = hunt("--only", BASE.rule, FREE, RECORDED, before=explain)
    assert done.returncode == 1
    assert (
        f"stale: {BASE} was killed (recordings); take it out of fakecuda/explain/evidence/driver/memory.toml"
        in done.stdout
    )


def test_exceptions_and_endless_tests_kill(tmp_path: Path) -> None:
    """A mutant may do anything: it runs in a process of its own, for so long and with so much memory."""
    suite = tmp_path / "test_wild.py"
    suite.write_text("""
import os, signal, fakecuda, pytest

@pytest.mark.parametrize(
    ("call", "end"),
    [
        ("cuDeviceGetCount", lambda: [signal.pause() for _ in iter(int, 1)]),
        ("cuCtxGetCurrent", lambda: os.kill(os.getpid(), signal.SIGSEGV)),
        ("cuCtxGetDevice", lambda: bytearray(8 << 30)),
        ("cuCtxGetFlags", lambda: 1 // 0),
        ("cuCtxSynchronize", lambda: None),
    ],
)
def test_wild(call, end):
    with fakecuda.Machine("h200-x2") as machine:
        if getattr(machine.spawn().c, call)()[0] != 3:
            end()
""")
    done = hunt("--only", "core.initialized.DRIVER_IS_INITIALIZED", str(suite), before="mutants.LIMIT = 2.0")
    _, cases, recordings, crashed, hung, *_ = numbers(done)
    assert (cases, recordings, crashed, hung) == ("0", "0", "6", "2"), done.stdout + done.stderr
    assert "survived: cuCtxSynchronize" in done.stdout


def test_the_suite_must_pass_without_mutants(tmp_path: Path) -> None:
    """A failure of its own would kill every mutant."""
    suite = tmp_path / "test_wrong.py"
    suite.write_text("def test_wrong():\n    assert 1 + 1 == 3\n")
    done = hunt("--only", "cuInit", str(suite))
    assert done.returncode == 2
    assert "assert 1 + 1 == 3" in done.stderr
    assert "without mutants the suite must pass" in done.stderr


def test_mistakes_in_the_use_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """A pattern that matches nothing is no success; the list shows what there is."""
    assert main(["--only", "cuNothing"]) == 2
    assert capsys.readouterr().err == "mutants: 'cuNothing' matches no call and no rule\n"
    assert main(["--only", "memory.mem_free.*", "--list"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["cuMemFree", BASE.rule, "dropped"]


def entry(folder: Path, **changes: str) -> Path:
    """Write an explanation of one mutant, with changes; return the folder of evidence."""
    keys = {"call": BASE.call, "rule": BASE.rule, "kind": BASE.kind, "reason": "why", **changes}
    lines = [f'{key} = "{value}"' for key, value in keys.items() if value != "-"]
    path = path_of(chapter(OPS[BASE.call].module), folder)
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(["[[survivor]]", *lines, ""]))
    return folder


def test_explanations_are_read(tmp_path: Path) -> None:
    """By the mutant; those of the suite itself name mutants that there are."""
    assert load(every_mutant(), entry(tmp_path)) == {BASE: "why"}
    assert set(load(every_mutant())) <= set(every_mutant())
    assert load(every_mutant(), tmp_path / "none") == {}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"kind": "gone"}, "kind is 'gone', not dropped or unreported or code"),
        ({"kind": "unreported"}, "no such mutant; there are dropped, code"),
        ({"rule": "va.mem_map.NO"}, "no such mutant; there are none"),
    ],
)
def test_explanations_are_checked(tmp_path: Path, changes: dict[str, str], told: str) -> None:
    """The message names the entry and the fix."""
    with pytest.raises(EvidenceError, match=rf"memory\.toml, \[\[survivor\]\] 1: .*{told}"):
        load(every_mutant(), entry(tmp_path, **changes))


def test_a_second_explanation_is_told(tmp_path: Path) -> None:
    """One of them is to be dropped."""
    path = path_of("memory", entry(tmp_path))
    path.write_text(path.read_text() * 2)
    with pytest.raises(EvidenceError, match=r"survivor\]\] 2: .*: a second entry: drop one"):
        load(every_mutant(), tmp_path)
