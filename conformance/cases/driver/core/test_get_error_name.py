"""cuGetErrorName: the enumerator's name of a code.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__ERROR.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.core.fixtures import texts
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


entry = texts("cuGetErrorName")


@entry.also("the enumerator as the header writes it")
def text(_w: World, i: Invocation) -> None:
    assert i.process.c.cuGetErrorName(Result.INVALID_VALUE) == (Result.SUCCESS, b"CUDA_ERROR_INVALID_VALUE")


test_get_error_name = entry.test()
