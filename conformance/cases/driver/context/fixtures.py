"""Fixtures of contexts and peers: described machines, flags, and a lost context."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import attrs

import fakecuda
from conformance.kit.world import GRANULE, access, pinned
from fakecuda.profiles import load
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.kit.case import Entry
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World
    from fakecuda.profiles import Profile
    from fakecuda.reach.bindings.c import CLevel

FLAG = {name.removeprefix("CU_CTX_"): value for name, value in ENUMS["CUctx_flags"].items()}
"""Flags of contexts by their short names."""
LIMIT = {name.removeprefix("CU_LIMIT_"): value for name, value in ENUMS["CUlimit"].items()}
"""Limits of contexts by their short names."""
SPIN, YIELD, BLOCKING, MAP_HOST = FLAG["SCHED_SPIN"], FLAG["SCHED_YIELD"], FLAG["SCHED_BLOCKING_SYNC"], FLAG["MAP_HOST"]
READ = ENUMS["CUmemAccess_flags"]["CU_MEM_ACCESS_FLAGS_PROT_READ"]
GARBAGE = 0x1234
"""A value that no call has returned."""


def lose(w: World, a: Process) -> None:
    """Give a process's current context a sticky error, by a copy that fails.

    Raises:
        Unavailable: The machine has one device.
    """
    w.needs_devices(2)
    ptr = a.ok.cuMemAddressReserve(2 * GRANULE, 0, 0, 0)
    for device in (0, 1):
        a.ok.cuMemMap(ptr + device * GRANULE, GRANULE, 0, a.ok.cuMemCreate(GRANULE, pinned(device), 0), 0)
    a.ok.cuMemSetAccess(ptr, 2 * GRANULE, (access(),), 1)
    assert a.c.cuMemcpyDtoH(bytearray(16), ptr + GRANULE - 8, 16) == (Result.LAUNCH_FAILED,)


def spoil(a: Process) -> None:
    """Give a process a sticky error, by a write to read-only memory."""
    ptr, _ = a.mapped(grant=False)
    a.ok.cuMemSetAccess(ptr, GRANULE, (access(flags=READ),), 1)
    a.ok.cuStreamWriteValue32(0, ptr, 1, 0)
    assert a.c.cuCtxSynchronize() == (Result.LAUNCH_FAILED,)


def ended(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """End the process, because later calls may crash after undefined behaviour."""
    i.process.kill()


@contextmanager
def described(profile: str | Profile = "h200", *, init: bool = True) -> Iterator[CLevel]:
    """Yield the calls of a process of a simulated machine, for any target of the run.

    Args:
        profile: What the machine reports of itself.
        init: Whether cuInit was called.
    """
    with fakecuda.Machine(profile) as machine:
        c = machine.spawn().c
        if init:
            c.cuInit(0)
        yield c


@contextmanager
def ready(machine: fakecuda.Machine, **options: Any) -> Iterator[fakecuda.Process]:
    """Run a process of a simulated machine that has called cuInit; close the machine at the end.

    Args:
        machine: The machine.
        options: Those of ``Machine.spawn``.
    """
    with machine:
        yield another(machine, **options)


def another(machine: fakecuda.Machine, **options: Any) -> fakecuda.Process:
    """Return an initialised process of a simulated machine."""
    process = machine.spawn(**options)
    assert process.c.cuInit(0) == (Result.SUCCESS,)
    return process


def prohibited() -> Profile:
    """Return a machine whose device has compute mode "prohibited"."""
    return with_attributes(COMPUTE_MODE=ENUMS["CUcomputemode"]["CU_COMPUTEMODE_PROHIBITED"])


def without(*names: str) -> Profile:
    """Return a machine whose device answers 0 for attributes, by their short names."""
    return with_attributes(**dict.fromkeys(names, 0))


def with_attributes(**values: int) -> Profile:
    """Return a machine whose device has attribute values, by their short names."""
    profile = load("h200")
    changed = {ENUMS["CUdevice_attribute"][f"CU_DEVICE_ATTRIBUTE_{name}"]: value for name, value in values.items()}
    attributes = profile.devices[0].attributes | changed
    return attrs.evolve(profile, devices=(attrs.evolve(profile.devices[0], attributes=attributes),))


def room_for_one(left: int | None = None) -> Profile:
    """Return a machine whose device has memory for only one context.

    Args:
        left: Bytes that the context leaves; None for nearly half of the memory.
    """
    profile = load("h200")
    device = profile.devices[0]
    return attrs.evolve(
        profile, context_memory=device.total_memory // 2 + 1 if left is None else device.free_memory - left
    )


def destroyed(_w: World, i: Invocation) -> Invocation:
    """Give the call a destroyed context."""
    context = i.process.ok.cuCtxCreate(None, 0, 0)
    i.process.ok.cuCtxDestroy(context)
    return i.evolve(ctx=context)


def inactive_primary(_w: World, i: Invocation) -> Invocation:
    """Give the call a primary context that is no longer active."""
    context = i.process.ok.cuDevicePrimaryCtxRetain(0)
    i.process.ok.cuDevicePrimaryCtxRelease(0)
    return i.evolve(ctx=context)


def flags_of_it(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Query the flags of the current context."""
    i.c.cuCtxGetFlags()


def accept_flags(entry: Entry) -> None:
    """Add the cases of each context flag except the default schedule."""
    for name in (
        "SCHED_SPIN",
        "SCHED_YIELD",
        "MAP_HOST",
        "LMEM_RESIZE_TO_MAX",
        "COREDUMP_ENABLE",
        "USER_COREDUMP_ENABLE",
        "SYNC_MEMOPS",
    ):
        entry.also(name, then=flags_of_it, flags=FLAG[name])


def accept_given(entry: Entry) -> None:
    """Add the cases of a call on a current or other context, both valid."""

    @entry.also("of another context")
    def other(w: World, i: Invocation) -> Invocation:
        w.needs_devices(2)
        a = i.process
        context = a.ok.cuCtxCreate(None, 0, 1)
        a.ok.cuCtxPopCurrent()
        return i.evolve(ctx=context)

    @entry.also("of a context that is given no other needs to be current")
    def none_current(w: World, i: Invocation) -> Invocation:
        return i.evolve(ctx=i.process.context).on_thread(w.thread_name())

    @entry.also("of a context that is given the current one may be destroyed")
    def current_destroyed(w: World, i: Invocation) -> Invocation:
        a = i.process
        context = a.ok.cuCtxCreate(None, 0, 0)
        a.thread(w.thread_name()).ok.cuCtxDestroy(context)
        return i.evolve(ctx=a.context)

    @entry.also("of a primary context")
    def primary(_w: World, i: Invocation) -> Invocation:
        return i.evolve(ctx=i.process.ok.cuDevicePrimaryCtxRetain(0))
