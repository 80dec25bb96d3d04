"""Fixtures of libraries and kernels, and their common refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.module.fixtures import GARBAGE
from conformance.cases.driver.module.test_module_load import TARGET, UNCOMPILED
from conformance.kit.kernels import PTX
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.case import Entry
    from conformance.kit.world import Process

NO_OPTIONS = (None, None, 0, None, None, 0)
ELSEWHERE = {TARGET: 75}
"""The JIT option for a device that the machine lacks."""


def library(a: Process, image: bytes = PTX, jit: dict[int, int] | None = None) -> int:
    """Return a new library, with JIT options by CUjit_option."""
    options = (tuple(jit), tuple(jit.values()), len(jit), None, None, 0) if jit else NO_OPTIONS
    handle: int = a.ok.cuLibraryLoadData(image, *options)
    return handle


def kernel(a: Process, name: bytes = b"empty", image: bytes = PTX, jit: dict[int, int] | None = None) -> int:
    """Return a kernel of a new library, with JIT options as of :func:`library`."""
    handle: int = a.ok.cuLibraryGetKernel(library(a, image, jit), name)
    return handle


def unloaded(a: Process) -> int:
    """Return an unloaded library."""
    handle = library(a)
    a.ok.cuLibraryUnload(handle)
    return handle


def without_library(a: Process) -> int:
    """Return a kernel of an unloaded library."""
    handle = library(a)
    found: int = a.ok.cuLibraryGetKernel(handle, b"empty")
    a.ok.cuLibraryUnload(handle)
    return found


def refuse_library(entry: Entry, argument: str = "library") -> None:
    """Add the cases of a call with an invalid or unloaded library."""
    entry.breaks("LIBRARY_IS_GIVEN", argument, **{argument: 0})
    entry.undefined("LIBRARY_IS_KNOWN", argument, code=Result.INVALID_HANDLE, **{argument: GARBAGE})
    entry.undefined(
        "LIBRARY_IS_LOADED", argument, code=Result.INVALID_HANDLE, **{argument: lambda i: unloaded(i.process)}
    )


def refuse_kernel(entry: Entry, argument: str = "kernel", given: str = "KERNEL_IS_GIVEN") -> None:
    """Add the cases of a call with an invalid or unloaded kernel.

    Args:
        entry: The entry.
        argument: The argument's C name.
        given: The rule that null breaks.
    """
    entry.breaks(given, argument, **{argument: 0})
    entry.without("not_initialized")  # to such a process the kernel is garbage, which the driver follows
    entry.undefined("KERNEL_IS_KNOWN", argument, code=Result.INVALID_HANDLE, **{argument: GARBAGE})
    entry.undefined(
        "KERNEL_IS_LOADED", argument, code=Result.INVALID_HANDLE, **{argument: lambda i: without_library(i.process)}
    )


def refuse_code(entry: Entry, argument: str = "library") -> None:
    """Add the cases of a call on a library whose code no device can load.

    Args:
        entry: The entry.
        argument: The argument's C name.
    """
    for rule, image in {
        "IMAGE_IS_CODE": b"garbage",
        "PTX_IS_VALID": b".version 7.0\n",
        "PTX_IS_KNOWN": b".version 99.0\n",
        "BINARY_IS_THE_DEVICE_S": (0xBA55ED50).to_bytes(4, "little") + b"\1\0\x10\0" + bytes(8),
    }.items():
        entry.breaks(rule, argument, **{argument: lambda i, image=image: library(i.process, image)})
    for rule, jit in UNCOMPILED.items():
        entry.breaks(rule, argument, **{argument: lambda i, jit=jit: library(i.process, jit=jit)})
