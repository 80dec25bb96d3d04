"""What cases of calls that need no initialised driver are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.kit.program import FORKED

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def in_a_fork(_w: World, i: Invocation) -> Invocation:
    """Make the call in a fork of its process, which has called cuInit before."""
    i.process.c.cuInit(0)
    return attrs.evolve(i, thread=FORKED)
