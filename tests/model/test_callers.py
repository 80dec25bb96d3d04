"""Where a call was made, as text."""

from __future__ import annotations

import threading

from fakecuda.model import history


def test_a_caller_is_its_nearest_line() -> None:
    """Formatted when somebody asks; nothing where there is no stack."""
    assert "test_callers.py" in str(history.Caller(history.whole()))
    assert str(history.Caller(history.NOWHERE)) == ""


def test_a_line_that_no_offset_names_is_the_first() -> None:
    """As of code that was made without lines."""
    code = threading.Thread.run.__code__
    assert history.lines((code, 10**6))[0].endswith(f":{code.co_firstlineno} in Thread.run")


def test_a_stack_that_is_shorter_than_what_is_skipped_has_no_caller() -> None:
    """As that of a thread that C made."""
    assert history.here(10**6) == history.NOWHERE
    assert history._outside(10**6) is None
