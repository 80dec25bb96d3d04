"""cuLibraryGetGlobal: the address of a library's variable in the current context.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.library.fixtures import ELSEWHERE, library, refuse_code, refuse_library
from conformance.cases.driver.module.fixtures import HUGE
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuLibraryGetGlobal", library=library(a), name=b"counter")


entry = Entry("cuLibraryGetGlobal", valid)
entry.null("dptr bytes", "RESULT_IS_GIVEN")
entry.null("bytes", None)
refuse_library(entry)
refuse_code(entry)
entry.breaks("TARGET_IS_THE_DEVICE_S", library=lambda i: library(i.process, jit=ELSEWHERE))


@entry.world("VARIABLES_HAVE_ROOM", "", "library", "name")
def huge(_w: World, i: Invocation) -> Invocation:
    return i.evolve(library=library(i.process, HUGE), name=b"huge")


entry.model_only("VARIABLES_HAVE_ROOM", code=Result.OUT_OF_MEMORY)
entry.breaks("NAME_IS_GIVEN", name=None)
entry.breaks("VARIABLE_IS_IN_THE_MODULE", name=b"none")
entry.breaks("VARIABLE_IS_NO_KERNEL", name=b"store")
test_library_get_global = entry.test()
