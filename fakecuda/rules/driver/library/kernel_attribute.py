"""cuKernelGetAttribute, cuKernelSetAttribute, cuKernelSetCacheConfig: attributes of a kernel on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.driver.execution.attributes import cache, known, settable, value_of
from fakecuda.rules.driver.library.handle import given_kernel_of
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuKernelGetAttribute")
def kernel_get_attribute(call: Call, attribute: int, handle: int, dev: int) -> int:
    """Return an attribute of a kernel on a device: the value that was set, else the value from the image."""
    # CHECK
    kernel = given_kernel_of(call, handle)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    device = device_of(call, dev)
    known(attribute)
    # EFFECT
    return value_of(kernel.entry, device, attribute, kernel.attributes.get((device.ordinal, attribute)))


@DRIVER.op("cuKernelSetAttribute")
def kernel_set_attribute(call: Call, attribute: int, value: int, handle: int, dev: int) -> None:
    """Set an attribute of a kernel on a device.

    The value also holds for functions of the kernel that have no value of their own.
    """
    # CHECK
    kernel = given_kernel_of(call, handle)
    device = device_of(call, dev)
    given = settable(kernel.entry, device, attribute, value)
    # EFFECT
    kernel.set_attribute(device.ordinal, attribute, given)


@DRIVER.op("cuKernelSetCacheConfig")
def kernel_set_cache_config(call: Call, handle: int, config: int, dev: int) -> None:
    """Set the cache preference of a kernel on a device.

    The preference also holds for functions of the kernel that have no preference of their own.
    """
    # CHECK
    kernel = given_kernel_of(call, handle)
    device = device_of(call, dev)
    cache(config)
    # EFFECT
    kernel.set_cache_config(device.ordinal, config)
