"""cuMemHostUnregister: make registered memory pageable again.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import PAGE, from_anywhere, pointers, registered
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemHostUnregister", p=registered(a))


def forgotten(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that devices do not know the memory any more."""
    assert i.c.cuMemGetAddressRange(i.args["p"]) == (Result.NOT_FOUND, None, None)
    assert i.c.cuMemHostGetFlags(i.args["p"]) == (Result.INVALID_VALUE, None)


entry = Entry("cuMemHostUnregister", valid, forgotten)
entry.without("no_context")  # none is needed
entry.breaks("POINTER_IS_GIVEN", p=0)
for kind, args in pointers("p", "plain", "nowhere"):
    entry.breaks("MEMORY_IS_REGISTERED", kind, **args)
entry.breaks("MEMORY_IS_REGISTERED", "just behind", p=lambda i: i.args["p"] + PAGE)
for kind, args in pointers("p", "linear", "pinned", "managed", "mapped"):
    entry.breaks("POINTER_IS_A_BASE", kind, **args)
entry.breaks("POINTER_IS_A_BASE", "inside", p=lambda i: i.args["p"] + 10)


@entry.world("MEMORY_IS_REGISTERED", "twice")
def before(_: World, i: Invocation) -> None:
    i.process.ok.cuMemHostUnregister(i.args["p"])


@entry.also("part of a page")
def part(_: World, i: Invocation) -> Invocation:
    ptr = i.process.host_memory(PAGE)
    i.process.ok.cuMemHostRegister(ptr + 100, 100, 0)
    i.process.ok.cuMemHostRegister(ptr + 200, 100, 0)
    return i.evolve(p=ptr + 100)


from_anywhere(entry)


test_mem_host_unregister = entry.test()
