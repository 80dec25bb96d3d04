"""The results of the suites on a card, in ``card.json.gz``: the outcome and the text of each test, by suite."""

from __future__ import annotations

import gzip
import json
from functools import cache
from typing import TYPE_CHECKING

from tools.clients.suites import HERE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    Ends = dict[str, tuple[str, str]]
    """The outcome and the text of each test."""

CARD = HERE / "card.json.gz"
PASSED = "passed"


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


def passed(ends: Ends, there: Ends, left_out: Mapping[str, str]) -> list[str]:
    """Return the tests that pass on the card, of those that a suite has here.

    Args:
        ends: The outcomes here.
        there: The outcomes on the card.
        left_out: Why tests do not run here.
    """
    return [
        test for test, (outcome, _) in sorted(there.items()) if outcome == PASSED and (test in ends or test in left_out)
    ]


def missing(ends: Ends, there: Ends, left_out: Mapping[str, str]) -> dict[str, str]:
    """Return what happened here to the tests that pass on the card and not here; see :func:`passed`."""
    here = {test: ends.get(test) or ("not run", left_out[test]) for test in passed(ends, there, left_out)}
    return {test: f"{outcome}: {text}" for test, (outcome, text) in here.items() if outcome != PASSED}
