"""Programs of statements that memory of devices, of the host and for rows can be had, by the short names of the statements.

Their answers are as those of :mod:`conformance.cases.hip.behaving`.
"""

from __future__ import annotations

import ctypes
from typing import Any

from conformance.cases.hip.behaving import filled, holds
from conformance.cases.hip.sharing import G
from conformance.cases.hip.side import ALL, SIZE, Side


def allocations(w: Side, call: str, *rest: int, zero: bool = False) -> int:
    """Sizes are given memory that begins aligned; 0 is given none."""
    if zero:
        return w(call, 0, *rest) or int(w.get(call, 0, *rest) != 0)
    assert all(w.get(call, size, *rest) % 256 == 0 for size in (1, 10, 100, SIZE, G))
    return 0


def in_threads(w: Side, call: str, free: str, *rest: int) -> int:
    """Free in threads of their own what another one has allocated."""
    made = [w.get(call, SIZE, *rest) for _ in range(4)]
    return max(w(free, ptr, on=w.a.thread(str(number))) for number, ptr in enumerate(made))


def on_host(w: Side, call: str, free: str, *rest: int) -> int:
    """Memory of the host holds what a device writes there, and is freed."""
    ptr = w.get(call, SIZE, *rest)
    w.get("Memset", ptr, 6, SIZE)
    w.get("DeviceSynchronize")
    assert ctypes.string_at(ptr, SIZE) == bytes([6]) * SIZE
    return w(free, ptr)


def registered(w: Side, *, by: str = "") -> int:
    """Register memory of the host, and have a device write there and read it."""
    place = filled(w, 1)
    for _ in range(2):
        w.get("HostRegister", place, SIZE, 0)
        if by == "Memset":
            w.get("Memset", place, 8, SIZE)
            w.get("DeviceSynchronize")
            assert ctypes.string_at(place, SIZE) == bytes([8]) * SIZE
        if by == "Memcpy":
            ptr = w.ptr
            w.get("Memcpy", ptr, place, SIZE, 1)
            assert holds(w, ptr, 1)
        w.get("HostUnregister", place)
    return 0


def after(w: Side, call: str, *, first: str = "HostUnregister", offset: int = 0) -> int:
    """Make a call on memory of the host that was registered, after another one or further in."""
    place = w.host
    w.get("HostRegister", place, SIZE, 0)
    if first:
        w.get(first, place)
    return w(call, place + offset)


def pitches(w: Side, call: str, *rest: int) -> int:
    """Rows begin aligned and do not overlap."""
    for width, height in ((1, 1), (100, 7), (513, 4)):
        area: Any = ((width, height, 3),) if call == "Malloc3D" else (width, height, *rest)
        code, *found = w.all(call, *area)
        ptr, pitch = found[0][:2] if call == "Malloc3D" else found
        assert code == 0
        assert ptr % 256 == pitch % 256 == 0
        assert pitch >= width
    return 0


def rows(w: Side) -> int:
    """Rows that are copied to padded memory and back are the same."""
    _, ptr, pitch = w.all("MallocPitch", 100, 4)
    there, back = filled(w, 2), filled(w, 3)
    w.get("Memcpy2D", ptr, pitch, there, 100, 100, 4, 1)
    code = w("Memcpy2D", back, 100, ptr, pitch, 100, 4, 2)
    assert ctypes.string_at(back, 400) == bytes([2]) * 400
    return code


def no_rows(w: Side) -> int:
    """Memory for no rows is none."""
    answers = [w.all("MallocPitch", *area) for area in ((0, 1), (1, 0), (0, 0))]
    assert all(not ptr for _, ptr, _ in answers)
    return int(max(code for code, *_ in answers))


def ranges(w: Side) -> int:
    """The range of an address is that of its memory, wherever the address is in it."""
    _, pitched, pitch = w.all("MallocPitch", 100, 4)
    for ptr, size in ((w.ptr, SIZE), (w.get("HostMalloc", SIZE, 0), SIZE), (pitched, 4 * pitch)):
        for offset in (0, 1, size - 1):
            assert w.all("MemGetAddressRange", ptr + offset) == (0, ptr, size)
    return 0


def free_memory(w: Side) -> int:
    """Less is free than there is, once something was allocated."""
    assert w.ptr
    code, free, total = w.all("MemGetInfo")
    assert free < total
    return int(code)


def managed(w: Side, *, count: int = 1, devices: tuple[int, ...] = (0,)) -> int:
    """Managed memory is written by devices and read by the host."""
    for device in devices:
        w.get("SetDevice", device)
        for ptr in [w.get("MallocManaged", SIZE, 1) for _ in range(count)]:
            w.get("Memset", ptr, device + 1, SIZE)
            w.get("DeviceSynchronize")
            assert ctypes.string_at(ptr, SIZE) == bytes([device + 1]) * SIZE
            w.get("Free", ptr)
    return 0


