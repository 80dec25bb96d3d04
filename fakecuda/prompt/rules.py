"""The rules of calls as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api.both import CALLS, is_runtime
from fakecuda.ledger import Row, modelled, pairs, summary
from fakecuda.prompt.text import GAP, columns, nearest, table, wrapped
from fakecuda.rule import OPS, RUNTIME

if TYPE_CHECKING:
    from collections.abc import Sequence


def rules_of(function: str | None) -> list[Row]:
    """Return the ledger's rows of a function, of every modelled one for None.

    Raises:
        LookupError: The function is unknown or not modelled; the text says so in one line.
    """
    if function is None or function in OPS:
        return pairs(*[function] if function else [])
    if function in RUNTIME:
        return [Row(function, rule.code, "broken", rule) for rule in RUNTIME[function].rules]
    if function in CALLS:
        answer = "cudaErrorNotSupported" if is_runtime(function) else "CUDA_ERROR_NOT_SUPPORTED"
        msg = f"{function} is not modelled yet: it answers {answer}"
    else:
        msg = nearest(function, modelled(), "function of the driver API") if function else "no function is named"
    raise LookupError(msg)


def rules_text(rows: list[Row], width: int | None = None) -> str:
    """Return the ledger's rows as a table under their functions, with a line that counts them."""
    width = width or columns()

    def cells(row: Row) -> tuple[str, str, str]:
        said = [row.rule.statement, row.rule.id] if row.rule else []
        if row.status != "broken":
            answers = (
                f" (the driver answers {row.entry.answers.name})" if row.entry and row.entry.answers is not None else ""
            )
            said.append(row.status + answers + (f": {row.reason}" if row.reason else ""))
        return GAP + row.code.name, row.grade, "\n".join(said)

    body: list[Sequence[str] | str] = []
    for number, row in enumerate(rows):
        if number == 0 or rows[number - 1].function != row.function:
            body += ["", row.function]
        body.append(cells(row))
    # The ledger keeps no account of the codes that the manual names for calls of the runtime API.
    counted = f"rules: {len(rows)}" if rows and is_runtime(rows[0].function) else summary(rows)
    return "\n".join([table(("  code", "grade", "rule"), body, width), "", *wrapped(counted, width)])
