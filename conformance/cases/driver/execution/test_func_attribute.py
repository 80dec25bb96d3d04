"""Attributes of a function.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.execution.fixtures import refuse_settings
from conformance.cases.driver.library.fixtures import kernel
from conformance.cases.driver.module.fixtures import enumerated, function, module, refuse_function
from conformance.kit.case import Entry
from conformance.kit.kernels import NEWER

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


DYNAMIC = 8
"""CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES."""


def told(w: World) -> Invocation:
    a = w.process()
    return a.call("cuFuncGetAttribute", attrib=DYNAMIC, hfunc=function(a, b"fixed"))


def changed(w: World) -> Invocation:
    a = w.process()
    return a.call("cuFuncSetAttribute", hfunc=function(a), attrib=DYNAMIC, value=60000)


def cached(w: World) -> Invocation:
    a = w.process()
    return a.call("cuFuncSetCacheConfig", hfunc=function(a), config=1)


def is_told(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the function reports the attribute."""
    i.process.ok.cuFuncGetAttribute(i.args["attrib"], i.args["hfunc"])


def other(i: Invocation) -> int:
    """Return a function with its own cluster size."""
    a = i.process
    found: int = a.ok.cuModuleGetFunction(module(a, NEWER), b"clustered")
    return found


get_attribute = Entry("cuFuncGetAttribute", told)
get_attribute.null("pi", "RESULT_IS_GIVEN")
refuse_function(get_attribute)
get_attribute.breaks("FUNCTION_IS_NO_KERNEL", hfunc=lambda i: kernel(i.process))
get_attribute.breaks("ATTRIBUTE_IS_KNOWN", attrib=99)
for number in (0, 2, DYNAMIC):
    get_attribute.breaks("FUNCTION_WAS_LOADED", f"{number}", attrib=number, hfunc=lambda i: enumerated(i.process))
get_attribute.also("registers of one that is not loaded", attrib=4, hfunc=lambda i: enumerated(i.process))
for number in (0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 14, 15):
    get_attribute.also(f"attribute {number}", attrib=number)
for name in (b"most", b"exact", b"store"):
    get_attribute.also(f"threads of {name.decode()}", attrib=0, hfunc=lambda i, name=name: function(i.process, name))
get_attribute.also("a cluster of its own", attrib=11, hfunc=other)


@get_attribute.also("what its kernel was set to, unless it was set itself")
def inherited(_w: World, i: Invocation) -> None:
    a = i.process
    of = kernel(a)
    its = a.ok.cuKernelGetFunction(of)
    a.ok.cuKernelSetAttribute(DYNAMIC, 1000, of, a.device)
    a.ok.cuFuncGetAttribute(DYNAMIC, its)
    a.ok.cuFuncSetAttribute(its, DYNAMIC, 2000)
    a.ok.cuKernelSetAttribute(DYNAMIC, 3000, of, a.device)
    a.ok.cuFuncGetAttribute(DYNAMIC, its)


test_func_get_attribute = get_attribute.test()

set_attribute = Entry("cuFuncSetAttribute", changed, is_told)
refuse_function(set_attribute)
set_attribute.breaks("FUNCTION_IS_NO_KERNEL", hfunc=lambda i: kernel(i.process))
refuse_settings(set_attribute, "value", "hfunc", other)
test_func_set_attribute = set_attribute.test()

set_cache_config = Entry("cuFuncSetCacheConfig", cached)
refuse_function(set_cache_config)
set_cache_config.breaks("FUNCTION_IS_NO_KERNEL", hfunc=lambda i: kernel(i.process))
set_cache_config.breaks("CACHE_IS_KNOWN", config=4)
test_func_set_cache_config = set_cache_config.test()


def banked(w: World) -> Invocation:
    a = w.process()
    return a.call("cuFuncSetSharedMemConfig", hfunc=function(a), config=1)


set_banks = Entry("cuFuncSetSharedMemConfig", banked)
refuse_function(set_banks)
set_banks.breaks("FUNCTION_IS_NO_KERNEL", hfunc=lambda i: kernel(i.process))
for number in (-1, 3):
    set_banks.breaks("CONFIG_IS_KNOWN", f"{number}", config=number)
set_banks.also("default", config=0)
set_banks.also("eight bytes", config=2)
test_func_set_shared_mem_config = set_banks.test()
