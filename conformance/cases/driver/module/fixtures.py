"""Fixtures of modules and functions, and their common refusals."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import attrs

from conformance.kit.kernels import HEAD, LAUNCHERS, PTX
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.case import Entry
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

GARBAGE = 0x1234560
"""An address without a driver object."""
CONTAINER = (0xBA55ED50).to_bytes(4, "little")
EMPTY_FATBIN = CONTAINER + b"\1\0\x10\0" + bytes(8)
_TEXT = struct.pack("<HHIQ8xHHI32x", 1, 0x101, 64, len(PTX), 0, 7, 70) + PTX
FATBIN_OF_PTX = EMPTY_FATBIN[:8] + struct.pack("<Q", len(_TEXT)) + _TEXT


HUGE = (HEAD + ".visible .global .align 8 .b8 huge[200000000000];\n.visible .entry empty() { ret; }\n").encode()
"""Code with a variable larger than any card."""
SHARED = (
    HEAD + ".visible .global .attribute(.managed) .align 8 .b8 shared[4096];\n.visible .entry empty() { ret; }\n"
).encode()
"""PTX with a managed variable."""


REFUSED = (
    ("IMAGE_IS_CODE", "empty", b""),
    ("IMAGE_IS_CODE", "garbage", b"garbage"),
    ("IMAGE_IS_CODE", "an ELF file of another machine", b"\x7fELF\2\1\1" + bytes(4096)),
    ("IMAGE_IS_CODE", "a fatbin of no version", CONTAINER + bytes(64)),
    ("PTX_IS_VALID", "no target", b".version 7.0\n.visible .entry e() {ret;}\n"),
    ("PTX_IS_VALID", "a newer device", HEAD.replace("sm_70", "sm_999").encode()),
    ("PTX_IS_VALID", "a name twice", (HEAD + ".visible .entry e() {ret;}\n" * 2).encode()),
    ("PTX_IS_VALID", "a wrong instruction", (HEAD + ".entry k { frob.u32 %r1, %r2; }").encode()),
    ("PTX_IS_KNOWN", "", HEAD.replace("7.0", "99.0").encode()),
    ("BINARY_IS_THE_DEVICE_S", "", EMPTY_FATBIN),
)
"""By rule: case names, and images that break the rule."""
NO_FILES = {"FILE_IS_NAMED": b"", "FILE_IS_THERE": b"/nowhere/fakecuda.cubin", "FILE_IS_NO_FOLDER": b"/"}
"""Names of unreadable files, by the rules that they break."""


def no_room(entry: Entry, **args: Any) -> None:
    """Add the case of code whose variables have no room, which crashes a driver.

    Args:
        entry: The entry.
        args: The argument that is, or has, the code.
    """
    entry.breaks("VARIABLES_HAVE_ROOM", **args)
    entry.model_only("VARIABLES_HAVE_ROOM", code=Result.OUT_OF_MEMORY)


def module(a: Process, image: bytes = PTX) -> int:
    """Return a new module of the current context."""
    handle: int = a.ok.cuModuleLoadData(image)
    return handle


def enumerated(a: Process) -> int:
    """Return an enumerated function of a new module, which is not loaded."""
    first: int = a.ok.cuModuleEnumerateFunctions(1, module(a))[0]
    return first


def five(_w: World, _i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the list: the kernels of the image, then null."""
    (handles,) = results
    assert isinstance(handles, tuple)
    assert list(map(bool, handles)) == [True] * 5 + [False] * 4


def function(a: Process, name: bytes = b"empty", image: bytes = PTX) -> int:
    """Return a function of a new module."""
    handle: int = a.ok.cuModuleGetFunction(module(a, image), name)
    return handle


def launcher(a: Process, name: bytes = b"launcher") -> int:
    """Return a function that launches a graph."""
    return function(a, name, LAUNCHERS)


def unloaded(a: Process) -> int:
    """Return an unloaded module."""
    handle = module(a)
    a.ok.cuModuleUnload(handle)
    return handle


def without_module(a: Process) -> int:
    """Return a function of an unloaded module."""
    handle = module(a)
    found: int = a.ok.cuModuleGetFunction(handle, b"empty")
    a.ok.cuModuleUnload(handle)
    return found


