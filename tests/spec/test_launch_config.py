"""CUlaunchConfig: plain values and the bytes that the binding's structs have."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from fakecuda.model.memory.space import Unreadable
from fakecuda.reach.native.values import read_launch_config
from fakecuda.spec import launch_config
from fakecuda.spec.driver import STRUCTS
from realcuda import arguments, plain

PLAIN = (1, 2, 3, 4, 5, 6, 7, 0xABC, ((0,), (4, 2, 1, 1), (7, 0xDEF, 0, 1), (14, 50), (99,)))


def in_memory(value: tuple[Any, ...]) -> tuple[int, Any]:
    """Return the address of a configuration in memory, and what holds it."""
    request = plain.prepare("cuLaunchKernelEx", (value, 0, 0, 0))
    passed, _ = arguments.argument_of(*request.arguments[0], [])
    return ctypes.addressof(passed), passed


@pytest.mark.parametrize("value", [PLAIN, (*PLAIN[:-1], ()), (*PLAIN[:-1], None)])
def test_what_is_packed_is_read_again(value: tuple[Any, ...]) -> None:
    """By the door to C, and in a child that calls a driver."""
    place, _held = in_memory(value)
    assert read_launch_config(place) == value


def test_attributes_that_cannot_be_read_are_refused() -> None:
    """As arrays are of which a call says that they are longer than they are."""
    place, held = in_memory((*PLAIN[:-1], ()))
    ctypes.memmove(place + 40, (8).to_bytes(8, "little") + (3).to_bytes(4, "little"), 12)
    with pytest.raises(Unreadable):
        read_launch_config(ctypes.addressof(held))


def test_the_layout_is_the_bindings() -> None:
    """Sizes and places, and an attribute's value for each id."""
    driver = pytest.importorskip("cuda.bindings.driver", reason="the real binding: pip install 'fakecuda[cuda]'")
    config, one = driver.CUlaunchConfig(), driver.CUlaunchAttribute()
    one.id, one.value.clusterDim.x = driver.CUlaunchAttributeID(launch_config.CLUSTER), 5
    config.gridDimZ, config.sharedMemBytes, config.hStream = 9, 11, 0xABC
    config.attrs, config.numAttrs = [one, one], 2
    rows = ((launch_config.CLUSTER, 5, 0, 0),) * 2
    assert read_launch_config(config.getPtr()) == (0, 0, 9, 0, 0, 0, 11, 0xABC, rows)
    assert {
        place: STRUCTS["CUlaunchConfig"][place][1] for place in (launch_config.STREAM, launch_config.ATTRIBUTES)
    } == {launch_config.STREAM: "hStream", launch_config.ATTRIBUTES: "attrs"}
