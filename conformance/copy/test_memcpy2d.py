"""cuMemcpy2D: a copy of rows.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from functools import partial

from conformance.case import Entry
from conformance.copy.rows import arrived, cases, valid

entry = Entry("cuMemcpy2D", partial(valid, "cuMemcpy2D"), arrived)
cases(entry)

test_memcpy2d = entry.test()
