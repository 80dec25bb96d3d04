"""Changes of PTX: tokens, modifiers, types, registers, labels, versions, targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.model.code.ptx_declarations import REGISTERS
from fakecuda.model.code.ptx_tokens import DOTTED, FLOAT, INTEGER, NAME, PUNCTUATION, tokens
from fakecuda.spec import ptx as spec
from fakecuda.spec.ptx.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from fakecuda.model.code.ptx_tokens import Token

    Change = Callable[[Random, "Text"], tuple[int, int, str]]

HEADER = 6
"""The number of header tokens: version, target and address size."""
MODIFIERS = (
    *(
        ".sat",
        ".ftz",
        ".rn",
        ".rz",
        ".cc",
        ".wide",
        ".lo",
        ".hi",
        ".approx",
        ".full",
        ".sync",
        ".aligned",
        ".uni",
        ".relu",
    ),
    *(
        ".global",
        ".shared",
        ".local",
        ".const",
        ".param",
        ".volatile",
        ".relaxed",
        ".acquire",
        ".gpu",
        ".cta",
        ".sys",
        ".nc",
    ),
    *(
        ".eq",
        ".lt",
        ".ltu",
        ".lo",
        ".and",
        ".or",
        ".v2",
        ".v4",
        ".to",
        ".ca",
        ".cg",
        ".add",
        ".min",
        ".cas",
        ".noftz",
        ".any",
    ),
)
VERSIONS = ("1.0", "2.3", "3.2", "4.3", "5.0", "6.0", "6.3", "6.4", "7.0", "7.5", "7.8", "8.0", "8.6", "9.0")
NUMBERS = ("0", "1", "-1", "5", "255", "65536", "0x7fffffff", "4294967296", "1.5", "0f3F800000", "0d3FF0000000000000")


@frozen
class Text:
    """A text and its tokens.

    Attributes:
        text: The text.
        tokens: Its tokens.
        kinds: The numbers of the tokens of each kind, without its head.
    """

    text: str
    tokens: list[Token]
    kinds: dict[str, list[int]]

    @classmethod
    def of(cls, text: str) -> Text:
        """Return a text with its tokens."""
        found = list(tokens(text.encode("latin-1")))
        kinds: dict[str, list[int]] = {}
        for number, one in enumerate(found[HEADER:], HEADER):
            kinds.setdefault(one.kind, []).append(number)
        return cls(text, found, kinds)

    def any(self, random: Random, *kinds: str) -> int:
        """Return the index of a token of some kinds."""
        return random.choice([number for kind in kinds for number in self.kinds.get(kind, [])] or [HEADER - 1])

    def among(self, random: Random, words: object) -> int:
        """Return the index of a token that is one of some words."""
        found = [number for number in self.kinds.get(DOTTED, []) if self.tokens[number].text in words]  # type: ignore[operator]
        return random.choice(found or [HEADER - 1])


def _instead(number: int, text: Text, new: str) -> tuple[int, int, str]:
    one = text.tokens[number]
    return one.offset, one.end, new


def _drop(random: Random, text: Text) -> tuple[int, int, str]:
    return _instead(text.any(random, *text.kinds), text, "")


def _double(random: Random, text: Text) -> tuple[int, int, str]:
    number = text.any(random, *text.kinds)
    word = text.tokens[number].text
    return _instead(number, text, f"{word} {word}")


def _swap(random: Random, text: Text) -> tuple[int, int, str]:
    """Replace a token by another of its kind from the text."""
    number = text.any(random, NAME, DOTTED, INTEGER, FLOAT, PUNCTUATION)
    kind = text.tokens[number].kind
    return _instead(number, text, text.tokens[text.any(random, kind)].text)


def _near(random: Random, text: Text) -> tuple[int, int, str]:
    """Replace a name by a nearby name, which is often declared."""
    number = text.any(random, NAME)
    near = [one for one in text.kinds.get(NAME, [HEADER - 1]) if abs(one - number) < 40]
    return _instead(number, text, text.tokens[random.choice(near or [number])].text)


def _add(random: Random, text: Text) -> tuple[int, int, str]:
    one = text.tokens[text.any(random, DOTTED)]
    return one.offset, one.offset, random.choice(MODIFIERS)


def _remove(random: Random, text: Text) -> tuple[int, int, str]:
    return _instead(text.any(random, DOTTED), text, "")


def _reorder(random: Random, text: Text) -> tuple[int, int, str]:
    number = text.any(random, DOTTED)
    one, other = text.tokens[number], text.tokens[min(number + 1, len(text.tokens) - 1)]
    if other.kind != DOTTED:
        return one.offset, one.offset, ""
    return one.offset, other.end, other.text + one.text


def _modifier(random: Random, text: Text) -> tuple[int, int, str]:
    return _instead(text.any(random, DOTTED), text, random.choice(MODIFIERS))


def _type(random: Random, text: Text) -> tuple[int, int, str]:
    return _instead(text.among(random, TYPES), text, random.choice(sorted(REGISTERS)))


def _number(random: Random, text: Text) -> tuple[int, int, str]:
    return _instead(text.any(random, INTEGER, FLOAT), text, random.choice(NUMBERS))


def _instruction(random: Random, text: Text) -> tuple[int, int, str]:
    """Replace an instruction's name by another instruction's."""
    found = [one for one in text.kinds.get(NAME, []) if spec.instruction(text.tokens[one].text)]
    return _instead(random.choice(found or [HEADER - 1]), text, random.choice(spec.names()))


def _statement(random: Random, text: Text) -> tuple[int, int, str]:
    """Remove or move a statement."""
    ends = [number for number in text.kinds.get(PUNCTUATION, []) if text.tokens[number].text in {";", "{", "}"}]
    if len(ends) < 3:
        return 0, 0, ""
    place = random.randrange(len(ends) - 1)
    return text.tokens[ends[place]].end, text.tokens[ends[place + 1]].end, ""


def _version(random: Random, text: Text) -> tuple[int, int, str]:
    return _instead(1, text, random.choice(VERSIONS))


def _target(random: Random, text: Text) -> tuple[int, int, str]:
    return _instead(3, text, random.choice([name for name in spec.table("isa")["targets"] if len(name) < 6]))


CHANGES: dict[str, Change] = {
    "drop": _drop,
    "double": _double,
    "swap": _swap,
    "near": _near,
    "add": _add,
    "remove": _remove,
    "reorder": _reorder,
    "modifier": _modifier,
    "type": _type,
    "number": _number,
    "instruction": _instruction,
    "statement": _statement,
    "version": _version,
    "target": _target,
}
"""Functions that return the place and the text of a change."""
RARE = frozenset({"version", "target"})
NAMES = [name for name in CHANGES for _ in range(1 if name in RARE else 3)]


def changed(random: Random, text: str) -> tuple[str, str]:
    """Return a text with a change, and the change's name."""
    name = random.choice(NAMES)
    start, end, new = CHANGES[name](random, Text.of(text))
    return text[:start] + new + text[end:], name
