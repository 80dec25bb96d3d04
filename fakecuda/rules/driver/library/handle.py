"""Rules of calls with a CUlibrary or a CUkernel: the library is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.code.module import Kernel, Library
from fakecuda.model.os.process import NOT_INITIALIZED
from fakecuda.rules.core import Rule, guard, observed, undefined
from fakecuda.rules.driver.core.initialized import require_driver_callable, require_initialized
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

LIBRARY_IS_GIVEN = Rule(
    "the library is not null",
    Result.INVALID_HANDLE,
    observed("cuLibraryGetKernel", "the driver answers INVALID_HANDLE to a null argument"),
    fix="pass the handle that cuLibraryLoadData returned",
)
LIBRARY_IS_KNOWN = Rule(
    "the handle is a library of this process",
    Result.INVALID_HANDLE,
    undefined(
        "cuLibraryGetKernel",
        "the manual says nothing about any other value; driver 580 uses the value as a pointer (segmentation fault)",
    ),
    fix="pass the handle that cuLibraryLoadData returned in this process",
)
LIBRARY_IS_LOADED = Rule(
    "the library has not been unloaded",
    Result.INVALID_HANDLE,
    undefined(
        "cuLibraryUnload",
        "the manual says nothing about a later use; driver 580 reads freed memory, and may end the process",
    ),
    fix="call cuLibraryUnload after the last use of the library",
)
KERNEL_IS_GIVEN = Rule(
    "the kernel is not null",
    Result.INVALID_HANDLE,
    observed("cuKernelGetFunction", "the driver answers INVALID_HANDLE to a null argument"),
    fix="pass the handle that cuLibraryGetKernel returned",
)
KERNEL_IS_LOADED = Rule(
    "the kernel's library has not been unloaded",
    Result.INVALID_HANDLE,
    undefined(
        "cuLibraryUnload",
        "the manual says nothing about a later use of its kernels; driver 580 reads freed memory, and may end "
        "the process",
    ),
    fix="keep the library loaded while its kernels are in use",
)
KERNEL_IS_KNOWN = Rule(
    "the handle is a kernel of this process",
    Result.INVALID_HANDLE,
    undefined(
        "cuKernelGetFunction",
        "the manual says nothing about any other value; driver 580 uses the value as a pointer (segmentation fault)",
    ),
    fix="pass the handle that cuLibraryGetKernel returned in this process",
)


@guard
def library_of(call: Call, handle: int) -> Library:
    """Return the library of a handle."""
    require_driver_callable(call)
    if not handle:
        raise LIBRARY_IS_GIVEN.broken(library=handle)
    process = require_initialized(call)
    library = process.loaded.get(handle)
    if isinstance(library, Library):
        return library
    ended = process.freed.get(handle)
    if isinstance(ended, Library):
        call.undefined(LIBRARY_IS_LOADED, library=ended)
        raise LIBRARY_IS_LOADED.broken(library=ended)
    call.undefined(LIBRARY_IS_KNOWN, library=handle)
    raise LIBRARY_IS_KNOWN.broken(library=handle)


@guard
def known_kernel_of(call: Call, handle: int) -> Kernel | None:
    """Return the kernel of a handle. None if the handle is not a kernel."""
    process = call.process
    kernel = process.loaded.get(handle)
    if isinstance(kernel, Kernel):
        return kernel
    ended = process.freed.get(handle)
    if isinstance(ended, Kernel):
        call.undefined(KERNEL_IS_LOADED, kernel=ended)
        raise KERNEL_IS_LOADED.broken(kernel=ended)
    return None


@guard
def kernel_of(call: Call, handle: int) -> Kernel:
    """Return the kernel of a nonzero handle."""
    kernel = known_kernel_of(call, handle)
    if kernel is None:
        call.undefined(KERNEL_IS_KNOWN, kernel=handle)
        raise KERNEL_IS_KNOWN.broken(kernel=handle)
    return kernel


@guard
def given_kernel_of(call: Call, handle: int) -> Kernel:
    """Return the kernel of a handle, which the driver follows even before cuInit."""
    require_driver_callable(call)
    if not handle:
        raise KERNEL_IS_GIVEN.broken(kernel=handle)
    if call.process.state != NOT_INITIALIZED:
        require_initialized(call)
    return kernel_of(call, handle)
