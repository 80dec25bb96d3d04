"""Functions that the inputs of a linker have alike or otherwise: what driver 580 answered on an H200, call by call."""

from __future__ import annotations

import ctypes
from itertools import count

import pytest

from conformance.kit.kernels import HEAD
from fakecuda import Machine, Process
from fakecuda.machine import refusals
from fakecuda.model.code.image import TEXT
from fakecuda.spec.codes import Result

ERRORS, SIZE, ROOM = 5, 6, 1024
"""CU_JIT_ERROR_LOG_BUFFER and its size."""
ALIKE = """
(b32) (b32)
() ()
b32() u32()
(u32) (b32)
(u32) (s32)
(8@4) (8@8)
8@4() 8@8()
"""
"""The declaration and the definition of a function that a driver links: results before the parentheses, parameters in them.

``8@4`` is an array of 8 bytes with an alignment of 4.
"""
UNLIKE = """
b64(b32) (b32)
b32(b32) (b32)
(b32) b32(b32)
b32(b32) b64(b32)
b32(b32) f32(b32)
(b32,b32) (b32)
(b32) (b32,b32)
() (b32)
(b64) (b32)
(b32) (b64)
(f32) (b32)
(b8) (b32)
(b16) (b32)
(b8) (b16)
(4@4) (b32)
(8@8) (b64)
(8@4) (b32,b32)
(16@8) (8@8)
8@8() b64()
"""
"""The declaration and the definition of a function that a driver does not link."""
SEVERAL = [
    ("declares f b64(b32) | .visible f (b32)", ""),
    (".visible f (b32) | declares f b64(b32)", ""),
    (".weak f b64(b32) | .weak f (b32) | calls f (b32)", "f:0"),
    (".weak f b64(b32) | .visible f (b32) | calls f (b32)", "f:0"),
    (".visible f b64(b32) | .weak f (b32) | calls f b64(b32)", "f:0"),
    ("private f b64(b32) | .visible f (b32) | calls f (b32)", ""),
    ("calls f b64(b32) | calls f (b32)", "f:0"),
    ("calls f b64(b32) | calls f (b32) | .visible f (b32)", "f:0"),
    ("calls f b64(b32) | .visible f (b32) | .visible g (b32)", "f:1"),
    (".visible f b64(b32) | .visible f (b32)", "f=0 f:0"),
    ("calls f b64(b32) | .visible f (b32) | .visible h (b32)", "f:1"),
    ("calls f b64(b32); calls g b64(b32) | .visible f (b32); .visible g (b32)", "g:1 f:1"),
]
"""Inputs, and the lines of the log: ``f:0`` says that the second input has another prototype of ``f`` than the first defines.

``f=0`` says that the second input defines ``f`` again.
"""
LINES = {
    ":": "error   : Prototype doesn't match for '{}' in 'in1', first defined in 'in{}'",
    "=": "error   : Multiple definition of '{}' in 'in1', first defined in 'in{}'",
}
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


def linked(process: Process, inputs: str) -> tuple[list[int], str]:
    """Link inputs; return the code of each call after cuLinkCreate, and the log."""
    log = process.host_memory(ROOM)
    state = process.c.cuLinkCreate(2, (ERRORS, SIZE), (log, ROOM))[1]
    codes: list[int] = []
    for number, one in enumerate(map(text, inputs.split(" | "))):
        codes += process.c.cuLinkAddData(state, TEXT, one, len(one), f"in{number}".encode(), 0, None, None)
    codes += [process.c.cuLinkComplete(state)[0], *process.c.cuLinkDestroy(state)]
    return codes, ctypes.string_at(log).decode()


def answered(inputs: str, lines: str) -> tuple[list[int], str]:
    """Return what the card answered."""
    more = inputs.count("|")
    later = Result.INVALID_SOURCE if lines else Result.SUCCESS
    told = [LINES[one[-2]].format(one[:-2], one[-1]) for one in lines.split()]
    return [0, *[later] * more, later, 0], "\n".join(told)


PAIRS = [
    (pair.split(), unlike) for pairs, unlike in ((ALIKE, False), (UNLIKE, True)) for pair in pairs.split("\n")[1:-1]
]


@pytest.mark.parametrize(("pair", "unlike"), PAIRS, ids=["-".join(pair) for pair, _ in PAIRS])
def test_a_declaration_and_a_definition(process: Process, pair: list[str], *, unlike: bool) -> None:
    """Either may come first. The log names the input that defines the function."""
    called, defined = f"calls f {pair[0]}", f".visible f {pair[1]}"
    for inputs, first in ((f"{called} | {defined}", 1), (f"{defined} | {called}", 0)):
        assert linked(process, inputs) == answered(inputs, f"f:{first}" * unlike), inputs


@pytest.mark.parametrize(("inputs", "lines"), SEVERAL)
def test_several_inputs(process: Process, inputs: str, lines: str) -> None:
    """Weak, private and uncalled functions; two callers, two functions, and a function that is defined twice."""
    assert linked(process, inputs) == answered(inputs, lines)


@pytest.mark.parametrize(
    ("inputs", "first"),
    [
        ("calls f (b32) | .visible f (b32) | calls f (f32)", "in1"),
        (".weak f (b32) | .weak f (b32) | calls f (f32)", "in0"),
        ("calls f (b32) | calls f (b32) | calls f (f32)", "in0"),
    ],
)
def test_a_third_input(process: Process, inputs: str, first: str) -> None:
    """The log names the first definition, or else the first call. No card was asked."""
    codes, log = linked(process, inputs)
    assert codes == [0, 0, Result.INVALID_SOURCE, Result.INVALID_SOURCE, 0]
    assert log == f"error   : Prototype doesn't match for 'f' in 'in2', first defined in '{first}'"


def test_system_functions(process: Process) -> None:
    """Two inputs call one in the same way. No card was asked; nvlink of CUDA 13.0 refuses other ways."""
    assert linked(process, "calls vprintf b32(b64,b64) | calls vprintf b32(b64,b64)")[0] == [0] * 4
    assert linked(process, "calls vprintf b32(b64,b64) | calls vprintf b32(b64)") == answered(
        "calls | calls", "vprintf:0"
    )


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
    linked(process, "calls f b64(8@4,f32); .visible g () | .visible f (b32); calls g b32()")
    assert counted.kept[0].facts == {
        "names": ["g with (b32) (), earlier with () ()", "f with () (b32), earlier with (b64) (b8[8], f32)"]
    }
