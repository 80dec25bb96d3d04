"""How HIP begins: host functions may call it, and a device that is named twice counts once."""

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


@pytest.mark.parametrize("profile", [OLD, NEW, "hip-7.2.4"])
def test_a_device_that_is_named_twice(profile: str) -> None:
    """It is one device; CUDA refuses such a list."""
    with fakecuda.Machine(profile) as machine:
        assert machine.spawn(visible_devices="1,1,0").c.hipGetDeviceCount() == (0, 2)
        assert machine.spawn(visible_devices="0,0").c.hipGetDeviceCount() == (0, 1)


def test_a_locked_process_is_refused_at_once() -> None:
    """What the arguments say needs no unlocked process."""
    with fakecuda.Machine(NEW, strict=False) as machine:
        a, b = machine.spawn(), machine.spawn()
        assert a.c.hipMalloc(64)[0] == 0
        b.c.cuInit(0)
        assert b.c.cuCheckpointProcessLock(a.pid, None) == (0,)
        assert a.c.hipInit(1) == (1,)
