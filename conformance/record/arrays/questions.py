"""What is asked about arrays and mipmapped arrays: which there are, how large they are, how they live, and their copies."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

from conformance.record.arrays.asking import copy2, copy3, enum, flat, question

if TYPE_CHECKING:
    from conformance.record.arrays.asking import Asker

LAYERED, SURFACE, CUBEMAP, GATHER, DEPTH, COLOR, SPARSE, DEFERRED, ENCODE = 1, 2, 4, 8, 16, 32, 64, 128, 256
"""CUDA_ARRAY3D_*."""
FORMATS = (
    *(1, 2, 3, 8, 9, 10, 16, 32),
    *range(80, 95),
    *range(145, 170),
    *range(176, 182),
    *range(192, 204),
    *(0, 4, 64, 79, 255),
)
HOST, DEVICE, ARRAY, UNIFIED = 1, 2, 3, 4
LIMITS = (11, 14, *range(21, 31), 42, 43, *range(45, 50), *range(51, 75), 77, 112, 121, 127)
"""Attributes of a device: the limits of textures, surfaces and arrays."""


@question
def formats(a: Asker) -> None:
    """Which formats with how many channels there are, of one, two and three dimensions, and how large."""
    a.begin()
    for form in FORMATS:
        for channels in (0, 1, 2, 3, 4):
            for shape in ((64, 0, 0), (64, 16, 0), (16, 16, 8)):
                for flags in (0, SURFACE):
                    desc = a.desc3(*shape, form=form, channels=channels, flags=flags)
                    array = a.ask(f"{form} x{channels} {shape} {flags}", "cuArray3DCreate", desc)
                    if array is not None:
                        a.get("cuArrayDestroy", array)


@question
def flat_formats(a: Asker) -> None:
    """The same of the older call."""
    a.begin()
    for form in FORMATS:
        for channels in (0, 1, 2, 3, 4, 5, 8):
            array = a.ask(f"{form} x{channels}", "cuArrayCreate", a.desc2(64, 16, form, channels))
            if array is not None:
                a.get("cuArrayDestroy", array)


@question
def limits(a: Asker) -> None:
    """The attributes, and the largest arrays of each kind with one more in each direction."""
    a.begin()
    most: dict[int, int] = {}
    for number in LIMITS:
        attribute = enum(a.cu.CUdevice_attribute, number)
        most[number] = a.ask(str(number), "cuDeviceGetAttribute", attribute, 0, show=int)
    kinds: list[tuple[str, int, tuple[int, int, int]]] = [
        ("1D", 0, (21, 0, 0)),
        ("2D", 0, (22, 23, 0)),
        ("3D", 0, (24, 25, 26)),
        ("3D alternate", 0, (47, 48, 49)),
        ("1D layered", LAYERED, (42, 0, 43)),
        ("2D layered", LAYERED, (27, 28, 29)),
        ("gather", GATHER, (45, 46, 0)),
        ("1D surface", SURFACE, (55, 0, 0)),
        ("2D surface", SURFACE, (56, 57, 0)),
        ("3D surface", SURFACE, (58, 59, 60)),
        ("1D layered surface", SURFACE | LAYERED, (61, 0, 62)),
        ("2D layered surface", SURFACE | LAYERED, (63, 64, 65)),
    ]
    for name, flags, numbers in kinds:
        for place, number in enumerate(numbers):
            for over in (0, 1):
                if number:
                    extents = [min(1, one) for one in numbers]
                    extents[place] = most[number] + over
                    label = f"{name} {place} {'over' if over else 'most'}"
                    _made(a, label, a.desc3(extents[0], extents[1], extents[2], flags=flags))
    for name, flags, number, layers in (
        ("cubemap", CUBEMAP, 52, 0),
        ("cubemap surface", CUBEMAP | SURFACE, 66, 0),
        ("cubemap layered", CUBEMAP | LAYERED, 53, 54),
        ("cubemap layered surface", CUBEMAP | LAYERED | SURFACE, 67, 68),
    ):
        for over in (0, 1):
            _made(a, f"{name} width {over}", a.desc3(most[number] + over, most[number] + over, 6, 1, 1, flags))
            if layers:
                _made(a, f"{name} layers {over}", a.desc3(4, 4, most[layers] // 6 * 6 + 6 * over, 1, 1, flags))
    for width, height in (
        (most[21], 0),
        (most[21] + 1, 0),
        (most[22], 1),
        (most[22] + 1, 1),
        (1, most[23]),
        (1, most[23] + 1),
    ):
        _made(a, f"older {width} {height}", a.desc2(width, height), "cuArrayCreate")
    for shape, flags in (
        *[((most[n] + over, 0, 0), flags) for n in (77, 21) for over in (0, 1) for flags in (0, SURFACE)],
        *[((most[n] + over, 1, 0), flags) for n in (73, 22) for over in (0, 1) for flags in (0, SURFACE, GATHER)],
        *[((1, most[n] + over, 0), flags) for n in (74, 23) for over in (0, 1) for flags in (0, SURFACE, GATHER)],
        *[((most[24] + over, 1, 1), 0) for over in (0, 1)],
        *[((most[42] + over, 0, 2), LAYERED) for over in (0, 1)],
        *[((most[27] + over, 1, 2), LAYERED) for over in (0, 1)],
    ):
        made = a.ask(f"mipmapped {shape} {flags}", "cuMipmappedArrayCreate", a.desc3(*shape, flags=flags), 1)
        if made is not None:
            a.get("cuMipmappedArrayDestroy", made)


def _made(a: Asker, label: str, desc: Any, call: str = "cuArray3DCreate") -> None:
    made = a.ask(label, call, desc)
    if made is not None:
        a.get("cuArrayDestroy", made)


@question
def refusals(a: Asker) -> None:
    """What a descriptor may not be."""
    bare = a.desc3(8, 8)
    a.ask("before cuInit", "cuArray3DCreate", bare)
    a.ask("before cuInit, null", "cuArray3DCreate", None)
    a.cu.cuInit(0)
    a.ask("no context", "cuArray3DCreate", bare)
    a.ask("no context, null", "cuArray3DCreate", None)
    a.ask("no context, older", "cuArrayCreate", a.desc2(8, 8))
    a.ask("no context, mipmapped", "cuMipmappedArrayCreate", bare, 1)
    a.begin()
    a.ask("null", "cuArray3DCreate", None)
    a.ask("null, older", "cuArrayCreate", None)
    a.ask("null, mipmapped", "cuMipmappedArrayCreate", None, 1)
    for shape in (
        (0, 0, 0),
        (0, 8, 0),
        (0, 8, 8),
        (8, 0, 8),
        (8, 0, 0),
        (1, 1, 1),
        (1 << 40, 0, 0),
        (16384, 16384, 16384),
    ):
        for flags in (
            0,
            LAYERED,
            CUBEMAP,
            CUBEMAP | LAYERED,
            GATHER,
            SURFACE,
            DEPTH,
            COLOR,
            SPARSE,
            DEFERRED,
            ENCODE,
            512,
            1 << 31,
        ):
            _made(a, f"{shape} {flags}", a.desc3(*shape, 32, 1, flags))
    for shape in ((8, 8, 0), (8, 8, 6), (8, 4, 6), (8, 8, 5), (8, 8, 12), (8, 8, 7)):
        for flags in range(512):
            if (flags).bit_count() <= 3 and not flags & (SPARSE | ENCODE):
                _made(a, f"{shape} {flags}", a.desc3(*shape, 32, 1, flags))
    for shape in ((1024, 1024, 0), (1000, 1000, 0), (128, 128, 128), (64, 0, 0)):
        for flags in (SPARSE, SPARSE | SURFACE, SPARSE | LAYERED, DEFERRED, DEFERRED | SPARSE, DEFERRED | SURFACE):
            _made(a, f"{shape} {flags}", a.desc3(*shape, 32, 1, flags))
    for channels, form, flags in (
        (1, 32, DEPTH),
        (2, 32, DEPTH),
        (1, 2, DEPTH),
        (1, 3, DEPTH),
        (1, 10, DEPTH),
        (1, 16, DEPTH),
        (1, 1, DEPTH),
    ):
        _made(a, f"depth {form} x{channels}", a.desc3(8, 8, 0, form, channels, flags))
    for width, height in ((0, 0), (0, 8), (8, 0), (1 << 40, 0), (1 << 31, 1 << 31)):
        _made(a, f"older {width} {height}", a.desc2(width, height), "cuArrayCreate")


@question
def sizes(a: Asker) -> None:
    """What arrays take of the device's memory."""
    a.begin()
    a.get("cuArrayDestroy", a.get("cuArrayCreate", a.desc2(8, 8)))
    for count, shape, form, channels, flags in (
        *[(1, (width, 0, 0), 1, 1, 0) for width in (1, 512, 65536, 131072)],
        *[(300, (width, 0, 0), 1, 1, 0) for width in (1, 64, 512, 4096, 65536)],
        *[(300, (width, height, 0), 1, 1, 0) for width in (1, 64, 100, 512) for height in (1, 8, 100, 128, 129)],
        *[(40, (512, 512, 0), form, channels, 0) for form, channels in ((1, 1), (32, 1), (32, 4), (2, 2))],
        *[(40, (64, 64, depth), 1, 1, 0) for depth in (1, 2, 16, 17)],
        *[(40, (64, 64, depth), 1, 1, LAYERED) for depth in (1, 2, 16, 17)],
        *[(40, (64, 64, 0), 32, 1, flags) for flags in (0, SURFACE, GATHER)],
        (1, (4096, 4096, 0), 32, 4, 0),
        (1, (1000, 1000, 0), 32, 1, 0),
        (1, (1920, 1080, 0), 1, 4, 0),
        (1, (256, 256, 256), 32, 1, 0),
    ):
        before = a.used()
        made = [a.get("cuArray3DCreate", a.desc3(*shape, form, channels, flags)) for _ in range(count)]
        during = a.used()
        for one in made:
            a.get("cuArrayDestroy", one)
        a.tell(f"{count} of {shape} {form}x{channels} {flags}", [during - before, a.used() - before])
    for count, levels, shape in ((1, 10, (512, 512, 0)), (40, 1, (512, 512, 0)), (40, 10, (512, 512, 0))):
        before = a.used()
        made = [a.get("cuMipmappedArrayCreate", a.desc3(*shape, 32, 1), levels) for _ in range(count)]
        during = a.used()
        for one in made:
            a.get("cuMipmappedArrayDestroy", one)
        a.tell(f"mipmapped {count} {levels} {shape}", [during - before, a.used() - before])


