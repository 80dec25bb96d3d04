"""What is asked about texture and surface objects, and tensor maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from conformance.record.arrays.asking import enum, question
from conformance.record.arrays.questions import CUBEMAP, DEPTH, FORMATS, GATHER, LAYERED, SURFACE

if TYPE_CHECKING:
    from conformance.record.arrays.asking import Asker

IS_ARRAY, IS_MIPMAPPED, IS_LINEAR, IS_PITCHED = 0, 1, 2, 3
"""CUresourcetype."""
INTEGER, NORMALIZED, SRGB, NO_TRILINEAR, SEAMLESS = 1, 2, 16, 32, 64
"""CU_TRSF_*."""


def resource(a: Asker, kind: int, *members: Any, flags: int = 0) -> Any:
    """Return a CUDA_RESOURCE_DESC: of an array or a mipmapped one, or of memory with the members of its struct."""
    made = a.cu.CUDA_RESOURCE_DESC()
    made.resType, made.flags = enum(a.cu.CUresourcetype, kind), flags
    if kind == IS_ARRAY:
        made.res.array.hArray = members[0]
    elif kind == IS_MIPMAPPED:
        made.res.mipmap.hMipmappedArray = members[0]
    elif kind == IS_LINEAR:
        one = made.res.linear
        one.devPtr, one.numChannels, one.sizeInBytes = members[0], members[2], members[3]
        one.format = a.form(members[1])
    elif kind == IS_PITCHED:
        two = made.res.pitch2D
        two.devPtr, two.numChannels, two.width, two.height, two.pitchInBytes = members[0], *members[2:]
        two.format = a.form(members[1])
    return made


def sampling(
    a: Asker,
    *,
    modes: tuple[int, int, int] = (1, 1, 1),
    filtering: int = 0,
    flags: int = 0,
    anisotropy: int = 0,
    between: int = 0,
    clamp: tuple[float, float, float] = (0, 0, 0),
) -> Any:
    """Return a CUDA_TEXTURE_DESC."""
    made = a.cu.CUDA_TEXTURE_DESC()
    made.addressMode = [enum(a.cu.CUaddress_mode, one) for one in modes]
    made.filterMode, made.flags, made.maxAnisotropy = enum(a.cu.CUfilter_mode, filtering), flags, anisotropy
    made.mipmapFilterMode = enum(a.cu.CUfilter_mode, between)
    made.mipmapLevelBias, made.minMipmapLevelClamp, made.maxMipmapLevelClamp = clamp
    return made


def view(a: Asker, form: int, width: int = 0, height: int = 0, depth: int = 0, *places: int) -> Any:
    """Return a CUDA_RESOURCE_VIEW_DESC; places are first and last levels and layers."""
    made = a.cu.CUDA_RESOURCE_VIEW_DESC()
    made.format = enum(a.cu.CUresourceViewFormat, form)
    made.width, made.height, made.depth = width, height, depth
    made.firstMipmapLevel, made.lastMipmapLevel, made.firstLayer, made.lastLayer = places or (0, 0, 0, 0)
    return made


def _texture(a: Asker, label: str, *args: Any) -> None:
    made = a.ask(label, "cuTexObjectCreate", *args)
    if made is not None:
        a.get("cuTexObjectDestroy", made)


@question
def textures_of_formats(a: Asker) -> None:
    """Which formats of arrays and of memory textures read, by each way of reading."""
    a.begin()
    memory = a.get("cuMemAlloc", 1 << 20)
    ways = [
        (filtering, flags) for filtering in (0, 1) for flags in (0, INTEGER, SRGB, NORMALIZED, NORMALIZED | INTEGER)
    ]
    for form in FORMATS:
        for channels in (1, 2, 3, 4):
            code, array = a.cu.cuArrayCreate(a.desc2(64, 64, form, channels))
            for filtering, flags in ways:
                how = sampling(a, filtering=filtering, flags=flags)
                label = f"{form} x{channels} {filtering} {flags}"
                if not int(code):
                    _texture(a, f"array {label}", resource(a, IS_ARRAY, array), how, None)
                if form < 64 or channels == 1:
                    _texture(a, f"linear {label}", resource(a, IS_LINEAR, memory, form, channels, 4096), how, None)
                    _texture(
                        a, f"pitched {label}", resource(a, IS_PITCHED, memory, form, channels, 16, 16, 512), how, None
                    )


@question
def textures_refused(a: Asker) -> None:
    """What resources and ways of reading may not be."""
    plain = sampling(a)
    a.ask("before cuInit", "cuTexObjectCreate", resource(a, IS_ARRAY, 0), plain, None)
    a.cu.cuInit(0)
    a.ask("no context", "cuTexObjectCreate", resource(a, IS_ARRAY, 0), plain, None)
    a.ask("no context", "cuTexObjectDestroy", 0)
    a.ask("no context", "cuTexObjectDestroy", 1)
    a.begin()
    memory = a.get("cuMemAlloc", 1 << 24)
    array = a.get("cuArrayCreate", a.desc2(64, 64, 32, 1))
    whole = a.get("cuArrayCreate", a.desc2(64, 64, 3, 1))
    cube = a.get("cuArray3DCreate", a.desc3(64, 64, 6, 32, 1, CUBEMAP))
    layers = a.get("cuArray3DCreate", a.desc3(64, 64, 6, 32, 1, LAYERED))
    three = a.get("cuArray3DCreate", a.desc3(64, 64, 6, 32, 1))
    gather = a.get("cuArray3DCreate", a.desc3(64, 64, 0, 32, 1, GATHER))
    stored = a.get("cuArray3DCreate", a.desc3(64, 64, 0, 32, 1, SURFACE))
    levels = a.get("cuMipmappedArrayCreate", a.desc3(64, 64, 0, 32, 1), 4)
    level = a.get("cuMipmappedArrayGetLevel", levels, 1)
    here = resource(a, IS_ARRAY, array)
    a.ask("null", "cuTexObjectCreate", None, plain, None)
    a.ask("null", "cuTexObjectCreate", here, None, None)
    a.ask("nulls", "cuTexObjectCreate", None, None, None)
    a.ask("null array", "cuTexObjectCreate", resource(a, IS_ARRAY, 0), plain, None)
    a.ask("null mipmapped", "cuTexObjectCreate", resource(a, IS_MIPMAPPED, 0), sampling(a, flags=2), None)
    for kind in (4, 5, 99):
        a.ask(f"kind {kind}", "cuTexObjectCreate", resource(a, kind), plain, None)
    for flags in (1, 2, 1 << 31):
        a.ask(f"resource flags {flags}", "cuTexObjectCreate", resource(a, IS_ARRAY, array, flags=flags), plain, None)
    kinds = {
        "array": here,
        "whole": resource(a, IS_ARRAY, whole),
        "cube": resource(a, IS_ARRAY, cube),
        "layers": resource(a, IS_ARRAY, layers),
        "three": resource(a, IS_ARRAY, three),
        "gather": resource(a, IS_ARRAY, gather),
        "stored": resource(a, IS_ARRAY, stored),
        "level": resource(a, IS_ARRAY, level),
        "mipmapped": resource(a, IS_MIPMAPPED, levels),
        "linear": resource(a, IS_LINEAR, memory, 32, 1, 4096),
        "pitched": resource(a, IS_PITCHED, memory, 32, 1, 64, 64, 512),
        "linear whole": resource(a, IS_LINEAR, memory, 3, 1, 4096),
    }
    hows: list[dict[str, Any]] = [
        *({"modes": modes} for modes in ((0, 0, 0), (2, 2, 2), (3, 3, 3), (4, 1, 1), (1, 1, 4), (0, 1, 1), (1, 1, 99))),
        *({"modes": modes, "flags": NORMALIZED} for modes in ((0, 0, 0), (2, 2, 2), (3, 3, 3), (4, 1, 1), (1, 1, 4))),
        *(
            {"filtering": filtering, "flags": flags}
            for filtering in (0, 1, 2, 9)
            for flags in (0, INTEGER, NORMALIZED, 3)
        ),
        *({"flags": flags} for flags in (4, 8, SRGB, NO_TRILINEAR, SEAMLESS, SEAMLESS | 2, 128, 256, 1 << 31, 3, 98)),
        *({"anisotropy": one, "flags": NORMALIZED} for one in (1, 16, 17, 99, 1 << 31)),
        *({"between": one, "flags": NORMALIZED} for one in (1, 2, 9)),
        *({"clamp": one, "flags": NORMALIZED} for one in ((1.5, 0, 3), (0, 3, 1), (-99, -1, 99))),
    ]
    for name, what in kinds.items():
        for how in hows:
            _texture(a, f"{name} {how}", what, sampling(a, **how), None)
        # Views of them.
        for form in (0, 1, 13, 22, 24, 25, 34, 35, 99):
            for size in ((64, 64, 0), (0, 0, 0), (32, 32, 0), (256, 256, 0), (64, 64, 6)):
                _texture(a, f"{name} view {form} {size}", what, sampling(a, flags=NORMALIZED), view(a, form, *size))
        for places in (
            (0, 3, 0, 0),
            (1, 3, 0, 0),
            (3, 1, 0, 0),
            (0, 4, 0, 0),
            (0, 0, 0, 5),
            (0, 0, 2, 3),
            (0, 0, 3, 2),
            (0, 0, 0, 6),
        ):
            for depth in (0, 6):
                _texture(
                    a,
                    f"{name} places {places} {depth}",
                    what,
                    sampling(a, flags=NORMALIZED),
                    view(a, 22, 64, 64, depth, *places),
                )
    for offset, length in (
        (0, 4096),
        (8, 4096),
        (256, 4096),
        (512, 4096),
        (0, 0),
        (0, 4),
        (0, 2),
        (0, 6),
        (0, 1 << 24),
        (0, (1 << 24) + 4),
        (0, 1 << 29),
        (0, 1 << 30),
        (0, 1 << 31),
        (0, 1 << 34),
    ):
        for form, channels in ((32, 1), (1, 4), (1, 1), (32, 4)):
            _texture(
                a,
                f"linear {offset} {length} {form}x{channels}",
                resource(a, IS_LINEAR, int(memory) + offset, form, channels, length),
                plain,
                None,
            )
    a.ask("linear null", "cuTexObjectCreate", resource(a, IS_LINEAR, 0, 32, 1, 4096), plain, None)
    a.ask("linear host", "cuTexObjectCreate", resource(a, IS_LINEAR, 1 << 20, 32, 1, 4096), plain, None)
    a.ask("pitched null", "cuTexObjectCreate", resource(a, IS_PITCHED, 0, 32, 1, 64, 64, 512), plain, None)
    a.ask("pitched host", "cuTexObjectCreate", resource(a, IS_PITCHED, 1 << 20, 32, 1, 64, 64, 512), plain, None)
    for members in (
        *[(pointer, 32, 1, 64, 64, 512) for pointer in (8, 32, 256, 512)],
        *[(0, 32, 1, 64, 64, pitch) for pitch in (0, 16, 32, 256, 264, 288, 320, 1 << 20, 2097120, 2097152, 2097184)],
        *[(0, 32, 1, width, 1, 1 << 21) for width in (0, 131072, 131073, 131071)],
        *[(0, 1, 1, width, 1, 1 << 20) for width in (131072, 131073)],
        *[(0, 1, 1, 1, height, 32) for height in (0, 65000, 65001, 65536, 65537)],
        *[(0, 1, 1, 1, height, 512) for height in (32768, 32769)],
    ):
        _texture(a, f"pitched {members}", resource(a, IS_PITCHED, int(memory) + members[0], *members[1:]), plain, None)
    a.ask("destroy null", "cuTexObjectDestroy", 0)


def _described(said: Any) -> list[int]:
    kind = int(said.resType)
    if kind == IS_LINEAR:
        one = said.res.linear
        return [kind, int(one.format), int(one.numChannels), int(one.sizeInBytes), int(said.flags)]
    if kind == IS_PITCHED:
        two = said.res.pitch2D
        return [kind, int(two.format), int(two.numChannels), int(two.width), int(two.height), int(two.pitchInBytes)]
    return [kind, int(said.flags)]


def _sampled(said: Any) -> list[float]:
    return [
        *(int(one) for one in said.addressMode),
        *(int(one) for one in (said.filterMode, said.flags, said.maxAnisotropy, said.mipmapFilterMode)),
        *(said.mipmapLevelBias, said.minMipmapLevelClamp, said.maxMipmapLevelClamp),
        *said.borderColor,
    ]


def _viewed(said: Any) -> list[int]:
    sizes = [said.format, said.width, said.height, said.depth]
    return [int(one) for one in [*sizes, said.firstMipmapLevel, said.lastMipmapLevel, said.firstLayer, said.lastLayer]]


@question
def textures_described(a: Asker) -> None:
    """What texture objects say of themselves, and after their end."""
    a.begin()
    memory = a.get("cuMemAlloc", 1 << 20)
    array = a.get("cuArrayCreate", a.desc2(64, 64, 32, 1))
    how = sampling(a, modes=(0, 2, 3), filtering=1, flags=NORMALIZED, anisotropy=99, between=1, clamp=(0.5, 1, 2))
    how.borderColor = [0.25, 0.5, 0.75, 1.0]
    before = a.used()
    for name, what, seen in (
        ("array", resource(a, IS_ARRAY, array), None),
        ("viewed", resource(a, IS_ARRAY, array), view(a, 22, 64, 64)),
        ("linear", resource(a, IS_LINEAR, memory, 1, 4, 4099), None),
        ("pitched", resource(a, IS_PITCHED, memory, 1, 4, 60, 64, 512), None),
    ):
        made = a.ask(name, "cuTexObjectCreate", what, how, seen)
        if made is None:
            continue
        a.tell("handle", int(made))
        a.ask(name, "cuTexObjectGetResourceDesc", made, show=_described)
        a.ask(name, "cuTexObjectGetTextureDesc", made, show=_sampled)
        a.ask(name, "cuTexObjectGetResourceViewDesc", made, show=_viewed)
    a.tell("used", a.used() - before)
    for number in (0, 0x7777):
        for call in ("cuTexObjectGetResourceDesc", "cuTexObjectGetTextureDesc", "cuTexObjectGetResourceViewDesc"):
            a.ask(f"number {number}", call, number)
    again = a.get("cuTexObjectCreate", resource(a, IS_ARRAY, array), how, None)
    a.ask("array first", "cuArrayDestroy", array)
    a.ask("then", "cuTexObjectGetResourceDesc", again, show=_described)
    a.ask("then", "cuTexObjectDestroy", again)
    a.ask("described", "cuTexObjectGetResourceDesc", again, show=_described)
    a.ask("twice", "cuTexObjectDestroy", again)
    a.ask("unknown", "cuTexObjectDestroy", 0x7777)


@question
def textures_of_contexts(a: Asker) -> None:
    """Texture and surface objects in another context, without one, and of one that has ended."""
    context = a.begin()
    array = a.get("cuArray3DCreate", a.desc3(64, 64, 0, 32, 1, SURFACE))
    made = a.get("cuTexObjectCreate", resource(a, IS_ARRAY, array), sampling(a), None)
    surface = a.get("cuSurfObjectCreate", resource(a, IS_ARRAY, array))
    other = a.get("cuCtxCreate", None, 0, 0)
    a.ask("array of another", "cuTexObjectCreate", resource(a, IS_ARRAY, array), sampling(a), None)
    a.ask("array of another", "cuSurfObjectCreate", resource(a, IS_ARRAY, array))
    a.ask("of another", "cuTexObjectGetResourceDesc", made, show=_described)
    a.ask("of another", "cuSurfObjectGetResourceDesc", surface, show=_described)
    a.ask("of another", "cuTexObjectDestroy", made)
    a.ask("of another", "cuSurfObjectDestroy", surface)
    a.get("cuCtxSetCurrent", context)
    made = a.get("cuTexObjectCreate", resource(a, IS_ARRAY, array), sampling(a), None)
    surface = a.get("cuSurfObjectCreate", resource(a, IS_ARRAY, array))
    a.get("cuCtxSetCurrent", None)
    a.ask("without", "cuTexObjectGetResourceDesc", made, show=_described)
    a.ask("without", "cuTexObjectDestroy", made)
    a.ask("without", "cuSurfObjectDestroy", surface)
    a.get("cuCtxSetCurrent", context)
    made = a.get("cuTexObjectCreate", resource(a, IS_ARRAY, array), sampling(a), None)
    a.get("cuCtxSetCurrent", other)
    a.get("cuCtxDestroy", context)
    a.ask("ended", "cuTexObjectGetResourceDesc", made, show=_described)
    a.ask("ended", "cuTexObjectDestroy", made)


@question
def surfaces(a: Asker) -> None:
    """What surface objects are made of, and how they live."""
    a.cu.cuInit(0)
    a.ask("no context", "cuSurfObjectCreate", resource(a, IS_ARRAY, 0))
    a.begin()
    memory = a.get("cuMemAlloc", 1 << 20)
    levels = a.get("cuMipmappedArrayCreate", a.desc3(64, 64, 0, 32, 1, SURFACE), 4)
    a.ask("null", "cuSurfObjectCreate", None)
    a.ask("null array", "cuSurfObjectCreate", resource(a, IS_ARRAY, 0))
    for name, what in (
        ("mipmapped", resource(a, IS_MIPMAPPED, levels)),
        ("level", resource(a, IS_ARRAY, a.get("cuMipmappedArrayGetLevel", levels, 1))),
        ("linear", resource(a, IS_LINEAR, memory, 32, 1, 4096)),
        ("pitched", resource(a, IS_PITCHED, memory, 32, 1, 64, 64, 512)),
        *[(f"kind {kind}", resource(a, kind)) for kind in (4, 99)],
        *[
            (f"flags {flags}", resource(a, IS_ARRAY, a.get("cuArray3DCreate", a.desc3(64, 64, 6, 32, 1, flags))))
            for flags in (0, SURFACE, LAYERED, SURFACE | LAYERED, CUBEMAP, CUBEMAP | SURFACE)
        ],
        *[
            (
                f"resource flags {flags}",
                resource(a, IS_ARRAY, a.get("cuArray3DCreate", a.desc3(64, 64, 0, 32, 1, SURFACE)), flags=flags),
            )
            for flags in (1, 2)
        ],
        ("older", resource(a, IS_ARRAY, a.get("cuArrayCreate", a.desc2(64, 64, 32, 1)))),
    ):
        made = a.ask(name, "cuSurfObjectCreate", what)
        if made is not None:
            a.tell("handle", int(made))
            a.ask(name, "cuSurfObjectGetResourceDesc", made, show=_described)
            a.ask(name, "cuSurfObjectDestroy", made)
            a.ask(name, "cuSurfObjectGetResourceDesc", made, show=_described)
            a.ask(name, "cuSurfObjectDestroy", made)
    for form in FORMATS:
        for channels in (1, 2, 4):
            code, array = a.cu.cuArray3DCreate(a.desc3(64, 64, 0, form, channels, SURFACE))
            if not int(code):
                made = a.ask(f"{form} x{channels}", "cuSurfObjectCreate", resource(a, IS_ARRAY, array))
                if made is not None:
                    a.get("cuSurfObjectDestroy", made)
    for number in (0, 0x7777):
        a.ask(f"number {number}", "cuSurfObjectGetResourceDesc", number, show=_described)
        a.ask(f"number {number}", "cuSurfObjectDestroy", number)


def _opaque(said: Any) -> list[str]:
    return [f"{int(one):x}" for one in said.opaque]


TILED: dict[str, Any] = {
    "kind": 7, "rank": 2, "address": 0, "dims": (256, 128), "strides": (1024,), "box": (32, 16), "steps": (1, 1),
    "interleave": 0, "swizzle": 0, "promotion": 0, "fill": 0,
}  # fmt: skip
WIDTHS = {0: 1, 1: 2, 2: 4, 3: 4, 4: 8, 5: 8, 6: 2, 7: 4, 8: 8, 9: 2, 10: 4, 11: 4, 12: 4}
"""Bytes of an element of CUtensorMapDataType."""

SOLID: dict[str, Any] = {
    "interleave": 2,
    "rank": 3,
    "dims": (64, 64, 64),
    "strides": (1024, 65536),
    "box": (8, 8, 8),
    "steps": (1, 1, 1),
}
"""Of three dimensions, in slices of 32 bytes."""


def tiled(a: Asker, base: int, label: str, **changed: Any) -> Any:
    """Ask for a tiled tensor map."""
    made = {**TILED, **changed}
    u32, u64 = a.cu.cuuint32_t, a.cu.cuuint64_t
    return a.ask(
        f"{label} {changed}",
        "cuTensorMapEncodeTiled",
        enum(a.cu.CUtensorMapDataType, made["kind"]),
        made["rank"],
        base + made["address"],
        [u64(one) for one in made["dims"]],
        [u64(one) for one in made["strides"]],
        [u32(one) for one in made["box"]],
        [u32(one) for one in made["steps"]],
        enum(a.cu.CUtensorMapInterleave, made["interleave"]),
        enum(a.cu.CUtensorMapSwizzle, made["swizzle"]),
        enum(a.cu.CUtensorMapL2promotion, made["promotion"]),
        enum(a.cu.CUtensorMapFloatOOBfill, made["fill"]),
        show=_opaque,
    )


@question
def tensor_maps(a: Asker) -> None:
    """What tiled tensor maps may be; a fixed address, which no memory need be at, has their bytes compare."""
    tiled(a, 1 << 30, "before cuInit")
    a.cu.cuInit(0)
    base = 1 << 30
    tiled(a, base, "no context")
    a.begin()
    tiled(a, base, "plain")
    for kind in range(-1, 18):
        width = WIDTHS.get(kind, 1)
        for fill in (0, 1):
            tiled(a, base, "kind", kind=kind, strides=(256 * width,), fill=fill)
        if kind > 12:
            for dims, box, strides, address in (
                ((128, 128), (128, 16), (64,), 0),
                ((256, 128), (128, 16), (128,), 0),
                ((256, 128), (128, 16), (192,), 0),
                ((256, 128), (128, 16), (192,), 32),
                ((256, 128), (64, 16), (128,), 0),
                ((200, 128), (128, 16), (128,), 0),
            ):
                for swizzle in (0, 1, 2, 3, 4, 5, 6):
                    tiled(
                        a,
                        base,
                        "packed",
                        kind=kind,
                        dims=dims,
                        box=box,
                        strides=strides,
                        address=address,
                        swizzle=swizzle,
                    )
    for address in (8, 16, 32, -base, 1 << 20):
        tiled(a, base, "address", address=address)
        tiled(a, base, "address", address=address, **SOLID)
    for rank in range(8):
        extents = (32,) * max(rank, 1)
        strides = tuple(128 * 32**place for place in range(max(rank - 1, 0)))
        for interleave in (0, 1, 2, 3):
            tiled(
                a,
                base,
                "rank",
                rank=rank,
                dims=extents,
                strides=strides,
                box=(8,) * len(extents),
                steps=(1,) * len(extents),
                interleave=interleave,
            )
    for dim in (0, 1, 1 << 32, (1 << 32) + 1, (1 << 32) - 1):
        tiled(a, base, "dims", dims=(dim, 128), strides=(4 * max(dim, 256),) if dim < 1 << 32 else (1024,))
        tiled(a, base, "dims", dims=(256, dim))
    for stride in (0, 16, 8, 24, 512, 1008, 1024, 1028, 1040, 1 << 39, (1 << 40) - 16, 1 << 40, (1 << 40) + 16):
        tiled(a, base, "strides", strides=(stride,))
        tiled(a, base, "strides", rank=3, dims=(256, 2, 2), strides=(1024, stride), box=(8, 1, 1), steps=(1, 1, 1))
        tiled(
            a,
            base,
            "strides",
            rank=3,
            dims=(8, 2, 2),
            strides=(64, stride),
            box=(8, 1, 1),
            steps=(1, 1, 1),
            interleave=2,
        )
    for box in (
        (0, 16),
        (4, 0),
        (1, 1),
        (3, 1),
        (4, 1),
        (256, 1),
        (257, 1),
        (4, 256),
        (4, 257),
        (256, 256),
        (512, 512),
    ):
        tiled(a, base, "box", box=box)
    for step in (0, 1, 2, 3, 8, 9, 32, 33):
        tiled(a, base, "steps", steps=(step, 1))
        tiled(a, base, "steps", steps=(1, step))
    for swizzle in range(-1, 9):
        for inner in (4, 8, 12, 16, 32, 36, 64, 128):
            tiled(a, base, "swizzle", swizzle=swizzle, box=(inner, 4))
            if swizzle in (0, 1, 2, 3):
                for interleave in (2, 1):
                    changed = SOLID | {"swizzle": swizzle, "box": (inner, 4, 1), "interleave": interleave}
                    tiled(a, base, "swizzle", **changed)
    for promotion in range(-1, 6):
        tiled(a, base, "promotion", promotion=promotion)
    for fill in (-1, 2):
        tiled(a, base, "fill", fill=fill)
    made = tiled(a, base, "replaced")
    for address in (base + 4096, base + 8, 0, 1 << 47, 1 << 57, 1 << 63):
        a.ask(f"address {address:x}", "cuTensorMapReplaceAddress", made, address)
        a.tell("map", _opaque(made))
    a.ask("null map", "cuTensorMapReplaceAddress", None, base)
    swizzled = tiled(a, base, "replaced", **SOLID)
    for address in (base + 16, base + 32):
        a.ask(f"address {address:x}", "cuTensorMapReplaceAddress", swizzled, address)
    a.ask("no map", "cuTensorMapReplaceAddress", a.cu.CUtensorMap(), base)


IM2COL: dict[str, Any] = {
    "kind": 6, "rank": 4, "address": 0, "dims": (64, 32, 32, 8), "strides": (128, 4096, 131072), "lower": (0, 0),
    "upper": (0, 0), "channels": 64, "pixels": 64, "steps": (1, 1, 1, 1), "interleave": 0, "swizzle": 0, "promotion": 0,
    "fill": 0,
}  # fmt: skip


@question
def image_maps(a: Asker) -> None:
    """What tensor maps of images may be."""
    a.begin()
    base = 1 << 30
    u32, u64 = a.cu.cuuint32_t, a.cu.cuuint64_t
    for changed in (
        {},
        *[{"kind": kind} for kind in (-1, 0, 8, 9, 12, 13, 14, 15, 16)],
        *[{"address": one} for one in (8, 16)],
        *[{"lower": one} for one in ((-1, -1), (-128, 0), (-129, 0), (127, 0), (128, 0), (0, 31), (0, 32))],
        *[{"upper": one} for one in ((-1, -1), (-128, 0), (-129, 0), (127, 0), (128, 0), (0, -32))],
        {"lower": (-1, -1), "upper": (-1, -1)},
        *[{"channels": one} for one in (0, 1, 7, 8, 256, 257)],
        *[{"pixels": one} for one in (0, 1, 256, 257, 1024, 1025)],
        *[{"steps": (one, 1, 1, 1)} for one in (0, 2, 8, 9)],
        *[{"steps": (1, one, 1, 1)} for one in (0, 2, 8, 9)],
        *[{"swizzle": one} for one in range(-1, 8)],
        *[{"interleave": one} for one in (-1, 1, 2, 3)],
        *[{"promotion": one} for one in (-1, 3, 4)],
        *[{"fill": one} for one in (-1, 1, 2)],
        *[{"dims": (one, 32, 32, 8)} for one in (0, 1 << 32, (1 << 32) + 1)],
        *[{"strides": (one, 4096, 131072)} for one in (0, 64, 120, 136, 144, 1 << 40)],
        {"rank": 2, "dims": (64, 32), "strides": (128,), "lower": (), "upper": (), "steps": (1, 1)},
        {"rank": 3, "dims": (64, 32, 8), "strides": (128, 4096), "lower": (0,), "upper": (0,), "steps": (1, 1, 1)},
        *[
            {"rank": 3, "dims": (64, 32, 8), "strides": (128, 4096), "lower": (low,), "upper": (0,), "steps": (1, 1, 1)}
            for low in (-32768, -32769, 32767, 32768)
        ],
        *[
            {
                "rank": 5,
                "dims": (64, 32, 32, 8, 2),
                "strides": (128, 4096, 131072, 1048576),
                "lower": (low, 0, 0),
                "upper": (0, 0, 0),
                "steps": (1,) * 5,
            }
            for low in (-16, -17, 15, 16)
        ],
        {"rank": 6, "dims": (64,) * 6, "strides": (128,) * 5, "lower": (0,) * 4, "upper": (0,) * 4, "steps": (1,) * 6},
    ):
        made: dict[str, Any] = {**IM2COL, **cast("dict[str, Any]", changed)}
        ends = (
            enum(a.cu.CUtensorMapInterleave, made["interleave"]),
            enum(a.cu.CUtensorMapSwizzle, made["swizzle"]),
            enum(a.cu.CUtensorMapL2promotion, made["promotion"]),
            enum(a.cu.CUtensorMapFloatOOBfill, made["fill"]),
        )
        begins = (
            enum(a.cu.CUtensorMapDataType, made["kind"]),
            made["rank"],
            base + made["address"],
            [u64(one) for one in made["dims"]],
            [u64(one) for one in made["strides"]],
        )
        steps = [u32(one) for one in made["steps"]]
        a.ask(
            f"{changed}",
            "cuTensorMapEncodeIm2col",
            *begins,
            list(made["lower"]),
            list(made["upper"]),
            made["channels"],
            made["pixels"],
            steps,
            *ends,
            show=_opaque,
        )
        low, up = ([*made[one], 0][0] for one in ("lower", "upper"))
        for mode in (0, 1, 2):
            a.ask(
                f"{changed} {mode}",
                "cuTensorMapEncodeIm2colWide",
                *begins,
                low,
                up,
                made["channels"],
                made["pixels"],
                steps,
                ends[0],
                enum(a.cu.CUtensorMapIm2ColWideMode, mode),
                *ends[1:],
            )


@question
def depth_textures(a: Asker) -> None:
    """Textures of arrays for depths."""
    a.begin()
    for form, channels in ((32, 1), (2, 1), (3, 1)):
        code, array = a.cu.cuArray3DCreate(a.desc3(64, 64, 0, form, channels, DEPTH))
        if not int(code):
            _texture(a, f"{form}", resource(a, IS_ARRAY, array), sampling(a), None)
