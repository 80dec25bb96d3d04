"""Each mistake planted in race detection is found by a drawn program."""

from __future__ import annotations

from conformance.fuzz.ordered import planted
from conformance.fuzz.ordered.draw import drawn
from conformance.fuzz.ordered.loop import compared
from tests.each import each


def test_each_planted_mistake_has_a_program() -> None:
    """The command finds one for each."""
    assert set(planted.NUMBERS) == set(planted.MISTAKES)
    assert set(planted.NEEDED) <= set(planted.MISTAKES)


@each("name,number", planted.NUMBERS.items)
def test_planted_mistakes(name: str, number: int) -> None:
    """A drawn program differs with the mistake, and agrees without it."""
    assert not compared(drawn(0, number)).difference
    assert planted.found(name, number)
