"""Functions that PTX declares again: ptxas of CUDA 13.0 accepts and refuses the same texts."""

from __future__ import annotations

from itertools import product

import pytest

from fakecuda.model.code import ptx
from fakecuda.model.code.code import BAD_PTX, Prototype, Refused
from fakecuda.model.code.image import TEXT, relocatable
from tests.model.test_image import ARCH, NEWEST

HEAD = ".version 8.3\n.target sm_90\n.address_size 64\n"
ALIKE = [
    ("(.param .b32 a)", "(.param .b32 b)"),
    ("(.param .b32 a)", "(.param .align 4 .b32 a)"),
    ("(.param .align 8 .b8 a[8])", "(.param .align 8 .b8 a[8])"),
    (" .noreturn", " .noreturn"),
]
"""Parameters and directives that a declaration and the definition may have."""
UNLIKE = [
    ("(.param .b32 a)", "()"),
    ("(.param .b32 a)", "(.param .b32 a, .param .b32 b)"),
    ("(.param .b32 a)", "(.param .u32 a)"),
    ("(.param .b16 a)", "(.param .f16 a)"),
    ("(.param .b32 a)", "(.param .align 8 .b32 a)"),
    ("(.param .b32 a)", "(.param .b32 a[1])"),
    ("(.param .b32 a)", "(.reg .b32 a)"),
    ("(.param .align 8 .b8 a[8])", "(.param .align 8 .b8 a[16])"),
    ("(.param .align 8 .b8 a[8])", "(.param .align 8 .b8 a[])"),
    ("(.param .align 8 .b8 a[8])", "(.param .align 4 .b8 a[8])"),
    (" .noreturn", ""),
]
"""Parameters and directives that they must not have together."""
LINKAGES = {"", ".visible", ".extern", ".weak"}
ACCEPTED = {(one, one) for one in LINKAGES} | {(".visible", ""), (".weak", "")}
"""Linkages of a declaration and a later one. A definition is not external."""


def read(*lines: str) -> list[str]:
    """Read lines of PTX behind the head; return the names that the text exports.

    Raises:
        Refused: It is not PTX.
    """
    names = relocatable(TEXT, (HEAD + "\n".join(lines)).encode(), ARCH, NEWEST).names
    return [*names.own, *names.weak]


@pytest.mark.parametrize(("first", "second"), ALIKE)
def test_declarations_that_agree(first: str, second: str) -> None:
    """Names of parameters do not matter, nor does an alignment that the type has anyway."""
    assert read(f".visible .func f{first};", f".visible .func f{second} {{ ret; }}") == ["f"]
    assert read(f".extern .func f{first};", f".extern .func f{second};") == []


@pytest.mark.parametrize(("first", "second"), [*UNLIKE, *[(second, first) for first, second in UNLIKE]])
def test_declarations_that_do_not_agree(first: str, second: str) -> None:
    """Types are compared to the letter here, unlike those of several inputs."""
    for linkage, end in ((".visible", "{ ret; }"), (".extern", ";")):
        with pytest.raises(
            Refused, match="function f has other results, parameters or directives than above"
        ) as refused:
            read(f"{linkage} .func f{first};", f"{linkage} .func f{second} {end}")
        assert (refused.value.why, refused.value.line) == (BAD_PTX, 5)


def test_results_are_not_parameters() -> None:
    """A declaration has as many of each."""
    with pytest.raises(Refused, match="function f has other results"):
        read(".visible .func (.param .b32 a) f();", ".visible .func f(.param .b32 a) { ret; }")


@pytest.mark.parametrize(("first", "second"), sorted(product(LINKAGES, LINKAGES)))
def test_linkages(first: str, second: str) -> None:
    """A later declaration may leave the linkage out, if the function is not external."""
    texts = [f"{first} .func f();", f"{second} .func f();"], [f"{first} .func f();", f"{second} .func f() {{ ret; }}"]
    for text, defined in zip(texts, (False, True), strict=True):
        if (first, second) in ACCEPTED and not (defined and first == ".extern"):
            assert read(*text) == ["f"] * (defined and first != "")
        else:
            with pytest.raises(Refused, match=r"function f (is|has a body)"):
                read(*text)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (
            [".visible .func f() { ret; }", ".visible .func f() { ret; }"],
            "function f is declared again after its definition",
        ),
        ([".visible .func f() { ret; }", ".visible .func f();"], "function f is declared again after its definition"),
        ([".extern .func f() { ret; }"], "function f has a body and is .extern: remove .extern"),
        ([".func f();", ".entry f() { ret; }"], "f is not a kernel above: rename one"),
        ([".entry f() { ret; }", ".func f();"], "f is not a function above: rename one"),
        ([".global .u32 f;", ".func f() { ret; }"], "f is not a function above: rename one"),
        ([".func f() { ret; }", ".global .u32 f;"], "f is declared twice"),
    ],
)
def test_names_that_are_taken(lines: list[str], reason: str) -> None:
    """By a definition, or by something else."""
    with pytest.raises(Refused, match=reason):
        read(*lines)


def test_addresses_of_functions() -> None:
    """Another input may define a function whose address is used; a module and a system function need a definition here."""
    kernel = ".visible .entry k() { .reg .b64 %d; mov.b64 %d, f; { .reg .b64 g; mov.b64 %d, g; } ret; }"
    lines = [HEAD, ".extern .func f(.param .b32 a);", ".extern .func g();", kernel]
    names = relocatable(TEXT, "\n".join(lines).encode(), ARCH, NEWEST).names
    assert (names.needed, names.prototypes) == (("f",), (Prototype("f", "() (b32)", False),))
    for text, whole in (("\n".join(lines), True), ("\n".join(lines).replace(" f", " malloc"), False)):
        with pytest.raises(Refused, match=r"the address of function (f|malloc) is used"):
            ptx.parsed(text.encode(), ARCH, NEWEST, whole=whole)
    assert ptx.parsed("\n".join([*lines[:1], ".func f() { ret; }", kernel]).encode(), ARCH, NEWEST).entries
