"""The operands of a PTX instruction, each with its class.

An operand is the class of its name (:mod:`fakecuda.model.code.ptx_symbols`), or one of these:

- ``int`` and ``float`` are constants, ``hex`` and ``double`` floats by their bits. ``_`` is a result that is not wanted
- ``("!", x)`` and ``("-", x)`` are negated, ``("|", x, y)`` is a pair
- ``("+", x)`` is an address with an offset
- ``("{", x, …)`` is a vector, ``("[", x, …)`` an address in memory, ``("(", x, …)`` arguments of a call
- ``(".b0", x)`` is a part of a register, as video instructions select it
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from attrs import define

from fakecuda.model.code import ptx_tokens
from fakecuda.model.code.ptx_source import SHOWN
from fakecuda.model.code.ptx_symbols import FUNCTION
from fakecuda.model.code.ptx_tokens import DOTTED, FLOAT, INTEGER, NAME

if TYPE_CHECKING:
    import re

    from fakecuda.model.code.ptx_symbols import Class, Symbols

NESTED = 3
"""The maximum nesting of operands: a vector in an address."""
ELEMENTS = {".x": 0, ".y": 1, ".z": 2, ".w": 3, ".r": 0, ".g": 1, ".b": 2, ".a": 3}
PARTS = frozenset({".b0", ".b1", ".b2", ".b3", ".h0", ".h1", ".b32", ".b10", ".b21"})
"""Parts of a register that video instructions can select."""
CLOSES = {"[": "]", "{": "}", "(": ")"}
UNARY = frozenset("-+~!")
BINARY = frozenset({*"+-*/%<>&|^?:", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"})
LATER = frozenset({"bra", "brx", "call"})
"""Instructions whose labels may be declared later."""
FLOATS = {"0f": "hex", "0d": "double"}
"""Classes of floats that are written as bits, by prefix."""
CONSTANT = {"WARP_SZ": "int"}
"""Names of constants."""


@define
class Operands:
    """The operands of one instruction, read from its tokens.

    Attributes:
        text: The whole text.
        symbols: The names that are known.
        special: The special registers.
        name: The instruction's name.
        tokens: Its tokens, and the semicolon behind them.
        texts: The text of each token.
        at: The number of the current token.
        depth: How many operands stand around the current one.
    """

    text: str
    symbols: Symbols
    special: dict[str, Class]
    name: str
    tokens: list[re.Match[str]]
    texts: list[str]
    at: int
    depth: int = 0

    def all(self) -> list[Class]:
        """Return the class of each operand."""
        found: list[Class] = []
        texts, known, numbered = self.texts, self.symbols.known, self.symbols.numbered
        if texts[self.at] == ";":
            return found
        calls = self.name == "call"
        while True:
            text = texts[self.at]
            after = texts[self.at + 1] if text != ";" else ""
            plain = known.get(text) or numbered.get(text) if after in {",", ";"} and not calls else None
            if plain is not None:
                self.at += 1
            else:
                plain = self.one()
                after = texts[self.at]
            found.append(plain)
            if after == ";":
                return found
            if after != ",":
                self.want("',' or ';'")
            self.at += 1

    def one(self) -> Class:
        """Read an operand, and return its class."""
        first = self._single()
        while self.texts[self.at] == "|" and first == "int":  # the constant expression goes on
            self.at += 1
            match, first = self.tokens[self.at], self._single()
            if first != "int":
                self.refuse(match, "an integer must follow the |")
        if self.texts[self.at] != "|":
            return first
        self.at += 1
        return ("|", first, self._single())

    def _single(self) -> Class:
        text = self.texts[self.at]
        kind = self.tokens[self.at].lastgroup
        if kind == NAME:
            return self._named()
        if text in {"[", "{"} or (text == "(" and self.name == "call"):
            return self._several(text)
        if text in {"!", "-"} and self.tokens[self.at + 1].lastgroup == NAME:
            self.at += 1
            return (text, self._named())
        return self._constant()

    def _named(self) -> Class:
        """Read a name with its element or offset."""
        text, match = self.texts[self.at], self.tokens[self.at]
        self.at += 1
        found: Class | None = "_" if text == "_" else self.symbols.find(text)
        found = found or self.special.get(text) or CONSTANT.get(text)
        if found is None:
            if self.name not in LATER or self.depth:
                self.refuse(match, f"{text[:SHOWN]} is not declared here: declare it before this instruction")
            self.symbols.want(text, match)
            return "later"
        if self.name == "call" and found == FUNCTION:
            return (FUNCTION, text)
        return self._further(found, match)

    def _further(self, found: Class, match: re.Match[str]) -> Class:
        """Read what follows a name: an element, a part or an offset."""
        if self.tokens[self.at].lastgroup == DOTTED:
            suffix = self.texts[self.at]
            self.at += 1
            if isinstance(found, tuple) and ELEMENTS.get(suffix, len(found)) < len(found) - 1:
                found = found[ELEMENTS[suffix] + 1]
            elif suffix in PARTS and isinstance(found, str):
                found = (suffix, found)
            else:
                self.refuse(match, f"{match[NAME][:SHOWN]} has no element {suffix[:SHOWN]}")
        if self.texts[self.at] == "+":
            self.at += 1
            if self._constant() != "int":
                self.refuse(match, f"the offset behind {match[NAME][:SHOWN]} is not a whole number: write one")
            return ("+", found)
        return found

    def _several(self, opened: str) -> Class:
        """Read operands in brackets, braces or parentheses."""
        closes = CLOSES[opened]
        self.depth += 1
        if self.depth > NESTED:
            self.refuse(self.tokens[self.at], f"operands are nested more than {NESTED} deep: nest fewer")
        self.at += 1
        made: list[Class] = [opened]
        while self.texts[self.at] != closes:
            made.append(self.one())
            if self.texts[self.at] == ",":
                self.at += 1
                if self.texts[self.at] == closes:
                    self.want("an operand")
            elif self.texts[self.at] != closes:
                self.want(f"',' or '{closes}'")
        self.at += 1
        self.depth -= 1
        return tuple(made)

    def _constant(self) -> Class:
        """Read a constant expression, and return whether it is an integer or a float."""
        found, depth, wants = "int", 0, True
        while True:
            text, kind = self.texts[self.at], self.tokens[self.at].lastgroup
            if wants:
                if kind in {INTEGER, FLOAT} or text in CONSTANT:
                    if kind == INTEGER and ptx_tokens.integer(text) is None:
                        self.refuse(
                            self.tokens[self.at],
                            f"the number {text[:SHOWN]} has more than 64 bits: write a smaller number",
                        )
                    if kind == FLOAT:
                        found = FLOATS.get(text[:2].lower(), "float")
                    wants = False
                elif text == "(":
                    depth += 1
                elif kind == DOTTED:  # a cast: (.s64)
                    if self.texts[self.at + 1] != ")" or self.texts[self.at - 1] != "(":
                        self.want("an operand")
                    self.at += 1
                    depth -= 1
                elif text not in UNARY:
                    self.want("an operand")
            elif text == ")" and depth:
                depth -= 1
            elif text in BINARY and (depth or text != "|"):
                wants = True
            elif depth:
                self.want("')'")
            else:
                return found
            self.at += 1

    def want(self, what: str) -> NoReturn:
        """Refuse the text, because an expected token is missing."""
        self.refuse(self.tokens[self.at], f"expected {what}, found {self.texts[self.at][:SHOWN]!r}")

    def refuse(self, match: re.Match[str], reason: str) -> NoReturn:
        """Refuse the text for a reason, at a token."""
        raise ptx_tokens.refused(self.text, match.start(match.lastgroup or 0), reason)