def refuse_managed(entry: Entry, argument: str, given: Callable[[Process], Plain]) -> None:
    """Add the case of an image with a managed variable in a context of CUDA 3.1.

    Args:
        entry: The entry.
        argument: The argument's C name.
        given: Returns the argument.
    """

    @entry.undefined("IMAGE_SUITS_CUDA_3_1", "", argument, code=Result.NOT_SUPPORTED)
    def managed(w: World, i: Invocation) -> Invocation:
        a = w.process(context=False)
        a.ok.cuCtxCreate_v1(0, 0)
        return attrs.evolve(i, process=a, args={**i.args, argument: given(a)})


def elsewhere(a: Process) -> int:
    """Return a module of another context that is not current."""
    a.ok.cuCtxCreate(None, 0, a.device)
    handle = module(a)
    a.ok.cuCtxPopCurrent()
    return handle


def refuse_module(entry: Entry, argument: str = "hmod") -> None:
    """Add the cases of a call with an invalid or unloaded module.

    Args:
        entry: The entry.
        argument: The argument's C name.
    """
    entry.breaks("MODULE_IS_GIVEN", argument, **{argument: 0})
    entry.breaks("MODULE_IS_LOADED", argument, **{argument: lambda i: unloaded(i.process)})
    entry.undefined("MODULE_IS_KNOWN", argument, code=Result.INVALID_HANDLE, **{argument: GARBAGE})

    @entry.undefined("CONTEXT_OF_CODE_LIVES", "", argument, code=Result.CONTEXT_IS_DESTROYED)
    def destroyed(_w: World, i: Invocation) -> Invocation:
        a = i.process
        context = a.ok.cuCtxCreate(None, 0, a.device)
        handle = module(a)
        a.ok.cuCtxDestroy(context)
        return i.evolve(**{argument: handle})

    if not entry.answers:
        other: dict[str, Any] = {argument: lambda i: elsewhere(i.process)}
        entry.also("of another context", **other)


def refuse_function(entry: Entry, argument: str = "hfunc", given: str = "FUNCTION_IS_GIVEN") -> None:
    """Add the cases of a call with an invalid or unloaded function.

    Args:
        entry: The entry.
        argument: The argument's C name.
        given: The rule that null breaks.
    """
    entry.breaks(given, argument, **{argument: 0})
    entry.breaks("FUNCTION_IS_LOADED", argument, **{argument: lambda i: without_module(i.process)})
    entry.undefined("FUNCTION_IS_KNOWN", argument, code=Result.INVALID_HANDLE, **{argument: GARBAGE})

    @entry.undefined("CONTEXT_OF_CODE_LIVES", "", argument, code=Result.CONTEXT_IS_DESTROYED)
    def destroyed(_w: World, i: Invocation) -> Invocation:
        a = i.process
        context = a.ok.cuCtxCreate(None, 0, a.device)
        handle = function(a)
        a.ok.cuCtxDestroy(context)
        a.ok.cuCtxSetCurrent(a.context)
        return i.evolve(**{argument: handle})


def refuse_files(entry: Entry, argument: str) -> None:
    """Add the cases of a missing file, and of files with images of refuse_images().

    Args:
        entry: The entry.
        argument: The argument's C name.
    """
    entry.breaks("FILE_IS_NAMED", **{argument: None})
    for rule, path in NO_FILES.items():
        entry.breaks(rule, "" if path else "empty name", **{argument: path})
    for rule, case, image in REFUSED:
        entry.breaks(rule, case, **{argument: lambda i, image=image: i.process.file(image)})


def refuse_images(entry: Entry, argument: str = "image") -> None:
    """Add the cases of a call with an image that the device cannot load.

    Args:
        entry: The entry.
        argument: The argument's C name.
    """
    entry.breaks("IMAGE_IS_GIVEN", **{argument: None})
    for rule, case, image in REFUSED:
        entry.breaks(rule, case, **{argument: image})
    images: dict[str, Any] = {"no kernel": HEAD.encode(), "behind a comment": b"// a comment\n" + PTX}
    for name, image in images.items():
        given: dict[str, Any] = {argument: image}
        entry.also(name, **given)
