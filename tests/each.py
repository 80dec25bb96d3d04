"""Tables of hundreds of rows as one test, to save pytest's 2.5 ms for each test."""

from __future__ import annotations

import inspect
from functools import wraps
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def each(names: str, rows: Iterable[Any] | Callable[[], Iterable[Any]]) -> Callable[[Callable[..., None]], Any]:
    """Have one test hold for each row of a table; it runs all rows and raises what failed, with the row.

    Use it in place of ``parametrize`` where no row needs fixtures of its own: all rows of a test share its fixtures.

    Args:
        names: The arguments that a row gives, with commas between.
        rows: The rows: one value each, or a tuple of as many as there are names. A function makes them when the test runs,
            not when it is collected.
    """
    labels = [name.strip() for name in names.split(",")]

    def declare(function: Callable[..., None]) -> Any:
        @wraps(function)
        def test(**fixtures: Any) -> None:
            hold(labels, rows() if callable(rows) else rows, function, **fixtures)

        signature = inspect.signature(function)
        kept = [one for name, one in signature.parameters.items() if name not in labels]
        test.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]  # pytest reads fixtures there
        return test

    return declare


def hold(names: list[str], rows: Iterable[Any], function: Callable[..., None], **fixtures: Any) -> None:
    """Call a function for each row of a table.

    Args:
        names: The arguments that a row gives.
        rows: The rows: one value each, or a tuple of as many as there are names.
        function: The function, which raises what is wrong with a row.
        fixtures: Its other arguments.

    Raises:
        BaseExceptionGroup: Rows have failed. Each exception has a note with its row.
        AssertionError: The table is empty, or a row skips the test.
    """
    table = list(rows)
    assert table, f"the table of {function.__name__} has no rows"
    failed = []
    for row in table:
        values = dict(zip(names, row if len(names) > 1 else (row,), strict=True))
        try:
            function(**values, **fixtures)
        except pytest.skip.Exception as error:
            msg = f"a row skips ({error}): leave it out of the table, or skip the whole test"
            raise AssertionError(msg) from error
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - raised below, with the other rows'
            error.add_note(f"in the row {', '.join(f'{name}={value!r}' for name, value in values.items())}")
            failed.append(error)
    if failed:
        msg = f"{len(failed)} of {len(table)} rows fail"
        raise BaseExceptionGroup(msg, failed)
