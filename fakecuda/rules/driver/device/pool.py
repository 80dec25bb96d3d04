"""Rules that calls on a device's current memory pool share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory import pool_lifetime
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.va.properties import DEVICE, PINNED
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device
    from fakecuda.model.memory.pool import Kind, Pool

SUPPORTED = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED"]

DEVICE_CAN_HAVE_A_POOL = Rule(
    "if the call passes a device, as an argument or in a location, it is a device that the process sees",
    Result.INVALID_VALUE,
    observed(
        "cuDeviceGetMemPool",
        "the driver answers INVALID_VALUE, not INVALID_DEVICE, to a number that is not the number of a device",
    ),
    fix="pass a device number below the count that cuDeviceGetCount returns in this process",
)
POOLS_ARE_SUPPORTED = Rule(
    "the device that the call names, or that its stream belongs to, supports memory pools",
    Result.NOT_SUPPORTED,
    manual("cuDeviceGetDefaultMemPool", "CUDA_ERROR_NOT_SUPPORTED"),
    fix="query CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED first, and use cuMemAlloc if it is 0",
)


@guard
def owner(call: Call, dev: int) -> Device:
    """Return the device with an ordinal, for a call on its current pool."""
    devices = call.process.devices
    if not 0 <= dev < len(devices):
        raise DEVICE_CAN_HAVE_A_POOL.broken(device=dev)
    return devices[dev]


@guard
def pooling(device: Device) -> None:
    """Check that a device supports memory pools."""
    if not device.profile.attributes.get(SUPPORTED):
        raise POOLS_ARE_SUPPORTED.broken(device=device)


def kind_of(call: Call, device: Device) -> Kind:
    """Return the allocation type of pools of device memory."""
    return PINNED, DEVICE, call.process.number_of(device)


def default_pool(call: Call, device: Device) -> Pool:
    """Return the device's default pool in the calling process; create it on first use."""
    return pool_lifetime.default_pool(call.process, kind_of(call, device), device)


def current_pool(call: Call, device: Device) -> Pool:
    """Return the pool that a device allocates from in the calling process."""
    return pool_lifetime.current_pool(call.process, kind_of(call, device), device)
