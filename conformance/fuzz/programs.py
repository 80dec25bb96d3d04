"""Programs of state machines as checks, with a reported seed.

A failing program of a check is not made smaller; ``python -m conformance.fuzz.seeds`` looks on, with other seeds, and does.
"""

from __future__ import annotations

import zlib
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import frozen
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import invariant, run_state_machine_as_test

from conformance.cases.hip.machine import machine_of
from conformance.fuzz.machine import STEPS, machine_on
from conformance.runner.chance import draw_alike
from conformance.runner.checks import Check, Shown, Source
from conformance.runner.options import examples_of, seed_of, target_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pytest
    from hypothesis.database import ExampleDatabase
    from hypothesis.stateful import RuleBasedStateMachine

    from conformance.targets.target import Target

SLICE = 10
"""The number of programs of a check."""
HEAVY = 1000
"""The weight of a check."""
DRAWING = (Phase.generate,)
"""The Hypothesis phases of a check; a search also shrinks."""


@frozen
class Kind:
    """A state machine.

    Attributes:
        name: Its name.
        make: Returns it for a target.
        programs: How many programs are drawn.
        both: How many where each step is made on a real driver, too; 0 for a machine that has no other side.
        steps: Steps of a program, at most.
    """

    name: str
    make: Callable[[Target], type[RuleBasedStateMachine]]
    programs: int
    both: int = 0
    steps: int = 30


DRIVER = Kind("driver", lambda target: machine_on(target.profile, target.real), 30, 15, STEPS)
RUNTIME = Kind("runtime", lambda target: machine_on(target.profile, target.real, runtime=True), 30, 15, STEPS)
HIP_2024 = Kind("hip-clr-2024", lambda _: machine_of("hip-clr-2024"), 20)
HIP_2026 = Kind("hip-clr-2026", lambda _: machine_of("hip-clr-2026"), 20)
KINDS = (DRIVER, RUNTIME, HIP_2024, HIP_2026)


@frozen
class Drawn(Source):
    """The checks of a state machine's programs, for a test module.

    Attributes:
        kinds: The state machines.
    """

    kinds: tuple[Kind, ...]

    def groups(self) -> Iterable[tuple[str, Callable[[pytest.Config], list[Check]]]]:
        """Return the only group."""
        return [("", self.checks)]

    def checks(self, config: pytest.Config) -> list[Check]:
        """Return a check for each slice of programs."""
        target = target_of(config)
        checks = []
        for kind in self.kinds:
            count = examples_of(config) * (kind.programs if target.real is None else kind.both)
            if target.kind == "processes":
                count = 0  # on real processes the recorded programs of the machine run
            for start in range(0, count, SLICE):
                run = partial(draw, kind, target, slice_seed(seed_of(config), kind, start), min(SLICE, count - start))
                checks.append(Check(f"{kind.name}-{start}", None, run, weight=HEAVY))
        return checks


def slice_seed(base: int, kind: Kind, start: int) -> int:
    """Return a unique seed for a slice of programs."""
    return zlib.crc32(f"{base}/{kind.name}/{start}".encode())


def draw(
    kind: Kind,
    target: Target,
    number: int,
    programs: int,
    phases: tuple[Phase, ...] = DRAWING,
    database: ExampleDatabase | None = None,
) -> Shown:
    """Draw programs from a seed and run them.

    Args:
        kind: The state machine.
        target: What it runs on.
        number: The seed.
        programs: How many, at most.
        phases: What Hypothesis does: it draws, and may make what fails smaller, or begin with what has failed before.
        database: What has failed before, and where it notes what fails; by default it draws from the seed alone.

    Raises:
        AssertionError: One does not hold; its notes tell the program.
    """
    draw_alike()
    steps = 0

    def count(_: Any) -> None:
        nonlocal steps
        steps += 1

    machine = type(kind.name, (kind.make(target),), {"count": invariant()(count)})
    chosen = settings(
        max_examples=programs,
        stateful_step_count=kind.steps,
        phases=phases,
        database=database,
        deadline=None,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(seed(number)(machine), settings=chosen)
    return Shown({"steps": steps})
