"""Questions about managed variables of libraries: where they lie, what is told of them, and what ends them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.library.fixtures import library
from conformance.cases.driver.unified.fixtures import GPU, PREFERRED
from conformance.kit.kernels import HEAD
from conformance.record.questions.fixtures import question
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.world import Process, World

SMALL, LARGE = 4096, 3 << 20
"""Bytes of variables."""
TOLD = tuple(
    ENUMS["CUpointer_attribute"][f"CU_POINTER_ATTRIBUTE_{name}"]
    for name in (
        *("CONTEXT", "MEMORY_TYPE", "DEVICE_POINTER", "HOST_POINTER", "SYNC_MEMOPS", "BUFFER_ID", "IS_MANAGED"),
        *("DEVICE_ORDINAL", "RANGE_START_ADDR", "RANGE_SIZE", "MAPPED", "ALLOWED_HANDLE_TYPES", "MEMPOOL_HANDLE"),
    )
)
"""Attributes of pointers."""


def image(*sizes: int) -> bytes:
    """Return PTX with managed variables ``m0``, ``m1`` and so on of those sizes, one of each context, and a kernel."""
    lines = [f".visible .global .attribute(.managed) .align 8 .b8 m{n}[{size}];" for n, size in enumerate(sizes)]
    lines += [".visible .global .align 8 .b8 own[64];", ".visible .entry empty() { ret; }"]
    return (HEAD + "\n".join(lines) + "\n").encode()


def told(a: Process, *pointers: int) -> None:
    """Ask what is told of pointers."""
    for pointer in pointers:
        for number in TOLD:
            a.c.cuPointerGetAttribute(number, pointer)
        a.c.cuMemGetAddressRange(pointer)


@question()
def without_a_context(w: World) -> None:
    """What is told of a managed variable before any context, in contexts that come later, and after these."""
    a = w.process(context=False)
    handle = library(a, image(SMALL))
    pointer = a.ok.cuLibraryGetManaged(handle, b"m0")[0]
    a.c.cuLibraryGetManaged(handle, b"m0")
    a.c.cuLibraryGetManaged(handle, b"own")
    told(a, pointer, pointer + 8, pointer + SMALL)
    first = a.ok.cuCtxCreate(None, 0, a.device)
    told(a, pointer)
    a.c.cuLibraryGetManaged(handle, b"m0")
    a.c.cuLibraryGetGlobal(handle, b"m0")
    module = a.ok.cuLibraryGetModule(handle)
    a.c.cuModuleGetGlobal(module, b"m0")
    a.ok.cuCtxCreate(None, 0, a.device)
    a.c.cuLibraryGetGlobal(handle, b"m0")
    a.c.cuLibraryGetManaged(handle, b"m0")
    told(a, pointer)
    a.c.cuCtxDestroy(first)
    told(a, pointer)
    a.c.cuMemFree(pointer)
    a.c.cuMemFreeHost(pointer)
    a.c.cuMemsetD8(pointer, 1, SMALL)
    a.c.cuMemsetD8(pointer, 1, SMALL + 1)
    a.c.cuMemPrefetchAsync(pointer, SMALL, GPU, 0, 0)
    a.c.cuMemAdvise(pointer, SMALL, PREFERRED, GPU)
    a.c.cuStreamAttachMemAsync(0, pointer, 0, 1)
    a.c.cuIpcGetMemHandle(pointer)
    a.c.cuMemRetainAllocationHandle(pointer)
    a.c.cuLibraryUnload(handle)
    told(a, pointer)
    a.c.cuMemsetD8(pointer, 1, SMALL)


@question()
def after_a_context(w: World) -> None:
    """The same of a library that a context had loaded before, whose context is destroyed."""
    a = w.process()
    handle = library(a, image(SMALL, 8))
    module = a.ok.cuLibraryGetModule(handle)
    pointer = a.ok.cuModuleGetGlobal(module, b"m0")[0]
    other = a.ok.cuModuleGetGlobal(module, b"m1")[0]
    a.c.cuLibraryGetManaged(handle, b"m0")
    a.c.cuLibraryGetManaged(handle, b"m1")
    a.c.cuLibraryGetGlobal(handle, b"m0")
    told(a, pointer, other)
    a.ok.cuCtxCreate(None, 0, a.device)
    a.c.cuLibraryGetGlobal(handle, b"m0")
    a.c.cuMemsetD8(pointer, 1, SMALL)
    a.c.cuCtxDestroy(a.context)
    told(a, pointer, other)
    a.c.cuLibraryGetManaged(handle, b"m0")
    a.c.cuMemsetD8(pointer, 1, SMALL)
    a.c.cuLibraryUnload(handle)
    told(a, pointer, other)


@question()
def several(w: World) -> None:
    """Where the variables of two libraries lie, small ones and large ones."""
    a = w.process()
    first = library(a, image(SMALL, LARGE, 8))
    second = library(a, image(8, SMALL))
    for name in (b"m2", b"m0", b"m1"):
        told(a, a.ok.cuLibraryGetManaged(first, name)[0])
    told(a, a.ok.cuLibraryGetManaged(second, b"m1")[0], a.ok.cuMemAllocManaged(64, 1))
    a.c.cuLibraryUnload(first)
    told(a, a.ok.cuLibraryGetManaged(second, b"m0")[0])


@question()
def of_modules(w: World) -> None:
    """The same variables of modules that are loaded by themselves."""
    a = w.process()
    data = image(SMALL, 8)
    module = a.ok.cuModuleLoadData(data)
    pointer = a.ok.cuModuleGetGlobal(module, b"m0")[0]
    told(a, pointer, a.ok.cuModuleGetGlobal(module, b"m1")[0])
    a.ok.cuCtxCreate(None, 0, a.device)
    other = a.ok.cuModuleLoadData(data)
    told(a, a.ok.cuModuleGetGlobal(other, b"m0")[0])
    a.c.cuMemsetD8(pointer, 1, SMALL)
    a.c.cuCtxDestroy(a.context)
    told(a, pointer)


@question()
def after_a_reset(w: World) -> None:
    """What is left of a library's variables, and of the library, when its primary context is reset and released."""
    a = w.process(context=False)
    primary = a.ok.cuDevicePrimaryCtxRetain(a.device)
    a.ok.cuCtxSetCurrent(primary)
    handle = library(a, image(SMALL))
    pointer = a.ok.cuLibraryGetGlobal(handle, b"m0")[0]
    told(a, pointer)
    a.c.cuDevicePrimaryCtxReset(a.device)
    told(a, pointer)
    a.c.cuLibraryGetManaged(handle, b"m0")
    a.c.cuDevicePrimaryCtxRetain(a.device)
    a.c.cuLibraryGetManaged(handle, b"m0")
    a.c.cuLibraryGetGlobal(handle, b"m0")
    a.c.cuMemsetD8(pointer, 1, SMALL)
    a.c.cuLibraryUnload(handle)
    told(a, pointer)


