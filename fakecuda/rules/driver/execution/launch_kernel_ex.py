"""cuLaunchKernelEx: launch a kernel in a stream, with launch attributes.

Priorities, policies, hints and programmatic dependencies only change when and where a device runs a kernel, not an
answer:
a kernel of the model does not release its dependents before its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.code.kernels import Config
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.core.initialized import require_driver_callable
from fakecuda.rules.driver.execution.arguments import arguments
from fakecuda.rules.driver.execution.launch_attributes import RULES, asked_for, recorded
from fakecuda.rules.driver.execution.launch_kernel import (
    ANY,
    LOADED_ALONE,
    LOADED_AT_ONCE,
    at_once,
    clustered,
    launched_by_itself,
    roomy,
    shaped,
)
from fakecuda.rules.driver.execution.submitted import submit
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.launch_config import ATTRIBUTES, STREAM

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.code.code import Entry
    from fakecuda.model.code.kernels import Dim

CONFIG_IS_GIVEN = Rule(
    "`config` is not null",
    Result.INVALID_VALUE,
    manual("cuLaunchKernelEx", "with the specified launch-time configuration config"),
    fix="pass the address of a CUlaunchConfig",
)
PREFERRED_CLUSTER_FITS = Rule(
    "the preferred cluster divides the grid, respects .maxclusterrank, and is a multiple of the regular cluster with "
    "equal z",
    Result.INVALID_CLUSTER_SIZE,
    manual(
        "cuLaunchKernelEx",
        "must be an integer multiple greater than zero of the regular cluster dimension and must divide the grid",
    ),
    fix="choose a multiple of the regular cluster that divides the grid",
)
LOADED_AS_CONFIGURED = tuple({*LOADED_ALONE, *LOADED_AT_ONCE, *RULES, PREFERRED_CLUSTER_FITS})
"""Rules that are checked when a library's first launch has loaded it."""


@guard
def configured(call: Call, config: tuple[Any, ...] | None) -> tuple[Any, ...]:
    """Return the configuration of a launch, which must not be null."""
    require_driver_callable(call)
    if config is None:
        raise CONFIG_IS_GIVEN.broken()
    return config


def dimensions(config: tuple[Any, ...]) -> Config:
    """Return the grid, the block and the shared memory of a configuration."""
    return Config(config[0:3], config[3:6], config[6])


@guard
def preferring(entry: Entry, grid: Dim, cluster: Dim | None, preferred: Dim | None) -> None:
    """Check the preferred cluster size, which may replace the regular cluster size.

    Args:
        entry: The kernel.
        grid: The grid.
        cluster: The regular cluster; None for none, which is one of one block.
        preferred: The other one; None for none.
    """
    if preferred is None:
        return
    cluster = cluster or ANY
    whole = all(many and not many % one for many, one in zip(preferred, cluster, strict=True))
    divides = whole and not any(a % b for a, b in zip(grid, preferred, strict=True))
    x, y, z = preferred
    if not divides or z != cluster[2] or 0 < entry.rank < x * y * z:
        raise PREFERRED_CLUSTER_FITS.broken(preferred=preferred, cluster=cluster, grid=grid, most=entry.rank)


@DRIVER.op(
    "cuLaunchKernelEx",
    acts_before=LOADED_AS_CONFIGURED,
    several="a library becomes a module when its kernel is first launched in a context",
)
def launch_kernel_ex(call: Call, config: tuple[Any, ...] | None, f: int, params: int, extra: int) -> None:
    """Have a stream run a kernel.

    Args:
        call: The call.
        config: How, as :mod:`fakecuda.spec.launch_config` has it.
        f: A CUfunction, or a CUkernel.
        params: The address of an array of pointers, one for each parameter; 0 for none.
        extra: The address of names and values that tell of a buffer with all of them; 0 for none.
    """
    # CHECK
    given = configured(call, config)
    function, stream = launched_by_itself(call, f, given[STREAM])
    args = arguments(call, function.entry, params, extra)
    wanted = asked_for(call, function, stream, given[ATTRIBUTES])
    shape = dimensions(given)
    shaped(function, shape)
    events = recorded(call, stream, wanted)
    preferring(function.entry, shape.grid, clustered(function, shape, wanted.cluster, wanted.mode), wanted.preferred)
    if wanted.cooperative:
        at_once(function, shape)
    else:
        roomy(function, shape)
    # EFFECT
    submit(call, function, shape._replace(cooperative=wanted.cooperative, cluster=wanted.cluster), args, stream, events)
