"""cuIpcGetMemHandle: export an allocation to other processes.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.module.fixtures import module
from conformance.cases.driver.va.fixtures import NOWHERE, freed, half_mapped, imported
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

SIZE = 4096


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuIpcGetMemHandle", dptr=a.ok.cuMemAlloc(SIZE))


def the_same_again(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that an allocation has one handle, for any address in it."""
    for offset in (0, 100, SIZE - 1):
        assert i.process.ok.cuIpcGetMemHandle(i.args["dptr"] + offset) == results[0]


def variable(a: Process) -> int:
    """Return the address of a variable of a module."""
    address, _ = a.ok.cuModuleGetGlobal(module(a), b"counter")
    return int(address)


entry = Entry("cuIpcGetMemHandle", valid, the_same_again)
entry.null("pHandle", "RESULT_IS_GIVEN")
entry.breaks("POINTER_IS_GIVEN", dptr=0)
entry.breaks("POINTER_IS_ALLOCATED", dptr=NOWHERE)
entry.breaks("POINTER_IS_ALLOCATED", "just behind", dptr=lambda i: i.args["dptr"] + SIZE)
entry.breaks("POINTER_IS_ALLOCATED", "freed", dptr=lambda i: freed(i.process))
entry.breaks("POINTER_IS_ALLOCATED", "reserved", dptr=lambda i: half_mapped(i.process) + GRANULE)
entry.breaks("POINTER_IS_ALLOCATED", "mapped", dptr=lambda i: half_mapped(i.process))
entry.breaks("POINTER_IS_ALLOCATED", "a variable", dptr=lambda i: variable(i.process))


@entry.world("POINTER_IS_ALLOCATED", "imported")
def opened(w: World, i: Invocation) -> Invocation:
    return i.evolve(dptr=imported(i.process, w.process())[0])


@entry.also("new memory at the same address has another handle")
def unique(_: World, i: Invocation) -> Invocation:
    a, ptr = i.process, i.args["dptr"]
    before = a.ok.cuIpcGetMemHandle(ptr)
    a.ok.cuMemFree(ptr)
    again = a.ok.cuMemAlloc(SIZE)
    assert a.ok.cuIpcGetMemHandle(again) != before
    return i.evolve(dptr=again)


@entry.also("neighbours have handles of their own")
def neighbours(_: World, i: Invocation) -> None:
    handles = {i.process.ok.cuIpcGetMemHandle(i.process.ok.cuMemAlloc(SIZE)) for _round in range(3)}
    assert len(handles) == 3


@entry.also("of another context")
def other_context(_: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)


@entry.also("each context has a handle of its own")
def through_another_context(_: World, i: Invocation) -> None:
    a, dptr = i.process, i.args["dptr"]
    own = a.ok.cuIpcGetMemHandle(dptr)
    a.ok.cuCtxCreate(None, 0, 0)
    other = a.ok.cuIpcGetMemHandle(dptr)
    assert a.ok.cuIpcGetMemHandle(dptr) == other != own


test_ipc_get_mem_handle = entry.test()
