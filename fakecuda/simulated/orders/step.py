"""The steps of an order, what each touches, and the text by which an order is run again.

A *step* is what happens from one choice to the next: an actor makes the call before which it stands, and goes on to its next one;
a stream does its oldest work; a process dies. The *default* step goes on with who acts already, as long as that can, and has streams do
work only when nothing else is left. A *switch* is a step that is not the default, written ``PLACE:NAME``: at that place, NAME comes.
A place is ``NAME@COUNT``: NAME has made so many steps.
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
    from collections.abc import Callable, Iterable, Sequence

    from fakecuda.model.history import Stack

    Choose = Callable[[str, Sequence[str], str], str]
    """Returns who comes next, from the place, the names of those who can, and the default."""

SWITCH = re.compile(r"([^\s@:]+@\d+):(\S+)")
STAYS = 0.5
"""How often an order that is drawn goes on as without a switch."""
DEATH = "!"
"""What the names of processes that die begin with."""
ALL = "all"
"""The key of what every step touches, which a step writes that comes before or after any other."""
PRUNED_NOT = "pruned not"
"""That of what every step writes where nothing is pruned."""
BROAD = frozenset({ALL, PRUNED_NOT})
PYTHON = "python"
"""What the keys of processes begin with: what its threads share in Python, and its part of the driver."""


@define(eq=False)
class Step:
    """What happened from one choice to the next.

    Attributes:
        name: Who came: an actor, a stream, or a process that dies.
        place: Where the choice was.
        options: Who could have come.
        default: Who comes without a switch.
        what: What the actor is about to do: a text, or a call's name and arguments.
        line: The stack that does it.
        touched: The keys that it touches, and whether it writes them.
        ranges: The ranges that it touches: of which key, from where up to, not including, where, and whether it writes them.
        by_actor: Whether it is an actor's.
        after: Earlier steps that it cannot come before, whatever they touch.
    """

    name: str
    place: str
    options: tuple[str, ...]
    default: str
    what: str | tuple[str, tuple[Any, ...]] = ""
    line: Stack = ()
    touched: dict[Any, bool] = field(factory=dict)
    ranges: list[tuple[Any, int, int, bool]] = field(factory=list)
    by_actor: bool = False
    after: list[int] = field(factory=list)

    def reads(self, key: object) -> None:
        """Note that it touches something, and leaves it as it is."""
        self.touched.setdefault(key, False)

    def writes(self, key: object) -> None:
        """Note that it changes something."""
        self.touched[key] = True

    @property
    def is_switch(self) -> bool:
        """Whether it is not the default."""
        return self.name != self.default

    def __str__(self) -> str:
        return f"{self.place}:{self.name}"


def text_of(steps: Iterable[Step]) -> str:
    """Return the text by which an order is run again: its switches."""
    return " ".join(str(step) for step in steps if step.is_switch)


def switches_of(text: str) -> list[tuple[str, str]]:
    """Return the switches of an order's text, each as a place and a name.

    Raises:
        FakeCudaError: It is no such text.
    """
    found = [(word, SWITCH.fullmatch(word)) for word in text.split()]
    wrong = next((word for word, match in found if match is None), None)
    if wrong is not None:
        msg = f"schedule: {wrong!r} is not a switch: write PLACE:NAME, such as main@4:reader; a report has it"
        raise FakeCudaError(msg)
    return [(match[1], match[2]) for _, match in found if match is not None]


def switching(switches: Iterable[tuple[str, str]]) -> Choose:
    """Return what chooses the default, but for some switches; one whose name cannot come there is passed over."""
    left: dict[str, deque[str]] = defaultdict(deque)
    for place, name in switches:
        left[place].append(name)

    def choose(place: str, able: Sequence[str], default: str) -> str:
        names = left.get(place)
        return names.popleft() if names and names[0] in able else default

    return choose


def following(names: Iterable[str]) -> Choose:
    """Return what chooses some names, and then the default."""
    left = deque(names)

    def choose(_: str, __: Sequence[str], default: str) -> str:
        return left.popleft() if left else default

    return choose


def drawing(seed: int) -> Choose:
    """Return what draws: every other time the default, else any of those who can come."""
    drawn = random.Random(seed)  # noqa: S311 - a test's

    def choose(_: str, able: Sequence[str], default: str) -> str:
        return default if drawn.random() < STAYS else drawn.choice(able)

    return choose


def chosen_by(schedule: object) -> Choose:
    """Return what chooses as a schedule says: a seed, or the text of an order.

    Raises:
        FakeCudaError: It is neither.
    """
    if isinstance(schedule, str):
        return switching(switches_of(schedule))
    options.number(
        "schedule", schedule, None, 'a number to draw from, or an order as a report tells it: "main@4:reader"'
    )
    return drawing(cast("int", schedule))


class Strayed(Exception):  # noqa: N818 - the search deals with it
    """Who was chosen cannot come there: the program did something else before."""
