"""What a machine keeps of undefined behaviour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from fakecuda.model import history
from fakecuda.model.telling import called, places

if TYPE_CHECKING:
    from fakecuda.rules.core import Rule
    from fakecuda.rules.dispatch import Op


@frozen
class Finding:
    """An undefined rule that was broken.

    Attributes:
        rule: The rule.
        call: The call that broke it.
        process: The name of the calling process.
        facts: Values and objects that broke it.
        stack: The stack that called.
        made: The operation that was called, and its arguments; None where no call was under way.
    """

    rule: Rule
    call: str
    process: str
    facts: dict[str, Any] = field(factory=dict)
    stack: history.Stack = field(default=history.NOWHERE, eq=False, repr=False)
    made: tuple[Op, tuple[Any, ...]] | None = field(default=None, eq=False, repr=False)

    def __str__(self) -> str:
        first, *beneath = places(self.stack) or [""]
        lines = [
            f"{self.call} in process {self.process}: {self.rule.statement}: broken",
            *([f"  call   {called(*self.made)}"] if self.made else []),
            *([f"  at     {first}"] if first else []),
            *(f"  by     {line}" for line in beneath),
            f"  rule   {self.rule.id} ({self.rule.grade})",
            f"  source {self.rule.source.call}: {self.rule.source.quote}",
        ]
        for name, value in self.facts.items():
            shown = hex(value) if isinstance(value, int) and value > 0xFFFF else value  # noqa: PLR2004 - addresses in hex
            lines.append(f"  {name} = {shown}")
            history = getattr(value, "history", None)
            lines += [f"    {line}" for line in history()] if history else []
        return "\n".join(lines)
