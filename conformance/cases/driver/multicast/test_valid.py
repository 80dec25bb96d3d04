"""Requirements of all multicast calls: support by the system, and permission.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

import fakecuda
from conformance.cases.driver.multicast.fixtures import SUPPORTED, bound, holds
from conformance.kit.program import Recorder
from conformance.kit.world import Session
from fakecuda.profiles import Multicast, load
from fakecuda.rules.driver.multicast.handle import MULTICAST_IS_PERMITTED, MULTICAST_IS_SUPPORTED
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import CALLS

if TYPE_CHECKING:
    from fakecuda.profiles import Profile
    from fakecuda.rules.core import Rule

CHAPTER = sorted(name for name, op in DRIVER.ops.items() if MULTICAST_IS_SUPPORTED in op.rules)


def refused(call: str, profile: Profile, rule: Rule, code: int) -> None:
    """Check that the call breaks the rule before it checks arguments."""
    with fakecuda.Machine(profile) as machine:
        c = machine.spawn().c
        c.cuInit(0)
        inputs = [None if param.kind == "struct" else 0 for param in CALLS[call].inputs]
        assert getattr(c, call)(*inputs)[0] == code
        assert machine.log[-1].rule is rule


@pytest.mark.parametrize("call", CHAPTER)
def test_multicast_is_supported(call: str) -> None:
    """A single H200 and some devices do not support multicast."""
    refused(call, load("h200"), MULTICAST_IS_SUPPORTED, Result.NOT_SUPPORTED)
    devices = tuple(attrs.evolve(one, attributes=one.attributes | {SUPPORTED: 0}) for one in load("h200-x2").devices)
    refused(call, attrs.evolve(load("h200-x2"), devices=devices), MULTICAST_IS_SUPPORTED, Result.NOT_SUPPORTED)


@pytest.mark.parametrize("call", CHAPTER)
def test_multicast_is_permitted(call: str) -> None:
    """A system can deny multicast to a user."""
    forbidden = attrs.evolve(load("h200-x2"), multicast=Multicast(state="forbidden"))
    refused(call, forbidden, MULTICAST_IS_PERMITTED, Result.NOT_PERMITTED)


def test_a_value_in_an_object_is_not_waited_for() -> None:
    """A stream can write values to a multicast object, but not wait for them."""
    with fakecuda.Machine("h200-x2", strict=False) as machine:
        world = Session(Recorder(machine)).world("value")
        a = world.process()
        ptr, places = bound(world, a)
        a.ok.cuStreamWriteValue32(0, ptr, 0x01020304, 0)
        holds(a, places, bytes((4, 3, 2, 1)))
        with pytest.raises(fakecuda.FakeCudaError, match="pass the address of memory that is bound to the object"):
            a.c.cuStreamWaitValue32(0, ptr, 1, 0)
