"""The sentences of the manual, and what accounts for each requirement.

The manual is the docstrings of cuda.bindings.driver, of the version that ``api/generated/driver.documented.json`` names. What accounts for a
call's sentences stands in the :mod:`fakecuda.explain.evidence` of its chapter, in the order of the manual::

    [[sentence]]
    call = "cuMemMap"
    says = "does not make the address accessible"
    by = ["copy.range.ACCESS_IS_GRANTED", "cuMemMap[valid]"]

    [[sentence]]
    call = "cuMemMap"
    says = ["may fail if the devices", "CUDA_ERROR_ILLEGAL_STATE"]
    beyond = "multicast objects"

``says`` holds a few words of each sentence, enough to tell it from the call's others, without markup and on one line.
``by`` names the rules and the conformance cases that hold the driver to it. ``beyond`` says what the model lacks for
it, or for a part of it beside ``by``; ``describes`` says why it cannot be tested. ``python -m fakecuda.explain.ledger
--sentences``
lists the sentences that are left; ``python -m tools.codegen pages`` writes the accounts into the pages of ``docs/rules``.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.explain import evidence
from fakecuda.explain.ledger.codes import docstring, modelled, version

if TYPE_CHECKING:
    from collections.abc import Iterator

DEMANDS = re.compile(
    r"^(?:[A-Z]\w+ly [a-z]|(?!Th|Address|Flags)[A-Z])[a-z]+s\b"  # what the call does: "Frees …", "Explicitly destroys …"
    r"|\b(?i:must|shall|should|will|would|may|can|cannot|could|has to|have to|needs? to|are to|imperative|responsib\w+"
    r"|only|unless|until|if|when|once|never|always|not|no|returns?|(?:is|are|be|been|was|were) (?:\w+ )?returned"
    r"|undefined|illegal|invalid|valid|requires?|required|restricted|limitations|supported|fails?|failed"
    r"|ensures?|guarantees?|guaranteed|at most|at least|up to|without|automatically|immediately|safe|ignored|optional"
    r"|set to|result in|implies|equivalent|unique|equal|aligned|becomes?|creates|includes?|side effect)\b"
)
"""Matches sentences that require or promise something."""

END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s+(?=[A-Z`:])")
HEADING = re.compile(r"\n(\w[\w ]*)\n-{3,}\n")
LINKED = re.compile(r":py:obj:`~\.([^`]*)`|`([^`]*)`")

KINDS = {"by": "held by rules or cases", "beyond": "beyond the model", "describes": "with nothing to test"}
"""Kinds of account, with their titles in a summary."""


@frozen
class Account:
    """What accounts for some sentences of a call.

    Attributes:
        says: A few words of each sentence.
        by: The ids of rules (``va.mem_map.FLAGS_ARE_ZERO``) and cases (``cuMemMap[valid]``) that hold the driver to it.
        beyond: What the model lacks for them, or for the part that ``by`` does not cover.
        describes: Why they cannot be tested.
    """

    says: tuple[str, ...]
    by: tuple[str, ...] = ()
    beyond: str = ""
    describes: str = ""

    @property
    def kind(self) -> str:
        """The main kind of the account."""
        return next(kind for kind in KINDS if getattr(self, kind))


def plain(markup: str) -> str:
    """Return a docstring as one line of text without markup."""
    return " ".join(LINKED.sub(lambda found: found[1] or found[2], markup).split())


def split(docstring: str) -> list[str]:
    """Return the distinct sentences of a docstring, in order.

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
    """Return whether a sentence requires or promises something."""
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
            f"fakecuda reads the sentences of a call's manual from cuda-bindings {version()}, but the installed "
            f"release is {installed}: pip install cuda-bindings=={version()}"
        )
        raise LookupError(msg)
    return tuple(split(docstring(getattr(importlib.import_module("cuda.bindings.driver"), call))))


@lru_cache
def accounts() -> dict[str, list[Account]]:
    """Return the accounts of all calls."""
    found: dict[str, list[Account]] = {}
    for entry in evidence.entries("sentence"):
        for call in entry.all("call"):
            account = Account(entry.all("says"), entry.all("by"), entry.one("beyond"), entry.one("describes"))
            found.setdefault(call, []).append(account)
    return found


def unaccounted(call: str) -> list[str]:
    """Return the requirements in a call's manual without an account."""
    known = [words for account in accounts().get(call, ()) for words in account.says]
    return [one for one in of(call) if demanding(one) and not any(words in one for words in known)]


def summary() -> str:
    """Return a line that counts the sentences of modelled calls by account."""
    known = accounts()
    kinds: Counter[str] = Counter()
    for call in modelled():
        for sentence in filter(demanding, of(call)):
            found = [one.kind for one in known.get(call, ()) if any(words in sentence for words in one.says)]
            kinds[min(found, key=list(KINDS).index, default="")] += 1
    total = sum(len(of(call)) for call in modelled())
    parts = ", ".join(f"{kinds[kind]} {title}" for kind, title in (KINDS | {"": "not accounted for"}).items())
    return f"sentences: {total}; demanding: {kinds.total()} ({parts})"
