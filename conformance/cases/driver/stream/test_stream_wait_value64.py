"""cuStreamWaitValue64: a stream's work waits for a value of 64 bits in memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html
"""

from __future__ import annotations

from conformance.cases.driver.stream.values import check_conditions, check_width, waiting

entry = waiting(8)

test_stream_wait_value64 = entry.test()


def test_conditions_are_supported() -> None:
    check_conditions(entry)


def test_width_is_supported() -> None:
    check_width(entry)
