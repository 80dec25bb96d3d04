"""Which orders are equal: steps that commute may be exchanged.

Two steps *depend* on each other if both touch the same thing and one of them changes it. Each step has a clock: for
each name, the number of its steps that come before in every equal order. Two orders are equal if their steps have the
same clocks. The search has to try the reversals: pairs of dependent steps that could be exchanged, because no third
step between them fixes their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.machine.orders.step import ALL, BROAD, PYTHON

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fakecuda.machine.orders.step import Step

    Clock = dict[str, int]


@frozen
class Reading:
    """What the search learns from an order.

    Attributes:
        classes: For each prefix of the order, and for the whole, a value that equal orders share.
        reversals: Orders to try: the step's index, the name that comes there instead, and whether the two steps share
            an object of the driver.
    """

    classes: tuple[int, ...]
    reversals: tuple[tuple[int, str, bool], ...]


def read(steps: Sequence[Step]) -> Reading:
    """Return what the search learns from an order."""
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
        classes.append(classes[-1] ^ hash((*step.choices, number, frozenset(clock.items()))))
    return Reading(tuple(classes), tuple(reversals))


def _join(clock: Clock, other: Clock) -> None:
    for name, number in other.items():
        if number > clock.get(name, 0):
            clock[name] = number


def _who_comes(steps: Sequence[Step], numbers: list[int], clock: Clock, earlier: int, index: int) -> str | None:
    """Return which names to choose so that a later step comes first.

    The later step then comes before an earlier one. The result is None if this cannot be.
    It is the maker of the later step, or of a step between them that the later one depends on.
    """
    name, options = steps[index].name, steps[earlier].options
    if name in options:
        return name
    for between in range(earlier + 1, index):
        other = steps[between].name
        if other in options and numbers[between] <= clock.get(other, 0) and other != steps[earlier].name:
            return other
    return None