def _needs(said: Any) -> list[int]:
    return [int(said.size), int(said.alignment)]


@question
def requirements(a: Asker) -> None:
    """What arrays ask for, whether mapped later, sparse, or neither."""
    a.begin()
    for shape in ((64, 0, 0), (64, 16, 0), (512, 512, 0), (1000, 1000, 0), (128, 128, 128), (3, 5, 7), (65536, 0, 0)):
        for form, channels in ((1, 1), (32, 1), (32, 4)):
            for flags in (0, DEFERRED, SPARSE, DEFERRED | SPARSE, DEFERRED | LAYERED):
                desc = a.desc3(*shape, form=form, channels=channels, flags=flags)
                label = f"{shape} {form}x{channels} {flags}"
                array = a.ask(label, "cuArray3DCreate", desc)
                if array is not None:
                    a.ask(label, "cuArrayGetMemoryRequirements", array, 0, show=_needs)
                    a.ask(label, "cuArrayGetSparseProperties", array, show=_sparse)
                    a.get("cuArrayDestroy", array)
                mip = a.ask(label, "cuMipmappedArrayCreate", desc, 20)
                if mip is not None:
                    a.ask(label, "cuMipmappedArrayGetMemoryRequirements", mip, 0, show=_needs)
                    a.ask(label, "cuMipmappedArrayGetSparseProperties", mip, show=_sparse)
                    a.get("cuMipmappedArrayDestroy", mip)
    array = a.get("cuArray3DCreate", a.desc3(64, 64, 0, 1, 1, DEFERRED))
    for device in (-1, 1, 2, 99):
        a.ask(f"device {device}", "cuArrayGetMemoryRequirements", array, device, show=_needs)
    a.ask("null", "cuArrayGetMemoryRequirements", 0, 0, show=_needs)
    a.ask("null", "cuArrayGetSparseProperties", 0, show=_sparse)
    room = bytearray(64)
    a.ask("copy of an unmapped array", "cuMemcpyHtoA", array, 0, bytes(room), 64)
    a.ask("level", "cuArrayGetDescriptor", array, show=flat)


