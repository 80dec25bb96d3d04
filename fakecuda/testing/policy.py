"""The suite's policy for undefined behaviour.

The settings ``fakecuda_findings`` and ``fakecuda_suppress``.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from attrs import define

from fakecuda import Machine
from fakecuda.errors import EndlessWait, UndefinedBehaviour, UndefinedBehaviourWarning
from fakecuda.machine import findings, late_uses
from fakecuda.machine.simulating import simulate
from fakecuda.testing.at_line import raise_at
from fakecuda.testing.settings import CURRENT, ENTRY

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from fakecuda.model.finding import Finding


def _is_late(made: Machine, finding: Finding) -> bool:
    """Return whether a finding is about an object of an earlier, failed test.

    If the earlier test has passed, the finding names it.
    """
    args = finding.made[1] if finding.made is not None else ()
    if maker := late_uses.late_maker(made, args):
        finding.facts["of"] = f"the machine of {maker}, which has ended"
    elif late_uses.is_late(made, args):
        findings.tell(made, [finding])
        return True
    return False


@define(eq=False)
class Suppressed:
    """An entry of ``fakecuda_suppress``, for bugs that a suite cannot fix.

    Attributes:
        text: The entry.
        rule: The id of the broken rule.
        module: A Python module or package with code among the callers, or the C library that called; ``*`` for any.
        matched: The number of findings that it suppressed.
    """

    text: str
    rule: str
    module: str
    matched: int = 0

    @classmethod
    def of(cls, text: str) -> Suppressed:
        """Read an entry, which was checked when the session began."""
        found = ENTRY.fullmatch(text)
        assert found is not None
        return cls(text, found["rule"], found["module"])

    def fits(self, finding: Finding) -> bool:
        """Return whether the entry matches a finding."""
        return finding.rule.id == self.rule and (
            self.module == "*"
            or any(self._has(code.co_filename) for code in finding.stack[::2])
            or any(self._is(file) for file in finding.libraries)
        )

    def _is(self, file: str) -> bool:
        """Return whether a file is the C library with a name.

        ``libnccl``, ``libnccl.so`` and ``libnccl.so.2`` name the same one.
        """
        return f"{file.rpartition('/')[2]}.".startswith(f"{self.module}.")

    def _has(self, file: str) -> bool:
        """Return whether a file belongs to the module or package."""
        path = "/" + self.module.replace(".", "/")
        return file.endswith(f"{path}.py") or f"{path}/" in file


class Policy:
    """The suite's policy for undefined behaviour.

    Args:
        config: The pytest configuration.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.warns = config.getini("fakecuda_findings") == "warn"
        self.suppressed = [Suppressed.of(line) for line in config.getini("fakecuda_suppress")]

    @contextmanager
    def machine(self, arguments: dict[str, Any]) -> Iterator[Machine]:
        """Install a machine.

        Findings after the test's report are raised at the end of the machine.
        """
        __tracebackhide__ = True
        found: UndefinedBehaviour | EndlessWait | None = None
        try:
            with simulate(**arguments) as made:
                if isinstance(made, Machine):  # neither the real driver nor another OS process's machine
                    self.rule(made)
                yield made
        except (UndefinedBehaviour, EndlessWait) as error:
            found = error.with_traceback(None)
        if found is not None:
            self._tell(found)

    def rule(self, made: Machine) -> None:
        """Make a machine keep suppressed findings and warnings without exceptions."""
        made.tolerates = lambda finding: self._suppresses(made, finding) or _is_late(made, finding) or self.warns

    def judge(self, made: Machine) -> None:
        """Fail the test for the findings of a machine, or warn."""
        __tracebackhide__ = True
        if error := findings.error_of(findings.take(made)):
            self._tell(error)

    def unmatched(self) -> list[str]:
        """Return the entries that suppressed nothing."""
        return [entry.text for entry in self.suppressed if not entry.matched]

    def _suppresses(self, made: Machine, finding: Finding) -> bool:
        fitting = [entry for entry in self.suppressed if entry.fits(finding)]
        for entry in fitting:
            entry.matched += 1
            findings.tell(made, [finding])
        return bool(fitting)

    def _tell(self, error: UndefinedBehaviour | EndlessWait) -> None:
        __tracebackhide__ = True
        if not self.warns or isinstance(error, EndlessWait):
            raise_at(error, self._config.stash.get(CURRENT, None))
        text = "\n".join([str(error), *getattr(error, "__notes__", ())])
        warnings.warn(UndefinedBehaviourWarning(text), stacklevel=2)
