"""What Tab offers: pure functions from a text and a cursor to candidates, driven by the description of the calls."""

from __future__ import annotations

import builtins
import re
import rlcompleter
from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.explain.ledger import modelled
from fakecuda.prompt.objects import live, variables
from fakecuda.prompt.tables import topics
from fakecuda.reach.bindings.c import CLevel
from fakecuda.reach.bindings.driver import Driver
from fakecuda.reach.process import ThreadDoor
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.driver import CALLS, ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fakecuda.reach.process import Process
    from fakecuda.simulated.machine import Machine
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
"""The prompt's words that take a name in quotes, and the names."""


@frozen
class Candidate:
    """What the word before the cursor may become.

    Attributes:
        text: The word.
        note: What it is, for the reader.
    """

    text: str
    note: str = ""


@frozen
class Place:
    """Where the cursor stands.

    Attributes:
        word: The word that ends at it.
        callee: The dotted name whose parentheses enclose it, empty for none.
        arguments: The texts of the arguments up to it, the one under way last.
        quote: The quotation mark of the string that it stands in, empty for none.
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
        """The keyword of the argument under way, empty for none."""
        given = KEYWORD.match(self.arguments[-1]) if self.arguments else None
        return given[1] if given else ""


def place_of(text: str, cursor: int) -> Place:
    """Return where a cursor stands in a text."""
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
    """Return what the word before the cursor may become.

    Args:
        text: What was typed, with the lines before it that belong to the statement.
        cursor: The cursor's place in it.
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
    """Return the call in whose parentheses the cursor stands."""
    at_door = isinstance(_resolved(place.door, names), Driver | CLevel)
    return CALLS.get(place.callee.rpartition(".")[2]) if at_door else None


def signature(call: Function, place: Place) -> str:
    """Return a call's parameters with their C types, the one under way in brackets."""
    at = _parameter(call, place)
    shown = [f"{p.keyword or p.name}: {p.type}{'*' * p.pointer}" for p in call.inputs]
    return f"{call.name}({', '.join(f'[{text}]' if p is at else text for p, text in zip(call.inputs, shown, strict=True))})"


def _parameter(call: Function, place: Place) -> Param | None:
    """Return the parameter of the argument under way."""
    if place.keyword:
        return next((p for p in call.inputs if p.keyword == place.keyword), None)
    position = len(place.arguments) - 1
    named = any(KEYWORD.match(argument) for argument in place.arguments)
    return call.inputs[position] if position < len(call.inputs) and not named else None


def _of_call(place: Place, call: Function, names: Names, machine: Machine) -> list[Candidate]:
    """Return values for the parameter under way, and the keywords that are left where no value stands yet."""
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
    """Return the keywords that a call still takes; the C level has ``null`` alone."""
    if plain:
        full = len(place.arguments) > len(call.inputs)
        return [Candidate("null=", "results whose pointer is null")] if full and call.outputs else []
    given = [KEYWORD.match(argument) for argument in place.arguments[:-1]]
    named = {match[1] for match in given if match}
    left = call.inputs[given.count(None) :]
    return [Candidate(f"{p.keyword}=", p.type + "*" * p.pointer) for p in left if p.keyword not in named]


def _values(param: Param, process: Process | None, names: Names, *, plain: bool) -> list[Candidate]:
    """Return values for a parameter: members of its enum, variables that hold a live value, and live values."""
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
    """Return names for a string: a topic, a function, or results of a call at the C level."""
    call = call_at(place, names)
    if call and place.keyword == "null":
        words: Iterable[str] = [param.name for param in call.outputs]
    else:
        words = QUOTED[place.callee]() if place.callee in QUOTED else ()
    return [Candidate(name) for name in words if name.startswith(place.word)]


def _named(place: Place, names: Names) -> list[Candidate]:
    """Return names: functions of a door, members of an enum, attributes, variables, builtins and Python's keywords."""
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
    """Return the calls of a door with their arguments, modelled ones before any other, then its classes and enums."""
    fitting = [name for name in dir(door) if name.startswith(prefix)]
    calls = [name for name in fitting if name in DRIVER.ops] or [name for name in fitting if name in CALLS]
    if not calls:
        return [(name, "") for name in fitting]
    inputs = ((name, [p.keyword or p.name for p in CALLS[name].inputs]) for name in calls)
    return [(f"{name}({')' * (not keywords)}", f"({', '.join(keywords)})") for name, keywords in inputs]


def _resolved(path: str, names: Names) -> Any:
    """Return what a dotted name names, None for nothing; a property is not asked, for it might act."""
    root, *attributes = path.split(".")
    item = names.get(root, getattr(builtins, root, None))
    for name in attributes:
        if isinstance(getattr(type(item), name, None), property):
            return None
        item = getattr(item, name, None)
    return item


def _process(path: str, names: Names, machine: Machine) -> Process | None:
    """Return the process that a door leads to: its own, or that of the thread it belongs to."""
    door, owner = _resolved(path, names), _resolved(path.rpartition(".")[0], names)
    if isinstance(owner, ThreadDoor):
        return owner.process
    return next((item for item in machine.processes.values() if door is item.driver or door is item.c), None)
