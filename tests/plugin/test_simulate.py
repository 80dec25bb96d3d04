"""``fakecuda.simulate`` as a block, and as a decorator of all that has tests."""

from __future__ import annotations

import asyncio
import contextlib
import unittest
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

driver: Any = pytest.importorskip("cuda.bindings.driver")


def devices() -> int:
    """Return how many devices the installed machine has."""
    assert int(driver.cuInit(0)[0]) == 0
    return int(driver.cuDeviceGetCount()[1])


simulated = fakecuda.simulate("h200-x4")


def test_a_block_has_a_machine_and_another_one_the_next_time() -> None:
    """Nested, too."""
    with simulated as outer:
        assert fakecuda.installed() is outer
        with simulated as inner:
            assert fakecuda.installed() is inner is not outer
        assert fakecuda.installed() is outer
    assert fakecuda.installed() is None


def test_the_fixture_has_it_too(fakecuda: fakecuda.FakeCuda) -> None:
    """By the same name, beside its own machine."""
    with fakecuda.simulate("h200-x4") as machine:
        assert devices() == 4
        assert machine is not fakecuda.machine
    assert int(driver.cuCtxGetCurrent()[0]) == 3


def test_a_function_has_a_machine_in_each_call() -> None:
    """It keeps its name, its arguments and its result."""
    seen: list[Any] = []

    @fakecuda.simulate("h200-x4")
    def count(more: int) -> int:
        """Counts."""
        seen.append(fakecuda.installed())
        return devices() + more

    assert (count(1), count(more=2)) == (5, 6)
    assert (count.__name__, count.__doc__) == ("count", "Counts.")
    assert seen[0] is not seen[1]
    assert fakecuda.installed() is None


def test_a_coroutine_has_its_machine_until_it_ends() -> None:
    """And none before it runs."""

    @simulated
    async def count() -> int:
        await asyncio.sleep(0)
        return devices()

    waiting = count()
    assert fakecuda.installed() is None
    assert asyncio.run(waiting) == 4


def test_generators_have_theirs_until_they_end() -> None:
    """As fixtures that yield."""

    @simulated
    def machines() -> Iterator[Any]:
        yield fakecuda.installed()
        yield fakecuda.installed()

    @simulated
    async def later() -> AsyncIterator[Any]:
        yield fakecuda.installed()

    async def first() -> Any:
        return [one async for one in later()].pop()

    one, other = machines()
    assert one is other is not None
    assert asyncio.run(first()) is not None
    assert fakecuda.installed() is None


@fakecuda.simulate("h200-x4")
class Tests(unittest.TestCase):
    """unittest tests with a machine each."""

    machines: list[Any] = []  # noqa: RUF012 - both tests fill it

    def test_one(self) -> None:
        """The first."""
        self._seen()

    def test_other(self) -> None:
        """The second has another one."""
        self._seen()

    @staticmethod
    def test_static() -> None:
        """One without the object."""
        assert devices() == 4

    def _seen(self) -> None:
        assert devices() == 4
        made = fakecuda.installed()
        assert made not in self.machines
        self.machines.append(made)


def test_a_class_keeps_what_is_no_test() -> None:
    """Helpers run wherever they are called."""

    @simulated
    class Holder:
        def test(self) -> object:
            return self.helper()

        def helper(self) -> object:
            return fakecuda.installed()

    assert Holder().test() is not None
    assert Holder().helper() is None


def test_what_is_found_within_a_decorated_call_is_raised_at_its_end() -> None:
    """Swallowed or not."""

    @fakecuda.simulate()
    def free_twice() -> None:
        driver.cuInit(0)
        driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
        stream = driver.cuStreamCreate(0)[1]
        driver.cuStreamDestroy(stream)
        with contextlib.suppress(fakecuda.UndefinedBehaviour):
            driver.cuStreamDestroy(stream)

    with pytest.raises(fakecuda.UndefinedBehaviour):
        free_twice()


def test_other_things_are_not_decorated() -> None:
    """With one line that says so."""
    with pytest.raises(fakecuda.FakeCudaError, match="decorates functions and classes; 5 is neither"):
        simulated(5)
