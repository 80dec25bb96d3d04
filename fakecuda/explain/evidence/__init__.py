"""Evidence: knowledge about rules and calls that is not in the rules themselves, one file for each chapter.

``evidence/<API>/<chapter>.toml``, beside this module, is written by hand. A file is a list of entries; ``[[note]]`` and the
other kinds are explained in :data:`KINDS`. ``call``, ``rule``, ``code``, ``kind``, ``says``, ``by``, ``driver``, ``differs`` and ``version``
take a text or a list of texts; line breaks in a text count as spaces. A ``call`` of ``*`` in ``[[unreachable]]`` is every call of the chapter
whose manual names the code and whose rules do not give it. An entry stands in the file of the chapter of its call; one that
names no call, in that of its rule. What applies to several chapters is said in each of them.

What recordings say alone is not written by hand: :data:`ANSWERS` is derived from them.

Who reads it: :mod:`fakecuda.explain.ledger` and the prompt, ``python -m tools.codegen pages``, which writes the pages of
``docs/rules``, and the conformance suite. All read it by :func:`entries`, which refuses what is malformed.
"""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.rules.dispatch import HOMES
from fakecuda.rules.registry import EVERY_API, chapter

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

FOLDER = Path(__file__).parent
ANSWERS = FOLDER / "generated" / "answers.json"
"""Recorded answers of drivers to broken rules, by card and rule."""
EMULATED = "emulated"
"""The prefix of a card that a program emulates, in names and in folders."""
SHOWN = Path("fakecuda", "explain", "evidence")
"""The path of the evidence in messages."""


@frozen
class Kind:
    """A kind of entry.

    Attributes:
        says: What an entry of it says.
        needs: The keys that it must have.
        takes: Those that it may have besides.
    """

    says: str
    needs: tuple[str, ...]
    takes: tuple[str, ...] = ()


KINDS = {
    "note": Kind(
        "about one rule or one call: what a driver does beyond the recorded answers (driver), and how the driver differs "
        "from the manual (differs)",
        (),
        ("call", "rule", "driver", "differs"),
    ),
    "sentence": Kind(
        "which rules and cases (by) hold a driver to sentences of a call's manual, named by a few words of each (says); or what "
        "the model lacks for them (beyond), or why they cannot be tested (describes)",
        ("call", "says"),
        ("by", "beyond", "describes"),
    ),
    "unreachable": Kind("why no program brings a documented code about", ("call", "code", "reason")),
    "contradicted": Kind(
        "what a driver answers instead of a documented code, as a program of a recording shows",
        ("call", "code", "reason", "answers", "recording", "program"),
    ),
    "otherwise": Kind(
        "by which rule an implementation without recordings answers something other than a documented code",
        ("call", "code", "reason", "rule"),
    ),
    "read": Kind(
        "where a rule was read in HIP's sources (file, function) and in which versions of them (version); whether that confirmed the "
        "model, corrected it or shows where it differs (found), and how (differs)",
        ("rule", "file", "function", "version", "found"),
        ("differs",),
    ),
    "shared": Kind(
        "what AMD's library has of a rule of CUDA's that calls of HIP check, too (says), and whether that confirms the rule, it has "
        "no state for the rule (absent), it answers otherwise (differs), or nothing shows it (unconfirmed) (found); where it was "
        "read (file, function), in which versions (version)",
        ("rule", "found", "says"),
        ("file", "function", "version"),
    ),
    "undocumented": Kind("why a rule gives a code that the manual does not name for a call", ("rule", "reason")),
    "unreached": Kind("why the programs of the state machine do not break a rule", ("rule", "reason")),
    "survivor": Kind("why no program tells a mutant from the operation", ("call", "rule", "kind", "reason")),
}
"""The kinds of entries by name."""
LISTS = {"call", "rule", "code", "kind", "says", "by", "driver", "differs", "version"}
"""Keys whose value may be a list."""
FOUND = ("confirmed", "corrected", "differs")
"""Results of a comparison between a rule in a source and the model."""
OF_HIP = ("confirmed", "absent", "differs", "unconfirmed")
"""What is known about a rule that HIP shares with CUDA."""
WHERE = {"file", "function", "version"}
"""The keys of an entry about a source that was read."""


EVERY = "*"
"""The name that stands for every call of a chapter."""


class EvidenceError(ValueError):
    """An exception: evidence is malformed; the text names file, entry and fix."""


