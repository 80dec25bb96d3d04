"""Pool memory in calls of other chapters: access, and order.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.cases.driver.context.fixtures import described, without
from conformance.cases.driver.copy.test_range import across
from conformance.cases.driver.pool.fixtures import HOST, HOST_NUMA, SIZE, freed, memory, opened, pool, props
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, PER_THREAD, block, stream
from conformance.cases.driver.stream.test_stream_batch_mem_op import write
from conformance.kit.program import Recorder
from conformance.kit.world import DEVICE, GRANULE, READ_WRITE, Session
from fakecuda.rules.driver.copy.range import HOST_POOLS_ARE_SUPPORTED, MEMORY_IS_A_DEVICE_S, POOL_GRANTS_ACCESS
from fakecuda.rules.driver.pool.handle import MEMORY_IS_ALLOCATED, MEMORY_IS_NOT_FREED, NO_IMPORTER_HAS_IT
from fakecuda.rules.driver.stream.stream_wait_value import MEMORY_IS_OF_NO_POOL
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.world import Invocation, Process
    from fakecuda.rules.core import Rule

CALLS: dict[str, Callable[[int], dict[str, Any]]] = {
    "cuMemFree": lambda ptr: {"dptr": ptr},
    "cuPointerGetAttribute": lambda ptr: {"attribute": 2, "ptr": ptr},
    "cuPointerGetAttributes": lambda ptr: {"numAttributes": 1, "attributes": (2,), "ptr": ptr},
    "cuStreamBatchMemOp": lambda ptr: {"stream": 0, "count": 1, "paramArray": (write(ptr, 0),), "flags": 0},
    "cuStreamWaitValue32": lambda ptr: {"stream": 0, "addr": ptr, "value": 0, "flags": 0},
    "cuStreamWaitValue64": lambda ptr: {"stream": 0, "addr": ptr, "value": 0, "flags": 0},
    "cuStreamWriteValue32": lambda ptr: {"stream": 0, "addr": ptr, "value": 0, "flags": 0},
    "cuStreamWriteValue64": lambda ptr: {"stream": 0, "addr": ptr, "value": 0, "flags": 0},
}
"""The arguments of calls on one address."""


def on(a: Process, call: str, ptr: int) -> Invocation:
    """Return a call on the first bytes of memory."""
    return a.call(call, **CALLS[call](ptr)) if call in CALLS else across(a, ptr + 8, call)


def calls(rule: Rule) -> list[str]:
    """Return the calls that check a rule."""
    return sorted(name for name, op in DRIVER.ops.items() if rule in op.rules)


ORDERED = [
    call
    for call in calls(MEMORY_IS_ALLOCATED)
    if MEMORY_IS_OF_NO_POOL not in DRIVER.ops[call].rules and call != "cuMemcpyAtoA"
]
"""Calls whose work with pool memory must come after its allocation."""
WAITING = {"cuMemcpyDtoH", "cuMemcpyDtoHAsync", "cuMemcpyHtoD"}
"""Calls that return once host memory is written."""
ON_HOST = {"cuMemcpyAtoH", "cuMemcpyAtoHAsync", "cuMemcpyHtoA", "cuMemcpyHtoAAsync"}
"""Copies with host addresses only, for which freed memory is unknown."""
QUEUED = {call for call in ORDERED if call.endswith("Async")}
"""Calls with a stream, here the per-thread stream."""


@pytest.mark.parametrize("call", calls(POOL_GRANTS_ACCESS))
def test_pool_grants_access(call: str) -> None:
    """A device has no access to another device's pool before it is granted."""
    with fakecuda.Machine("h200-x2", strict=False) as machine:
        a = Session(Recorder(machine)).world(call).process()
        source = pool(a, location=(DEVICE, 1))
        invocation = on(a, call, memory(a, source))
        assert invocation.run()[0] == Result.INVALID_VALUE
        assert machine.log[-1].rule is POOL_GRANTS_ACCESS
        a.ok.cuMemPoolSetAccess(source, (((DEVICE, 0), READ_WRITE),), 1)
        assert invocation.run()[0] == Result.SUCCESS


