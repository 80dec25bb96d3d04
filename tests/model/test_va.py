"""Reservations, and which of their mappings touch a range."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakecuda import Machine
from fakecuda.model.memory.va import AllocFlags, Handle, Location, Mapping, Physical, Prop, Reservation

from .world import GRANULE, card, created, done, mapped, pinned, started

START = 100
MEMORY = card(GRANULE)
EXTENT = MEMORY.take(GRANULE)
assert EXTENT is not None
with Machine("h200") as _machine:
    PHYSICAL = Physical(EXTENT, _machine.devices[0], GRANULE)
HANDLE = Handle(1, PHYSICAL, Prop(1, 0, Location(1, 0), 0, AllocFlags(0, 0, 0)))


def mapping(start: int, end: int) -> Mapping:
    """Return a mapping of a range of the reservation."""
    return Mapping(START + start, START + end, HANDLE, PHYSICAL.extent, 1)


def reservation(*ranges: tuple[int, int]) -> Reservation:
    """Return a reservation of 100 addresses with such mappings."""
    return Reservation(START, START + 100, mappings=[mapping(*pair) for pair in ranges])


@pytest.mark.parametrize(
    ("start", "end", "touched"),
    [
        (0, 100, [0, 1, 2]),
        (0, 10, []),
        (0, 11, [0]),
        (10, 20, [0]),
        (15, 16, [0]),
        (19, 21, [0, 1]),
        (20, 30, [1]),
        (30, 50, []),
        (29, 51, [1, 2]),
        (59, 100, [2]),
        (60, 100, []),
    ],
)
def test_mappings_that_touch_a_range(start: int, end: int, touched: list[int]) -> None:
    """A mapping touches a range with a single address of it."""
    made = reservation((10, 20), (20, 30), (50, 60))
    assert made.within(START + start, START + end) == [made.mappings[index] for index in touched]


@given(
    cuts=st.lists(st.integers(0, 99), min_size=2, max_size=12, unique=True).map(sorted),
    start=st.integers(0, 99),
    size=st.integers(1, 100),
)
@settings(max_examples=100)
def test_touching_is_what_it_says(cuts: list[int], start: int, size: int) -> None:
    """Against the definition, over random mappings."""
    made = reservation(*zip(cuts[::2], cuts[1::2], strict=False))
    first, last = START + start, START + start + size
    expected = [item for item in made.mappings if item.start < last and first < item.end]
    assert made.within(first, last) == expected


def test_the_place_of_a_mapping_keeps_the_order() -> None:
    """Inserted at its index, a mapping stands between its neighbours."""
    made = reservation((10, 20), (50, 60))
    assert [made.index(START + address) for address in (0, 10, 30, 50, 70)] == [0, 1, 1, 2, 2]
    assert made.size == 100


@given(st.permutations(range(4)), st.permutations(range(4)))
@settings(max_examples=50)
def test_mappings_stand_in_the_order_of_their_addresses(coming: list[int], going: list[int]) -> None:
    """In whatever order they come and go."""
    mappings = [mapping(10 * number, 10 * number + 10) for number in range(4)]
    made = reservation()
    for number in coming:
        made.add(mappings[number])
    assert made.mappings == mappings
    left = set(range(4))
    for number in going:
        made.remove(mappings[number])
        left.discard(number)
        assert made.mappings == [mappings[one] for one in sorted(left)]


def test_mappings_are_kept_in_the_order_of_addresses(machine: Machine) -> None:
    """Whatever the order in which they were made."""
    a = started(machine)
    start = done(a.c.cuMemAddressReserve(4 * GRANULE, 0, 0, 0))
    handle = created(a)
    for place in (2, 0, 3, 1):
        done(a.c.cuMemMap(start + place * GRANULE, GRANULE, 0, handle, 0))
        machine.check_invariants()
    held = a.reservations.at(start)
    assert held is not None
    assert [item.start for item in held.mappings] == [start + place * GRANULE for place in range(4)]
    done(a.c.cuMemUnmap(start + GRANULE, 2 * GRANULE))
    assert [item.start for item in held.mappings] == [start, start + 3 * GRANULE]
    machine.check_invariants()


def test_a_handle_that_only_mappings_keep_is_forgotten_with_the_last(permissive: Machine) -> None:
    """Its value works until then, as the driver lets it."""
    a = started(permissive)
    value = created(a)
    first, second = mapped(a, value), mapped(a, value)
    done(a.c.cuMemRelease(value))
    before = permissive.devices[0].memory.used
    assert done(a.c.cuMemGetAllocationPropertiesFromHandle(value)) == pinned()
    done(a.c.cuMemUnmap(first, GRANULE))
    assert value in a.handles
    assert permissive.devices[0].memory.used == before
    assert done(a.c.cuMemRetainAllocationHandle(second)) == value
    done(a.c.cuMemRelease(value))
    done(a.c.cuMemUnmap(second, GRANULE))
    assert value not in a.handles
    assert a.freed[value].value == value
    assert permissive.devices[0].memory.used == before - GRANULE
