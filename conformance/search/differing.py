"""Programs with differences: what identifies a difference, and shrinking."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from attrs import frozen

from conformance.kit.program import MAIN
from fakecuda.spec.codes import name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from conformance.kit.compare import Difference
    from conformance.kit.program import Answer, Recorder, Step
    from fakecuda.rules.core import Rule

    Ask = Callable[[Sequence[Step], Sequence[Answer]], "Counterexample | None"]

TRIES = 120
"""The maximum number of runs on a card to shrink a program."""
BEGINS = frozenset({"spawn", "cuInit", "cuCtxCreate", "cudaSetDevice"})
"""Names of steps with which processes begin."""
SECONDS = 4.0
"""The maximum time of shrinking, in seconds."""


@frozen
class Key:
    """The identity of a difference.

    Attributes:
        call: The call.
        card: What the card answered: a code, or what a result was.
        model: What the model did.
        rule: The rule that the model says was broken, or empty.
        state: What the call was given, and in which state it was made.
    """

    call: str
    card: str
    model: str
    rule: str
    state: str = ""

    @property
    def codes(self) -> tuple[str, ...]:
        """The key without the state."""
        return self.call, self.card, self.model, self.rule


@frozen
class Counterexample:
    """A program whose last step has different answers on the card and the model.

    Attributes:
        key: What it has in common with other programs that show the same difference.
        steps: Its steps.
        answers: What the card answered.
        expected: What the model answered.
        difference: The difference.
        rule: The rule that the model says was broken, or None.
    """

    key: Key
    steps: list[Step]
    answers: list[Answer]
    expected: list[Answer]
    difference: Difference
    rule: Rule | None


def counterexample_of(
    card: Recorder, model: Recorder, differences: Sequence[tuple[Difference, Rule | None]]
) -> Counterexample | None:
    """Return the first difference of a program, or None.

    Args:
        card: The recorder of the card.
        model: The recorder of the model; nothing was called since the difference.
        differences: The differences.
    """
    if not differences:
        return None
    one, rule = differences[0]
    end = one.step + 1
    if one.kind == "code":
        told = name_of(one.expected), name_of(one.got)
    else:
        told = f"{one.out} {_shape(one.expected)}", f"{one.out} {_shape(one.got)}"
    key = Key(one.call, *told, rule.id if rule is not None else "", _state(model, card.program.steps[one.step]))
    program, other = card.program, model.program
    return Counterexample(key, program.steps[:end], program.answers[:end], other.answers[:end], one, rule)


def _shape(value: Any) -> str:
    """Return a result's form, without numbers that vary from run to run."""
    if isinstance(value, dict):
        kind = value.get("new") or value.get("name") or ""
        offset = f"+{value['plus']}" if value.get("plus") else ""
        return ("new " if "new" in value else "") + kind.rpartition(".")[2].rstrip("0123456789") + offset
    return str(value)


def _state(model: Recorder, step: Step) -> str:
    """Return the state in which a call was made, and what its arguments refer to."""
    process = model.processes.get(step["process"])
    if process is None or not process.alive:
        return "no process"
    stack = process.thread_of(step.get("thread", MAIN)).stack
    if not stack:
        context = "no context"
    else:
        top = stack[-1]
        context = f"{'destroyed ' if top.destroyed else ''}{'primary ' if top.primary else ''}context"
    told = [context, *(_argument(model, step["process"], data) for data in step.get("args", []))]
    marks = [mark for mark in ("thread", "forked", "inside", "null") if mark in step]
    return ", ".join([*filter(None, told), *marks])


def _argument(model: Recorder, process: str, data: Any) -> str:
    if not (isinstance(data, dict) and "ref" in data):
        return ""
    name = model.names.by_text[data["ref"]]
    whose = "" if name.process in {"", process} else "foreign "
    state = model.processes.get(name.process)
    what = name.kind
    if state is not None and isinstance(name.value, int):
        item = state.memory.at(name.value) if name.kind in {"dptr", "va", "pinned", "host"} else None
        what = type(item).__name__ if item is not None else what
    live = "" if name.live else "dead "
    return f"{whose}{live}{what}{'+' if data.get('plus') else ''}"


def smaller(ask: Ask, example: Counterexample, *, tries: int = TRIES, seconds: float = SECONDS) -> Counterexample:
    """Return the smallest program found with the same difference.

    Whole processes are left out first, then stretches of steps, ever shorter; what begins a process stays with it.

    Args:
        ask: Makes a program on model and card; returns how it differs.
        example: The program.
        tries: How often it may be asked.
        seconds: How long.
    """
    end = time.monotonic() + seconds
    best = example
    for process in sorted({step["process"] for step in example.steps[:-1]} - {example.steps[-1]["process"]}):
        best = _without(ask, best, {n for n, step in enumerate(best.steps) if step["process"] == process}) or best
    size = max(1, len(best.steps) // 2)
    while size:
        place = len(best.steps) - 1
        while place > 0 and tries and time.monotonic() < end:
            stretch = set(range(max(0, place - size), place)) - _beginnings(best.steps)
            place -= size
            if stretch:
                tries -= 1
                best = _without(ask, best, stretch) or best
        size //= 2
    return best


def _without(ask: Ask, example: Counterexample, left_out: Collection[int]) -> Counterexample | None:
    """Return the difference of a program without some steps, if it is the same."""
    kept = [number for number in range(len(example.steps)) if number not in left_out]
    got = ask([example.steps[n] for n in kept], [example.expected[n] for n in kept])
    return (
        got if got is not None and got.key.codes == example.key.codes and len(got.steps) < len(example.steps) else None
    )


def _beginnings(steps: Sequence[Step]) -> set[int]:
    """Return the positions of steps that begin processes or first use a device."""
    found: set[int] = set()
    begun: set[str] = set()
    for number, step in enumerate(steps):
        if step["call"] in BEGINS and step["process"] not in begun:
            found.add(number)
        else:
            begun.add(step["process"])
    return found
