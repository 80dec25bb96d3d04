"""cuStreamWriteValue32: a stream writes a value to memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.stream.fixtures import NON_BLOCKING, stream
from conformance.cases.driver.stream.values import writing
from conformance.cases.driver.va.fixtures import content
from conformance.kit.program import FORKED, MAIN

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

entry = writing(4)


@entry.also("in forks")
def forked(_w: World, i: Invocation) -> None:
    """The device does what comes to a place of its queue first.

    A fork's work takes the place of the next that its parent gives, and streams get a queue with their first work.
    """
    a, place, one = i.process, i.args["addr"], stream(i.process, NON_BLOCKING)
    writers = [(FORKED, None), (FORKED, one), (MAIN, one), (FORKED, None), (FORKED, one), (FORKED, one), (MAIN, one)]
    for number, (thread, own) in enumerate((*writers, (MAIN, one))):
        a.thread(thread).ok.cuStreamWriteValue32(own or stream(a, NON_BLOCKING), place + 4 * number, 1, 0)
    a.ok.cuCtxSynchronize()
    assert content(a, place, 32)[::4] == bytes([1, 0, 0, 1, 1, 0, 0, 1])


entry.alone("in-forks")

test_stream_write_value32 = entry.test()
