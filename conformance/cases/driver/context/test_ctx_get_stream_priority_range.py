"""cuCtxGetStreamPriorityRange: the range of stream priorities.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import described, without
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxGetStreamPriorityRange")


entry = Entry("cuCtxGetStreamPriorityRange", valid)
entry.null("leastPriority", None)
entry.null("greatestPriority", None)
entry.null("leastPriority greatestPriority", None)

test_ctx_get_stream_priority_range = entry.test()


def test_a_device_without_priorities_has_one() -> None:
    with described(without("STREAM_PRIORITIES_SUPPORTED")) as c:
        c.cuCtxCreate(None, 0, 0)
        assert c.cuCtxGetStreamPriorityRange() == (Result.SUCCESS, 0, 0)
