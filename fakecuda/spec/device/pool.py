"""The memory pools of devices: what the calls of a device's current pool have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import ENUMS
from fakecuda.codes import Result
from fakecuda.model.machine import HANDLES
from fakecuda.model.pool import Pool
from fakecuda.rule import Rule, guard, manual, observed

if TYPE_CHECKING:
    from fakecuda.model.context import Device
    from fakecuda.model.process import Thread

SUPPORTED = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED"]

DEVICE_CAN_HAVE_A_POOL = Rule(
    "the device is one that the process sees",
    Result.INVALID_VALUE,
    observed("cuDeviceGetMemPool", "a number that is no device's answers INVALID_VALUE, not INVALID_DEVICE"),
)
POOLS_ARE_SUPPORTED = Rule(
    "the device supports memory pools",
    Result.NOT_SUPPORTED,
    manual("cuDeviceGetDefaultMemPool", "CUDA_ERROR_NOT_SUPPORTED"),
)


@guard
def owner(call: Thread, dev: int) -> Device:
    """Return the device of that number, whose current pool a call is about."""
    devices = call.process.devices
    if not 0 <= dev < len(devices):
        raise DEVICE_CAN_HAVE_A_POOL.broken(device=dev)
    return devices[dev]


@guard
def pooling(device: Device) -> None:
    """Check that a device supports memory pools."""
    if not device.profile.attributes.get(SUPPORTED):
        raise POOLS_ARE_SUPPORTED.broken(device=device)


def default_pool(call: Thread, device: Device) -> Pool:
    """Return the device's default pool in the calling process, made when it is first asked for."""
    process = call.process
    pool = process.default_pools.get(device.ordinal)
    if pool is None:
        pool = process.default_pools[device.ordinal] = Pool(next(HANDLES), device)
        process.pools[pool.handle] = pool
    return pool
