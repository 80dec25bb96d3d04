"""Tab completion of the prompt.

Functions from a text and a cursor to candidates, from the calls' descriptions.
"""

from __future__ import annotations

import builtins
import re
import rlcompleter
from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.explain.ledger import modelled
from fakecuda.prompt import work_tables  # noqa: F401 - it registers its tables
from fakecuda.prompt.objects import live, variables
from fakecuda.prompt.tables import topics
from fakecuda.reach.bindings.c import CLevel
from fakecuda.reach.bindings.driver import Driver
from fakecuda.reach.process import ThreadDoor
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.driver import CALLS, ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fakecuda.machine.machine import Machine
    from fakecuda.reach.process import Process
    from fakecuda.spec.description import Function, Param

    Names = Mapping[str, Any]

INDENT = "    "
WORD = re.compile(r"[\w.]*\Z")
KEYWORD = re.compile(r"\s*(\w+)\s*=(?!=)")
TOKEN = re.compile(
    r"""(?P<text>\#[^\n]*|'''(?s:.*?)(?:'''|\Z)|\"""(?s:.*?)(?:\"""|\Z)|'(?:\\.|[^'\\\n])*(?:'|\Z)|"(?:\\.|[^"\\\n])*(?:"|\Z))"""
    r"|(?P<name>[A-Za-z_][\w.]*)|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<comma>,)|(?P<other>\S)"
)
QUOTED: dict[str, Callable[[], list[str]]] = {"rules": modelled, "show": topics}
"""The prompt's functions that take a name in quotes, with the names."""


@frozen
class Candidate:
    """A possible completion of the word before the cursor.

    Attributes:
        text: The completed word.
        note: A short explanation.
    """

    text: str
    note: str = ""


@frozen
class Place:
    """The position of the cursor in a statement.

    Attributes:
        word: The word that ends at the cursor.
        callee: The dotted name before the innermost open parenthesis; empty without one.
        arguments: The arguments up to the cursor, as text, the current one last.
        quote: The quotation mark of the string around the cursor; empty outside of strings.
    """

    word: str
    callee: str
    arguments: tuple[str, ...]
    quote: str

    @property
    def door(self) -> str:
        """The callee without its last name."""
        return self.callee.rpartition(".")[0]

    @property
    def keyword(self) -> str:
        """The keyword of the current argument; empty without a keyword."""
        given = KEYWORD.match(self.arguments[-1]) if self.arguments else None
        return given[1] if given else ""


def place_of(text: str, cursor: int) -> Place:
    """Return the position of a cursor in a text."""
    before = text[:cursor]
    opened: list[tuple[str, list[int]]] = []
    name = quote = ""
    for token in TOKEN.finditer(before):
        match token.lastgroup:
            case "open":
                opened.append((name if token[0] == "(" else "", [token.end()]))
            case "close" if opened:
                opened.pop()
            case "comma" if opened:
                opened[-1][1].append(token.end())
            case "text" if token.end() == len(before) and token[0][0] in "'\"":
                mark = token[0][:3] if token[0].startswith(("'''", '"""')) else token[0][0]
                quote = mark if len(token[0]) < 2 * len(mark) or not token[0].endswith(mark) else ""
        name = token[0] if token.lastgroup == "name" else ""
    callee, starts = opened[-1] if opened else ("", [])
    ends = [*(start - 1 for start in starts[1:]), len(before)]
    arguments = tuple(before[start:end] for start, end in zip(starts, ends, strict=True)) if callee else ()
    word = WORD.search(before)
    assert word is not None
    return Place(word[0], callee, arguments, quote)


def complete(text: str, cursor: int, names: Names, machine: Machine) -> list[Candidate]:
    """Return possible completions of the word before the cursor.

    Args:
        text: The typed line, with the earlier lines of its statement.
        cursor: The cursor's index in the text.
        names: The names of the prompt.
        machine: The machine.
    """
    place = place_of(text, cursor)
    if place.quote:
        return _quoted(place, names)
    if not text[:cursor].rpartition("\n")[2].strip():
        return [Candidate(INDENT)]
    call = call_at(place, names)
    return (_of_call(place, call, names, machine) if call else []) or _named(place, names)


def call_at(place: Place, names: Names) -> Function | None:
    """Return the call whose parentheses enclose the cursor; None without a call."""
    at_door = isinstance(_resolved(place.door, names), Driver | CLevel)
    return CALLS.get(place.callee.rpartition(".")[2]) if at_door else None


def signature(call: Function, place: Place) -> str:
    """Return a call's parameters with their C types, with the current one in brackets."""
    at = _parameter(call, place)
    shown = [f"{p.keyword or p.name}: {p.type}{'*' * p.pointer}" for p in call.inputs]
    return f"{call.name}({', '.join(f'[{text}]' if p is at else text for p, text in zip(call.inputs, shown, strict=True))})"


def _parameter(call: Function, place: Place) -> Param | None:
    """Return the parameter of the current argument."""
    if place.keyword:
        return next((p for p in call.inputs if p.keyword == place.keyword), None)
    position = len(place.arguments) - 1
    named = any(KEYWORD.match(argument) for argument in place.arguments)
    return call.inputs[position] if position < len(call.inputs) and not named else None


