"""What remains to be written by hand when a call is begun, file by file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.explain.ledger.sentences import unaccounted
from fakecuda.rules.registry import DRIVER, NVML, RUNTIME
from tools.chapters import chapter_of
from tools.codegen.steps import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.new_call.plan import Plan

WORLDS = {"driver": "tests/bindings/world.py", "runtime": "tests/bindings/runtime_world.py"}
"""Where a look-alike's tests have the valid arguments of each call."""


def remaining(plan: Plan) -> list[str]:
    """Return the lines of the list: each file, what is to be written there, and the command that shows it done."""
    name = plan.call.name
    lines = [f"{name} is begun. What remains to be written by hand:"]
    for number, (file, what, command) in enumerate(_files(plan), 1):
        lines += ["", f"{number}. {file}", f"   {what}", f"   shown by: {command}"]
    return [
        *lines,
        "",
        "Then the pages are written anew, and all of it is shown; CHANGELOG.md gets a line:",
        "   python -m tools.codegen",
        f"   python -m tools.touched --mutants {name}",
        "   python -m fakecuda.explain.ledger",
        "   python -m pytest -n auto",
    ]


def _files(plan: Plan) -> Iterator[tuple[str, str, str]]:
    """Yield the files, what is to be written in each, and the command that shows it done."""
    name = plan.call.name
    yield (
        str(plan.operation.relative_to(ROOT)),
        "the rules: a name that says what must hold, the manual's words, a fix, the check, or a guard that neighbours have; the effect",
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
            f"which calls the chapter {plan.chapter} has",
            "python -m pytest tests/rules/test_rules.py",
        )
    if plan.api in {DRIVER, RUNTIME} and (kinds := strangers(plan)):
        yield (
            "conformance/kit/names.py",
            f"what programs call values of {', '.join(kinds)}, in TYPES",
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
            "[[sentence]]: which rule or case holds the driver to each sentence of the manual, or why none does"
        )
    if plan.codes and plan.api is not NVML:
        known.append("[[unreached]]: the reason, for each rule that no drawn program breaks")
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
