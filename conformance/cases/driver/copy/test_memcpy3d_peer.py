"""cuMemcpy3DPeer: a copy of slices of rows, of two contexts.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from functools import partial

from conformance.cases.driver.copy.rows import arrived, cases, valid
from conformance.kit.case import Entry

entry = Entry("cuMemcpy3DPeer", partial(valid, "cuMemcpy3DPeer"), arrived)
cases(entry)

test_memcpy3d_peer = entry.test()
