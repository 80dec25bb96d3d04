"""What is known of machines that have ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.reach.install import past_machines
from fakecuda.reach.install.past_machines import Formers

if TYPE_CHECKING:
    import pytest

PAGE = 0x1000


def test_values_lead_to_their_machine() -> None:
    """Addresses and handles by the range that they lie in, IPC handles as they are; nothing else leads anywhere."""
    formers = Formers()
    formers.add("one", [(PAGE, 3 * PAGE), (9 * PAGE, 10 * PAGE)], [b"share"])
    formers.add("two", [(3 * PAGE, 4 * PAGE)], [])
    values = [PAGE, 3 * PAGE - 1, 9 * PAGE, b"share", 3 * PAGE, 4 * PAGE, 0, -1, 1 << 70, b"other", 1.5, None]
    assert [formers.maker_of(value) for value in values] == [*["one"] * 4, "two", *[None] * 7]


def test_the_last_of_several_counts() -> None:
    """Where it had the same values; the others are the earlier ones' as ever."""
    formers = Formers()
    formers.add("low", [(PAGE, 4 * PAGE)], [b"share"])
    formers.add("high", [(4 * PAGE, 9 * PAGE)], [])
    formers.add("last", [(3 * PAGE, 5 * PAGE), (6 * PAGE, 7 * PAGE)], [b"share"])
    found = [formers.maker_of(number * PAGE) for number in range(1, 10)]
    assert found == ["low", "low", "last", "last", "high", "last", "high", "high", None]
    assert formers.maker_of(b"share") == "last"


def test_machines_that_are_not_told_hide_earlier_ones() -> None:
    """A value that a permissive machine had too is not reported against another."""
    formers = Formers()
    formers.add("strict", [(PAGE, 4 * PAGE)], [b"share"])
    formers.add(None, [(2 * PAGE, 3 * PAGE)], [b"share"])
    assert [formers.maker_of(number * PAGE) for number in (1, 2, 3)] == ["strict", None, "strict"]
    assert formers.maker_of(b"share") is None


def test_few_machines_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of earlier ones nothing is left, also where later ones had some of their values."""
    monkeypatch.setattr(past_machines, "KEPT", 2)
    formers = Formers()
    for number in range(5):
        formers.add(
            str(number), [(number * PAGE, (number + 2) * PAGE), (100 * PAGE, 101 * PAGE)], [b"%d" % number, b"s"]
        )
    assert [formers.maker_of(number * PAGE) for number in range(6)] == [None, None, None, "3", "4", "4"]
    assert [formers.maker_of(b"%d" % number) for number in range(5)] == [None, None, None, "3", "4"]
    assert formers.maker_of(100 * PAGE) == formers.maker_of(b"s") == "4"
    assert len(formers._known) == 2
    assert len(formers._parts) == 3
    assert len(formers._shares) == 3
