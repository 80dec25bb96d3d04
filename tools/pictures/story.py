"""A story: a small program, call by call, with what the model has after each; a call that is refused has its code and its rule there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

import fakecuda
from fakecuda.explain.pictures.svg import PAD, Drawing, width_of
from fakecuda.explain.reports.text import exactly
from fakecuda.rules.registry import api_of
from tools.pictures.seeded import as_seeded

if TYPE_CHECKING:
    from collections.abc import Callable

ROW, BOX = 26, 18
"""From one call to the next, and how high a box is."""
LONGEST = 80
"""Characters of a rule; of a longer one the first clause is told."""
NEAR = 64 << 20
"""An address that is no further behind one that has a name is told by that."""


@frozen
class Box:
    """Something that is there after a call.

    Attributes:
        words: What it is.
        kind: Its colour.
        width: How wide it is drawn; 0 for as wide as its words.
        gap: What lies before it.
        arrow: Whether an arrow leads to it from the box before.
    """

    words: str
    kind: str
    width: float = 0
    gap: float = PAD
    arrow: bool = False


@define
class Story:
    """A program, and what is drawn of it.

    Attributes:
        title: What it shows, for who does not see it.
        caption: What stands above it.
        scene: Returns what is there after a call.
        machine: The machine.
        names: What values are called.
        rows: A row for each call: its words, and the boxes beside it.
    """

    title: str
    caption: str
    scene: Callable[[fakecuda.Machine], list[Box]]
    machine: fakecuda.Machine
    names: dict[Any, str] = field(factory=dict)
    rows: list[tuple[str, list[Box]]] = field(factory=list)

    def call(self, process: str, name: str, *args: Any, result: str = "") -> Any:
        """Make a call, and tell it.

        Args:
            process: The process that makes it.
            name: The function.
            args: Its arguments, plain values in C order.
            result: What its result is called from now on.

        Returns:
            Its results, as plain values; None where it is refused.
        """
        made = f"{result} = " if result else ""
        words = f"{process}: {made}{name}({', '.join(map(self._told, args))})"
        try:
            code, *results = getattr(self.machine.processes[process].c, name)(*args)
        except fakecuda.UndefinedBehaviour:
            code, results = None, []
        record = self.machine.log[-1]
        if record.rule is None:
            value = results[0] if results else None
            if result:
                self.names[value] = result
            self.rows.append((words, self.scene(self.machine)))
            return value
        answer = "undefined" if code is None else api_of(name).short(code)
        kind = "race" if code is None else "refused"
        rule = record.rule.statement.replace("`", "")
        rule = rule if len(rule) <= LONGEST else rule.partition(",")[0]
        self.rows.append((words, [Box(answer, kind), Box(f"unless {rule}", "")]))
        return None

    def _told(self, value: Any) -> str:
        """Return an argument as a reader would write it."""
        if value in self.names:
            return self.names[value]
        if not isinstance(value, int):
            return str(value)
        bases = [one for one in self.names if isinstance(one, int) and one > NEAR and 0 < value - one < NEAR]
        return f"{self.names[max(bases)]} + {exactly(value - max(bases))}" if bases else exactly(value)

    def drawn(self) -> str:
        """Return the picture."""
        drawing = Drawing(self.title)
        drawing.text(PAD, PAD + 13, self.caption, "heading")
        left = PAD + max(width_of(words) for words, _ in self.rows) + PAD
        for number, (words, boxes) in enumerate(self.rows):
            y = PAD + ROW + number * ROW
            drawing.text(PAD, y + 13, words, "beside")
            x = left
            for box in boxes:
                begin, x = x, x + box.gap
                if box.arrow:
                    drawing.line((begin, y + BOX / 2), (x, y + BOX / 2), arrow=True)
                width = box.width or width_of(box.words) + PAD
                if box.kind:
                    drawing.box(x, y, width, BOX, box.kind)
                drawing.text(x + PAD / 2, y + 13, box.words, "" if box.kind else "beside")
                x += width
        return drawing.svg()


def told(
    title: str, caption: str, scene: Callable[[fakecuda.Machine], list[Box]], program: Callable[[Story], object]
) -> str:
    """Return the picture of a program on a machine with two cards; arguments as of a story."""
    with as_seeded(), fakecuda.Machine("h200-x2", seed=0) as machine:
        story = Story(title, caption, scene, machine)
        program(story)
        return story.drawn()
