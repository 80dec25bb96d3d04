"""Statements of ROCm/hip-tests: each names its cases, and the accepted codes.

``expectations.json`` holds the statements as they were gathered. Of AMD's runtime a statement is shown by cases of HIP, on both of
its years; of NVIDIA's by a recorded answer of a card, or by cases of the CUDA runtime. The cases themselves run in their modules.
"""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conformance.cases.hip.fixtures import NEW, OLD
from conformance.kit.case import ENTRIES
from conformance.record.recorder import load_cases
from conformance.record.recordings import ROOT, files, read
from fakecuda.profiles import load
from fakecuda.rules.driver.core.init import DEVICE_IS_THERE
from fakecuda.rules.registry import HIP, RUNTIME, api_of
from fakecuda.spec import hip, runtime

if TYPE_CHECKING:
    from conformance.kit.case import Case

    Statement = dict[str, Any]

HERE = Path(__file__).parent
CODES = dict(hip.ENUMS["hipError_t"]) | {"hipErrorInvalidResourceHandle": 400, "hipErrorMemoryAllocation": 2}
CHANGED = {
    "hipFreeAsync_Negative_Parameters@60": NEW,
    "hipFreeAsync_Negative_Parameters/1": OLD,
    "hipMemCreate_Negative@435": NEW,
    "hipMemCreate_Negative@442": NEW,
    "hipMemCreate_Negative/1": OLD,
    "hipMemCreate_Uncached/1": OLD,
    "hipMemSetAccess_negative/1": OLD,
    "hipMemUnmap_negative/1": OLD,
    "hipPointerGetAttribute_Negative@326": NEW,
    "hipPointerGetAttribute_Negative@335": NEW,
    "hipPointerGetAttributes_Negative@393": NEW,
}
"""Statements that hold in one release only, with the other release."""
UNSHOWN = 110
"""The number of statements on NVIDIA without a case or a card's answer."""
REFUSED = {
    "hipDeviceGetByPCIBusId_NegativeInputString@109",
    "hipDeviceGetPCIBusId_NegTst@152",
    "hipEventCreate_NullCheck@53",
    "hipEventSynchronize_NullCheck@147",
    "hipGetDeviceCount_NegTst@45",
    "hipMemcpyPeerAsync_Negative@35",
}
"""Statements of tests that succeed if each call fails with any code."""
OTHERWISE = {
    "hipHostUnregister_Ptr_Different_Than_Specified_To_Register@74": (
        "asked of cuMemHostUnregister alone: driver 580 answers INVALID_VALUE to an address further in"
    ),
    "hipDeviceGetLimit_Negative_Parameters@188": "libcudart 13.0 on driver 580 answers cudaErrorInvalidValue",
    "hipDeviceReset_Positive_Basic@85": "libcudart 13.0 on driver 580 follows the stream's pointer: a segmentation fault",
    "hipDeviceReset_Positive_Threaded@149": "a thread without a context resets none: the memory is freed as ever",
    "hipDeviceReset_Positive_Threaded@154": "a thread without a context resets none: the stream is destroyed as ever",
    "hipDeviceSetLimit_Negative_Parameters@154": "libcudart 13.0 on driver 580 answers cudaErrorInvalidValue",
    "hipMemcpyPeerAsync_Negative_Parameters@312": (
        "never asked, for it takes two devices; the model answers INVALID_HANDLE, as other calls to a stream that never was"
    ),
    **dict.fromkeys(
        ("hipFreeAsync_Negative_Parameters/1", "hipFreeAsync_Negative_Parameters@60"),
        "driver 580 frees null in a stream",
    ),
    "hipMemPoolImportFromShareableHandle_Negative@71": "driver 580 answers UNKNOWN to descriptor 0",
    "hipStreamDestroy_Negative_DoubleDestroy@35": "libcudart 13.0 on driver 580 follows its pointer: a segmentation fault",
}
"""Statements on NVIDIA that an H200 contradicts, with its answer in the model."""
AMD, NVIDIA, WITHOUT_DEVICES = "expect_amd", "expect_nvidia", "nogpu"
RECORDED = "questions/runtime/hip-tests:"
"""Prefixes of recorded programs that test a statement."""


def key(statement: Statement, count: dict[str, int]) -> str:
    """Return the short name of a statement: test and line, or its index in the test."""
    test = statement["test"].removeprefix("Unit_")
    line = re.search(r":(\d+)$", statement["file"])
    count[test] = count.get(test, 0) + 1
    return f"{test}@{line[1]}" if line else f"{test}/{count[test]}"


def statements() -> dict[str, Statement]:
    """Return all statements by their short names."""
    found: dict[str, Statement] = {}
    count: dict[str, int] = {}
    for statement in json.loads((HERE / "expectations.json").read_text()):
        name = key(statement, count)
        while name in found:
            name += "'"
        found[name] = statement
    return found


