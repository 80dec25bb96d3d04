"""The list of what remains to be written by hand, file by file.

It is printed after a call is started.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.explain.ledger.sentences import unaccounted
from fakecuda.rules.registry import DRIVER, NVML, RUNTIME
from tools.chapters import chapter_of
from tools.codegen.steps import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.new_call.plan import Plan

WORLDS = {"driver": "tests/bindings/valid.py", "runtime": "tests/bindings/runtime_valid.py"}
"""The look-alikes' tests, which need valid arguments for each call."""


def remaining(plan: Plan) -> list[str]:
    """Return the list as lines.

    They have each file, what to write there, and the command that checks it.
    """
    name = plan.call.name
    lines = [f"{name} is started. What remains to be written by hand:"]
    for number, (file, what, command) in enumerate(_files(plan), 1):
        lines += ["", f"{number}. {file}", f"   {what}", f"   check: {command}"]
    return [
        *lines,
        "",
        "Then write the pages again and check everything; add a line to CHANGELOG.md:",
        "   python -m tools.codegen",
        f"   python -m tools.touched --mutants {name}",
        "   python -m fakecuda.explain.ledger",
        "   python -m pytest -n auto",
    ]


def _files(plan: Plan) -> Iterator[tuple[str, str, str]]:
    """Yield the files, each with what to write there and the command that checks it."""
    name = plan.call.name
    yield (
        str(plan.operation.relative_to(ROOT)),
        "the rules: a name that says what must hold, the manual's words, a fix, the check or a neighbour's guard; the effect",
        f"python -m fakecuda rules {name}",
    )
    yield (
        str(plan.cases.relative_to(ROOT)),
        "a call that succeeds, and what breaks each rule",
        f"python -m fakecuda conform {name}",
    )
    if plan.api is DRIVER and not chapter_of(name):
        yield (
            "tools/chapters.toml",
            f"the calls of the chapter {plan.chapter}",
            "python -m pytest tests/rules/test_rules.py",
        )
    if plan.api in {DRIVER, RUNTIME} and (kinds := strangers(plan)):
        yield (
            "conformance/kit/kinds.py",
            f"the names of values of {', '.join(kinds)} in programs, in TYPES",
            f"python -m fakecuda conform {name}",
        )
    if plan.api.name in WORLDS:
        yield (
            WORLDS[plan.api.name],
            f"valid arguments, in VALID: {name}({', '.join(p.keyword for p in plan.call.params if p.keyword)})",
            "python -m pytest tests/bindings tests/native",
        )
    known = []
    if plan.api is DRIVER and unaccounted(name):
        known.append(
            "[[sentence]]: the rule or case that holds the driver to each sentence of the manual, or the reason for none"
        )
    if plan.codes and plan.api is not NVML:
        known.append("[[unreached]]: the reason, for each rule that no random program breaks")
    if known:
        yield (
            str(plan.evidence.relative_to(ROOT)),
            "\n   ".join(known),
            "python -m pytest tests/ledger tests/reports tests/conformance/test_coverage.py",
        )


def strangers(plan: Plan) -> list[str]:
    """Return the types of a call's handles that no modelled call has."""
    known = {param.type for call in plan.api.ops for param in plan.api.calls[call].params}
    handles = plan.api.description.DESCRIPTION.handles
    return sorted({param.type for param in plan.call.params if param.type in handles} - known)
