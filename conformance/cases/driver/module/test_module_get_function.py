"""The functions of a module.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.module.fixtures import five, module, refuse_module
from conformance.cases.driver.module.test_module_load import DEBUG
from conformance.kit.case import Entry
from conformance.kit.kernels import PTX

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
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


def first_is(name: bytes) -> Callable[[World, Invocation, tuple[Plain, ...]], None]:
    """Return a check of the name of the first function."""

    def check(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
        assert i.process.ok.cuFuncGetName(results[0][0]) == name

    return check


enumerate_functions.also("the first one first", then=first_is(b"empty"))
enumerate_functions.also(
    "compiled with debug information",
    mod=lambda i: i.process.ok.cuModuleLoadDataEx(PTX, 1, (DEBUG,), (1,)),
    then=first_is(b"fixed"),
)
test_module_enumerate_functions = enumerate_functions.test()
