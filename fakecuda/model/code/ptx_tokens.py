"""The tokens of PTX, in linear time: each character is looked at a bounded number of times.

One pattern matches a token with the white space and the comments before it. Its repeats are possessive or of one class of
characters, and its last branch takes the whole rest of a text that no token begins, so that no search skips or repeats anything.

A word behind a dot is a token of its own, ``DOTTED``: ``ld.global.v4.f32`` is a name and three of them, each with its column. The
token before it says what it is: a directive at the beginning of a statement, a modifier behind the name of an instruction, an
element behind a register (``%tid.x``), a type behind a directive. Qualifiers belong to their word: ``.shared::cta``.

A text ends at its first NUL. Its bytes are taken as Latin-1, so that offsets and columns count bytes; other bytes than ASCII stand in
comments and strings.
"""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import TYPE_CHECKING

from attrs import define

from fakecuda.model.code import reading
from fakecuda.model.code.code import BAD_PTX, Refused
from fakecuda.model.code.cost import spent

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME, DOTTED, INTEGER, FLOAT, STRING, PUNCTUATION, PREPROCESSOR, END, WRONG = (
    "name",
    "dotted",
    "integer",
    "float",
    "string",
    "punctuation",
    "preprocessor",
    "end",
    "wrong",
)
"""Kinds of tokens. ``END`` is the empty one behind the last, ``WRONG`` the rest of a text that no token begins."""
PATTERN = re.compile(
    r"""
    (?:[ \t\r\n\f\v]++ | //[^\n]*+ | /\*(?:[^*]++|\*(?!/))*+\*/)*+  # before the token
    (?:
      (?P<name> [A-Za-z_][\w$]*+ | [$%][\w$]++ )
    | (?P<dotted> \.[\w$]++(?:::\w++)*+ )
    | (?P<punctuation> << | >> | [<>=!]= | && | \|\| | /(?!\*) | [-+*%&|^~!?=@<>()\[\]{},;:] )
    | (?: (?P<float> 0[fF][0-9A-Fa-f]{8} | 0[dD][0-9A-Fa-f]{16} | \d++\.\d*+(?:[eE][-+]?\d++)?+ | \d++[eE][-+]?\d++ )
        | (?P<integer> 0[xX][0-9A-Fa-f]++U?+ | 0[bB][01]++U?+ | 0[0-7]*+U?+ | [1-9]\d*+U?+ )
      ) (?![\w$])
    | (?P<string> "[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+" )
    | (?P<preprocessor> (?<![^\n])\#[^\n]*+ )
    | (?P<wrong> [^ \t\r\n\f\v])(?s:.)*+
    | (?P<end> \Z )
    )""",
    re.ASCII | re.VERBOSE,
)
"""A token, as a group that its kind names, behind what separates it from the token before."""
BATCH = 4096
"""How many tokens are read between two pauses."""
BASES = {"0x": 16, "0X": 16, "0b": 2, "0B": 2}
BITS = 64
"""Bits of an integer."""
DECIMALS = len(str(1 << BITS))
"""The most digits of a decimal integer: one of more has more bits."""
FAULTS = {"/": "the comment does not end", '"': "the string does not end on its line"}
"""What is wrong, by the character that begins no token."""


@define
class Token:
    """A token of PTX.

    Attributes:
        kind: ``NAME``, ``DOTTED``, ``INTEGER``, ``FLOAT``, ``STRING``, ``PUNCTUATION`` or ``PREPROCESSOR``.
        text: Its text, a string with its quotation marks.
        line: Its line, from 1.
        column: Its column in bytes, from 1.
        offset: How many bytes stand before it.
    """

    kind: str
    text: str
    line: int
    column: int
    offset: int

    @property
    def end(self) -> int:
        """The offset of what stands behind it: a token of that offset touches it."""
        return self.offset + len(self.text)


def text_of(data: bytes) -> str:
    """Return the text of an image that is PTX, one character for each byte."""
    return data.partition(b"\0")[0].decode("latin-1")


def matches(text: str) -> Iterator[re.Match[str]]:
    """Yield a match of ``PATTERN`` for each token of a text, and for its end; ``lastgroup`` is the kind.

    Raises:
        Refused: The rest of the text begins with no token.
    """
    return chain.from_iterable(_batches(text))


def _batches(text: str) -> Iterator[list[re.Match[str]]]:
    """Yield the tokens of a text in batches, with a pause before each."""
    spent.bytes_read += len(text)
    found = PATTERN.finditer(text)
    while batch := list(islice(found, BATCH)):
        reading.pause()
        spent.tokens += len(batch)
        last = [one.lastgroup for one in batch[-2:]]
        if WRONG in last:  # the end may follow it
            place = last.index(WRONG) - len(last)
            offset = batch[place].start(WRONG)
            yield batch[:place]
            raise refused(text, offset, _fault(text, offset))
        yield batch


def tokens(data: bytes) -> Iterator[Token]:
    """Yield the tokens of PTX, without comments.

    Args:
        data: The text.

    Raises:
        Refused: The rest of the text begins with no token; the exception has the line and the column.
    """
    text = text_of(data)
    line, begin, seen = 1, 0, 0
    for match in matches(text):
        kind = match.lastgroup or END
        if kind == END:
            continue
        offset = match.start(kind)
        if new := text.count("\n", seen, offset):
            line += new
            begin = text.rindex("\n", seen, offset) + 1
        yield Token(kind, match[kind], line, offset - begin + 1, offset)
        seen = offset


def refused(text: str, offset: int, reason: str) -> Refused:
    """Return why a text is refused, with the place of an offset in it."""
    return Refused(BAD_PTX, reason, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def _fault(text: str, offset: int) -> str:
    """Return what is wrong at an offset where no token begins."""
    one = text[offset]
    if one.isdigit() and one.isascii():
        return f"{text[offset : offset + DECIMALS].split(maxsplit=1)[0]!r} is not a number"
    return FAULTS.get(one, f"no token begins with {one!r}")


def integer(text: str) -> int | None:
    """Return the value of an integer token; None if it has more than 64 bits.

    Args:
        text: Its text.
    """
    digits = text.removesuffix("U")
    base = BASES.get(digits[:2], 8 if digits[0] == "0" else 10)
    if base == 10 and len(digits) > DECIMALS:  # noqa: PLR2004 - decimal
        return None
    value = int(digits, base)
    return None if value >> BITS else value
