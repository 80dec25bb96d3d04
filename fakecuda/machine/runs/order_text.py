"""The steps of an order as lines of text, with the differences from the default, and the code that runs the order again."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakecuda.explain.reports.call import called
from fakecuda.machine.orders.step import deviations
from fakecuda.model import history
from fakecuda.modes import CARD

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fakecuda.machine.orders.step import Doing, Step
    from fakecuda.model.history import Stack

SHOWN = 40
"""The number of last steps that are listed, besides switches."""
USUAL = "in the usual order, an actor goes on until it waits or ends, and streams work when no actor can go on"


def lines_of(steps: Sequence[Step]) -> list[str]:
    """Return the lines of an order's steps, with an arrow at each switch."""
    width = max(len(step.name) for step in steps)
    switched = bool(deviations(steps))
    lines = [f"  {USUAL}; {'-> marks where this order differs' if switched else 'this is the usual order'}"]
    hidden = 0
    for number, step in enumerate(steps):
        near = step.is_switch or step.drawn or steps[min(number + 1, len(steps) - 1)].is_switch
        if number < len(steps) - SHOWN and not near:
            hidden += 1
            continue
        if hidden:
            lines.append(f"   ... {history.counted(hidden, 'step')}")
            hidden = 0
        arrow = "->" if step.is_switch else "  "
        lines.append(f"{arrow} {number + 1:3} {step.name:{width}}  {_told(steps, step)}")
        lines += (f"          usually {line}" for line in _usual(step))
        lines += (
            f"->     the threads of this launch run in a drawn order: {place}:{order}" for place, order in step.drawn
        )
    return lines


def fix_of(steps: Sequence[Step]) -> Iterator[str]:
    """Yield fixes that order the actors at the first switch, or the threads of a launch; nothing without a switch."""
    first = next((step for step in steps if step.is_switch), None)
    if first is not None:
        how = "a join, a lock, an event or a wait of its stream"
        yield f"  fix      where -> stands first, let {first.name} wait for {first.default} ({how}), or handle this order"
    elif drawn := [place for step in steps for place, _ in step.drawn]:
        kernel = drawn[0].partition("@")[0]
        yield (
            f"  fix      order the threads of {kernel} that use the same memory: by an atomic operation, a barrier of the block "
            "or the grid, or a fence between a store and the flag behind it"
        )


def repeating(schedule: str, handles: str, given: Mapping[str, Any]) -> str:
    """Return the code of the arguments that run an order again.

    Args:
        schedule: The order.
        handles: Which handles new objects got in it.
        given: The arguments that made its machine.
    """
    card = {"handles": handles} if handles == CARD else {}
    arguments = {"schedule": schedule, **card, **{name: one for name, one in given.items() if name != "handles"}}
    return ", ".join(f"{name}={code_of(value)}" for name, value in arguments.items())


def code_of(value: object) -> str:
    """Return the code of an argument: ``...`` if it is an object without a name."""
    if isinstance(value, str | Path):
        return json.dumps(str(value), ensure_ascii=False)
    if value is None or isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple | set | frozenset):
        return f"[{', '.join(map(code_of, value))}]"
    if isinstance(value, partial):
        given = [*map(code_of, value.args), *(f"{name}={code_of(one)}" for name, one in value.keywords.items())]
        return f"partial({', '.join([code_of(value.func), *given])})"
    return str(getattr(value, "__name__", "..."))


def _told(steps: Sequence[Step], step: Step) -> str:
    """Return a step as text and its line; for stream work, the step that queued it."""
    if step.by_actor or not step.after:
        return _doing(step.what, step.line)
    queued = steps[step.after[0]]
    return _doing(f"{step.what}, which {queued.name} queued in step {step.after[0] + 1}", queued.line)


def _usual(step: Step) -> Iterator[str]:
    """Yield the step that usually comes in place of a switch."""
    if step.is_switch:
        doing = _doing(*step.usual)
        yield step.default + (f": {doing}" if doing else "")


def _doing(what: Doing, stack: Stack) -> str:
    text = called(*what) if isinstance(what, tuple) else what
    return "  ".join([text, *history.places(stack)[:1]])
