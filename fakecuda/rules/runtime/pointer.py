"""cudaPointerGetAttributes: the memory type and addresses of a pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.unified.attributes import ATTRIBUTE, MEMORYTYPE_HOST
from fakecuda.rules.driver.unified.pointer_get_attributes import pointer_get_attributes
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import given, initialised

if TYPE_CHECKING:
    from fakecuda.model.call import Call

ASKED = tuple(
    ATTRIBUTE[name] for name in ("MEMORY_TYPE", "IS_MANAGED", "DEVICE_ORDINAL", "DEVICE_POINTER", "HOST_POINTER")
)
UNREGISTERED, HOST, DEVICE, MANAGED = range(4)
"""cudaMemoryType."""
NOT_LOCALIZED = -1


@RUNTIME.op("cudaPointerGetAttributes")
def get_attributes(call: Call, ptr: int) -> tuple[int, int, int, int, int]:
    """Return a cudaPointerAttributes: memory type, device, device and host pointer.

    An address that the driver does not know may be the host's own: it is unregistered, and of no device.
    """
    initialised(call)
    if call.nulls:
        given(call)
    kind, managed, device, on_device, on_host = pointer_get_attributes(call, len(ASKED), ASKED, ptr)
    assert isinstance(device, int)
    assert isinstance(on_device, int)
    assert isinstance(on_host, int)
    return _type(kind, managed), device, on_device, on_host, NOT_LOCALIZED


def _type(kind: int | bytes, managed: int | bytes) -> int:
    if managed:
        return MANAGED
    return HOST if kind == MEMORYTYPE_HOST else DEVICE if kind else UNREGISTERED
