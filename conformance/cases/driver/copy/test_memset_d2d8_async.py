"""cuMemsetD2D8Async: a stream fills rows of device memory with a byte.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from conformance.cases.driver.copy.fills import rows

test_memset_d2d8_async = rows("cuMemsetD2D8Async", 1).test()
