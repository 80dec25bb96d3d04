"""Speed of the model and its rules: ``pytest benchmarks/test_core.py``.

Growth has a limit, too: lookups and allocations among many allocations take little longer than among few.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from .measure import LIVE, Calls, Loaded, in_turn, machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_benchmark.fixture import BenchmarkFixture

GROWTH = 1.5
"""Maximum time of a call among 100,000 allocations, relative to 1,000."""
ROUNDS = 2_000
FEW, MANY, MOST = LIVE


def rounds(benchmark: Any, call: Callable[..., object], **around: Any) -> None:
    """Measure a call once per round, without what comes before and after it."""
    benchmark.pedantic(call, rounds=ROUNDS, **around)


@pytest.fixture
def calls() -> Iterator[Calls]:
    """Return single calls of a thread with a current context."""
    with Loaded(1) as loaded:
        yield Calls(loaded.thread)


def test_machine(benchmark: BenchmarkFixture) -> None:
    """Set-up and teardown, which every test pays."""
    benchmark(machine)


@pytest.mark.parametrize("count", [FEW, MANY])
def test_look_up(benchmark: BenchmarkFixture, count: int) -> None:
    """The allocation at a random address."""
    with Loaded(count) as loaded:
        benchmark(loaded.look_up)


@pytest.mark.parametrize("count", [FEW, MANY])
def test_replace(benchmark: BenchmarkFixture, count: int) -> None:
    """A free and an allocation at a random position."""
    with Loaded(count) as loaded:
        benchmark(loaded.replace)


@pytest.mark.parametrize("what", ["look_up", "replace"])
def test_growth(what: str) -> None:
    """Both calls are timed in one run, so that the machine's own speed cancels out."""
    with Loaded(FEW) as few, Loaded(MANY) as many:
        taken = in_turn({"few": getattr(few, what), "many": getattr(many, what)})
        assert taken["many"] / taken["few"] <= GROWTH


def test_getter(benchmark: BenchmarkFixture, calls: Calls) -> None:
    """The shortest way through an operation."""
    benchmark(calls.getter)


def test_alloc(benchmark: BenchmarkFixture, calls: Calls) -> None:
    """One small allocation."""
    rounds(benchmark, calls.alloc)


def test_free(benchmark: BenchmarkFixture, calls: Calls) -> None:
    """Freeing a small allocation."""
    rounds(benchmark, calls.free, setup=lambda: ((calls.alloc(),), {}))


def test_map(benchmark: BenchmarkFixture, calls: Calls) -> None:
    """Mapping one granule into a reservation."""
    rounds(benchmark, calls.map, teardown=calls.unmap)


def test_unmap(benchmark: BenchmarkFixture, calls: Calls) -> None:
    """Unmapping one granule from a reservation."""
    rounds(benchmark, calls.unmap, setup=calls.map)
