"""What reading PTX costs: in proportion to the text, whatever the text has many of."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakecuda.model.code import ptx_contents, ptx_functions, ptx_tokens
from fakecuda.model.code.code import Refused
from fakecuda.model.code.cost import spent
from fakecuda.spec.codes import Result
from tests.model.test_ptx import HEAD, read

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Machine

FRAGMENTS: dict[str, Callable[[int], str]] = {
    "numbers, then an address": lambda n: f"{HEAD}.global .u64 t[{n + 1}] = {{{'100, ' * n}generic(x)}};",
    "numbers, then masks": lambda n: f"{HEAD}.global .b8 t[{n + 2}] = {{{'104, ' * n}0xFF(x), 0xFF00(x)}};",
    "numbers": lambda n: f"{HEAD}.global .b8 t[{n}] = {{{'1, ' * n}1}};",
    "digits": lambda n: f"{HEAD}.global .u32 t = {'1' * n}x;",
    "digits of a version": lambda n: f".version {'9' * n}.0",
    "digits of a size": lambda n: f"{HEAD}.global .u32 t[{'9' * n}];",
    "zeros of a version": lambda n: f".version {'0' * n}",
    "begins of comments": lambda n: HEAD + "/*" * n,
    "comments": lambda n: HEAD + "/**/ //\n" * n,
    "begins of kernels": lambda n: HEAD + ".entry a(" * n,
    "kernels": lambda n: HEAD + "".join(f".entry k{i}() {{ ret; }}" for i in range(n)),
    "kernels in kernels": lambda n: HEAD + "".join(f".entry a{i}(){{" for i in range(n)) + "}" * n,
    "begins of functions": lambda n: HEAD + ".func a " * n,
    "functions that call each other": lambda n: (
        HEAD
        + ".extern .func cudaGraphLaunch;"
        + ".func f0 { call cudaGraphLaunch; }"
        + "".join(f".func f{i + 1} {{ call f{i}; }}" for i in range(n))
        + f".entry k {{ call f{n}; }}"
    ),
    "functions of others": lambda n: (
        HEAD + "".join(f".extern .func f{i};" for i in range(n)) + ".func g {" + "call f0;" * n + "}"
    ),
    "variables of others": lambda n: (
        HEAD
        + "".join(f".extern .global .u32 v{i};" for i in range(n))
        + ".func g { .reg .u32 x;"
        + "ld.global.u32 x, [v0];" * n
        + "}"
    ),
    "variables": lambda n: HEAD + "".join(f".visible .const .u8 v{i} = 1;" for i in range(n)),
    "variables of a kernel": lambda n: (
        HEAD + ".entry k {" + "".join(f".shared .u8 v{i}, w{i};" for i in range(n)) + "}"
    ),
    "instructions": lambda n: HEAD + ".entry k { .reg .b32 %r<9>; " + "add.s32 %r1, %r2, -3;\n" * n + "}",
    "instructions of one kind each": lambda n: (
        HEAD
        + ".entry k { .reg .b32 %r<9>; "
        + "".join(f"mov.b32 %r{i % 9}, {{%r1, %r{i // 9}}};" for i in range(n))
        + "}"
    ),
    "registers": lambda n: (
        HEAD
        + f".entry k {{ .reg .b32 %r<{n}>;"
        + "".join(f".reg .b32 a{i}; mov.b32 a{i}, %r{i};" for i in range(n))
        + "}"
    ),
    "blocks": lambda n: HEAD + ".entry k { .reg .b32 r; " + "{ mov.b32 r, 1; " * n + "}" * n + "}",
    "labels of outer blocks": lambda n: (
        HEAD
        + ".entry k { "
        + "".join(f"{{ bra L{i};" for i in range(n))
        + "}" * n
        + "".join(f"L{i}: " for i in range(n))
        + "}"
    ),
    "labels of inner blocks": lambda n: (
        HEAD
        + ".entry k { "
        + "{" * n
        + "".join(f"bra L{i};" for i in range(n))
        + "}" * n
        + "".join(f"L{i}: " for i in range(n))
        + "}"
    ),
    "operands": lambda n: f"{HEAD}.entry k {{ .reg .b32 r; mov.b32 r{', r' * n}; }}",
    "operands in operands": lambda n: f"{HEAD}.entry k {{ .reg .b32 r; mov.b32 r, {'[' * n}",
    "parentheses in an operand": lambda n: f"{HEAD}.entry k {{ .reg .b32 r; mov.b32 r, {'(' * n}1{')' * n}; }}",
    "modifiers": lambda n: f"{HEAD}.entry k {{ .reg .b32 r; mov{'.sat' * n}.b32 r, r; }}",
    "digits of a register": lambda n: f"{HEAD}.entry k {{ .reg .b32 r<5>; mov.b32 r{'0' * n}, r1; }}",
    "calls": lambda n: HEAD + ".extern .func f; .entry k() { " + "call " * n + "; ret; }",
    "types": lambda n: f"{HEAD}.global {'.u32 ' * n}!",
    "names": lambda n: f"{HEAD}.func {'a' * n}! {{}}",
    "dimensions": lambda n: f"{HEAD}.global .u8 t{'[9999999]' * n};",
    "parentheses": lambda n: f"{HEAD}.func f{'(' * n}",
    "braces": lambda n: f"{HEAD}.global .u32 t = {'{' * n}",
    "blanks": lambda n: HEAD + " " * n,
    "one line": lambda n: HEAD + "ret; " * n,
    "quotation marks": lambda n: HEAD + '"' * n,
    "directives": lambda n: f"{HEAD}.entry k {'.maxntid 1, ' * n}",
}
"""Texts with many repetitions."""


def cost(text: str) -> tuple[int, int, int]:
    """Return what reading a text costs: bytes, tokens, and calls of functions."""
    calls = 0

    def count(_frame: object, _event: str, _argument: object) -> None:
        nonlocal calls
        calls += 1

    spent.bytes_read = spent.tokens = 0
    former: Any = sys.getprofile()
    sys.setprofile(count)
    try:
        read(text, whole=False)
    except Refused:
        pass
    finally:
        sys.setprofile(former)
    return spent.bytes_read, spent.tokens, calls


def grows(make: Callable[[int], str], n: int) -> list[str]:
    """Return which costs grow faster than a text does, at n, 2 n and 4 n."""
    cost(make(1))  # the table is loaded by the first text
    one, two, four = (cost(make(times * n)) for times in (1, 2, 4))
    small = 200
    return [
        f"{what}: {a}, {b}, {c}"
        for what, a, b, c in zip(("bytes", "tokens", "calls"), one, two, four, strict=True)
        if c - b > 2.2 * (b - a) + small
    ]


@pytest.mark.parametrize("name", FRAGMENTS)
def test_cost_is_linear(name: str) -> None:
    """Twice the text costs twice as much, counted."""
    assert not grows(FRAGMENTS[name], 150)


@given(st.lists(st.sampled_from(sorted(FRAGMENTS)), min_size=1, max_size=4), st.integers(1, 60))
def test_cost_is_in_proportion_to_the_text(names: list[str], n: int) -> None:
    """Of several fragments, one behind the other: nothing is read twice."""
    text = HEAD + "\n".join(FRAGMENTS[name](n).removeprefix(HEAD) for name in names)
    size, made, calls = cost(text)
    assert size == len(text)
    assert made <= len(text) + 2
    assert calls <= 30 * len(text) + 1000


def test_a_quadratic_reader_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It reads the whole text again for each block, or looks at all functions for each of them."""
    real: Any = ptx_functions.kernel
    texts: list[str] = []

    def again(source: Any, contents: Any, linkage: str, reading: Any) -> None:
        real(source, contents, linkage, reading)
        texts.append(source.text)
        spent.tokens += sum(1 for _ in ptx_tokens.tokens(source.text.encode()))

    monkeypatch.setattr(ptx_functions, "kernel", again)
    assert len(grows(FRAGMENTS["kernels"], 20)) == 3
    monkeypatch.undo()

    def fixed_point(contents: ptx_contents.Contents) -> set[str]:
        launching = {"cudaGraphLaunch"}
        more = launching
        while more:
            more = {name for name, body in contents.bodies.items() if not launching.isdisjoint(body.calls)} - launching
            launching |= more
        return launching

    monkeypatch.setattr(ptx_contents.Contents, "launching", fixed_point)
    assert grows(FRAGMENTS["functions that call each other"], 100)


