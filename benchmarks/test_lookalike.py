"""How long the modelled calls take through the look-alike, beside a configured mock in the same run.

``python -m pytest benchmarks/test_lookalike.py`` prints the times; ``test_at_most_a_quarter_of_a_mock`` compares the
best of several rounds, mock and call in turn, with strict defaults and the call record on.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from unittest.mock import MagicMock

import pytest

from fakecuda import Machine
from tests.surfaces.world import SIZE, VALID, World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytest.importorskip("pytest_benchmark", reason="benchmarks: pip install 'fakecuda[dev]'")

ROUNDS, CALLS_PER_ROUND = 12, 300
RATIO = 0.25
PAIRS: dict[str, Callable[[World], Callable[[], Any]]] = {
    "cuMemAlloc, cuMemFree": lambda w: lambda: w.driver.cuMemFree(w.driver.cuMemAlloc(SIZE)[1]),
    "cuMemMap, cuMemUnmap": lambda w: (
        lambda: (
            w.driver.cuMemMap(w.empty, w.granularity, 0, w.handle, 0),
            w.driver.cuMemUnmap(w.empty, w.granularity),
        )
    ),
    "cuMemCreate, cuMemRelease": lambda w: (
        lambda: w.driver.cuMemRelease(w.driver.cuMemCreate(w.granularity, w.prop, 0)[1])
    ),
    "cuMemAddressReserve, cuMemAddressFree": lambda w: (
        lambda: w.driver.cuMemAddressFree(w.driver.cuMemAddressReserve(w.granularity, 0, 0, 0)[1], w.granularity)
    ),
    "cuCtxPushCurrent, cuCtxPopCurrent": lambda w: (
        lambda: (
            w.driver.cuCtxPushCurrent(w.other),
            w.driver.cuCtxPopCurrent(),
        )
    ),
    "cuCtxEnablePeerAccess, cuCtxDisablePeerAccess": lambda w: (
        lambda: (
            w.driver.cuCtxEnablePeerAccess(w.other, 0),
            w.driver.cuCtxDisablePeerAccess(w.other),
        )
    ),
    "cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRelease": lambda w: (
        lambda: (
            w.driver.cuDevicePrimaryCtxRetain(0),
            w.driver.cuDevicePrimaryCtxRelease(0),
        )
    ),
    "cuCtxCreate, cuCtxDestroy": lambda w: lambda: w.driver.cuCtxDestroy(w.driver.cuCtxCreate(None, 0, 0)[1]),
    "cuMemRetainAllocationHandle, cuMemRelease": lambda w: (
        lambda: w.driver.cuMemRelease(w.driver.cuMemRetainAllocationHandle(w.range)[1])
    ),
    "cuMemImportFromShareableHandle, cuMemRelease": lambda w: (
        lambda: w.driver.cuMemRelease(
            w.driver.cuMemImportFromShareableHandle(w.descriptor, w.driver.CUmemAllocationHandleType(1))[1]
        )
    ),
}
"""Calls that undo each other, timed together: two calls against two of the mock."""
APART = {
    "cuIpcOpenMemHandle",
    "cuIpcCloseMemHandle",
    "cuMemExportToShareableHandle",
    "cuDevicePrimaryCtxReset",
}
"""Calls that need another process, open a file or end what the others use."""
ALONE = sorted(set(VALID) - {name for pair in PAIRS for name in pair.split(", ")} - APART)


@pytest.fixture
def world() -> Iterator[World]:
    """A process of a strict machine."""
    with Machine() as machine:
        yield World(machine.spawn().driver)


def mocked(world: World) -> Callable[[], Any]:
    """Return a call of a mock that is configured as tests configure it: a return value of the right shape."""
    driver = MagicMock()
    driver.cuMemAlloc.return_value = (world.driver.CUresult(0), world.pointer)
    return lambda: driver.cuMemAlloc(SIZE)


def called(name: str, world: World) -> Callable[[], Any]:
    """Return the call of that name, or the pair."""
    if name in PAIRS:
        return PAIRS[name](world)
    function, args = getattr(world.driver, name), VALID[name](world)
    return lambda: function(*args)


def best(function: Callable[[], Any], other: Callable[[], Any]) -> tuple[float, float]:
    """Return the seconds of one call of each, the best of several rounds in turn."""
    found = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for index, timed in enumerate((function, other)):
            start = time.perf_counter()
            for _ in range(CALLS_PER_ROUND):
                timed()
            found[index] = min(found[index], (time.perf_counter() - start) / CALLS_PER_ROUND)
    return found[0], found[1]


@pytest.mark.parametrize("name", [*ALONE, *PAIRS])
def test_call(name: str, world: World, benchmark: Any) -> None:  # noqa: ANN401 - pytest-benchmark has no types
    """The time of a call, or of two that undo each other."""
    benchmark(called(name, world))


def test_mock(world: World, benchmark: Any) -> None:  # noqa: ANN401 - pytest-benchmark has no types
    """The time of a configured mock's call."""
    benchmark(mocked(world))


@pytest.mark.parametrize("name", [*ALONE, *PAIRS])
def test_at_most_a_quarter_of_a_mock(name: str, world: World) -> None:
    """A test on the look-alike is never slower than a test on mocks."""
    call, mock = best(called(name, world), mocked(world))
    ratio = call / (len(name.split(", ")) * mock)
    assert ratio <= RATIO, f"{name}: {call * 1e6:.2f} µs against {mock * 1e6:.2f} µs per call of the mock: {ratio:.2f}"
