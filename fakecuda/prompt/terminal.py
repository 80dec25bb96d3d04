"""The prompt's keyboard: completion with Tab, if Python has readline."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from fakecuda.explain.reports.text import GAP, columns, wrapped

try:
    import readline
except ImportError:  # pragma: no cover - Python was built without readline
    readline = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fakecuda.prompt.complete import Candidate
    from fakecuda.prompt.console import Prompt

MOST_NOTED = 24
"""The maximum length of a list with notes."""


def candidates_text(candidates: list[Candidate], width: int, title: str = "") -> str:
    """Return candidates as text: one per line with its note; a long list in columns.

    Args:
        candidates: The candidates. Only the last part of a dotted name is shown.
        width: Columns of text.
        title: A line above them; empty for none.
    """
    shown = [(candidate.text.rpartition(".")[2].rstrip("()"), candidate.note) for candidate in candidates]
    lines = wrapped(title, width, "    ") if title else []
    widest = max(len(text) for text, _ in shown)
    if len(shown) <= MOST_NOTED:
        return "\n".join([*lines, *(f"  {text:{widest}}  {note}".rstrip()[:width] for text, note in shown)])
    across = max((width - len(GAP)) // (widest + len(GAP)), 1)
    down = -(-len(shown) // across)
    for row in range(down):
        lines.append(GAP + GAP.join(f"{text:{widest}}" for text, _ in shown[row::down]).rstrip())
    return "\n".join(lines)


class Keyboard:
    """The functions that readline calls.

    Args:
        prompt: The prompt, with its names and the lines of the current statement.
    """

    def __init__(self, prompt: Prompt) -> None:
        self.prompt = prompt
        self.candidates: list[Candidate] = []
        self.line = ""
        self.cursor = 0

    def attach(self) -> None:
        """Enable completion with Tab, if there is readline."""
        if not readline:
            return
        readline.set_completer(self.complete)
        libedit = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
        if not libedit:
            readline.parse_and_bind("set show-all-if-ambiguous on")
            readline.set_completion_display_matches_hook(self.display)

    def complete(self, _: str, state: int) -> str | None:
        """Return a candidate by number for the word before readline's cursor.

        The result is None if there are no more.
        """
        if state == 0:
            from fakecuda.prompt.complete import complete  # noqa: PLC0415 - the first Tab loads it

            readline.set_completer(self.complete)  # rlcompleter, which that loads, has set its own
            self.prompt.scope.load()
            self.line, self.cursor = readline.get_line_buffer(), readline.get_endidx()
            self.candidates = complete(*self._typed(), self.prompt.scope, self.prompt.machine)
        return self.candidates[state].text if state < len(self.candidates) else None

    def display(self, _: str, __: Sequence[str], ___: int) -> None:
        """Print the candidates, then the line before any insertion.

        The line is as readline has it.
        """
        from fakecuda.prompt.complete import call_at, place_of, signature  # noqa: PLC0415 - Tab has loaded it

        place = place_of(*self._typed())
        call = call_at(place, self.prompt.scope)
        listed = candidates_text(self.candidates, columns(), signature(call, place) if call else "")
        back = "\b" * (len(self.line) - self.cursor)
        sys.stdout.write(f"\n{listed}\n{self.prompt.mark}{self.line}{back}")
        sys.stdout.flush()

    def _typed(self) -> tuple[str, int]:
        """Return the typed part of the statement, and the cursor's index in it."""
        before = "".join(f"{line}\n" for line in self.prompt.buffer)
        return before + self.line, len(before) + self.cursor
