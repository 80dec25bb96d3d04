"""A recorded program for readers: the calls before an answer, with answers."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from conformance.kit.calls import CALLS
from conformance.kit.program import AGAIN, BEGUN, FORKED, INSIDE, LIFE, OTHER_STEPS, SKIPPED
from conformance.kit.under_way import DIED, WAITS
from conformance.pages.answers import told_place
from fakecuda.explain.html.markup import Html, tag
from fakecuda.explain.reports.call import named
from fakecuda.rules.registry import api_of
from fakecuda.spec.codes import CRASH, HANG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.kit.program import Answer, Step
    from conformance.pages.answers import Place

REFERENCE = re.compile(r'"ref": "([^"]+)"')
MOST = 16
"""The maximum number of steps to show; longer programs lose their first steps."""
LONG = 160
"""The maximum number of characters of arguments and of results."""
ELSEWHERE = {FORKED: " in a forked child", INSIDE: " in a function of the host"}
"""Descriptions of calls outside the main thread, by the step's key."""
UNDER_WAY = {BEGUN: " begins", AGAIN: " has begun"}
"""Descriptions of calls that the program does not wait for, by the step's key."""
ENDS = {
    CRASH: "the process crashed",
    HANG: "it did not return",
    DIED: "the process had died",
    SKIPPED: "not asked",
    WAITS: "it waits",
}


class Name(str):
    """A value that another call has returned."""

    __slots__ = ()


def shown(place: Place) -> Html:
    """Return the program up to an answer, and where it was recorded."""
    program = place.program()
    steps = _concerned(program.steps, place)
    hidden = max(len(steps) - MOST, 0)
    lines = [_line(program.steps[number], program.answers[number]) for number in steps[hidden:]]
    items = [tag("li", line, class_="last" if number == len(lines) else None) for number, line in enumerate(lines, 1)]
    more = tag("p", f"{hidden} steps before are left out.", class_="beside") if hidden else ""
    where = tag("p", f"Recorded on {place.machine}: ", tag("code", told_place(place)), _before(place), class_="beside")
    return tag("div", where, more, tag("ol", *items, class_="program", start=hidden + 1 if hidden else None))


def _concerned(steps: Sequence[Step], place: Place) -> list[int]:
    """Return the steps that affect an answer: of its process and of its sources."""
    numbers = range(place.first, place.last + 1)
    processes: set[str] = set()
    more = {steps[place.last]["process"]}
    while more - processes:
        processes |= more
        given = json.dumps([steps[number].get("args") for number in numbers if steps[number]["process"] in processes])
        more = {name.partition(".")[0] for name in REFERENCE.findall(given)}
    return [number for number in numbers if steps[number]["process"] in processes]


def _before(place: Place) -> str:
    """Return a remark if cases before the program used its processes, else nothing."""
    steps = place.program().steps
    used = {step["process"] for step in steps[place.first : place.last + 1]}
    started = {step["process"] for step in steps[place.first : place.last + 1] if step["call"] == "spawn"}
    return ", in a process that other cases have used and left as it was" if used - started else ""


def code_name(call: str, code: int) -> str:
    """Return the name of an answer's code for readers."""
    return ENDS.get(code) or api_of(call).short(code)


def _line(step: Step, answer: Answer) -> str:
    call, process = step["call"], step["process"]
    if call in LIFE:
        return f"{process}: {'the process starts' if call == 'spawn' else f'{call} of the process'.replace('_', ' ')}"
    args = [_value(one) for one in step.get("args", [])]
    if call in OTHER_STEPS:
        return f"{process}: {call}({', '.join(map(str, args))})"
    function = CALLS[call]
    told = named(api_of(call), function.inputs, tuple(args), lambda _, value: value if isinstance(value, Name) else "")
    if "null" in step:
        told.append(f"null for {step['null']}")
    who = process + (f"/{step['thread']}" if "thread" in step else "")
    who += next((how for key, how in UNDER_WAY.items() if key in step), "")
    who += next((where for key, where in ELSEWHERE.items() if key in step), "")
    outs = [f"{name}={_value(value)}" for name, value in answer["outs"].items() if answer["code"] == 0]
    line = f"{who}: {call}({_short(', '.join(told))}) → {code_name(call, answer['code'])}"
    return f"{line}, {_short(', '.join(outs))}" if outs else line


def _value(data: Any) -> Any:
    """Return a recorded value as a plain value; another call's result as a name."""
    match data:
        case {"ref": name} | {"name": name} | {"new": name}:
            plus = data.get("plus", 0)
            return Name(f"{name}{plus:+d}" if plus else name)
        case {"hex": digits}:
            return bytes.fromhex(digits)
        case {"fill": [byte, count]}:
            return Name(f"{count} bytes of {byte}")
        case {"room": count}:
            return Name(f"room for {count} bytes")
        case dict():
            return Name(", ".join(f"{key} {value}" for key, value in data.items()))
        case list():
            return tuple(map(_value, data))
    return data


def _short(values: str) -> str:
    return values if len(values) <= LONG else f"{values[:LONG]}…"
