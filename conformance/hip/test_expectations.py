"""Statements of hip-tests, on HIP as of both years and on the CUDA runtime."""

from __future__ import annotations

from typing import Any

import pytest

import fakecuda
from conformance.hip import allocating, behaving, sharing, using
from conformance.hip.side import Side, accepted, has_counterpart, statements

PROGRAMS = {**sharing.PROGRAMS, **using.PROGRAMS, **behaving.PROGRAMS, **allocating.PROGRAMS}
STATEMENTS = statements()
OLD, NEW, NVIDIA = "hip-clr-2024", "hip-clr-2026", "h200-x2"
CHANGED = {
    "hipFreeAsync_Negative_Parameters@60": NEW,
    "hipFreeAsync_Negative_Parameters/1": OLD,
    "hipMemCreate_Negative@435": NEW,
    "hipMemCreate_Negative@442": NEW,
    "hipMemCreate_Negative/1": OLD,
    "hipMemUnmap_negative/1": OLD,
    "hipIpcMemVisibility_*/1": "",
}
"""Statements that hold in one year alone, with the year where they do not; as later statements and the sources say."""
OPEN = {
    "hipFreeAsync_Negative_Parameters/1": "driver 580's runtime answers success for null",
    "hipFreeAsync_Negative_Parameters@60": "driver 580's runtime answers success for null",
    "hipHostUnregister_Ptr_Different_Than_Specified_To_Register@74": "the model's cudaHostUnregister answers INVALID_VALUE",
    "hipMemPoolImportFromShareableHandle_Negative@71": "driver 580's runtime answers UNKNOWN for null",
    "hipStreamDestroy_Negative_DoubleDestroy@35": "driver 580's runtime answers INVALID_CONTEXT",
    "hipDeviceGetLimit_Negative_Parameters@188": "the model's cudaDeviceGetLimit answers INVALID_VALUE, as the driver's call",
    "hipDeviceReset_Positive_Basic@85": "the model's cudaStreamDestroy answers CONTEXT_IS_DESTROYED after a reset",
    "hipEventElapsedTime_NullCheck@65": "the model's cudaEventElapsedTime answers INVALID_HANDLE, as the driver's call",
}
"""Statements on NVIDIA's runtime that the model does not bear out: a real one has to be asked."""


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
            marks = [pytest.mark.xfail(reason=OPEN[name])] if name in OPEN else []
            cases.append(pytest.param(NVIDIA, program, statement["expect_nvidia"], id=f"{name}-{NVIDIA}", marks=marks))
    return cases


@pytest.mark.parametrize(("profile", "program", "expected"), _cases())
def test_statement(profile: str, program: Any, expected: str) -> None:  # noqa: ANN401 - a program
    """The model answers one of the codes that the statement accepts."""
    with fakecuda.Machine(profile, strict=False) as machine:
        answer = program(Side(machine, "cuda" if profile == NVIDIA else "hip"))
        assert answer in accepted(expected)
        machine.check_invariants()
