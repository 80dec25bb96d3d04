"""The addresses and handles of a machine: drawn, never those of a machine that is there too, and their end."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.model.memory import address_ranges
from fakecuda.model.memory.address_ranges import BEGINNINGS, HANDLE, HANDLES_EACH, Territory
from fakecuda.model.memory.space import SPACE, WINDOW, Space
from fakecuda.model.os.rng import Chance

from .world import addresses, created, done, mapped, started

if TYPE_CHECKING:
    from collections.abc import Iterator

    Run = tuple[int, int]

WINDOWS = 4


@pytest.fixture
def tiny() -> Iterator[Space]:
    """Return a space of a few windows beside that of functions, in use instead of the whole one."""
    size = (WINDOWS + 2) * WINDOW  # it need not begin at a whole window
    with addresses(size, WINDOW) as made:
        yield made


def exhaust(made: Territory) -> list[Run]:
    """Return all windows that are left."""
    found = []
    while (window := made.window(1)) is not None:
        found.append(window)
    return found


def drawn(seed: int) -> tuple[Run, int]:
    """Return the first window and the first handle of a machine that nobody holds any more."""
    made = Territory(Chance(seed))
    window = made.window(1)
    assert window is not None
    return window, made.new_handle()


def test_a_machine_begins_where_its_seed_says() -> None:
    """Windows follow one another from there, handles are a page apart."""
    made = Territory(Chance(7))
    first, second, large = made.window(1), made.window(WINDOW), made.window(WINDOW + 1)
    assert first and second and large  # noqa: PT018 - none is missing
    assert first[0] % WINDOW == 0
    assert SPACE.first <= first[0] < SPACE.first + BEGINNINGS
    assert (first[1], second[1]) == (second[0], large[0])
    assert [end - start for start, end in (first, second, large)] == [WINDOW, WINDOW, 2 * WINDOW]
    assert made.runs == [(first[0], large[1])]
    handle = made.new_handle()
    assert [made.new_handle(), made.new_handle()] == [handle + HANDLE, handle + 2 * HANDLE]
    assert made.taken() == [(first[0], large[1]), (handle, handle + 3 * HANDLE)]
    assert not made.notes
    made.close()
    assert drawn(7) == (first, handle)
    assert drawn(8)[0] != first
    assert drawn(8)[1] != handle


def test_a_machine_owns_its_addresses_and_handles() -> None:
    """And asking gives none of them out."""
    with Machine("h200", seed=1) as machine:
        process = started(machine)
        memory, stream = done(process.c.cuMemAlloc(64)), done(process.c.cuStreamCreate(0))
        territory = machine.territory
        assert territory.owns(memory)
        assert territory.owns(stream)
        assert not territory.owns(territory.runs[-1][1])
        assert not territory.owns(1 << 60)
        assert done(process.c.cuStreamCreate(0)) == stream + HANDLE


def test_a_machine_without_values_has_taken_none() -> None:
    """No handle is drawn to tell that."""
    assert Territory(Chance(7)).taken() == []


def test_two_machines_that_are_there_share_nothing() -> None:
    """Of the same seed the second one draws again, and says so; one that has ended is in nobody's way."""
    values: list[tuple[int, int]] = []
    with Machine(seed=7) as one, Machine(seed=7) as other:
        for machine in (one, other, one, other):
            a = started(machine)
            values.append((done(a.c.cuMemAlloc(1)), done(a.c.cuCtxGetCurrent())))
            mapped(a, created(a))
        assert len({address for address, _ in values}) == len({handle for _, handle in values}) == 4
        assert not one.notes
        assert len(other.notes) == 2
        assert any(note.startswith("the addresses at 0x") and "another machine" in note for note in other.notes)
        assert any(note.startswith("the handles at 0x") and "another machine" in note for note in other.notes)
    with Machine(seed=7) as again:
        a = started(again)
        assert (done(a.c.cuMemAlloc(1)), done(a.c.cuCtxGetCurrent())) == values[0]
        assert not again.notes


def test_where_a_machine_goes_on_another_may_be() -> None:
    """It goes on at a place that is drawn, and no window lies in two machines."""
    one = Territory(Chance(7))
    first = one.window(1)
    assert first is not None
    other = Territory(Chance(8))
    other.runs = [(first[1], first[1] + WINDOW)]
    second = one.window(1)
    assert second is not None
    assert second[0] not in {first[0], first[1]}
    assert one.notes == [f"the addresses at {first[1]:#x} belong to another machine, so fakecuda chose others"]


