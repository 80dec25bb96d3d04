"""cuMemsetD32Async: a stream fills device memory with a value of 32 bits.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from conformance.cases.driver.copy.fills import values

test_memset_d32_async = values("cuMemsetD32Async", 4).test()
