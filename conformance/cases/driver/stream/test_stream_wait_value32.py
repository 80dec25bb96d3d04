"""cuStreamWaitValue32: a stream's work waits for a value in memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html
"""

from __future__ import annotations

from conformance.cases.driver.stream.values import check_conditions, waiting

entry = waiting(4)

test_stream_wait_value32 = entry.test()


def test_conditions_are_supported() -> None:
    check_conditions(entry)
