"""cuLinkCreate: create a linker.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.linker.fixtures import ERRORS, ROOM, add
from conformance.cases.driver.module.test_module_load import MAX_REGISTERS, TARGET, optioned
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

TARGET_FROM_CONTEXT, FALLBACK = 8, 10
"""CU_JIT_TARGET_FROM_CUCONTEXT and CU_JIT_FALLBACK_STRATEGY."""


def valid(w: World) -> Invocation:
    return w.process().call("cuLinkCreate", numOptions=0, options=None, optionValues=None)


def links(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the linker completes an image and can be destroyed."""
    a, (state,) = i.process, results
    assert isinstance(state, int)
    add(a, state)
    a.ok.cuLinkComplete(state)
    a.ok.cuLinkDestroy(state)


entry = Entry("cuLinkCreate", valid, links)
entry.null("stateOut", "RESULT_IS_GIVEN")
optioned(entry)
entry.breaks("NOTHING_FALLS_BACK", numOptions=1, options=(FALLBACK,), optionValues=(1,))
entry.also("an option", numOptions=1, options=(MAX_REGISTERS,), optionValues=(32,), then=links)
entry.also("the context's target", numOptions=1, options=(TARGET_FROM_CONTEXT,), optionValues=(0,), then=links)
entry.also("a target", numOptions=1, options=(TARGET,), optionValues=(90,), then=links)
entry.breaks("LOGS_HAVE_MEMORY", numOptions=2, options=(ERRORS, ERRORS + 1), optionValues=(0, 100))


@entry.also("a log without bytes", then=links)
def without_room(_w: World, i: Invocation) -> Invocation:
    return i.evolve(numOptions=2, options=(ERRORS, ERRORS + 1), optionValues=(i.process.host_memory(ROOM), 0))


test_link_create = entry.test()
