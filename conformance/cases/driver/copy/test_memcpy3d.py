"""cuMemcpy3D: a copy of slices of rows.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from functools import partial

from conformance.cases.driver.copy.rows import arrived, cases, valid
from conformance.kit.case import Entry

entry = Entry("cuMemcpy3D", partial(valid, "cuMemcpy3D"), arrived)
cases(entry)

test_memcpy3d = entry.test()
