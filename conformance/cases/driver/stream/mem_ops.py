"""Fixtures of stream memory operations: operations, memory, described devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

import fakecuda
from conformance.cases.driver.peer.fixtures import peer_of
from conformance.cases.driver.stream.fixtures import word
from conformance.kit.case import Case, Twist
from conformance.kit.common import WORLD
from conformance.targets.target import check_on_model
from fakecuda.profiles import load
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.case import Entry, Then
    from conformance.kit.world import Invocation, Process, World

GEQ, EQ, AND, NOR = range(4)
"""Conditions of CUstreamWaitValue_flags."""
FLUSH = 1 << 30
NO_BARRIER = 1
OPERATION = {name.removeprefix("CU_STREAM_MEM_OP_"): value for name, value in ENUMS["CUstreamBatchMemOpType"].items()}
"""Operations of a batch by their short names."""


def holding(i: Invocation, value: int) -> int:
    """Return the address of the invocation's memory, with a 64-bit value."""
    address = int(i.args["addr"])
    i.process.ok.cuMemsetD32(address, value & 0xFFFF_FFFF, 1)
    i.process.ok.cuMemsetD32(address + 4, value >> 32, 1)
    i.process.ok.cuCtxSynchronize()
    return address


def far(w: World, a: Process, *, enable: bool = False) -> int:
    """Return the address of zeros in a context on another device.

    Args:
        w: The world.
        a: The process.
        enable: Whether the current context has access to that one.

    Raises:
        Unavailable: The machine has no such device.
    """
    w.needs_devices(2)
    w.needs(a.ok.cuDeviceCanAccessPeer(0, 1), "peer access")
    context = peer_of(a)
    if enable:
        a.ok.cuCtxEnablePeerAccess(context, 0)
    a.ok.cuCtxPushCurrent(context)
    address = word(a)
    a.ok.cuCtxPopCurrent()
    return address


def with_peers(entry: Entry, then: Then | None = None) -> None:
    """Add the cases of a call with a value in memory of another device.

    Args:
        entry: The entry.
        then: What is called after a success, with the world, the invocation and its results.
    """

    @entry.world("PEER_IS_ENABLED", "", "addr")
    def no_peer(w: World, i: Invocation) -> Invocation:
        return i.evolve(addr=far(w, i.process))

    @entry.also("memory of a peer", then=then)
    def peer(w: World, i: Invocation) -> Invocation:
        return i.evolve(addr=far(w, i.process, enable=True))


def devices(**attributes: int) -> dict[str, Any]:
    """Return a profile's devices with other attributes, by their short names."""
    changed = {ENUMS["CUdevice_attribute"][f"CU_DEVICE_ATTRIBUTE_{name}"]: value for name, value in attributes.items()}
    found = load("h200-x2").devices
    return {"devices": tuple(attrs.evolve(one, attributes=one.attributes | changed) for one in found)}


def on_capable_model(entry: Entry, act: Callable[[World, Invocation], Invocation | None], /, **attributes: int) -> None:
    """Check that a call succeeds on a model with described devices.

    Args:
        entry: The entry whose valid call it is.
        act: Makes the difference; as a twist of the entry does.
        attributes: The attributes of the devices that differ, by their short names.
    """
    profile = attrs.evolve(load("h200-x2"), **devices(**attributes))
    with fakecuda.Machine(profile, strict=False) as machine:
        check_on_model([Case(entry, (Twist("described", act, stage=WORLD),))], machine)
