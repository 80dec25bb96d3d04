"""Fixtures of peers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import GARBAGE, lose
from fakecuda.rules.driver.peer.atomic import OPERATIONS
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.case import Entry
    from conformance.kit.world import Invocation, Process, World

ADD = ENUMS["CUatomicOperation"]["CU_ATOMIC_OPERATION_INTEGER_ADD"]
CAS = ENUMS["CUatomicOperation"]["CU_ATOMIC_OPERATION_CAS"]


def peered(w: World) -> Process:
    """Return a process on device 0 of a machine with an accessible second device."""
    w.needs_devices(2)
    a = w.process()
    w.needs(a.ok.cuDeviceCanAccessPeer(0, 1), "peer access")
    return a


def peer_of(a: Process, device: int = 1) -> int:
    """Return a new context of the process on a device, not current."""
    context: int = a.ok.cuCtxCreate(None, 0, device)
    a.ok.cuCtxPopCurrent()
    return context


def alloc_in(a: Process, context: int, size: int = 4096) -> int:
    """Return the address of new memory of a context that is not current."""
    a.ok.cuCtxPushCurrent(context)
    ptr: int = a.ok.cuMemAlloc(size)
    a.ok.cuCtxPopCurrent()
    return ptr


def refuse_contexts(entry: Entry) -> None:
    """Add the cases of a call with an invalid, failed or destroyed peer context."""
    entry.breaks("PEER_IS_GIVEN", peerContext=0)
    entry.undefined("CONTEXT_IS_KNOWN", code=Result.INVALID_CONTEXT, peerContext=GARBAGE)

    @entry.world("CONTEXT_IS_SOUND")
    def lost(w: World, i: Invocation) -> None:
        lose(w, i.process)

    entry.model_only("CONTEXT_IS_SOUND", code=Result.LAUNCH_FAILED)  # a fault of the card: nobody needs to see it twice

    @entry.world("CONTEXT_IS_LIVE")
    def destroyed(_w: World, i: Invocation) -> None:
        i.process.ok.cuCtxDestroy(i.args["peerContext"])


def ask_operations(entry: Entry) -> None:
    """Add the cases of a call that queries atomic operations."""
    entry.breaks("OPERATIONS_ARE_GIVEN", operations=None)
    entry.breaks("OPERATIONS_ARE_GIVEN", "no operation", count=0)
    entry.breaks("OPERATIONS_ARE_KNOWN", operations=(99, ADD))
    entry.breaks("OPERATIONS_ARE_KNOWN", "the last one", operations=(ADD, 99))
    entry.breaks("OPERATIONS_ARE_KNOWN", "negative operation", operations=(-1, ADD))
    entry.null("capabilities", "RESULT_IS_GIVEN")
    entry.also("the first alone", count=1)
    entry.also("one operation twice", operations=(ADD, ADD))
    entry.also("every operation", operations=tuple(sorted(OPERATIONS)), count=len(OPERATIONS))
