"""The kernels of a library.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.library.fixtures import ELSEWHERE, library, refuse_code, refuse_library
from conformance.cases.driver.module.fixtures import five
from conformance.cases.driver.module.test_module_load import DEBUG, LEVEL, TARGET
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def found(w: World) -> Invocation:
    a = w.process(context=False)
    return a.call("cuLibraryGetKernel", library=library(a), name=b"empty")


def count(w: World) -> Invocation:
    a = w.process(context=False)
    return a.call("cuLibraryGetKernelCount", lib=library(a))


def enumerated(w: World) -> Invocation:
    a = w.process(context=False)
    return a.call("cuLibraryEnumerateKernels", numKernels=2, lib=library(a))


get_kernel = Entry("cuLibraryGetKernel", found)
get_kernel.null("pKernel", "RESULT_IS_GIVEN")
refuse_library(get_kernel)
refuse_code(get_kernel)
get_kernel.breaks("NAME_IS_GIVEN", name=None)
get_kernel.breaks("KERNEL_IS_IN_THE_LIBRARY", name=b"none")
get_kernel.breaks("KERNEL_IS_IN_THE_LIBRARY", "an empty name", name=b"")
get_kernel.also("compiled for another device", library=lambda i: library(i.process, jit=ELSEWHERE))


@get_kernel.after("it is the same each time")
def again(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    assert i.run()[1:] == results


test_library_get_kernel = get_kernel.test()

get_count = Entry("cuLibraryGetKernelCount", count)
get_count.null("count", "RESULT_IS_GIVEN")
refuse_library(get_count, "lib")
get_count.also("of an image that no device can load", lib=lambda i: library(i.process, b"garbage"))
for case, jit in {
    "for no device": {TARGET: 0},
    "for another device": ELSEWHERE,
    "at a negative level": {LEVEL: -1},
}.items():
    get_count.also(f"compiled {case}", lib=lambda i, jit=jit: library(i.process, jit=jit))
test_library_get_kernel_count = get_count.test()

enumerate_kernels = Entry("cuLibraryEnumerateKernels", enumerated)
enumerate_kernels.null("kernels", "RESULT_IS_GIVEN")
refuse_library(enumerate_kernels, "lib")
enumerate_kernels.also("none", numKernels=0)
enumerate_kernels.also("more than there are", numKernels=9, then=five)


def first_is(name: bytes) -> Callable[[World, Invocation, tuple[Plain, ...]], None]:
    """Return a check of the name of the first kernel."""

    def check(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
        assert i.process.ok.cuKernelGetName(results[0][0]) == name

    return check


enumerate_kernels.also("the last one first", then=first_is(b"fixed"))
enumerate_kernels.also(
    "compiled with debug information", lib=lambda i: library(i.process, jit={DEBUG: 1}), then=first_is(b"empty")
)
test_library_enumerate_kernels = enumerate_kernels.test()