def _sparse(said: Any) -> list[int]:
    tile = said.tileExtent
    return [
        int(tile.width),
        int(tile.height),
        int(tile.depth),
        int(said.miptailFirstLevel),
        int(said.miptailSize),
        int(said.flags),
    ]


@question
def descriptors(a: Asker) -> None:
    """What arrays say that they are."""
    a.begin()
    for shape, form, channels, flags in (
        *[((64, 0, 0), 1, 1, 0), ((64, 16, 0), 32, 4, 0), ((8, 8, 4), 16, 2, SURFACE), ((8, 8, 6), 32, 1, CUBEMAP)],
        *[((8, 0, 4), 1, 1, LAYERED), ((8, 8, 4), 1, 1, LAYERED | SURFACE), ((8, 8, 0), 32, 1, GATHER)],
        *[
            ((8, 8, 0), 192, 1, 0),
            ((8, 8, 0), 194, 4, 0),
            ((8, 8, 0), 194, 1, 0),
            ((64, 64, 0), 145, 4, 0),
            ((64, 64, 0), 176, 3, 0),
        ],
    ):
        array = a.ask("make", "cuArray3DCreate", a.desc3(*shape, form, channels, flags))
        if array is None:
            continue
        a.ask(f"{shape} {form}x{channels} {flags}", "cuArrayGetDescriptor", array, show=flat)
        a.ask(f"{shape} {form}x{channels} {flags}", "cuArray3DGetDescriptor", array, show=flat)
        for plane in (0, 1, 2, 3):
            got = a.ask(f"plane {plane}", "cuArrayGetPlane", array, plane)
            if got is not None:
                a.ask("plane", "cuArray3DGetDescriptor", got, show=flat)
                a.tell("the same", int(got) == int(array))
    older = a.get("cuArrayCreate", a.desc2(64, 16))
    a.ask("older", "cuArray3DGetDescriptor", older, show=flat)
    a.ask("null", "cuArrayGetDescriptor", 0, show=flat)
    a.ask("null", "cuArray3DGetDescriptor", 0, show=flat)
    a.ask("null", "cuArrayGetPlane", 0, 0)
    a.ask("null", "cuArrayDestroy", 0)
    a.ask("null", "cuMipmappedArrayDestroy", 0)
    a.ask("null", "cuMipmappedArrayGetLevel", 0, 0)


