"""What each call does while a stream is captured: in three modes, of four streams, in the thread that began and in another.

Each question is a call. It tells the call's answer, what is then told of the capture, and what comes of that.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from conformance.record.asking import enum
from conformance.record.capture.scene import GLOBAL, KERNEL, NON_BLOCKING, QUESTIONS, RELAXED, ROOM, THREAD_LOCAL, Scene

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.record.asking import Asker

    Arguments = Callable[[Scene], tuple[Any, ...]]

STREAM = object()
"""Stands for the stream of a call."""
HOST = ctypes.create_string_buffer(ROOM)
WORD = ctypes.create_string_buffer(8)
CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: None)
STREAM_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(lambda *_: None)


def _address(thing: Any) -> int:
    return int(ctypes.cast(thing, ctypes.c_void_p).value or 0)


def _host(s: Scene) -> Any:
    return s.get("cuMemAllocHost", ROOM)


def _prop(s: Scene) -> Any:
    made = s.cu.CUmemAllocationProp()
    made.type, made.location.type = enum(s.cu.CUmemAllocationType, 1), enum(s.cu.CUmemLocationType, 1)
    return made


def _pool_props(s: Scene) -> Any:
    made = s.cu.CUmemPoolProps()
    made.allocType, made.location.type = enum(s.cu.CUmemAllocationType, 1), enum(s.cu.CUmemLocationType, 1)
    return made


def _access(s: Scene) -> Any:
    made = s.cu.CUmemAccessDesc()
    made.location.type, made.flags = enum(s.cu.CUmemLocationType, 1), enum(s.cu.CUmemAccess_flags, 3)
    return made


def _location(s: Scene) -> Any:
    made = s.cu.CUmemLocation()
    made.type = enum(s.cu.CUmemLocationType, 1)
    return made


PAGE = 2 << 20


def _mapped(s: Scene) -> tuple[Any, Any]:
    place = s.get("cuMemAddressReserve", PAGE, 0, 0, 0)
    handle = s.get("cuMemCreate", PAGE, _prop(s), 0)
    s.get("cuMemMap", place, PAGE, 0, handle, 0)
    return place, handle


def _recorded(s: Scene) -> Any:
    event = s.event()
    s.get("cuEventRecord", event, s.stream())
    return event


def _pooled(s: Scene) -> Any:
    stream = s.stream()
    made = s.get("cuMemAllocAsync", ROOM, stream)
    s.get("cuStreamSynchronize", stream)
    return made


def _value(s: Scene) -> Any:
    made = s.cu.CUstreamBatchMemOpParams()
    made.operation = enum(s.cu.CUstreamBatchMemOpType, 2)
    made.writeValue.operation = enum(s.cu.CUstreamBatchMemOpType, 2)
    made.writeValue.address = s.memory()
    return made


def _function(s: Scene) -> Any:
    return s.get("cuModuleGetFunction", s.get("cuModuleLoadData", KERNEL), b"nothing")


def _rect(s: Scene) -> Any:
    made = s.cu.CUDA_MEMCPY2D()
    made.dstMemoryType = made.srcMemoryType = enum(s.cu.CUmemorytype, 2)
    made.dstDevice, made.srcDevice = s.memory(), s.memory()
    made.srcPitch = made.dstPitch = 64
    made.WidthInBytes, made.Height = 16, 2
    return made


def _managed(s: Scene) -> Any:
    return s.get("cuMemAllocManaged", ROOM, 1)


PLAIN: dict[str, tuple[str, Arguments]] = {
    "cuInit": ("cuInit", lambda _: (0,)),
    "cuCtxGetCurrent": ("cuCtxGetCurrent", lambda _: ()),
    "cuCtxSynchronize": ("cuCtxSynchronize", lambda _: ()),
    "cuCtxGetLimit": ("cuCtxGetLimit", lambda s: (enum(s.cu.CUlimit, 0),)),
    "cuCtxSetLimit": ("cuCtxSetLimit", lambda s: (enum(s.cu.CUlimit, 0), 2048)),
    "cuCtxRecordEvent": ("cuCtxRecordEvent", lambda s: (s.context, s.event())),
    "cuCtxWaitEvent": ("cuCtxWaitEvent", lambda s: (s.context, _recorded(s))),
    "cuDevicePrimaryCtxRetain": ("cuDevicePrimaryCtxRetain", lambda _: (0,)),
    "cuMemAlloc": ("cuMemAlloc", lambda _: (ROOM,)),
    "cuMemAlloc of no bytes": ("cuMemAlloc", lambda _: (0,)),
    "cuMemAllocPitch": ("cuMemAllocPitch", lambda _: (64, 2, 4)),
    "cuMemAllocHost": ("cuMemAllocHost", lambda _: (ROOM,)),
    "cuMemHostAlloc": ("cuMemHostAlloc", lambda _: (ROOM, 0)),
    "cuMemAllocManaged": ("cuMemAllocManaged", lambda _: (ROOM, 1)),
    "cuMemFree": ("cuMemFree", lambda s: (s.memory(),)),
    "cuMemFree of null": ("cuMemFree", lambda _: (0,)),
    "cuMemFreeHost": ("cuMemFreeHost", lambda s: (_host(s),)),
    "cuMemHostRegister": ("cuMemHostRegister", lambda _: (_address(HOST), ROOM, 0)),
    "cuMemGetInfo": ("cuMemGetInfo", lambda _: ()),
    "cuMemGetAddressRange": ("cuMemGetAddressRange", lambda s: (s.memory(),)),
    "cuMemcpy": ("cuMemcpy", lambda s: (s.memory(), s.memory(), 16)),
    "cuMemcpy of no bytes": ("cuMemcpy", lambda s: (s.memory(), s.memory(), 0)),
    "cuMemcpy of nowhere": ("cuMemcpy", lambda s: (8, s.memory(), 16)),
    "cuMemcpyHtoD": ("cuMemcpyHtoD", lambda s: (s.memory(), _address(HOST), 16)),
    "cuMemcpyDtoH": ("cuMemcpyDtoH", lambda s: (_address(HOST), s.memory(), 16)),
    "cuMemcpyDtoD": ("cuMemcpyDtoD", lambda s: (s.memory(), s.memory(), 16)),
    "cuMemcpy2D": ("cuMemcpy2D", lambda s: (_rect(s),)),
    "cuMemcpy3D": ("cuMemcpy3D", lambda s: (s.copy(s.memory(), s.memory()),)),
    "cuMemcpyPeer": ("cuMemcpyPeer", lambda s: (s.memory(), s.context, s.memory(), s.context, 16)),
    "cuMemsetD8": ("cuMemsetD8", lambda s: (s.memory(), 7, 16)),
    "cuMemsetD32": ("cuMemsetD32", lambda s: (s.memory(), 7, 4)),
    "cuMemsetD2D8": ("cuMemsetD2D8", lambda s: (s.memory(), 64, 7, 16, 2)),
    "cuMemAddressReserve": ("cuMemAddressReserve", lambda _: (PAGE, 0, 0, 0)),
    "cuMemAddressFree": ("cuMemAddressFree", lambda s: (s.get("cuMemAddressReserve", PAGE, 0, 0, 0), PAGE)),
    "cuMemCreate": ("cuMemCreate", lambda s: (PAGE, _prop(s), 0)),
    "cuMemRelease": ("cuMemRelease", lambda s: (s.get("cuMemCreate", PAGE, _prop(s), 0),)),
    "cuMemMap": (
        "cuMemMap",
        lambda s: (
            s.get("cuMemAddressReserve", PAGE, 0, 0, 0),
            PAGE,
            0,
            s.get("cuMemCreate", PAGE, _prop(s), 0),
            0,
        ),
    ),
    "cuMemUnmap": ("cuMemUnmap", lambda s: (_mapped(s)[0], PAGE)),
    "cuMemSetAccess": ("cuMemSetAccess", lambda s: (_mapped(s)[0], PAGE, [_access(s)], 1)),
    "cuIpcGetMemHandle": ("cuIpcGetMemHandle", lambda s: (s.memory(),)),
    "cuIpcGetEventHandle": ("cuIpcGetEventHandle", lambda s: (s.event(6),)),
    "cuStreamCreate": ("cuStreamCreate", lambda _: (0,)),
    "cuStreamCreateWithPriority": ("cuStreamCreateWithPriority", lambda _: (1, 0)),
    "cuEventCreate": ("cuEventCreate", lambda _: (0,)),
    "cuEventDestroy": ("cuEventDestroy", lambda s: (_recorded(s),)),
    "cuEventQuery": ("cuEventQuery", lambda s: (_recorded(s),)),
    "cuEventQuery, never recorded": ("cuEventQuery", lambda s: (s.event(),)),
    "cuEventSynchronize": ("cuEventSynchronize", lambda s: (_recorded(s),)),
    "cuEventSynchronize, never recorded": ("cuEventSynchronize", lambda s: (s.event(),)),
    "cuEventElapsedTime": ("cuEventElapsedTime", lambda s: (_recorded(s), _recorded(s))),
    "cuMemPoolCreate": ("cuMemPoolCreate", lambda s: (_pool_props(s),)),
    "cuMemPoolDestroy": ("cuMemPoolDestroy", lambda s: (s.get("cuMemPoolCreate", _pool_props(s)),)),
    "cuMemPoolTrimTo": ("cuMemPoolTrimTo", lambda s: (s.get("cuDeviceGetDefaultMemPool", 0), 0)),
    "cuMemAdvise": ("cuMemAdvise", lambda s: (_managed(s), ROOM, enum(s.cu.CUmem_advise, 1), _location(s))),
    "cuPointerGetAttribute": ("cuPointerGetAttribute", lambda s: (enum(s.cu.CUpointer_attribute, 2), s.memory())),
    "cuPointerSetAttribute": (
        "cuPointerSetAttribute",
        lambda s: (True, enum(s.cu.CUpointer_attribute, 6), s.memory()),
    ),
    "cuArrayCreate": ("cuArrayCreate", lambda s: (s.a.desc2(16, 16),)),
    "cuArrayDestroy": ("cuArrayDestroy", lambda s: (s.get("cuArrayCreate", s.a.desc2(16, 16)),)),
    "cuMemcpyHtoA": ("cuMemcpyHtoA", lambda s: (s.get("cuArrayCreate", s.a.desc2(64)), 0, _address(HOST), 16)),
    "cuModuleLoadData": ("cuModuleLoadData", lambda _: (KERNEL,)),
    "cuModuleUnload": ("cuModuleUnload", lambda s: (s.get("cuModuleLoadData", KERNEL),)),
    "cuModuleGetFunction": ("cuModuleGetFunction", lambda s: (s.get("cuModuleLoadData", KERNEL), b"nothing")),
    "cuGraphCreate": ("cuGraphCreate", lambda _: (0,)),
    "cuGraphDestroy": ("cuGraphDestroy", lambda s: (s.graph(1),)),
    "cuGraphAddEmptyNode": ("cuGraphAddEmptyNode", lambda s: (s.graph(1), None, 0)),
    "cuGraphInstantiate": ("cuGraphInstantiate", lambda s: (s.graph(1), 0)),
    "cuGraphExecDestroy": ("cuGraphExecDestroy", lambda s: (s.executable(s.graph(1)),)),
    "cuDeviceGraphMemTrim": ("cuDeviceGraphMemTrim", lambda _: (0,)),
    "cuProfilerStart": ("cuProfilerStart", lambda _: ()),
    "cuCtxResetPersistingL2Cache": ("cuCtxResetPersistingL2Cache", lambda _: ()),
    "cuCtxCreate": ("cuCtxCreate", lambda _: (None, 0, 0)),
}
"""Calls that take no stream."""
STREAMED: dict[str, tuple[str, Arguments]] = {
    "cuMemcpyAsync": ("cuMemcpyAsync", lambda s: (s.memory(), s.memory(), 16, STREAM)),
    "cuMemcpyAsync of no bytes": ("cuMemcpyAsync", lambda s: (s.memory(), s.memory(), 0, STREAM)),
    "cuMemcpyAsync of nowhere": ("cuMemcpyAsync", lambda s: (8, s.memory(), 16, STREAM)),
    "cuMemcpyHtoDAsync": ("cuMemcpyHtoDAsync", lambda s: (s.memory(), _address(HOST), 16, STREAM)),
    "cuMemcpyHtoDAsync, pinned": ("cuMemcpyHtoDAsync", lambda s: (s.memory(), _host(s), 16, STREAM)),
    "cuMemcpyDtoHAsync": ("cuMemcpyDtoHAsync", lambda s: (_address(HOST), s.memory(), 16, STREAM)),
    "cuMemcpyDtoHAsync, pinned": ("cuMemcpyDtoHAsync", lambda s: (_host(s), s.memory(), 16, STREAM)),
    "cuMemcpyDtoDAsync": ("cuMemcpyDtoDAsync", lambda s: (s.memory(), s.memory(), 16, STREAM)),
    "cuMemcpy2DAsync": ("cuMemcpy2DAsync", lambda s: (_rect(s), STREAM)),
    "cuMemcpy3DAsync": ("cuMemcpy3DAsync", lambda s: (s.copy(s.memory(), s.memory()), STREAM)),
    "cuMemcpyPeerAsync": ("cuMemcpyPeerAsync", lambda s: (s.memory(), s.context, s.memory(), s.context, 16, STREAM)),
    "cuMemsetD8Async": ("cuMemsetD8Async", lambda s: (s.memory(), 7, 16, STREAM)),
    "cuMemsetD8Async of no bytes": ("cuMemsetD8Async", lambda s: (s.memory(), 7, 0, STREAM)),
    "cuMemsetD8Async of nowhere": ("cuMemsetD8Async", lambda _: (8, 7, 16, STREAM)),
    "cuMemsetD16Async": ("cuMemsetD16Async", lambda s: (s.memory(), 7, 8, STREAM)),
    "cuMemsetD32Async": ("cuMemsetD32Async", lambda s: (s.memory(), 7, 4, STREAM)),
    "cuMemsetD2D8Async": ("cuMemsetD2D8Async", lambda s: (s.memory(), 64, 7, 16, 2, STREAM)),
    "cuLaunchHostFunc": ("cuLaunchHostFunc", lambda _: (STREAM, _address(CALLBACK), 0)),
    "cuLaunchHostFunc of null": ("cuLaunchHostFunc", lambda _: (STREAM, 0, 0)),
    "cuStreamAddCallback": ("cuStreamAddCallback", lambda _: (STREAM, _address(STREAM_CALLBACK), 0, 0)),
    "cuLaunchKernel": ("cuLaunchKernel", lambda s: (_function(s), 1, 1, 1, 1, 1, 1, 0, STREAM, 0, 0)),
    "cuMemAllocAsync": ("cuMemAllocAsync", lambda _: (ROOM, STREAM)),
    "cuMemFreeAsync": ("cuMemFreeAsync", lambda s: (_pooled(s), STREAM)),
    "cuStreamWaitValue32": ("cuStreamWaitValue32", lambda s: (STREAM, s.memory(), 0, 0)),
    "cuStreamWriteValue32": ("cuStreamWriteValue32", lambda s: (STREAM, s.memory(), 1, 0)),
    "cuStreamBatchMemOp": ("cuStreamBatchMemOp", lambda s: (STREAM, 1, [_value(s)], 0)),
    "cuStreamAttachMemAsync": ("cuStreamAttachMemAsync", lambda s: (STREAM, _managed(s), 0, 1)),
    "cuMemPrefetchAsync": ("cuMemPrefetchAsync", lambda s: (_managed(s), ROOM, _location(s), 0, STREAM)),
    "cuStreamQuery": ("cuStreamQuery", lambda _: (STREAM,)),
    "cuStreamSynchronize": ("cuStreamSynchronize", lambda _: (STREAM,)),
    "cuStreamGetFlags": ("cuStreamGetFlags", lambda _: (STREAM,)),
    "cuStreamGetPriority": ("cuStreamGetPriority", lambda _: (STREAM,)),
    "cuStreamGetCtx": ("cuStreamGetCtx", lambda _: (STREAM,)),
    "cuStreamGetId": ("cuStreamGetId", lambda _: (STREAM,)),
    "cuStreamGetDevice": ("cuStreamGetDevice", lambda _: (STREAM,)),
    "cuStreamGetAttribute": ("cuStreamGetAttribute", lambda s: (STREAM, enum(s.cu.CUlaunchAttributeID, 3))),
    "cuStreamCopyAttributes": ("cuStreamCopyAttributes", lambda s: (STREAM, s.stream())),
    "cuEventRecord": ("cuEventRecord", lambda s: (s.event(), STREAM)),
    "cuEventRecordWithFlags": ("cuEventRecordWithFlags", lambda s: (s.event(), STREAM, 0)),
    "cuEventRecordWithFlags, external": ("cuEventRecordWithFlags", lambda s: (s.event(), STREAM, 1)),
    "cuStreamWaitEvent": ("cuStreamWaitEvent", lambda s: (STREAM, _recorded(s), 0)),
    "cuStreamWaitEvent, never recorded": ("cuStreamWaitEvent", lambda s: (STREAM, s.event(), 0)),
    "cuStreamWaitEvent, external": ("cuStreamWaitEvent", lambda s: (STREAM, _recorded(s), 1)),
    "cuStreamWaitEvent, external, never recorded": ("cuStreamWaitEvent", lambda s: (STREAM, s.event(), 1)),
    "cuGraphLaunch": ("cuGraphLaunch", lambda s: (s.executable(s.graph(1)), STREAM)),
    "cuGraphLaunch of nothing": ("cuGraphLaunch", lambda s: (s.executable(s.graph()), STREAM)),
    "cuGraphUpload": ("cuGraphUpload", lambda s: (s.executable(s.graph(1)), STREAM)),
    "cuStreamBeginCapture": ("cuStreamBeginCapture", lambda s: (STREAM, s.mode(RELAXED))),
    "cuStreamBeginCaptureToGraph": (
        "cuStreamBeginCaptureToGraph",
        lambda s: (STREAM, s.graph(), None, None, 0, s.mode(RELAXED)),
    ),
    "cuStreamEndCapture": ("cuStreamEndCapture", lambda _: (STREAM,)),
    "cuStreamIsCapturing": ("cuStreamIsCapturing", lambda _: (STREAM,)),
    "cuStreamGetCaptureInfo": ("cuStreamGetCaptureInfo", lambda _: (STREAM,)),
    "cuStreamUpdateCaptureDependencies": ("cuStreamUpdateCaptureDependencies", lambda _: (STREAM, None, None, 0, 1)),
    "cuStreamDestroy": ("cuStreamDestroy", lambda _: (STREAM,)),
}
"""Calls that take one."""


def _once(
    s: Scene, name: str, make: Arguments, label: str, *, mode: int, flags: int, place: str, theirs: int | None
) -> None:
    """Make one call while a stream is captured.

    Args:
        s: The scene.
        name: The call.
        make: What returns its arguments.
        label: What it is told as.
        mode: The capture's.
        flags: Of the stream that is captured.
        place: Of the call's stream.
        theirs: The mode of another thread, which makes the call; None for the thread that has begun.
    """
    captured = s.stream(flags)
    streams = {"own": captured, "other": s.stream(0), "plain": s.stream(), "legacy": 0, "per thread": 2}
    args = make(s)
    s.get("cuCtxSynchronize")
    s.begin(captured, mode, label)
    stream = streams[place]
    given = [stream if one is STREAM else one for one in args]

    def act() -> None:
        if theirs is not None:
            s.ask(label, "cuThreadExchangeStreamCaptureMode", s.mode(theirs), show=int)
        if name == "cuStreamBeginCapture":
            s.ask(label, name, *given)
            if stream is not captured and place != "legacy":
                s.ask(label, "cuStreamEndCapture", stream)
        else:
            s.ask(label, name, *given)

    if theirs is None:
        act()
    else:
        s.elsewhere(act)
    s.get("cuCtxSetCurrent", s.context)
    if name != "cuStreamDestroy" or place != "own":
        s.look(captured, label)
        s.end(captured, label)
    elif mode != RELAXED:
        return


def _try(s: Scene, name: str, make: Arguments, label: str, **how: Any) -> None:
    """Do it, or tell what an earlier capture has left impossible."""
    try:
        _once(s, name, make, label, **how)
    except RuntimeError as refusal:
        s.tell(label, str(refusal))


def _enter(label: str, name: str, make: Arguments, places: tuple[str, ...]) -> None:
    def ask(a: Asker) -> None:
        s = Scene(a)
        for mode in (GLOBAL, THREAD_LOCAL, RELAXED):
            for flags in (NON_BLOCKING, 0):
                for place in places:
                    text = f"{mode} {flags} {place}"
                    _try(s, name, make, text, mode=mode, flags=flags, place=place, theirs=None)
            for theirs in (GLOBAL, THREAD_LOCAL, RELAXED):
                for place in places[:2]:
                    text = f"{mode} {place} by another thread {theirs}"
                    _try(s, name, make, text, mode=mode, flags=NON_BLOCKING, place=place, theirs=theirs)
        s.ask("relaxed", "cuThreadExchangeStreamCaptureMode", s.mode(RELAXED), show=int)
        _try(s, name, make, "relaxed thread", mode=GLOBAL, flags=0, place=places[0], theirs=None)

    QUESTIONS[label] = ask


for _label, (_name, _make) in PLAIN.items():
    _enter(_label, _name, _make, ("own",))
for _label, (_name, _make) in STREAMED.items():
    _enter(_label, _name, _make, ("own", "plain", "other", "legacy", "per thread"))
