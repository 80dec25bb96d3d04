"""Libraries and kernels in the runtime API.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__LIBRARY.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from conformance.cases.driver.library.fixtures import NO_OPTIONS
from conformance.cases.driver.module.fixtures import GARBAGE, NO_FILES, SHARED
from conformance.cases.runtime.fixtures_of_programs import KERNELS_OF_PARTS, LACKED, NOTHING, WHOLE
from conformance.kit.case import Entry, suite
from conformance.kit.kernels import NEWER, PTX
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

DYNAMIC, CARVEOUT, CLUSTER_MUST_BE_SET, WIDTH, WIDE, POLICY, NEXT = 8, 9, 10, 11, 14, 15, 16
"""cudaFuncAttribute."""
MISSING = 99


def of_linked_code(one: Entry, argument: str, otherwise: str = "") -> None:
    """Add the cases of kernels of linked code without code for the device."""
    for rule, func in KERNELS_OF_PARTS.items():
        given: dict[str, Any] = {argument: func}
        if rule:
            one.breaks(rule, **given)
        else:
            one.also("of linked code", rule=otherwise, **given)
    whole: dict[str, Any] = {argument: WHOLE}
    one.also("of linked code for the device", rule=otherwise, **whole)


def library(a: Process, image: bytes = PTX) -> int:
    """Return a new library."""
    made: int = a.ok.cudaLibraryLoadData(image, *NO_OPTIONS)
    return made


def kernel(a: Process, name: bytes = b"empty", image: bytes = PTX) -> int:
    """Return a kernel of a new library."""
    made: int = a.ok.cudaLibraryGetKernel(library(a, image), name)
    return made


def loaded(a: Process) -> int:
    """Return a new library with a managed variable, loaded in a context."""
    made = library(a, SHARED)
    a.ok.cudaLibraryGetGlobal(made, b"shared")
    return made


def unloaded(a: Process) -> int:
    """Return an unloaded library."""
    gone = library(a)
    a.ok.cudaLibraryUnload(gone)
    return gone


def without_library(a: Process) -> int:
    """Return a kernel of an unloaded library."""
    of = library(a)
    gone: int = a.ok.cudaLibraryGetKernel(of, b"empty")
    a.ok.cudaLibraryUnload(of)
    return gone


def refuse_library(one: Entry, argument: str) -> None:
    """Add the cases of an unloaded library."""
    one.breaks("LIBRARY_IS_GIVEN", **{argument: 0})
    one.undefined("LIBRARY_IS_KNOWN", code=Result.INVALID_HANDLE, **{argument: GARBAGE})
    one.undefined("LIBRARY_IS_LOADED", code=Result.INVALID_HANDLE, **{argument: lambda i: unloaded(i.process)})


def refuse_kernel(one: Entry, argument: str = "func") -> None:
    """Add the cases of an invalid or unloaded kernel."""
    one.breaks("KERNEL_IS_GIVEN" if argument == "kernel" else "runtime.library.FUNCTION_IS_GIVEN", **{argument: 0})
    one.undefined("KERNEL_IS_KNOWN", code=Result.INVALID_HANDLE, **{argument: GARBAGE})
    one.undefined("KERNEL_IS_LOADED", code=Result.INVALID_HANDLE, **{argument: lambda i: without_library(i.process)})


def answers(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the library's kernels are found, and that it unloads."""
    i.process.ok.cudaLibraryGetKernel(results[0], b"empty")
    i.process.ok.cudaLibraryUnload(results[0])


