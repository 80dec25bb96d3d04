"""cuGetErrorString: the description of a code.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__ERROR.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.core.fixtures import texts
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


entry = texts("cuGetErrorString")


@entry.also("a description, no name")
def text(_w: World, i: Invocation) -> None:
    assert i.process.c.cuGetErrorString(Result.INVALID_VALUE) == (Result.SUCCESS, b"invalid argument")


test_get_error_string = entry.test()
