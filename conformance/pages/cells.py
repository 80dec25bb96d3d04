"""The matrix of calls and codes, with the evidence of each code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.explain.ledger import documented, modelled, pairs
from fakecuda.rules.core import place
from fakecuda.rules.registry import EVERY_API, api_of, chapter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.pages.answers import Answers, Heard
    from fakecuda.explain.ledger import Row
    from fakecuda.rules.registry import Api
    from fakecuda.spec.codes import Code

ANSWERED, CASE = "answered", "case"
UNREACHABLE, CONTRADICTED, OTHERWISE = "unreachable", "contradicted", "otherwise"
UNDECIDED, UNDEFINED, NOT_MODELLED = "undecided", "undefined", "not-modelled"
BEYOND, BEYOND_CASE = "beyond", "beyond-case"


@frozen
class Kind:
    """A kind of evidence.

    Attributes:
        mark: A sign for it, so that a colour is not all that tells it.
        words: What it says, for people.
        documented: Whether the manual names the code for the call.
    """

    mark: str
    words: str
    documented: bool = True


KINDS = {
    ANSWERED: Kind("●", "a driver has answered it, in a recorded program"),
    CASE: Kind("○", "the model answers it, in a case; no recording has it"),
    CONTRADICTED: Kind("✕", "a driver answers something else there, as a recorded program shows"),
    OTHERWISE: Kind("≠", "something else is answered there, by a rule that was read in the source"),
    UNREACHABLE: Kind("∅", "no program brings it about, for a reason"),
    UNDECIDED: Kind("?", "nobody has said yet what becomes of it"),
    NOT_MODELLED: Kind("·", "the call is not modelled"),
    BEYOND: Kind("◆", "the manual does not name it; a driver has answered it", documented=False),
    BEYOND_CASE: Kind("◇", "the manual does not name it; the model answers it, in a case", documented=False),
    UNDEFINED: Kind("!", "undefined behaviour, which a strict model reports", documented=False),
}
"""The kinds, best evidence first; documented codes come first."""


@frozen
class Cell:
    """A call and a code.

    Attributes:
        call: The call.
        code: The code.
        kind: One of ``KINDS``.
        rows: What the ledger says: a row for each rule that gives it.
        heard: What drivers answered; None for nothing.
    """

    call: str
    code: Code
    kind: str
    rows: tuple[Row, ...] = ()
    heard: Heard | None = None

    @property
    def name(self) -> str:
        """The code's short name."""
        return (
            "undefined"
            if self.kind == UNDEFINED
            else api_of(self.call).code(self.code).name
            if self.rows
            else self.code.name
        )

    @property
    def id(self) -> str:
        """The anchor on the chapter's page; undocumented model-only codes share one."""
        return f"{self.call}.{BEYOND_CASE if self.kind == BEYOND_CASE else self.name}"


@frozen
class Chapter:
    """Calls of one chapter, and their cells.

    Attributes:
        api: Their API.
        name: What it is called: ``va``, ``runtime.device``.
        title: What it is about.
        calls: By call its cells, in the manual's order.
    """

    api: Api
    name: str
    title: str
    calls: dict[str, list[Cell]]

    @property
    def file(self) -> str:
        """The file name of the chapter's page."""
        return f"{self.api.name}.{self.name.rpartition('.')[2]}.html"

    @property
    def cells(self) -> list[Cell]:
        """All cells of the chapter."""
        return [cell for cells in self.calls.values() for cell in cells]

    @property
    def columns(self) -> list[str]:
        """The names of the codes, most frequent first."""
        names = [cell.name for cell in self.cells]
        return sorted(set(names), key=lambda name: (name == "undefined", -names.count(name), name))


def chapters(answers: Answers) -> list[Chapter]:
    """Return the chapters of every API, each API with one for calls not modelled."""
    found = []
    for api in EVERY_API.values():
        calls: dict[str, dict[str, list[Cell]]] = {}
        for name, cells in _cells(api, answers).items():
            calls.setdefault(chapter(api.ops[name].module), {})[name] = cells
        found += [Chapter(api, name, _title(name, of), of) for name, of in calls.items()]
        others: dict[str, list[Cell]] = {name: [] for name in api.calls if name not in api.ops}
        for name, code in documented(api):
            if name not in api.ops:
                others.setdefault(name, []).append(Cell(name, code, NOT_MODELLED))
        if others:
            found.append(
                Chapter(
                    api,
                    "not-modelled",
                    "Calls that are not modelled: each warns and answers that it is not supported.",
                    others,
                )
            )
    return found


def _cells(api: Api, answers: Answers) -> dict[str, list[Cell]]:
    """Return the cells of an API's modelled calls."""
    groups: dict[str, dict[Code | None, list[Row]]] = {name: {} for name in modelled(api)}
    for row in pairs(*groups):
        groups[row.function].setdefault(None if row.status == UNDEFINED else row.code, []).append(row)
    return {
        name: [_cell(name, rows[0].code, rows, answers) for rows in group.values()] for name, group in groups.items()
    }


def _cell(call: str, code: Code, rows: list[Row], answers: Answers) -> Cell:
    status = rows[0].status
    heard = None if status == UNDEFINED else answers.heard.get((call, int(code)))
    kind = status
    if status == "broken":
        kind = ANSWERED if heard else CASE
    elif status == "undocumented":
        kind = BEYOND if heard else BEYOND_CASE
    return Cell(call, code, kind, tuple(rows), heard)


def _title(name: str, calls: Iterable[str]) -> str:
    """Return a chapter's title, from the docstring of the calls' package or module."""
    module = api_of(next(iter(calls))).ops[next(iter(calls))].module
    while place(module).count(".") > name.count("."):
        module = module.rpartition(".")[0]
    return (sys.modules[module].__doc__ or "").partition("\n")[0]
