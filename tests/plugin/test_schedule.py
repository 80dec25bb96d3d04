"""The mark's argument ``schedule``: who comes next is drawn, and a test that fails tells the order."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("cuda.bindings.driver")

if TYPE_CHECKING:
    from .conftest import Suite

CODE = """
    import pytest
    from cuda.bindings import driver

    def meet(fakecuda, said):
        def rank(name):
            assert driver.cuInit(0) == (0,)
            said.append(name)

        orders = fakecuda.machine.orders
        for name in ("first", "second"):
            orders.start(rank, name, process=fakecuda.spawn(name), name=name)
        orders.join()

    @pytest.mark.parametrize("number", [pytest.param(one, marks=pytest.mark.fakecuda(schedule=one)) for one in SCHEDULES])
    def test_order(fakecuda, number):
        said = []
        meet(fakecuda, said)
        assert said == ["first", "second"]

    @pytest.mark.fakecuda(schedule=1)
    def test_failing_actor(fakecuda):
        def fails():
            raise LookupError("of the actor")

        fakecuda.machine.orders.start(fails)

    @pytest.mark.fakecuda(schedule="nothing")
    def test_wrong(fakecuda):
        pass
    """


def test_the_order_of_a_test_is_told_and_repeated(suite: Suite) -> None:
    """One that a number gives, by its text; what an actor raises fails the test, and what is no schedule is refused."""
    suite.write(test_it=f"SCHEDULES = range(8)\n{textwrap.dedent(CODE)}")
    done = suite.run()
    told = re.findall(r"note: the order, which schedule=('[^']+') repeats", done.out)
    assert told
    assert len(told) < 8
    assert "LookupError: of the actor" in done.out
    assert "'nothing' does not have the form PLACE:NAME" in done.out
    suite.write(test_it=f"SCHEDULES = ['', {told[0]}]\n{textwrap.dedent(CODE)}")
    done = suite.run("-k", "order")
    assert "1 failed, 1 passed" in done.out
    assert f"schedule={told[0]} repeats" in done.out
