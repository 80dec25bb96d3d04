"""cuMemsetD8Async: a stream fills device memory with a byte.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from conformance.cases.driver.copy.fills import values

test_memset_d8_async = values("cuMemsetD8Async", 1).test()
