"""cuStreamWriteValue64: a stream writes a value of 64 bits to memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html
"""

from __future__ import annotations

from conformance.cases.driver.stream.values import check_width, writing

entry = writing(8)

test_stream_write_value64 = entry.test()


def test_width_is_supported() -> None:
    check_width(entry)
