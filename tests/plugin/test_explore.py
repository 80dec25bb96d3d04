"""The mark ``explore=True``: a test that passed is run in other orders of its actors, of what streams do, and of deaths."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

import pytest

from fakecuda.reach.native.stubs import NATIVE, NEEDS

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

pytest.importorskip("cuda.bindings.driver")

COMMON = """
    import pytest
    from cuda.bindings import driver

    def two(fakecuda, finished):
        said = []

        def writes():
            assert driver.cuInit(0) == (0,)
            said.append("write")

        def reads():
            assert driver.cuInit(0) == (0,)
            assert not finished or said == ["write"]

        orders = fakecuda.machine.orders
        for actor in (writes, reads):
            orders.start(actor)
        orders.join()

    @pytest.fixture
    def finished():
        return True
"""
EXPLORED = """
    @pytest.mark.fakecuda(explore=True)
    def test_fails_in_another_order(fakecuda, finished):
        two(fakecuda, finished)

    @pytest.mark.fakecuda(explore={"prune": False})
    def test_fails_in_none(fakecuda):
        two(fakecuda, False)

    @pytest.mark.fakecuda(explore=1)
    def test_of_one_order(fakecuda):
        two(fakecuda, True)

    @pytest.mark.fakecuda(explore={"schedules": 3, "prune": False})
    def test_of_three_orders(fakecuda):
        two(fakecuda, False)

    @pytest.mark.fakecuda(explore=True, seed=7)
    def test_fails_in_the_first_order(fakecuda):
        fakecuda.machine.orders.start(lambda: 1 / 0)

    @pytest.mark.fakecuda(explore=False)
    def test_not_explored(fakecuda):
        assert driver.cuInit(0) == (0,)

    @pytest.mark.fakecuda(explore=True)
    def test_without_actors(fakecuda):
        assert driver.cuInit(0) == (0,)

    @pytest.mark.fakecuda(explore=True)
    def test_of_the_module(fakecuda_module):
        pass
"""


def written(suite: Suite, *parts: str) -> None:
    """Write a module of tests."""
    suite.write(test_it="\n".join(textwrap.dedent(part) for part in parts))


def test_a_test_is_run_in_many_orders(suite: Suite) -> None:
    """It fails by the first order that does, shortened to its switches; its own run is the one without."""
    written(suite, COMMON, EXPLORED)
    done = suite.run("-rA")
    assert done.counts == {"PASSED": 5, "FAILED": 3, "ERROR": 1}, done.out
    assert re.search(r"explore of test_fails_in_another_order: 1 of \d+ orders? fails, with [12] switch", done.out)
    assert re.search(
        r"-> +\d+ reads +begins .*test_it.py:\d+ in two\n +usually writes: cuInit.*test_it.py:\d+ in two", done.out
    )
    assert re.search(r"in two\S+writes\n +\d+ reads +cuInit.*test_it.py:\d+ in two", done.out)
    assert re.search(
        r"explore of test_fails_in_none: \d+ orders tried, none fails; there are no other orders", done.out
    )
    assert "explore of test_of_one_order: 1 order tried, none fails; there are other orders" in done.out
    assert "explore of test_of_three_orders: 3 orders tried" in done.out
    assert "explore of test_fails_in_the_first_order" not in done.out
    assert "explore of test_not_explored" not in done.out
    assert "explore of test_without_actors: 1 order tried, none fails; there are no other orders" in done.out
    assert "explore: the test has no machine of its own: give the test the argument fakecuda" in done.out


def test_the_order_is_repeated(suite: Suite) -> None:
    """By what the report says: the mark with that schedule, beside ``explore`` or in its place, runs that order alone."""
    written(suite, COMMON, EXPLORED)
    done = suite.run("-k", "another_order")
    [again] = {*re.findall(r'again    @pytest.mark.fakecuda\((schedule="[^"]+")\)', done.out)}
    repeated = EXPLORED.partition("@pytest.mark.fakecuda(explore={")[0]
    for mark in (again, f"explore=True, {again}"):
        written(suite, COMMON, repeated.replace("explore=True", mark))
        done = suite.run()
        assert done.counts == {"FAILED": 1, "ERROR": 1}, done.out
        assert "assert (not True or [] == ['write']" in done.out
        assert "explore of" not in done.out


KEYED = """
    @pytest.mark.fakecuda({mark})
    def test_keys(fakecuda):
        driver.cuInit(0)
        driver.cuCtxCreate(None, 0, 0)
        keys = set()
        for _ in range(2):
            _, event = driver.cuEventCreate(0)
            assert int(event) not in keys
            keys.add(int(event))
            driver.cuEventDestroy(event)
