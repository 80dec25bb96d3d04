"""Requirement of calls with an allocation handle: a reference of the process.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html
"""

from __future__ import annotations

import pytest

import fakecuda
from conformance.cases.driver.core.test_initialized import entry_of
from conformance.kit.program import Recorder
from conformance.kit.world import Session
from fakecuda.rules.driver.va.handle import HANDLE_IS_HELD
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.driver import CALLS

LISTED = "cuMemMapArrayAsync"
"""A call with handles inside structs."""


@pytest.mark.parametrize(
    "call", sorted(name for name, op in DRIVER.ops.items() if HANDLE_IS_HELD in op.rules and name != LISTED)
)
def test_a_handle_that_only_a_mapping_keeps(call: str) -> None:
    """A handle without references names mapped memory; strict machines report it."""
    with fakecuda.Machine("h200-x2") as machine:
        invocation = entry_of(call).valid(Session(Recorder(machine)).world(call))
        name = next(p.name for p in CALLS[call].inputs if p.type == "CUmemGenericAllocationHandle")
        _, handle = invocation.process.mapped()
        invocation.process.ok.cuMemRelease(handle)
        with pytest.raises(fakecuda.UndefinedBehaviour) as report:
            invocation.evolve(**{name: handle}).run()
        assert report.value.finding.rule is HANDLE_IS_HELD
