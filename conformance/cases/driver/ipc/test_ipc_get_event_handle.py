"""cuIpcGetEventHandle: export an event to other processes.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import GARBAGE
from conformance.cases.driver.event.fixtures import (
    FLAG,
    SHARED,
    UNTIMED,
    destroyed,
    elsewhere,
    exported,
    opened,
    without_context,
)
from conformance.cases.driver.va.fixtures import on_model
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuIpcGetEventHandle", event=a.ok.cuEventCreate(SHARED))


def the_same_again(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that an event has one handle, recorded or not."""
    i.process.ok.cuEventRecord(i.args["event"], 0)
    assert i.process.ok.cuIpcGetEventHandle(i.args["event"]) == results[0]


entry = Entry("cuIpcGetEventHandle", valid, the_same_again)
entry.null("pHandle", "RESULT_IS_GIVEN")
entry.breaks("ipc.ipc_get_event_handle.EVENT_IS_GIVEN", event=0)
entry.breaks("EVENT_IS_INTERPROCESS", event=lambda i: i.process.ok.cuEventCreate(0))
entry.breaks("EVENT_IS_INTERPROCESS", "blocking", event=lambda i: i.process.ok.cuEventCreate(FLAG["BLOCKING_SYNC"]))
entry.breaks("EVENT_IS_INTERPROCESS", "untimed", event=lambda i: i.process.ok.cuEventCreate(UNTIMED))
entry.undefined("EVENT_IS_KNOWN", code=Result.INVALID_HANDLE, event=GARBAGE)
entry.undefined("EVENT_IS_LIVE", code=Result.SUCCESS, event=lambda i: destroyed(i.process, SHARED))
entry.undefined("EVENT_HAS_A_CONTEXT", code=Result.INVALID_HANDLE, event=lambda i: without_context(i.process, SHARED))
entry.undefined("EVENT_IS_OF_THE_CURRENT_CONTEXT", code=Result.SUCCESS, event=lambda i: elsewhere(i.process, SHARED)[0])
entry.also("that blocks", event=lambda i: i.process.ok.cuEventCreate(SHARED | FLAG["BLOCKING_SYNC"]))


@entry.undefined("CONTEXT_HAS_EVENTS", code=Result.INVALID_HANDLE)
def beside_a_context_without_one(_: World, i: Invocation) -> Invocation:
    """Make a context without interprocess events current, which the driver searches."""
    i.process.ok.cuCtxCreate(None, 0, 0)
    return i


@entry.undefined("EVENT_IS_OF_THE_CURRENT_CONTEXT", code=Result.SUCCESS)
def beside_a_context_with_one(_: World, i: Invocation) -> Invocation:
    """Make a context current whose first event's handle the driver returns."""
    a = i.process
    a.ok.cuCtxCreate(None, 0, 0)
    other, handle = exported(a)
    a.ok.cuEventDestroy(other)
    assert a.c.cuIpcGetEventHandle(i.args["event"]) == (Result.SUCCESS, handle)
    return i


@entry.world("EVENT_IS_INTERPROCESS", "opened")
def reexported(w: World, i: Invocation) -> Invocation:
    return i.evolve(event=opened(i.process, w.process())[0])


@entry.also("each event has a handle of its own")
def unique(_: World, i: Invocation) -> Invocation:
    first, handle = exported(i.process)
    assert exported(i.process)[1] != handle
    i.process.ok.cuEventDestroy(first)  # a new event may get the old one's handle
    return i.evolve(event=exported(i.process)[0])


test_ipc_get_event_handle = entry.test()


def test_ipc_is_supported() -> None:
    on_model(entry, "IPC_IS_SUPPORTED", Result.INVALID_HANDLE, lambda *_: None, of="wsl")
