"""Questions about copies and memsets: what they wait for, and what they look at where nothing is to be copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.copy.fixtures import NEW, OLD, SIZE, filled, host, struct
from conformance.cases.driver.memory.fixtures import PAGE, READ_ONLY, registered
from conformance.cases.driver.stream.fixtures import LEGACY, NON_BLOCKING, PER_THREAD, stream
from conformance.cases.driver.va.fixtures import NOWHERE
from conformance.record.questions.fixtures import WHILE, busy, question
from fakecuda.spec.driver import CALLS

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from conformance.kit.world import Process, World

HOST, DEVICE, ARRAY, UNIFIED = 1, 2, 3, 4
"""CUmemorytype."""
KINDS = {
    call: CALLS[call].inputs[0].type for call in ("cuMemcpy2D", "cuMemcpy2DUnaligned", "cuMemcpy3D", "cuMemcpy3DPeer")
}
"""The structs of the calls that copy rows."""
MOST = 0x7FFF_FFFF
"""CU_DEVICE_ATTRIBUTE_MAX_PITCH of every known device."""
COPY_ATTRIBUTES = (1, (0, 0), (0, 0), 0)


def rows(a: Process, call: str, **changed: Any) -> tuple[Any, ...]:
    """Return a struct of rows between two allocations with other members."""
    kind = KINDS[call]
    members: dict[str, Any] = {
        "srcMemoryType": DEVICE,
        "dstMemoryType": DEVICE,
        "srcPitch": 16,
        "dstPitch": 16,
        "WidthInBytes": 8,
        "Height": 3,
    }
    if kind != "CUDA_MEMCPY2D":
        members |= {"srcHeight": 4, "dstHeight": 4, "Depth": 2}
    if kind == "CUDA_MEMCPY3D_PEER":
        members |= {"srcContext": a.context, "dstContext": a.context}
    members |= {"srcDevice": filled(a, NEW, 256), "dstDevice": filled(a, OLD, 256)}
    return struct(kind, **{**members, **changed})


@question()
def what_is_looked_at_where_nothing_is_copied(w: World) -> None:
    """Rows of no bytes, no rows and no slices, with one more thing that is wrong."""
    wrong: tuple[dict[str, Any], ...] = (
        {},
        {"dstMemoryType": 0},
        {"srcMemoryType": 5},
        {"dstMemoryType": ARRAY},
        {"dstPitch": 4},
        {"srcPitch": MOST + 1},
        {"dstPitch": 0, "srcPitch": 0},
        {"dstDevice": NOWHERE},
        {"srcDevice": 0},
        {"dstHost": 0, "dstMemoryType": HOST},
        {"srcXInBytes": 20},
    )
    for call, kind in KINDS.items():
        a = w.process()
        for empty in ("WidthInBytes", "Height", *(["Depth"] if kind != "CUDA_MEMCPY2D" else [])):
            for one in wrong:
                getattr(a.c, call)(rows(a, call, **{empty: 0}, **one))


@question()
def pitches_of_host_memory(w: World) -> None:
    """Whether the largest pitch holds of memory of the host, and what a pitch or height of 0 stands for."""
    a = w.process()
    for call, kind in KINDS.items():
        plain = host(a, NEW)
        sides: tuple[dict[str, Any], ...] = (
            {"srcMemoryType": HOST, "srcHost": plain, "srcDevice": 0, "srcPitch": MOST},
            {"srcMemoryType": HOST, "srcHost": plain, "srcDevice": 0, "srcPitch": MOST + 1},
            {"srcMemoryType": HOST, "srcHost": plain, "srcDevice": 0, "srcPitch": 1 << 40},
            {"srcPitch": MOST},
            {"srcPitch": MOST + 1},
        )
        for side in sides:
            getattr(a.c, call)(
                rows(a, call, **{**side, "Height": 1}, **({"Depth": 1} if kind != "CUDA_MEMCPY2D" else {}))
            )
        getattr(a.c, call)(rows(a, call, srcPitch=0, dstPitch=0, Height=1))
        getattr(a.c, call)(rows(a, call, srcPitch=0, dstPitch=16))
        if kind != "CUDA_MEMCPY2D":
            getattr(a.c, call)(rows(a, call, srcHeight=0, dstHeight=0))
            getattr(a.c, call)(rows(a, call, srcHeight=0, dstHeight=4, Depth=1))
            getattr(a.c, call)(rows(a, call, srcLOD=1))
            getattr(a.c, call)(rows(a, call, dstLOD=1))
    for name in ("reserved0", "reserved1"):
        a.c.cuMemcpy3D(rows(a, "cuMemcpy3D", **{name: 8}))


def _copies(a: Process) -> list[Callable[[], Any]]:
    """Return copies and memsets that no stream is given to."""
    dst, src, room = filled(a, OLD, 256), filled(a, NEW, 256), bytes(SIZE)
    pinned, plain = a.ok.cuMemAllocHost(PAGE), a.host_memory(PAGE)
    return [
        lambda: a.c.cuMemsetD8(dst, 3, SIZE),
        lambda: a.c.cuMemsetD32(dst, 3, 4),
        lambda: a.c.cuMemsetD2D8(dst, 16, 3, 4, 4),
        lambda: a.c.cuMemsetD8(pinned, 3, SIZE),
        lambda: a.c.cuMemcpyDtoD(dst, src, SIZE),
        lambda: a.c.cuMemcpy(dst, src, SIZE),
        lambda: a.c.cuMemcpy(dst, pinned, SIZE),
        lambda: a.c.cuMemcpy(pinned, plain, SIZE),
        lambda: a.c.cuMemcpyPeer(dst, a.context, src, a.context, SIZE),
        lambda: a.c.cuMemcpyHtoD(dst, room, SIZE),
        lambda: a.c.cuMemcpyHtoD(dst, pinned, SIZE),
        lambda: a.c.cuMemcpyDtoH(bytearray(SIZE), src, SIZE),
        lambda: a.c.cuMemcpyDtoH(pinned, src, SIZE),
        lambda: a.c.cuMemcpy2D(rows(a, "cuMemcpy2D")),
        lambda: a.c.cuMemcpy3D(rows(a, "cuMemcpy3D")),
        lambda: a.c.cuMemcpy3DPeer(rows(a, "cuMemcpy3DPeer")),
    ]


@question()
def copies_behind_a_stream(w: World) -> None:
    """Whether copies and memsets without a stream return while a stream that blocks on the default one is at work."""
    a = w.process()
    for copy in _copies(a):
        working = busy(a)
        copy()
        a.c.cuStreamQuery(working)
        a.c.cuStreamQuery(LEGACY)
        a.c.cuCtxSynchronize()


@question()
def copies_beside_a_stream(w: World) -> None:
    """Likewise, with a stream that does not block on it."""
    a = w.process()
    for copy in _copies(a):
        working = busy(a, NON_BLOCKING)
        copy()
        a.c.cuStreamQuery(working)
        a.c.cuStreamQuery(LEGACY)
        a.c.cuCtxSynchronize()


@question()
def copies_in_a_stream_that_is_at_work(w: World) -> None:
    """Whether copies of a stream with each kind of host memory return before its work is done."""
    a = w.process()
    dst, src = filled(a, OLD, 256), filled(a, NEW, 256)
    pinned, plain, managed, function = (
        a.ok.cuMemAllocHost(PAGE),
        a.host_memory(PAGE),
        a.ok.cuMemAllocManaged(PAGE, 1),
        a.c_function("usleep"),
    )
    known = registered(a)
    for place in (pinned, plain, known, managed):
        for call, args in (
            ("cuMemcpyHtoDAsync", (dst, place, SIZE)),
            ("cuMemcpyDtoHAsync", (place, src, SIZE)),
            ("cuMemcpyAsync", (dst, place, SIZE)),
            ("cuMemcpyAsync", (place, src, SIZE)),
            ("cuMemcpyAsync", (place, pinned + 256, SIZE)),
            ("cuMemsetD8Async", (place, 3, SIZE)),
        ):
            for one in (stream(a, NON_BLOCKING), PER_THREAD):
                a.ok.cuLaunchHostFunc(one, function, WHILE // 4)
                getattr(a.c, call)(*args, one)
                a.c.cuStreamQuery(one)
                a.c.cuStreamSynchronize(one)


@question()
def memory_that_is_registered_in_part(w: World) -> None:
    """Copies to and from ranges of which a part is registered, and to memory registered to be read."""
    a = w.process()
    dst, src = filled(a, OLD, 256), filled(a, NEW, 256)
    place = a.host_memory(4 * PAGE)
    a.ok.cuMemHostRegister(place + PAGE, 2 * PAGE, 0)
    read_only = registered(a, flags=READ_ONLY)
    one = stream(a)
    for start in (place + PAGE - 8, place + 3 * PAGE - 8, read_only):
        a.c.cuMemcpyDtoH(start, src, 16)
        a.c.cuMemcpyHtoD(dst, start, 16)
        a.c.cuMemcpy(start, src, 16)
        a.c.cuMemcpy(dst, start, 16)
        a.c.cuMemcpyDtoHAsync(start, src, 16, one)
        a.c.cuMemcpyHtoDAsync(dst, start, 16, one)
        a.c.cuMemcpyAsync(start, src, 16, one)
        a.c.cuMemsetD8(start, 1, 16)
        a.c.cuCtxSynchronize()


@question()
def batches(w: World) -> None:
    """Batches in default streams, of nothing, of no bytes, and to memory of the host."""
    a = w.process()
    dst, src, plain, pinned, one = (
        filled(a, OLD),
        filled(a, NEW),
        a.host_memory(PAGE),
        a.ok.cuMemAllocHost(PAGE),
        stream(a),
    )
    attrs = ((COPY_ATTRIBUTES,), (0,), 1)
    for working in (0, LEGACY, PER_THREAD, one):
        a.c.cuMemcpyBatchAsync((dst,), (src,), (SIZE,), 1, *attrs, working)
        a.c.cuMemcpyBatchAsync((), (), (), 0, *attrs, working)
        a.c.cuMemcpyBatchAsync(None, None, None, 0, None, None, 0, working)
        a.c.cuMemcpyBatchAsync((dst,), (src,), (SIZE,), 1, None, None, 0, working)
    for size, target, source in (
        (0, dst, src),
        (0, 0, 0),
        (SIZE, plain, src),
        (SIZE, dst, plain),
        (SIZE, plain, pinned),
        (SIZE, plain + SIZE, plain),
    ):
        for order in (1, 2, 3):
            a.c.cuMemcpyBatchAsync((target,), (source,), (size,), 1, ((order, (0, 0), (0, 0), 0),), (0,), 1, one)
        a.c.cuStreamSynchronize(one)


def striped(a: Process, size: int = 512) -> int:
    """Return new device memory whose every 8 bytes hold another value, from 1 on."""
    place = filled(a, 0, size)
    a.ok.cuMemcpyHtoD(place, b"".join(bytes([number + 1]) * 8 for number in range(size // 8)), size)
    return place


@question()
def slices_without_a_height(w: World) -> None:
    """Where slices and rows lie whose height or pitch is 0, on either side, with and without a beginning of their own."""
    for call in ("cuMemcpy3D", "cuMemcpy3DPeer", "cuMemcpy2D"):
        a = w.process()
        for side in ("src", "dst"):
            for start in ({}, {"Y": 1}, {"Z": 1}, {"Y": 1, "Z": 1}, {"XInBytes": 4}):
                for unsaid in ("Height", "Pitch"):
                    begins = {f"{side}{name}": value for name, value in start.items()}
                    if call == "cuMemcpy2D" and (unsaid == "Height" or "Z" in start):
                        continue
                    dst = filled(a, 0, 512)
                    places = {"srcDevice": striped(a), "dstDevice": dst}
                    getattr(a.c, call)(rows(a, call, **{f"{side}{unsaid}": 0}, **begins, **places))
                    a.c.cuCtxSynchronize()
                    a.c.cuMemcpyDtoH(bytearray(512), dst, 512)


@question()
def pitches_of_several_rows(w: World) -> None:
    """Whether the largest pitch holds of several rows, and small pitches and heights of one."""
    a = w.process()
    large, plain = a.ok.cuMemAlloc(3 * (MOST + 1)), a.host_memory(MOST + 1 + PAGE)
    for call, kind in KINDS.items():
        solid = kind != "CUDA_MEMCPY2D"
        flat = {"Depth": 1} if solid else {}
        for pitch in (MOST, MOST + 1):
            a.c.cuCtxSynchronize()
            getattr(a.c, call)(rows(a, call, srcDevice=large, srcPitch=pitch, Height=2, **flat))
            getattr(a.c, call)(rows(a, call, dstDevice=large, dstPitch=pitch, Height=2, **flat))
            getattr(a.c, call)(rows(a, call, srcMemoryType=HOST, srcHost=plain, srcPitch=pitch, Height=2, **flat))
            if solid:
                members = {"Height": 1, "srcHeight": 1, "Depth": 2}
                getattr(a.c, call)(rows(a, call, srcDevice=large, srcPitch=pitch, **members))
        getattr(a.c, call)(rows(a, call, srcPitch=4, Height=1, **flat))
        getattr(a.c, call)(rows(a, call, dstPitch=4, Height=1, **flat))
        getattr(a.c, call)(rows(a, call, dstPitch=4, dstXInBytes=20, Height=1, **flat))
        if solid:
            getattr(a.c, call)(rows(a, call, srcHeight=2, **flat))
            getattr(a.c, call)(rows(a, call, dstHeight=4, dstY=2, **flat))
            getattr(a.c, call)(rows(a, call, dstPitch=4, Height=1, Depth=2))
    a.c.cuCtxSynchronize()


@question()
def offsets_that_wrap(w: World) -> None:
    """Which bytes are copied where slices or rows before the first wrap round the end of the addresses; some may fault."""
    for side in ("src", "dst"):
        for start in (
            {"Z": (1 << 64) - 1},
            {"Z": (1 << 64) - 2},
            {"Z": 1 << 58},
            {"Z": (1 << 58) + 1},
            {"Z": 1 << 63},
            {"Z": (1 << 64) - (1 << 40)},
            {"Y": (1 << 64) - 1},
            {"Y": (1 << 64) - 1, "Height": 0},
            {"Y": 1 << 60, "Height": 0},
        ):
            a = w.process()
            dst = filled(a, 0, 1024)
            places = {"srcDevice": striped(a) + 256, "dstDevice": dst + 256}
            a.c.cuMemcpy3D(rows(a, "cuMemcpy3D", **{f"{side}{name}": z for name, z in start.items()}, **places))
            a.c.cuCtxSynchronize()
            a.c.cuMemcpyDtoH(bytearray(1024), dst, 1024)


@question()
def orders_of_a_batch(w: World) -> None:
    """Whether a batch of each order returns before the work of its stream is done, by where it copies from and to."""
    a = w.process()
    places = {
        "device": filled(a, NEW, 256),
        "pinned": a.ok.cuMemAllocHost(PAGE),
        "plain": a.host_memory(PAGE),
        "registered": registered(a),
        "managed": a.ok.cuMemAllocManaged(PAGE, 1),
    }
    dst = filled(a, OLD, 256)
    for place in places.values():
        for target, source in ((dst, place), (place, dst)):
            for order in (1, 2, 3):
                working = busy(a, NON_BLOCKING)
                attrs = ((order, (0, 0), (0, 0), 0),)
                a.c.cuMemcpyBatchAsync((target,), (source,), (SIZE,), 1, attrs, (0,), 1, working)
                a.c.cuStreamQuery(working)
                a.c.cuStreamSynchronize(working)


@question()
def devices_as_the_host(w: World) -> None:
    """Whether copies of a stream return before its work is done where a device's memory is given as the host's."""
    a = w.process()
    dst, src = filled(a, OLD, 256), filled(a, NEW, 256)
    managed = a.ok.cuMemAllocManaged(PAGE, 1)
    plain = a.host_memory(PAGE)
    for place in (filled(a, NEW, 256), managed):
        makes: tuple[Callable[..., Any], ...] = (
            lambda one, place=place: a.c.cuMemcpyHtoDAsync(dst, place, SIZE, one),
            lambda one, place=place: a.c.cuMemcpyDtoHAsync(place, src, SIZE, one),
            lambda one, place=place: a.c.cuMemcpyAsync(plain, place, SIZE, one),
            lambda one, place=place: a.c.cuMemcpyAsync(place, plain, SIZE, one),
            lambda one, place=place: a.c.cuMemcpy2DAsync(
                rows(a, "cuMemcpy2D", srcMemoryType=HOST, srcHost=place, srcDevice=0), one
            ),
            lambda one, place=place: a.c.cuMemcpy2DAsync(
                rows(a, "cuMemcpy2D", dstMemoryType=HOST, dstHost=place, dstDevice=0), one
            ),
            lambda one, place=place: a.c.cuMemcpy2DAsync(
                rows(a, "cuMemcpy2D", srcMemoryType=UNIFIED, srcDevice=place), one
            ),
        )
        for make in makes:
            working = busy(a, NON_BLOCKING)
            make(working)
            a.c.cuStreamQuery(working)
            a.c.cuStreamSynchronize(working)


@question()
def memsets_in_a_fork(w: World) -> None:
    """What memsets, copies and prefetches in streams answer in a forked child, and whether the parent sees them."""
    a = w.process()
    dst, src, one = filled(a, OLD), filled(a, NEW), stream(a)
    managed = a.ok.cuMemAllocManaged(PAGE, 1)
    child = a.thread("forked").c
    for working in (one, LEGACY, PER_THREAD):
        child.cuMemsetD8Async(dst, 3, 4, working)
        child.cuMemsetD32Async(dst, 3, 1, working)
        child.cuMemsetD2D16Async(dst, 16, 3, 2, 2, working)
        child.cuMemsetD8Async(dst, 3, 0, working)
        child.cuMemsetD8Async(NOWHERE, 3, 4, working)
        child.cuMemsetD16Async(dst + 1, 3, 4, working)
        child.cuMemcpyDtoDAsync(dst, src, 4, working)
        child.cuMemcpyDtoDAsync(dst, src, 0, working)
        child.cuMemcpy2DAsync(rows(a, "cuMemcpy2D"), working)
        child.cuMemcpyBatchAsync((dst,), (src,), (4,), 1, (COPY_ATTRIBUTES,), (0,), 1, working)
        child.cuMemPrefetchAsync(NOWHERE, PAGE, (1, 0), 0, working)
    child.cuMemAdvise(managed, PAGE, 3, (1, 99))
    child.cuMemAdvise(managed, PAGE, 1, (4, 0))
    child.cuMemAdvise(managed, PAGE, 1, (1, 99))
    a.c.cuCtxSynchronize()
    a.c.cuMemcpyDtoH(bytearray(8), dst, 8)