@question
def levels(a: Asker) -> None:
    """How many levels mipmapped arrays have, what those are, and how they end."""
    a.begin()
    for shape, count in (
        ((64, 16, 0), 0),
        ((64, 16, 0), 1),
        ((64, 16, 0), 3),
        ((64, 16, 0), 7),
        ((64, 16, 0), 99),
        ((5, 0, 0), 99),
        ((8, 4, 2), 99),
        ((8, 8, 9), 99),
    ):
        flags = LAYERED if shape[2] > 8 else 0
        made = a.ask(f"{shape} {count}", "cuMipmappedArrayCreate", a.desc3(*shape, 32, 1, flags), count)
        if made is None:
            continue
        for level in range(9):
            got = a.ask(f"level {level}", "cuMipmappedArrayGetLevel", made, level)
            if got is not None:
                a.ask("level", "cuArray3DGetDescriptor", got, show=flat)
                again = a.get("cuMipmappedArrayGetLevel", made, level)
                a.tell("the same", int(again) == int(got))
        a.ask("end", "cuMipmappedArrayDestroy", made)
    for form in FORMATS:
        for channels in (1, 2, 3, 4):
            made = a.ask(f"{form} x{channels}", "cuMipmappedArrayCreate", a.desc3(64, 64, 0, form, channels), 3)
            if made is not None:
                a.get("cuMipmappedArrayDestroy", made)
    made = a.get("cuMipmappedArrayCreate", a.desc3(64, 64), 3)
    level = a.get("cuMipmappedArrayGetLevel", made, 1)
    a.ask("a level alone", "cuArrayDestroy", level)
    a.ask("after that", "cuMipmappedArrayDestroy", made)


