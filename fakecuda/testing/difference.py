"""The report of ``pytest --fakecuda=both``: the first difference, and a fix."""

from __future__ import annotations

import linecache
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from fakecuda.explain.reports.report import WIDTH, labelled, rule_lines
from fakecuda.testing import script

if TYPE_CHECKING:
    from fakecuda.testing.both import Answer, Trace

SCRIPT = (
    "script: the calls before it on the same objects; `python FILE` asks the card again, `python -m fakecuda serve -- python "
    "FILE` the model"
)
REFUSES = "the model refuses the call, because it breaks the rule: {}"
TAKES = "no rule of the model gives the card's answer"
RULES = "`python -m fakecuda rules {}` lists what the model checks for this call"
SAME = "both give the same code but different results: {}"
PROFILE = (
    "1. Does this answer depend on the kind of machine (number of devices, sizes, attributes)? Then choose a profile that is "
    "like this card: `pytest.mark.fakecuda(profile=...)`; `python -m realcuda.probe -o FILE.toml` writes one."
)
TEST = "2. Should the test pass on both? Then it must not depend on this answer."
REPORT = (
    "3. Else the model is wrong for this driver: report it with the script below, which shows the difference by itself. "
    "Until then run the test on the model alone: `pytest --fakecuda=model`."
)
BRANCH = (
    "the test takes another branch on the other machine: look at the lines between the last equal call and this one "
    "for a "
    "condition on an address, a handle, a time or an exception, which `both` does not compare"
)


def difference(model: Trace, card: Trace) -> str:
    """Return the first difference as lines; empty if all answers agree."""
    for ours, theirs in zip(model.threads.values(), card.threads.values(), strict=False):
        before: Answer | None = None
        for number, (one, other) in enumerate(zip_longest(ours, theirs), start=1):
            if one is None or other is None:
                which, answer, trace = ("the model", other, card) if one is None else ("the card", one, model)
                head = f"the test made fewer calls on {which}: call {number} is missing there, {answer.call} at {answer.place}"
                return _of_way(head, before, answer, trace)
            if one.call != other.call:
                head = f"call {number} differs: on the model {one.call} at {one.place}, on the card {other.call} at {other.place}"
                return _of_way(head, before, one, model)
            if one.value is None:  # undefined behaviour: later answers are not compared
                break
            if one.value != other.value:
                return "\n".join([*_of_answers(number, one, other), *_script(model, one)])
            before = one
    return ""


def _of_way(head: str, before: Answer | None, answer: Answer, trace: Trace) -> str:
    """Return the report of a test whose calls differ between card and model."""
    last = [f"  last same  {before.call} at {before.place}"] if before is not None else []
    return "\n".join([head, *last, *labelled([("next", BRANCH)], WIDTH), *_script(trace, answer)])


def _of_answers(number: int, one: Answer, other: Answer) -> list[str]:
    """Return the lines on two different answers of a call."""
    file, _, line = one.place.rpartition(":")
    text = linecache.getline(file, int(line)).strip()
    rows = [("model", one.told), ("card", other.told)]
    refusal = one.refusal
    if refusal is not None and refusal.rule is not None:
        why = [
            *labelled([("why", REFUSES.format(refusal.rule.statement))], WIDTH),
            *rule_lines(refusal.contents, WIDTH),
        ]
    elif _code(one.value) == _code(other.value):
        why = labelled(
            [("why", SAME.format(results(one.value, other.value))), ("rules", RULES.format(one.call))], WIDTH
        )
    else:
        why = labelled([("why", TAKES), ("rules", RULES.format(one.call))], WIDTH)
    return [
        f"card and model answer differently in call {number}: {one.call}({one.args})",
        f"  at         {one.place}",
        *([f"             | {text}"] if text else []),
        *labelled(rows, WIDTH),
        *why,
        *labelled([("next", PROFILE), ("", TEST), ("", REPORT)], WIDTH),
    ]


def _code(value: Any) -> Any:
    return value[0] if isinstance(value, tuple) and value else value


def results(one: Any, other: Any) -> str:
    """Return which results differ, with both values."""
    if not isinstance(one, tuple) or not isinstance(other, tuple) or len(one) != len(other):
        return f"{one} and {other}"
    pairs = [
        (number, ours, theirs) for number, (ours, theirs) in enumerate(zip(one, other, strict=True)) if ours != theirs
    ]
    return "; ".join(
        f"result {number} is {ours} on the model and {theirs} on the card" for number, ours, theirs in pairs
    )


def _script(trace: Trace, answer: Answer) -> list[str]:
    """Return the lines of a script that repeats a call and its dependencies."""
    lines = script.lines_of(trace.before(answer), answer.written)
    return [f"  {SCRIPT}", *(f"    {line}".rstrip() for line in lines)]
