"""Which orders are one order: what commutes does not count.

Two steps *depend* on each other where both touch the same thing and one of them changes it. Each step has a clock: how many steps of each
name come before it, whatever commutes. Orders in which the steps have the same clocks are one order. What has to be tried further are the
reversals: two steps that depend on each other, with nothing between them that would hold them in place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.simulated.orders.step import ALL, BROAD, PYTHON

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fakecuda.simulated.orders.step import Step

    Clock = dict[str, int]


@frozen
class Reading:
    """What an order tells.

    Attributes:
        classes: What the order up to each step, and the whole, has in common with those that are the same order.
        reversals: Which other name is to come at which step, and whether the two steps share something of the driver.
    """

    classes: tuple[int, ...]
    reversals: tuple[tuple[int, str, bool], ...]


def read(steps: Sequence[Step]) -> Reading:
    """Return what an order tells."""
    clocks: list[Clock] = []
    numbers: list[int] = []
    last: dict[str, int] = {}
    written: dict[Any, int] = {}
    read_since: dict[Any, list[int]] = {}
    ranged: dict[Any, list[tuple[int, int, int, bool]]] = {}
    classes, reversals = [0], []
    for index, step in enumerate(steps):
        clock: Clock = {}
        for earlier in [*step.after, *([last[step.name]] if step.name in last else [])]:
            _join(clock, clocks[earlier])
        before: dict[int, bool] = {}
        for key, writes in {ALL: False, **step.touched}.items():
            known = [written[key]] if key in written else []
            if writes:
                known += read_since.pop(key, ())
                written[key] = index
            else:
                read_since.setdefault(key, []).append(index)
            for earlier in known:
                before[earlier] = before.get(earlier, False) or (key not in BROAD and key[0] != PYTHON)
        for key, start, end, writes in step.ranges:
            ranges = ranged.setdefault(key, [])
            for earlier, other_start, other_end, wrote in ranges:
                if (writes or wrote) and start < other_end and other_start < end and earlier != index:
                    before[earlier] = True
            ranges.append((index, start, end, writes))
        for earlier in sorted(before, reverse=True):
            if numbers[earlier] > clock.get(steps[earlier].name, 0):
                if (name := _who_comes(steps, numbers, clock, earlier, index)) is not None:
                    reversals.append((earlier, name, before[earlier]))
                _join(clock, clocks[earlier])
        number = clock.get(step.name, 0) + 1
        clock[step.name] = number
        clocks.append(clock)
        numbers.append(number)
        last[step.name] = index
        classes.append(classes[-1] ^ hash((step.name, number, frozenset(clock.items()))))
    return Reading(tuple(classes), tuple(reversals))


def _join(clock: Clock, other: Clock) -> None:
    for name, number in other.items():
        if number > clock.get(name, 0):
            clock[name] = number


def _who_comes(steps: Sequence[Step], numbers: list[int], clock: Clock, earlier: int, index: int) -> str | None:
    """Return who comes in the place of an earlier step so that a later one comes before it; None where nobody can.

    It is who makes the later step, or who makes one between that has to come before that.
    """
    name, options = steps[index].name, steps[earlier].options
    if name in options:
        return name
    for between in range(earlier + 1, index):
        other = steps[between].name
        if other in options and numbers[between] <= clock.get(other, 0) and other != steps[earlier].name:
            return other
    return None
