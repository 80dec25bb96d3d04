"""Reuse of a world's processes: which are clean, and what must be freed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.program import FORKED
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Collection

    from conformance.kit.names import Name
    from conformance.kit.program import Plain
    from conformance.kit.world import Process, World

DIRTY = (
    "begin_exit",
    "cuCtxCreate_v1",
    "cuDevicePrimaryCtx",
    "cuCtxEnablePeerAccess",
    "cuCtxDisablePeerAccess",
    "cuCtxDestroy",
    "cuCtxAttach",
    "cuCtxDetach",
    "cuCtxSetCacheConfig",
    "cuCtxSetFlags",
    "cuCtxSetLimit",
    "cuDeviceSetMemPool",
    "cuMemPoolExport",
    "cuMemPoolImport",
    "cuMemPoolSetAccess",
    "cuMemPoolSetAttribute",
    "cuMemSetMemPool",
    "cuIpc",
    "cuMemHostRegister",
)
"""Prefixes of calls after which a process is not reused: effects outlast worlds."""
HALTS = ("cuCheckpointProcessLock", "cuCheckpointProcessCheckpoint")
"""Prefixes of calls that may halt processes, so that no process is reused."""
STACK = ("cuCtxCreate", "cuCtxPushCurrent", "cuCtxPopCurrent", "cuCtxSetCurrent")
"""Calls that change the current context."""
STICKY = {
    Result.ILLEGAL_ADDRESS,
    Result.LAUNCH_TIMEOUT,
    Result.CONTEXT_IS_DESTROYED,
    Result.HARDWARE_STACK_ERROR,
    Result.MISALIGNED_ADDRESS,
    Result.INVALID_ADDRESS_SPACE,
    Result.LAUNCH_FAILED,
    Result.UNKNOWN,
}
"""Sticky errors, after which a process is not reused."""
FREE = {
    "dptr": "cuMemFree",
    "va": "cuMemAddressFree",
    "handle": "cuMemRelease",
    "pinned": "cuMemFreeHost",
    "event": "cuEventDestroy",
    "stream": "cuStreamDestroy",
    "pool": "cuMemPoolDestroy",
}
"""The call that frees a name, by kind."""
FREES = (
    "cuEventCreate",
    "cuMemAlloc",
    "cuMemAllocAsync",
    "cuMemAllocFromPoolAsync",
    "cuMemAllocHost",
    "cuMemAllocManaged",
    "cuMemAllocPitch",
    "cuMemHostAlloc",
    "cuMemAddressReserve",
    "cuMemCreate",
    "cuMemImportFromShareableHandle",
    "cuMemPoolCreate",
    "cuMemRetainAllocationHandle",
    "cuMulticastCreate",
    "cuStreamCreate",
    "cuStreamCreateWithPriority",
)
"""Calls whose results a world frees at its end."""
DEEP = 32
"""The maximum contexts to pop from a stack, and references to release."""


def cleaned(world: World, subject: Process) -> bool:
    """Free what a process allocated in a world; return whether it can be reused."""
    calls = _calls(world, subject.name)
    dirty = any(call.startswith(DIRTY) for call in calls)
    halted = any(step["call"].startswith(HALTS) for step in world.session.recorder.program.steps[world.start :])
    if dirty or halted or faulted(world, subject.name):
        return False
    return _free(world, subject) and (not any(call in STACK for call in calls) or _restore(subject))


def _calls(world: World, process: str) -> list[str]:
    """Return the calls of a process in this world, except those that made it."""
    steps = [step for step in world.session.recorder.program.steps[world.start :] if step["process"] == process]
    calls = [step["call"] for step in steps]
    made = ["spawn", "cuInit", "cuCtxCreate"]
    return calls[len(made) :] if calls[: len(made)] == made else calls


def faulted(world: World, process: str, codes: Collection[int] = STICKY) -> bool:
    """Return whether a process is broken by a sticky error or a fork's call.

    A fork that may have given work to a stream has the device pass over what comes later.

    Args:
        world: The world.
        process: The process's name.
        codes: Such answers.
    """
    program = world.session.recorder.program
    pairs = zip(program.steps[world.start :], program.answers[world.start :], strict=True)
    return any(
        step["process"] == process and (answer["code"] in codes or (FORKED in step and not answer["code"]))
        for step, answer in pairs
    )


def _free(world: World, subject: Process) -> bool:
    """Free a process's allocations in this world; return whether that worked."""
    recorder = world.session.recorder
    mapped: list[tuple[Plain, ...]] = []
    names: list[Name] = []
    program = recorder.program
    for step, answer in zip(program.steps[world.start :], program.answers[world.start :], strict=True):
        if step["process"] != subject.name or answer["code"]:
            continue
        if step["call"] in {"cuMemMap", "cuMemUnmap"}:
            pointer, size = (recorder.value(data) for data in step["args"][:2])
            if step["call"] == "cuMemMap":
                mapped.append((pointer, size))
            else:
                mapped = [one for one in mapped if not pointer <= one[0] < pointer + size]
        new = [out["new"] for out in answer["outs"].values() if isinstance(out, dict) and "new" in out]
        names += [recorder.names.by_text[text] for text in new if step["call"] in FREES]
    if mapped:
        subject.c.cuCtxSynchronize()  # a copy between devices may still be under way
    codes = [subject.c.cuMemUnmap(*one)[0] for one in mapped]
    # A pool goes after its memory: driver 580 crashes some calls after cuMemFree of memory whose pool is destroyed.
    for name in sorted(names, key=lambda name: name.kind == "pool"):
        # The driver has the reservation's whole size; the allocation handles have counts.
        while name.live and not any(codes):
            rest = (name.size,) if name.kind == "va" else ()
            codes.append(getattr(subject.c, FREE[name.kind])(name.value, *rest)[0])
    return not any(codes)


def _restore(subject: Process) -> bool:
    """Make the process's own context its only one; return whether that worked."""
    for _ in range(DEEP):
        if subject.c.cuCtxPopCurrent()[0]:
            break
    return subject.alive and (not subject.context or subject.c.cuCtxPushCurrent(subject.context)[0] == 0)
