"""cuMemsetD2D16Async: a stream fills rows of device memory with a value of 16 bits.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from conformance.cases.driver.copy.fills import rows

test_memset_d2d16_async = rows("cuMemsetD2D16Async", 2).test()
