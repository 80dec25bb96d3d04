"""Tokens of PTX: their kinds and places, what is no token, and what they cost."""

from __future__ import annotations

import ast
import re
import re._parser as sre  # type: ignore[import-not-found]  # what a pattern is made of
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakecuda.model.code import ptx, ptx_declarations, ptx_source, ptx_tokens
from fakecuda.model.code.code import BAD_PTX, Refused
from fakecuda.model.code.cost import spent
from fakecuda.model.code.ptx_tokens import (
    DOTTED,
    FLOAT,
    INTEGER,
    NAME,
    PREPROCESSOR,
    PUNCTUATION,
    STRING,
    Token,
    integer,
    text_of,
    tokens,
)

MODULES = (ptx, ptx_declarations, ptx_source, ptx_tokens)
"""The modules that read PTX."""
BETWEEN = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
"""Text between tokens."""
PIECES = st.sampled_from(
    [
        *("ld", ".global", ".v4", "%r1", "$L", "_", "0x1F", "017", "0b1", "42U", "0f3F800000", "1.5e3", "7.0"),
        *(
            "//x",
            "/*",
            "*/",
            "\n",
            " ",
            "\t",
            "#",
            "#line 1",
            "<<",
            ">=",
            "{",
            "}",
            "[",
            "]",
            "@",
            "!",
            ";",
            ",",
            "/",
            "%",
        ),
        *("\0", "\x7f", "é", '"', "\\", ".", "0f3", "$", "0x", "::", "1.", "9z", '"a\\"b"'),
    ]
)


def kinds(text: str) -> list[tuple[str, str]]:
    """Return kind and text of the tokens of a text."""
    return [(one.kind, one.text) for one in tokens(text.encode())]


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (NAME, "ld k _Z3addPfS_ %r1 $L__BB0_2 _x _ sm_90a WARP_SZ"),
        (DOTTED, ".version .global .v4 .shared::cta .mbarrier::complete_tx::bytes .L2::128B .2d .16x64b"),
        (INTEGER, "0 7 42 42U 0x1F 0XffU 017 0b101 0B1U 18446744073709551615"),
        (FLOAT, "0f3F800000 0F3f800000 0d3FF0000000000000 1.5 1. 1.5e3 1e-5 2.E+7 9.5"),
        (STRING, r'"" "a file.cu" "kern\303\251.cu" "a\"b"'),
        (PUNCTUATION, "{ } ( ) [ ] < > , ; : + - * / % & | ^ ~ ! ? = @ << >> <= >= == != && ||"),
    ],
)
def test_kinds(kind: str, texts: str) -> None:
    """Each is one token, also between others."""
    said = texts.split(" ") if kind != STRING else re.findall(r'"(?:[^"\\]|\\.)*"', texts)
    for one in said:
        assert kinds(one) == [(kind, one)]
    assert kinds(texts) == [(kind, one) for one in said]


def test_words_behind_dots_are_tokens_of_their_own() -> None:
    """Each modifier has its column; a modifier touches the token before it, a directive does not."""
    found = list(tokens(b"\tld.global.v4.f32 {%f1}, [%tid.x+4];\n.align 4.b8 x;"))
    assert [(one.text, one.line, one.column) for one in found] == [
        ("ld", 1, 2),
        (".global", 1, 4),
        (".v4", 1, 11),
        (".f32", 1, 14),
        ("{", 1, 19),
        ("%f1", 1, 20),
        ("}", 1, 23),
        (",", 1, 24),
        ("[", 1, 26),
        ("%tid", 1, 27),
        (".x", 1, 31),
        ("+", 1, 33),
        ("4", 1, 34),
        ("]", 1, 35),
        (";", 1, 36),
        (".align", 2, 1),
        ("4", 2, 8),
        (".b8", 2, 9),
        ("x", 2, 13),
        (";", 2, 14),
    ]
    assert found[1] == Token(DOTTED, ".global", 1, 4, 3)
    assert found[0].end == found[1].offset
    assert found[4].offset > found[3].end


def test_comments_are_dropped() -> None:
    """Of both forms, over lines too; places behind them count what they hold."""
    text = b"// one\na /* two\nlines **/ b//\n/**/c /* \xc3\xa9 */ d\0e"
    assert [(one.text, one.line, one.column, one.offset) for one in tokens(text)] == [
        ("a", 2, 1, 7),
        ("b", 3, 11, 26),
        ("c", 4, 5, 34),
        ("d", 4, 16, 45),
    ]