STATEMENTS = statements()
SHOWN = {name: statement for name, statement in STATEMENTS.items() if "cases" in statement}
LEFT_OUT = tomllib.loads((HERE / "left_out.toml").read_text())
load_cases()


def named(statement: Statement) -> list[Case]:
    """Return the cases that a statement names: ``hipMemMap[valid]``."""
    found = []
    for text in statement["cases"]:
        call, _, name = text[:-1].partition("[")
        found += [one for one in ENTRIES[call].singles() if one.name == name]
        assert found, text
        assert found[-1].id == text
    return found


def accepts(name: str, statement: Statement, side: str, code: int) -> bool:
    """Return whether a statement accepts a code on a side."""
    if name in REFUSED:
        return code != 0
    return code in {CODES[one] for one in re.findall(r"hip(?:Error\w+|Success)", statement[side]) if one in CODES}


def has_counterpart(call: str) -> bool:
    """Return whether the CUDA runtime has a counterpart with as many arguments."""
    one, other = hip.CALLS[call], runtime.CALLS.get(f"cuda{call.removeprefix('hip')}")
    return other is not None and [len(one.inputs), len(one.outputs)] == [len(other.inputs), len(other.outputs)]


@cache
def recorded() -> dict[str, int]:
    """Return the recorded answers of a card, by statement."""
    found = {}
    for path in files(ROOT / "h200"):
        if not path.name.startswith("runtime"):
            continue
        programs = read(path).programs
        for number in programs.named(f"{RECORDED}*"):
            one = programs[number]
            steps = zip(one.steps, one.answers, strict=True)
            *_, last = (answer["code"] for step, answer in steps if step["call"].startswith("cuda"))
            found[one.name.removeprefix(RECORDED)] = int(last)
    return found


@pytest.mark.parametrize(
    ("name", "profile"),
    [
        (name, profile)
        for name, statement in SHOWN.items()
        for profile in (OLD, NEW)
        if AMD in statement and CHANGED.get(name) != profile
    ],
)
def test_amd(name: str, profile: str) -> None:
    """Each case of a statement in a release returns an accepted code."""
    of_hip = [one for one in named(SHOWN[name]) if api_of(one.entry.call) is HIP]
    there = [case for one in of_hip if (case := one.on(load(profile)))]
    assert there
    assert [case.id for case in there if not accepts(name, SHOWN[name], AMD, case.code)] == []


def of_nvidia() -> list[str]:
    """Return the statements on NVIDIA that a case or a card shows."""
    return [
        name
        for name, statement in SHOWN.items()
        if NVIDIA in statement
        and (
            name in recorded()
            or any(api_of(one.entry.call) is RUNTIME for one in named(statement))
            or (
                statement["area"] == WITHOUT_DEVICES
                and all(has_counterpart(one.entry.call) for one in named(statement))
            )
        )
    ]


@pytest.mark.parametrize("name", of_nvidia())
def test_nvidia(name: str) -> None:
    """CUDA runtime cases return accepted codes; otherwise a card did."""
    statement = SHOWN[name]
    cases = [one for one in named(statement) if api_of(one.entry.call) is RUNTIME]
    codes = [one.code for one in cases] or [recorded()[name]] if name in recorded() or cases else []
    if not codes:
        assert statement["area"] == WITHOUT_DEVICES
        for one in named(statement):  # test_beginnings.py breaks the rule in every call that checks it
            assert DEVICE_IS_THERE in RUNTIME.ops[f"cuda{one.entry.call.removeprefix('hip')}"].rules
            codes.append(int(RUNTIME.code(DEVICE_IS_THERE.code)))
    assert all(accepts(name, statement, NVIDIA, code) for code in codes) == (name not in OTHERWISE)


def test_statements_on_nvidia_are_not_lost() -> None:
    """The number of statements on NVIDIA that are not compared is known."""
    shown = set(of_nvidia())
    unshown = [name for name, statement in SHOWN.items() if NVIDIA in statement and name not in shown]
    assert len(unshown) == UNSHOWN


def test_every_statement_has_cases_or_a_reason() -> None:
    """Every statement has either cases or a reason, sorted by name."""
    left_out = [name for table in LEFT_OUT.values() for name in table["statements"]]
    assert sorted(left_out) == sorted(STATEMENTS.keys() - SHOWN.keys())
    for table in LEFT_OUT.values():
        assert table.keys() == {"reason", "statements"}
        assert table["statements"] == sorted(table["statements"])
    assert SHOWN.keys() >= CHANGED.keys() | OTHERWISE.keys() | REFUSED


def test_a_statement_that_its_cases_deny_is_found() -> None:
    """A statement of success is refused if its cases fail, on either side."""
    name, statement = "hipMemRelease_negative@45", SHOWN["hipMemRelease_negative@45"]
    (case,) = named(statement)
    assert accepts(name, statement, AMD, case.code)
    assert not accepts(name, {**statement, AMD: "hipSuccess"}, AMD, case.code)
    assert not accepts(name, {**statement, NVIDIA: "hipErrorInvalidValue"}, NVIDIA, 0)
