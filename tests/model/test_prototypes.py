"""Names that the inputs of a linker have alike or otherwise, and parameters of functions.

The recordings have what an H200 answered: ``questions/linking_otherwise``.
"""

from __future__ import annotations

import ctypes
from itertools import count

import pytest

from conformance.kit.kernels import HEAD
from fakecuda import Machine, Process
from fakecuda.machine import refusals
from fakecuda.model.code import cubin
from fakecuda.model.code.code import FUNCTION, OWN, Names, Symbol
from fakecuda.model.code.image import TEXT
from fakecuda.spec.codes import Result

ERRORS, SIZE, ROOM = 5, 6, 1024
"""CU_JIT_ERROR_LOG_BUFFER and its size."""
NUMBERS = count()
"""The numbers of kernels."""


def declared(types: str, letter: str) -> list[str]:
    """Return the declarations of results or parameters, as ``b32,8@4``."""
    made = []
    for number, one in enumerate(types.split(",") if types else ()):
        size, array, align = one.partition("@")
        made.append(
            f".param .align {align} .b8 {letter}{number}[{size}]" if array else f".param .{one} {letter}{number}"
        )
    return made


def part(how: str, name: str, types: str) -> str:
    """Return PTX that declares, calls or defines a function."""
    results, _, params = types.removesuffix(")").partition("(")
    gives, takes = declared(results, "r"), declared(params, "p")
    head = f".func {f'({gives[0]}) ' if gives else ''}{name}({', '.join(takes)})"
    if how == "declares":
        return f".extern {head};\n"
    if how != "calls":
        return f"{how.removeprefix('private')} {head} {{ ret; }}\n"
    own = "".join(f"{one}; " for one in gives + takes)
    into, given = "(r0), " if gives else "", ", ".join(f"p{number}" for number in range(len(takes)))
    call = f"call {into}{name}{f', ({given})' if given else ''};"
    return f".extern {head};\n.visible .entry k{next(NUMBERS)}() {{ {own}{call} ret; }}\n"


def text(parts: str) -> bytes:
    """Return PTX of parts as ``calls f b64(b32); .visible g (b32)``."""
    return (HEAD + "".join(part(*one.split()) for one in parts.split("; "))).encode()


@pytest.fixture
def process() -> Process:
    """A process with a context."""
    made = Machine("h200", strict=False).spawn("a")
    made.c.cuInit(0)
    made.c.cuCtxCreate(None, 0, 0)
    return made


def linked(process: Process, inputs: list[bytes]) -> tuple[list[int], str]:
    """Link inputs; return the code of each call after cuLinkCreate, and the log."""
    log = process.host_memory(ROOM)
    state = process.c.cuLinkCreate(2, (ERRORS, SIZE), (log, ROOM))[1]
    codes: list[int] = []
    for number, one in enumerate(inputs):
        codes += process.c.cuLinkAddData(state, TEXT, one, len(one), f"in{number}".encode(), 0, None, None)
    codes += [process.c.cuLinkComplete(state)[0], *process.c.cuLinkDestroy(state)]
    return codes, ctypes.string_at(log).decode()


@pytest.mark.parametrize(
    ("inputs", "first"),
    [
        ("ev8; dv8", ""),
        ("ev[]; dv4; ev8", "in0"),
        ("ev[]; ev4; ev8; dv4", ""),
        ("cv4; cv8; dv8", ""),
        ("cv4; cv8; dv4", "in1"),
        ("cv8; cv4; dv8", ""),
    ],
)
def test_the_size_of_a_variable(process: Process, inputs: str, first: str) -> None:
    """Which size the next input must have, as nvlink of CUDA 13.0 says of these inputs."""
    sizes = {"[]": ".b8 v[]", "4": ".u32 v", "8": ".u64 v"}
    how = {"e": ".extern", "d": ".visible", "c": ".common"}
    texts = [(HEAD + f"{how[one[0]]} .global {sizes[one[2:]]};\n").encode() for one in inputs.split("; ")]
    codes, log = linked(process, texts)
    last = len(texts) - 1
    assert codes[last] == (Result.INVALID_SOURCE if first else 0)
    assert log == (f"error   : Size doesn't match for 'v' in 'in{last}', first specified in '{first}'" if first else "")


@pytest.mark.parametrize(
    ("first", "second", "lines"),
    [
        (".entry f() { ret; }", ".visible .func f() { ret; }", ["K"]),
        (".func f() { ret; }", ".visible .func f() { ret; }", []),
        (".visible .func f() { ret; }", ".func f() { ret; } .visible .func g() { ret; }", []),
        (".visible .global .u32 f;", ".visible .entry f() { ret; }", ["K", "S", "M"]),
        (".visible .const .u32 f;", ".visible .global .attribute(.managed) .u64 f;", ["S", "A", "Z", "M"]),
        (".extern .shared .b8 f[];", ".weak .global .u32 f;", ["S"]),
        (".extern .shared .b8 f[];", ".visible .global .u32 f;", ["S", "M"]),
        (".extern .shared .b8 f[];", ".visible .shared .u32 f;", []),
    ],
)
def test_several_lines_on_a_name(process: Process, first: str, second: str, lines: list[str]) -> None:
    """The lines of nvlink of CUDA 13.0, in its order."""
    texts = {
        "K": "error   : Function 'f' not declared __global__ in all source files",
        "S": "error   : Memory space doesn't match for 'f' in 'in1', first specified in 'in0'",
        "A": "error   : Managed attribute doesn't match for 'f' in 'in1', first specified in 'in0'",
        "Z": "error   : Size doesn't match for 'f' in 'in1', first specified in 'in0'",
        "M": "error   : Multiple definition of 'f' in 'in1', first defined in 'in0'",
    }
    codes, log = linked(process, [(HEAD + one).encode() for one in (first, second)])
    assert codes[1] == (Result.INVALID_SOURCE if lines else 0)
    assert log == "\n".join(texts[one] for one in lines)