@pytest.mark.parametrize("call", calls(POOL_GRANTS_ACCESS))
@pytest.mark.parametrize("location", [(HOST, 0), (HOST_NUMA, 0)])
def test_memory_of_a_pool_of_the_host_is_the_host_s(call: str, location: tuple[int, int]) -> None:
    """Copies that need device memory refuse host pool memory, whatever is granted."""
    with fakecuda.Machine("h200", strict=False) as machine:
        a = Session(Recorder(machine)).world(call).process()
        source = pool(a, location=location)
        invocation = on(a, call, memory(a, source))
        refused = MEMORY_IS_A_DEVICE_S in DRIVER.ops[call].rules
        open_ = call.startswith("cuMemcpy") and not refused
        assert invocation.run()[0] == (Result.SUCCESS if open_ else Result.INVALID_VALUE)
        assert open_ or machine.log[-1].rule is (MEMORY_IS_A_DEVICE_S if refused else POOL_GRANTS_ACCESS)
        a.ok.cuMemPoolSetAccess(source, (((DEVICE, 0), READ_WRITE),), 1)
        assert invocation.run()[0] == (Result.INVALID_VALUE if refused else Result.SUCCESS)


def test_other_memory_of_the_host_is_taken_for_a_device_s() -> None:
    """Other host memory is accepted as device memory: page-locked and NUMA mappings."""
    with fakecuda.Machine("h200", strict=False) as machine:
        a = Session(Recorder(machine)).world("cuMemcpyDtoD").process()
        mapped = a.ok.cuMemAddressReserve(GRANULE, 0, 0, 0)
        a.ok.cuMemMap(mapped, GRANULE, 0, a.ok.cuMemCreate(GRANULE, (1, 0, (HOST_NUMA, 0), 0, (0, 0, 0)), 0), 0)
        a.ok.cuMemSetAccess(mapped, GRANULE, (((DEVICE, 0), READ_WRITE),), 1)
        for start in (a.ok.cuMemAllocHost(SIZE), mapped):
            assert a.c.cuMemcpyDtoD(start + 16, start, 16) == (Result.SUCCESS,)


@pytest.mark.parametrize("call", calls(HOST_POOLS_ARE_SUPPORTED))
def test_host_pools_are_supported(call: str) -> None:
    """Without support, host pools can be created and allocate unusable memory."""
    with fakecuda.Machine(without("HOST_MEMORY_POOLS_SUPPORTED"), strict=False) as machine:
        a = Session(Recorder(machine)).world(call).process()
        source = pool(a, location=(HOST, 0))
        a.ok.cuMemPoolSetAccess(source, (((DEVICE, 0), READ_WRITE),), 1)
        assert on(a, call, memory(a, source)).run()[0] == Result.INVALID_VALUE
        assert machine.log[-1].rule is HOST_POOLS_ARE_SUPPORTED


@pytest.mark.parametrize("location", [HOST, HOST_NUMA])
def test_each_kind_of_host_pools_is_supported(location: int) -> None:
    """A device attribute reports support of each kind of host pools."""
    names = {HOST: "HOST_MEMORY_POOLS_SUPPORTED", HOST_NUMA: "HOST_NUMA_MEMORY_POOLS_SUPPORTED"}
    for missing in (HOST, HOST_NUMA):
        with described(without(names[missing])) as c:
            c.cuCtxCreate(None, 0, 0)
            made = c.cuMemPoolCreate(props(location=(location, 0)))[1]
            ptr = c.cuMemAllocFromPoolAsync(SIZE, made, 0)[1]
            expected = Result.INVALID_VALUE if missing == location else Result.SUCCESS
            assert c.cuMemcpy(ptr, ptr + 8, 4) == (expected,)


