"""Answers of all calls during teardown and inside host functions of a stream.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TYPES.html (CUDA_ERROR_DEINITIALIZED)
"""

from __future__ import annotations

import importlib

import pytest

import fakecuda
from conformance.kit.case import ENTRIES, Entry
from conformance.kit.program import Recorder
from conformance.kit.world import Session
from conformance.targets.newer import having
from fakecuda.profiles import load
from fakecuda.rules.core import RULES
from fakecuda.rules.driver.core.initialized import CALLS_ARE_PERMITTED
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result


def entry_of(call: str) -> Entry:
    """Return the entry of a call, whose module is at the path of its rules."""
    package, _, name = DRIVER.ops[call].module.removeprefix(RULES).rpartition(".")
    importlib.import_module(f"conformance.cases.{package}.test_{name}")
    return ENTRIES[call]


@pytest.mark.parametrize("call", sorted(DRIVER.ops))
def test_driver_is_up(call: str) -> None:
    """A valid call returns DEINITIALIZED during teardown, cuInit included."""
    entry = entry_of(call)
    with fakecuda.Machine(having(load("h200-x2"), call), strict=False) as machine:
        recorder = Recorder(machine, call)
        try:
            invocation = entry.valid(Session(recorder).world(call))
            invocation.process.c.cuInit(0)
            recorder.processes[invocation.process.name].begin_exit()
            assert invocation.run()[0] == Result.DEINITIALIZED
            assert recorder.rules[-1] is entry.rule("DRIVER_IS_UP")
        finally:
            recorder.close()


@pytest.mark.parametrize("call", sorted(name for name, op in DRIVER.ops.items() if CALLS_ARE_PERMITTED in op.rules))
def test_calls_are_permitted(call: str) -> None:
    """A valid call in a host function returns NOT_PERMITTED, with few exceptions."""
    entry = entry_of(call)
    with fakecuda.Machine(having(load("h200-x2"), call), strict=False) as machine:
        recorder = Recorder(machine, call)
        try:
            case = next(one for one in entry.singles() if one.rule is CALLS_ARE_PERMITTED)
            invocation = case.prepare(Session(recorder).world(call))
            assert invocation.run()[0] == Result.NOT_PERMITTED
            assert recorder.rules[-1] is CALLS_ARE_PERMITTED
        finally:
            recorder.close()
