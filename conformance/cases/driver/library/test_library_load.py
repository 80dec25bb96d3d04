"""cuLibraryLoadData: load an image as a library.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.library.fixtures import NO_OPTIONS
from conformance.cases.driver.module.fixtures import FATBIN_OF_PTX, NO_FILES, SHARED, refuse_managed
from conformance.cases.driver.module.test_module_load import DEBUG, LEVEL, MAX_REGISTERS
from conformance.cases.driver.module.test_module_load import optioned as of_the_compiler
from conformance.kit.case import Entry
from conformance.kit.kernels import PTX
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


CUT = (
    b"\x7fELF\2\1\1"
    + bytes(9)
    + b"\2\0\xbe\0\1"
    + bytes(19)
    + b"\x40"
    + bytes(7)
    + bytes.fromhex("5a055a00 4000 3800 0000 4000 0400 0100")
    + bytes(400)
)
"""The header of a cubin whose four sections are cut off."""
BARE = b"\x7fELF\2\1\1" + bytes(9) + b"\2\0\xbe\0" + bytes(200)
"""The header of a cubin without sections."""
NAMES = (
    "jitOptions",
    "jitOptionsValues",
    "numJitOptions",
    "libraryOptions",
    "libraryOptionValues",
    "numLibraryOptions",
)
WITHOUT: dict[str, Any] = dict(zip(NAMES, NO_OPTIONS, strict=True))


TABLE, PRESERVED = 0, 1
"""CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE and CU_LIBRARY_BINARY_IS_PRESERVED."""
UNKNOWN: dict[str, Any] = {"numJitOptions": 1, "jitOptions": (99,), "jitOptionsValues": (0,)}
NO_REGISTERS: dict[str, Any] = {**UNKNOWN, "jitOptions": (MAX_REGISTERS,)}


def optioned(entry: Entry) -> None:
    """Add the cases of refused options."""
    of_the_compiler(entry, "jitOptions", "jitOptionsValues", "numJitOptions")
    entry.breaks("LIBRARY_OPTIONS_ARE_KNOWN", numLibraryOptions=1, libraryOptions=(2,), libraryOptionValues=(1,))
    for rule, told in (("LIBRARY_OPTIONS_ARE_GIVEN", None), ("TABLE_IS_GIVEN", (TABLE,))):
        entry.undefined(
            rule, code=Result.INVALID_VALUE, numLibraryOptions=1, libraryOptions=told, libraryOptionValues=None
        )

    @entry.world("TABLE_IS_OF_THE_CODE")
    def table(_w: World, i: Invocation) -> Invocation:
        given = (i.process.host_memory(4096),)
        return i.evolve(numLibraryOptions=1, libraryOptions=(TABLE,), libraryOptionValues=given)


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuLibraryLoadData", code=PTX, **WITHOUT)


def answers(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the library's kernels are found, and that it can be unloaded."""
    a, (library,) = i.process, results
    a.ok.cuLibraryGetKernel(library, b"empty")
    a.ok.cuLibraryUnload(library)


entry = Entry("cuLibraryLoadData", valid, answers)
entry.null("library", "RESULT_IS_GIVEN")
entry.breaks("IMAGE_IS_GIVEN", code=None)
entry.breaks("IMAGE_IS_CODE", "cut off", code=CUT)


entry.also("that stays where it is", numLibraryOptions=1, libraryOptions=(PRESERVED,), libraryOptionValues=(0,))


@entry.also("a cubin without sections")
def bare(_w: World, i: Invocation) -> Invocation:
    return i.evolve(code=BARE)


optioned(entry)
refuse_managed(entry, "code", lambda _: SHARED)


@entry.undefined("PTX_STANDS_ALONE", code=Result.SUCCESS)
def packed(_w: World, i: Invocation) -> Invocation:
    return i.evolve(code=FATBIN_OF_PTX, numJitOptions=2, jitOptions=(DEBUG, LEVEL), jitOptionsValues=(1, 2))


@entry.also("garbage, which nobody looks at")
def garbage(_w: World, i: Invocation) -> Invocation:
    return i.evolve(code=b"garbage")


test_library_load_data = entry.test()


def from_file(w: World) -> Invocation:
    a = w.process(context=False)
    return a.call("cuLibraryLoadFromFile", fileName=a.file(PTX), **WITHOUT)


file_entry = Entry("cuLibraryLoadFromFile", from_file, answers)
file_entry.null("library", "RESULT_IS_GIVEN")
file_entry.breaks("FILE_IS_NAMED", fileName=None)
for rule, path in NO_FILES.items():
    file_entry.breaks(rule, "" if path else "empty name", fileName=path)
file_entry.breaks("IMAGE_IS_CODE", "cut off", fileName=lambda i: i.process.file(CUT))
optioned(file_entry)
refuse_managed(file_entry, "fileName", lambda a: a.file(SHARED))
file_entry.undefined(
    "PTX_STANDS_ALONE",
    code=Result.SUCCESS,
    fileName=lambda i: i.process.file(FATBIN_OF_PTX),
    numJitOptions=2,
    jitOptions=(DEBUG, LEVEL),
    jitOptionsValues=(1, 2),
)
file_entry.also("garbage, which nobody looks at", fileName=lambda i: i.process.file(b"garbage"))
file_entry.breaks("IMAGE_IS_CODE", "an empty file", fileName=lambda i: i.process.file(b""))
file_entry.breaks("FILES_ARE_NOT_PRESERVED", numLibraryOptions=1, libraryOptions=(PRESERVED,), libraryOptionValues=(0,))
file_entry.also("no file and unknown options", rule="OPTIONS_ARE_KNOWN", fileName=b"/nowhere", **UNKNOWN)
file_entry.also(
    "a file that is kept, before an unknown option",
    rule="FILES_ARE_NOT_PRESERVED",
    numLibraryOptions=2,
    libraryOptions=(PRESERVED, 99),
    libraryOptionValues=(1, 1),
)
file_entry.also("no file and no registers", rule="FILE_IS_THERE", fileName=b"/nowhere/fakecuda.cubin", **NO_REGISTERS)
test_library_load_from_file = file_entry.test()
