"""A handle is released by several owners without a reference count."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from cuda.bindings import driver

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import MIB, checked, context, logged, mapped, properties, unmapped

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def sleep(_: FakeCuda, *, fixed: bool) -> None:
    """The whole allocator sleeps after a part of it already sleeps."""
    context(driver)
    awake = {}
    for tag in ("weights", "cache"):
        handle = checked(driver.cuMemCreate(2 * MIB, properties(), 0))
        awake[tag] = mapped(driver, 2 * MIB, handle), handle
    for tags in (["weights"], ["weights", "cache"]):
        for tag in tags:
            if fixed and tag not in awake:
                continue
            address, handle = awake.pop(tag) if fixed else awake[tag]
            if logged(driver.cuMemUnmap(address, 2 * MIB)):
                checked(driver.cuMemAddressFree(address, 2 * MIB))
            logged(driver.cuMemRelease(handle))


def collector(_: FakeCuda, *, fixed: bool) -> None:
    """Another thread collects and frees a tensor whose memory sleeps."""
    context(driver, 1)
    handle = checked(driver.cuMemCreate(6 * MIB, properties(1), 0))
    tensor = mapped(driver, 6 * MIB, handle, 1)
    held = {tensor: handle}

    unmapped(driver, tensor, 6 * MIB)
    checked(driver.cuMemRelease(held.pop(tensor) if fixed else held[tensor]))

    def collect() -> None:
        for one in held.values():
            logged(driver.cuMemRelease(one))

    thread = threading.Thread(target=collect)
    thread.start()
    thread.join()


def asleep_at_the_end(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """A tensor's memory sleeps on HIP; the last free releases it again."""
    hip = fakecuda.spawn("worker").hip
    checked(hip.hipSetDevice(0))
    tensor, handle = _mapped_on_hip(hip, 2 * MIB)
    _put_to_sleep(hip, tensor, handle, 2 * MIB)
    if not fixed:
        logged(hip.hipMemUnmap(tensor, 2 * MIB))
        logged(hip.hipMemRelease(handle))
    checked(hip.hipMemAddressFree(tensor, 2 * MIB))


def one_of_two_sleeps(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """Of two tensors, one sleeps; a teardown frees both in reverse order."""
    hip = fakecuda.spawn("worker").hip
    checked(hip.hipSetDevice(1))
    tensors = [_mapped_on_hip(hip, size) for size in (4 * MIB, 2 * MIB)]
    awake = {address for address, _ in tensors}
    _put_to_sleep(hip, *tensors[0], 4 * MIB)
    awake.discard(tensors[0][0])
    for (address, handle), size in zip(reversed(tensors), (2 * MIB, 4 * MIB), strict=True):
        if address in awake or not fixed:
            logged(hip.hipMemUnmap(address, size))
            logged(hip.hipMemRelease(handle))
        checked(hip.hipMemAddressFree(address, size))


def _mapped_on_hip(hip: Any, size: int) -> tuple[int, Any]:
    """Return an address at which new memory is mapped, and its handle."""
    prop = hip.hipMemAllocationProp()
    prop.type = hip.hipMemAllocationType.hipMemAllocationTypePinned
    prop.location.type = hip.hipMemLocationType.hipMemLocationTypeDevice
    handle = checked(hip.hipMemCreate(size, prop, 0))
    address = int(checked(hip.hipMemAddressReserve(size, 0, 0, 0)))
    checked(hip.hipMemMap(address, size, 0, handle, 0))
    return address, handle


def _put_to_sleep(hip: Any, address: int, handle: Any, size: int) -> None:
    """Release the memory, and keep the addresses."""
    checked(hip.hipMemUnmap(address, size))
    checked(hip.hipMemRelease(handle))


EXHIBITS = [
    Exhibit(
        number=8,
        report="vllm-project/vllm#36651",
        title="cuMemRelease twice",
        happens=(
            "An allocator that sleeps and wakes releases each allocation, and does not record which allocations it "
            "has already released. "
            "A second sleep, or a tensor that is collected meanwhile, releases a handle that may already belong to "
            "another allocation."
        ),
        part=Part.UNDEFINED,
        told=("va.handle.HANDLE_IS_HELD", "cuMemRelease"),
        programs={"sleep": sleep, "collector": collector},
        devices={"collector": 2},
    ),
    Exhibit(
        number=8,
        report="vllm-project/vllm#46203",
        title="a last free gives back memory that already sleeps",
        happens=(
            "On HIP, an allocator that sleeps has unmapped and released its memory. The allocator does not record "
            "this, so the last free of a tensor unmaps and releases the memory again."
        ),
        part=Part.UNDEFINED,
        told=("hip.handle.HANDLE_IS_HELD", "hipMemRelease"),
        programs={"asleep": asleep_at_the_end, "one-of-two": one_of_two_sleeps},
        settings={"profile": "hip-clr-2026"},
    ),
]
