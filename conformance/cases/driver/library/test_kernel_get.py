"""Queries of a kernel.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.library.fixtures import ELSEWHERE, kernel, refuse_kernel
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def of(w: World) -> Invocation:
    a = w.process(context=False)
    return a.call("cuKernelGetLibrary", kernel=kernel(a))


def name(w: World) -> Invocation:
    a = w.process(context=False)
    return a.call("cuKernelGetName", hfunc=kernel(a))


def parameter(w: World) -> Invocation:
    a = w.process()
    return a.call("cuKernelGetParamInfo", kernel=kernel(a, b"store"), paramIndex=1)


get_library = Entry("cuKernelGetLibrary", of)
get_library.null("pLib", "RESULT_IS_GIVEN")
refuse_kernel(get_library)
test_kernel_get_library = get_library.test()

get_name = Entry("cuKernelGetName", name)
get_name.null("name", "RESULT_IS_GIVEN")
refuse_kernel(get_name, "hfunc", "KERNEL_IS_NAMED")
test_kernel_get_name = get_name.test()

get_param_info = Entry("cuKernelGetParamInfo", parameter)
get_param_info.null("paramOffset", "RESULT_IS_GIVEN")
get_param_info.null("paramSize", None)
refuse_kernel(get_param_info, "kernel", "KERNEL_IS_NAMED")
get_param_info.breaks("PARAMETER_IS_ONE", paramIndex=2)
get_param_info.breaks("TARGET_IS_THE_DEVICE_S", kernel=lambda i: kernel(i.process, jit=ELSEWHERE), paramIndex=9)
test_kernel_get_param_info = get_param_info.test()
