"""Cluster occupancy: how many clusters run at once, and the maximum size.

A cluster runs on the multiprocessors of one processing cluster. A card does not report their number; the model takes as
few as possible, with at most :data:`TOGETHER` multiprocessors each, in pairs.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from fakecuda.rules.core import Rule, guard, observed
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.execution.launch_attributes import asked_for, recorded
from fakecuda.rules.driver.execution.launch_kernel import (
    GRID,
    GRID_FITS,
    cluster_of,
    clustered,
    entered,
    most_of_cluster,
    running_in,
    within,
)
from fakecuda.rules.driver.execution.launch_kernel_ex import configured, dimensions
from fakecuda.rules.driver.execution.resources import MULTIPROCESSORS, blocks_held, of_function
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.launch_config import ATTRIBUTES, STREAM

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.code.module import Function
    from fakecuda.rules.driver.execution.launch_attributes import Asked

    Known = tuple[Function, Asked, int]

TOGETHER = 18
"""The maximum multiprocessors of a GPU processing cluster (GPC)."""
PAIR = 2

KERNEL_TO_COUNT_IS_GIVEN = Rule(
    "`func` is not null",
    Result.INVALID_VALUE,
    observed("cuOccupancyMaxActiveClusters", "the driver answers INVALID_VALUE to a null argument, even before cuInit"),
    fix="pass a CUfunction or a CUkernel",
)


def _parts(multiprocessors: int) -> list[int]:
    """Return the number of multiprocessors of each GPU processing cluster (GPC)."""
    pairs, count = multiprocessors // PAIR, -(-multiprocessors // TOGETHER)
    return [PAIR * (pairs // count + (number < pairs % count)) for number in range(count)]


@guard
def _known(call: Call, handle: int, config: tuple[Any, ...] | None) -> Known:
    """Return a function, its launch attributes, and its blocks per multiprocessor."""
    given = configured(call, config)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if not handle:
        raise KERNEL_TO_COUNT_IS_GIVEN.broken()
    function, stream = running_in(call, handle, given[STREAM], entered(call, given[STREAM]))
    asked = asked_for(call, function, stream, given[ATTRIBUTES])
    recorded(call, stream, asked)
    shape = dimensions(given)
    device = function.module.context.device
    if not within(shape.grid, device, GRID):
        raise GRID_FITS.broken(grid=shape.grid)
    clustered(function, shape, asked.cluster, asked.mode)
    x, y, z = shape.block
    count = x * y * z
    held = blocks_held(function.entry, device, partial(of_function, function), count, shape.shared) if count else 0
    return function, asked, held


@DRIVER.op("cuOccupancyMaxActiveClusters")
def occupancy_max_active_clusters(call: Call, handle: int, config: tuple[Any, ...] | None) -> int:
    """Return how many clusters of a launch run at once.

    Args:
        call: The call.
        handle: A CUfunction, or a CUkernel.
        config: The launch, as :mod:`fakecuda.spec.launch_config` has it; its cluster may be the compiled one, or of one block.
    """
    # CHECK
    function, asked, held = _known(call, handle, config)
    cluster = cluster_of(function, asked.cluster, asked.mode)
    # EFFECT
    if cluster is None:
        return 0
    x, y, z = cluster
    multiprocessors = function.module.context.device.profile.attributes[MULTIPROCESSORS]
    return sum(part * held // (x * y * z) for part in _parts(multiprocessors))


@DRIVER.op("cuOccupancyMaxPotentialClusterSize")
def occupancy_max_potential_cluster_size(call: Call, handle: int, config: tuple[Any, ...] | None) -> int:
    """Return the largest cluster size of a launch that can run, whatever the compiled size is.

    Args:
        call: The call.
        handle: A CUfunction, or a CUkernel.
        config: The launch, as :mod:`fakecuda.spec.launch_config` has it; its cluster does not count, but has to fit.
    """
    # CHECK
    function, asked, held = _known(call, handle, config)
    # EFFECT
    return most_of_cluster(function, asked.mode) if held else 0
