"""The streams of a run.

Their names in orders, and the step that submitted each piece of work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model.work.stream_scheduler import can_advance

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fakecuda.machine.orders.step import Step
    from fakecuda.model.work.stream import Stream, Work


@define(eq=False)
class Streams:
    """The streams that have had work.

    Attributes:
        names: The name of each stream, after the actor that submitted its first work.
        given: The number of the step that submitted a piece of work.
        woken: The number of the step that unblocked a stream, for streams that were blocked.
    """

    names: dict[Stream, str] = field(factory=dict)
    given: dict[Work, int] = field(factory=dict)

    woken: dict[Stream, int] = field(factory=dict)

    def note(self, pending: Iterable[Stream], steps: Sequence[Step]) -> None:
        """Note the work that the last step submitted to streams."""
        for stream in pending:
            if stream not in self.names:
                giver = next((step.name for step in reversed(steps) if step.by_actor), "main")
                number = sum(name.startswith(f"{giver}.s") for name in self.names.values())
                self.names[stream] = f"{giver}.s{number + 1}"
            for work in reversed(stream.work):
                if work in self.given:
                    break
                self.given[work] = len(steps) - 1
            if not can_advance(stream):
                self.woken[stream] = len(steps)

    def before(self, stream: Stream) -> list[int]:
        """Return the steps before a stream's oldest work in every order.

        These are its submission, and what unblocked it.
        """
        woken = self.woken.pop(stream, None)
        return [self.given[stream.work[0]], *([] if woken is None else [woken])]
