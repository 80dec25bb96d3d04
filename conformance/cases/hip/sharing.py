"""Programs of statements on interprocess handles, peers and virtual memory, by the short names of the statements."""

from __future__ import annotations

from typing import Any

from conformance.cases.hip.side import PROP, READ_WRITE, SIZE, Side

G = 2 << 20
"""Bytes of an allocation: a multiple of every granularity."""


def shared(w: Side, flags: int = 1, on: Any = None) -> int:
    """Open what one process exports in another."""
    return w("IpcOpenMemHandle", w.get("IpcGetMemHandle", w.ptr), flags, on=on or w.machine.spawn())


def visible(w: Side, names: str) -> int:
    """Open it where other devices are seen, twice: at one address."""
    b = w.machine.spawn(visible_devices=names)
    handle = w.get("IpcGetMemHandle", w.ptr)
    code, *first = w.all("IpcOpenMemHandle", handle, 1, on=b)
    assert w.all("IpcOpenMemHandle", handle, 1, on=b) == (code, *first)
    return int(code)


def distinct(w: Side, again: bool) -> int:  # noqa: FBT001 - a table of programs
    """Two allocations have two handles."""
    ptr = w.ptr
    first = w.get("IpcGetMemHandle", ptr)
    if again:
        w.get("Free", ptr)
    code, second = w.all("IpcGetMemHandle", w.ptr)
    assert first != second
    return int(code)


def event_here(w: Side) -> int:
    """Open an event in the process that exported it."""
    event = w.get("EventCreateWithFlags", 6)
    return w("IpcOpenEventHandle", w.get("IpcGetEventHandle", event))


def enabled(w: Side, *later: str) -> int:
    """Enable access, then make other calls; the last one's code is the answer."""
    code = w("DeviceEnablePeerAccess", 1, 0)
    for name in later:
        code = w(name, 1, *((0,) if "Enable" in name else ()))
    return code


def pairs(w: Side) -> int:
    """Enable and disable access for both pairs."""
    codes = []
    for one, other in ((0, 1), (1, 0)):
        codes += [w("SetDevice", one), w("DeviceEnablePeerAccess", other, 0), w("DeviceDisablePeerAccess", other)]
    return max(codes)


def copy(w: Side, kind: str, **other: int) -> int:
    """Copy from the first device to the second one, with one argument that differs."""
    args = {"dst": w.there, "dd": 1, "src": w.ptr, "sd": 0, "size": SIZE, **other}
    if kind:
        args |= {"stream": other.get("stream", w.stream())}
    return w(f"MemcpyPeer{kind}", *args.values())


def unmapped(w: Side) -> int:
    """Return the address of a range where something was mapped."""
    ptr = w.mapped(G)
    w.get("MemUnmap", ptr, G)
    return ptr


def access(w: Side, ptr: int | None = None, size: int = G, desc: Any = (((1, 0), READ_WRITE),), count: int = 1) -> int:
    """Set access to a mapping, with one argument that differs."""
    return w("MemSetAccess", w.mapped(G) if ptr is None else ptr, size, desc, count)


def reserved(w: Side, size: int = G) -> int:
    """Return the address of a new reservation."""
    return int(w.get("MemAddressReserve", size, 0, 0, 0))


def every(*codes: int) -> int:
    """Return the code that all of some calls answer."""
    assert len(set(codes)) == 1, codes
    return codes[0]


def exported(w: Side, on: Any = None) -> int:
    """Import what was exported."""
    descriptor = w.get("MemExportToShareableHandle", w.handle(), 1, 0)
    if "points-to" in " ".join(w.machine.profile.hip.ways):
        cell = (on or w.a).host_memory(SIZE)
        import ctypes  # noqa: PLC0415 - old runtimes alone

        ctypes.c_int.from_address(cell).value = descriptor
        descriptor = cell
    return w("MemImportFromShareableHandle", descriptor, 1, on=on)


def released(w: Side) -> int:
    """Release a handle before its mapping is used: the memory stays."""
    ptr, handle = reserved(w), w.handle()
    w.get("MemMap", ptr, G, 0, handle, 0)
    w.get("MemRelease", handle)
    w.get("MemSetAccess", ptr, G, (((1, 0), READ_WRITE),), 1)
    return w("Memcpy", ptr, w.host, SIZE, 1)


def again(w: Side) -> int:
    """Map one handle at one address over and over."""
    ptr, handle = reserved(w), w.handle()
    codes = [w("MemMap", ptr, G, 0, handle, 0) or w("MemUnmap", ptr, G) for _ in range(3)]
    return max(codes)


