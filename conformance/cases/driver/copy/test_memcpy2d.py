"""cuMemcpy2D: a copy of rows.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from functools import partial

from conformance.cases.driver.copy.rows import arrived, cases, valid
from conformance.kit.case import Entry

entry = Entry("cuMemcpy2D", partial(valid, "cuMemcpy2D"), arrived)
cases(entry)

test_memcpy2d = entry.test()
