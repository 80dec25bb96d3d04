"""cuMemcpy3DAsync: a stream makes a copy of slices of rows.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from functools import partial

from conformance.cases.driver.copy.rows import arrived, cases, valid
from conformance.kit.case import Entry

entry = Entry("cuMemcpy3DAsync", partial(valid, "cuMemcpy3DAsync"), arrived)
cases(entry)

test_memcpy3d_async = entry.test()
