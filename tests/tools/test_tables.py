"""Tables of rows as one test, and samples that rotate: what the tests share."""

from __future__ import annotations

import inspect

import pytest

from tests import rotation
from tests.each import each
from tests.rotation import part


def holds(number: int) -> None:
    """Hold for any row."""
    assert number is not None


def skips(number: int) -> None:
    """Skip the test."""
    pytest.skip("why" * bool(number))


ROWS = [(1, "a"), (2, "b"), (3, "c")]


def test_every_row_that_fails_is_raised() -> None:
    """With its values; the rows behind it run, too."""
    seen = []

    @each("number, text", lambda: ROWS)
    def rows(number: int, text: str, given: int) -> None:
        seen.append(text)
        assert number != given
        if number == 3:
            pytest.fail("no")

    assert list(inspect.signature(rows).parameters) == ["given"]
    with pytest.raises(BaseExceptionGroup, match="2 of 3 rows fail") as raised:
        rows(given=1)
    assert [error.__notes__ for error in raised.value.exceptions] == [
        ["in the row number=1, text='a'"],
        ["in the row number=3, text='c'"],
    ]
    assert seen == ["a", "b", "c"]


def test_rows_that_hold() -> None:
    """Nothing is raised."""
    each("number", [1, 2])(holds)()


def test_a_table_without_rows_fails() -> None:
    """Its test would hold for nothing."""
    with pytest.raises(AssertionError, match="has no rows"):
        each("number", [])(holds)()


def test_a_row_that_skips_fails() -> None:
    """The rows behind it would not run."""
    with pytest.raises(AssertionError, match=r"a row skips \(why\): leave it out of the table"):
        each("number", [1])(skips)()


def test_parts_in_a_row_are_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each item is in one of them; the commit's number chooses, and --long takes all."""
    monkeypatch.setattr(rotation, "whole", False)
    parts = [part(range(10), 3, number) for number in range(5, 8)]
    assert sorted(number for one in parts for number in one) == list(range(10))
    assert {len(one) for one in parts} == {3, 4}
    assert part(range(10), 3) in parts
    monkeypatch.setattr(rotation, "whole", True)
    assert part(range(10), 3) == list(range(10))
