"""The tokens of PTX, read in linear time.

One pattern matches a token with the white space and the comments before it. Its repeats are possessive or of one class
of characters. Its last branch takes all of a text that does not begin with a token. So no search skips or repeats
anything.

A word after a dot is a token of its own, ``DOTTED``: ``ld.global.v4.f32`` is a name and three of them, each with its
column. The token before it decides what it is. At the beginning of a statement it is a directive, and after an
instruction's name a modifier. After a register it is an element (``%tid.x``), and after a directive a type. Qualifiers
belong to their word: ``.shared::cta``.

A text ends at its first NUL. It is decoded as Latin-1, so that offsets and columns count bytes. Bytes other than ASCII
are allowed in comments and strings.
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
"""Kinds of tokens. ``END`` is the empty token at the end. ``WRONG`` is the rest of a text if no token begins there."""
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
"""A token, in a group named after its kind, with the separators before it."""
BATCH = 4096
"""The number of tokens to read between two pauses."""
BASES = {"0x": 16, "0X": 16, "0b": 2, "0B": 2}
BITS = 64
"""The number of bits of an integer."""
DECIMALS = len(str(1 << BITS))
"""At least the maximum digits of a 64-bit decimal integer."""
FAULTS = {"/": "the comment does not end", '"': "the string does not end on its line"}
"""Error texts, by a character that begins no token."""


@define
class Token:
    """A token of PTX.

    Attributes:
        kind: ``NAME``, ``DOTTED``, ``INTEGER``, ``FLOAT``, ``STRING``, ``PUNCTUATION`` or ``PREPROCESSOR``.
        text: Its text. A string includes its quotation marks.
        line: Its line, from 1.
        column: Its column in bytes, from 1.
        offset: The number of bytes before it.
    """

    kind: str
    text: str
    line: int
    column: int
    offset: int

    @property
    def end(self) -> int:
        """The offset after the token."""
        return self.offset + len(self.text)


def text_of(data: bytes) -> str:
    """Return the text of a PTX image, with one character for each byte."""
    return data.partition(b"\0")[0].decode("latin-1")


def matches(text: str) -> Iterator[re.Match[str]]:
    """Yield a match of ``PATTERN`` for each token of a text and for its end.

    ``lastgroup`` is the kind.

    Raises:
        Refused: No token begins at some position.
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
        if WRONG in last:  # the end token may come after it
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
        Refused: No token begins at some position; the exception has the line and the column.
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
    """Return the exception that refuses a text, with the position of an offset."""
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
