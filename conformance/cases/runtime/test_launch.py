"""Launches in the runtime API, of kernels of libraries and of a program.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EXECUTION.html
"""

from __future__ import annotations

from struct import pack
from typing import TYPE_CHECKING

from conformance.cases.runtime.fixtures_of_programs import EMPTY, KERNELS_OF_IMAGES, LACKED, NOTHING, STORE
from conformance.cases.runtime.test_library import kernel, of_linked_code, refuse_kernel
from conformance.kit.case import Entry, suite
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

ONE, THREADS, TOO_MANY = (1, 1, 1), (32, 1, 1), (1025, 1, 1)
BANNED = (0, 1, 1)
CLUSTER_DIMENSION = 4


def configuration(a: Process, grid: tuple[int, ...] = ONE, block: tuple[int, ...] = THREADS, shared: int = 0) -> int:
    """Return the address of a cudaLaunchConfig_t."""
    place = a.host_memory(4096)
    a.write(place, pack("<6IQQQQ", *grid, *block, shared, 0, 0, 0))
    return place


def in_clusters(i: Invocation) -> int:
    """Return a cudaLaunchConfig_t with clusters of three blocks for a grid of one."""
    a = i.process
    place, attribute = configuration(a), a.host_memory(4096)
    a.write(attribute, pack("<IxxxxIII52x", CLUSTER_DIMENSION, 3, 1, 1))
    a.write(place + 40, pack("<QI", attribute, 1))
    return place


def runs(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the kernel runs."""
    i.process.ok.cudaLaunchKernel(results[0], ONE, THREADS, 0, 0, 0)


launch = Entry.of("cudaLaunchKernel", lambda a: (kernel(a), ONE, THREADS, 0, 0, 0))
together = Entry.of("cudaLaunchCooperativeKernel", lambda a: (kernel(a), ONE, THREADS, 0, 0, 0))
configured = Entry.of("cudaLaunchKernelExC", lambda a: (configuration(a), kernel(a), 0))
finds = Entry.of("cudaGetKernel", lambda _: (EMPTY,), then=runs)
function = Entry.of("cudaGetFuncBySymbol", lambda _: (EMPTY,))

for one in (launch, together, configured):
    refuse_kernel(one)
    one.breaks("HOST_FUNCTION_IS_REGISTERED", func=lambda i: i.process.host_memory(8))
    one.breaks("KERNEL_IS_COMPILED", func=LACKED)
    of_linked_code(one, "func")
    for rule, of_image in KERNELS_OF_IMAGES.items():
        one.breaks(rule, func=of_image)
    one.breaks("ARGUMENTS_ARE_GIVEN", func=STORE)
    one.also("of a program", func=EMPTY)
for one in (launch, together):
    for name, grid in {"grid": BANNED, "wide grid": (1, 1 << 16, 1)}.items():
        one.breaks("GRID_FITS", name, gridDim=grid)
    for name, block in {"block": BANNED, "wide block": TOO_MANY, "large block": (32, 32, 2)}.items():
        one.breaks("BLOCK_FITS", name, blockDim=block)
launch.breaks("SHARED_MEMORY_IS_THERE", sharedMem=49153)
launch.breaks("BLOCK_IS_THE_COMPILED_ONE", func=lambda i: kernel(i.process, b"exact"))
launch.breaks("BLOCK_FITS", func=lambda i: kernel(i.process, b"most"), blockDim=(129, 1, 1))
together.breaks("GRID_RUNS_AT_ONCE", gridDim=(1 << 20, 1, 1))
for one in (launch, together):
    one.also("shared memory beyond 32 bits", sharedMem=1 << 40)
configured.undefined("LAUNCH_IS_CONFIGURED", code=Result.INVALID_VALUE, config=0)
configured.breaks("GRID_FITS", config=lambda i: configuration(i.process, BANNED))
configured.breaks("SHARED_MEMORY_IS_THERE", config=lambda i: configuration(i.process, shared=49153))


for one, argument in ((finds, "entryFuncAddr"), (function, "symbolPtr")):
    one.breaks("FUNCTION_IS_GIVEN", **{argument: 0})
    one.breaks("SYMBOL_IS_A_FUNCTION", **{argument: NOTHING})
    one.breaks("KERNEL_IS_COMPILED", **{argument: LACKED})
    of_linked_code(one, argument)
finds.null("kernelPtr", "RESULTS_ARE_GIVEN")
function.null("functionPtr", None)

called = Entry.of("cudaFuncGetName", lambda _: (STORE,))
called.null("name", "RESULTS_ARE_GIVEN")
parameter = Entry.of("cudaFuncGetParamInfo", lambda _: (STORE, 1))
parameter.null("paramOffset", "RESULT_IS_GIVEN")
parameter.null("paramSize", None)
parameter.breaks("PARAMETER_IS_ONE", paramIndex=2)
active = Entry.of("cudaOccupancyMaxActiveClusters", lambda a: (EMPTY, configuration(a)))
potential = Entry.of("cudaOccupancyMaxPotentialClusterSize", lambda a: (EMPTY, configuration(a)))
for one, argument in ((active, "config"), (potential, "config")):
    one.undefined("LAUNCH_IS_CONFIGURED", code=Result.INVALID_VALUE, **{argument: 0})
    one.breaks("BLOCK_HAS_THREADS", **{argument: lambda i: configuration(i.process, block=BANNED)})
    one.breaks("GRID_FITS", **{argument: lambda i: configuration(i.process, BANNED)})
active.breaks("CLUSTER_FITS", config=in_clusters)
active.null("numClusters", "RESULTS_ARE_GIVEN")
potential.null("clusterSize", "RESULTS_ARE_GIVEN")
for one in (called, parameter, active, potential):
    one.breaks("FUNCTION_IS_GIVEN", func=0)
    one.breaks("HOST_FUNCTION_IS_REGISTERED", func=lambda i: i.process.host_memory(8))
    one.breaks("KERNEL_IS_COMPILED", func=LACKED)
    of_linked_code(one, "func", "PARAMETER_IS_ONE" if one is parameter else "")
    one.also("of a library", func=lambda i: kernel(i.process, b"store"))

test_launch = suite(launch, together, configured, finds, function, called, parameter, active, potential)
