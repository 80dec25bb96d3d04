"""The state machine, on the model alone or with a driver in lockstep."""

from __future__ import annotations

from conformance.fuzz.programs import DRIVER, RUNTIME, Drawn

test_machine = Drawn((DRIVER, RUNTIME))
