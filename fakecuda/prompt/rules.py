"""The rules of calls, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.explain.ledger import Row, modelled, pairs, summary
from fakecuda.explain.reports.text import GAP, columns, table, wrapped
from fakecuda.near import nearest
from fakecuda.prompt.evidence import place_of
from fakecuda.rules.registry import DRIVER, FORMS, api_of, op_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def rules_of(function: str | None) -> list[Row]:
    """Return the ledger's rows of a function.

    For None, return those of all modelled functions of the driver API.

    Raises:
        LookupError: The function is unknown or not modelled; the text says so.
    """
    if function is None or op_of(function):
        return pairs(*[function] if function else [])
    api = api_of(function)
    if function in api.calls:
        msg = f"{function} is not modelled: it answers {api.cname(api.not_supported)}"
    else:
        unknown = nearest(function, modelled(api), f"function of {api.title}")
        msg = f"{unknown}; --evidence {function!r} looks for rules instead" if function else "name a function"
    raise LookupError(msg)


def rules_text(rows: list[Row], width: int | None = None) -> str:
    """Return the ledger's rows as a table grouped by function, with a line of counts.

    The rows of a single function come with the file and line of its operation.
    """
    width, alone = width or columns(), len({row.function for row in rows}) == 1

    def cells(row: Row) -> tuple[str, str, str]:
        said = [row.rule.statement] if row.rule else []
        if row.status == "undefined":
            said.append("undefined behaviour: the call succeeds, and a strict machine reports a finding")
        elif row.status != "broken":
            answers = (
                f" (the driver answers {row.entry.answers.name})" if row.entry and row.entry.answers is not None else ""
            )
            said.append(row.status + answers + (f": {row.reason}" if row.reason else ""))
        api = api_of(row.function)
        return GAP + (row.code.name if api in {DRIVER, FORMS} else api.cname(row.code)), row.grade, "\n".join(said)

    body: list[Sequence[str] | str] = []
    for number, row in enumerate(rows):
        if number == 0 or rows[number - 1].function != row.function:
            body += ["", row.function, *(_place(row.function) if alone else ())]
        body.append(cells(row))
        if row.rule:  # on its own line, so that it is not wrapped
            body.append(f"{GAP * 2}{row.rule.id}")
    return "\n".join([table(("  code", "grade", "rule"), body, width), "", *wrapped(summary(rows), width)])


def _place(function: str) -> list[str]:
    """Return a line with the file and line of a function's operation. Empty if it is not modelled."""
    op = op_of(function)
    return [f"{GAP}{place_of(*_start(op.function))}"] if op else []


def _start(function: Callable[..., object]) -> tuple[str, int]:
    code = function.__code__
    return code.co_filename, code.co_firstlineno
