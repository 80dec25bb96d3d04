"""Naps: on a model a recorded sleep is over when a call waits."""

from __future__ import annotations

import fakecuda
from conformance.kit.program import Recorder
from fakecuda.spec.codes import Result

AN_HOUR = 3600 * 10**6
"""Microseconds."""


def test_a_nap_lasts_until_a_call_waits() -> None:
    """Whoever looks meanwhile sees the stream at work."""
    with fakecuda.Machine("h200-x2", strict=False, seed=0) as machine:
        recorder = Recorder(machine)
        c = recorder.spawn().c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        _, stream = c.cuStreamCreate(1)
        sleep = recorder.c_function("a", "usleep")
        assert c.cuLaunchHostFunc(stream, sleep, AN_HOUR) == (Result.SUCCESS,)
        assert c.cuStreamQuery(stream) == (Result.NOT_READY,)
        assert c.cuStreamSynchronize(stream) == (Result.SUCCESS,)
        assert c.cuStreamQuery(stream) == (Result.SUCCESS,)
        recorder.close()


def test_a_nap_ends_by_itself() -> None:
    """As a sleep does; other functions are the C library's."""
    with fakecuda.Machine("h200-x2", strict=False, seed=0) as machine:
        recorder = Recorder(machine)
        process = recorder.spawn()
        assert recorder.c_function("a", "abs") == machine.processes[process.name].c_function("abs")
        assert recorder.c_function("a", "usleep") != machine.processes[process.name].c_function("usleep")
        process.c.cuInit(0)
        process.c.cuCtxCreate(None, 0, 0)
        process.c.cuLaunchHostFunc(0, recorder.c_function("a", "usleep"), 1)
        assert process.c.cuCtxSynchronize() == (Result.SUCCESS,)
        recorder.close()
