"""cuMemsetD2D32Async: a stream fills rows of device memory with a value of 32 bits.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from conformance.cases.driver.copy.fills import rows

test_memset_d2d32_async = rows("cuMemsetD2D32Async", 4).test()
