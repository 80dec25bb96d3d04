"""Pictures of stories.

A program call by call, with the model's state after each call. Refused calls have their rule.
"""

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
"""The distance between two calls, and the height of a box."""
LONGEST = 80
"""Maximum length of a rule. Of a longer rule, only the first clause is shown."""
NEAR = 64 << 20
"""Maximum distance of an address from a named address, by which it is shown."""


@frozen
class Box:
    """An object in the state after a call.

    Attributes:
        words: Its text.
        kind: Its colour.
        width: Its width; 0 for the width of the text.
        gap: The distance from the box before.
        arrow: Whether an arrow leads to it from the box before.
    """

    words: str
    kind: str
    width: float = 0
    gap: float = PAD
    arrow: bool = False


@define
class Story:
    """A program and its picture.

    Attributes:
        title: The picture's text for readers who do not see it.
        caption: The text above the picture.
        scene: Returns the boxes for the state after a call.
        machine: The machine.
        names: The names of values.
        rows: A row for each call: its text and its boxes.
    """

    title: str
    caption: str
    scene: Callable[[fakecuda.Machine], list[Box]]
    machine: fakecuda.Machine
    names: dict[Any, str] = field(factory=dict)
    rows: list[tuple[str, list[Box]]] = field(factory=list)

    def call(self, process: str, name: str, *args: Any, result: str = "") -> Any:
        """Make a call, and add it to the story.

        Args:
            process: The process that makes it.
            name: The function.
            args: Its arguments, plain values in C order.
            result: The name of its result from now on; empty for none.

        Returns:
            Its first result as a plain value; None if it is refused.
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
        """Return an argument as text for readers."""
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
    """Return the picture of a program on a machine with two cards.

    See :class:`Story` for the arguments.
    """
    with as_seeded(), fakecuda.Machine("h200-x2", seed=0) as machine:
        story = Story(title, caption, scene, machine)
        program(story)
        return story.drawn()
