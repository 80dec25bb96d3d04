"""The record of one call on a machine, for the call log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.explain.reports import told as _told  # noqa: F401 - it sets the hook of findings

if TYPE_CHECKING:
    from fakecuda.rules.core import Rule


@frozen
class CallRecord:
    """A call on a machine, as recorded in the log.

    Attributes:
        process: The name of the process.
        thread: The name of the thread.
        call: The function.
        args: Its arguments as plain values, in C order.
        code: What it answered; None when undefined behaviour was raised.
        outs: Its results.
        rule: The rule that it broke.
        facts: What broke it.
    """

    process: str
    thread: str
    call: str
    args: tuple[Any, ...]
    code: int | None
    outs: Any
    rule: Rule | None
    facts: dict[str, Any] | None

    def __str__(self) -> str:
        from fakecuda.explain.reports.call import called  # noqa: PLC0415 - likewise
        from fakecuda.rules.registry import api_of  # noqa: PLC0415 - many machines are never asked for their calls

        code = "undefined" if self.code is None else api_of(self.call).short(self.code)
        facts = self.facts or {}
        if "injected" in facts:
            why = f"  [injected: {facts['injected']}]"
        else:
            why = f"  [{self.rule.id}]" if self.rule else "  [not modelled]" if "caller" in facts else ""
        return f"{self.process}/{self.thread}  {called(self.call, self.args)} -> {code}{why}"