@question(alone=True)
def memory(w: World) -> None:
    """When a library's variables take memory of the device: at the load, when they are asked for, when they are written."""
    a = w.process()
    a.c.cuMemGetInfo()
    handle = library(a, image(64 << 20))
    a.c.cuMemGetInfo()
    pointer = a.ok.cuLibraryGetManaged(handle, b"m0")[0]
    a.c.cuMemGetInfo()
    a.ok.cuLibraryGetModule(handle)
    a.c.cuMemGetInfo()
    a.c.cuMemsetD8(pointer, 1, 64 << 20)
    a.c.cuCtxSynchronize()
    a.c.cuMemGetInfo()
    a.c.cuLibraryUnload(handle)
    a.c.cuMemGetInfo()


@question()
def on_two_devices(w: World) -> None:
    """What is told of the variables of libraries and modules where another device than the first has loaded them."""
    w.needs_devices(2)
    a = w.process(1)
    handle, data = library(a, image(SMALL)), image(SMALL)
    pointer = a.ok.cuLibraryGetManaged(handle, b"m0")[0]
    told(a, pointer)
    a.c.cuLibraryGetGlobal(handle, b"m0")
    a.c.cuMemsetD8(pointer, 1, SMALL)
    module = a.ok.cuModuleLoadData(data)
    told(a, a.ok.cuModuleGetGlobal(module, b"m0")[0], a.ok.cuMemAllocManaged(64, 1))
    a.ok.cuCtxCreate(None, 0, 0)
    a.c.cuLibraryGetGlobal(handle, b"m0")
    a.c.cuMemsetD8(pointer, 1, SMALL)
    told(a, pointer)
    a.c.cuMemPrefetchAsync(pointer, SMALL, (1, 1), 0, 0)
    a.c.cuLibraryUnload(handle)
    second = library(a, data)
    told(a, a.ok.cuLibraryGetManaged(second, b"m0")[0])
