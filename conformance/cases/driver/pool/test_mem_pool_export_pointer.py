"""cuMemPoolExportPointer: export pool memory for other processes.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import pointers
from conformance.cases.driver.pool.fixtures import freed, imported, memory, opened, pool
from conformance.cases.driver.va.fixtures import NOWHERE
from conformance.kit.case import Entry
from conformance.kit.world import POSIX

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    source = pool(a, handle_types=POSIX)
    a.ok.cuMemPoolExportToShareableHandle(source, POSIX, 0)
    return a.call("cuMemPoolExportPointer", ptr=memory(a, source))


def again(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the memory can be exported again."""
    assert len(results[0]) == len(i.run()[1])


entry = Entry("cuMemPoolExportPointer", valid, again)
entry.null("shareData_out", "RESULT_IS_GIVEN")
entry.breaks("POINTER_IS_OF_A_POOL", "null", ptr=0)
entry.breaks("POINTER_IS_OF_A_POOL", "nowhere", ptr=NOWHERE)
entry.breaks("POINTER_IS_OF_A_POOL", "inside", ptr=lambda i: i.args["ptr"] + 512)
entry.breaks("POINTER_IS_OF_A_POOL", "freed", ptr=lambda i: freed(i.process))
for kind, args in pointers("ptr", "linear", "pinned", "managed", "mapped", "plain"):
    entry.breaks("POINTER_IS_OF_A_POOL", kind, **args)
entry.breaks("POOL_CAN_BE_SHARED", ptr=lambda i: memory(i.process))
entry.breaks("POOL_CAN_BE_SHARED", "the default pool", ptr=lambda i: i.process.ok.cuMemAllocAsync(4096, 0))


@entry.world("POOL_CAN_BE_SHARED", "an import")
def import_(w: World, i: Invocation) -> Invocation:
    return i.evolve(ptr=opened(i.process, w.process())[0])


@entry.world("POOL_CAN_BE_SHARED", "not exported yet")
def not_exported(_: World, i: Invocation) -> Invocation:
    return i.evolve(ptr=memory(i.process, pool(i.process, handle_types=POSIX)))


@entry.also("the pool was exported after the allocation")
def exported_later(_: World, i: Invocation) -> Invocation:
    made = pool(i.process, handle_types=POSIX)
    ptr = memory(i.process, made)
    i.process.ok.cuMemPoolExportToShareableHandle(made, POSIX, 0)
    return i.evolve(ptr=ptr)


@entry.also("each allocation has data of its own")
def distinct(w: World, i: Invocation) -> None:
    a, b = i.process, w.process()
    _, source = imported(b, a)
    first, second = (a.ok.cuMemPoolExportPointer(memory(a, source)) for _round in range(2))
    assert first != second


test_mem_pool_export_pointer = entry.test()