@pytest.mark.parametrize("call", sorted({*calls(MEMORY_IS_NOT_FREED)} - ON_HOST))
def test_memory_is_not_freed(call: str) -> None:
    """A strict machine reports freed memory; the driver treats it as any address."""
    with fakecuda.Machine("h200") as machine:
        a = Session(Recorder(machine)).world(call).process()
        invocation = on(a, call, freed(a))
        with pytest.raises(fakecuda.UndefinedBehaviour) as raised:
            invocation.run()
        assert raised.value.finding.rule is MEMORY_IS_NOT_FREED
    with fakecuda.Machine("h200", strict=False) as machine:
        a = Session(Recorder(machine)).world(call).process()
        assert on(a, call, freed(a)).run()[0] in {Result.SUCCESS, Result.INVALID_VALUE}


@pytest.mark.parametrize("call", ORDERED)
def test_memory_is_allocated(call: str) -> None:
    """A strict machine reports work that is not ordered after the allocation."""
    with fakecuda.Machine("h200") as machine:
        world = Session(Recorder(machine)).world(call)
        a = world.process()
        waiting, source = stream(a, NON_BLOCKING), pool(a)
        unblock = block(world, a, waiting)
        done, early = memory(a, source), memory(a, source, stream=waiting)
        assert on(a, call, done).run()[0] == Result.SUCCESS
        invocation = on(a, call, early)
        with pytest.raises(fakecuda.UndefinedBehaviour) as raised:
            invocation.run()
        assert raised.value.finding.rule is MEMORY_IS_ALLOCATED
        unblock()
        assert invocation.run()[0] == Result.SUCCESS


@pytest.mark.parametrize("call", sorted({*ORDERED} - WAITING))
def test_memory_is_allocated_for_later_work(call: str) -> None:
    """Work after an event that follows the allocation is valid."""
    with fakecuda.Machine("h200") as machine:
        world = Session(Recorder(machine)).world(call)
        a = world.process()
        waiting = stream(a, NON_BLOCKING)
        unblock = block(world, a, waiting)
        invocation, event = on(a, call, memory(a, stream=waiting)), a.ok.cuEventCreate(0)
        a.ok.cuEventRecord(event, waiting)
        a.ok.cuStreamWaitEvent(PER_THREAD if call in QUEUED else 0, event, 0)
        assert invocation.run()[0] == Result.SUCCESS
        unblock()


@pytest.mark.parametrize("call", sorted(QUEUED - WAITING))
def test_memory_is_allocated_in_its_stream(call: str) -> None:
    """Work of the allocation's stream comes after the allocation."""
    with fakecuda.Machine("h200") as machine:
        world = Session(Recorder(machine)).world(call)
        a = world.process()
        waiting = stream(a, NON_BLOCKING)
        unblock = block(world, a, waiting)
        invocation = on(a, call, memory(a, stream=waiting)).evolve(hStream=waiting)
        assert invocation.run()[0] == Result.SUCCESS
        unblock()


def test_no_importer_has_it() -> None:
    """A strict machine also reports cuMemFree of memory with importers."""
    with fakecuda.Machine("h200") as machine:
        world = Session(Recorder(machine)).world("cuMemFree")
        a, b = world.process(), world.process()
        _, ptr = opened(a, b)
        with pytest.raises(fakecuda.UndefinedBehaviour) as raised:
            b.c.cuMemFree(ptr)
        assert raised.value.finding.rule is NO_IMPORTER_HAS_IT


def test_memory_ends_where_it_was_asked_for() -> None:
    """A block may extend beyond an allocation, which ends at its requested size."""
    with fakecuda.Machine("h200", strict=False) as machine:
        a = Session(Recorder(machine)).world("").process()
        ptr = memory(a, pool(a), SIZE)
        assert a.c.cuMemsetD8(ptr, 0, SIZE + 1) == (Result.INVALID_VALUE,)
        assert a.c.cuMemsetD8(ptr, 0, SIZE) == (Result.SUCCESS,)
