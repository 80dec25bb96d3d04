"""cuMemsetD2D16: rows of device memory are filled with a value of 16 bits.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from conformance.cases.driver.copy.fills import rows

test_memset_d2d16 = rows("cuMemsetD2D16", 2).test()