def _of_call(place: Place, call: Function, names: Names, machine: Machine) -> list[Candidate]:
    """Return values for the current parameter.

    If the parameter has no value yet, add the remaining keywords.
    """
    plain = isinstance(_resolved(place.door, names), CLevel)
    param = _parameter(call, place)
    with machine.lock:
        values = _values(param, _process(place.door, names, machine), names, plain=plain) if param else []
    word = place.word.lower()
    fitting = [c for c in values if any(part.lower().startswith(word) for part in (c.text, c.text.rpartition(".")[2]))]
    if place.keyword or place.arguments[-1].strip() != place.word or (fitting and not word):
        return fitting
    return fitting + [c for c in _keywords(call, place, plain=plain) if c.text.startswith(place.word)]


def _keywords(call: Function, place: Place, *, plain: bool) -> list[Candidate]:
    """Return the keywords that a call still accepts; at the C level, only ``null``."""
    if plain:
        full = len(place.arguments) > len(call.inputs)
        return [Candidate("null=", "results whose pointer is null")] if full and call.outputs else []
    given = [KEYWORD.match(argument) for argument in place.arguments[:-1]]
    named = {match[1] for match in given if match}
    left = call.inputs[given.count(None) :]
    return [Candidate(f"{p.keyword}=", p.type + "*" * p.pointer) for p in left if p.keyword not in named]


def _values(param: Param, process: Process | None, names: Names, *, plain: bool) -> list[Candidate]:
    """Return values for a parameter.

    These are members of its enum, variables with a live value, and live values.
    """
    if param.type in ENUMS:
        return [Candidate(f"{param.type}.{name}", str(value)) for name, value in ENUMS[param.type].items()]
    values = live(process, param.type) if process else {}
    held = [
        Candidate(name, str(values[value]))
        for name, item, value in variables(names)
        if value in values and (not plain or isinstance(item, int | bytes))
    ]
    literal = str if param.type == "CUdevice" else hex
    literals = [
        Candidate(literal(value) if isinstance(value, int) else repr(value), str(item))
        for value, item in values.items()
        if plain or isinstance(value, int)
    ]
    return held + literals


def _quoted(place: Place, names: Names) -> list[Candidate]:
    """Return names for a string.

    These are topics, functions, or results of a call at the C level.
    """
    call = call_at(place, names)
    if call and place.keyword == "null":
        words: Iterable[str] = [param.name for param in call.outputs]
    else:
        words = QUOTED[place.callee]() if place.callee in QUOTED else ()
    return [Candidate(name) for name in words if name.startswith(place.word)]


def _named(place: Place, names: Names) -> list[Candidate]:
    """Return names for completion.

    These are calls, members of an enum, attributes, variables, builtins and Python's keywords.
    """
    if place.callee in QUOTED and not place.word:
        return [Candidate(f'"{name}"') for name in QUOTED[place.callee]()]
    path, dot, last = place.word.rpartition(".")
    python = rlcompleter.Completer(dict(names))
    if not dot:
        return [Candidate(text) for text in python.global_matches(place.word)] if place.word else []
    item = _resolved(path, names)
    if isinstance(item, Driver | CLevel):
        return [Candidate(f"{path}.{text}", note) for text, note in _functions(item, last)]
    enum = getattr(item, "__name__", "") if isinstance(item, type) else ""
    if enum in ENUMS:
        members = ENUMS[enum].items()
        return [Candidate(f"{path}.{name}", str(value)) for name, value in members if name.startswith(last)]
    return [] if item is None else [Candidate(text) for text in python.attr_matches(place.word)]


def _functions(door: Driver | CLevel, prefix: str) -> list[tuple[str, str]]:
    """Return a door's calls with their arguments, then its classes and enums.

    Modelled calls come first.
    """
    fitting = [name for name in dir(door) if name.startswith(prefix)]
    calls = [name for name in fitting if name in DRIVER.ops] or [name for name in fitting if name in CALLS]
    if not calls:
        return [(name, "") for name in fitting]
    inputs = ((name, [p.keyword or p.name for p in CALLS[name].inputs]) for name in calls)
    return [(f"{name}({')' * (not keywords)}", f"({', '.join(keywords)})") for name, keywords in inputs]


def _resolved(path: str, names: Names) -> Any:
    """Return the object of a dotted name; None if unknown.

    Properties are not read: they could act.
    """
    root, *attributes = path.split(".")
    try:
        item = names[root]
    except KeyError:
        item = getattr(builtins, root, None)
    for name in attributes:
        if isinstance(getattr(type(item), name, None), property):
            return None
        item = getattr(item, name, None)
    return item


def _process(path: str, names: Names, machine: Machine) -> Process | None:
    """Return the process of a door, or of the thread of a door.

    The result is None if it is not a door.
    """
    door, owner = _resolved(path, names), _resolved(path.rpartition(".")[0], names)
    if isinstance(owner, ThreadDoor):
        return owner.process
    return next((item for item in machine.processes.values() if door is item.driver or door is item.c), None)