PROGRAMS: dict[str, Any] = {
    "hipExtMallocWithFlags_Positive_Basic@27": lambda w: max(w("ExtMallocWithFlags", SIZE, flags) for flags in (0, 1)),
    "hipExtMallocWithFlags_Positive_Zero_Size@59": lambda w: allocations(w, "ExtMallocWithFlags", 0, zero=True),
    "hipExtMallocWithFlags_Positive_Alignment@66": lambda w: allocations(w, "ExtMallocWithFlags", 0),
    "hipFreeMultiTHost@312": lambda w: in_threads(w, "HostMalloc", "HostFree", 0),
    "hipHostAlloc_DataValidation@51": lambda w: on_host(w, "HostAlloc", "FreeHost", 0),
    "hipHostFree_InvalidMemory@52": lambda w: after(w, "HostFree", first=""),
    "hipHostFree_DoubleFree@73": lambda w: [w("HostFree", ptr) for ptr in [w.get("HostMalloc", SIZE, 0)] * 2][1],
    "hipHostFree_Multithreading@87": lambda w: in_threads(w, "HostMalloc", "HostFree", 0),
    "hipHostGetDevicePointer_UseCase@64": lambda w: w("HostGetDevicePointer", w.get("HostMalloc", SIZE, 0), 0),
    "hipHostGetDevicePointer_NullCheck@250": lambda w: w("HostGetDevicePointer", 0, 0),
    "hipHostGetFlags_DifferentThreads@122": lambda w: w(
        "HostGetFlags", w.get("HostMalloc", SIZE, 0), on=w.a.thread("other")
    ),
    "hipHostGetFlags_InvalidArgs@180": lambda w: w("HostGetFlags", w.get("HostMalloc", SIZE, 0), null=0),
    "hipHostMalloc_Basic@117": lambda w: on_host(w, "HostMalloc", "HostFree", 0),
    "hipHostMalloc_Default@236": lambda w: on_host(w, "HostMalloc", "HostFree", 0),
    "hipHostMalloc_Coherent@205": lambda w: on_host(w, "HostMalloc", "HostFree", 0x40000000),
    "hipHostRegister_SameChunkRepeat@264": registered,
    "hipHostRegister_Perform_hipMemset@391": lambda w: registered(w, by="Memset"),
    "hipHostRegister_Perform_hipMemcpy@428": lambda w: registered(w, by="Memcpy"),
    "hipHostRegister_Memcpy@861": lambda w: registered(w, by="Memcpy"),
    "hipHostRegister_Flags@937": lambda w: w("HostRegister", w.host, SIZE, 0x10000),
    "hipHostRegister_Negative@979": lambda w: w("HostRegister", w.host, 0, 0),
    "hipHostUnregister_Ptr_Different_Than_Specified_To_Register@74": lambda w: after(
        w, "HostUnregister", first="", offset=4
    ),
    "hipHostUnregister_AlreadyUnregisteredPointer@92": lambda w: after(w, "HostUnregister"),
    "hipMalloc_Positive_Basic@26": lambda w: max(w("Malloc", size) for size in (1, SIZE, G)),
    "hipMalloc_Positive_Zero_Size@37": lambda w: allocations(w, "Malloc", zero=True),
    "hipMalloc_Positive_Alignment@43": lambda w: allocations(w, "Malloc"),
    "hipMallocHost_Positive@27": lambda w: w("FreeHost", w.get("MallocHost", SIZE)),
    "hipMallocHost_DataValidation@35": lambda w: on_host(w, "MallocHost", "FreeHost"),
    "hipMallocManaged_Basic@60": managed,
    "hipMallocManaged_MultiChunkSingleDevice@112": lambda w: managed(w, count=4),
    "hipMallocManaged_MultiChunkMultiDevice@164": lambda w: managed(w, count=2, devices=(0, 1)),
    "hipMallocManaged_TwoPointers@307": lambda w: managed(w, count=2),
    "hipMalloc3D_ValidatePitch@133": lambda w: pitches(w, "Malloc3D"),
    "hipMemAllocPitch_ValidatePitch@144": lambda w: pitches(w, "MemAllocPitch", 4),
    "hipMallocPitch_ValidatePitch@165": lambda w: pitches(w, "MallocPitch"),
    "hipMallocPitch_Negative@232": lambda w: w("MallocPitch", ALL, 1),
    "hipMallocPitch_Zero_Dims@241": no_rows,
    "hipMallocPitch_Basic@398": rows,
    "hipMallocPitch_Memcpy2D@425": rows,
    "hipMemGetAddressRange_Positive@48": ranges,
    "hipMemGetInfo_FreeLessThanTotal@22": free_memory,
}
"""What each statement says, as a program that returns the code."""
