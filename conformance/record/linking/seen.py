"""What is asked about references of modules, widths of textures, and textures, libraries and profilers of the runtime API."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from conformance.cases.driver.library.test_library_get_managed import SHARED
from conformance.kit.kernels import HEAD, PTX
from conformance.record.linking.asking import Asker, enum, question

if TYPE_CHECKING:
    from collections.abc import Callable

REFERENCES = HEAD + ".global .texref told;\n.global .surfref kept;\n.visible .entry e() { ret; }\n"

FORMATS = (
    *(1, 2, 3, 8, 9, 10, 16, 32),
    *range(80, 95),
    *range(145, 170),
    *range(176, 182),
    *range(192, 204),
    *(0, 4, 64, 79, 255),
)
"""Values of CUarray_format, and some that are none."""


def runtime(a: Asker) -> Asker:
    """Return who asks the runtime API."""
    return Asker(importlib.import_module("cuda.bindings.runtime"), a.note)


@question
def references(a: Asker) -> None:
    """Whether modules have some, and what is looked at first."""
    for call in ("cuModuleGetTexRef", "cuModuleGetSurfRef"):
        a.ask("before cuInit", call, 0, b"told")
    a.begin()
    module = a.get("cuModuleLoadData", PTX + b"\0")
    old = a.ask("with references", "cuModuleLoadData", REFERENCES.encode() + b"\0")
    for call in ("cuModuleGetTexRef", "cuModuleGetSurfRef"):
        a.ask("null", call, 0, b"told")
        for name in (b"told", b"kept", b"empty", b"counter", b""):
            a.ask(name.decode(), call, module, name)
            if old is not None:
                a.ask(f"{name.decode()} of references", call, old, name)


@question
def widths(a: Asker) -> None:
    """The most elements of each format."""
    call = "cuDeviceGetTexture1DLinearMaxWidth"
    a.ask("before cuInit", call, a.form(32), 1, 0)
    a.cu.cuInit(0)
    for device in (0, -1, 99):
        for channels in (1, 3):
            a.ask(f"device {device}, {channels}", call, a.form(32), channels, device, show=int)
    for form in (0, *FORMATS, 99, 999):
        for channels in range(6):
            a.ask(f"{form} of {channels}", call, a.form(form), channels, 0, show=int)


def _sampling(r: Asker, **members: Any) -> Any:
    made = r.cu.cudaTextureDesc()
    for name, value in members.items():
        setattr(made, name, value)
    return made


@question
def textures(a: Asker) -> None:
    """What textures of the runtime API are to the driver, and what they say of themselves."""
    r = runtime(a)
    channels = r.cu.cudaChannelFormatDesc()
    for bits, kind in ((8, 1), (16, 0), (32, 1), (32, 2)):
        channels.x, channels.f = bits, enum(r.cu.cudaChannelFormatKind, kind)
        array = r.get("cudaMallocArray", channels, 64, 16, 0)
        for read in (0, 1, 2):
            for rest in (
                {},
                {"normalizedCoords": 7, "sRGB": 3},
                {"disableTrilinearOptimization": 5},
                {"seamlessCubemap": 1},
            ):
                label = f"{bits} of {kind}, {read}, {sorted(rest)}"
                made = r.cu.cudaResourceDesc()
                made.resType, made.res.array.array = enum(r.cu.cudaResourceType, 0), array
                told = _sampling(r, readMode=enum(r.cu.cudaTextureReadMode, read), maxAnisotropy=99, **rest)
                number = r.ask(label, "cudaCreateTextureObject", made, told, None)
                if number is None:
                    continue
                a.ask(label, "cuTexObjectGetTextureDesc", int(number), show=lambda d: [d.flags, d.maxAnisotropy])
                r.ask(
                    label,
                    "cudaGetTextureObjectTextureDesc",
                    number,
                    show=lambda d: [
                        int(d.readMode),
                        d.normalizedCoords,
                        d.sRGB,
                        d.disableTrilinearOptimization,
                        d.maxAnisotropy,
                    ],
                )
                r.ask(label, "cudaGetTextureObjectResourceViewDesc", number, show=lambda d: int(d.format))
    for kind in (4, 99):
        made = r.cu.cudaResourceDesc()
        made.resType = enum(r.cu.cudaResourceType, kind)
        r.ask(f"type {kind}", "cudaCreateTextureObject", made, _sampling(r), None)
        r.ask(f"type {kind}", "cudaCreateSurfaceObject", made)
    r.ask("nothing", "cudaCreateTextureObject", None, None, None)
    r.ask("nothing", "cudaCreateSurfaceObject", None)


@question
def memory_textures(a: Asker) -> None:
    """Textures of memory: channel formats, addresses and lengths, and how many elements are told."""
    r = runtime(a)
    place = int(r.get("cudaMalloc", 1 << 20))
    channels = r.cu.cudaChannelFormatDesc()
    for bits in (
        (8, 0, 0, 0),
        (8, 8, 0, 0),
        (8, 8, 8, 0),
        (8, 16, 0, 0),
        (32, 32, 32, 32),
        (64, 0, 0, 0),
        (0, 0, 0, 0),
    ):
        for kind in (0, 1, 2, 3, 5, 17, 99):
            (channels.x, channels.y, channels.z, channels.w), channels.f = bits, enum(r.cu.cudaChannelFormatKind, kind)
            label = f"{bits} of {kind}"
            r.ask(label, "cudaDeviceGetTexture1DLinearMaxWidth", channels, 0, show=int)
            for offset, size in ((0, 4096), (8, 4096), (0, 1 << 40)):
                made = r.cu.cudaResourceDesc()
                made.resType = enum(r.cu.cudaResourceType, 2)
                made.res.linear.devPtr, made.res.linear.desc, made.res.linear.sizeInBytes = (
                    place + offset,
                    channels,
                    size,
                )
                r.ask(f"{label} at {offset}, {size}", "cudaCreateTextureObject", made, _sampling(r), None)
                r.ask(f"{label} at {offset}, {size}", "cudaCreateSurfaceObject", made)
    r.ask("no device", "cudaDeviceGetTexture1DLinearMaxWidth", channels, 99)
    r.ask("no format", "cudaDeviceGetTexture1DLinearMaxWidth", None, 0)


def _first(a: Asker, label: str, make: Callable[[Asker], tuple[Any, ...]]) -> None:
    """Ask a call of the runtime API first of all, and whether a context is current then."""
    r = runtime(a)
    call, *args = make(r)
    r.ask(label, call, *args)
    a.ask(label, "cuCtxGetCurrent", show=lambda context: int(context) != 0)


@question
def first_profiler(a: Asker) -> None:
    """Whether profiling makes a context."""
    _first(a, "start", lambda _: ("cudaProfilerStart",))


@question
def first_texture(a: Asker) -> None:
    """Whether ending what is none does."""
    _first(a, "destroy", lambda _: ("cudaDestroyTextureObject", 0))


@question
def first_width(a: Asker) -> None:
    """Whether a question about a device does."""
    _first(a, "width", lambda r: ("cudaDeviceGetTexture1DLinearMaxWidth", r.cu.cudaChannelFormatDesc(), 0))


@question
def first_managed(a: Asker) -> None:
    """Whether looking for a managed variable does, and what is found without one."""

    def make(r: Asker) -> tuple[Any, ...]:
        return "cudaLibraryGetManaged", r.get("cudaLibraryLoadData", SHARED + b"\0", [], [], 0, [], [], 0), b"shared"

    _first(a, "managed", make)


@question
def first_unified(a: Asker) -> None:
    """Whether looking for a unified function does."""

    def make(r: Asker) -> tuple[Any, ...]:
        return (
            "cudaLibraryGetUnifiedFunction",
            r.get("cudaLibraryLoadData", PTX + b"\0", [], [], 0, [], [], 0),
            b"empty",
        )

    _first(a, "unified", make)
