"""How many clusters run at once, and the maximum cluster size.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.execution.launch_config import PLAIN, attribute, clustered, in_config
from conformance.cases.driver.execution.test_launch_kernel import of_a_cluster
from conformance.cases.driver.execution.test_launch_kernel_ex import asking, wide
from conformance.cases.driver.library.fixtures import ELSEWHERE, kernel, without_library
from conformance.cases.driver.module.fixtures import HUGE, function, module, no_room, refuse_function
from conformance.cases.driver.stream import fixtures as streams
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

ACTIVE, POTENTIAL = "cuOccupancyMaxActiveClusters", "cuOccupancyMaxPotentialClusterSize"
"""The calls."""
EIGHT = (8, *PLAIN[1:-1], clustered(8))
"""One cluster of eight blocks."""


def entry_of(call: str, result: str) -> Entry:
    """Return the entry of a call, with the common refusals."""

    def valid(w: World) -> Invocation:
        a = w.process()
        return a.call(call, func=function(a), config=EIGHT)

    entry = Entry(call, valid)
    entry.null(result, "RESULT_IS_GIVEN")
    refuse_function(entry, "func", "KERNEL_TO_COUNT_IS_GIVEN")
    asking(entry, *clustered(8))
    entry.breaks("STREAM_IS_THE_FUNCTION_S", **in_config(hStream=lambda i: streams.elsewhere(i.process)[0]))
    entry.breaks("FUNCTION_IS_NO_KERNEL", func=lambda i: module(i.process))
    entry.model_only("FUNCTION_IS_NO_KERNEL", code=Result.INVALID_HANDLE)  # a driver follows a module's handle
    no_room(entry, func=lambda i: kernel(i.process, image=HUGE))
    entry.undefined("KERNEL_IS_LOADED", code=Result.INVALID_HANDLE, func=lambda i: without_library(i.process))
    entry.breaks("TARGET_IS_THE_DEVICE_S", func=lambda i: kernel(i.process, jit=ELSEWHERE))
    entry.also("a kernel", func=lambda i: kernel(i.process))
    entry.also("in a created stream", **in_config(hStream=lambda i: streams.stream(i.process)))
    entry.also("the compiled cluster", **in_config(func=of_a_cluster, attrs=()))
    entry.breaks("CLUSTER_FITS", "a grid of one block", **in_config(gridDimX=1))
    entry.breaks("CLUSTER_FITS", "a cluster that cannot be", **in_config(gridDimX=99, attrs=clustered(99)))
    entry.also("much memory", **in_config(sharedMemBytes=49152, blockDimX=1024))
    entry.also("too many threads", **in_config(blockDimX=1025))
    entry.also("no thread", **in_config(blockDimX=0))
    entry.also("too much memory", **in_config(sharedMemBytes=49153))
    entry.breaks("CLUSTER_FITS", "a grid that is no multiple", **in_config(gridDimX=3))
    entry.breaks("GRID_FITS", "no grid", **in_config(gridDimX=0))
    entry.breaks("GRID_FITS", "more rows than a device has", **in_config(gridDimY=65536))
    entry.also("where clusters may be wide", func=lambda i: wide(i.process))
    return entry


active = entry_of(ACTIVE, "numClusters")
active.also("no cluster", **in_config(attrs=()))
active.breaks("CLUSTER_FITS", "of 16 blocks", **in_config(gridDimX=16, attrs=clustered(16)))
active.breaks("CLUSTER_FITS", "another than the compiled one", func=of_a_cluster)
active.also(
    "of 16 blocks where that is allowed", **in_config(func=lambda i: wide(i.process), gridDimX=16, attrs=clustered(16))
)
for size in (1, 2, 4):
    active.also(f"of {size} blocks", **in_config(attrs=clustered(size)))
test_occupancy_max_active_clusters = active.test()

potential = entry_of(POTENTIAL, "clusterSize")
potential.also("no cluster", **in_config(attrs=()))
potential.also("cooperative", **in_config(attrs=(attribute("COOPERATIVE", 1),)))
test_occupancy_max_potential_cluster_size = potential.test()