@question
def destroyed_twice(a: Asker) -> None:
    """An array that is gone."""
    a.begin()
    array = a.get("cuArrayCreate", a.desc2(64, 16))
    a.ask("once", "cuArrayDestroy", array)
    a.ask("described", "cuArrayGetDescriptor", array, show=flat)
    a.ask("twice", "cuArrayDestroy", array)


@question
def copied_when_gone(a: Asker) -> None:
    """A copy of an array that is gone."""
    a.begin()
    array = a.get("cuArrayCreate", a.desc2(64))
    a.ask("once", "cuArrayDestroy", array)
    a.ask("copied", "cuMemcpyHtoA", array, 0, bytes(64), 64)


@question
def level_when_gone(a: Asker) -> None:
    """A level of a mipmapped array that is gone."""
    a.begin()
    made = a.get("cuMipmappedArrayCreate", a.desc3(64, 64), 3)
    level = a.get("cuMipmappedArrayGetLevel", made, 1)
    a.ask("end", "cuMipmappedArrayDestroy", made)
    a.ask("described", "cuArrayGetDescriptor", level, show=flat)
    a.ask("asked", "cuMipmappedArrayGetLevel", made, 1)
    a.ask("twice", "cuMipmappedArrayDestroy", made)


@question
def unknown_handles(a: Asker) -> None:
    """A number that is no array."""
    a.begin()
    a.ask("unknown", "cuArrayGetDescriptor", 0x1234560, show=flat)
    a.ask("unknown", "cuArrayDestroy", 0x1234560)


@question
def ended_context(a: Asker) -> None:
    """Arrays whose context has ended, and of another context than the current one."""
    context = a.begin()
    array = a.get("cuArrayCreate", a.desc2(64))
    other = a.get("cuCtxCreate", None, 0, 0)
    a.ask("in another", "cuArrayGetDescriptor", array, show=flat)
    a.ask("in another", "cuMemcpyHtoA", array, 0, bytes(64), 64)
    a.ask("destroy other", "cuCtxDestroy", other)
    a.get("cuCtxSetCurrent", None)
    a.ask("without", "cuArrayGetDescriptor", array, show=flat)
    a.ask("without", "cuMemcpyHtoA", array, 0, bytes(64), 64)
    a.ask("without", "cuArrayGetPlane", array, 0)
    a.ask("without", "cuArrayDestroy", array)
    a.get("cuCtxSetCurrent", context)
    array = a.get("cuArrayCreate", a.desc2(64))
    other = a.get("cuCtxCreate", None, 0, 0)
    a.ask("from another", "cuArrayDestroy", array)
    a.get("cuCtxSetCurrent", context)
    array = a.get("cuArrayCreate", a.desc2(64))
    a.get("cuCtxSetCurrent", other)
    a.ask("end", "cuCtxDestroy", context)
    a.ask("ended", "cuArrayGetDescriptor", array, show=flat)
    a.ask("ended", "cuMemcpyHtoA", array, 0, bytes(64), 64)
    a.ask("ended", "cuArrayDestroy", array)