def test_lines_of_the_preprocessor() -> None:
    """They begin with their line, and are one token."""
    assert kinds('#line 3 "x.cu"\nret;\n#\n') == [
        (PREPROCESSOR, '#line 3 "x.cu"'),
        (NAME, "ret"),
        (PUNCTUATION, ";"),
        (PREPROCESSOR, "#"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("a\n b /* no end", 2, 4, "the comment does not end"),
        ("/*/", 1, 1, "the comment does not end"),
        ('.file 1 "no end\n"', 1, 9, "the string does not end on its line"),
        ('"\\\n"', 1, 1, "the string does not end on its line"),
        ("x 12ab;", 1, 3, "'12ab;' is not a number"),
        ("\n08", 2, 1, "'08' is not a number"),
        ("0f3F80000", 1, 1, "'0f3F80000' is not a number"),
        ("0d3FF00000000000000", 1, 1, "'0d3FF00000000000000' is not a number"),
        ("0x", 1, 1, "'0x' is not a number"),
        ("9" * 5000 + "x", 1, 1, f"'{'9' * 20}' is not a number"),
        ("a `", 1, 3, "no token begins with '`'"),
        ("  #line", 1, 3, "no token begins with '#'"),
        ("$ x", 1, 1, "no token begins with '$'"),
        (". x", 1, 1, "no token begins with '.'"),
        ("/* é */ é", 1, 10, "no token begins with 'Ã'"),
        ("²", 1, 1, "no token begins with 'Â'"),
    ],
)
def test_what_begins_no_token(text: str, line: int, column: int, reason: str) -> None:
    """It is refused with its place, behind the tokens before it."""
    with pytest.raises(Refused) as refused:
        list(tokens(text.encode()))
    error = refused.value
    assert (error.why, error.line, error.column, error.reason) == (BAD_PTX, line, column, reason)
    assert str(error) == f"ptx: line {line}, column {column}: {reason}"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("42U", 42),
        ("017", 15),
        ("0x1fU", 31),
        ("0XFF", 255),
        ("0b101", 5),
        ("18446744073709551615", (1 << 64) - 1),
        ("18446744073709551616", None),
        ("0x" + "0" * 9000 + "7", 7),
        ("0x1" + "0" * 9000, None),
        ("9" * 5000, None),
        ("0" + "7" * 5000, None),
    ],
)
def test_values_of_integers(text: str, value: int | None) -> None:
    """In each base; None if the number has more than 64 bits."""
    assert kinds(text) == [(INTEGER, text)]
    assert integer(text) == value


def outcome(text: str) -> tuple[list[Token], Refused | None]:
    """Return the tokens of a text, and why the rest of it is refused."""
    found: list[Token] = []
    try:
        found.extend(tokens(text.encode("latin-1")))
    except Refused as refused:
        return found, refused
    return found, None


@given(st.lists(PIECES, max_size=30).map("".join) | st.text(st.characters(max_codepoint=255), max_size=60))
def test_tokens_and_what_is_between_them_are_the_text(text: str) -> None:
    """Whatever it is: nothing but ``Refused`` is raised, with the place of what begins no token."""
    found, refused = outcome(text)
    text = text_of(text.encode("latin-1"))
    at, lines = 0, text.split("\n")
    for one in found:
        assert BETWEEN.fullmatch(text[at : one.offset])
        assert text[one.offset : one.end] == one.text != ""
        assert sum(len(line) + 1 for line in lines[: one.line - 1]) + one.column - 1 == one.offset
        at = one.end
    if refused is None:
        assert BETWEEN.fullmatch(text[at:])
    else:
        place = sum(len(line) + 1 for line in lines[: refused.line - 1]) + refused.column - 1
        assert BETWEEN.fullmatch(text[at:place])
        assert refused.reason
        assert outcome(text[:place]) == (found, None)


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_batches_change_nothing(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever one ends, and whatever its last token is."""
    texts = ["", "a", "a b ", "a b c", "a `", "a b ` c", "a b c `"]
    before = [outcome(text) for text in texts]
    monkeypatch.setattr(ptx_tokens, "BATCH", batch)
    after = [outcome(text) for text in texts]
    assert [found for found, _ in after] == [found for found, _ in before]
    assert [str(refused) for _, refused in after] == [str(refused) for _, refused in before]


@given(st.lists(PIECES, max_size=8).map("".join), st.integers(1, 300))
def test_cost_is_in_proportion_to_the_text(text: str, times: int) -> None:
    """Each byte is read once, and makes a token at most."""
    spent.bytes_read = spent.tokens = 0
    outcome(text * times)
    read = len(text_of((text * times).encode("latin-1")))
    assert spent.bytes_read == read
    assert spent.tokens <= read + 2


def unbounded(parsed: Any, inside: str = "") -> list[str]:
    """Return the repeats without a limit in a pattern that may give back what they have taken."""
    found = []
    for name, what in parsed:
        here = str(name)
        if here in {"MAX_REPEAT", "MIN_REPEAT"} and what[1] is sre.MAXREPEAT:
            found.append(f"{inside}{here}")
        for part in what if isinstance(what, tuple | list) else [what]:
            for one in part if isinstance(part, list) else [part]:
                if isinstance(one, sre.SubPattern):
                    found += unbounded(one, f"{inside}{here} ")
    return found


def patterns() -> dict[str, re.Pattern[str]]:
    """Return the patterns that read PTX, by module and name."""
    return {
        f"{module.__name__}.{name}": one
        for module in MODULES
        for name, one in vars(module).items()
        if isinstance(one, re.Pattern)
    }


@pytest.mark.parametrize("name", patterns())
def test_no_pattern_gives_back_what_it_has_taken(name: str) -> None:
    """Each repeat without a limit is possessive: a pattern looks at a character once for each of its branches."""
    one = patterns()[name]
    assert not unbounded(sre.parse(one.pattern, one.flags))


@pytest.mark.parametrize(
    "pattern", [r"(?:-?(?:0x\d+|\d+)[\s,]*)*", r"(?>a)b+?", r"(?P<x>(a|b*)c)", r"(?=a*)", r"(?:a*)?+"]
)
def test_patterns_that_do_are_found(pattern: str) -> None:
    """In groups, branches and looks ahead, too."""
    assert unbounded(sre.parse(pattern))


def test_patterns_are_constants_of_their_modules() -> None:
    """No function makes one, so that the test above sees each."""
    for module in MODULES:
        tree = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
        used = [
            one
            for one in ast.walk(tree)
            if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and ast.unparse(one.func.value) == "re"
        ]
        own = [one for one in vars(module).values() if isinstance(one, re.Pattern)]
        assert len(used) == len(own), module.__name__
