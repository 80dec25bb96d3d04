"""The functions of a module.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.module.fixtures import five, module, refuse_module
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def found(w: World) -> Invocation:
    a = w.process()
    return a.call("cuModuleGetFunction", hmod=module(a), name=b"empty")


def count(w: World) -> Invocation:
    a = w.process()
    return a.call("cuModuleGetFunctionCount", mod=module(a))


def enumerated(w: World) -> Invocation:
    a = w.process()
    return a.call("cuModuleEnumerateFunctions", numFunctions=2, mod=module(a))


get_function = Entry("cuModuleGetFunction", found)
get_function.null("hfunc", "RESULT_IS_GIVEN")
refuse_module(get_function)
get_function.breaks("NAME_IS_GIVEN", name=None)
get_function.breaks("NAME_IS_GIVEN", "empty", name=b"")
get_function.breaks("FUNCTION_IS_IN_THE_MODULE", name=b"none")
get_function.breaks("FUNCTION_IS_IN_THE_MODULE", "a variable", name=b"counter")


@get_function.also("the same each time")
def same(_w: World, i: Invocation) -> None:
    a, handle = i.process, i.args["hmod"]
    assert a.ok.cuModuleGetFunction(handle, b"empty") == a.ok.cuModuleGetFunction(handle, b"empty")


test_module_get_function = get_function.test()

get_count = Entry("cuModuleGetFunctionCount", count)
get_count.null("count", "RESULT_IS_GIVEN")
refuse_module(get_count, "mod")
test_module_get_function_count = get_count.test()

enumerate_functions = Entry("cuModuleEnumerateFunctions", enumerated)
enumerate_functions.null("functions", "RESULT_IS_GIVEN")
refuse_module(enumerate_functions, "mod")
enumerate_functions.also("none", numFunctions=0)
enumerate_functions.also("more than there are", numFunctions=9, then=five)
test_module_enumerate_functions = enumerate_functions.test()
