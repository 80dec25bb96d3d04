"""The sentences of the manual, and what accounts for each that demands or promises something.

The manual is the docstrings of cuda.bindings.driver, of the version that ``rules/documented.json`` names. For each call,
``rules/sentences/<chapter>.toml`` lists accounts, in the order of the manual::

    [[cuMemMap]]
    says = "does not make the address accessible"
    by = ["copy.range.ACCESS_IS_GRANTED", "cuMemMap[valid]"]

    [[cuMemMap]]
    says = ["may fail if the devices", "CUDA_ERROR_ILLEGAL_STATE"]
    beyond = "multicast objects"

``says`` holds a few words of each sentence, enough to tell it from the call's others, without markup and on one line.
``by`` names the rules and the conformance cases that hold the driver to it. ``beyond`` says what the model lacks for
it, or for a part of it beside ``by``; ``describes`` why nobody could test it. ``python -m fakecuda.ledger --sentences``
lists the sentences that are left, ``--notes`` writes the accounts into ``docs/spec_notes.md``.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import re
import tomllib
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.ledger.codes import SPEC_FILES, docstring, modelled, version

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SENTENCES = SPEC_FILES / "sentences"

DEMANDS = re.compile(
    r"^(?:[A-Z]\w+ly [a-z]|(?!Th|Address|Flags)[A-Z])[a-z]+s\b"  # what the call does: "Frees …", "Explicitly destroys …"
    r"|\b(?i:must|shall|should|will|would|may|can|cannot|could|has to|have to|needs? to|are to|imperative|responsib\w+"
    r"|only|unless|until|if|when|once|never|always|not|no|returns?|(?:is|are|be|been|was|were) (?:\w+ )?returned"
    r"|undefined|illegal|invalid|valid|requires?|required|restricted|limitations|supported|fails?|failed"
    r"|ensures?|guarantees?|guaranteed|at most|at least|up to|without|automatically|immediately|safe|ignored|optional"
    r"|set to|result in|implies|equivalent|unique|equal|aligned|becomes?|creates|includes?|side effect)\b"
)
"""What a sentence has that demands or promises something."""

END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s+(?=[A-Z`:])")
HEADING = re.compile(r"\n(\w[\w ]*)\n-{3,}\n")
LINKED = re.compile(r":py:obj:`~\.([^`]*)`|`([^`]*)`")

KINDS = {"by": "held by rules or cases", "beyond": "beyond the model", "describes": "with nothing to test"}
"""Kinds of account, as a summary calls the sentences."""


@frozen
class Account:
    """What accounts for some sentences of a call.

    Attributes:
        says: A few words of each sentence.
        by: The ids of rules (``va.mem_map.FLAGS_ARE_ZERO``) and cases (``cuMemMap[valid]``) that hold the driver to it.
        beyond: What the model lacks for them, or for a part of them where ``by`` names something.
        describes: Why nobody could test them.
    """

    says: tuple[str, ...]
    by: tuple[str, ...] = ()
    beyond: str = ""
    describes: str = ""

    @property
    def kind(self) -> str:
        """What the account consists of, in the first place."""
        return next(kind for kind in KINDS if getattr(self, kind))


def plain(markup: str) -> str:
    """Return a docstring's text on one line: links by their names, without quotation."""
    return " ".join(LINKED.sub(lambda found: found[1] or found[2], markup).split())


def split(docstring: str) -> list[str]:
    """Return a docstring's sentences, each once, in order; a list's items and a parameter's description end one.

    Left out are the signature in the first line, the list of codes and what is seen also.
    """
    found = []
    for block in _blocks(docstring.partition("\n")[2]):
        joined = re.sub(r"(?<=\w)-\n\s*(?=\w)", "-", re.sub(r"^\s*- ", "", block))
        found += [plain(sentence) for sentence in END.split(joined) if sentence.strip()]
    return list(dict.fromkeys(found))


def _blocks(text: str) -> Iterator[str]:
    body, *rest = HEADING.split(text)
    sections = {"": body, **dict(zip(rest[::2], rest[1::2], strict=True))}
    for title, section in sections.items():
        if title in {"", "Notes"}:
            yield from re.split(r"\n\s*\n", section)
        elif title != "See Also":
            items = [item.partition("\n") for item in re.split(r"\n(?=\S)", section)]
            yield from (described for name, _, described in items if name != "CUresult")


def demanding(sentence: str) -> bool:
    """Return whether a sentence demands or promises something."""
    return DEMANDS.search(sentence) is not None


@lru_cache
def of(call: str) -> tuple[str, ...]:
    """Return the sentences of a call's manual.

    Raises:
        LookupError: The documented version of cuda-bindings is not installed; the text says how to get it.
    """
    try:
        installed = importlib.metadata.version("cuda-bindings")
    except importlib.metadata.PackageNotFoundError:
        installed = "none"
    if installed != version():
        msg = (
            f"the sentences are those of cuda-bindings {version()}, and {installed} is installed: "
            f"pip install cuda-bindings=={version()}"
        )
        raise LookupError(msg)
    return tuple(split(docstring(getattr(importlib.import_module("cuda.bindings.driver"), call))))


@lru_cache
def accounts(folder: Path = SENTENCES) -> dict[str, list[Account]]:
    """Return the accounts of every call that has some, read from ``<chapter>.toml``.

    Raises:
        ValueError: An account has other keys than it takes, or a call stands in two files; the text says which.
    """
    found: dict[str, list[Account]] = {}
    for path in sorted(folder.glob("*.toml")):
        chapter = read(path)
        if twice := found.keys() & chapter.keys():
            msg = f"{path.name}: {min(twice)} stands in another file, too"
            raise ValueError(msg)
        found |= chapter
    return found


def read(path: Path) -> dict[str, list[Account]]:
    """Return the accounts of a file by call; errors as :func:`accounts`."""
    calls = tomllib.loads(path.read_text())
    return {call: [_account(f"{path.name}: {call}", item) for item in items] for call, items in calls.items()}


def _account(place: str, item: dict[str, Any]) -> Account:
    kinds = set(item) - {"says"}
    if not item.get("says") or kinds not in ({"by"}, {"beyond"}, {"by", "beyond"}, {"describes"}):
        msg = f"{place}: an account has {sorted(item)}; it takes says, and by, beyond (or both) or describes"
        raise ValueError(msg)
    return Account(
        _several(item["says"]), _several(item.get("by", [])), item.get("beyond", ""), item.get("describes", "")
    )


def _several(item: str | list[str]) -> tuple[str, ...]:
    return (item,) if isinstance(item, str) else tuple(item)


def unaccounted(call: str) -> list[str]:
    """Return the demanding sentences of a call for which nothing accounts."""
    known = [words for account in accounts().get(call, ()) for words in account.says]
    return [one for one in of(call) if demanding(one) and not any(words in one for words in known)]


def summary() -> str:
    """Return one line that counts the sentences of the modelled calls and what accounts for those that demand."""
    known = accounts()
    kinds: Counter[str] = Counter()
    for call in modelled():
        for sentence in filter(demanding, of(call)):
            found = [one.kind for one in known.get(call, ()) if any(words in sentence for words in one.says)]
            kinds[min(found, key=list(KINDS).index, default="")] += 1
    total = sum(len(of(call)) for call in modelled())
    parts = ", ".join(f"{kinds[kind]} {title}" for kind, title in (KINDS | {"": "not accounted for"}).items())
    return f"sentences: {total}; demanding: {kinds.total()} ({parts})"
