"""Phrases that make prose hard to read, and how often each may still occur: ``python -m tests.docs.phrases`` lowers the numbers.

They are counted in pages, docstrings, comments, messages and test names: in the text of every hand-written file. Quotations of the
manual do not count.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

from fakecuda.explain import evidence
from tests.docs.blocks import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

ALLOWED = ROOT / "tests" / "docs" / "phrases.toml"
CODE = ("fakecuda", "realcuda", "conformance", "tests", "tools", "benchmarks")
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "tests/README.md", "docs/*.md", "docs/guides/*.md")
GENERATED = {"museum.md", "profiles.md", "drivers.md", "clients.md", "spec_notes.md"}
"""Pages that are generated from code and evidence, which is counted itself."""
QUOTED = re.compile(r'manual\((?:\s*"[^"\n]*",?)+')
"""A rule's quotation of the manual."""
INSTEAD = {
    "is told": "say who does what: reports, prints, raises, returns, records",
    "are told": "say who does what: reports, prints, raises, returns, records",
    "was told": "say who does what: reports, prints, raises, returns, records",
    "be told": "say who does what: reports, prints, raises, returns, records",
    "nobody": "negate the verb, and name who: no thread, no process, no caller",
    "somebody": "name who: a caller, another thread, another process",
    "whoever": "name who: a caller, a reader, a thread",
    "of which": "write two sentences",
    "of whose": "write two sentences",
    "in whose": "write two sentences",
    "is none": "negate the verb: is not an array",
    "are none": "negate the verb: are not arrays",
    "there is none": "write: if it is missing, without one, None if …",
    "None where": "write: None if …",
    "one that": "repeat the noun",
    "likewise": "say what: the same, also",
    "of such": "repeat the noun",
    "otherwise than": "write: differently from",
    "as ever": "write: as usual, unchanged",
    "anew": "write: again",
    "put away": "CUDA's word is checkpointed; else write: stored, deferred",
    "put by": "write: deferred, kept for later",
    "brought back": "CUDA's word is restored",
    "function of the host": "CUDA's word is host function",
    "functions of the host": "CUDA's word is host functions",
    "memory of the host": "CUDA's word is host memory",
}
"""Each phrase, and the replacement to suggest."""
BEFORE = {"one that": frozenset(',.;:("')}
"""The text before a phrase if it counts only at the beginning of a clause."""
EXEMPT = {"of such": " as"}
"""Text after a phrase that makes it acceptable."""


def files() -> Iterator[Path]:
    """Yield every hand-written file with prose, but for those of this list."""
    for folder in CODE:
        for path in (ROOT / folder).rglob("*.py"):
            if "generated" not in path.parts and "phrases" not in path.name:
                yield path
    yield from evidence.FOLDER.rglob("*.toml")
    for pattern in PAGES:
        yield from (path for path in ROOT.glob(pattern) if path.name not in GENERATED)


def joined(texts: Iterable[str]) -> str:
    """Return texts without quotations and with single spaces: a phrase may stand on two lines, of a comment, too."""
    text = "\n".join(texts).replace("\n", " ")
    for many in (16, 8, 4, 2, 2, 2):
        text = text.replace(" " * many, " ")
    return QUOTED.sub("", text.replace(" # ", " "))


def count(text: str, phrase: str) -> int:
    """Return how often a phrase stands in a text, at the beginning of a sentence, too."""
    return sum(
        1
        for form in {phrase, phrase[0].upper() + phrase[1:]}
        for start in places(text, form)
        if stands(text, start, start + len(form), phrase)
    )


def places(text: str, form: str) -> Iterator[int]:
    """Yield where a form of a phrase begins."""
    start = text.find(form)
    while start >= 0:
        yield start
        start = text.find(form, start + 1)


def stands(text: str, start: int, end: int, phrase: str) -> bool:
    """Return whether what was found is the phrase: whole words, which nothing exempts."""
    if text[start - 1 : start].isalpha() or text[end : end + 1].isalpha():
        return False
    exempt = EXEMPT.get(phrase)
    if exempt is not None and text.startswith(exempt, end):
        return False
    before = BEFORE.get(phrase)
    return before is None or text[max(start - 3, 0) : start].rstrip()[-1:] in before


def counted() -> dict[str, int]:
    """Return how often each phrase occurs."""
    text = joined(path.read_text(encoding="utf-8") for path in files())
    return {phrase: count(text, phrase) for phrase in INSTEAD}


def allowed() -> dict[str, int]:
    """Return how often each phrase may occur."""
    numbers: dict[str, int] = tomllib.loads(ALLOWED.read_text(encoding="utf-8"))["allowed"]
    return numbers


def complaints(found: dict[str, int], most: dict[str, int]) -> list[str]:
    """Return what is wrong with the numbers: a phrase that is used more often than allowed, or a number that is too high.

    Args:
        found: How often each phrase occurs.
        most: How often it may occur.
    """
    wrong = [
        f'{number} times "{phrase}", {most.get(phrase, 0)} allowed: {INSTEAD[phrase]}'
        for phrase, number in found.items()
        if number > most.get(phrase, 0)
    ]
    high = [phrase for phrase, number in most.items() if number > found.get(phrase, 0)]
    if high:
        wrong.append(
            f"fewer than allowed: {', '.join(high)}: run python -m tests.docs.phrases and commit {ALLOWED.name}"
        )
    return wrong


def main() -> None:
    """Lower the numbers to what is found; a number never rises."""
    most = allowed()
    numbers = {phrase: min(number, most.get(phrase, 0)) for phrase, number in counted().items()}
    head = ALLOWED.read_text(encoding="utf-8").partition("[allowed]")[0]
    rows = "".join(f'"{phrase}" = {number}\n' for phrase, number in numbers.items())
    ALLOWED.write_text(f"{head}[allowed]\n{rows}", encoding="utf-8")


if __name__ == "__main__":
    main()
