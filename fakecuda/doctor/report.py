"""The doctor's findings as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.doctor.findings import CALLS, STATE, TOPICS, WORDS, Fixture
from fakecuda.explain.reports.text import GAP, columns, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fakecuda.doctor.findings import Diagnosis

FEW_FILES, FEW_CALLS = 2, 8
FIXTURES = {
    Fixture.ANY: "fakecuda",
    Fixture.UNSEEN: "fakecuda_session is safe; fakecuda, if two tests that create and destroy contexts pass in any order",
    Fixture.MODULE: "fakecuda_module",
    Fixture.SESSION: "fakecuda_session",
    Fixture.RENEWED: "fakecuda",
}
"""Advice on the fixture that suits a subject."""


def text_of(diagnoses: Sequence[Diagnosis], width: int | None = None) -> str:
    """Return the verdicts, one a line, then the details of each subject."""
    width = width or columns()
    lines = [f"{one.title}: {one.verdict()}" for one in diagnoses]
    for one in diagnoses:
        lines += ["", one.title, *_details(one, width)]
    return "\n".join(lines)


def _details(diagnosis: Diagnosis, width: int) -> Iterator[str]:
    read = ", ".join(f"{count} {_plural(kind, count)}" for kind, count in diagnosis.kinds.items())
    if read:
        yield f"{GAP}read: {read}"
    for topic, title in TOPICS.items():
        lines = [
            f"{f'[{WORDS[one.level]}] ' if WORDS[one.level] else ''}{one.text}{_where(files)}"
            for one, files in sorted(diagnosis.findings.items(), key=lambda row: -row[0].level)
            if one.topic == topic
        ]
        if topic == CALLS:
            lines += _calls(diagnosis)
        if topic == STATE and diagnosis.ways:
            lines.append(_scope(diagnosis))
        if lines:
            yield f"{GAP}{title}"
        for line in lines:
            yield from wrapped(f"{GAP * 2}{line}", width, GAP * 3)


def _plural(kind: str, count: int) -> str:
    return kind if count == 1 else "libraries" if kind == "library" else f"{kind}s"


def _where(files: Iterable[str]) -> str:
    names = [name for name in files if name]
    if not names:
        return ""
    rest = f" and {len(names) - FEW_FILES} more" if len(names) > FEW_FILES else ""
    return f" ({', '.join(names[:FEW_FILES])}{rest})"


def _calls(diagnosis: Diagnosis) -> Iterator[str]:
    """Yield a line for each reason, with the calls and their files."""
    for reason, names in sorted(diagnosis.missing.items()):
        shown = sorted(names)
        rest = f" and {len(shown) - FEW_CALLS} more" if len(shown) > FEW_CALLS else ""
        files = dict.fromkeys(file for name in shown for file in sorted(names[name]))
        yield f"{', '.join(shown[:FEW_CALLS])}{rest}: {reason}{_where(files)}"


def _scope(diagnosis: Diagnosis) -> str:
    """Return the advice on the fixture."""
    return f"fixture: {FIXTURES[max((one.fixture for one in diagnosis.findings), default=Fixture.ANY)]}"