def test_a_machine_that_nobody_holds_is_in_nobodys_way() -> None:
    """Also when it was not closed, and the collector has not come by."""
    gc.collect()
    gc.disable()
    try:
        values = []
        for _ in range(3):
            c = Machine("h200", seed=7).spawn().thread("its own").c
            done(c.cuInit(0))
            values.append((done(c.cuCtxCreate(None, 0, 0)), done(c.cuMemAlloc(1))))
        assert values == [values[0]] * 3
    finally:
        gc.enable()


def test_windows_do_not_overlap(tiny: Space) -> None:
    """All of the space is given out, whole windows of it, whoever asks; none of another one."""
    machines = [Territory(Chance(number)) for number in range(2)]
    beside = Territory(Chance(3))
    beside.runs = [(0, WINDOW), (1 << 60, 1 << 61)]
    windows = [window for _ in range(WINDOWS) for made in machines if (window := made.window(1))]
    assert sorted(windows) == [(at, at + WINDOW) for at in range(tiny.first, tiny.end - WINDOW + 1, WINDOW)]
    assert len(windows) >= WINDOWS
    assert [made.window(1) for made in machines] == [None, None]


@pytest.mark.usefixtures("tiny")
def test_a_large_window_lies_where_there_is_room() -> None:
    """Though the machine began in its middle; what is too large is refused, and changes nothing."""
    made = Territory(Chance(1))
    room = WINDOWS * WINDOW
    assert made.window(room + 2 * WINDOW) is None
    large = made.window(room)
    assert large is not None
    assert large[1] - large[0] == room
    assert made.runs == [large]
    assert not made.notes


def test_retired_windows_come_again_when_nothing_else_is_left(tiny: Space) -> None:
    """While there is a new one they rest."""
    made = Territory(Chance(1))
    first = made.window(1)
    assert first is not None
    made.retire(first)
    rest = exhaust(made)
    assert tiny.first <= rest[0][0]
    assert rest[-1] == first
    assert first not in rest[:-1]
    for window in rest[:2]:
        made.retire(window)
    assert [made.window(1), made.window(1), made.window(1)] == [*rest[:2], None]


@pytest.mark.usefixtures("tiny")
def test_the_retired_window_that_fits_best_is_taken() -> None:
    """A large window is kept for a large wish."""
    made = Territory(Chance(1))
    large, _, little = made.window(2 * WINDOW), made.window(WINDOW), made.window(WINDOW)
    assert large is not None
    assert little is not None
    exhaust(made)
    for window in (large, little):
        made.retire(window)
    assert made.window(1) == little
    assert made.window(2 * WINDOW) == large
    made.retire(little)
    assert made.window(2 * WINDOW) is None
    assert list(made.retired) == [little]


@pytest.mark.usefixtures("tiny")
def test_processes_go_on_in_an_exhausted_space() -> None:
    """The windows of processes that ended serve the next ones."""
    with Machine() as machine:
        for _ in range(3 * WINDOWS):
            a = started(machine)
            done(a.c.cuMemAlloc(1))
            a.exit()
        machine.check_invariants()
        retired = machine.territory.retired
        assert len(set(retired)) == len(retired) <= WINDOWS + 1


@pytest.mark.usefixtures("tiny")
def test_a_space_without_room_has_no_addresses() -> None:
    """Reservations and IPC mappings answer so; a failed call leaves an equal machine."""
    with Machine() as machine:
        a, b = started(machine), started(machine)
        handle = done(a.c.cuIpcGetMemHandle(done(a.c.cuMemAlloc(1))))
        exhaust(machine.territory)
        before = machine.snapshot()
        assert a.c.cuMemAddressReserve(2 * WINDOW, 0, 0, 0) == (2, None)
        assert b.c.cuIpcOpenMemHandle(handle, 1) == (205, None)
        assert machine.snapshot() == before
        machine.check_invariants()


def test_handles_are_drawn_until_they_are_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many other machines are in the way."""
    monkeypatch.setattr(address_ranges, "MACHINES", 2)
    others = [Territory(Chance(7)), Territory(Chance(8))]
    firsts = {other.new_handle() for other in others}
    assert len(firsts) == 2
    monkeypatch.setattr(address_ranges, "MACHINES", 3)
    last = Territory(Chance(7))
    assert firsts | {last.new_handle()} == {address_ranges.HANDLES + number * HANDLES_EACH for number in range(3)}
