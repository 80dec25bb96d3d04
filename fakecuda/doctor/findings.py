"""The doctor's findings on a subject by topic, and its verdict."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from fakecuda.doctor.libraries import HIP, WITH_HIP

if TYPE_CHECKING:
    from collections.abc import Iterable

RUNTIME, CALLS, LIBRARIES, KERNELS, STATE, FILES = "runtime", "calls", "libraries", "kernels", "state", "files"
TOPICS = {
    RUNTIME: "the runtime library",
    LIBRARIES: "how it finds libraries",
    CALLS: "calls that are not modelled",
    KERNELS: "kernels",
    STATE: "state of the whole process",
    FILES: "files",
}
"""Topics of findings, with their titles, in the order of the report."""


class Level(IntEnum):
    """The effect of a finding on a test."""

    NOTE = 0
    NEEDS = 1
    LIMITS = 2
    BLOCKS = 3


class Fixture(IntEnum):
    """The fixture that a finding on state requires; a subject's widest one counts."""

    ANY = 0
    UNSEEN = 1
    MODULE = 2
    SESSION = 3
    RENEWED = 4


WORDS = {Level.NOTE: "", Level.NEEDS: "needs", Level.LIMITS: "in part", Level.BLOCKS: "does not work"}
"""The report's mark of a finding, by level."""


@frozen
class Finding:
    """A fact about some files.

    Attributes:
        topic: A key of ``TOPICS``.
        level: What it means for a test.
        text: The fact, and what to do.
        short: The fact in the verdict; empty for a note.
        fixture: What it means for the choice of a fixture.
    """

    topic: str
    level: Level
    text: str
    short: str = ""
    fixture: Fixture = Fixture.ANY


@define
class Diagnosis:
    """All findings of a subject.

    Attributes:
        title: The subject.
        findings: Its findings, each with the files that it is true for.
        ways: The ways by which its calls reach a machine.
        missing: The calls that are not modelled, by reason, each with the files that name it.
        kinds: The number of libraries, programs, Python modules and images that were read.
    """

    title: str
    findings: dict[Finding, list[str]] = field(factory=dict)
    ways: dict[str, None] = field(factory=dict)
    missing: dict[str, dict[str, set[str]]] = field(factory=dict)
    kinds: dict[str, int] = field(factory=dict)

    def add(self, finding: Finding, file: str) -> None:
        """Add a finding of a file, once."""
        files = self.findings.setdefault(finding, [])
        if file not in files:
            files.append(file)

    def note(self, topic: str, text: str, file: str) -> None:
        """Add a finding that does not change the verdict."""
        self.add(Finding(topic, Level.NOTE, text), file)

    def state(self, fixture: Fixture, text: str, file: str) -> None:
        """Add driver state that a file keeps, with the fixture that it requires."""
        self.add(Finding(STATE, Level.NOTE, text, fixture=fixture), file)

    def lacks(self, names: Iterable[tuple[str, str]], file: str) -> None:
        """Add calls that are not modelled, each with its reason."""
        for name, reason in names:
            self.missing.setdefault(reason, {}).setdefault(name, set()).add(file)

    def count(self, kind: str) -> None:
        """Count a file of a kind."""
        self.kinds[kind] = self.kinds.get(kind, 0) + 1

    @property
    def level(self) -> Level:
        """The most severe level of the findings."""
        return max((one.level for one in self.findings), default=Level.NOTE)

    def verdict(self) -> str:
        """Return the verdict as a line: whether it works, by what, and what is missing."""
        parts = {
            level: list(dict.fromkeys(one.short for one in self.findings if one.level == level and one.short))
            for level in Level
        }
        if set(self.ways) - {HIP}:
            parts[Level.NEEDS] = [one for one in parts[Level.NEEDS] if one != WITH_HIP]
        wrong = parts[Level.BLOCKS] or (parts[Level.LIMITS] if not self.ways else [])
        if wrong:
            return f"does not work: {'; '.join(wrong)}"
        if not self.ways:
            return "makes no calls that the doctor sees"
        text = f"works by {', '.join(self.ways)}"
        if parts[Level.LIMITS]:
            text += f", in part: {'; '.join(parts[Level.LIMITS])}"
        return f"{text}; {', and '.join(parts[Level.NEEDS])}" if parts[Level.NEEDS] else text

    def as_json(self) -> dict[str, Any]:
        """Return all findings as data for JSON."""
        return {
            "subject": self.title,
            "verdict": self.verdict(),
            "level": self.level.name.lower(),
            "ways": list(self.ways),
            "read": self.kinds,
            "findings": [
                {"topic": one.topic, "level": one.level.name.lower(), "text": one.text, "files": files}
                for one, files in self.findings.items()
            ],
            "not_modelled": {
                reason: {name: sorted(files) for name, files in sorted(names.items())}
                for reason, names in self.missing.items()
            },
        }
