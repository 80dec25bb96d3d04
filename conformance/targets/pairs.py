"""Pairs of twists on the model, and which of them need a full check."""

from __future__ import annotations

from contextlib import closing, suppress
from typing import TYPE_CHECKING

import fakecuda
from conformance.kit.program import Recorder
from conformance.kit.world import Session
from fakecuda.model.effect import watched

if TYPE_CHECKING:
    from conformance.kit.case import Case
    from conformance.kit.world import World
    from fakecuda.model.effect import Act
    from fakecuda.profiles import Profile


def not_idle(pairs: list[Case], profile: Profile) -> list[Case]:
    """Return the pairs whose call changes the model's state.

    All that changes a machine is an effect (``tests/rules/test_effects.py``), and to see none costs a tenth of two
    snapshots. So a pair that differed in arguments alone and changed nothing leaves its world to the next.
    """
    found = []
    acts: list[Act] = []
    with (
        fakecuda.Machine(profile, strict=False, seed=0) as machine,
        watched(before=acts.append),
        closing(Recorder(machine, pairs[0].id)) as recorder,
    ):
        session, steps = Session(recorder), recorder.program.steps
        world: World | None = None
        for pair in sorted(pairs, key=lambda one: one.of_arguments):
            invocation = None
            if world is not None and not pair.of_arguments:
                world.finish()
                world = None
            # One twist of a pair may take what the other needs.
            with suppress(Exception):
                if world is None:
                    world = session.world(pair.id)
                    valid = pair.entry.valid(world)
                built = len(steps)
                invocation = pair.twisted(world, valid)
            assert world is not None
            code = 0
            if invocation is not None:
                acts.clear()
                code = invocation.run()[0]
                if not code or acts:
                    found.append(pair)
            if not (pair.of_arguments and code > 0 and not acts and len(steps) == built + 1):
                world.finish()
                world = None
        if world is not None:
            world.finish()
    return found
