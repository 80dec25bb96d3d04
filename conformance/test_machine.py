"""The state machine: on the model alone it checks invariants, with a real driver both in lockstep."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from conformance.machine import machine_on

if TYPE_CHECKING:
    from conformance.target import Target

EXAMPLES = {"model": 30, "real": 15, "both": 15}


@pytest.mark.parametrize("runtime", [False, True])
def test_machine(conformance_machines: Target, *, runtime: bool) -> None:
    """What programs of several processes see is one behaviour; a failed call changes nothing."""
    if conformance_machines.kind == "processes":
        pytest.skip("on real processes the recorded programs of the machine run")
    chosen = settings(
        max_examples=EXAMPLES[conformance_machines.kind],
        stateful_step_count=30,
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    machine = machine_on(conformance_machines.profile, conformance_machines.real, runtime=runtime)
    run_state_machine_as_test(machine, settings=chosen)
