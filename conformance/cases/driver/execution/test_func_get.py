"""Queries of a function.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.execution.fixtures import DYNAMIC, REGISTERS
from conformance.cases.driver.library.fixtures import kernel
from conformance.cases.driver.module.fixtures import enumerated, function, module, refuse_function
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World


def of(w: World) -> Invocation:
    a = w.process()
    return a.call("cuFuncGetModule", hfunc=function(a))


def name(w: World) -> Invocation:
    a = w.process()
    return a.call("cuFuncGetName", hfunc=function(a))


def parameter(w: World) -> Invocation:
    a = w.process()
    return a.call("cuFuncGetParamInfo", func=function(a, b"store"), paramIndex=1)


def is_loaded(w: World) -> Invocation:
    a = w.process()
    return a.call("cuFuncIsLoaded", function=function(a))


def loaded(w: World) -> Invocation:
    a = w.process()
    return a.call("cuFuncLoad", function=function(a))


def is_ready(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the function is loaded and has all attributes."""
    i.process.ok.cuFuncIsLoaded(i.args["function"])
    i.process.ok.cuFuncGetAttribute(0, i.args["function"])


get_module = Entry("cuFuncGetModule", of)
get_module.null("hmod", "RESULT_IS_GIVEN")
refuse_function(get_module, given="KERNEL_IS_NAMED")
get_module.breaks("FUNCTION_IS_NO_KERNEL", hfunc=lambda i: kernel(i.process))
test_func_get_module = get_module.test()

get_name = Entry("cuFuncGetName", name)
get_name.null("name", "RESULT_IS_GIVEN")
refuse_function(get_name, given="KERNEL_IS_NAMED")
get_name.breaks("FUNCTION_IS_NO_KERNEL", hfunc=lambda i: kernel(i.process))
test_func_get_name = get_name.test()

get_param_info = Entry("cuFuncGetParamInfo", parameter)
get_param_info.null("paramOffset", "RESULT_IS_GIVEN")
get_param_info.null("paramSize", None)
refuse_function(get_param_info, "func", "KERNEL_IS_NAMED")
get_param_info.breaks("FUNCTION_IS_NO_KERNEL", func=lambda i: kernel(i.process))
get_param_info.breaks("PARAMETER_IS_ONE", paramIndex=2)
test_func_get_param_info = get_param_info.test()

func_is_loaded = Entry("cuFuncIsLoaded", is_loaded)
func_is_loaded.null("state", "RESULT_IS_GIVEN")
refuse_function(func_is_loaded, "function")
func_is_loaded.breaks("FUNCTION_IS_NO_KERNEL", function=lambda i: kernel(i.process))
func_is_loaded.also("one that is enumerated", function=lambda i: enumerated(i.process))
USES: dict[str, Callable[[Process, int, int], object]] = {
    "load": lambda a, _, func: a.ok.cuFuncLoad(func),
    "get": lambda a, code, _: a.ok.cuModuleGetFunction(code, b"empty"),
    "set": lambda a, _, func: a.ok.cuFuncSetAttribute(func, DYNAMIC, 1024),
    "set what cannot be": lambda a, _, func: a.c.cuFuncSetAttribute(func, 0, 1),
    "cache": lambda a, _, func: a.ok.cuFuncSetCacheConfig(func, 1),
    "occupancy": lambda a, _, func: a.ok.cuOccupancyMaxActiveBlocksPerMultiprocessor(func, 32, 0),
}
"""Calls that load a function of a module."""
for case, use in USES.items():

    @func_is_loaded.also(f"after {case}")
    def used(_w: World, i: Invocation, use: Callable[[Process, int, int], object] = use) -> Invocation:
        a, code = i.process, module(i.process)
        first, other, *_ = a.ok.cuModuleEnumerateFunctions(5, code)
        for attribute in (0, 2, DYNAMIC):
            assert a.c.cuFuncGetAttribute(attribute, first)[0] == Result.FUNCTION_NOT_LOADED
        a.ok.cuFuncGetAttribute(REGISTERS, first)
        assert a.ok.cuFuncIsLoaded(first) == 0
        use(a, code, first)
        assert (a.ok.cuFuncIsLoaded(first), a.ok.cuFuncIsLoaded(other)) == (1, 0)
        assert a.ok.cuFuncGetAttribute(0, first) == 1024
        return i.evolve(function=first)


test_func_is_loaded = func_is_loaded.test()

func_load = Entry("cuFuncLoad", loaded)
func_load.also("one that is enumerated", then=is_ready, function=lambda i: enumerated(i.process))
refuse_function(func_load, "function")
func_load.breaks("FUNCTION_IS_NO_KERNEL", function=lambda i: kernel(i.process))
test_func_load = func_load.test()
