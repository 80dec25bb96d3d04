"""cuLinkComplete: a linker makes one image of its inputs.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.cases.driver.linker.fixtures import CALLED, CALLER, linker, refuse_complete, refuse_linker
from conformance.kit.case import Entry
from conformance.kit.kernels import PTX
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

BLOCK = 2 << 20
"""The least that memory of the host is given out by."""


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuLinkComplete", state=linker(a, PTX))


entry = Entry("cuLinkComplete", valid)
refuse_linker(entry)
refuse_complete(entry)
entry.null("sizeOut", None)
entry.also("no inputs", state=lambda i: linker(i.process))
entry.also("of two inputs", state=lambda i: linker(i.process, CALLER, CALLED))
entry.undefined("NAMES_ARE_THERE", code=Result.UNKNOWN, state=lambda i: linker(i.process, CALLER))
entry.undefined("NAMES_ARE_ONE_INPUT_S", code=Result.UNKNOWN, state=lambda i: linker(i.process, PTX, PTX))


@entry.undefined("IMAGE_HAS_A_PLACE", code=Result.INVALID_VALUE)
def null(_w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i, null="cubinOut")


@entry.world("IMAGE_HAS_ROOM")
def full(_w: World, i: Invocation) -> None:
    """All memory of the host is page-locked."""
    size = 1 << 45
    while size >= BLOCK:
        code, _ = i.process.c.cuMemAllocHost(size)
        size >>= int(bool(code))


entry.model_only("IMAGE_HAS_ROOM", code=Result.OUT_OF_MEMORY)
test_link_complete = entry.test()
