"""Common cases of stream memory operations with one value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import registered
from conformance.cases.driver.stream.fixtures import accept, pooled, refuse
from conformance.cases.driver.stream.mem_ops import devices
from conformance.cases.driver.va.fixtures import NOWHERE, freed, half_mapped, on_model
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.case import Entry


def refuse_places(entry: Entry, width: int) -> None:
    """Add the cases of the stream and of the address of a value.

    Args:
        entry: The entry.
        width: Bytes of the value.
    """
    refuse(entry, "stream")
    accept(entry, "stream")
    entry.breaks("ADDRESS_IS_ALIGNED", addr=lambda i: i.args["addr"] + width // 2)
    entry.breaks("MEMORY_IS_NOT_MANAGED", addr=lambda i: i.process.ok.cuMemAllocManaged(64, 1))
    entry.breaks("MEMORY_IS_OF_NO_POOL", addr=lambda i: pooled(i.process))
    entry.breaks("RANGE_IS_ALLOCATED", addr=NOWHERE)
    entry.breaks("RANGE_IS_ALLOCATED", "freed", addr=lambda i: freed(i.process))
    entry.breaks("ACCESS_IS_GRANTED", addr=lambda i: half_mapped(i.process, 0))
    entry.also("page-locked memory", addr=lambda i: i.process.ok.cuMemAllocHost(64), then=entry.then)
    entry.also(
        "registered memory",
        addr=lambda i: i.process.ok.cuMemHostGetDevicePointer(registered(i.process), 0),
        then=entry.then,
    )


def check_width(entry: Entry) -> None:
    """Check that a device attribute reports support of 64-bit values."""
    narrow = devices(CAN_USE_64_BIT_STREAM_MEM_OPS=0)
    on_model(entry, "WIDTH_IS_SUPPORTED", Result.NOT_SUPPORTED, lambda *_: None, **narrow)