@frozen
class Entry:
    """An entry of a file of evidence.

    Attributes:
        kind: Its kind, one of :data:`KINDS`.
        chapter: The chapter whose file it stands in.
        place: The file and the entry, for messages.
        values: Its texts by key, with single spaces. A note that is derived has the key ``card``, too.
    """

    kind: str
    chapter: str
    place: str
    values: dict[str, tuple[str, ...]]

    def all(self, key: str) -> tuple[str, ...]:
        """Return the texts of a key; empty if the entry does not have it."""
        return self.values.get(key, ())

    def one(self, key: str) -> str:
        """Return the text of a key; empty if the entry does not have it."""
        return "".join(self.all(key)[:1])


def path_of(name: str, folder: Path = FOLDER) -> Path:
    """Return the file of a chapter, such as ``va`` or ``hip.copy``."""
    api, _, rest = name.rpartition(".")
    return folder / (api or "driver") / f"{rest}.toml"


def _chapter(path: Path) -> str:
    """Return the chapter of a file."""
    return path.stem if path.parent.name == "driver" else f"{path.parent.name}.{path.stem}"


def file_of(name: str) -> str:
    """Return the evidence file of a call or rule, from the checkout's root."""
    return path_of(chapter(_module(name) or name), SHOWN).as_posix()


def entries(*kinds: str, folder: Path = FOLDER, of: Collection[str] = ()) -> list[Entry]:
    """Return the entries of some kinds, in the order of files and of entries.

    Args:
        kinds: Names of :data:`KINDS`; all by default.
        folder: Where the files are, in a folder for each API.
        of: Calls and ids of rules: only the files of their chapters are read. All files by default.

    Raises:
        EvidenceError: A file is malformed.
    """
    paths = [path for api in EVERY_API for path in sorted((folder / api).glob("*.toml"))]
    if of:
        wanted = {path_of(chapter(_module(name) or name), folder) for name in of}
        paths = [path for path in paths if path in wanted]
    return [entry for path in paths for entry in _read(path) if not kinds or entry.kind in kinds]


@cache
def answers() -> dict[str, tuple[str, str]]:
    """Return the card and its recorded answer by rule, unless a note has it."""
    found: dict[str, tuple[str, str]] = {}
    for card, texts in _recorded().items():
        for rule, text in texts.items():
            found.setdefault(rule, (card, text))
    return found


@cache
def of_amd() -> dict[str, str]:
    """Return the answers of AMD's library on an emulated card, by rule."""
    return {
        rule: text for card, texts in _recorded().items() if card.startswith(EMULATED) for rule, text in texts.items()
    }


@cache
def _recorded() -> dict[str, dict[str, str]]:
    """Return the derived answers by card and rule, real cards first."""
    found: dict[str, dict[str, str]] = json.loads(ANSWERS.read_text(encoding="utf-8"))
    return dict(sorted(found.items(), key=lambda item: item[0].startswith(EMULATED)))


def _derived(rule: str) -> list[Entry]:
    """Return the recorded answers for a rule, as a note."""
    if rule not in answers():
        return []
    card, text = answers()[rule]
    values: dict[str, tuple[str, ...]] = {"rule": (rule,), "driver": (text,), "card": (card,)}
    return [Entry("note", chapter(rule), ANSWERS.relative_to(FOLDER.parents[2]).as_posix(), values)]


@cache
def notes() -> dict[str, list[Entry]]:
    """Return the notes of each call or rule: its recorded answers, and its entries ``[[note]]``."""
    found = {rule: _derived(rule) for rule in answers()}
    for entry in entries("note"):
        for name in entry.all("call") or entry.all("rule"):
            found.setdefault(name, []).append(entry)
    return found


@cache
def readings() -> dict[str, Entry]:
    """Return by rule the ``[[read]]`` entry: where it was read in a source.

    Raises:
        EvidenceError: A rule has two.
    """
    found: dict[str, Entry] = {}
    for entry in entries("read"):
        for name in entry.all("rule"):
            if name in found:
                msg = (
                    f"{entry.place}: rule {name} has an entry at {found[name].place} already: move the versions of "
                    "this entry to that one, and remove this one"
                )
                raise EvidenceError(msg)
            found[name] = entry
    return found


