"""cuGetErrorString: the description of a code.

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
    return w.process(init=False).call("cuGetErrorString", error=1)


entry = Entry("cuGetErrorString", valid)
entry.breaks("CODE_IS_KNOWN", error=12345)
entry.breaks("CODE_IS_KNOWN", "negative code", error=-1)
entry.also("the first code", error=Result.SUCCESS)
entry.also("the last code", error=Result.UNKNOWN)
entry.also("a code that no call modelled here answers", error=Result.ECC_UNCORRECTABLE)


@entry.undefined("STRING_IS_GIVEN", code=Result.INVALID_VALUE)
def no_result(_w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i, null="pStr")


@entry.also("a description, no name")
def text(_w: World, i: Invocation) -> None:
    assert i.process.c.cuGetErrorString(Result.INVALID_VALUE) == (Result.SUCCESS, b"invalid argument")


entry.also("in a fork of an initialised process")(in_a_fork)

test_get_error_string = entry.test()
