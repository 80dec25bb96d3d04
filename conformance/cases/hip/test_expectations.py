"""Statements of hip-tests, on HIP as of both years and on the CUDA runtime."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import fakecuda
from conformance.cases.hip.programs import PROGRAMS
from conformance.cases.hip.side import Side, accepted, has_counterpart, statements

STATEMENTS = statements()
OLD, NEW, NVIDIA = "hip-clr-2024", "hip-clr-2026", "h200-x2"
CHANGED = {
    "hipFreeAsync_Negative_Parameters@60": NEW,
    "hipFreeAsync_Negative_Parameters/1": OLD,
    "hipMemCreate_Negative@435": NEW,
    "hipMemCreate_Negative@442": NEW,
    "hipMemCreate_Negative/1": OLD,
    "hipMemCreate_Uncached/1": OLD,
    "hipMemSetAccess_negative/1": OLD,
    "hipMemUnmap_negative/1": OLD,
    "hipIpcMemVisibility_*/1": "",
    "hipPointerGetAttribute_Negative@326": NEW,
    "hipPointerGetAttribute_Negative@335": NEW,
    "hipPointerGetAttributes_Negative@393": NEW,
}
"""Statements that hold in one year alone, with the year where they do not; as later statements and the sources say."""
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
"""Statements on NVIDIA's runtime that the model does not bear out, with the recorded answer that it follows.

It is that of the very program on one H200, unless the entry says that another call was asked, or nobody.
"""


AREAS = {"context", "device", "error", "event", "ipc", "nogpu", "peer", "stream"}
LEFT_OUT = {
    name: table["reason"]
    for table in tomllib.loads(Path(__file__).with_name("left_out.toml").read_text()).values()
    for name in table["statements"]
}
"""Statements without a program, with the reason."""


def _cases() -> list[Any]:
    cases: list[Any] = []
    for name, program in PROGRAMS.items():
        statement = STATEMENTS[name]
        cases += [
            pytest.param(profile, program, statement["expect_amd"], id=f"{name}-{profile}")
            for profile in (OLD, NEW)
            if "expect_amd" in statement and CHANGED.get(name) != profile
        ]
        if "expect_nvidia" in statement and has_counterpart(program):
            marks = [pytest.mark.xfail(reason=OTHERWISE[name])] if name in OTHERWISE else []
            cases.append(pytest.param(NVIDIA, program, statement["expect_nvidia"], id=f"{name}-{NVIDIA}", marks=marks))
    return cases


@pytest.mark.parametrize(("profile", "program", "expected"), _cases())
def test_statement(profile: str, program: Any, expected: str) -> None:
    """The model answers one of the codes that the statement accepts."""
    with fakecuda.Machine(profile, strict=False) as machine:
        answer = program(Side(machine, "cuda" if profile == NVIDIA else "hip"))
        assert answer in accepted(expected)
        machine.check_invariants()


def test_every_statement_has_a_program_or_a_reason() -> None:
    """None has both."""
    asked = {
        name
        for name, statement in STATEMENTS.items()
        if statement["area"] in AREAS or name.startswith(("hipPointerGet", "hipPointerSet"))
    }
    assert asked <= PROGRAMS.keys() | LEFT_OUT.keys()
    assert not LEFT_OUT.keys() & PROGRAMS.keys()
    assert STATEMENTS.keys() >= PROGRAMS.keys() | LEFT_OUT.keys()
