"""Codes of the runtime's own rules; cases use the code of their rule."""

from __future__ import annotations

import importlib

import pytest

import fakecuda
from conformance.kit.case import ENTRIES
from conformance.kit.program import Recorder
from conformance.kit.world import Session
from conformance.targets.target import play
from fakecuda.rules.registry import RUNTIME
from fakecuda.spec.codes import RUNTIME_NAMES

CODES = {
    "runtime.active.CONTEXT_IS_ALIVE": "cudaErrorDeviceUninitialized",
    "runtime.active.CONTEXT_IS_PRIMARY": "cudaErrorIncompatibleDriverContext",
    "runtime.active.DEVICE_IS_NOT_PROHIBITED": "cudaErrorDevicesUnavailable",
    "runtime.active.DEVICE_IS_THERE": "cudaErrorInvalidDevice",
    "runtime.active.DRIVER_IS_RECENT": "cudaErrorInsufficientDriver",
    "runtime.active.RESULTS_ARE_GIVEN": "cudaErrorInvalidValue",
    "runtime.box.DESCRIPTION_IS_GIVEN": "cudaErrorInvalidValue",
    "runtime.box.ONE_OBJECT_IS_NAMED": "cudaErrorInvalidValue",
    "runtime.box.ROWS_FIT": "cudaErrorInvalidValue",
    "runtime.box.ROWS_FIT_IN_A_SLICE": "cudaErrorInvalidPitchValue",
    "runtime.box.SLICES_ARE_WHOLE": "cudaErrorInvalidValue",
    "runtime.copy.KIND_IS_KNOWN": "cudaErrorInvalidMemcpyDirection",
    "runtime.copy.PITCH_SPANS_THE_ROW": "cudaErrorInvalidPitchValue",
    "runtime.default.DEVICE_IS_GIVEN": "cudaErrorInvalidValue",
    "runtime.default.HANDLE_IS_GIVEN": "cudaErrorInvalidValue",
    "runtime.device.LIBRARY_IS_UP": "cudaErrorCudartUnloading",
    "runtime.device.FLAGS_ARE_KNOWN": "cudaErrorInvalidValue",
    "runtime.device.VALID_DEVICES_FIT": "cudaErrorInvalidValue",
    "runtime.entry_point.POINTER_IS_GIVEN": "cudaErrorInvalidValue",
    "unified.mem_batches.DEVICE_IS_THERE": "cudaErrorInvalidValue",
    "runtime.properties.PROPERTIES_ARE_GIVEN": "cudaErrorInvalidValue",
}
"""The codes of the rules; last-error rules return another call's code."""
MODULES = ("active", "box", "copy", "default", "device", "error", "memory", "peer", "rest", "through")

for _name in MODULES:
    importlib.import_module(f"conformance.cases.runtime.test_{_name}")


@pytest.mark.parametrize("call", sorted(call for call in ENTRIES if call in RUNTIME.ops))
def test_codes(call: str) -> None:
    """Each case that breaks such a rule returns its code."""
    with fakecuda.Machine("h200-x2", strict=False) as machine:
        cases = [case for case in ENTRIES[call].singles() if case.rule and case.rule.id in CODES]
        for case, answer in play(cases, Session(Recorder(machine))):
            assert case.rule is not None
            assert RUNTIME_NAMES[answer] == CODES[case.rule.id], case.id
