"""cuGetErrorName: the enumerator's name of a code.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__ERROR.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.cases.driver.core.fixtures import in_a_fork
from conformance.kit.case import Entry
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(init=False).call("cuGetErrorName", error=1)


entry = Entry("cuGetErrorName", valid)
entry.breaks("CODE_IS_KNOWN", error=12345)
entry.breaks("CODE_IS_KNOWN", "negative code", error=-1)
entry.also("the first code", error=Result.SUCCESS)
entry.also("the last code", error=Result.UNKNOWN)
entry.also("a code that no call modelled here answers", error=Result.ECC_UNCORRECTABLE)


@entry.undefined("STRING_IS_GIVEN", code=Result.INVALID_VALUE)
def no_result(_w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i, null="pStr")


@entry.also("the enumerator as the header writes it")
def text(_w: World, i: Invocation) -> None:
    assert i.process.c.cuGetErrorName(Result.INVALID_VALUE) == (Result.SUCCESS, b"CUDA_ERROR_INVALID_VALUE")


entry.also("in a fork of an initialised process")(in_a_fork)

test_get_error_name = entry.test()
