"""A small world that every modelled call can be made in, and valid arguments for each."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 4096
DEVICE, PINNED, POSIX, READ_WRITE = 1, 1, 1, 3
FRESH = {"CUdeviceptr", "CUcontext", "CUmemGenericAllocationHandle"}
"""Classes whose values differ between two worlds; they are compared by the order of their first appearance."""


class World:
    """Objects of one process, made through one driver.

    Args:
        driver: The module or the look-alike of it.

    Attributes:
        driver: The same.
    """

    def __init__(self, driver: Any) -> None:  # noqa: ANN401 - a module or a look-alike
        self.driver = d = driver
        self.seen: dict[tuple[str, int], int] = {}
        d.cuInit(0)
        self.context = self.made(d.cuDevicePrimaryCtxRetain(0))
        d.cuCtxSetCurrent(self.context)
        self.other = self.made(d.cuCtxCreate(None, 0, 1))
        d.cuCtxPopCurrent()
        self.pointer = self.made(d.cuMemAlloc(SIZE))
        self.prop = d.CUmemAllocationProp()
        self.prop.type = d.CUmemAllocationType(PINNED)
        self.prop.requestedHandleTypes = d.CUmemAllocationHandleType(POSIX)
        self.prop.location.type = d.CUmemLocationType(DEVICE)
        self.granularity = self.made(d.cuMemGetAllocationGranularity(self.prop, d.CUmemAllocationGranularity_flags(0)))
        self.handle = self.made(d.cuMemCreate(self.granularity, self.prop, 0))
        self.range = self.made(d.cuMemAddressReserve(self.granularity, 0, 0, 0))
        self.empty = self.made(d.cuMemAddressReserve(self.granularity, 0, 0, 0))
        d.cuMemMap(self.range, self.granularity, 0, self.handle, 0)
        self.access = d.CUmemAccessDesc()
        self.access.location = self.prop.location
        self.access.flags = d.CUmemAccess_flags(READ_WRITE)
        d.cuMemSetAccess(self.range, self.granularity, [self.access], 1)
        self.descriptor = self.made(d.cuMemExportToShareableHandle(self.handle, d.CUmemAllocationHandleType(POSIX), 0))
        self.ipc = self.made(d.cuIpcGetMemHandle(self.pointer))
        self.host = ctypes.create_string_buffer(bytes(range(100)), SIZE)

    @staticmethod
    def made(answer: tuple[Any, ...]) -> Any:  # noqa: ANN401 - whatever was made
        """Return the result of a call that has succeeded."""
        code, value = answer
        assert code == 0, answer
        return value

    def shown(self, name: str, value: Any) -> Any:  # noqa: ANN401 - any result
        """Return a result in a form that compares between worlds: its type and what of it is no accident."""
        kind = type(value).__name__
        if kind in FRESH:
            number = self.seen.setdefault((kind, int(value)), len(self.seen)) if int(value) else None
            return kind, number
        if name == "cuMemExportToShareableHandle" and kind == "int":
            return kind
        return kind, repr(value)


VALID: dict[str, Callable[[World], tuple[Any, ...]]] = {
    "cuCtxCreate": lambda _: (None, 0, 0),
    "cuCtxDestroy": lambda w: (w.other,),
    "cuCtxDisablePeerAccess": lambda w: (w.other,),
    "cuCtxEnablePeerAccess": lambda w: (w.other, 0),
    "cuCtxGetCurrent": lambda _: (),
    "cuCtxGetDevice": lambda _: (),
    "cuCtxGetFlags": lambda _: (),
    "cuCtxPopCurrent": lambda _: (),
    "cuCtxPushCurrent": lambda w: (w.other,),
    "cuCtxSetCurrent": lambda w: (w.context,),
    "cuCtxSynchronize": lambda _: (),
    "cuDeviceCanAccessPeer": lambda _: (0, 1),
    "cuDeviceGet": lambda _: (1,),
    "cuDeviceGetAttribute": lambda w: (w.driver.CUdevice_attribute(75), 0),
    "cuDeviceGetByPCIBusId": lambda w: (w.driver.cuDeviceGetPCIBusId(20, 0)[1],),
    "cuDeviceGetCount": lambda _: (),
    "cuDeviceGetName": lambda _: (64, 0),
    "cuDeviceGetP2PAttribute": lambda w: (w.driver.CUdevice_P2PAttribute(2), 0, 1),
    "cuDeviceGetPCIBusId": lambda w: (20, w.driver.CUdevice(0)),
    "cuDeviceGetUuid": lambda _: (0,),
    "cuDevicePrimaryCtxGetState": lambda _: (0,),
    "cuDevicePrimaryCtxRelease": lambda _: (1,),
    "cuDevicePrimaryCtxReset": lambda _: (1,),
    "cuDevicePrimaryCtxRetain": lambda _: (1,),
    "cuDevicePrimaryCtxSetFlags": lambda _: (1, 0),
    "cuDeviceTotalMem": lambda _: (0,),
    "cuDriverGetVersion": lambda _: (),
    "cuGetErrorName": lambda w: (w.driver.CUresult(1),),
    "cuGetErrorString": lambda w: (w.driver.CUresult(1),),
    "cuInit": lambda _: (0,),
    "cuIpcCloseMemHandle": lambda w: (w.pointer,),
    "cuIpcGetMemHandle": lambda w: (w.pointer,),
    "cuIpcOpenMemHandle": lambda w: (w.ipc, 1),
    "cuMemAddressFree": lambda w: (w.empty, w.granularity),
    "cuMemAddressReserve": lambda w: (w.granularity, 0, 0, 0),
    "cuMemAlloc": lambda _: (SIZE,),
    "cuMemCreate": lambda w: (w.granularity, w.prop, 0),
    "cuMemExportToShareableHandle": lambda w: (w.handle, w.driver.CUmemAllocationHandleType(POSIX), 0),
    "cuMemFree": lambda w: (w.pointer,),
    "cuMemGetAccess": lambda w: (w.prop.location, w.range),
    "cuMemGetAddressRange": lambda w: (w.pointer,),
    "cuMemGetAllocationGranularity": lambda w: (w.prop, w.driver.CUmemAllocationGranularity_flags(1)),
    "cuMemGetAllocationPropertiesFromHandle": lambda w: (w.handle,),
    "cuMemGetInfo": lambda _: (),
    "cuMemImportFromShareableHandle": lambda w: (w.descriptor, w.driver.CUmemAllocationHandleType(POSIX)),
    "cuMemMap": lambda w: (w.empty, w.granularity, 0, w.handle, 0),
    "cuMemRelease": lambda w: (w.handle,),
    "cuMemRetainAllocationHandle": lambda w: (w.range,),
    "cuMemSetAccess": lambda w: (w.range, w.granularity, [w.access], 1),
    "cuMemUnmap": lambda w: (w.range, w.granularity),
    "cuMemcpyDtoD": lambda w: (w.pointer, w.pointer, 0),
    "cuMemcpyDtoH": lambda w: (w.host, w.pointer, 0),
    "cuMemcpyHtoD": lambda w: (w.pointer, w.host, 0),
    "cuMemsetD8": lambda w: (w.pointer, 7, SIZE),
    "cuPointerGetAttribute": lambda w: (w.driver.CUpointer_attribute(1), w.pointer),
}
"""Arguments with which each call succeeds; copies copy nothing, so that wrong host addresses are never read."""


class Indexed:
    """Has ``__index__`` and no ``__int__``."""

    def __index__(self) -> int:
        return 1


class Worded:
    """Has an ``__int__`` that returns no int."""

    def __int__(self) -> int:
        return "x"  # type: ignore[return-value] # that is the point


class Raising:
    """Has an ``__int__`` that raises."""

    def __int__(self) -> int:
        msg = "mine"
        raise KeyError(msg)


class Valued:
    """Has a ``value``, as an enum has, and is none.

    Args:
        value: It.
    """

    def __init__(self, value: Any) -> None:  # noqa: ANN401 - any value
        self.value = value


WRONG: list[Callable[[Any], Any]] = [
    lambda _: None,
    lambda _: "x",
    lambda _: "5",
    lambda _: b"5",
    lambda _: bytearray(b"x\0y"),
    lambda _: memoryview(b"ab"),
    lambda _: 1.0,
    lambda _: 2.5,
    lambda _: float("nan"),
    lambda _: float("inf"),
    lambda _: 1j,
    lambda _: True,
    lambda _: -1,
    lambda _: 300,
    lambda _: -(1 << 30),
    lambda _: 1 - (1 << 30),
    lambda _: -(1 << 31),
    lambda _: -(1 << 31) - 1,
    lambda _: -(1 << 63) - 1,
    lambda _: (1 << 31) - 1,
    lambda _: 1 << 31,
    lambda _: (1 << 32) - 1,
    lambda _: 1 << 32,
    lambda _: 1 << 63,
    lambda _: 1 << 64,
    lambda _: 1 << 200,
    lambda _: object(),
    lambda _: int,
    lambda _: [],
    lambda _: [1],
    lambda _: {"a": 1},
    lambda _: Indexed(),
    lambda _: Worded(),
    lambda _: Raising(),
    lambda _: Valued(1),
    lambda _: Valued(99),
    lambda _: Valued("x"),
    lambda d: d.CUcontext(5),
    lambda d: d.CUdevice(1),
    lambda d: d.CUdeviceptr(5),
    lambda d: d.CUmemGenericAllocationHandle(5),
    lambda d: d.CUdevice_attribute(1),
    lambda d: d.CUdevice_attribute(99),
    lambda d: d.CUresult(1),
    lambda d: d.CUuuid(),
    lambda d: d.CUmemLocation(),
    lambda d: [d.CUmemAccessDesc()],
    lambda d: (d.CUmemAccessDesc(), d.CUmemAccessDesc()),
    lambda d: [d.CUmemAccessDesc(), None],
    lambda d: {d.CUmemAccessDesc(): 1},
    lambda d: {d.CUmemAccessDesc()},
]
"""Makers of arguments of every kind, most of them wrong for most parameters."""
