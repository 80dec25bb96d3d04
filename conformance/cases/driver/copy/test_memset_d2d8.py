"""cuMemsetD2D8: rows of device memory are filled with a byte.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from conformance.cases.driver.copy.fills import rows

test_memset_d2d8 = rows("cuMemsetD2D8", 1).test()
