"""Rare codes of the runtime API: pending work, or a device in a special state."""

from __future__ import annotations

import attrs

import fakecuda
from conformance.cases.test_beginnings import failed_elsewhere
from fakecuda.profiles import load
from fakecuda.rules.driver.context.ctx_create import COMPUTE_MODE, PROHIBITED


def test_the_time_of_work_that_is_not_done() -> None:
    """The time of pending work returns cudaErrorNotReady."""
    with fakecuda.Machine("h200", strict=False, completion="manual") as machine:
        c = machine.spawn().c
        events = [c.cudaEventCreate()[1] for _ in range(2)]
        pointer, stream = c.cudaMalloc(64)[1], c.cudaStreamCreate()[1]
        c.cudaEventRecord(events[0], stream)
        c.cudaMemsetAsync(pointer, 1, 64, stream)
        c.cudaEventRecord(events[1], stream)
        assert c.cudaEventElapsedTime(*events) == (600, None)
        assert c.cudaStreamQuery(stream) == (600,)


def test_an_address_where_no_context_can_be_made() -> None:
    """A null pointer of cudaHostGetDevicePointer is checked before the context."""
    profile = load("h200")
    device = profile.devices[0]
    closed = attrs.evolve(device, attributes={**device.attributes, COMPUTE_MODE: PROHIBITED})
    with fakecuda.Machine(attrs.evolve(profile, devices=(closed,)), strict=False) as machine:
        assert machine.spawn().c.cudaHostGetDevicePointer(64, 0) == (46, None)
    with fakecuda.Machine("h200", strict=False) as machine:
        machine.exhaust_memory(0)
        assert machine.spawn().c.cudaHostGetDevicePointer(64, 0) == (2, None)
    with fakecuda.Machine("h200", strict=False) as machine:
        assert failed_elsewhere(machine).cudaHostGetDevicePointer(64, 0) == (46, None)


def test_a_function_of_the_host_in_a_stream_that_is_none() -> None:
    """A host function in an invalid stream returns cudaErrorInvalidResourceHandle."""
    with fakecuda.Machine(load("h200").with_driver(13020), strict=False) as machine:
        process = machine.spawn()
        process.c.cudaFree(0)
        assert process.c.cudaLaunchHostFunc_v2(12345678, process.c_function("abs"), 0, 0)[0] == 400
