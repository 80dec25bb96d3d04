"""Detection of steps that may wait for ever."""

from __future__ import annotations

from operator import or_
from typing import TYPE_CHECKING

from conformance.fuzz.ordered.executor import closed
from conformance.fuzz.ordered.manual import Meaning
from conformance.fuzz.ordered.reading import DEFAULT, DONE, Seen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.fuzz.ordered.program import Program


def never_ends(program: Program, seen: Sequence[Seen]) -> bool:
    """Return whether the next step may wait for a value that no stream writes.

    Args:
        program: The program.
        seen: What was seen of the steps before.
    """
    last = seen[-1]
    meaning = Meaning(program, [*seen, Seen(DONE, last.values, last.functions)], DEFAULT)  # a run waits as a card does
    waited = meaning.passing[-1].complete
    if program.steps[len(seen)].what == "end_context":  # it also waits for other contexts' work on its memory
        for one in meaning.operations:
            waited |= one.bit if any(use.memory == "c" for use in one.uses) else 0
    waited = closed(meaning.operations, waited, or_)
    pending = meaning.pending()
    for one in pending:
        if one.awaits is None or not one.bit & waited:
            continue
        place, holds = one.awaits
        writes = [other for other in meaning.operations if other.writes is not None and other.writes[0] == place]
        able = any(
            not any(other.bit & closed(meaning.operations, write.bit) for other in pending if other.awaits is not None)
            for write in writes
        )
        if not (program.manual and able and all(holds(write.writes[1]) for write in writes if write.writes)):
            return True
    return False
