"""Collect the garbage of one test, without a look at what all earlier tests have made.

A full collection takes longer the more a suite holds: tens of milliseconds with some thousand tests. What a test has made
is young as long as no collection has looked at old objects since the test began. Then a collection of the young is enough.
"""

from __future__ import annotations

import gc
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

YOUNG = 1
"""The oldest generation of young objects."""
NEAR = 3
"""How many collections of the newest make one of the young at the beginning, so that none comes within a small test."""
MOST = 300
"""How many collections may be of the young alone until one is full: they make a machine's own objects old before it ends."""
_collections = count(1)
_since: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
"""How many collections had made young objects old when each machine began."""


def begin(machine: Any) -> None:
    """Note that a machine begins: what is made from now on is its test's."""
    if gc.get_count()[YOUNG] >= NEAR:
        gc.collect(YOUNG)
    _since[machine] = _aged()


def collect(machine: Any) -> bool:
    """Collect what was made since a machine began; return whether that was a full collection."""
    full = _since.get(machine) != _aged() or not next(_collections) % MOST
    gc.collect() if full else gc.collect(YOUNG)
    return full


def _aged() -> int:
    """Return how many collections have made young objects old."""
    return sum(generation["collections"] for generation in gc.get_stats()[YOUNG:])
