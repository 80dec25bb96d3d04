"""Requirement of all virtual memory management calls: supporting devices.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html
"""

from __future__ import annotations

import attrs
import pytest

import fakecuda
from fakecuda.profiles import load
from fakecuda.rules.driver.va.supported import VMM_IS_SUPPORTED
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import CALLS, ENUMS

SUPPORTED = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED"]
CHAPTER = sorted(name for name, op in DRIVER.ops.items() if VMM_IS_SUPPORTED in op.rules)


@pytest.mark.parametrize("call", CHAPTER)
def test_vmm_is_supported(call: str) -> None:
    """The support is checked before any argument."""
    device = load("h200").devices[0]
    old = attrs.evolve(device, attributes=device.attributes | {SUPPORTED: 0})
    with fakecuda.Machine(attrs.evolve(load("h200"), devices=(old,))) as machine:
        c = machine.spawn().c
        c.cuInit(0)
        inputs = [None if param.kind == "struct" else 0 for param in CALLS[call].inputs]
        assert getattr(c, call)(*inputs)[0] == Result.NOT_SUPPORTED
        assert machine.log[-1].rule is VMM_IS_SUPPORTED
