"""Memory in the runtime API: 0 bytes allocate nothing, and null frees nothing.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import spoil
from conformance.cases.runtime.fixtures import EXTENT, HERE, PAGE, POOL, managed, memory, pinned, pool, pooled
from conformance.cases.runtime.test_capture import GLOBAL, captured
from conformance.kit.case import Entry, suite
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

VAST = 1 << 60

alloc = Entry.of("cudaMalloc", lambda _: (PAGE,))
alloc.null("devPtr", "RESULTS_ARE_GIVEN")
alloc.also("nothing", size=0)
alloc.also("too much", size=VAST, rule="memory.mem_alloc.MEMORY_SUFFICES")


@alloc.also("no device admits contexts", rule="DEVICE_IS_NOT_PROHIBITED")
def prohibited(w: World, i: Invocation) -> Invocation:
    """Allocate in a process without a context."""
    for number in range(len(w.model.devices)):
        w.model.set_compute_mode(number, "PROHIBITED")
    return w.process(context=False).call(i.call, **i.args)


alloc.model_only("no-device-admits-contexts", code=Result.DEVICE_UNAVAILABLE)


@alloc.also("work of the process has failed", rule="PROCESS_HAS_NOT_FAILED")
def failed(w: World, i: Invocation) -> Invocation:
    """Allocate without a context after another context's work has failed."""
    a = w.process()
    spoil(a)
    a.ok.cuCtxPopCurrent()
    return a.call(i.call, **i.args)


alloc.model_only("work-of-the-process-has-failed", code=Result.DEVICE_UNAVAILABLE)  # as for cuCtxCreate


free = Entry.of("cudaFree", lambda a: (memory(a),))
free.also("null", devPtr=0)
free.also("inside", devPtr=lambda i: i.args["devPtr"] + 8, rule="POINTER_IS_A_BASE")

host = Entry.of("cudaHostAlloc", lambda _: (PAGE, 0))
host.null("pHost", "RESULTS_ARE_GIVEN")
host.also("nothing", size=0)
host.also("nothing with unknown flags", size=0, flags=64)
host.also("unknown flags", flags=64, rule="FLAGS_ARE_KNOWN")

plain = Entry.of("cudaMallocHost", lambda _: (PAGE,))
plain.null("ptr", "RESULTS_ARE_GIVEN")
plain.also("nothing", size=0)

free_host = Entry.of("cudaFreeHost", lambda a: (pinned(a),))
free_host.also("null", ptr=0)
free_host.also("inside", ptr=lambda i: i.args["ptr"] + 8, rule="POINTER_IS_A_BASE")

for one, pointer in ((free, "devPtr"), (free_host, "ptr")):

    @one.after("null while a stream is captured")
    def null_while_captured(_w: World, i: Invocation, _results: tuple[Plain, ...], pointer: str = pointer) -> None:
        """It breaks the capture, as freeing something does."""
        begun = captured(i.process, GLOBAL)
        assert i.evolve(**{pointer: 0}).run() == (Result.STREAM_CAPTURE_UNSUPPORTED,)
        assert i.process.c.cuStreamEndCapture(begun)[0] == Result.STREAM_CAPTURE_INVALIDATED


pitch = Entry.of("cudaMallocPitch", lambda _: (100, 10))
pitch.null("devPtr", "RESULTS_ARE_GIVEN")
pitch.null("pitch", "RESULTS_ARE_GIVEN")
pitch.also("no bytes", width=0)
pitch.also("no rows", height=0)
pitch.also("too wide", width=(1 << 64) - 1, height=1, rule="SIZE_IS_A_SIZE_T")

slices = Entry.of("cudaMalloc3D", lambda _: (EXTENT,))
slices.null("pitchedDevPtr", "RESULTS_ARE_GIVEN")
slices.also("no slices", extent=(16, 2, 0))
slices.also("no rows", extent=(16, 0, 2))
slices.also("no bytes", extent=(0, 2, 2))

make_pool = Entry.of("cudaMemPoolCreate", lambda _: (POOL,))
make_pool.also("no properties", poolProps=None, rule="PROPERTIES_ARE_GIVEN")
make_pool.also("another device", poolProps=(1, 0, (1, 99), 0, 0, 0), rule="pool.mem_pool_create.DEVICE_IS_THERE")

free_in_order = Entry.of("cudaFreeAsync", lambda a: (pooled(a), 0))
free_in_order.also("null", devPtr=0)
free_in_order.also("managed memory", devPtr=lambda i: managed(i.process), rule="MEMORY_IS_NOT_MANAGED")


@alloc.after("the driver API frees it")
def freed(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    assert i.c.cuMemFree(results[0]) == (Result.SUCCESS,)


free.also("what the driver API allocated", devPtr=lambda i: i.process.ok.cuMemAlloc(PAGE))


@free.also("twice", rule="POINTER_IS_A_BASE")
def twice(_w: World, i: Invocation) -> None:
    i.run()


@free.also("while another device is the thread's")
def elsewhere(w: World, i: Invocation) -> None:
    w.needs_devices(2)
    i.process.ok.cudaSetDevice(1)


free.also("memory of a pool", devPtr=lambda i: pooled(i.process))


access = Entry.of("cudaMemPoolSetAccess", lambda a: (pool(a), ((HERE, 3),), 1))
access.breaks("ACCESS_IS_WHOLE", descList=((HERE, 1),))
access.also("no descriptions", descList=None, count=0)
access.undefined("DESCRIPTIONS_ARE_GIVEN", code=Result.INVALID_VALUE, descList=None)

test_memory = suite(alloc, free, host, plain, free_host, pitch, slices, make_pool, free_in_order, access)
