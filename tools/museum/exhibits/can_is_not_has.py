"""A program takes the ability to access a device for enabled access."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.bindings import driver, runtime

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import checked, context

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def is_accessible(_: FakeCuda, *, fixed: bool) -> None:
    """Query whether a pointer is usable on the other device, before access is enabled."""
    context(driver)
    pointer = checked(driver.cuMemAlloc(4096))
    context(driver, 1)
    if fixed:
        attribute = driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_POINTER
        code, _address = driver.cuPointerGetAttribute(attribute, pointer)
        accessible = not int(code)
    else:
        accessible = bool(checked(driver.cuDeviceCanAccessPeer(1, 0)))
    assert not accessible, "peer access is not enabled yet"


def pool_of_a_peer(_: FakeCuda, *, fixed: bool) -> None:
    """By the runtime API: memory of a pool, which has its own access settings."""
    checked(runtime.cudaSetDevice(0))
    pool = checked(runtime.cudaDeviceGetMemPool(0))
    checked(runtime.cudaDeviceSynchronize())
    if fixed:
        place = runtime.cudaMemLocation()
        place.type = runtime.cudaMemLocationType.cudaMemLocationTypeDevice
        place.id = 1
        accessible = int(checked(runtime.cudaMemPoolGetAccess(pool, place))) != 0
    else:
        accessible = checked(runtime.cudaDeviceCanAccessPeer(1, 0)) == 1
    assert not accessible, "peer access is not enabled yet"


EXHIBITS = [
    Exhibit(
        number=29,
        report="NVIDIA/cccl#9478",
        title='"can access" taken for "has access"',
        happens=(
            "A function that tells whether a pointer can be used on a device asks whether the devices could be peers. "
            "Kernels would fault until peer access is enabled."
        ),
        part=Part.STATE,
        told=("AssertionError: peer access is not enabled yet",),
        programs={"pointer": is_accessible, "pool": pool_of_a_peer},
        devices={"pointer": 2, "pool": 2},
    ),
]
