"""Fixtures of linkers, and their common refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.module.fixtures import EMPTY_FATBIN, GARBAGE, REFUSED
from conformance.kit.kernels import HEAD, PTX
from fakecuda.model.code import cubin_writer
from fakecuda.model.code.code import Image
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.case import Entry
    from conformance.kit.world import Invocation, Process, World

CUBIN, TEXT, FATBINARY = 0, 1, 2
"""CU_JIT_INPUT_CUBIN, _PTX and _FATBINARY."""
NO_OPTIONS = (0, None, None)
INFO, ERRORS = 3, 5
"""Log buffer options; the following option of each is the size of the log."""
ROOM = 1024
"""The size of a log in bytes."""
CALLER = (
    HEAD
    + """.extern .func (.param .b32 r) other(.param .b32 a);
.extern .global .align 4 .u32 far;
.visible .entry caller() { .reg .u32 %r; .param .b32 a; .param .b32 r; st.param.b32 [a], 1; call (r), other, (a); ld.global.u32 %r, [far];
st.global.u32 [far], %r; ret; }
"""
).encode()
"""PTX that uses a function and a variable of other PTX."""
CALLED = (
    HEAD
    + """.visible .func (.param .b32 r) other(.param .b32 a) { .reg .u32 %a; ld.param.u32 %a, [a]; st.param.b32 [r], %a; ret; }
.visible .global .align 4 .u32 far = 7;
"""
).encode()
"""PTX with this function and variable."""
SILENT = (HEAD + ".visible .func other(.param .b32 a) { ret; }\n").encode()
"""PTX with a function of that name that returns nothing."""


DECLARED = [
    ("(.param .b32 r)", "()", "(.param .u32 r)", "()", 0),
    ("", "(.param .align 4 .b8 p[8])", "", "(.param .align 8 .b8 p[8])", 0),
    ("", "(.param .b64 p)", "", "(.param .b32 p)", 300),
    ("", "(.param .f32 p)", "", "(.param .b32 p)", 300),
    ("", "(.param .b32 p, .param .b32 q)", "", "(.param .b32 p)", 300),
    ("", "(.param .align 4 .b8 p[4])", "", "(.param .b32 p)", 300),
]
"""Results and parameters of a function that PTX calls, those of its definition, and the code of the driver."""


def caller_and_definition(results: str, params: str, defined: str, parameters: str) -> tuple[bytes, bytes]:
    """Return PTX that calls a function, and PTX that defines it."""
    own = " ".join(f"{one};" for one in f"{results[1:-1]},{params[1:-1]}".split(",") if one)
    into, given = "(r), " if results else "", ", ".join("pq"[: params.count(".param")])
    call = f"call {into}other{f', ({given})' if given else ''};"
    return (
        f"{HEAD}.extern .func {results} other{params};\n.visible .entry k() {{ {own} {call} ret; }}\n".encode(),
        f"{HEAD}.visible .func {defined} other{parameters} {{ ret; }}\n".encode(),
    )


CLASHING = {
    "FUNCTIONS_ARE_NOT_VARIABLES": (".visible .global .u32 v;", ".visible .func v() { ret; }"),
    "KERNELS_ARE_KERNELS": (".visible .entry f() { ret; }", ".weak .func f() { ret; }"),
    "VARIABLES_ARE_MANAGED_EVERYWHERE": (
        ".weak .global .u32 v;",
        ".weak .global .attribute(.managed) .u32 v;",
    ),
    "VARIABLES_HAVE_ONE_SIZE": (".weak .global .u32 v;", ".visible .global .u64 v;"),
    "WEAK_KERNELS_HAVE_ONE_SIZE": (
        ".weak .entry k(.param .u32 p) { ret; }",
        ".weak .entry k(.param .u64 p) { ret; }",
    ),
}
"""By the rule that the later one breaks, the declarations of two inputs."""
TOGETHER = {
    "weak kernels": (".weak .entry k() { ret; }", ".visible .entry k() { ret; }"),
    "private kernels": (".entry k() { ret; }", ".entry k() { ret; }"),
    "common variables of other sizes": (".common .global .u32 v;", ".common .global .u64 v;"),
    "an array without a size": (".extern .global .b8 v[];", ".visible .global .b8 v[8];"),
    "a private function": (".func v() { ret; }", ".visible .global .u32 v;"),
}
"""Declarations of two inputs that a linker takes together."""


def declaring(text: str) -> bytes:
    """Return PTX with some declarations, and its NUL."""
    return f"{HEAD}{text}\n".encode() + b"\0"


def linker(a: Process, *inputs: bytes, jit: dict[int, int] | None = None) -> int:
    """Return a new linker with PTX inputs, and JIT options by CUjit_option."""
    handle: int = a.ok.cuLinkCreate(*((len(jit), tuple(jit), tuple(jit.values())) if jit else NO_OPTIONS))
    for data in inputs:
        add(a, handle, data)
    return handle


def add(a: Process, handle: int, data: bytes = PTX) -> None:
    """Add PTX to a linker."""
    a.ok.cuLinkAddData(handle, TEXT, data + b"\0", len(data) + 1, None, *NO_OPTIONS)


def logged(a: Process, room: int = ROOM, kind: int = ERRORS) -> tuple[int, int]:
    """Return a new linker with a log of `room` bytes, and the empty log's address."""
    place = a.host_memory(ROOM)
    a.write(place, b"x" * room)
    handle = a.ok.cuLinkCreate(2, (kind, kind + 1), (place, room))
    assert a.read(place, room) == b"\0" + b"x" * (room - 1)
    return handle, place


