"""Peer access of contexts is enabled for memory that ignores it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.bindings import driver, runtime

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import MIB, checked, context, mapped, open_to, properties, unmapped

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def expandable_segments(_: FakeCuda, *, fixed: bool) -> None:
    """One device fills a segment of the other device."""
    owner = context(driver)
    handle = checked(driver.cuMemCreate(2 * MIB, properties(), 0))
    segment = mapped(driver, 2 * MIB, handle)
    checked(driver.cuMemRelease(handle))

    context(driver, 1)
    checked(driver.cuCtxEnablePeerAccess(owner, 0))
    if fixed:
        open_to(driver, segment, 2 * MIB, 0, 1)
    checked(driver.cuMemsetD32(segment, 7, 1024))
    checked(driver.cuCtxSynchronize())
    unmapped(driver, segment, 2 * MIB)


def copied_to(_: FakeCuda, *, fixed: bool) -> None:
    """By the runtime API: mutual peer access, and then a copy from the other device."""
    for device in (1, 0):
        checked(runtime.cudaSetDevice(device))
        checked(runtime.cudaDeviceEnablePeerAccess(1 - device, 0))
    handle = checked(driver.cuMemCreate(4 * MIB, properties(1), 0))
    segment = mapped(driver, 4 * MIB, handle, 1)
    checked(driver.cuMemRelease(handle))
    target = checked(runtime.cudaMalloc(MIB))
    if fixed:
        open_to(driver, segment, 4 * MIB, 1, 0)
    checked(runtime.cudaMemcpy(target, segment + MIB, MIB, runtime.cudaMemcpyKind.cudaMemcpyDeviceToDevice))
    checked(runtime.cudaDeviceSynchronize())
    checked(runtime.cudaFree(target))
    unmapped(driver, segment, 4 * MIB)


EXHIBITS = [
    Exhibit(
        number=12,
        report="pytorch/FBGEMM#1875",
        title="peer access does not cover memory that is mapped",
        happens=(
            "Code enables peer access between contexts and reaches for memory of the other card. Peer access covers "
            "only memory of cuMemAlloc. Memory of cuMemMap is accessible only to the devices that cuMemSetAccess names."
        ),
        part=Part.REFUSED,
        told=("copy.range.ACCESS_IS_GRANTED",),
        programs={"expandable-segments": expandable_segments, "copied-to": copied_to},
        devices={"expandable-segments": 2, "copied-to": 2},
    ),
]