@pytest.mark.parametrize(
    ("declared", "code"),
    [
        (".global .b8 x[9999999999999];", Result.OUT_OF_MEMORY),
        (f".global .b8 x[{(1 << 63) - 1}];", Result.OUT_OF_MEMORY),
        (f".global .b8 x[{'9' * 5000}];", Result.INVALID_PTX),
        (f".const .b8 x[{1 << 40}];", Result.INVALID_PTX),
        (f".entry k {{ .shared .b8 x[{1 << 40}]; }}", Result.INVALID_PTX),
        (f".entry k .maxnreg {1 << 40} {{ }}", Result.INVALID_PTX),
        (f".entry k(.param .u8 y, .param .align {1 << 62} .b8 x[4]) {{ }}", Result.INVALID_PTX),
    ],
)
def test_absurd_sizes_are_answered(declared: str, code: Result, permissive: Machine) -> None:
    """By a code; the next call works, and a linker refuses what a module is refused for."""
    c = permissive.spawn("a").c
    c.cuInit(0)
    c.cuCtxCreate(None, 0, 0)
    data = (HEAD + declared).encode()
    assert c.cuModuleLoadData(data)[0] == code
    _, state = c.cuLinkCreate(0, None, None)
    if code == Result.INVALID_PTX:
        assert c.cuLinkAddData(state, 1, data, len(data), None, 0, None, None) == (code,)
    assert c.cuMemAlloc(512)[0] == 0
