"""Sticky errors: answers of a context after failed work or a lost device."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import fakecuda
from conformance.cases.driver.context.fixtures import another, ready
from conformance.cases.driver.va.fixtures import prop
from conformance.kit.kernels import PTX
from conformance.kit.world import GRANULE
from fakecuda.explain.ledger import codes
from fakecuda.rules.driver.context.ctx_create import PROCESS_IS_SOUND
from fakecuda.rules.driver.context.current import CONTEXT_IS_SOUND
from fakecuda.rules.driver.context.fault import FAULTS
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.rules.core import Rule

STICKY = {CONTEXT_IS_SOUND.code: CONTEXT_IS_SOUND, **FAULTS}
CALLS: dict[str, Callable[[fakecuda.Process, int], tuple[object, ...]]] = {
    "cuMemAlloc": lambda a, _: a.c.cuMemAlloc(512),
    "cuMemAllocHost": lambda a, _: a.c.cuMemAllocHost(512),
    "cuMemHostAlloc": lambda a, _: a.c.cuMemHostAlloc(512, 0),
    "cuMemHostRegister": lambda a, _: a.c.cuMemHostRegister(a.host_memory(4096), 4096, 0),
    "cuStreamCreate": lambda a, _: a.c.cuStreamCreate(0),
    "cuStreamCreateWithPriority": lambda a, _: a.c.cuStreamCreateWithPriority(0, 0),
    "cuStreamDestroy": lambda a, stream: a.c.cuStreamDestroy(stream),
    "cuCtxSynchronize": lambda a, _: a.c.cuCtxSynchronize(),
}
"""Calls by documented sticky code, and one without, with a stream as argument."""

LAUNCHES: dict[str, Callable[[fakecuda.Process, int], tuple[int]]] = {
    "cuLaunchKernel": lambda a, f: a.c.cuLaunchKernel(f, *[1] * 6, 0, 0, 0, 0),
    "cuLaunchCooperativeKernel": lambda a, f: a.c.cuLaunchCooperativeKernel(f, *[1] * 6, 0, 0, 0),
    "cuLaunchKernelEx": lambda a, f: a.c.cuLaunchKernelEx((*[1] * 6, 0, 0, ()), f, 0, 0),
}
"""Calls with such a code that need code loaded before the error."""


def broken(machine: fakecuda.Machine) -> Rule | None:
    """Return the rule that the last call broke."""
    return machine.log[-1].rule


@pytest.mark.parametrize("code", STICKY, ids=lambda code: Result(code).name)
def test_a_context_goes_on_answering_its_fault(code: int) -> None:
    """Other contexts, processes and context-free calls still succeed after the error."""
    machine = fakecuda.Machine("h200")
    with ready(machine) as a:
        _, context = a.c.cuCtxCreate(None, 0, 0)
        _, event = a.c.cuEventCreate(0)
        b = another(machine)
        b.c.cuCtxCreate(None, 0, 0)
        machine.poison(a, context, code)
        for answer in (a.c.cuMemAlloc(512)[0], a.c.cuEventQuery(event)[0], a.c.cuStreamQuery(0)[0]):
            assert answer == code
            assert broken(machine) is STICKY[code]
        assert a.c.cuDeviceGetCount() == (Result.SUCCESS, 1)
        assert b.c.cuMemAlloc(512)[0] == Result.SUCCESS
        assert a.c.cuCtxDestroy(context) == (Result.SUCCESS,)
        a.c.cuCtxCreate(None, 0, 0)
        assert a.c.cuMemAlloc(512)[0] == Result.SUCCESS


@pytest.mark.parametrize("call", CALLS)
def test_calls_answer_a_device_outside_cuda(call: str) -> None:
    """An error outside CUDA is sticky, and documented for most of these calls."""
    machine = fakecuda.Machine("h200")
    with ready(machine) as a:
        _, context = a.c.cuCtxCreate(None, 0, 0)
        _, stream = a.c.cuStreamCreate(0)
        machine.poison(a, context, Result.EXTERNAL_DEVICE)
        before = machine.snapshot()
        assert CALLS[call](a, stream)[0] == Result.EXTERNAL_DEVICE
        assert machine.snapshot() == before


@pytest.mark.parametrize("code", [Result.EXTERNAL_DEVICE, Result.LAUNCH_TIMEOUT])
@pytest.mark.parametrize("call", sorted(LAUNCHES))
def test_launches_answer_what_was_lost(call: str, code: Result) -> None:
    """Launches return these codes too, and a code for a kernel timeout."""
    machine = fakecuda.Machine("h200")
    with ready(machine) as a:
        _, context = a.c.cuCtxCreate(None, 0, 0)
        _, function = a.c.cuModuleGetFunction(a.c.cuModuleLoadData(PTX)[1], b"empty")
        machine.poison(a, context, code)
        assert LAUNCHES[call](a, function)[0] == code


def test_every_documented_sticky_code_is_shown() -> None:
    """Each call with a documented sticky code is in the table above."""
    documented = {row.function for row in codes.pairs() if row.code in FAULTS}
    assert documented <= {*CALLS, *LAUNCHES}
    assert {row.code for row in codes.pairs() if row.code in FAULTS} <= {Result.EXTERNAL_DEVICE, Result.LAUNCH_TIMEOUT}


@pytest.mark.parametrize("code", [None, Result.CONTAINED, Result.LAUNCH_FAILED])
def test_a_lost_device_fails_its_contexts(code: int | None) -> None:
    """A lost device fails its contexts in every process, and no other contexts."""
    machine = fakecuda.Machine("h200-x2")
    with ready(machine) as a:
        b = another(machine)
        contexts = [process.c.cuCtxCreate(None, 0, device)[1] for process in (a, b) for device in (0, 1)]
        machine.lose_device(1, *([] if code is None else [code]))
        sticky = Result.ECC_UNCORRECTABLE if code is None else code
        for process in (a, b):
            assert process.c.cuMemAlloc(512) == (sticky, None)
            process.c.cuCtxPopCurrent()
            assert process.c.cuMemAlloc(512)[0] == Result.SUCCESS
        machine.lose_device(0)
        a.c.cuCtxSetCurrent(contexts[1])
        assert a.c.cuCtxSynchronize() == (sticky,)


def test_the_first_fault_of_a_context_stays() -> None:
    """A context keeps its first sticky error; controls are not logged as calls."""
    machine = fakecuda.Machine("h200")
    with ready(machine) as a:
        _, context = a.c.cuCtxCreate(None, 0, 0)
        calls = len(machine.calls)
        machine.poison(a, context)
        machine.lose_device(0)
        assert len(machine.calls) == calls
        machine.check_invariants()
        assert a.c.cuMemAlloc(512) == (Result.ILLEGAL_ADDRESS, None)


def test_work_that_meets_no_memory_fails_the_process() -> None:
    """Work without memory fails all contexts of its process, but no other process."""
    machine = fakecuda.Machine("h200-x2", strict=False)
    with ready(machine) as a:
        b = another(machine)
        b.c.cuCtxCreate(None, 0, 0)
        _, elsewhere = a.c.cuCtxCreate(None, 0, 1)
        _, second = a.c.cuCtxCreate(None, 0, 0)
        gate, place, waiting = blocked(a)
        a.c.cuMemsetD8Async(place, 1, 1 << 16, waiting)
        a.c.cuStreamWriteValue32(waiting, gate, 2, 0)
        a.c.cuMemUnmap(place, GRANULE)
        assert a.c.cuStreamQuery(waiting) == (Result.NOT_READY,)
        a.c.cuStreamWriteValue32(2, gate, 1, 0)
        for _ in range(2):
            assert a.c.cuCtxSynchronize() == (Result.ILLEGAL_ADDRESS,)
            a.c.cuCtxPopCurrent()
        assert a.c.cuCtxCreate(None, 0, 0) == (Result.ILLEGAL_ADDRESS, None)
        assert broken(machine) is FAULTS[Result.ILLEGAL_ADDRESS]
        assert a.c.cuDevicePrimaryCtxRetain(0) == (Result.ILLEGAL_ADDRESS, None)
        assert a.c.cuCtxDestroy(second) == (Result.SUCCESS,)
        assert a.c.cuCtxCreate(None, 0, 0) == (Result.ILLEGAL_ADDRESS, None)
        assert a.c.cuCtxGetCurrent() == (Result.SUCCESS, elsewhere)
        assert a.c.cuMemAlloc(512)[0] == Result.ILLEGAL_ADDRESS
        assert a.c.cuCtxCreate(None, 0, 1)[0] == Result.ILLEGAL_ADDRESS
        assert b.c.cuMemAlloc(512)[0] == Result.SUCCESS
        assert b.c.cuCtxCreate(None, 0, 0)[0] == Result.SUCCESS
        machine.check_invariants()


@pytest.mark.parametrize(
    ("flags", "size", "code"), [(0, 64, 719), (1, 64, 719), (3, 64, 0), (1, 4096, 719), (1, 4097, 700)]
)
def test_access_that_is_taken_fails_work(flags: int, size: int, code: int) -> None:
    """A memset checks access again when it runs; its length decides the code."""
    machine = fakecuda.Machine("h200", strict=False)
    with ready(machine) as a:
        gate, place, waiting = blocked(a)
        a.c.cuMemsetD8Async(place, 1, size, waiting)
        a.c.cuMemSetAccess(place, GRANULE, (((1, 0), flags),), 1)
        a.c.cuStreamWriteValue32(2, gate, 1, 0)
        assert a.c.cuStreamSynchronize(waiting) == (code,)


@pytest.mark.parametrize("later", [False, True])
def test_a_value_that_may_not_be_written_fails_the_process(later: bool) -> None:  # noqa: FBT001 - a parameter
    """A write to read-only memory fails all contexts of the process, and new ones."""
    machine = fakecuda.Machine("h200", strict=False)
    with ready(machine) as a:
        a.c.cuCtxCreate(None, 0, 0)
        gate, place, waiting = blocked(a)
        if later:
            a.c.cuStreamWriteValue32(waiting, place, 7, 0)
        a.c.cuMemSetAccess(place, GRANULE, (((1, 0), 1),), 1)
        if not later:
            assert a.c.cuStreamWriteValue32(waiting, place, 7, 0) == (Result.SUCCESS,)
        a.c.cuStreamWriteValue32(2, gate, 1, 0)
        assert a.c.cuStreamSynchronize(waiting) == (Result.LAUNCH_FAILED,)
        a.c.cuCtxPopCurrent()
        assert a.c.cuCtxSynchronize() == (Result.LAUNCH_FAILED,)
        assert a.c.cuCtxCreate(None, 0, 0) == (Result.LAUNCH_FAILED, None)
        assert broken(machine) is PROCESS_IS_SOUND


def blocked(a: fakecuda.Process) -> tuple[int, int, int]:
    """Return memory that a new stream waits for to be 1, other memory, and the stream."""
    a.c.cuCtxCreate(None, 0, 0)
    _, gate = a.c.cuMemAlloc(4096)
    a.c.cuMemsetD8(gate, 0, 4096)
    place = half_mapped_by(a)
    _, waiting = a.c.cuStreamCreate(1)
    a.c.cuStreamWaitValue32(waiting, gate, 1, 1)
    return gate, place, waiting


def half_mapped_by(a: fakecuda.Process) -> int:
    """Return a reservation of two granules; the device can write only the first."""
    address: int = a.c.cuMemAddressReserve(2 * GRANULE, 0, 0, 0)[1]
    handle = a.c.cuMemCreate(GRANULE, prop(), 0)[1]
    a.c.cuMemMap(address, GRANULE, 0, handle, 0)
    a.c.cuMemSetAccess(address, GRANULE, (((1, 0), 3),), 1)
    return address
