"""cuLinkDestroy: destroy a linker with its image.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.linker.fixtures import complete, linker, refuse_linker, refuse_other_threads
from conformance.kit.case import Entry
from conformance.kit.kernels import PTX

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuLinkDestroy", state=linker(a, PTX))


entry = Entry("cuLinkDestroy", valid)
refuse_linker(entry)
refuse_other_threads(entry)
entry.also("with an image", state=lambda i: complete(i.process))
test_link_destroy = entry.test()
