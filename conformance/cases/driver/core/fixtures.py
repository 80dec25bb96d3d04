"""Fixtures of calls that need no initialised driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.kit.case import Entry
from conformance.kit.program import FORKED
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def in_a_fork(_w: World, i: Invocation) -> Invocation:
    """Make the call in a fork of a process that has called cuInit."""
    i.process.c.cuInit(0)
    return attrs.evolve(i, thread=FORKED)


def texts(call: str) -> Entry:
    """Return the entry of a call that describes a code, without initialisation."""
    entry = Entry(call, lambda w: w.process(init=False).call(call, error=1))
    entry.breaks("CODE_IS_KNOWN", error=12345)
    entry.breaks("CODE_IS_KNOWN", "negative code", error=-1)
    entry.also("the first code", error=Result.SUCCESS)
    entry.also("the last code", error=Result.UNKNOWN)
    entry.also("a code that no call modelled here answers", error=Result.ECC_UNCORRECTABLE)
    entry.also("in a fork of an initialised process")(in_a_fork)

    @entry.undefined("STRING_IS_GIVEN", code=Result.INVALID_VALUE)
    def no_result(_w: World, i: Invocation) -> Invocation:
        return attrs.evolve(i, null="pStr")

    return entry
