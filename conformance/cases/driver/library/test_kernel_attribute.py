"""Attributes of a kernel on a device.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.execution.fixtures import refuse_settings
from conformance.cases.driver.library.fixtures import kernel, library, refuse_kernel
from conformance.kit.case import Entry
from conformance.kit.kernels import NEWER

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


DYNAMIC = 8
"""CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES."""


def told(w: World) -> Invocation:
    a = w.process(context=False)
    return a.call("cuKernelGetAttribute", attrib=DYNAMIC, kernel=kernel(a, b"fixed"), dev=0)


def changed(w: World) -> Invocation:
    a = w.process(context=False)
    return a.call("cuKernelSetAttribute", attrib=DYNAMIC, val=60000, kernel=kernel(a), dev=0)


def cached(w: World) -> Invocation:
    a = w.process(context=False)
    return a.call("cuKernelSetCacheConfig", kernel=kernel(a), config=1, dev=0)


def is_told(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the kernel reports the attribute."""
    i.process.ok.cuKernelGetAttribute(i.args["attrib"], i.args["kernel"], 0)


def other(i: Invocation) -> int:
    """Return a kernel with its own cluster size."""
    a = i.process
    found: int = a.ok.cuLibraryGetKernel(library(a, NEWER), b"clustered")
    return found


get_attribute = Entry("cuKernelGetAttribute", told)
get_attribute.null("pi", "RESULT_IS_GIVEN")
refuse_kernel(get_attribute)
get_attribute.breaks("DEVICE_IS_VALID", dev=99)
get_attribute.breaks("ATTRIBUTE_IS_KNOWN", attrib=99)
for number in (0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 14, 15):
    get_attribute.also(f"attribute {number}", attrib=number)
test_kernel_get_attribute = get_attribute.test()

set_attribute = Entry("cuKernelSetAttribute", changed, is_told)
refuse_kernel(set_attribute)
set_attribute.breaks("DEVICE_IS_VALID", dev=99)
refuse_settings(set_attribute, "val", "kernel", other)
test_kernel_set_attribute = set_attribute.test()

set_cache_config = Entry("cuKernelSetCacheConfig", cached)
refuse_kernel(set_cache_config)
set_cache_config.breaks("DEVICE_IS_VALID", dev=99)
set_cache_config.breaks("CACHE_IS_KNOWN", config=4)
test_kernel_set_cache_config = set_cache_config.test()
