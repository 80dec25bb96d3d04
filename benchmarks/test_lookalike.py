"""Times of modelled calls through the look-alike, beside a configured mock.

``python -m pytest benchmarks/test_lookalike.py`` prints the times. ``test_at_most_a_quarter_of_a_mock`` compares the
best of several rounds, alternating mock and call, with strict defaults and the call record. ``python -m
benchmarks.report`` prints the ratios as a table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest.mock import MagicMock

import pytest

from fakecuda.reach.bindings.fallback_classes import binding
from tests.bindings.valid import VALID
from tests.bindings.world import SIZE

from .calls import LIMIT, LookAlike, circle_of

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("pytest_benchmark", reason="benchmarks: pip install 'fakecuda[dev]'")

NAMES = sorted(VALID)


@pytest.fixture
def calls() -> Iterator[LookAlike]:
    """Return the calls of a strict machine."""
    with LookAlike() as made:
        yield made


@pytest.mark.parametrize("name", NAMES)
def test_call(name: str, calls: LookAlike, benchmark: Any) -> None:
    """The time of a call in its circle."""
    benchmark(calls.go_round, circle_of(name), name)


def test_mock(benchmark: Any) -> None:
    """The time of a configured mock's call."""
    driver = MagicMock(spec=binding)
    driver.cuMemAlloc.return_value = (binding.CUresult(0), binding.CUdeviceptr(1))
    benchmark(lambda: driver.cuMemAlloc(SIZE))


@pytest.mark.parametrize("name", NAMES)
def test_at_most_a_quarter_of_a_mock(name: str, calls: LookAlike) -> None:
    """A test on the look-alike is never slower than a test on mocks."""
    call, mock = calls.against_the_mock(name)
    assert call / mock <= LIMIT, f"{name}: {call * 1e6:.2f} µs against {mock * 1e6:.2f} µs of the mock"