def attributes(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Query the function's attributes."""
    i.process.c.cudaFuncGetAttributes(i.args["func"])


def current(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Query the current context, which the call may have set."""
    i.c.cuCtxGetCurrent()


loads = Entry.of("cudaLibraryLoadData", lambda _: (PTX, *NO_OPTIONS), then=answers)
unloads = Entry.of("cudaLibraryUnload", lambda a: (library(a),))
gets_kernel = Entry.of("cudaLibraryGetKernel", lambda a: (library(a), b"empty"))
counts = Entry.of("cudaLibraryGetKernelCount", lambda a: (library(a),))
lists = Entry.of("cudaLibraryEnumerateKernels", lambda a: (2, library(a)))
gets_global = Entry.of("cudaLibraryGetGlobal", lambda a: (library(a), b"counter"))
loads_file = Entry.of("cudaLibraryLoadFromFile", lambda a: (a.file(PTX), *NO_OPTIONS), then=answers)
gets_managed = Entry.of("cudaLibraryGetManaged", lambda a: (loaded(a), b"shared"))
gets_unified = Entry.of("cudaLibraryGetUnifiedFunction", lambda a: (library(a), b"empty"), answers=Result.INVALID_VALUE)
tells = Entry.of("cudaFuncGetAttributes", lambda a: (kernel(a, b"fixed"),))
sets = Entry.of("cudaFuncSetAttribute", lambda a: (kernel(a), DYNAMIC, 60000), then=attributes)
caches = Entry.of("cudaFuncSetCacheConfig", lambda a: (kernel(a), 1))
banks = Entry.of("cudaFuncSetSharedMemConfig", lambda a: (kernel(a), 1))
sets_of_device = Entry.of("cudaKernelSetAttributeForDevice", lambda a: (kernel(a), DYNAMIC, 60000, 0))
active = Entry.of("cudaOccupancyMaxActiveBlocksPerMultiprocessor", lambda a: (kernel(a), 96, 0))
flagged = Entry.of("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", lambda a: (kernel(a), 96, 0, 0))
available = Entry.of("cudaOccupancyAvailableDynamicSMemPerBlock", lambda a: (kernel(a), 2, 96))
OF_LIBRARIES = (loads, loads_file, unloads, gets_kernel, counts, lists, gets_global, gets_managed, gets_unified)
OF_KERNELS = (tells, sets, caches, banks, sets_of_device, active, flagged, available)

for one in (*OF_LIBRARIES[:-1], *OF_KERNELS):
    one.also("in a thread without a context", then=current)(lambda w, i: i.on_thread(w.thread_name()))

loads.null("library", "RESULT_IS_GIVEN")
loads.breaks("IMAGE_IS_GIVEN", code=None)
loads.breaks("OPTIONS_ARE_GIVEN", numJitOptions=1)
loads.breaks("LIBRARY_OPTIONS_ARE_KNOWN", numLibraryOptions=1, libraryOptions=(2,), libraryOptionValues=(1,))
loads.also("garbage, which nobody looks at")(lambda _w, i: i.evolve(code=b"garbage"))
loads_file.null("library", "RESULT_IS_GIVEN")
loads_file.breaks("FILE_IS_NAMED", fileName=None)
for rule, path in NO_FILES.items():
    loads_file.breaks(rule, "" if path else "empty name", fileName=path)
loads_file.breaks("OPTIONS_ARE_GIVEN", numJitOptions=1)
loads_file.breaks("LIBRARY_OPTIONS_ARE_KNOWN", numLibraryOptions=1, libraryOptions=(2,), libraryOptionValues=(1,))
loads_file.breaks("IMAGE_IS_CODE", fileName=lambda i: i.process.file(b""))
for one, argument in (
    *(
        (gets_managed, "library"),
        (gets_unified, "library"),
        (unloads, "library"),
        (gets_kernel, "library"),
        (gets_global, "library"),
    ),
    *((counts, "lib"), (lists, "lib")),
):
    refuse_library(one, argument)
gets_kernel.null("pKernel", "RESULT_IS_GIVEN")
gets_kernel.breaks("NAME_IS_GIVEN", name=None)
gets_kernel.breaks("KERNEL_IS_IN_THE_LIBRARY", name=b"none")
for rule, image in {
    "IMAGE_IS_CODE": b"garbage",
    "PTX_IS_VALID": b".version 7.0\n",
    "PTX_IS_KNOWN": b".version 99.0\n",
}.items():
    for one in (gets_kernel, gets_global):
        one.breaks(rule, library=lambda i, image=image: library(i.process, image))
counts.null("count", "RESULT_IS_GIVEN")
counts.also("of an image that no device can load", lib=lambda i: library(i.process, b"garbage"))
lists.null("kernels", "RESULT_IS_GIVEN")
lists.also("none", numKernels=0)
lists.also("more than there are", numKernels=9)
for one, argument, result in ((gets_managed, "name", "dptr bytes"), (gets_unified, "symbol", "fptr")):
    one.breaks("NAME_IS_GIVEN", **{argument: None})
    one.null(result, "RESULT_IS_GIVEN")
gets_managed.breaks("MANAGED_VARIABLE_IS_THERE", name=b"none")
gets_managed.null("dptr", None)
gets_managed.null("bytes", None)
gets_global.breaks("NAME_IS_GIVEN", name=None)
gets_global.breaks("VARIABLE_IS_IN_THE_MODULE", name=b"none")
gets_global.null("dptr bytes", "RESULT_IS_GIVEN")
gets_global.null("dptr", None)
gets_global.null("bytes", None)

for one in OF_KERNELS:
    refuse_kernel(one, "kernel" if one is sets_of_device else "func")
    if one is not sets_of_device:
        one.breaks("HOST_FUNCTION_IS_REGISTERED", func=lambda i: i.process.host_memory(8))
        one.breaks("KERNEL_IS_COMPILED", func=LACKED)
        of_linked_code(one, "func")
tells.null("attr", "RESULTS_ARE_GIVEN")


@tells.also("of a function that has more memory than its kernel")
def set_before(_w: World, i: Invocation) -> None:
    a = i.process
    a.ok.cudaFuncSetAttribute(i.args["func"], DYNAMIC, 50000)
    a.ok.cudaKernelSetAttributeForDevice(i.args["func"], DYNAMIC, 40000, 0)


@tells.also("of a kernel that has more memory")
def set_of_kernel(_w: World, i: Invocation) -> None:
    i.process.ok.cudaKernelSetAttributeForDevice(i.args["func"], DYNAMIC, 40000, 0)


tells.also("with clusters", func=lambda i: kernel(i.process, b"clustered", NEWER))
for one, argument in ((sets, "func"), (sets_of_device, "kernel")):
    for number in (0, NEXT, MISSING, -1):
        one.breaks("runtime.library.ATTRIBUTE_IS_KNOWN", f"{number}", attr=number)
    one.breaks("ATTRIBUTE_CAN_BE_SET", attr=CLUSTER_MUST_BE_SET)
    one.breaks("SHARED_MEMORY_FITS", value=1 << 20)
    one.breaks("SHARED_MEMORY_FITS", "negative", value=-1)
    for number, wrong in ((CARVEOUT, 101), (WIDTH, -1), (POLICY, 9)):
        one.breaks("VALUE_IS_IN_RANGE", f"{number}", attr=number, value=wrong)
    one.breaks("CLUSTER_IS_OPEN", attr=WIDTH, value=7, **{argument: lambda i: kernel(i.process, b"clustered", NEWER)})
    one.also("a carve-out", attr=CARVEOUT, value=50)
    one.also("wide clusters", attr=WIDE, value=1)
caches.breaks("CACHE_IS_KNOWN", cacheConfig=4)
banks.breaks("CONFIG_IS_KNOWN", config=3)
sets_of_device.breaks("DEVICE_IS_VALID", device=MISSING)
for one in (active, flagged):
    one.null("numBlocks", "RESULT_IS_GIVEN")
    one.breaks("BLOCK_IS_POSITIVE", blockSize=0)
    one.also("with much memory", dynamicSMemSize=8192)
    one.also("with more memory than it can have", dynamicSMemSize=49153)
flagged.breaks("OCCUPANCY_FLAGS_ARE_KNOWN", flags=2)
flagged.also("flags before an address", rule="OCCUPANCY_FLAGS_ARE_KNOWN", flags=2, func=NOTHING)
flagged.also("the image before flags", rule="KERNEL_IS_COMPILED", flags=2, func=LACKED)
flagged.also("without a hint", flags=1)
available.undefined("ROOM_IS_GIVEN", code=1)(lambda _w, i: attrs.evolve(i, null="dynamicSmemSize"))
available.breaks("BLOCK_IS_POSITIVE", blockSize=0)
available.breaks("BLOCKS_FIT", numBlocks=0)
available.breaks("BLOCKS_FIT", "too many", numBlocks=99)
available.breaks("BLOCKS_FIT", "negative", numBlocks=-1)
available.also("a block before an address", rule="BLOCKS_FIT", numBlocks=-1, func=NOTHING)


@active.also("the result before an address", rule="RESULT_IS_GIVEN")
def unwritten(_w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i.evolve(func=NOTHING), null="numBlocks")


@active.also("of a function that prefers a carve-out")
def carved(_w: World, i: Invocation) -> Invocation:
    i.process.ok.cudaFuncSetAttribute(i.args["func"], CARVEOUT, 0)
    return i.evolve(dynamicSMemSize=8192)


@active.also("of a function that may have more memory")
def enlarged(_w: World, i: Invocation) -> Invocation:
    i.process.ok.cudaFuncSetAttribute(i.args["func"], DYNAMIC, 60000)
    return i.evolve(dynamicSMemSize=60000)


test_library = suite(*OF_LIBRARIES, *OF_KERNELS)
