"""Steps of an order, and the schedule string that repeats the order.

It also has what each step touches.
A *step* is what happens from one choice to the next. An actor makes the call at which it stands and goes on to its next
call; a stream does its oldest work; or a process dies. The *default* step goes on with the current actor as long as it
can. Streams do work by default only if no actor can go on. A *switch* is a step that is not the default. It is written
``PLACE:NAME``: at that place, NAME comes next. A place is ``NAME@COUNT``: NAME has made COUNT steps.

A launch of a kernel from PTX has an order of its blocks and threads. A drawn one is written ``KERNEL@COUNT:~NUMBER``: the launch
that follows COUNT launches of KERNEL takes the order with this number. It is a choice within its step.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict, deque
from typing import TYPE_CHECKING, Any, cast

from attrs import define, field

from fakecuda.errors import FakeCudaError
from fakecuda.model import options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fakecuda.model.history import Stack

    Doing = str | tuple[str, tuple[Any, ...]]
    Choose = Callable[[str, Sequence[str], str], str]
    """A chooser of the next step, from the place, the possible names and the default."""

SWITCH = re.compile(r"([^\s@:]+@\d+):(\S+)")
STAYS = 0.5
"""Probability that a random order takes the default step."""
DEATH = "!"
"""Prefix of the names of dying processes."""
THREADS = tuple(f"~{number}" for number in range(1001))
"""The orders of a launch's threads."""
USUAL = THREADS[0]
ALL = "all"
"""A key that every step touches. A step that writes it commutes with no other step."""
PRUNED_NOT = "pruned not"
"""A key that every step writes if nothing is pruned."""
BROAD = frozenset({ALL, PRUNED_NOT})
PYTHON = "python"
"""First part of the keys of processes: the Python objects that its threads share, and its part of the driver."""


@define(eq=False)
class Step:
    """What happened from one choice to the next.

    Attributes:
        name: Who made the step: an actor, a stream, or a dying process.
        place: The place of the choice.
        options: The names that could have come.
        default: The name that comes without a switch.
        what: What the actor is about to do: a text, or a call's name and arguments.
        line: The stack of the step.
        touched: The keys that it touches, each with whether it writes.
        ranges: The ranges that it touches, each as key, start, exclusive end, and whether it writes.
        by_actor: Whether an actor made it.
        after: The numbers of earlier steps that must come before it, whatever they touch.
        usual: What the default was about to do, with its stack, if the step is a switch.
        launches: The launches with several threads in the step, each as its place and the order of its threads.
    """

    name: str
    place: str
    options: tuple[str, ...]
    default: str
    what: Doing = ""
    line: Stack = ()
    touched: dict[Any, bool] = field(factory=dict)
    ranges: list[tuple[Any, int, int, bool]] = field(factory=list)
    by_actor: bool = False
    after: list[int] = field(factory=list)
    usual: tuple[Doing, Stack] = ("", ())
    launches: list[tuple[str, str]] = field(factory=list)

    def reads(self, key: object) -> None:
        """Note that the step reads something."""
        self.touched.setdefault(key, False)

    def writes(self, key: object) -> None:
        """Note that the step changes something."""
        self.touched[key] = True

    @property
    def is_switch(self) -> bool:
        """Whether the step is not the default."""
        return self.name != self.default

    @property
    def drawn(self) -> list[tuple[str, str]]:
        """The launches whose threads do not run in the usual order."""
        return [one for one in self.launches if one[1] != USUAL]

    @property
    def weight(self) -> int:
        """As how many switches of actors the step counts in the search."""
        return (self.is_switch and self.by_actor) + sum(rank(order) for _, order in self.launches)

    @property
    def choices(self) -> list[str]:
        """All choices of the step: its name, and the order of each launch."""
        return [self.name, *(order for _, order in self.launches)]

    def __str__(self) -> str:
        return f"{self.place}:{self.name}"


def deviations(steps: Iterable[Step]) -> list[tuple[str, str]]:
    """Return the choices of an order that are not the default, each as a place and a name: its switches and drawn launches."""
    return [one for step in steps for one in ([(step.place, step.name)] if step.is_switch else []) + step.drawn]


def alternatives(steps: Sequence[Step]) -> Iterator[tuple[int, int, str, int]]:
    """Yield the choices that differ without another order of steps: deaths, and the next order of each launch's threads.

    Each is a step's number, a number of its choices, the other name there, and as how many more switches it counts.
    """
    for index, step in enumerate(steps):
        yield from ((index, 0, name, 0) for name in step.options if name.startswith(DEATH))
        for number, (_, order) in enumerate(step.launches, 1):
            for name in THREADS[THREADS.index(order) + 1 :][:1]:
                yield index, number, name, rank(name) - rank(order)


def rank(order: str) -> int:
    """Return as how many switches an order of threads counts: later ones come after orders with as many switches of actors."""
    return THREADS.index(order).bit_length()


def text_of(steps: Iterable[Step]) -> str:
    """Return the schedule string of an order."""
    return " ".join(f"{place}:{name}" for place, name in deviations(steps))


def switches_of(text: str) -> list[tuple[str, str]]:
    """Return the switches of a schedule string, each as a place and a name.

    Raises:
        FakeCudaError: The text is not a schedule string.
    """
    found = [(word, SWITCH.fullmatch(word)) for word in text.split()]
    wrong = next((word for word, match in found if match is None), None)
    if wrong is not None:
        msg = (
            f"schedule: {wrong!r} does not have the form PLACE:NAME, such as main@4:reader: copy the schedule from a "
            "report"
        )
        raise FakeCudaError(msg)
    return [(match[1], match[2]) for _, match in found if match is not None]


def switching(switches: Iterable[tuple[str, str]]) -> Choose:
    """Return a chooser that takes the default except at some switches.

    It skips a switch to a name that cannot come.
    """
    left: dict[str, deque[str]] = defaultdict(deque)
    for place, name in switches:
        left[place].append(name)

    def choose(place: str, able: Sequence[str], default: str) -> str:
        names = left.get(place)
        return names.popleft() if names and names[0] in able else default

    return choose


def following(names: Iterable[str]) -> Choose:
    """Return a chooser that takes a list of names, and then the default."""
    left = deque(names)

    def choose(_: str, __: Sequence[str], default: str) -> str:
        return left.popleft() if left else default

    return choose


def drawing(seed: int) -> Choose:
    """Return a random chooser.

    It takes the default half of the time, otherwise any name that can come.
    """
    drawn = random.Random(seed)  # noqa: S311 - not for cryptography

    def choose(_: str, able: Sequence[str], default: str) -> str:
        return default if drawn.random() < STAYS else drawn.choice(able)

    return choose


def chosen_by(schedule: object) -> Choose:
    """Return the chooser of a schedule.

    Raises:
        FakeCudaError: The schedule is neither a seed nor a schedule string.
    """
    if isinstance(schedule, str):
        return switching(switches_of(schedule))
    options.number(
        "schedule", schedule, None, 'a random seed, or the schedule string from a report, such as "main@4:reader"'
    )
    return drawing(cast("int", schedule))


class Strayed(Exception):  # noqa: N818 - the search handles it
    """The name that a schedule chose cannot come.

    The program did something else before.
    """