"""


def test_handles_come_again(suite: Suite) -> None:
    """The own run of a test gives each handle once, and the report's mark runs it as a card gives them."""
    written(suite, COMMON, KEYED.format(mark="explore=True"))
    done = suite.run()
    assert done.counts == {"FAILED": 1}, done.out
    assert "explore of test_keys: 1 of 2 orders fails, with 0 switches" in done.out
    again = 'schedule="", handles="card"'
    assert f"again    @pytest.mark.fakecuda({again})" in done.out
    for mark, outcome in ((again, "FAILED"), ('explore=True, handles="apart"', "PASSED")):
        written(suite, COMMON, KEYED.format(mark=mark))
        assert suite.run("-rA").counts == {outcome: 1}
    options = 'memory_cap=1048576, leaks="report", profile=["h200", "h200-x2"]'
    written(suite, COMMON, KEYED.format(mark=f"explore={{'schedules': 9}}, {options}"))
    done = suite.run()
    assert f"again    @pytest.mark.fakecuda({again}, {options})" in done.out


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("0", "has explore=0: write True, a number of orders, or a dict such as"),
        ("'all'", "has explore='all': write True"),
        ("{'orders': 3}", "one of: schedules, budget, prune"),
    ],
)
def test_what_is_wrong_with_the_mark_is_told(suite: Suite, given: str, told: str) -> None:
    """When the test begins."""
    written(suite, COMMON, f"@pytest.mark.fakecuda(explore={given})\ndef test_it(fakecuda): pass")
    assert told in suite.run().out


def test_what_is_wrong_with_the_search_is_told(suite: Suite) -> None:
    """It fails the test."""
    written(suite, COMMON, "@pytest.mark.fakecuda(explore={'budget': -1})\ndef test_it(fakecuda): pass")
    done = suite.run()
    assert "explore: budget=-1" in done.out


STOPPED = """
    def ok(answer):
        code, *results = answer
        assert int(code) == 0, code
        return results[0] if results else None

    def stopped(fakecuda, early, late):
        ok(driver.cuInit(0))
        context = ok(driver.cuDevicePrimaryCtxRetain(0))
        ok(driver.cuCtxSetCurrent(context))
        memory, stream = ok(driver.cuMemAlloc(64)), ok(driver.cuStreamCreate(1))
        orders, said = fakecuda.machine.orders, []

        def one():
            ok(driver.cuCtxSetCurrent(context))
            early(said, memory, stream)

        def two():
            ok(driver.cuCtxSetCurrent(context))
            late(said, memory, stream)

        for actor in (one, two):
            orders.start(actor)
        orders.join()
        ok(driver.cuMemFree(memory))
        ok(driver.cuCtxSetCurrent(None))
        ok(driver.cuDevicePrimaryCtxRelease(0))

    def says(said, memory, stream):
        said.append("one")

    def expects(said, memory, stream):
        assert said == ["one"]

    def fills(said, memory, stream):
        ok(driver.cuMemsetD8Async(memory, 0, 64, stream))

    def destroys(said, memory, stream):
        ok(driver.cuStreamDestroy(stream))

    @pytest.mark.fakecuda(explore=True, leaks="error", leaks_allowed=["stream"])
    def test_assertion(fakecuda):
        stopped(fakecuda, says, expects)

    @pytest.mark.fakecuda(explore=True, leaks="error")
    def test_finding(fakecuda):
        stopped(fakecuda, fills, destroys)
"""


@pytest.mark.parametrize(
    "door", ["lookalike", pytest.param("native", marks=pytest.mark.skipif(not NATIVE, reason=NEEDS))]
)
def test_leaks_of_an_order_that_was_stopped_are_no_cause(suite: Suite, door: str) -> None:
    """The report has the failure and the findings; not what the order left because it ended there, nor how actors end."""
    written(suite, COMMON, STOPPED)
    done = suite.run("-rA", door=door)
    assert done.counts == {"FAILED": 2}, done.out
    assert "explore of test_assertion: 1 of " in done.out
    assert "left behind" not in done.out
    assert "breaks the rule: no stream that the call uses has been destroyed" in done.out
    assert "CALL_IS_ANSWERED" not in done.out


def test_a_test_is_swept_and_explored(suite: Suite) -> None:
    """Faults come in its first order, and the orders without a fault."""
    both = """
    @pytest.mark.fakecuda(sweep={"codes": ["OUT_OF_MEMORY"]}, explore=2, leaks_allowed=["context"])
    def test_it(fakecuda):
        def asks():
            driver.cuCtxGetCurrent()

        driver.cuInit(0)
        code, _ = driver.cuDevicePrimaryCtxRetain(0)
        if code:
            raise MemoryError(code)
        fakecuda.machine.orders.start(asks)
        fakecuda.machine.orders.join()
        driver.cuDevicePrimaryCtxRelease(0)
    """
    written(suite, COMMON, both)
    done = suite.run("-rA")
    assert done.counts == {"PASSED": 1}, done.out
    assert "sweep of test_it: 4 calls, 1 injected failure, 0 handled wrongly" in done.out
    assert "explore of test_it: " in done.out
