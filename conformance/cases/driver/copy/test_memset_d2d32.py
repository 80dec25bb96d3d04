"""cuMemsetD2D32: rows of device memory are filled with a value of 32 bits.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from conformance.cases.driver.copy.fills import rows

test_memset_d2d32 = rows("cuMemsetD2D32", 4).test()
