"""cuModuleGetLoadingMode: whether code is loaded lazily.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuModuleGetLoadingMode")


entry = Entry("cuModuleGetLoadingMode", valid)


@entry.undefined("MODE_IS_GIVEN", code=Result.INVALID_VALUE)
def null(_w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i, null="mode")


test_module_get_loading_mode = entry.test()
