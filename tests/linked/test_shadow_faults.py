"""Faults beside a driver: which calls are refused, what the report says, and what is wrong with a fault."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from conformance.record.faults import faults_of
from fakecuda.__main__ import main
from fakecuda.errors import FakeCudaError
from fakecuda.reach.shadow.build import PROCESSOR

from .shadow import on, recorded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fakecuda import Machine

pytestmark = pytest.mark.skipif(os.uname().machine != PROCESSOR, reason=f"programs are recorded on {PROCESSOR}")

TAKEN = "0 " * 10
CODES = {
    "cuMemAlloc": "2 " + "0 " * 9,
    "cuMemAlloc nth=3": "0 0 2 " + "0 " * 7,
    "cuMemAlloc_v2, nth=3, times=2, code='INVALID_VALUE'": "0 0 1 1 " + "0 " * 6,
    "cuMemAlloc nth=9 times=None": "0 " * 8 + "2 2 ",
    "cuMemAlloc nth=11": TAKEN,
    "cuMemFree code=INVALID_VALUE nth=11": TAKEN,
    "cuMemAlloc times=None chance=50% seed=7": "2 2 0 0 2 2 2 2 2 2 ",
    "cuMemAlloc times=2 chance=0.5 seed=8": "0 0 0 0 2 2 0 0 0 0 ",
}
"""Faults, and the codes of ten allocations."""


@pytest.mark.parametrize("fault", CODES)
def test_which_calls_are_refused(machine: Machine, compile_program: Callable[..., Path], fault: str) -> None:
    """Exported functions and those that cuGetProcAddress finds count together."""
    program = compile_program("shadow", "libcuda.so", options=("-ldl",))
    assert _printed(machine, [str(program), "allocate"], [fault]) == CODES[fault]


def test_the_first_fault_answers(machine: Machine, compile_program: Callable[..., Path]) -> None:
    """Both count the call, and both count it as refused."""
    program = compile_program("shadow", "libcuda.so", options=("-ldl",))
    both = ["cuMemAlloc nth=2 times=2 code=INVALID_VALUE", "cuMemAlloc nth=3 times=2"]
    assert _printed(machine, [str(program), "allocate"], both) == "0 1 1 2 " + "0 " * 6


def _printed(machine: Machine, command: list[str], faults: list[str]) -> str:
    did, *_ = recorded(command, *on(machine), faults=faults_of(faults))
    assert (did.status, did.said) == (0, "")
    return did.out


def test_the_report_tells_what_was_refused(
    machine: Machine,
    compile_program: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A refused call did not reach the driver, so no answer differs. A fault that refused no call has the status 1."""
    program = compile_program("shadow", "libcuda.so", options=("-ldl",))
    library, environ = on(machine)
    for name, value in {**environ, "LD_LIBRARY_PATH": str(library.parent)}.items():
        monkeypatch.setenv(name, value)
    command = ["check", "--real", "--profile", "h200-x2", "--fail", "cuMemAlloc nth=2 times=3"]
    assert main([*command, "--", str(program), "allocate"]) == 0
    out, said = capfd.readouterr()
    assert out == "0 2 2 2 " + "0 " * 6
    assert "without 3 calls that faults refused: cuMemAlloc_v2 3\n" in said
    assert "fakecuda: fail('cuMemAlloc', nth=2, code='OUT_OF_MEMORY', times=3) refused 3 of 10 calls\n" in said
    assert " 0 findings, 0 of " in said
    assert main([*command, "--fail", "cuMemCreate", "--", str(program), "allocate"]) == 1
    told = "fakecuda: fail('cuMemCreate', code='OUT_OF_MEMORY') made no call fail: there were 0 such calls\n"
    assert told in capfd.readouterr().err


WRONG = {
    "cuMemAlok": "'cuMemAlok' is not a function of the driver API; did you mean: cuMemAlloc",
    "cudaMalloc": "--fail 'cudaMalloc': beside a real driver only functions of the driver API fail; cudaMalloc may make ",
    "nvmlInit_v2": "--fail 'nvmlInit_v2': beside a real driver only functions of the driver API fail",
    "cuMemAlloc 3": "--fail 'cuMemAlloc 3': '3' is not an option; one of: nth",
    "cuMemAlloc nth=0": "--fail 'cuMemAlloc nth=0': nth=0: use a number from 1 on",
    "cuMemAlloc times=all": "--fail 'cuMemAlloc times=all': times=all: use a number from 1 on, or None",
    "cuMemAlloc chance=0": "--fail 'cuMemAlloc chance=0': chance=0: use a share of the calls, such as 0.05 or 5%",
    "cuMemAlloc seed=-1": "--fail 'cuMemAlloc seed=-1': seed=-1: use a number from 0 on",
    "cuMemAlloc code=SUCCESS": "SUCCESS is not a failure",
    "cuMemAlloc code=ILLEGAL_ADDRESS": "--fail 'cuMemAlloc code=ILLEGAL_ADDRESS': cuMemAlloc does not answer ILLEGAL_ADDRESS without an effect: use code=",
    "cuMemFree": "--fail 'cuMemFree': cuMemFree does not answer OUT_OF_MEMORY without an effect: use code= and one of ",
    "cuMemAlloc code=NO_SUCH": "'NO_SUCH' is not a code of the driver API",
}
"""Wrong faults, and parts of the error."""


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_fault_is_refused(fault: str) -> None:
    """The error says what is allowed."""
    with pytest.raises(FakeCudaError) as error:
        faults_of([fault])
    assert WRONG[fault] in str(error.value)


def test_the_environment_has_faults_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of ``pytest --fakecuda=shadow``, which takes no --fail."""
    monkeypatch.setenv("FAKECUDA_FAIL", "cuMemCreate nth=3; cuMemAlloc chance=5% seed=1;")
    named = [(one.call, one.nth, one.chance, one.seed) for one in faults_of(["cuMemFree code=INVALID_VALUE"])]
    assert named == [("cuMemCreate", 3, 1.0, 0), ("cuMemAlloc", 1, 0.05, 1), ("cuMemFree", 1, 1.0, 0)]


def test_a_run_has_a_limited_number_of_faults() -> None:
    """The ring has a place for each."""
    assert len(faults_of(["cuMemAlloc"] * 32)) == 32
    with pytest.raises(FakeCudaError, match="--fail is given 33 times, and 32 are the limit"):
        faults_of(["cuMemAlloc"] * 33)


@pytest.mark.parametrize("option", [["--fail", "cuMemAlloc"], ["--sweep"]])
def test_a_recording_has_no_faults(capsys: pytest.CaptureFixture[str], option: list[str]) -> None:
    """A recorded program is not run again."""
    assert main(["check", *option, "a.jsonl"]) == 2
    assert capsys.readouterr().err == "fakecuda: --fail and --sweep need --real: a recording is not run again\n"
