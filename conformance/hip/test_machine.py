"""The state machine of HIP, on the model of each year: there is no other side."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from conformance.hip.machine import machine_of


@pytest.mark.parametrize("profile", ["hip-clr-2024", "hip-clr-2026"])
def test_machine(profile: str) -> None:
    """Whatever processes do, invariants hold, and a call that failed changed nothing."""
    chosen = settings(
        max_examples=20,
        stateful_step_count=30,
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine_of(profile), settings=chosen)