REFUSED = """
.visible .func f(.param .v2 .b32 p) { ret; }
.visible .func f(.param .f16x2 p) { ret; }
.visible .func f(.reg .b32 p[2]) { ret; }
.visible .func f(.param .b64 .ptr .global .align 8 p) { ret; }
.visible .func f(.param .b32 p[2][3]) { ret; }
.visible .func (.param .b8 r[]) f() { ret; }
.visible .func f(.param .b128 p) { ret; }
.visible .entry k(.param .v2 .b32 p) { ret; }
.visible .entry k(.param .b32 p[2][3]) { ret; }
.visible .entry k() { .param .f16x2 p; ret; }
.visible .entry k() { .param .b32 p[0]; ret; }
.visible .entry k() { .param .b64 .ptr .global .align 8 p; ret; }
.visible .entry k() { .reg .b128 p; ret; }
.visible .global .b128 v;
"""
TAKEN = """
.extern .func f(.param .v2 .b32 p);
.visible .func f(.param .f16x2 p[2], .param .b32 q[0], .reg .f16x2 r) { ret; }
.visible .entry k(.param .b64 .ptr .global .align 8 p, .param .u8 q, .param .v2 .b32 r[2]) { ret; }
.visible .entry k() { .param .b32 p[2][3]; .param .u8 q; ret; }
.visible .entry k() { P: .callprototype _ (.param .b64 .ptr .global .align 8 p, .param .v2 .b32 q); ret; }
"""
ALONE = """
.visible .func f(.param .u8 p) { ret; }
.func f(.param .s16 p) { ret; }
.visible .func (.reg .pred r) f() { ret; }
"""


@pytest.mark.parametrize(
    ("text", "alone", "together"),
    [
        (one, *codes)
        for texts, codes in ((REFUSED, (1, 1)), (TAKEN, (0, 0)), (ALONE, (0, 1)))
        for one in texts.split("\n")[1:-1]
    ],
)
def test_parameters_and_results(process: Process, text: str, alone: int, together: int) -> None:
    """What ptxas of CUDA 13.0 says with and without -c."""
    data = (HEAD + text).encode()
    assert process.c.cuModuleLoadData(data)[0] == alone * Result.INVALID_PTX
    assert linked(process, [data])[0][0] == together * Result.INVALID_PTX


def test_old_ptx_is_not_linked(process: Process) -> None:
    """A module can be loaded from it."""
    data = b".version 3.0\n.target sm_20\n.address_size 64\n.entry k() { ret; }\n"
    assert process.c.cuModuleLoadData(data)[0] == 0
    assert linked(process, [data])[0][0] == Result.INVALID_PTX


def test_forks_know_the_prototypes(process: Process) -> None:
    """What a fork adds is compared with inputs of its parent, and changes nothing there."""
    state = process.c.cuLinkCreate(0, None, None)[1]
    codes: list[int] = []
    for door, one in (
        (process.c, "calls f (b32)"),
        (process.forked, "calls g (b64)"),
        (process.c, ".visible g (b32)"),
        (process.forked, ".visible f (b64)"),
        (process.c, ".visible f (b32)"),
    ):
        data = text(one)
        codes += door.cuLinkAddData(state, TEXT, data, len(data), None, 0, None, None)
    assert codes == [0, 0, 0, Result.INVALID_SOURCE, 0]


def test_a_refusal_has_both_prototypes(process: Process) -> None:
    """Of each function."""
    counted = refusals.count(process.machine)
    linked(process, [text("calls f b64(8@4,f32); .visible g ()"), text(".visible f (b32); calls g b32()")])
    assert counted.kept[0].facts == {
        "names": ["g with (b32) (), earlier with () ()", "f with () (b32), earlier with (b64) (b8[8], f32)"]
    }


def test_a_function_that_is_only_declared_has_any_parameters(process: Process) -> None:
    """A compiler refuses them in linked code where the function is defined or called."""
    told = HEAD + ".extern .func f(.param .u8 p);\n.visible .entry k() { ret; }\n"
    assert linked(process, [told.encode()])[0] == [0, 0, 0]


def test_a_function_of_a_cubin_is_a_symbol() -> None:
    """A linker compares it with the names of other inputs."""
    assert cubin._symbols(Names(("f",), (), ()), {}, {}) == (Symbol("f", FUNCTION, OWN),)
