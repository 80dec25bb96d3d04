"""cuLibraryGetKernel, cuLibraryGetKernelCount, cuLibraryEnumerateKernels: the kernels of a library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.code import module_effects
from fakecuda.model.code.code import Refused
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_callable
from fakecuda.rules.driver.library.handle import library_of
from fakecuda.rules.driver.library.module import image_of
from fakecuda.rules.driver.module.handle import named
from fakecuda.rules.driver.module.image import read
from fakecuda.rules.driver.module.module_load import DEBUG, SIZE, is_compiled, target_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.code.code import Entry
    from fakecuda.model.code.module import Library

ROOM = 1 << 20
"""The maximum number of written array entries."""

KERNEL_IS_IN_THE_LIBRARY = Rule(
    "the library has a kernel with the name that is passed",
    Result.NOT_FOUND,
    manual("cuLibraryGetKernel", "If kernel handle is not found, the call returns CUDA_ERROR_NOT_FOUND"),
    fix='pass the name that the kernel has in the image: declare it extern "C", or pass the mangled name',
)


def entries_of(call: Call, library: Library) -> list[Entry]:
    """Return a library's kernels; empty if the image cannot be loaded.

    The last one comes first, unless the library was compiled with CU_JIT_GENERATE_DEBUG_INFO.
    """
    if not is_compiled(library.jit):
        return []
    try:
        image = read(call, library.data, call.process.devices[0], target_of(library.jit))
        return list(image.entries.values())[:: 1 if library.jit.get(DEBUG, 0) & SIZE else -1]
    except Refused:
        return []


@DRIVER.op("cuLibraryGetKernel")
def library_get_kernel(call: Call, handle: int, name: bytes | None) -> int:
    """Return a kernel of a library by its name. Equal calls return the same handle. No current context is needed."""
    # CHECK
    require_driver_callable(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    wanted = named(name, empty=True)
    library = library_of(call, handle)
    entries = image_of(call, library).entries
    if wanted not in entries:
        raise KERNEL_IS_IN_THE_LIBRARY.broken(name=wanted, library=library, known=list(entries))
    # EFFECT
    return module_effects.kernel_of(library, entries[wanted]).handle


@DRIVER.op("cuLibraryGetKernelCount")
def library_get_kernel_count(call: Call, handle: int) -> int:
    """Return the number of kernels of a library. The number of kernels is 0 if the device cannot load the image."""
    # CHECK
    require_driver_callable(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    library = library_of(call, handle)
    # EFFECT
    return len(entries_of(call, library))


@DRIVER.op("cuLibraryEnumerateKernels")
def library_enumerate_kernels(call: Call, count: int, handle: int) -> tuple[int, ...]:
    """Return ``count`` kernels of a library, the last kernel of an image without debug information first. Missing kernels are 0."""
    # CHECK
    require_driver_callable(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    library = library_of(call, handle)
    # EFFECT
    found = module_effects.kernels_of(library, entries_of(call, library)[:count])
    return (*found, *[0] * (min(count, ROOM) - len(found)))