@question
def lines(a: Asker) -> None:
    """Copies of arrays of one dimension, which have an offset."""
    a.begin()
    array = a.get("cuArrayCreate", a.desc2(64, 0, 32, 1))
    other = a.get("cuArrayCreate", a.desc2(64, 0, 32, 1))
    square = a.get("cuArrayCreate", a.desc2(64, 64, 32, 1))
    three = a.get("cuArray3DCreate", a.desc3(16, 16, 16, 32, 1))
    memory = a.get("cuMemAlloc", 4096)
    stream = a.get("cuStreamCreate", 0)
    data = bytes(range(256))
    a.ask("in", "cuMemcpyHtoA", array, 0, data, 256)
    for offset, size in (
        (0, 256),
        (0, 0),
        (4, 252),
        (4, 256),
        (0, 257),
        (256, 0),
        (257, 0),
        (256, 4),
        (1, 4),
        (2, 2),
        (0, 3),
        (1 << 40, 4),
    ):
        room = bytearray(300)
        a.ask(f"out {offset} {size}", "cuMemcpyAtoH", room, array, offset, size)
        a.tell("bytes", bytes(room).hex().rstrip("0"))
        a.ask(f"in {offset} {size}", "cuMemcpyHtoA", other, offset, bytes(300), size)
        a.ask(f"to memory {offset} {size}", "cuMemcpyAtoD", memory, array, offset, size)
        a.ask(f"from memory {offset} {size}", "cuMemcpyDtoA", other, offset, memory, size)
        a.ask(f"across {offset} {size}", "cuMemcpyAtoA", other, offset, array, offset, size)
        a.ask(f"out later {offset} {size}", "cuMemcpyAtoHAsync", room, array, offset, size, stream)
        a.ask(f"in later {offset} {size}", "cuMemcpyHtoAAsync", other, offset, bytes(300), size, stream)
        a.get("cuStreamSynchronize", stream)
    for name, one in (("square", square), ("three", three)):
        for offset, size in ((0, 64), (0, 256), (0, 300), (256, 16)):
            a.ask(f"{name} in {offset} {size}", "cuMemcpyHtoA", one, offset, bytes(300), size)
            a.ask(f"{name} out {offset} {size}", "cuMemcpyAtoH", bytearray(300), one, offset, size)
            a.ask(f"{name} to memory {offset} {size}", "cuMemcpyAtoD", memory, one, offset, size)
            a.ask(f"{name} across {offset} {size}", "cuMemcpyAtoA", array, 0, one, offset, size)
    for size in (0, 4):
        a.ask(f"null array {size}", "cuMemcpyHtoA", 0, 0, data, size)
        a.ask(f"null array {size}", "cuMemcpyAtoD", memory, 0, 0, size)
        a.ask(f"null memory {size}", "cuMemcpyAtoD", 0, array, 0, size)
        a.ask(f"null memory {size}", "cuMemcpyDtoA", array, 0, 0, size)
        a.ask(f"null host {size}", "cuMemcpyHtoA", array, 0, 0, size)
        a.ask(f"null host {size}", "cuMemcpyAtoH", 0, array, 0, size)
        a.ask(f"null first {size}", "cuMemcpyAtoA", 0, 0, array, 0, size)
        a.ask(
            f"freed memory {size}",
            "cuMemcpyAtoD",
            memory + 8192 if isinstance(memory, int) else int(memory) + (1 << 30),
            array,
            0,
            size,
        )
    a.ask("itself", "cuMemcpyAtoA", array, 0, array, 0, 64)
    a.ask("itself apart", "cuMemcpyAtoA", array, 64, array, 0, 64)
    narrow = a.get("cuArrayCreate", a.desc2(64, 0, 1, 1))
    a.ask("other formats", "cuMemcpyAtoA", narrow, 0, array, 0, 64)
    a.ask("other formats", "cuMemcpyAtoA", array, 0, narrow, 0, 63)


