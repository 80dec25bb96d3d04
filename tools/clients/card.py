"""The results of the suites on a card, in ``card.json.gz``: the outcome and the text of each test, by suite."""

from __future__ import annotations

import gzip
import json
from functools import cache
from typing import TYPE_CHECKING

from tools.clients.suites import HERE

if TYPE_CHECKING:
    from pathlib import Path

    Ends = dict[str, tuple[str, str]]
    """The outcome and the text of each test."""

CARD = HERE / "card.json.gz"
PASSED = "passed"
NOT_RUN = "not run"
"""The text of a test that passes on the card and has no result here."""


@cache
def load(path: Path = CARD) -> dict[str, Ends]:
    """Return the outcomes on the card, by suite."""
    kept = json.loads(gzip.decompress(path.read_bytes())) if path.exists() else {}
    return {suite: {test: (outcome, text) for test, (outcome, text) in ends.items()} for suite, ends in kept.items()}


def keep(suite: str, ends: Ends, path: Path = CARD) -> None:
    """Write the outcomes of a suite on the card. Equal outcomes make equal bytes."""
    text = json.dumps({**load(path), suite: dict(sorted(ends.items()))}, sort_keys=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    load.cache_clear()


def missing(ends: Ends, there: Ends) -> dict[str, str]:
    """Return what happened here to the tests that pass on the card and not here.

    Args:
        ends: The outcomes here.
        there: The outcomes on the card.
    """
    passed = (test for test, (outcome, _) in sorted(there.items()) if outcome == PASSED)
    here = {test: ends.get(test, (NOT_RUN, "")) for test in passed}
    return {
        test: f"{outcome}: {text}" if text else outcome for test, (outcome, text) in here.items() if outcome != PASSED
    }
