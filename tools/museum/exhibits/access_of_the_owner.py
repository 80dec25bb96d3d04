"""A pool's own device is to lose access to the pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.bindings import driver, runtime

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import checked, context, properties

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def constructor(_: FakeCuda, *, fixed: bool) -> None:
    """By the runtime API: a resource is made with an access flag that can be "none"."""
    checked(runtime.cudaSetDevice(0))
    prop = runtime.cudaMemPoolProps()
    prop.allocType = runtime.cudaMemAllocationType.cudaMemAllocationTypePinned
    prop.location.type = runtime.cudaMemLocationType.cudaMemLocationTypeDevice
    pool = checked(runtime.cudaMemPoolCreate(prop))
    access = runtime.cudaMemAccessDesc()
    access.location.type = prop.location.type
    access.location.id = 1 if fixed else 0
    access.flags = runtime.cudaMemAccessFlags.cudaMemAccessFlagsProtNone
    checked(runtime.cudaMemPoolSetAccess(pool, [access], 1))
    checked(runtime.cudaMemPoolDestroy(pool))


def every_device(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """Another process revokes all devices' access, also the owner's, before the end."""
    api = fakecuda.spawn("worker").driver
    context(api, 1)
    pool = checked(api.cuDeviceGetDefaultMemPool(1))
    gone = []
    for device in (0,) if fixed else (0, 1):
        access = driver.CUmemAccessDesc()
        access.location = properties(device).location
        access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_NONE
        gone.append(access)
    checked(api.cuMemPoolSetAccess(pool, gone, len(gone)))


EXHIBITS = [
    Exhibit(
        number=23,
        report="rapidsai/rmm#1753",
        title="no access for the owner of a pool",
        happens=(
            "A memory resource sets the access of other devices, and also names the pool's own device. That device's "
            "access cannot "
            "be taken away: the call is refused, and a list with that entry is refused as a whole."
        ),
        part=Part.REFUSED,
        told=("pool.mem_pool_set_access.OWNER_KEEPS_ACCESS",),
        programs={"constructor": constructor, "every-device": every_device},
        devices={"constructor": 2, "every-device": 2},
    ),
]
