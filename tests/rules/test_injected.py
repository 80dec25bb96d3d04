"""A call that a test has refused breaks a rule that is no driver's."""

from __future__ import annotations

from fakecuda import Machine, Result
from fakecuda.rules.injected import NO_FAULT_IS_INJECTED
from fakecuda.rules.registry import DRIVER, EVERY_OP, every_rule


def test_it_is_the_rule_of_no_call() -> None:
    """Nothing is wrong with a call that breaks it, and no page or ledger has it."""
    assert NO_FAULT_IS_INJECTED not in every_rule(DRIVER)
    assert all(NO_FAULT_IS_INJECTED not in EVERY_OP[name].rules for name in ("cuMemAlloc", "cudaMalloc", "hipMalloc"))
    assert NO_FAULT_IS_INJECTED.id == "injected.NO_FAULT_IS_INJECTED"


def test_a_fault_breaks_it() -> None:
    """The code is the fault's."""
    with Machine(seed=0) as machine, machine.fail("cuInit", code="NO_DEVICE"):
        assert machine.here.c.cuInit(0) == (Result.NO_DEVICE,)
        assert machine.log[-1].rule is NO_FAULT_IS_INJECTED