PROGRAMS: dict[str, Any] = {
    "hipIpcMemAccess_ParameterValidation/1": lambda w: w("IpcGetMemHandle", w.ptr, null=0),
    "hipIpcMemAccess_ParameterValidation/2": lambda w: shared(w, 123),
    "hipIpcMemAccess_ParameterValidation/3": lambda w: w("IpcOpenMemHandle", bytes(64), 1),
    "hipIpcMemAccess_ParameterValidation@228": lambda w: w("IpcGetMemHandle", w.ptr, null=0),
    "hipIpcMemAccess_ParameterValidation@233": lambda w: w("IpcGetMemHandle", 0),
    "hipIpcMemAccess_ParameterValidation@238": lambda w: w("IpcGetMemHandle", 0, null=0),
    "hipIpcMemAccess_ParameterValidation@249": lambda w: w(
        "IpcOpenMemHandle", w.get("IpcGetMemHandle", w.ptr), 1, null=0
    ),
    "hipIpcMemAccess_ParameterValidation@255": lambda w: w("IpcOpenMemHandle", bytes(64), 1),
    "hipIpcMemAccess_ParameterValidation@263": lambda w: shared(w, 123),
    "hipIpcMemAccess_ParameterValidation@268": lambda w: w("IpcCloseMemHandle", 0),
    "hipIpcMemAccess_Semaphores@80": shared,
    "hipIpcMemVisibility_*/1": lambda w: every(*(visible(w, names) for names in ("0", "1", "1,0"))),
    "hipIpcGetMemHandle_Positive_Unique_Handles_Reused_Memory/1": lambda w: distinct(w, again=True),
    "hipIpcGetMemHandle_Positive_Unique_Handles_Separate_Allocations/1": lambda w: distinct(w, again=False),
    "hipIpcGetMemHandle_Positive_Unique_Handles_Reused_Memory@78": lambda w: distinct(w, again=True),
    "hipIpcGetMemHandle_Positive_Unique_Handles_Separate_Allocations@51": lambda w: distinct(w, again=False),
    "hipIpcGetMemHandle_Negative_Handle_For_Freed_Memory@112": lambda w: w("IpcGetMemHandle", w.freed()),
    "hipIpcOpenMemHandle_Negative_Open_In_Creating_Process@60": lambda w: shared(w, on=w.a),
    "hipEventIpc@115": event_here,
    "hipDeviceCanAccessPeer_positive/1": lambda w: every(*(w("DeviceCanAccessPeer", i, i) for i in (0, 1))),
    "hipDeviceCanAccessPeer_negative@103": lambda w: w("DeviceCanAccessPeer", 0, -1),
    "hipDeviceCanAccessPeer_negative@104": lambda w: w("DeviceCanAccessPeer", 0, 2),
    "hipDeviceCanAccessPeer_positive@46": lambda w: w("DeviceCanAccessPeer", 0, 1),
    "hipDeviceCanAccessPeer_negative@94": lambda w: w("DeviceCanAccessPeer", 0, 1, null=0),
    "hipDeviceCanAccessPeer_negative@98": lambda w: w("DeviceCanAccessPeer", -1, 1),
    "hipDeviceCanAccessPeer_negative@99": lambda w: w("DeviceCanAccessPeer", 2, 1),
    "hipDeviceEnableDisablePeerAccess_positive/1": pairs,
    "hipDeviceEnableDisablePeerAccess_positive@49": pairs,
    "hipDeviceEnablePeerAccess_negative/1": lambda w: w("DeviceEnablePeerAccess", 0, (1 << 32) - 1),
    "hipDeviceEnablePeerAccess_negative@103": lambda w: w("DeviceEnablePeerAccess", 0, (1 << 32) - 1),
    "hipDeviceEnablePeerAccess_negative@114": lambda w: enabled(w, "DeviceEnablePeerAccess"),
    "hipDeviceDisablePeerAccess_negative@162": lambda w: w("DeviceDisablePeerAccess", -1),
    "hipDeviceDisablePeerAccess_negative@163": lambda w: w("DeviceDisablePeerAccess", 2),
    "hipDeviceDisablePeerAccess_negative@167": lambda w: w("DeviceDisablePeerAccess", 1),
    "hipDeviceDisablePeerAccess_negative@179": lambda w: enabled(
        w, "DeviceDisablePeerAccess", "DeviceDisablePeerAccess"
    ),
    "hipDeviceEnablePeerAccess_negative@98": lambda w: w("DeviceEnablePeerAccess", -1, 0),
    "hipDeviceEnablePeerAccess_negative@99": lambda w: w("DeviceEnablePeerAccess", 2, 0),
    "hipMemcpyPeer_Positive_ZeroSize@155": lambda w: copy(w, "", size=0),
    "hipMemcpyPeer_Negative_Parameters@254": lambda w: copy(w, "", dst=0),
    "hipMemcpyPeer_Negative_Parameters@259": lambda w: copy(w, "", src=0),
    "hipMemcpyPeer_Negative_Parameters@264": lambda w: copy(w, "", size=SIZE + 1),
    "hipMemcpyPeer_Negative_Parameters@270": lambda w: copy(w, "", dd=2),
    "hipMemcpyPeer_Negative_Parameters@276": lambda w: copy(w, "", sd=2),
    "hipMemcpyPeer_Basic@100": lambda w: copy(w, ""),
    "hipMemcpyPeerAsync_Positive_ZeroSize@166": lambda w: copy(w, "Async", size=0),
    "hipMemcpyPeerAsync_Negative_Parameters@282": lambda w: copy(w, "Async", dst=0),
    "hipMemcpyPeerAsync_Negative_Parameters@288": lambda w: copy(w, "Async", src=0),
    "hipMemcpyPeerAsync_Negative_Parameters@294": lambda w: copy(w, "Async", size=SIZE + 1),
    "hipMemcpyPeerAsync_Negative_Parameters@300": lambda w: copy(w, "Async", dd=2),
    "hipMemcpyPeerAsync_Negative_Parameters@306": lambda w: copy(w, "Async", sd=2),
    "hipMemcpyPeerAsync_Basic@111": lambda w: copy(w, "Async"),
    "hipMemAddressFree_negative/1": lambda w: every(w("MemAddressFree", 0, G), w("MemAddressFree", reserved(w), 0)),
    "hipMemAddressFree_negative@68": lambda w: w("MemAddressFree", 0, G),
    "hipMemAddressFree_negative@71": lambda w: w("MemAddressFree", reserved(w), 0),
    "hipMemAddressReserve_AlignmentTest@52": lambda w: max(
        w("MemAddressReserve", G, 1 << bits, 0, 0) for bits in range(12, 30)
    ),
    "hipMemCreate_ChkDev2HstMemcpy_ReleaseHdlPreUse/1": released,
    "hipMemCreate_ChkDev2HstMemcpy_ReleaseHdlPreUse@154": released,
    "hipMemCreate_Negative/1": lambda w: every(*(w("MemCreate", G, PROP(id=i), 0) for i in (-1, 2))),
    "hipMemCreate_Negative/2": lambda w: every(
        w("MemCreate", G, PROP(), 0, null=0),
        w("MemCreate", G, None, 0),
        w("MemCreate", 0, PROP(), 0),
        w("MemCreate", G, PROP(kind=0), 0),
        w("MemCreate", G, PROP(where=0), 0),
        w("MemCreate", G - 1, PROP(), 0),
    ),
    "hipMemCreate_Uncached/1": lambda w: w("MemCreate", G, PROP(kind=0x40000000, handles=0), 0),
    "hipMemCreate_Negative@411": lambda w: w("MemCreate", G, PROP(), 0, null=0),
    "hipMemCreate_Negative@415": lambda w: w("MemCreate", G, None, 0),
    "hipMemCreate_Negative@418": lambda w: w("MemCreate", 0, PROP(), 0),
    "hipMemCreate_Negative@422": lambda w: w("MemCreate", G, PROP(kind=0), 0),
    "hipMemCreate_Negative@427": lambda w: w("MemCreate", G, PROP(where=0), 0),
    "hipMemCreate_Negative@431": lambda w: w("MemCreate", G - 1, PROP(), 0),
    "hipMemCreate_Negative@435": lambda w: w("MemCreate", G, PROP(id=-1), 0),
    "hipMemCreate_Negative@442": lambda w: w("MemCreate", G, PROP(id=2), 0),
    "hipMemGetAllocationPropertiesFromHandle_Negative@108": lambda w: w(
        "MemGetAllocationPropertiesFromHandle", w.handle(), null=0
    ),
    "hipMemGetAllocationPropertiesFromHandle_Negative@113": lambda w: w("MemGetAllocationPropertiesFromHandle", 0),
    "hipMemImportFromShareableHandle_Negative_Parameters/1": lambda w: every(
        w("MemImportFromShareableHandle", 3, 1, null=0), w("MemImportFromShareableHandle", 0, 1)
    ),
    "hipMemImportFromShareableHandle_Positive_Basic/1": exported,
    "hipMemImportFromShareableHandle_Positive_MultiProc/1": lambda w: exported(w, w.machine.spawn()),
    "hipMemImportFromShareableHandle_Negative_Parameters@127": lambda w: w(
        "MemImportFromShareableHandle", 3, 1, null=0
    ),
    "hipMemImportFromShareableHandle_Negative_Parameters@134": lambda w: w("MemImportFromShareableHandle", 0, 1),
    "hipMemMap_MapPartialPhysicalMem/1": lambda w: w("MemMap", reserved(w), G, 0, w.handle(2 * G), 0),
    "hipMemMap_MapPartialVMMMem/1": lambda w: w("MemMap", reserved(w, 4 * G) + G, G, 0, w.handle(), 0),
    "hipMemMap_SameMemoryReuse/1": again,
    "hipMemMapArrayAsync_Positive_Basic/1": lambda w: w("MemMapArrayAsync", w.host, 1, 0),
    "hipMemRelease_negative/1": lambda w: w("MemRelease", 0),
    "hipMemRelease_negative@45": lambda w: w("MemRelease", 0),
    "hipMemRetainAllocationHandle_NegTst/1": lambda w: every(
        w("MemRetainAllocationHandle", w.mapped(G), null=0),
        *(w("MemRetainAllocationHandle", ptr) for ptr in (0, reserved(w), unmapped(w))),
    ),
    "hipMemRetainAllocationHandle_NegTst@121": lambda w: w("MemRetainAllocationHandle", w.mapped(G), null=0),
    "hipMemRetainAllocationHandle_NegTst@125": lambda w: w("MemRetainAllocationHandle", 0),
    "hipMemRetainAllocationHandle_NegTst@130": lambda w: w("MemRetainAllocationHandle", reserved(w)),
    "hipMemRetainAllocationHandle_NegTst@137": lambda w: w("MemRetainAllocationHandle", unmapped(w)),
    "hipMemGetAccess_NegTst/1": lambda w: every(
        w("MemGetAccess", (1, 0), w.mapped(G), null=0),
        w("MemGetAccess", None, w.mapped(G)),
        w("MemGetAccess", (1, 0), w.mapped(G) + G),
    ),
    "hipMemGetAccess_NegTst@307": lambda w: w("MemGetAccess", (1, 0), w.mapped(G), null=0),
    "hipMemGetAccess_NegTst@309": lambda w: w("MemGetAccess", None, w.mapped(G)),
    "hipMemGetAccess_NegTst@313": lambda w: w("MemGetAccess", (1, 0), w.mapped(G) + G),
    "hipMemSetAccess_AccessDirectlyFromHost/1": lambda w: access(w, desc=(((2, 0), READ_WRITE),)),
    "hipMemSetAccess_EntireVMMRangeSetGet/1": lambda w: w("MemGetAccess", (1, 0), w.mapped(G) + 12345),
    "hipMemSetAccess_negative/1": lambda w: every(
        access(w, ptr=0),
        access(w, size=0),
        access(w, size=G + 1),
        access(w, size=G - 1),
        *(access(w, desc=((place, READ_WRITE),)) for place in ((0, 0), (1, -1), (1, 2))),
        access(w, desc=(((1, 0), -1),)),
        access(w, count=0),
        access(w, desc=None),
        access(w, ptr=reserved(w)),
        access(w, ptr=w.host),
    ),
    "hipMemSetAccess_negative@1448": lambda w: access(w, ptr=0),
    "hipMemSetAccess_negative@1452": lambda w: access(w, size=0),
    "hipMemSetAccess_negative@1456": lambda w: access(w, size=G + 1),
    # The tests of 2024 pass an address of their own stack.
    "hipMemSetAccess_negative@1460": lambda w: access(w, ptr=w.host, size=G - 1),
    "hipMemSetAccess_negative@1465": lambda w: access(w, ptr=w.host, desc=(((0, 0), READ_WRITE),)),
    "hipMemSetAccess_negative@1470": lambda w: access(w, desc=(((1, -1), READ_WRITE),)),
    "hipMemSetAccess_negative@1476": lambda w: access(w, desc=(((1, 2), READ_WRITE),)),
    "hipMemSetAccess_negative@1482": lambda w: access(w, desc=(((1, 0), -1),)),
    "hipMemSetAccess_negative@1486": lambda w: access(w, count=0),
    "hipMemSetAccess_negative@1490": lambda w: access(w, desc=None),
    "hipMemSetAccess_negative@1496": lambda w: access(w, ptr=w.host),
    "hipMemSetAccess_negative@1501": lambda w: access(w, ptr=reserved(w)),
    "hipMemUnmap_negative/1": lambda w: every(
        w("MemUnmap", 0, G), w("MemUnmap", w.mapped(G), 0), w("MemUnmap", w.mapped(G), G - 1)
    ),
    "hipMemUnmap_negative/2": lambda w: every(w("MemUnmap", unmapped(w), G), w("MemUnmap", reserved(w), G)),
    "hipMemUnmap_negative@75": lambda w: w("MemUnmap", 0, G),
    "hipMemUnmap_negative@77": lambda w: w("MemUnmap", w.mapped(G), 0),
}
"""What each statement says, as a program that returns the code."""