@question
def rows(a: Asker) -> None:
    """Copies of rows and slices from and to arrays, with what is wrong with them."""
    a.begin()
    data = bytes(i % 251 for i in range(16 * 16 * 4 * 4))
    two = a.get("cuArrayCreate", a.desc2(16, 16, 32, 1))
    three = a.get("cuArray3DCreate", a.desc3(16, 16, 4, 32, 1))
    layers = a.get("cuArray3DCreate", a.desc3(16, 16, 4, 32, 1, LAYERED))
    one = a.get("cuArrayCreate", a.desc2(16, 0, 32, 1))
    lined = a.get("cuArray3DCreate", a.desc3(16, 0, 4, 32, 1, LAYERED))
    bytes_ = a.get("cuArrayCreate", a.desc2(64, 16, 1, 1))
    source = a.get("cuMemAlloc", 1 << 16)
    a.get("cuMemcpyHtoD", source, data, len(data))
    a.get("cuMemsetD8", int(source) + 8192, 0, 8192)

    def read(label: str, array: Any, height: int, depth: int) -> None:
        out = bytearray(16 * 16 * 4 * 4)
        made = copy3(
            a.cu,
            srcMemoryType=ARRAY,
            srcArray=array,
            dstMemoryType=DEVICE,
            dstDevice=int(source) + 8192,
            dstPitch=64,
            dstHeight=16,
            WidthInBytes=64,
            Height=height,
            Depth=depth,
        )
        a.ask(label, "cuMemcpy3D", made)
        a.get("cuMemcpyDtoH", out, int(source) + 8192, len(out))

        a.tell(label, zlib.crc32(bytes(out)))

    for name, array, height, depth in (
        ("two", two, 16, 1),
        ("three", three, 16, 4),
        ("layers", layers, 16, 4),
        ("one", one, 1, 1),
        ("lined", lined, 1, 4),
        ("bytes", bytes_, 16, 1),
    ):
        full: dict[str, Any] = {
            "srcMemoryType": DEVICE,
            "srcDevice": source,
            "srcPitch": 64,
            "srcHeight": 16,
            "dstMemoryType": ARRAY,
            "dstArray": array,
            "WidthInBytes": 64,
            "Height": height,
            "Depth": depth,
        }
        a.ask(f"{name} in", "cuMemcpy3D", copy3(a.cu, **full))
        read(f"{name} out", array, height, depth)
        for wrong in (
            *[
                {"dstXInBytes": x, "WidthInBytes": w}
                for x, w in ((4, 60), (4, 64), (2, 4), (4, 2), (4, 3), (64, 4), (64, 0), (0, 68), (1 << 40, 4))
            ],
            *[{"dstY": y, "Height": h} for y, h in ((1, 1), (15, 1), (16, 1), (1, 16), (0, 17), (0, 2))],
            *[{"dstZ": z, "Depth": d} for z, d in ((1, 1), (3, 1), (4, 1), (1, 4), (0, 5), (0, 2))],
            *[
                {"dstPitch": 8},
                {"dstHeight": 1},
                {"dstLOD": 1},
                {"dstPitch": 1 << 40},
                {"dstArray": 0},
                {"dstArray": 0, "Depth": 0},
            ],
            {"srcMemoryType": ARRAY, "srcArray": array, "Height": 1, "Depth": 1},
            {"srcPitch": 0},
            {"srcPitch": 16},
        ):
            a.ask(
                f"{name} {sorted(wrong.items(), key=str) if 'srcArray' not in wrong else 'itself'}",
                "cuMemcpy3D",
                copy3(a.cu, **{**full, **wrong}),
            )
        read(f"{name} after", array, height, depth)
        flat_: dict[str, Any] = {
            "srcMemoryType": DEVICE,
            "srcDevice": source,
            "srcPitch": 64,
            "dstMemoryType": ARRAY,
            "dstArray": array,
            "WidthInBytes": 64,
            "Height": height,
        }
        for call in ("cuMemcpy2D", "cuMemcpy2DUnaligned"):
            for wrong in (
                {},
                {"dstXInBytes": 4},
                {"dstY": 1},
                {"Height": 1},
                {"Height": 0},
                {"WidthInBytes": 0},
                {"WidthInBytes": 6},
            ):
                a.ask(f"{name} {wrong}", call, copy2(a.cu, **{**flat_, **wrong}))
    for name, dst, src, height, depth in (
        ("three layers", three, layers, 16, 4),
        ("two bytes", two, bytes_, 16, 1),
        ("bytes two", bytes_, two, 16, 1),
        ("two three", two, three, 16, 1),
        ("lined layers", lined, layers, 1, 4),
    ):
        ends = {"srcMemoryType": ARRAY, "srcArray": src, "dstMemoryType": ARRAY, "dstArray": dst}
        for told, extent in (("", (64, height, depth)), (", not whole", (6, 1, 1))):
            size = dict(zip(("WidthInBytes", "Height", "Depth"), extent, strict=True))
            a.ask(f"{name}{told}", "cuMemcpy3D", copy3(a.cu, **ends, **size))
            read(name, dst, height, depth)
    stream = a.get("cuStreamCreate", 0)
    host = bytearray(64 * 16)
    a.ask(
        "later",
        "cuMemcpy2DAsync",
        copy2(
            a.cu,
            srcMemoryType=ARRAY,
            srcArray=two,
            dstMemoryType=HOST,
            dstHost=host,
            dstPitch=64,
            WidthInBytes=64,
            Height=16,
        ),
        stream,
    )
    a.get("cuStreamSynchronize", stream)

    a.tell("later", zlib.crc32(bytes(host)))
