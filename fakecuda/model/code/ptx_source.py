"""A PTX text that is read token by token.

The readers of its parts share the current token.

The reader of a part begins at the part's first token, and leaves its last token as the current one. A few readers leave
the token after it instead, as their docstrings say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from attrs import define, field

from fakecuda.model.code import ptx_tokens
from fakecuda.model.code.ptx_tokens import END, NAME, PREPROCESSOR

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping

SHOWN = 40
"""The maximum characters of a token that an error shows."""


@define
class Source:
    """A text that is read token by token.

    Attributes:
        matches: The matches of the tokens after the current one.
        match: The current token, as ``ptx_tokens.matches`` yields it.
        kind: The kind of the current token.
        said: The text of the current token. Empty at the end.
        uses: The names of external variables.
        used: The external variables that are used.
        shares: The names of variables in shared memory that the text defines outside of functions.
        known: The names that are declared.
        version: Its PTX version.
    """

    text: str
    matches: Iterator[re.Match[str]]
    match: re.Match[str] = field(init=False)
    kind: str = ""
    said: str = ""
    uses: set[str] = field(factory=set)
    used: set[str] = field(factory=set)
    shares: set[str] = field(factory=set)
    known: Mapping[str, object] = field(factory=dict)
    version: tuple[int, int] = (0, 0)

    def take(self, match: re.Match[str]) -> None:
        """Make a token the current token."""
        self.match = match
        self.kind = match.lastgroup or END
        self.said = match[self.kind]

    def advance(self) -> None:
        """Read the next token, and skip preprocessor lines.

        The end stays the current token.
        """
        while self.kind != END:
            self.take(next(self.matches))
            if self.kind != PREPROCESSOR:
                break

    def refuse(self, reason: str) -> NoReturn:
        """Raise ``Refused`` with a reason and the position of the current token."""
        raise ptx_tokens.refused(self.text, self.match.start(self.kind), reason)

    def want(self, what: str) -> NoReturn:
        """Raise ``Refused``, because an expected token is missing."""
        self.refuse(f"expected {what}, found {repr(self.said[:SHOWN]) if self.said else 'the end of the text'}")


def name_of(source: Source) -> str:
    """Return the current token, which must be a name."""
    if source.kind != NAME:
        source.want("a name")
    return source.said


def number_of(source: Source) -> int:
    """Return the value of the current token, which must be an integer."""
    value = ptx_tokens.integer(source.said)
    if value is None:
        source.refuse(f"the number {source.said[:SHOWN]} has more than 64 bits: write a smaller number")
    return value


def parenthesised(source: Source) -> set[str]:
    """Read to the closing parenthesis, and return the set of tokens before it."""
    depth, said = 1, set()
    while depth:
        source.advance()
        if source.said in {"", "{", "}", ";"}:
            source.want("')'")
        depth += {"(": 1, ")": -1}.get(source.said, 0)
        said.add(source.said)
    return said
