"""Calls of HIP in host functions that streams run: clr does not look which thread calls."""

from __future__ import annotations

import ctypes

import pytest

import fakecuda
from tests.rules.hip_world import NEW, OLD

FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@pytest.mark.parametrize("profile", [OLD, NEW, "hip-7.2.4"])
def test_a_host_function_may_call(profile: str) -> None:
    """It allocates, sets a device, and uses one that nothing has used before."""
    with fakecuda.Machine(profile) as machine:
        a = machine.spawn()
        answers: list[int] = []

        def act(_data: object) -> None:
            c = a.c
            answers.extend((c.hipMalloc(64)[0], c.hipMemGetInfo()[0], c.hipSetDevice(1)[0], c.hipMalloc(64)[0]))

        function = FUNCTION(act)
        stream = a.c.hipStreamCreate()[1]
        a.c.hipLaunchHostFunc(stream, ctypes.cast(function, ctypes.c_void_p).value, 0)
        a.c.hipStreamSynchronize(stream)
        assert answers == [0, 0, 0, 0]
        a.c.hipDeviceReset()
        assert a.c.hipMalloc(64)[0] == 0
