"""What a machine keeps of undefined behaviour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import field, frozen

if TYPE_CHECKING:
    from fakecuda.rules.core import Rule


@frozen
class Finding:
    """An undefined rule that was broken.

    Attributes:
        rule: The rule.
        call: The call that broke it.
        process: The name of the calling process.
        facts: Values and objects that broke it.
    """

    rule: Rule
    call: str
    process: str
    facts: dict[str, Any] = field(factory=dict)

    def __str__(self) -> str:
        lines = [
            f"{self.call} in process {self.process}: {self.rule.statement}: broken",
            f"  rule   {self.rule.id} ({self.rule.grade})",
            f"  source {self.rule.source.call}: {self.rule.source.quote}",
        ]
        for name, value in self.facts.items():
            shown = hex(value) if isinstance(value, int) and value > 0xFFFF else value  # noqa: PLR2004 - addresses in hex
            lines.append(f"  {name} = {shown}")
            history = getattr(value, "history", None)
            lines += [f"    {line}" for line in history()] if history else []
        return "\n".join(lines)
