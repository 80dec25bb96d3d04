"""Many threads, signals and processes at once: a short form of ``python -m conformance.fuzz.threads``, and what it must find."""

from __future__ import annotations

import gc
from collections import Counter

import pytest

from conformance.fuzz.threads import tried
from fakecuda.native.stubs import NATIVE, NEEDS
from fakecuda.surfaces.c import CLevel

SEED = 16


@pytest.mark.parametrize(
    "door", ["operations", "lookalike", pytest.param("native", marks=pytest.mark.skipif(not NATIVE, reason=NEEDS))]
)
def test_a_crowd_leaves_a_machine_whole(door: str) -> None:
    """Calls answer or raise what is documented, and every thread tells how it ended."""
    found = tried(door, SEED, calls=300)
    assert not found.wrong
    assert found.threads == 16
    assert found.codes["SUCCESS"] > 100


def test_a_collector_that_stays_off_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a call that a handler ends does not put it back."""

    def call(_: CLevel) -> tuple[int, ...]:
        gc.disable()
        return (0, 0, 0)

    monkeypatch.setattr(CLevel, "cuMemGetInfo", call, raising=False)
    try:
        assert tried("operations", SEED, threads=4).wrong == ["the collector is not as it was"]
    finally:
        gc.enable()


def test_a_thread_that_dies_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """By an exception that no call may raise."""
    counts: Counter[str] = Counter()

    def lookup(_: CLevel) -> tuple[int, ...]:
        counts["calls"] += 1
        if counts["calls"] == 5:
            raise KeyError
        return (0, 0, 0)

    monkeypatch.setattr(CLevel, "cuMemGetInfo", lookup, raising=False)
    assert any("KeyError" in line for line in tried("operations", SEED, threads=4).wrong)
