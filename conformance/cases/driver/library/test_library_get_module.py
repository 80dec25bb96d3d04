"""A library's code in the current context.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.library.fixtures import (
    ELSEWHERE,
    kernel,
    library,
    refuse_code,
    refuse_kernel,
    refuse_library,
)
from conformance.cases.driver.module.fixtures import HUGE, no_room
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def module(w: World) -> Invocation:
    a = w.process()
    return a.call("cuLibraryGetModule", library=library(a))


def function(w: World) -> Invocation:
    a = w.process()
    return a.call("cuKernelGetFunction", kernel=kernel(a))


get_module = Entry("cuLibraryGetModule", module)
get_module.null("pMod", "RESULT_IS_GIVEN")
refuse_library(get_module)
refuse_code(get_module)
get_module.breaks("TARGET_IS_THE_DEVICE_S", library=lambda i: library(i.process, jit=ELSEWHERE))
no_room(get_module, library=lambda i: library(i.process, HUGE))
test_library_get_module = get_module.test()

get_function = Entry("cuKernelGetFunction", function)
get_function.null("pFunc", "RESULT_IS_GIVEN")
refuse_kernel(get_function)
get_function.breaks("TARGET_IS_THE_DEVICE_S", kernel=lambda i: kernel(i.process, jit=ELSEWHERE))
no_room(get_function, kernel=lambda i: kernel(i.process, image=HUGE))


@get_function.also("each context has one of its own")
def contexts(_w: World, i: Invocation) -> None:
    a, handle = i.process, i.args["kernel"]
    first = a.ok.cuKernelGetFunction(handle)
    assert a.ok.cuKernelGetFunction(handle) == first
    a.ok.cuCtxCreate(None, 0, a.device)
    assert a.ok.cuKernelGetFunction(handle) != first


test_kernel_get_function = get_function.test()
