"""Managed variables and unified functions of a library.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.library.fixtures import library, refuse_code, refuse_library
from conformance.cases.driver.module.fixtures import SHARED, no_room
from conformance.kit.case import Entry
from conformance.kit.kernels import HEAD, PTX
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, Process, World

LARGE = HEAD.encode() + b".visible .global .align 8 .b8 huge[200000000000];\n" + SHARED[len(HEAD) :]
"""The library code with a device variable larger than any card."""
TOO_LARGE = SHARED.replace(b"[4096]", b"[4096000000000000]")
"""The library code with a managed variable larger than any host."""


def loaded(a: Process, image: bytes = SHARED) -> int:
    """Return a new library that the current context has loaded."""
    handle = library(a, image)
    a.ok.cuLibraryGetModule(handle)
    return handle


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuLibraryGetManaged", library=loaded(a), name=b"shared")


def function(w: World) -> Invocation:
    a = w.process()
    return a.call("cuLibraryGetUnifiedFunction", library=library(a), symbol=b"empty")


entry = Entry("cuLibraryGetManaged", valid)
entry.null("dptr bytes", "RESULT_IS_GIVEN")
entry.null("dptr", None)
entry.null("bytes", None)
refuse_library(entry)
refuse_code(entry)
entry.breaks("NAME_IS_GIVEN", name=None)
entry.breaks("NAME_IS_GIVEN", "empty", name=b"")
entry.breaks("MANAGED_VARIABLE_IS_THERE", name=b"none")
entry.breaks("MANAGED_VARIABLE_IS_THERE", "a kernel", name=b"empty")
entry.breaks(
    "MANAGED_VARIABLE_IS_THERE",
    "a variable of one device",
    library=lambda i: loaded(i.process, PTX),
    name=b"counter",
)
entry.also("no context has loaded it", library=lambda i: library(i.process, SHARED))


@entry.also("in another context")
def elsewhere(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, i.process.device)


entry.also("a variable of each device has no room", library=lambda i: library(i.process, LARGE))


@entry.also("without a context")
def nowhere(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxDestroy(i.process.context)


no_room(entry, library=lambda i: library(i.process, TOO_LARGE))
test_library_get_managed = entry.test()

unified = Entry("cuLibraryGetUnifiedFunction", function, answers=Result.INVALID_VALUE)
unified.null("fptr", "RESULT_IS_GIVEN")
refuse_library(unified)
unified.breaks("NAME_IS_GIVEN", symbol=None)
unified.breaks("FUNCTION_IS_UNIFIED", symbol=b"none")
unified.breaks("FUNCTION_IS_UNIFIED", "a variable", symbol=b"counter")
unified.also(
    "of garbage",
    code=Result.INVALID_VALUE,
    library=lambda i: library(i.process, b"garbage"),
    rule="FUNCTION_IS_UNIFIED",
)
test_library_get_unified_function = unified.test()
