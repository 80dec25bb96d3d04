"""Memory is created with a size that is not a multiple of the granularity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.bindings import driver

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import MIB, checked, context, granularity, mapped, properties, unmapped

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def hooked_malloc(_: FakeCuda, *, fixed: bool) -> None:
    """A size for cudaMalloc is passed on to cuMemCreate."""
    context(driver)
    step = granularity(driver)
    for size in (step, 6912):
        whole = -(-size // step) * step if fixed else size
        handle = checked(driver.cuMemCreate(whole, properties(), 0))
        unmapped(driver, mapped(driver, whole, handle), whole)
        checked(driver.cuMemRelease(handle))


def for_rdma(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """Another process requests RDMA memory without a query of its granularity."""
    api = fakecuda.spawn("trainer").driver
    context(api, 1)
    prop = properties(1, shared=True)
    prop.allocFlags.gpuDirectRDMACapable = 1
    size = 5 * MIB
    if fixed:
        minimum = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
        step = int(checked(api.cuMemGetAllocationGranularity(prop, minimum)))
        size = (size + step - 1) // step * step
    checked(api.cuMemRelease(checked(api.cuMemCreate(size, prop, 0))))


EXHIBITS = [
    Exhibit(
        number=7,
        report="fzyzcjy/torch_memory_saver#82",
        title="a size that is no multiple of the granularity",
        happens=(
            "A hook of cudaMalloc passes the requested size to cuMemCreate without rounding. Sizes that happen to be "
            "whole pages work, "
            "6912 bytes are refused."
        ),
        part=Part.REFUSED,
        told=("va.mem_create.SIZE_IS_ALIGNED", "RuntimeError: CUDA_ERROR_INVALID_VALUE"),
        programs={"hooked-malloc": hooked_malloc, "for-rdma": for_rdma},
        devices={"for-rdma": 2},
    ),
]
