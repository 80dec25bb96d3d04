"""Launches of kernels with attributes.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.event import fixtures as events
from conformance.cases.driver.execution.fixtures import WIDTH
from conformance.cases.driver.execution.launch_config import (
    PLAIN,
    attribute,
    clustered,
    differing,
    far_too_large,
    in_config,
)
from conformance.cases.driver.execution.test_launch_kernel import done, launches, of_a_cluster, too_long
from conformance.cases.driver.module.fixtures import GARBAGE, function
from conformance.cases.driver.stream import fixtures as streams
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, Process, World

NO_TIME, INTERPROCESS = 2, 4
"""CU_EVENT_DISABLE_TIMING and CU_EVENT_INTERPROCESS."""
WIDE_CLUSTERS = 14
"""CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED."""
RECORDING = {"PROGRAMMATIC_EVENT": (0, 0), "LAUNCH_COMPLETION_EVENT": (0,)}
"""Attributes that record an event, and the following attribute."""


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuLaunchKernelEx", config=PLAIN, f=function(a), kernelParams=0, extra=0)


def event(a: Process, flags: int = NO_TIME) -> int:
    """Return a new event."""
    made: int = a.ok.cuEventCreate(flags)
    return made


def wide(a: Process) -> int:
    """Return a function that allows clusters of any size."""
    found = function(a)
    a.ok.cuFuncSetAttribute(found, WIDE_CLUSTERS, 1)
    return found


def asking(entry: Entry, *others: tuple[Any, ...]) -> None:
    """Add the cases of invalid streams and attributes, and of events with attributes."""
    entry.breaks("CONFIG_IS_GIVEN", config=None)
    entry.undefined("STREAM_IS_KNOWN", code=Result.INVALID_HANDLE, **in_config(hStream=GARBAGE))
    entry.undefined(
        "STREAM_IS_LIVE", code=Result.INVALID_CONTEXT, **in_config(hStream=lambda i: streams.destroyed(i.process))
    )
    entry.undefined(
        "STREAM_HAS_A_CONTEXT",
        code=Result.INVALID_CONTEXT,
        **in_config(hStream=lambda i: streams.without_context(i.process)),
    )
    entry.breaks("ATTRIBUTES_ARE_GIVEN", **in_config(attrs=None))
    entry.breaks("ATTRIBUTE_IS_A_LAUNCH_S", **in_config(attrs=((99,),)))
    entry.breaks(
        "ATTRIBUTE_IS_A_LAUNCH_S", "of a later driver", **in_config(attrs=(attribute("SHARED_MEMORY_MODE", 0),))
    )
    entry.breaks("LAUNCH_VALUE_IS_KNOWN", **in_config(attrs=(attribute("CLUSTER_SCHEDULING_POLICY_PREFERENCE", 9),)))
    entry.breaks(
        "LAUNCH_VALUE_IS_KNOWN", "carve-out", **in_config(attrs=(attribute("PREFERRED_SHARED_MEMORY_CARVEOUT", 101),))
    )
    entry.breaks(
        "LAUNCH_VALUE_IS_KNOWN", "NVLink", **in_config(attrs=(attribute("NVLINK_UTIL_CENTRIC_SCHEDULING", 2),))
    )
    entry.breaks("WINDOW_IS_NOT_TOO_LARGE", **in_config(attrs=far_too_large()))
    entry.breaks("HIT_RATIO_IS_A_SHARE", **in_config(attrs=(attribute("ACCESS_POLICY_WINDOW", 0, 0, 1.5, 0, 0),)))
    entry.breaks("MISSES_DO_NOT_PERSIST", **in_config(attrs=(attribute("ACCESS_POLICY_WINDOW", 0, 0, 0.5, 0, 2),)))
    entry.breaks("DOMAINS_ARE_THERE", **in_config(attrs=(attribute("MEM_SYNC_DOMAIN_MAP", 99, 0),)))
    entry.breaks("VALUE_IS_KNOWN", **in_config(attrs=(attribute("MEM_SYNC_DOMAIN", 99),)))
    for policy in (1, 99):
        entry.breaks(
            "ATTRIBUTE_IS_A_LAUNCH_S",
            f"synchronization policy {policy}",
            **in_config(attrs=(attribute("SYNCHRONIZATION_POLICY", policy),)),
        )
    entry.breaks("NODE_IS_CAPTURED", **in_config(attrs=(attribute("DEVICE_UPDATABLE_KERNEL_NODE", 1, 0),)))
    for name, rest in RECORDING.items():

        def recording(made: Any, *flags: int, name: str = name, rest: tuple[int, ...] = rest) -> dict[str, Any]:
            return in_config(attrs=lambda i: (attribute(name, made(i.process), *flags, *rest[len(flags) :]), *others))

        case = name.lower().replace("_", " ")
        entry.breaks("EVENT_TAKES_NO_TIME", f"{case}", **recording(lambda a: event(a, 0)))
        entry.breaks(
            "EVENT_TAKES_NO_TIME", f"{case} of others", **recording(lambda a: event(a, NO_TIME | INTERPROCESS))
        )
        entry.breaks("STREAM_IS_CAPTURING", f"{case}", **recording(event, 1))
        entry.breaks("LAUNCH_VALUE_IS_KNOWN", f"{case}", **recording(event, 2))
        entry.breaks("EVENT_IS_GIVEN", case, **recording(lambda _: 0))
        entry.breaks("EVENT_IS_THE_STREAM_S", case, **recording(elsewhere))
        entry.also(case, **recording(event))
    for rule, made in {
        "EVENT_IS_KNOWN": lambda _: GARBAGE,
        "EVENT_IS_LIVE": lambda i: events.destroyed(i.process),
        "EVENT_HAS_A_CONTEXT": lambda i: events.without_context(i.process),
    }.items():
        attributes = in_config(attrs=lambda i, made=made: (attribute("PROGRAMMATIC_EVENT", made(i), 0, 0), *others))
        entry.undefined(rule, code=entry.rule(rule).code, **attributes)


def elsewhere(a: Process) -> int:
    """Return an event of another context that is not current."""
    a.ok.cuCtxCreate(None, 0, a.device)
    made = event(a)
    a.ok.cuCtxPopCurrent()
    return made


entry = Entry("cuLaunchKernelEx", valid, done)
launches(entry, "SHARED_MEMORY_IS_THERE", in_config)
asking(entry)
entry.breaks("GRID_RUNS_AT_ONCE", **in_config(gridDimX=132 * 32 + 1, attrs=(attribute("COOPERATIVE", 1),)))
entry.breaks(
    "GRID_RUNS_AT_ONCE", "too much memory", **in_config(sharedMemBytes=49153, attrs=(attribute("COOPERATIVE", 1),))
)
entry.also("all that run at once", then=done, **in_config(gridDimX=132 * 32, attrs=(attribute("COOPERATIVE", 1),)))
entry.also("more than run at once", then=done, **in_config(gridDimX=132 * 32 + 1, attrs=(attribute("COOPERATIVE", 0),)))
for name, cluster, grid in (
    ("that do not divide the grid", (2, 1, 1), 3),
    ("of no block", (0, 1, 1), 2),
    ("of 16 blocks", (16, 1, 1), 16),
    ("of 16 blocks in two dimensions", (8, 2, 1), 16),
):
    entry.breaks("CLUSTER_FITS", f"clusters {name}", **in_config(gridDimX=grid, gridDimY=2, attrs=clustered(*cluster)))
entry.breaks(
    "CLUSTER_FITS", "another than the compiled one", **in_config(f=of_a_cluster, gridDimX=4, attrs=clustered(4))
)


@entry.world("CLUSTER_FITS", "another than the function requires")
def required(_: World, i: Invocation) -> Invocation:
    """Pass a function that requires only a cluster width."""
    of = function(i.process)
    i.process.ok.cuFuncSetAttribute(of, WIDTH, 2)
    return i.evolve(
        **{
            name: one(i) if callable(one) else one
            for name, one in in_config(f=of, gridDimX=4, attrs=clustered(4)).items()
        }
    )


entry.breaks("CLUSTER_FITS", "32 blocks", **in_config(f=lambda i: wide(i.process), gridDimX=32, attrs=clustered(32)))
entry.also(
    "16 blocks where that is allowed",
    then=done,
    **in_config(f=lambda i: wide(i.process), gridDimX=16, attrs=clustered(16)),
)
entry.also("a cluster", then=done, **in_config(gridDimX=4, gridDimY=2, attrs=clustered(2, 2)))
entry.also("the compiled cluster", then=done, **in_config(f=of_a_cluster, gridDimX=2, attrs=clustered(2)))
entry.also(
    "two clusters, of which the last counts", then=done, **in_config(gridDimX=3, attrs=(*clustered(2), *clustered(3)))
)
for name, preferred in {"no multiple": 3, "larger than the grid": 8, "none": 0}.items():
    both = (*clustered(2), attribute("PREFERRED_CLUSTER_DIMENSION", preferred, 1, 1))
    entry.breaks("PREFERRED_CLUSTER_FITS", name, **in_config(gridDimX=12, attrs=both))
entry.also(
    "a preferred cluster",
    then=done,
    **in_config(gridDimX=8, attrs=(*clustered(2), attribute("PREFERRED_CLUSTER_DIMENSION", 4, 1, 1))),
)
entry.breaks(
    "PREFERRED_CLUSTER_FITS",
    "alone",
    **in_config(gridDimX=3, attrs=(attribute("PREFERRED_CLUSTER_DIMENSION", 2, 1, 1),)),
)
for name, value in {
    "CLUSTER_SCHEDULING_POLICY_PREFERENCE": 1,
    "MEM_SYNC_DOMAIN": 1,
    "NVLINK_UTIL_CENTRIC_SCHEDULING": 1,
    "PREFERRED_SHARED_MEMORY_CARVEOUT": 50,
    "PRIORITY": -1,
    "PROGRAMMATIC_STREAM_SERIALIZATION": 1,
}.items():
    entry.also(name.lower().replace("_", " "), then=done, **in_config(attrs=(attribute(name, value),)))
entry.also("ignored", then=done, **in_config(attrs=((0,), (0,))))
entry.also("a priority that no stream has", then=done, **in_config(attrs=(attribute("PRIORITY", -99),)))
entry.breaks("BUFFER_FITS", f=lambda i: function(i.process, b"store"), extra=too_long)


@entry.also("an event is done behind the kernel")
def recorded(_w: World, i: Invocation) -> Invocation:
    a, made = i.process, event(i.process)
    a.ok.cuLaunchKernelEx(differing(i, attrs=(attribute("PROGRAMMATIC_EVENT", made, 0, 1),)), i.args["f"], 0, 0)
    a.ok.cuEventSynchronize(made)
    a.c.cuEventQuery(made)
    return i


# What is checked first where two things are wrong.
entry.also("no block and an unknown attribute", rule="ATTRIBUTE_IS_A_LAUNCH_S", **in_config(gridDimX=0, attrs=((99,),)))
entry.also("no function and an unknown attribute", rule="FUNCTION_IS_GIVEN", **in_config(f=0, attrs=((99,),)))
entry.also("no block and a cluster", rule="GRID_FITS", **in_config(gridDimX=0, attrs=clustered(16)))
entry.also(
    "a cluster and too much shared memory", rule="CLUSTER_FITS", **in_config(sharedMemBytes=49153, attrs=clustered(2))
)
entry.also(
    "no arguments and too much shared memory",
    rule="ARGUMENTS_ARE_GIVEN",
    **in_config(f=lambda i: function(i.process, b"store"), sharedMemBytes=49153),
)
test_launch_kernel_ex = entry.test()
