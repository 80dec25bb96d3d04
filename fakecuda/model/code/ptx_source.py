"""A text of PTX that is read token by token: the readers of its parts share the current token.

A reader of a part begins at the part's first token and leaves its last one as the current token.
A few leave what follows: their docstrings say so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from attrs import define, field

from fakecuda.model.code import ptx_tokens
from fakecuda.model.code.ptx_tokens import END, NAME, PREPROCESSOR

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

OPENS, CLOSES, SPACE, CALLS, USES, ENDS = range(6)
"""What a token within a body is to who reads it."""
MARKS = {"{": OPENS, "}": CLOSES, ".shared": SPACE, ".local": SPACE, "call": CALLS, "": ENDS}
SHOWN = 40
"""How much of a token a reason shows."""


@define
class Source:
    """A text that is read token by token.

    Attributes:
        text: The text.
        matches: What there is behind the current token.
        match: The current token, as ``ptx_tokens.matches`` yields it.
        kind: Its kind.
        said: Its text; empty at the end of the text.
        marks: What tokens within bodies are to who reads them, variables of others included.
        used: Which of those variables are used.
    """

    text: str
    matches: Iterator[re.Match[str]]
    match: re.Match[str] = field(init=False)
    kind: str = ""
    said: str = ""
    marks: dict[str, int] = field(factory=MARKS.copy)
    used: set[str] = field(factory=set)

    def take(self, match: re.Match[str]) -> None:
        """Have a token be the current one."""
        self.match = match
        self.kind = match.lastgroup or END
        self.said = match[self.kind]

    def advance(self) -> None:
        """Go on to the next token; what the preprocessor reads is passed over, and the end of the text stays the current token."""
        while self.kind != END:
            self.take(next(self.matches))
            if self.kind != PREPROCESSOR:
                break

    def refuse(self, reason: str) -> NoReturn:
        """Raise ``Refused`` with a reason and the place of the current token."""
        raise ptx_tokens.refused(self.text, self.match.start(self.kind), reason)

    def want(self, what: str) -> NoReturn:
        """Raise ``Refused``, because the current token is not what is wanted."""
        self.refuse(f"{self.said[:SHOWN]!r} stands where {what} is wanted" if self.said else f"{what} is missing")


def name_of(source: Source) -> str:
    """Return the current token, which is a name."""
    if source.kind != NAME:
        source.want("a name")
    return source.said


def number_of(source: Source) -> int:
    """Return the value of the current token, which is an integer."""
    value = ptx_tokens.integer(source.said)
    if value is None:
        source.refuse("the number has more than 64 bits")
    return value


def parenthesised(source: Source) -> set[str]:
    """Read to the end of parentheses, and return what stands in them."""
    depth, said = 1, set()
    while depth:
        source.advance()
        if source.said in {"", "{", "}", ";"}:
            source.want("')'")
        depth += {"(": 1, ")": -1}.get(source.said, 0)
        said.add(source.said)
    return said
