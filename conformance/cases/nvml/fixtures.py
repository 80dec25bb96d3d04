"""Fixtures of NVML: handles of cards, and neutral arguments."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.kit.calls import CALLS
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from conformance.kit.program import Plain
    from conformance.kit.world import Process

    Arguments = Callable[[Process], tuple[Plain, ...]]

CARD = "nvmlDevice_t"


def card(a: Process, index: int = 0) -> int:
    """Return the handle of a card."""
    made: int = a.ok.nvmlDeviceGetHandleByIndex_v2(index)
    return made


def asking(call: str, *rest: Plain) -> Entry:
    """Return the entry of a call on the first card.

    Args:
        call: The call.
        rest: What else it is given; zeros behind that.
    """
    count = len(CALLS[call].inputs) - 1
    return Entry.of(call, lambda a: (card(a), *(*rest, *[0] * count)[:count]))


def asked(**rest: tuple[Plain, ...]) -> dict[str, Entry]:
    """Return entries of calls on the first card, by name without ``nvmlDevice``."""
    return {name: asking(f"nvmlDevice{name}", *given) for name, given in rest.items()}


def refused(calls: Iterable[str], code: int, **changed: Any) -> list[Entry]:
    """Return entries of calls that are refused with any arguments.

    Args:
        calls: The calls.
        code: What they answer.
        changed: Arguments other than 0, by their names.
    """

    def arguments(a: Process, call: str) -> tuple[Plain, ...]:
        inputs = CALLS[call].inputs
        return tuple(changed.get(one.name, card(a) if one.type == CARD else 0) for one in inputs)

    return [Entry.of(call, partial(arguments, call=call), answers=int(code)) for call in calls]
