"""cuMemcpy2DAsync: a stream makes a copy of rows.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from functools import partial

from conformance.cases.driver.copy.rows import arrived, cases, valid
from conformance.kit.case import Entry

entry = Entry("cuMemcpy2DAsync", partial(valid, "cuMemcpy2DAsync"), arrived)
cases(entry)

test_memcpy2d_async = entry.test()
