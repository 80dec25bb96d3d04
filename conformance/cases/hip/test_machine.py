"""The state machine of HIP on each release's model, without a driver."""

from __future__ import annotations

from conformance.fuzz.programs import HIP_2024, HIP_2026, Drawn

test_machine = Drawn((HIP_2024, HIP_2026))
