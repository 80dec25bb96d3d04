"""Names in pages, evidence and data: rules, recorded programs, files."""

from __future__ import annotations

import re
from functools import cache

from conformance.record import recordings
from fakecuda.explain.ledger import rules
from fakecuda.rules.gated import GATED
from fakecuda.rules.registry import EVERY_API, every_rule
from tests.docs.blocks import ROOT
from tests.docs.pages import names

TEXTS = {
    name: (ROOT / name).read_text(encoding="utf-8")
    for name in (
        *names(),
        "CHANGELOG.md",
        "tests/README.md",
        "conformance/data/divergences.toml",
        *(path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("fakecuda/explain/evidence/*/*.toml"))),
    )
}
"""The texts to search, by name."""
RULE = re.compile(r"(?<![\w.*/])((?:[a-z]\w*\.)+[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b")
PROGRAM = re.compile(
    r"(?<![\w/])((?:cu|cuda|hip)[A-Z]\w+/(?:case|pairs|undefined)/\d+|machine/\d+-\d+|questions/\w+(?:/[\w:@-]+)+|nvml/[a-z]\w+(?!\w*\.)|libamdhip64-[\d.]+/\w+/\w+)"
)
RECORDING = re.compile(r"(?<![\w/])(h200[\w-]*/[a-z]+(?:-\d+)?)(?:\.jsonl\.gz)?(?![\w/])")
FILE = re.compile(r"`((?:fakecuda|conformance|docs|tests|benchmarks|realcuda|tools|\.ci)/[^`\s]*)`")
NAMED = re.compile(r"\b[A-Z]+(?:_[A-Z0-9]+)*_(?:IS|ARE|HAS|HAVE|SUFFICES?|FITS?|LIES?)(?:_[A-Z0-9]+)*\b")
ANSWER = re.compile(r"answers? `([A-Z_]+)`[^().]* ?\(programs? ([^)]*)\)")


@cache
def known() -> frozenset[str]:
    """Return the ids of all rules, those of faults and captures included."""
    return frozenset(rule.id for rule in (*every_rule(*EVERY_API.values()), *rules(*EVERY_API.values()), *GATED))


@cache
def recorded() -> dict[str, set[int]]:
    """Return by the name of recorded programs the codes that drivers answered in them, on whichever machine."""
    found: dict[str, set[int]] = {}
    for path in recordings.files():
        for program in recordings.read(path).programs:
            found.setdefault(program.name, set()).update(answer["code"] for answer in program.answers)
    return found


@cache
def labels() -> frozenset[str]:
    """Return the names of the stretches of recorded programs: the cases that they were when they were recorded."""
    return frozenset(
        step["args"][0]
        for path in recordings.files()
        for program in recordings.read(path).programs
        for step in program.steps
        if step["call"] == "world"
    )
