"""Launches of kernels without parameters, because arguments are host addresses.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.library.fixtures import ELSEWHERE, kernel, without_library
from conformance.cases.driver.module.fixtures import HUGE, function, launcher, module, no_room, refuse_function
from conformance.cases.driver.stream import fixtures as streams
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry
from conformance.kit.kernels import LAUNCHERS, NEWER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World


MOST_SHARED = 8
"""CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES."""
SIZES = ("gridDimX", "gridDimY", "gridDimZ", "blockDimX", "blockDimY", "blockDimZ")
ONE: dict[str, Any] = dict.fromkeys(SIZES, 1)


END, BUFFER_POINTER, BUFFER_SIZE = range(3)
"""CU_LAUNCH_PARAM_*."""


def plain(w: World) -> Invocation:
    a = w.process()
    return a.call("cuLaunchKernel", f=function(a), **ONE, sharedMemBytes=0, hStream=0, kernelParams=0, extra=0)


def cooperative(w: World) -> Invocation:
    a = w.process()
    return a.call("cuLaunchCooperativeKernel", f=function(a), **ONE, sharedMemBytes=0, hStream=0, kernelParams=0)


def given_to(a: Process, place: int, size: int = 12) -> tuple[int, int, int]:
    """Return two kernel arguments: pointers, a buffer with size, and one without."""
    params = a.host_memory(256)
    both, short, told = params + 64, params + 128, params + 192
    a.write(params, (params + 16, params + 24, place, 7))
    a.write(told, (size,))
    a.write(both, (BUFFER_POINTER, params + 16, BUFFER_SIZE, told, END))
    a.write(short, (BUFFER_POINTER, params + 16, END))
    return params, both, short


def too_long(i: Invocation) -> int:
    """Return a 16-byte argument buffer for a kernel with 12 bytes of parameters."""
    return given_to(i.process, streams.word(i.process), 16)[1]


def done(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Wait for the launch."""
    i.process.ok.cuCtxSynchronize()


def of_a_cluster(i: Invocation) -> int:
    """Return a function with its own cluster size of two blocks."""
    a = i.process
    found: int = a.ok.cuModuleGetFunction(module(a, NEWER), b"clustered")
    return found


def of_one_side(a: Process) -> int:
    """Return a function that requires a cluster width, but no height."""
    made = function(a)
    a.ok.cuFuncSetAttribute(made, 11, 1)
    return made


def launches(entry: Entry, too_much: str, given: Callable[..., dict[str, Any]] = dict) -> None:
    """Add the cases that every launch has.

    Args:
        entry: The entry.
        too_much: The rule that too much shared memory breaks.
        given: Returns the call's arguments from those of cuLaunchKernel.
    """
    refuse_function(entry, "f")

    for size in SIZES:
        rule = "GRID_FITS" if size.startswith("grid") else "BLOCK_FITS"
        entry.breaks(rule, f"{size} is 0", **given(**{size: 0}))
    entry.breaks("GRID_FITS", **given(gridDimY=65536))
    entry.breaks("BLOCK_FITS", **given(blockDimX=1025))
    entry.breaks("BLOCK_FITS", "as it was compiled", **given(f=lambda i: function(i.process, b"most"), blockDimX=129))
    for name, threads in {"": 64, "as many in another shape": 128, "of two threads": 2}.items():
        entry.breaks(
            "BLOCK_IS_THE_COMPILED_ONE", name, **given(f=lambda i: function(i.process, b"exact"), blockDimX=threads)
        )
    entry.also(
        "the compiled block", then=done, **given(f=lambda i: function(i.process, b"exact"), blockDimX=64, blockDimY=2)
    )
    entry.also("one thread of a kernel with a compiled block", f=lambda i: function(i.process, b"exact"), then=done)
    entry.breaks(too_much, **given(sharedMemBytes=49153))
    entry.breaks(too_much, "beside its own", **given(f=lambda i: function(i.process, b"fixed"), sharedMemBytes=45057))
    entry.breaks("CLUSTER_FITS", f=of_a_cluster)
    entry.breaks("CLUSTER_FITS", "a side that attributes require", **given(f=lambda i: of_one_side(i.process)))
    entry.breaks("ARGUMENTS_ARE_GIVEN", f=lambda i: function(i.process, b"store"))
    entry.breaks("LAUNCHERS_ARE_NODES", f=lambda i: launcher(i.process))
    entry.breaks("LAUNCHERS_ARE_NODES", "by a function", f=lambda i: launcher(i.process, b"caller"))
    entry.breaks("LAUNCHERS_ARE_NODES", "a library's", f=lambda i: kernel(i.process, b"launcher", LAUNCHERS))
    entry.breaks("LAUNCHERS_ARE_NODES", "and no grid", **given(gridDimX=0), f=lambda i: launcher(i.process))
    entry.also("a kernel beside one that launches graphs", f=lambda i: launcher(i.process, b"empty"), then=done)
    entry.breaks("STREAM_IS_THE_FUNCTION_S", **given(hStream=lambda i: streams.elsewhere(i.process)[0]))
    entry.breaks("FUNCTION_IS_NO_KERNEL", f=lambda i: module(i.process))
    entry.model_only("FUNCTION_IS_NO_KERNEL", code=Result.INVALID_HANDLE)  # a driver follows a module's handle
    no_room(entry, f=lambda i: kernel(i.process, image=HUGE))
    entry.undefined("KERNEL_IS_LOADED", code=Result.INVALID_HANDLE, f=lambda i: without_library(i.process))
    entry.breaks("TARGET_IS_THE_DEVICE_S", f=lambda i: kernel(i.process, jit=ELSEWHERE))
    entry.also("a kernel", f=lambda i: kernel(i.process), then=done)
    entry.also(
        "a kernel in a created stream",
        **given(f=lambda i: kernel(i.process), hStream=lambda i: streams.stream(i.process)),
    )
    entry.also("a created stream", then=done, **given(hStream=lambda i: streams.stream(i.process)))
    entry.also("many blocks", then=done, **given(gridDimX=100, blockDimX=128, sharedMemBytes=49152))
    entry.also("a cluster of its own", then=done, **given(f=of_a_cluster, gridDimX=2))

    @entry.world("STREAM_IS_THE_FUNCTION_S", "another context is current")
    def another(_w: World, i: Invocation) -> None:
        i.process.ok.cuCtxCreate(None, 0, i.process.device)

    @entry.also("no context beside the stream's")
    def of_the_stream(_w: World, i: Invocation) -> Invocation:
        stream = streams.stream(i.process)
        i.process.ok.cuCtxPopCurrent()
        changed = given(hStream=stream)
        return i.evolve(**{name: one(i) if callable(one) else one for name, one in changed.items()})

    @entry.world("CONTEXT_IS_ALIVE", "a kernel in a destroyed context", "f")
    def destroyed(_w: World, i: Invocation) -> Invocation:
        handle = kernel(i.process)
        i.process.thread("other").c.cuCtxDestroy(i.process.context)
        return i.evolve(f=handle)

    @entry.world("CONTEXT_IS_CURRENT", "a kernel in no context", "f")
    def nowhere(_w: World, i: Invocation) -> Invocation:
        handle = kernel(i.process)
        i.process.ok.cuCtxPopCurrent()
        return i.evolve(f=handle)


