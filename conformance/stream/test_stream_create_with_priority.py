"""cuStreamCreateWithPriority: a new stream of the current context, with a priority.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.case import Entry
from conformance.stream.parts import NON_BLOCKING

if TYPE_CHECKING:
    from conformance.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuStreamCreateWithPriority", flags=0, priority=0)


entry = Entry("cuStreamCreateWithPriority", valid)
entry.null("phStream", "RESULT_IS_GIVEN")
entry.breaks("FLAGS_ARE_KNOWN", flags=2)
entry.also("non-blocking", flags=NON_BLOCKING)
for name, priority in {"urgent": -1, "beyond the most urgent": -1000, "beyond the least urgent": 1000}.items():
    entry.also(name, priority=priority)

test_stream_create_with_priority = entry.test()
