"""cuMemAdvise: how a range of memory will be used.

Advice changes where pages lie and how fast they are reached, never what they hold; what can be asked is the advice itself,
of managed memory alone. Of memory that the system allocated nothing can be asked, so that nothing is kept of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import ENUMS
from fakecuda.codes import Result
from fakecuda.model.machine import HOST as HOST_ORDINAL
from fakecuda.rule import Rule, guard, manual, op
from fakecuda.spec.core.initialized import ready
from fakecuda.spec.unified.managed import RANGE_IS_NOT_EMPTY, advice_at, device_at, place_of
from fakecuda.spec.va.properties import DEVICE, HOST

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.advice import State
    from fakecuda.model.process import Thread

ADVICE = {name.removeprefix("CU_MEM_ADVISE_"): value for name, value in ENUMS["CUmem_advise"].items()}
SET_PREFERRED = ADVICE["SET_PREFERRED_LOCATION"]
ACCESS = frozenset({ADVICE["SET_ACCESSED_BY"], ADVICE["UNSET_ACCESSED_BY"]})
LOCATED = ACCESS | {SET_PREFERRED}
"""Advice that looks at its location."""
PAGEABLE = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS"]

ACCESSOR_IS_KNOWN = Rule(
    "what accesses the range is a device or the host",
    Result.INVALID_VALUE,
    manual("cuMemAdvise", "All other location types are invalid"),
)
ADVICE_IS_KNOWN = Rule(
    "the advice is one of CUmem_advise",
    Result.INVALID_VALUE,
    manual("cuMemAdvise", "The advice parameter can take the following values"),
)
PAGEABLE_RANGE_IS_THE_HOSTS = Rule(
    "a range that is not managed is the host's own pageable memory",
    Result.INVALID_VALUE,
    manual("cuMemAdvise", "Specifying an invalid … pageable memory range results in an error being returned"),
)
DEVICE_ACCESSES_PAGEABLE_MEMORY = Rule(
    "a device that advice on pageable memory names can access such memory",
    Result.INVALID_DEVICE,
    manual("cuMemAdvise", "must be a valid device that has a"),
)


@op("cuMemAdvise")
def mem_advise(call: Thread, dev_ptr: int, count: int, advice: int, location: tuple[int, int]) -> None:
    """Advise of the pages of a range.

    Args:
        call: The calling thread.
        dev_ptr: The range's first address.
        count: Its bytes; the advice is for whole pages.
        advice: CUmem_advise.
        location: What the advice is about: CUmemLocation, (type, id); not every advice looks at it.
    """
    # CHECK
    ready(call)
    if not count:
        raise RANGE_IS_NOT_EMPTY.broken(pointer=dev_ptr)
    change = change_of(call, advice, location)
    if pageable(call, dev_ptr, count, location if advice in LOCATED else None):
        return
    known = advice_at(call, dev_ptr, count)
    # EFFECT
    known.change(dev_ptr, dev_ptr + count, change)


@guard
def change_of(call: Thread, advice: int, location: tuple[int, int]) -> Callable[[State], State]:
    """Return what advice makes of the state of pages; its location is one that it can be about."""
    if advice in ACCESS:
        ordinal = accessor(call, location)
        add = advice == ADVICE["SET_ACCESSED_BY"]
        return lambda state: state._replace(
            accessed_by=_ordered({*state.accessed_by, ordinal} if add else {*state.accessed_by} - {ordinal})
        )
    if advice == SET_PREFERRED:
        place = place_of(call, location)
        return lambda state: state._replace(preferred=place)
    if advice == ADVICE["UNSET_PREFERRED_LOCATION"]:
        return lambda state: state._replace(preferred=None)
    if advice not in ADVICE.values():
        raise ADVICE_IS_KNOWN.broken(advice=advice)
    return lambda state: state._replace(read_mostly=advice == ADVICE["SET_READ_MOSTLY"])


def _ordered(ordinals: set[int]) -> tuple[int, ...]:
    """Return who accesses pages as the driver names them: devices, and the host behind them."""
    return tuple(sorted(ordinals, key=lambda ordinal: (ordinal == HOST_ORDINAL, ordinal)))


@guard
def accessor(call: Thread, location: tuple[int, int]) -> int:
    """Return the number of the device that will access a range, or the host's."""
    kind, number = location
    if kind == DEVICE:
        device_at(call, number)
        return number
    if kind != HOST:
        raise ACCESSOR_IS_KNOWN.broken(location=location)
    return HOST_ORDINAL


@guard
def pageable(call: Thread, ptr: int, count: int, location: tuple[int, int] | None) -> bool:
    """Return whether a range is memory that the system allocated, on a machine whose devices can access such memory.

    Args:
        call: The calling thread.
        ptr: The range's first address.
        count: Its bytes.
        location: What the advice is about, or None.
    """
    devices = call.process.devices
    if call.process.memory.at(ptr) is not None:
        return False
    if not any(device.profile.attributes.get(PAGEABLE) for device in devices):
        return False
    if not call.process.system.access_of(ptr, count) or call.process.memory.first(ptr, ptr + count) is not None:
        raise PAGEABLE_RANGE_IS_THE_HOSTS.broken(pointer=ptr, size=count)
    if location and location[0] == DEVICE and not devices[location[1]].profile.attributes.get(PAGEABLE):
        raise DEVICE_ACCESSES_PAGEABLE_MEMORY.broken(device=devices[location[1]])
    return True
