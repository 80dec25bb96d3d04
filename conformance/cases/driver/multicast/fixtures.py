"""Fixtures of multicast: objects, teams, memory, and described machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from conformance.cases.driver.va.fixtures import content, on_model, prop, released
from conformance.kit.world import DEVICE, GRANULE, POSIX, access
from fakecuda.profiles import Multicast, load
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.case import Entry
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

DEVICES = 2
SIZE = 4 * GRANULE
"""Bytes of a multicast object."""
SUPPORTED = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED"]
MAJOR, MINOR = (
    ENUMS["CUdevice_attribute"][f"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_{name}"] for name in ("MAJOR", "MINOR")
)


def described(devices: int = DEVICES, size: int = SIZE, handle_types: int = POSIX, flags: int = 0) -> tuple[Plain, ...]:
    """Return a CUmulticastObjectProp."""
    return (devices, size, handle_types, flags)


def empty(w: World, a: Process, devices: int = DEVICES, **changed: int) -> int:
    """Return the handle of a new multicast object without devices in its team.

    Args:
        w: The world.
        a: The process.
        devices: How many devices it will have.
        changed: Fields of the properties.
    """
    w.needs_multicast()
    handle: int = a.ok.cuMulticastCreate(described(devices, **changed))
    return handle


def team(w: World, a: Process, devices: int = DEVICES, **changed: int) -> int:
    """Return the handle of a new multicast object with a complete team."""
    handle = empty(w, a, devices, **changed)
    for device in range(devices):
        a.ok.cuMulticastAddDevice(handle, device)
    return handle


def memory(a: Process, device: int = 0, size: int = SIZE, handle_types: int = POSIX, kind: int = DEVICE) -> int:
    """Return the handle of new memory of a device."""
    handle: int = a.ok.cuMemCreate(size, prop(location=(kind, device), handle_types=handle_types), 0)
    return handle


def mapped(a: Process, handle: int, size: int = SIZE, devices: int = DEVICES) -> int:
    """Map memory or a multicast object for all devices, and return the address."""
    ptr: int = a.ok.cuMemAddressReserve(size, 0, 0, 0)
    a.ok.cuMemMap(ptr, size, 0, handle, 0)
    a.ok.cuMemSetAccess(ptr, size, tuple(access(device) for device in range(devices)), devices)
    return ptr


def bound(w: World, a: Process) -> tuple[int, list[int]]:
    """Return the addresses of a mapped multicast object and of each device's memory."""
    object_ = team(w, a)
    handles = [memory(a, device) for device in range(DEVICES)]
    for handle in handles:
        a.ok.cuMulticastBindMem(object_, 0, handle, 0, SIZE, 0)
    return mapped(a, object_), [mapped(a, handle) for handle in handles]


def holds(a: Process, places: list[int], expected: bytes) -> None:
    """Check that these addresses have the same bytes."""
    assert [content(a, place, len(expected)) for place in places] == [expected] * len(places)


def refuse(entry: Entry, argument: str = "mcHandle") -> None:
    """Add the cases of a call with a handle that is no multicast object."""
    entry.breaks("HANDLE_IS_GIVEN", argument, **{argument: 0})
    entry.breaks("HANDLE_IS_MULTICAST", **{argument: lambda i: memory(i.process)})
    entry.undefined("HANDLE_IS_HELD", code=Result.INVALID_VALUE, **{argument: lambda i: released(i.process)})


def refuse_ranges(entry: Entry) -> None:
    """Add the cases of a call with ranges outside the object."""
    entry.breaks("RANGE_IS_ALIGNED", "no bytes", size=0)
    entry.breaks("RANGE_IS_ALIGNED", "a part of a granule", size=GRANULE // 2)
    entry.breaks("RANGE_IS_ALIGNED", "an odd offset", mcOffset=4096)
    entry.breaks("RANGE_LIES_IN_THE_OBJECT", mcOffset=SIZE)
    entry.breaks("RANGE_LIES_IN_THE_OBJECT", "by a granule", mcOffset=lambda i: SIZE + GRANULE - i.args["size"])


def refuse_bindings(entry: Entry) -> None:
    """Add the cases of binding for memory named in any way."""
    refuse(entry)
    refuse_ranges(entry)
    entry.breaks("FLAGS_ARE_ZERO", flags=1)

    @entry.world("RANGE_IS_FREE")
    def taken(_: World, i: Invocation) -> None:
        i.run()

    @entry.world("RANGE_IS_FREE", "a part of it")
    def partly_taken(_: World, i: Invocation) -> Invocation:
        a = i.process
        other = memory(a, size=GRANULE)
        a.ok.cuMulticastBindMem(i.args["mcHandle"], i.args["size"] - GRANULE, other, 0, GRANULE, 0)
        return i

    @entry.world("DEVICE_IS_OF_THE_TEAM")
    def of_another_team(_: World, i: Invocation) -> Invocation:
        alone = i.process.ok.cuMulticastCreate(described(1))
        i.process.ok.cuMulticastAddDevice(alone, 1)
        return i.evolve(mcHandle=alone)

    @entry.also("a shareable object in another process")
    def imported(w: World, i: Invocation) -> Invocation:
        b = w.process()
        descriptor = b.ok.cuMemExportToShareableHandle(team(w, b), POSIX, 0)
        return i.evolve(mcHandle=i.process.ok.cuMemImportFromShareableHandle(descriptor, POSIX))

    @entry.also("where something was bound")
    def again(_: World, i: Invocation) -> None:
        i.run()
        i.process.ok.cuMulticastUnbind(i.args["mcHandle"], 0, i.args["mcOffset"], i.args["size"])


def check_described(
    entry: Entry,
    rule: str,
    code: int,
    act: Callable[[World, Invocation], Invocation | None] = lambda *_: None,
    /,
    *,
    devices: dict[int, int] | None = None,
    **multicast: Any,
) -> None:
    """Check that a machine with other switches or devices breaks a rule.

    Args:
        entry: The entry.
        rule: The rule's constant.
        code: What the call answers.
        act: What is done before.
        devices: Attributes that all devices have otherwise.
        multicast: What the switches can do.
    """
    changed: dict[str, Any] = {"multicast": Multicast(**multicast)}
    if devices is not None:
        known = load("h200-x2").devices
        changed["devices"] = tuple(attrs.evolve(one, attributes=one.attributes | devices) for one in known)
    on_model(entry, rule, code, act, **changed)


RUBIN = {MAJOR: 10, MINOR: 7}
"""Attributes of devices that accept unaligned memory."""
