"""cuLinkComplete: link the inputs into one image.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.linker.fixtures import (
    CALLED,
    CALLER,
    CUBIN,
    FATBINARY,
    LINKED,
    STRANGER,
    TEXT,
    complete,
    declaring,
    failed,
    give,
    linker,
    logged,
    refuse_linker,
    refuse_other_threads,
)
from conformance.kit.case import Entry
from conformance.kit.kernels import PTX
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

BLOCK = 2 << 20
"""The allocation granularity of host memory."""
NEWEST = b".version 99.0\n.target sm_70\n.address_size 64\n"
"""PTX of a version that no driver supports."""


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuLinkComplete", state=linker(a, PTX))


entry = Entry("cuLinkComplete", valid)
refuse_linker(entry)
refuse_other_threads(entry)
entry.breaks("IMAGE_IS_TO_BE_MADE", state=lambda i: complete(i.process))
entry.breaks("LINKER_HAS_NOT_FAILED", state=lambda i: failed(i.process, TEXT, PTX, PTX))
entry.null("cubinOut", "IMAGE_HAS_A_PLACE")
entry.also(
    "after PTX for a cubin", rule="LINKER_HAS_NOT_FAILED", code=Result.INVALID_IMAGE, state=lambda i: failed(i.process)
)
entry.also(
    "after a cubin of another machine",
    rule="LINKER_HAS_NOT_FAILED",
    code=Result.UNKNOWN,
    state=lambda i: failed(i.process, CUBIN, STRANGER),
)
entry.also(
    "after linked code",
    rule="LINKER_HAS_NOT_FAILED",
    code=Result.NO_BINARY_FOR_GPU,
    state=lambda i: failed(i.process, CUBIN, LINKED, LINKED),
)
entry.model_only("after-linked-code", code=Result.NO_BINARY_FOR_GPU)
entry.also("after garbage", state=lambda i: failed(i.process, TEXT, b"garbage", PTX))
entry.null("sizeOut", None)
entry.also("no inputs", state=lambda i: linker(i.process))
entry.also("of two inputs", state=lambda i: linker(i.process, CALLER, CALLED))
entry.breaks("NAMES_ARE_THERE", state=lambda i: linker(i.process, CALLER))
entry.breaks(
    "CONSTANTS_HAVE_ROOM",
    state=lambda i: linker(i.process, *(declaring(f".visible .const .b8 {name}[40000];")[:-1] for name in "ab")),
)


@entry.world("NAMES_ARE_SEEN")
def after_newer_ptx(_w: World, i: Invocation) -> Invocation:
    assert i.process.c.cuModuleLoadData(NEWEST) == (Result.UNSUPPORTED_PTX_VERSION, None)
    return i.evolve(state=linker(i.process, CALLER))


@entry.also("of a thread that counts kernels of newer PTX", rule="NAMES_ARE_SEEN")
def after_a_library(_w: World, i: Invocation) -> Invocation:
    made = i.process.ok.cuLibraryLoadData(NEWEST, None, None, 0, None, None, 0)
    assert i.process.ok.cuLibraryGetKernelCount(made) == 0
    return i.evolve(state=linker(i.process, CALLER))


@entry.world("IMAGE_HAS_ROOM")
def full(_w: World, i: Invocation) -> None:
    """Page-lock all host memory."""
    size = 1 << 45
    while size >= BLOCK:
        code, _ = i.process.c.cuMemAllocHost(size)
        size >>= int(bool(code))


entry.model_only("IMAGE_HAS_ROOM", code=Result.OUT_OF_MEMORY)


@entry.also("a log of names that are missing")
def log_of_names(_w: World, i: Invocation) -> None:
    """Check that each refused input and undefined symbol has a line in the log."""
    a = i.process
    handle, log = logged(a)
    assert [give(a, handle, *given) for given in ((b"no", FATBINARY), (CALLER,))] == [Result.INVALID_IMAGE, 0]
    assert a.c.cuLinkComplete(handle)[0] == Result.INVALID_SOURCE
    lines = [
        *["error   : Binary format for key='0', ident='' is not recognized"] * 2,
        *(f"error   : Undefined reference to '{name}' in 'in'" for name in ("other", "far")),
    ]
    text = "\n".join(lines).encode() + b"\0"
    assert a.read(log, len(text)) == text


test_link_complete = entry.test()
