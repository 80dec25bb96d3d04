"""Names of objects that belong to code and end with the code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from attrs import define, field

from conformance.kit.plan import referred

if TYPE_CHECKING:
    from conformance.kit.names import Names
    from conformance.kit.program import Answer, Step

UNLOADS = frozenset({"cuModuleUnload", "cuLibraryUnload"})
OWNERS = re.compile(r"\.(module|library|kernel)\d+$")
"""Kinds of code that own other objects."""


@define
class Owned:
    """Objects that belong to code.

    Attributes:
        names: The names of a run.
    """

    names: Names
    _of: dict[str, list[str]] = field(factory=dict)

    def note(self, step: Step, answer: Answer) -> None:
        """Note objects that a call returned from code, or end them."""
        if answer["code"] or not step.get("args"):
            return
        owner = referred(step["args"][0]) or ""
        if step["call"] == "cuLinkDestroy":
            for name in self.names.by_text.values():
                if name.kind == "image" and name.process == step["process"]:
                    name.references = 0
        elif step["call"] in UNLOADS:
            self._end(owner)
        elif OWNERS.search(owner):
            made = [one["new"] for one in answer["outs"].values() if isinstance(one, dict) and "new" in one]
            self._of.setdefault(owner, []).extend(made)

    def _end(self, owner: str) -> None:
        for text in self._of.pop(owner, ()):
            if text in self.names.by_text:
                self.names.by_text[text].references = 0
            self._end(text)
