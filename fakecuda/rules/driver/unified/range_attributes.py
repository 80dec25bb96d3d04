"""Attributes of a range of managed memory: what all its pages have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.va import Location
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.unified.managed import advice_at
from fakecuda.rules.driver.va.properties import DEVICE, HOST, LOCATION
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import DESCRIPTION, ENUMS
from fakecuda.spec.versions import RANGE_ATTRIBUTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.memory.advice import State

ATTRIBUTE = {name.removeprefix("CU_MEM_RANGE_ATTRIBUTE_"): n for name, n in ENUMS["CUmem_range_attribute"].items()}
KNOWN = frozenset(ATTRIBUTE.values())
ACCESSED_BY = ATTRIBUTE["ACCESSED_BY"]
CPU: int = DESCRIPTION.constants["CU_DEVICE_CPU"]
NONE: int = DESCRIPTION.constants["CU_DEVICE_INVALID"]
WIDTH = 4
"""The size of a number in bytes."""
NOWHERE = Location(LOCATION["INVALID"], NONE)

ATTRIBUTE_IS_KNOWN = Rule(
    "each attribute is a CUmem_range_attribute that this driver version supports",
    Result.INVALID_VALUE,
    manual("cuMemRangeGetAttribute", "The attribute parameter can take the following values"),
    fix="pass a CUmem_range_attribute, such as CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY",
)
SIZE_IS_THE_ATTRIBUTES = Rule(
    "each data size is 4, or a positive multiple of 4 for CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY",
    Result.INVALID_VALUE,
    manual("cuMemRangeGetAttribute", "dataSize must be a non-zero multiple of 4"),
    fix="pass 4 for dataSize, or 4 bytes for each device with CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY",
)


@guard
def fitting(call: Call, attribute: int, size: int) -> None:
    """Check that an attribute is known, and that the data size is right for it."""
    if attribute not in KNOWN or RANGE_ATTRIBUTES.get(attribute, 0) > call.machine.profile.driver_version:
        raise ATTRIBUTE_IS_KNOWN.broken(attribute=attribute)
    if size != WIDTH and (attribute != ACCESSED_BY or not size or size % WIDTH):
        raise SIZE_IS_THE_ATTRIBUTES.broken(attribute=attribute, size=size)


@guard
def states_of(call: Call, ptr: int, count: int) -> set[State]:
    """Return the states of the pages of a range; none for an empty range."""
    known, end = advice_at(call, ptr, count)
    return known.shown(ptr, end) if ptr < end else set()


def value_of(call: Call, attribute: int, size: int, states: set[State]) -> int | tuple[int, ...]:
    """Return an attribute of pages.

    Without any page, the result is the one that every page could have.

    Args:
        call: The call.
        attribute: CUmem_range_attribute.
        size: Bytes of the data.
        states: The pages' states.
    """
    if attribute == ACCESSED_BY:
        everyone = (*range(len(call.process.devices)), CPU)
        common = [ordinal for ordinal in everyone if all(ordinal in state.accessed_by for state in states)]
        room = size // WIDTH
        return (*common[:room], *[NONE] * (room - len(common)))
    if attribute == ATTRIBUTE["READ_MOSTLY"]:
        return int(all(state.read_mostly for state in states))
    return _SHOWN[attribute](_common(attribute, states))


def _common(attribute: int, states: set[State]) -> Location:
    """Return the common preferred or last location of pages; NOWHERE if they differ."""
    places = {state.preferred if attribute in _PREFERRED else state.prefetched for state in states}
    place = places.pop() if len(places) == 1 else None
    return place or NOWHERE


def _device(place: Location) -> int:
    """Return a place as a device; a NUMA node counts as the CPU."""
    if place.type == DEVICE:
        return place.id
    return NONE if place is NOWHERE else CPU


def _id(place: Location) -> int:
    """Return the id of a place; only devices and NUMA nodes have one."""
    return _device(place) if place.type == HOST else place.id


_PREFERRED = frozenset(value for name, value in ATTRIBUTE.items() if name.startswith("PREFERRED"))
_SHOWN: dict[int, Callable[[Location], int]] = {
    ATTRIBUTE[name + suffix]: shown
    for name in ("PREFERRED_LOCATION", "LAST_PREFETCH_LOCATION")
    for suffix, shown in {"": _device, "_TYPE": lambda place: place.type, "_ID": _id}.items()
}
"""How each attribute shows a location."""
