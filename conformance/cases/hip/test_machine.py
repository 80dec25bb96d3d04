"""The state machine of HIP, on the model of each year: there is no other side."""

from __future__ import annotations

from conformance.fuzz.programs import HIP_2024, HIP_2026, Drawn

test_machine = Drawn((HIP_2024, HIP_2026))
