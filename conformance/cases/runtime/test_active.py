"""Requirements of all runtime calls: a recent driver, and devices with contexts.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html (cudaErrorInsufficientDriver)
"""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

import conformance.record.recorder
import fakecuda
from conformance.kit.case import ENTRIES
from fakecuda.profiles import load
from fakecuda.rules.driver.context.ctx_create import COMPUTE_MODE, PROHIBITED
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime import newer
from fakecuda.rules.runtime.active import DEVICE_IS_NOT_PROHIBITED, DRIVER_IS_RECENT
from fakecuda.spec.codes import Error, Result
from fakecuda.spec.runtime import CALLS

NEED_A_CONTEXT = {"cudaGetDeviceFlags", "cudaHostGetDevicePointer"}
"""Calls that need an active current context, or check an address before."""
ELSEWHERE = {
    DRIVER_IS_RECENT,
    newer.ATTRIBUTES_ARE_GIVEN,
    newer.MODE_IS_KNOWN,
}
"""Rules that only described machines break; see here, and test_newer.py."""


def dummies(call: str) -> tuple[int, ...]:
    """Return arguments that the call does not check."""
    return (0,) * len(CALLS[call].inputs)


@pytest.mark.parametrize("call", sorted(name for name, op in RUNTIME.ops.items() if DRIVER_IS_RECENT in op.rules))
def test_driver_is_recent(call: str) -> None:
    """An older driver refuses the library before other errors."""
    profile = attrs.evolve(load("h200"), driver_version=12080)
    with fakecuda.Machine(profile, strict=False) as machine:
        a = machine.spawn()
        assert getattr(a.c, call)(*dummies(call))[0] == Error.INSUFFICIENT_DRIVER
        assert machine.calls[-1][5] is DRIVER_IS_RECENT


@pytest.mark.parametrize(
    "call",
    sorted(
        name for name, op in RUNTIME.ops.items() if DEVICE_IS_NOT_PROHIBITED in op.rules and name not in NEED_A_CONTEXT
    ),
)
def test_device_is_not_prohibited(call: str) -> None:
    """Calls that need a context are refused in compute mode "prohibited"."""
    profile = load("h200")
    device = profile.devices[0]
    closed = attrs.evolve(device, attributes={**device.attributes, COMPUTE_MODE: PROHIBITED})
    with fakecuda.Machine(attrs.evolve(profile, devices=(closed,)), strict=False) as machine:
        a = machine.spawn()
        assert getattr(a.c, call)(*dummies(call))[0] == Result.DEVICE_UNAVAILABLE
        assert machine.calls[-1][5] is DEVICE_IS_NOT_PROHIBITED


def test_every_modelled_call_has_an_entry() -> None:
    """Every modelled call has an entry, which breaks and keeps its own rules."""
    assert not [line for line in conformance.record.recorder.load_cases() if Path(__file__).parent.name in line]
    assert set(RUNTIME.ops) <= set(ENTRIES)
    own = {
        rule for op in RUNTIME.ops.values() for rule in op.rules if rule.module.startswith("fakecuda.rules.runtime.")
    }
    broken = {rule for call in RUNTIME.ops for rule in ENTRIES[call].broken()}
    assert own - broken == ELSEWHERE
