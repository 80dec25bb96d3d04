"""The state machine: on the model alone it checks invariants, with a real driver both in lockstep."""

from __future__ import annotations

from conformance.fuzz.programs import DRIVER, RUNTIME, Drawn

test_machine = Drawn((DRIVER, RUNTIME))
