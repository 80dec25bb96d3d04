"""Copies of HIP that a struct describes: of rows, and of slices."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from conformance.cases.hip.both import both
from conformance.cases.hip.fixtures import (
    ALL,
    OLD,
    content,
    described,
    elsewhere,
    entries,
    host,
    mapped,
    memory,
    new,
    rows,
    slices,
    stream,
    there,
)
from conformance.kit.case import suite

if TYPE_CHECKING:
    from conformance.cases.hip.both import Calls
    from conformance.kit.case import Entry
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

EXTENT = (100, 4, 3)
ORIGIN = (0, 0, 0)


def flat(a: Process, **changed: Any) -> tuple[Plain, ...]:
    """Return a hip_Memcpy2D from the host to a device."""
    address, pitch = rows(a)
    members = {
        "sx": 0,
        "sy": 0,
        "s_kind": 1,
        "s_host": host,
        "s_device": 0,
        "s_array": 0,
        "s_pitch": 100,
        "dx": 0,
        "dy": 0,
        "d_kind": 2,
        "d_host": 0,
        "d_device": address,
        "d_array": 0,
        "d_pitch": pitch,
        "width": 100,
        "height": 4,
    }
    return described(a, members, changed)


def solid(a: Process, **changed: Any) -> tuple[Plain, ...]:
    """Return a HIP_MEMCPY3D from a device to the host."""
    address, pitch, *_ = slices(a)
    members = {
        "sx": 0,
        "sy": 0,
        "sz": 0,
        "s_lod": 0,
        "s_kind": 2,
        "s_host": 0,
        "s_device": address,
        "s_array": 0,
        "s_pitch": pitch,
        "s_rows": 4,
        "dx": 0,
        "dy": 0,
        "dz": 0,
        "d_lod": 0,
        "d_kind": 1,
        "d_host": host,
        "d_device": 0,
        "d_array": 0,
        "d_pitch": 100,
        "d_rows": 4,
        "width": 100,
        "height": 4,
        "depth": 3,
    }
    return described(a, members, changed)


def parms(a: Process, **changed: Any) -> tuple[Plain, ...]:
    """Return a hipMemcpy3DParms from a device to the host."""
    members = {
        "s_array": 0,
        "s_at": ORIGIN,
        "src": slices,
        "d_array": 0,
        "d_at": ORIGIN,
        "dst": pitched(host),
        "extent": EXTENT,
        "kind": 2,
    }
    return described(a, members, changed)


def peer(a: Process, **changed: Any) -> tuple[Plain, ...]:
    """Return a hipMemcpy3DPeerParms from the first device to the second one."""
    members = {
        "s_array": 0,
        "s_at": ORIGIN,
        "src": slices,
        "s_device": 0,
        "d_array": 0,
        "d_at": ORIGIN,
        "dst": lambda a: elsewhere(a, slices),
        "d_device": 1,
        "extent": EXTENT,
    }
    return described(a, members, changed)


def pitched(start: Any, pitch: int = 100, height: int = 4) -> Any:
    """Return a function to a hipPitchedPtr."""
    return lambda a: (start(a), pitch, 100, height)


def aside(a: Process) -> int:
    """Return an address in new memory."""
    return memory(a) + 3000


FLAT = entries(
    {
        "hipDrvMemcpy2DUnaligned": lambda a: (flat(a),),
        "hipMemcpyParam2D": lambda a: (flat(a),),
        "hipMemcpyParam2DAsync": lambda a: (flat(a), stream(a)),
    }
)
SOLID = entries({"hipDrvMemcpy3D": lambda a: (solid(a),), "hipDrvMemcpy3DAsync": lambda a: (solid(a), stream(a))})
PARMS = entries({"hipMemcpy3D": lambda a: (parms(a),), "hipMemcpy3DAsync": lambda a: (parms(a), stream(a))})
PEERS = entries({"hipMemcpy3DPeer": lambda a: (peer(a),), "hipMemcpy3DPeerAsync": lambda a: (peer(a), stream(a))})
malloc = entries({"hipMalloc3D": lambda _: (EXTENT,)})["hipMalloc3D"]


def breaks(one: Entry, make: Any, rule: str, case: str = "", /, **members: Any) -> None:
    """Break a rule by members of the struct."""
    one.breaks(rule, case, **{one.inputs[0]: new(make, **members)})


for table, make in ((FLAT, flat), (SOLID, solid)):
    for one in table.values():
        breaks(one, make, "MEMORY_TYPE_IS_KNOWN", s_kind=3)
        breaks(one, make, "MEMORY_TYPE_IS_KNOWN", "the target's", d_kind=0)
        breaks(one, make, "ARRAY_IS_GIVEN", s_kind=10)
        breaks(one, make, "ARRAY_IS_GIVEN", "the target's", d_kind=10)
        breaks(one, make, "ARRAY_IS_KNOWN", s_kind=10, s_array=64)
        breaks(one, make, "PITCH_SPANS_THE_ROW", s_pitch=99)
        breaks(one, make, "PITCH_SPANS_THE_ROW", "the target's", d_pitch=99)
for one in FLAT.values():
    one.breaks("DESCRIPTION_IS_READ", pCopy=None)
    breaks(one, flat, "ADDRESS_IS_GIVEN", s_host=0)
    breaks(one, flat, "ADDRESS_IS_GIVEN", "the target's", d_device=0)
    breaks(one, flat, "MEMORY_IS_KNOWN", d_device=host)
    breaks(one, flat, "SPAN_FITS", dy=1)
    breaks(one, flat, "END_FITS", d_device=lambda a: rows(a, 1600)[0])
    breaks(one, flat, "ACCESS_IS_GIVEN", d_device=mapped)
for one in SOLID.values():
    one.breaks("DESCRIPTION_IS_GIVEN", pCopy=None)
    breaks(one, solid, "HEIGHT_SPANS_THE_SLICE", s_rows=3)
    breaks(one, solid, "ADDRESS_IS_GIVEN", s_device=0)
    breaks(one, solid, "MEMORY_IS_KNOWN", s_device=host)
    breaks(one, solid, "SPAN_FITS", sz=1)
    breaks(one, solid, "END_FITS", s_device=lambda a: slices(a)[0] + 1000)
    breaks(one, solid, "ACCESS_IS_GIVEN", s_device=mapped)
for table, make in ((PARMS, parms), (PEERS, peer)):
    for one in table.values():
        one.breaks("DESCRIPTION_IS_GIVEN", p=None)
        breaks(one, make, "DIRECTION_FITS", src=pitched(host), dst=pitched(host))
        breaks(one, make, "ARRAY_IS_KNOWN", s_array=64, src=(0, 100, 100, 4))
        breaks(one, make, "HEIGHT_SPANS_THE_SLICE", src=pitched(memory, 100, 3), extent=(100, 4, 1))
        breaks(one, make, "MEMORY_IS_KNOWN", src=pitched(host), dst=pitched(memory))
        breaks(one, make, "SPAN_FITS", src=pitched(memory, 200), dst=pitched(memory), extent=(100, 4, 9))
        breaks(one, make, "END_FITS", src=pitched(aside))
        breaks(one, make, "EACH_SIDE_IS_ONE", s_array=64)
        breaks(one, make, "EACH_SIDE_IS_ONE", "nothing", src=(0, 100, 100, 4))
        breaks(one, make, "EACH_SIDE_IS_ONE", "no target", dst=(0, 100, 100, 4))
        breaks(one, make, "PITCH_SPANS_XSIZE", src=pitched(memory, 99))
        breaks(one, make, "PITCH_IS_SMALL", src=pitched(memory, (1 << 31) - 1))
        breaks(one, make, "volume.PITCH_SPANS_THE_ROW", d_at=(513, 0, 0))
        breaks(one, make, "EXTENT_FITS", s_at=(0, 4, 0))
        breaks(one, make, "ACCESS_IS_GIVEN", src=pitched(mapped))
for one in PARMS.values():
    breaks(one, parms, "KIND_IS_KNOWN", kind=5)
    breaks(one, parms, "PITCH_SPANS_XSIZE", "the target's", dst=pitched(host, 99))
    breaks(one, parms, "EXTENT_FITS", "slices", src=pitched(memory), extent=(100, 4, 11))
    breaks(one, parms, "volume.PITCH_SPANS_THE_ROW", "a pitch of 0", src=lambda a: (memory(a), 0, 0, 0))
    one.only(OLD, "PITCH_SPANS_THE_ROW-a-pitch-of-0")
for one in PEERS.values():
    breaks(one, peer, "copy.DEVICE_IS_THERE", s_device=2)
    breaks(one, peer, "copy.DEVICE_IS_THERE", "negative", d_device=-1)

malloc.breaks("MEMORY_SUFFICES", extent=(1, ALL, 1))
malloc.breaks("MEMORY_SUFFICES", "wide", extent=(1 << 40, 1, 1))
malloc.breaks("WIDTH_CAN_BE_PADDED", extent=(ALL, 1, 1))

FLAT["hipDrvMemcpy2DUnaligned"].also("nothing", pCopy=(0,) * 16)
SOLID["hipDrvMemcpy3DAsync"].also("nothing", pCopy=(0,) * 23, stream=0)


@both("Malloc3D", "rows lie apart")
def slices_lie_apart(c: Calls, _place: tuple[int, ...]) -> None:
    for width, height in ((1, 1), (100, 7), (513, 4)):
        address, pitch, *_ = c.Malloc3D((width, height, 3))
        assert address % 256 == pitch % 256 == 0
        assert pitch >= width


malloc.also("no width", extent=(0, 2, 2), then=lambda _w, _i, results: nothing(*results))


def nothing(place: tuple[int, ...]) -> None:
    """Check that memory without width is null and keeps its height."""
    assert place == (0, 0, 0, 2)


@PARMS["hipMemcpy3D"].after("what lies between rows stays")
def between_rows(_w: World, i: Invocation, _r: tuple[()]) -> None:
    c, target = i.process.ok, host(i.process)
    ptr, pitch, *_ = c.hipMalloc3D((3, 2, 2))
    c.hipMemset3D((ptr, pitch, 3, 2), 7, (3, 2, 2))
    c.hipMemcpy3D((0, (1, 0, 1), (ptr, pitch, 3, 2), 0, ORIGIN, (target, 4, 4, 2), (2, 2, 1), 2))
    assert ctypes.string_at(target, 8) == bytes([7, 7, 0, 0] * 2)


for one in PEERS.values():

    @one.after("without access")
    def between_devices(_w: World, i: Invocation, _r: tuple[()]) -> None:
        """Check that a copy between devices needs no peer access."""
        a, source, target = i.process, memory(i.process), there(i.process)
        a.ok.hipMemset(source, 0, 64)
        a.ok.hipMemcpyDtoD(target, source, 64)
        a.ok.hipMemset(source, 9, 64)
        place = (0, ORIGIN, (source, 8, 8, 4), 0, 0, ORIGIN, (target, 8, 8, 4), 1, (2, 2, 1))
        getattr(a.ok, i.call)(place, *([stream(a)] if "stream" in i.args else []))
        a.ok.hipDeviceSynchronize()
        assert content(a, target, 16) == bytes([9, 9, 0, 0, 0, 0, 0, 0] * 2)


@FLAT["hipMemcpyParam2DAsync"].after("a pitch of 0")
def narrow(_w: World, i: Invocation, _r: tuple[()]) -> None:
    """Check that a pitch of 0 means x plus the width, with unified memory."""
    a, ptr, source = i.process, memory(i.process), host(i.process)
    ctypes.memmove(source, b"abcdef", 6)
    a.ok.hipMemset(ptr, 0, 64)
    a.ok.hipMemcpyParam2DAsync((1, 0, 11, 0, source, 0, 0, 0, 0, 2, 0, ptr, 0, 8, 2, 2), stream(a))
    a.ok.hipDeviceSynchronize()
    assert content(a, ptr, 16) == b"bc" + bytes(6) + b"ef" + bytes(6)


test_volume = suite(malloc, *FLAT.values(), *SOLID.values(), *PARMS.values(), *PEERS.values())
