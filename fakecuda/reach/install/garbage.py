"""Garbage collection for one test.

It does not traverse the objects of all earlier tests.
A full collection takes longer the more objects a suite holds: tens of milliseconds for some thousand tests. The objects
of a test are young, as long as no collection has made young objects old since the test began. Then collecting the young
generations is enough.
"""

from __future__ import annotations

import gc
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

YOUNG = 1
"""The oldest of the young generations."""
NEAR = 3
"""The minimum collections since the last of the youngest generation, per test."""
MOST = 300
"""The number of collections after which a full one runs."""
_collections = count(1)
_since: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
"""By machine, the number of aging collections at the machine's beginning."""


def begin(machine: Any) -> None:
    """Note the beginning of a machine: later objects belong to its test."""
    if gc.get_count()[YOUNG] >= NEAR:
        gc.collect(YOUNG)
    _since[machine] = _aged()


def collect(machine: Any) -> bool:
    """Collect the objects made since a machine began.

    Return whether the collection was full.
    """
    full = _since.get(machine) != _aged() or not next(_collections) % MOST
    gc.collect() if full else gc.collect(YOUNG)
    return full


def _aged() -> int:
    """Return the number of collections that have made young objects old."""
    return sum(generation["collections"] for generation in gc.get_stats()[YOUNG:])
