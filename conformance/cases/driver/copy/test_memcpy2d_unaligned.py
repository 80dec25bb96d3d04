"""cuMemcpy2DUnaligned: a copy of rows, whatever their pitches.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from functools import partial

from conformance.cases.driver.copy.rows import arrived, cases, valid
from conformance.kit.case import Entry

entry = Entry("cuMemcpy2DUnaligned", partial(valid, "cuMemcpy2DUnaligned"), arrived)
cases(entry)

test_memcpy2d_unaligned = entry.test()
