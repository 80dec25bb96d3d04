"""Start and stop of profiling in the current context.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

START, STOP = "cuProfilerStart", "cuProfilerStop"


def start(w: World) -> Invocation:
    return w.process().call(START)


def stop(w: World) -> Invocation:
    return w.process().call(STOP)


profiler_start = Entry(START, start)
profiler_stop = Entry(STOP, stop)


@profiler_start.also("twice")
@profiler_stop.also("after a start")
def begun(_w: World, i: Invocation) -> None:
    i.process.ok.cuProfilerStart()


test_profiler_start = profiler_start.test()
test_profiler_stop = profiler_stop.test()