launch_kernel = Entry("cuLaunchKernel", plain, done)
launches(launch_kernel, "SHARED_MEMORY_IS_THERE")
streams.refuse(launch_kernel)


for case, size, stored in (("pointers to arguments", 0, 7), ("a buffer of arguments", 12, 7), ("a short buffer", 8, 0)):

    @launch_kernel.also(case)
    def with_arguments(_w: World, i: Invocation, size: int = size, stored: int = stored) -> None:
        """Check that missing bytes of a short buffer are 0."""
        a, place = i.process, streams.word(i.process)
        params, extra, _ = given_to(a, place, size)
        a.ok.cuLaunchKernel(function(a, b"store"), *[1] * 6, 0, 0, *((0, extra) if size else (params, 0)))
        a.ok.cuCtxSynchronize()
        assert content(a, place) == bytes([stored, 0, 0, 0])


launch_kernel.model_only("a-short-buffer", code=Result.SUCCESS)
for case in ("both ways", "a buffer without a size", "an unknown name", "a null pointer to one"):

    @launch_kernel.world("ARGUMENTS_ARE_GIVEN", case, "f")
    def given_wrongly(_w: World, i: Invocation, case: str = case) -> Invocation:
        a = i.process
        params, extra, short = given_to(a, streams.word(a))
        if case == "an unknown name":
            a.write(short, (9, 9, END))
        if case == "a null pointer to one":
            a.write(params + 8, (0,))
        pairs = {"both ways": (params, extra), "a null pointer to one": (params, 0)}
        given, more = pairs.get(case, (0, short))
        return i.evolve(f=function(a, b"store"), kernelParams=given, extra=more)


launch_kernel.breaks("BUFFER_FITS", f=lambda i: function(i.process, b"store"), extra=too_long)
launch_kernel.model_only(
    "ARGUMENTS_ARE_GIVEN-a-null-pointer-to-one", code=Result.INVALID_VALUE
)  # a driver may follow it
test_launch_kernel = launch_kernel.test()

launch_cooperative_kernel = Entry("cuLaunchCooperativeKernel", cooperative, done)
launches(launch_cooperative_kernel, "GRID_RUNS_AT_ONCE")
streams.refuse(launch_cooperative_kernel)
launch_cooperative_kernel.breaks("GRID_RUNS_AT_ONCE", "more blocks", gridDimX=132 * 32 + 1)


@launch_cooperative_kernel.world("SHARED_MEMORY_IS_THERE")
def less_than_was_set(_: World, i: Invocation) -> Invocation:
    """Request more dynamic shared memory than the function's maximum."""
    i.process.ok.cuFuncSetAttribute(i.args["f"], MOST_SHARED, 1)
    return i.evolve(sharedMemBytes=1024)


launch_cooperative_kernel.also("all that run at once", gridDimX=132 * 32, then=done)
test_launch_cooperative_kernel = launch_cooperative_kernel.test()
