"""Linkers for cases, and what every call with one of them refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.module.fixtures import EMPTY_FATBIN, GARBAGE, REFUSED
from conformance.kit.kernels import HEAD, PTX
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.kit.case import Entry
    from conformance.kit.world import Invocation, Process, World

CUBIN, TEXT, FATBINARY = 0, 1, 2
"""CU_JIT_INPUT_CUBIN, _PTX and _FATBINARY."""
NO_OPTIONS = (0, None, None)
CALLER = (
    HEAD
    + """.extern .func (.param .b32 r) other(.param .b32 a);
.extern .global .align 4 .u32 far;
.visible .entry caller() { .reg .u32 %r; .param .b32 a; .param .b32 r; st.param.b32 [a], 1; call (r), other, (a); ld.global.u32 %r, [far];
st.global.u32 [far], %r; ret; }
"""
).encode()
"""PTX that uses a function and a variable of another."""
CALLED = (
    HEAD
    + """.visible .func (.param .b32 r) other(.param .b32 a) { .reg .u32 %a; ld.param.u32 %a, [a]; st.param.b32 [r], %a; ret; }
.visible .global .align 4 .u32 far = 7;
"""
).encode()
"""That other."""


def linker(a: Process, *inputs: bytes) -> int:
    """Return a new linker with inputs that are PTX."""
    handle: int = a.ok.cuLinkCreate(*NO_OPTIONS)
    for data in inputs:
        add(a, handle, data)
    return handle


def add(a: Process, handle: int, data: bytes = PTX) -> None:
    """Give a linker PTX."""
    a.ok.cuLinkAddData(handle, TEXT, data + b"\0", len(data) + 1, None, *NO_OPTIONS)


def destroyed(a: Process) -> int:
    """Return a linker that was destroyed."""
    handle = linker(a)
    a.ok.cuLinkDestroy(handle)
    return handle


def complete(a: Process) -> int:
    """Return a linker that has made its image."""
    handle = linker(a, PTX)
    a.ok.cuLinkComplete(handle)
    return handle


def refuse_linker(entry: Entry) -> None:
    """Add the cases of a call with a linker of which nothing is left."""
    entry.breaks("LINKER_IS_GIVEN", state=0)
    entry.undefined("LINKER_IS_KNOWN", code=Result.INVALID_HANDLE, state=GARBAGE)
    entry.undefined("LINKER_IS_LIVE", code=Result.INVALID_HANDLE, state=lambda i: destroyed(i.process))

    @entry.also("none is current")
    def without_context(_w: World, i: Invocation) -> None:
        i.process.ok.cuCtxPopCurrent()


def refuse_complete(entry: Entry) -> None:
    """Add the case of a call with a linker that has made its image."""
    entry.undefined("LINKER_IS_PENDING", code=Result.INVALID_VALUE, state=lambda i: complete(i.process))


INPUTS = [
    ("INPUT_IS_VALID", "garbage", TEXT, b"garbage"),
    ("INPUT_IS_VALID", "empty", TEXT, b"\0"),
    *(("INPUT_IS_VALID", case, TEXT, image) for rule, case, image in REFUSED if rule == "PTX_IS_VALID"),
    *(("INPUT_IS_NOT_TOO_NEW", case, TEXT, image) for rule, case, image in REFUSED if rule == "PTX_IS_KNOWN"),
    ("INPUT_IS_FOR_THE_TARGET", "", FATBINARY, EMPTY_FATBIN),
    ("INPUT_IS_CODE", "PTX for a cubin", CUBIN, PTX),
    ("INPUT_IS_CODE", "PTX for a fatbin", FATBINARY, PTX),
    ("INPUT_IS_CODE", "a cubin of another machine", CUBIN, b"\x7fELF\2\1\1" + bytes(4096)),
]
"""Rules, what their cases are called, and the type and the bytes of inputs that break them."""