def give(a: Process, handle: int, data: bytes, kind: int = TEXT, name: bytes = b"in") -> int:
    """Add an input with a name to a linker, and return the code."""
    code: int = a.c.cuLinkAddData(handle, kind, data, len(data), name, *NO_OPTIONS)[0]
    return code


def destroyed(a: Process) -> int:
    """Return a destroyed linker."""
    handle = linker(a)
    a.ok.cuLinkDestroy(handle)
    return handle


def complete(a: Process) -> int:
    """Return a linker with a completed image."""
    handle = linker(a, PTX)
    a.ok.cuLinkComplete(handle)
    return handle


def refuse_linker(entry: Entry) -> None:
    """Add the cases of a call with a destroyed linker, or without a context."""
    entry.without("not_initialized")
    entry.breaks("LINKER_IS_GIVEN", state=0)
    entry.undefined("LINKER_IS_KNOWN", code=Result.INVALID_HANDLE, state=GARBAGE)
    entry.undefined("LINKER_IS_LIVE", code=Result.INVALID_HANDLE, state=lambda i: destroyed(i.process))

    @entry.also("none is current")
    def without_context(_w: World, i: Invocation) -> None:
        i.process.ok.cuCtxPopCurrent()


def refuse_other_threads(entry: Entry) -> None:
    """Add the case of a call in another thread than the linker's."""
    entry.without("second_thread")

    @entry.undefined("LINKER_IS_THE_THREAD_S", code=Result.SUCCESS)
    def elsewhere(w: World, i: Invocation) -> Invocation:
        return i.on_thread(w.thread_name())


def failed(a: Process, kind: int = CUBIN, *inputs: bytes) -> int:
    """Return a linker with refused inputs that it remembers, by default no cubins."""
    handle = linker(a)
    for data in inputs or (PTX,):
        a.c.cuLinkAddData(handle, kind, data, len(data), None, *NO_OPTIONS)
    return handle


def incomplete(a: Process) -> int:
    """Return a linker after a failed completion, with an undefined symbol."""
    handle = linker(a, CALLER)
    a.c.cuLinkComplete(handle)
    return handle


STRANGER = b"\x7fELF\2\1\1" + bytes(4096)
"""An ELF file for no device."""
LINKED = cubin_writer.written(Image({}, {}), 90)
"""An empty cubin as linkers make them."""
CONSTANT = (HEAD + ".visible .const .align 4 .u32 far = 7;\n").encode()
"""PTX with a constant whose name other PTX uses as a variable."""
TAKEN = {"PTX for a fatbin": PTX, "a fatbin without code": EMPTY_FATBIN}
"""Bytes that are accepted as a fatbin."""
INPUTS = [
    ("INPUT_IS_CODE", "garbage", TEXT, b"garbage"),
    ("INPUT_IS_CODE", "empty", TEXT, b"\0"),
    ("INPUT_IS_CODE", "garbage for a fatbin", FATBINARY, b"garbage"),
    *(("INPUT_IS_VALID", case, TEXT, image) for rule, case, image in REFUSED if rule == "PTX_IS_VALID"),
    *(("INPUT_IS_NOT_TOO_NEW", case, TEXT, image) for rule, case, image in REFUSED if rule == "PTX_IS_KNOWN"),
    ("INPUT_IS_FOR_THE_TARGET", "", TEXT, EMPTY_FATBIN),
    ("INPUT_IS_CODE", "PTX for a cubin", CUBIN, PTX),
    ("INPUT_IS_CODE", "a cubin of another machine for PTX", TEXT, STRANGER),
    ("INPUT_IS_OF_A_DEVICE", "", CUBIN, STRANGER),
]
"""By rule: case names, and types and bytes of inputs that break the rule."""
