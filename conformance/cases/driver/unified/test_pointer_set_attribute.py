"""cuPointerSetAttribute: set whether memory operations always synchronise.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import PAGE, pointers
from conformance.cases.driver.unified.test_pointer_get_attribute import ATTRIBUTE, ask
from conformance.cases.driver.va.fixtures import freed
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuPointerSetAttribute", value=1, attribute=ATTRIBUTE["SYNC_MEMOPS"], ptr=a.ok.cuMemAlloc(PAGE))


def is_set(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the attribute is a boolean."""
    assert ask(i.process, "SYNC_MEMOPS", i.args["ptr"]) == bool(i.args["value"])


entry = Entry("cuPointerSetAttribute", valid, is_set)
entry.breaks("VALUE_IS_GIVEN", value=None)
entry.breaks("ATTRIBUTE_CAN_BE_SET", attribute=0)
entry.breaks("ATTRIBUTE_CAN_BE_SET", "context", attribute=ATTRIBUTE["CONTEXT"])
entry.breaks("ATTRIBUTE_CAN_BE_SET", "buffer id", attribute=ATTRIBUTE["BUFFER_ID"])
entry.breaks("ATTRIBUTE_CAN_BE_SET", "negative", attribute=-1)
entry.breaks("ATTRIBUTE_CAN_BE_SET", "beyond the last", attribute=99)
entry.breaks("POINTER_IS_KNOWN", "null", ptr=0)
entry.breaks("POINTER_IS_KNOWN", "freed", ptr=lambda i: freed(i.process))
for kind, args in pointers("ptr", "plain", "nowhere"):
    entry.breaks("POINTER_IS_KNOWN", kind, **args)
for kind, args in pointers("ptr", "mapped"):
    entry.breaks("MEMORY_IS_NO_MAPPING", kind, **args)

entry.also("unset", value=0, then=is_set)
entry.also("another number", value=2, then=is_set)
entry.also("inside", ptr=lambda i: i.args["ptr"] + 5, then=is_set)
for kind, args in pointers("ptr", "pinned", "registered", "managed"):
    entry.also(kind, then=is_set, **args)


@entry.after("and unset again")
def unset(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    a, ptr = i.process, i.args["ptr"]
    a.ok.cuPointerSetAttribute(0, i.args["attribute"], ptr)
    assert ask(a, "SYNC_MEMOPS", ptr) == 0


@entry.also("of another context")
def other_context(_: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)


test_pointer_set_attribute = entry.test()