@cache
def shared() -> dict[str, Entry]:
    """Return by rule the ``[[shared]]`` entry: what AMD's library has of it.

    Raises:
        EvidenceError: A rule has two.
    """
    found: dict[str, Entry] = {}
    for entry in entries("shared"):
        for name in entry.all("rule"):
            if name in found:
                msg = f"{entry.place}: rule {name} has an entry at {found[name].place} already: remove one of them"
                raise EvidenceError(msg)
            found[name] = entry
    return found


def of_rule(rule: str) -> list[Entry]:
    """Return the recorded answers for a rule, and its entries.

    Raises:
        EvidenceError: The file is malformed.
    """
    path = path_of(chapter(rule))
    noted = [entry for entry in _read(path) if rule in entry.all("rule")] if path.exists() else []
    return [*_derived(rule), *noted]


@cache
def _read(path: Path) -> tuple[Entry, ...]:
    name = (SHOWN / path.parent.name / path.name).as_posix()
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        msg = f"{name}: {error}"
        raise EvidenceError(msg) from error
    return tuple(
        _entry(kind, f"{name}, [[{kind}]] {number}", item, path)
        for kind, items in data.items()
        for number, item in enumerate(items if isinstance(items, list) else [items], 1)
    )


def _entry(kind: str, place: str, item: Any, path: Path) -> Entry:
    mistakes = list(_mistakes(kind, item))
    if not mistakes:
        values = {
            key: tuple(" ".join(text.split()) for text in (value if isinstance(value, list) else [value]))
            for key, value in item.items()
        }
        names = values.get("call") or values["rule"]
        every = kind == "unreachable" and names == (EVERY,)
        mistakes = [] if every else list(filter(None, (_misplaced(name, path) for name in names)))
    if mistakes:
        msg = f"{place}: {'; '.join(mistakes)}"
        raise EvidenceError(msg)
    return Entry(kind, _chapter(path), place, values)


def _misplaced(name: str, path: Path) -> str:
    """Return why an entry cannot be in a file; empty if it can."""
    module = _module(name)
    if module is None:
        return f"{name} is neither a modelled call nor a rule: correct it, or drop the entry"
    if path_of(chapter(module), path.parents[1]) != path:
        return f"{name} is of another chapter: it stands in {path_of(chapter(module), SHOWN)}"
    return ""


def _mistakes(kind: str, item: Any) -> Iterator[str]:
    """Yield each mistake of an entry, with its correction."""
    if kind not in KINDS or not isinstance(item, dict):
        yield f"the kinds of entries are {', '.join(f'[[{name}]]' for name in KINDS)}"
        return
    needs, takes = KINDS[kind].needs, KINDS[kind].takes
    wanted = f"[[{kind}]] needs {', '.join(needs) or 'call or rule'}" + (
        f" and takes {', '.join(takes)}" if takes else ""
    )
    if missing := [key for key in needs if key not in item]:
        yield f"lacks {', '.join(missing)}; {wanted}"
    if unknown := sorted(item.keys() - {*needs, *takes}):
        yield f"has unknown {', '.join(unknown)}; {wanted}"
    for key, value in item.items():
        texts = value if isinstance(value, list) and key in LISTS else [value]
        if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
            yield f"{key} is a text{' or a list of texts' if key in LISTS else ''}, and not empty"
    given = set(item)
    if kind == "note" and (("call" in given) == ("rule" in given) or not given & {"driver", "differs"}):
        yield "a note is of one call or one rule, and has driver or differs"
    if kind == "read" and (item.get("found") not in FOUND or (item.get("found") == "differs") != ("differs" in given)):
        yield f"found is {', '.join(FOUND)}, and the last one alone has differs"
    if kind == "shared":
        yield from _shared(item, given)
    if kind == "sentence" and given - {"call", "says"} not in ({"by"}, {"beyond"}, {"by", "beyond"}, {"describes"}):
        yield "a sentence takes by, beyond (or both) or describes"


def _shared(item: dict[str, Any], given: set[str]) -> Iterator[str]:
    """Yield the mistakes of an entry about a rule that HIP shares."""
    if item.get("found") not in OF_HIP:
        yield f"found is {', '.join(OF_HIP)}"
    if given & WHERE not in (set(), WHERE):
        yield "file, function and version stand together"
    if item.get("found") in {"confirmed", "differs"} and not given & WHERE:
        yield "what is confirmed or differs was read in a file, a function and a version"


def _module(name: str) -> str | None:
    """Return the module of a call, or a rule's id; None for neither."""
    if name.rpartition(".")[2].isupper():
        return name
    return next((homes[name] for homes in HOMES.values() if name in homes), None)
