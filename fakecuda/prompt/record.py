"""The calls of a prompt's machine, by number."""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.model import history
from fakecuda.model.hooks import COUNT, RECORD
from fakecuda.model.machine import CALLS_KEPT

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.machine.call_record import CallRecord
    from fakecuda.machine.machine import Machine
    from fakecuda.model.finding import Finding
    from fakecuda.model.work.deadlock import Deadlock


@define(eq=False)
class Calls:
    """A machine's calls by number, starting at 1.

    Attributes:
        machine: The machine. Its calls are recorded here from now on.
        made: The number of all calls, including those that the machine has dropped.
        refused: For calls that broke a rule, by number: the stack, and the objects that the arguments name.
        found: Findings and deadlocks, each with the numbers of the last calls before and after its statement.
    """

    machine: Machine
    made: int = field(init=False)
    refused: dict[int, tuple[history.Stack, tuple[Any, ...]]] = field(factory=dict, init=False)
    found: list[tuple[int, int, Finding | Deadlock]] = field(factory=list, init=False)

    def __attrs_post_init__(self) -> None:
        self.made = len(self.machine.calls)
        RECORD.put(self.machine, COUNT, lambda record: partial(self._record, record))

    def _record(self, write: Callable[[tuple[Any, ...]], None], entry: tuple[Any, ...]) -> None:
        write(entry)
        self.made += 1
        thread, _, args, _, _, rule, _ = entry
        if rule is not None:
            from fakecuda.explain.reports.call import named_by  # noqa: PLC0415 - the first refused call loads it

            self.refused[self.made] = history.whole(), tuple(named_by(thread.process, args))
            if len(self.refused) > CALLS_KEPT:
                del self.refused[next(iter(self.refused))]

    def numbered(self) -> list[tuple[int, CallRecord]]:
        """Return the calls that the machine has kept, oldest first, each with its number."""
        with self.machine.lock:
            log = self.machine.log
            return list(zip(count(self.made - len(log) + 1), log, strict=False))
