"""The steps that start a call.

Each writes a part, and the last one runs the skeleton.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.targets import newer
from fakecuda import profiles
from fakecuda.explain.evidence import SHOWN
from fakecuda.spec.description import HERE
from tools.codegen.steps import ROOT
from tools.new_call import skeletons

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tools.new_call.plan import Plan

GENERATED = ("index", "surfaces", "native")
"""The generators' steps whose files a new call changes."""
FOLDERS = tuple(ROOT / "fakecuda" / name / "generated" for name in ("rules", "reach/bindings", "reach/native"))
PROFILE = "h200-x2"
"""The default profile of ``conform``."""
UNWRITTEN = "NotImplementedError"
"""The exception of a skeleton's effect."""


class StepError(Exception):
    """A step failed; the text says which step and why."""


def written(plan: Plan) -> list[Path]:
    """Return the files and folders that the steps write."""
    packages = [path.parent / "__init__.py" for path in (plan.operation, plan.cases)]
    return [plan.operation, plan.cases, *packages, plan.evidence, _comparisons(plan), *FOLDERS]


def operation(plan: Plan) -> Iterator[str]:
    """Write the module of the rules and the operation."""
    yield _skeleton(plan, plan.operation, skeletons.operation(plan))


def cases(plan: Plan) -> Iterator[str]:
    """Write the module of the cases."""
    yield _skeleton(plan, plan.cases, skeletons.cases(plan))


def evidence(plan: Plan) -> Iterator[str]:
    """Write the evidence file of a new chapter."""
    if not plan.evidence.exists():
        kinds = (SHOWN / "__init__.py").as_posix()
        plan.evidence.parent.mkdir(parents=True, exist_ok=True)
        plan.evidence.write_text(
            f"# What is known of {plan.evidence.stem}, a chapter of {plan.api.title}. The kinds of entries: {kinds}.\n"
        )
        yield f"wrote {plan.evidence.relative_to(ROOT)}"


def comparison(plan: Plan) -> Iterator[str]:
    """Write which results are new handles or addresses in each run."""
    if how := skeletons.compared(plan):
        with _comparisons(plan).open("a") as file:
            file.write(how)
        yield f"wrote how to compare results: {_comparisons(plan).relative_to(ROOT)}"


def generate(_: Plan) -> Iterator[str]:
    """Run the generators."""
    yield _run("tools.codegen", *GENERATED)


def prove(*plans: Plan) -> Iterator[str]:
    """Run the cases of skeletons: those of the shared beginnings hold, and the rest reach the unwritten effect."""
    names = [plan.call.name for plan in plans]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        ran = _ran("fakecuda", "conform", *names, "--jobs", "1", "--report", str(report))
        if not report.exists():
            msg = f"python -m fakecuda conform {' '.join(names)} ran no case:\n{ran.stdout}{ran.stderr}".rstrip()
            raise StepError(msg)
        told = json.loads(report.read_text())
    failed = told["failed"]
    if wrong := {name: text for name, text in failed.items() if UNWRITTEN not in text}:
        lines = "\n\n".join(f"{name}\n{text}" for name, text in wrong.items())
        msg = f"cases of the skeleton fail before they reach its effect:\n{lines}"
        raise StepError(msg)
    count = sum(chapter["cases"] for chapter in told["chapters"].values())
    yield f"{count - len(failed)} of {count} checks of the skeleton pass; {len(failed)} wait for its rules and its effect"
    yield from newer.told(names, profiles.load(PROFILE))


STEPS: tuple[Callable[[Plan], Iterator[str]], ...] = (operation, cases, evidence, comparison, generate, prove)
"""The steps in order. Each yields lines to print."""


def _comparisons(plan: Plan) -> Path:
    return HERE / f"{plan.api.name}.compare.toml"


def _skeleton(plan: Plan, path: Path, text: str) -> str:
    """Write a module, and the package of a new chapter; return a line to print."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not (path.parent / "__init__.py").exists():
        (path.parent / "__init__.py").write_text(f'"""{plan.chapter.replace("_", " ").capitalize()}."""\n')
    path.write_text(text)
    _run("ruff", "check", "-q", "--no-cache", "--fix", "--select=I", str(path))
    _run("ruff", "format", "-q", "--no-cache", str(path))
    return f"wrote {path.relative_to(ROOT)}"


def _run(module: str, *arguments: str) -> str:
    """Run a module in the checkout; return its output.

    Raises:
        StepError: The exit status is not 0.
    """
    ran = _ran(module, *arguments)
    if ran.returncode:
        said = f"{ran.stdout}{ran.stderr}".strip()
        msg = f"python -m {module} {' '.join(arguments)} ended with status {ran.returncode}:\n{said}"
        raise StepError(msg)
    return ran.stdout.strip()


def _ran(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
