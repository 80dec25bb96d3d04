"""The parts of a run: processes that find failures and how to repeat them."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from tools.touched.gates import GATES, STEPS
from tools.touched.what import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tools.touched.what import Touched

RECORDED = "::test_recorded["
FEW = 4
"""Maximum number of differing recorded programs that are reported by name."""
LAST = 15
"""Number of last lines of a crashed process's output in a failure."""


@frozen
class Failure:
    """A failure.

    Attributes:
        name: The name of the test, recorded program or file.
        text: The message.
        command: The command that repeats it, or that writes what is missing.
    """

    name: str
    text: str
    command: str


@define
class Part:
    """The result of a part.

    Attributes:
        name: The name of the part.
        ran: What it ran, as text.
        failures: The failures.
    """

    name: str
    ran: str = ""
    failures: list[Failure] = field(factory=list)


@frozen
class Chosen:
    """What to run.

    Attributes:
        what: The touched calls and files.
        also: Affected calls, whose cases run, too.
        mutants: Whether to hunt mutants.
        most: Maximum number of recorded programs to replay.
        jobs: Maximum number of parallel processes.
    """

    what: Touched
    also: frozenset[str] = frozenset()
    mutants: bool = False
    most: int = 3000
    jobs: int = 2


def run(chosen: Chosen) -> list[Part]:
    """Run all parts with something to do, several in parallel; return their results."""
    conformed = bool(_conformed(chosen))
    makes: list[tuple[Callable[[Chosen, Path], Part], bool]] = [
        (_gates, bool(_tests(chosen)) or _is_of_rules(chosen)),
        (_recordings, conformed),
        (_cases, conformed),
        (_types, bool(_python(chosen))),
        (_ruff, bool(_python(chosen))),
        (_mutants, conformed and chosen.mutants),
    ]
    parts = [make for make, applies in makes if applies]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(chosen.jobs) as pool:
        return _once(list(pool.map(lambda make: make(chosen, Path(folder)), parts)))


def _once(parts: list[Part]) -> list[Part]:
    """Return the parts without failures that an earlier part already has."""
    seen: set[tuple[str, str]] = set()
    for part in parts:
        part.failures = [
            one for one in part.failures if (one.name, one.command) not in seen or one.name.endswith("lacks a case")
        ]
        seen |= {(one.name, one.command) for one in part.failures}
    return parts


def _python(chosen: Chosen) -> list[str]:
    """Return the touched Python files that exist."""
    return sorted(
        path
        for path in chosen.what.files
        if path.endswith(".py") and "/generated/" not in path and (ROOT / path).exists()
    )


def _tests(chosen: Chosen) -> list[str]:
    return sorted(chosen.what.tests)


def _is_of_rules(chosen: Chosen) -> bool:
    """Return whether rules, cases or evidence are touched, for which there are gates."""
    return bool(chosen.what.calls or chosen.what.chapters) or any(
        path.startswith(("fakecuda/rules/", "fakecuda/model/")) for path in chosen.what.files
    )


def _conformed(chosen: Chosen) -> list[str]:
    """Return the calls whose cases run. NVML's rules have tests instead."""
    return sorted(call for call in chosen.what.calls | chosen.also if not call.startswith("nvml"))


def _ruff(chosen: Chosen, _: Path) -> Part:
    """Check the style and the format of the touched files."""
    files = _python(chosen)
    part = Part("ruff", f"{len(files)} files")
    for command in (("check", "--output-format=concise", "--quiet"), ("format", "--check", "--quiet", "--diff")):
        ran = _ran("ruff", *command, *files)
        if ran.returncode:
            fix = f"ruff {command[0]} {'--fix ' if command[0] == 'check' else ''}{' '.join(files)}"
            part.failures.append(Failure(f"ruff {command[0]}", _last(ran.stdout or ran.stderr), fix))
    return part


def _types(chosen: Chosen, _: Path) -> Part:
    """Check the types of the touched files."""
    files = _python(chosen)
    part = Part("mypy", f"{len(files)} files")
    ran = _ran("mypy", "--no-error-summary", *files)
    if ran.returncode:
        part.failures.append(Failure("mypy", _last(ran.stdout + ran.stderr), f"mypy {' '.join(files)}"))
    return part


def _cases(chosen: Chosen, folder: Path) -> Part:
    """Run the calls' cases, pairs and recordings, and find rules that no case breaks."""
    calls = _conformed(chosen)
    report = folder / "cases.json"
    ran = _ran("fakecuda", "conform", *calls, "--jobs", "1", "--report", str(report))
    part = Part("cases")
    if not report.exists():
        part.failures.append(_broken("cases", ran, f"python -m fakecuda conform {' '.join(calls)}"))
        return part
    told = json.loads(report.read_text())
    part.ran = f"{sum(chapter['cases'] for chapter in told['chapters'].values())} checks of {len(calls)} calls"
    recorded = [name for name in told["failed"] if RECORDED in name]
    for name, text in told["failed"].items():
        short = name.rpartition("::")[2]
        if name not in recorded[FEW:]:
            part.failures.append(Failure(short, _first(text), f"python -m fakecuda conform '{short}'"))
    if more := recorded[FEW:]:
        text = f"{len(more)} more recorded programs of these calls differ"
        part.failures.append(Failure("recordings", text, f"python -m fakecuda conform {' '.join(calls)}"))
    for line in told["not shown"]:
        call = line.partition(" ")[0]
        part.failures.append(
            Failure(
                f"{call} lacks a case",
                f"no case of the call breaks the rule: {line}",
                f"python -m fakecuda conform {call}",
            )
        )
    return part


def _recordings(chosen: Chosen, folder: Path) -> Part:
    """Replay recordings that contain a touched call.

    Those named after a call run with its cases.
    """
    plan = {"calls": sorted(chosen.what.calls) or _conformed(chosen), "most": chosen.most}
    part, told = _module("recordings", "tools.touched.recorded", plan, folder)
    part.ran = f"{told.get('count', 0)} programs"
    if told.get("more"):
        part.ran += f"; {told['more']} longer ones left out: python -m fakecuda conform test_recorded"
    return part


def _gates(chosen: Chosen, folder: Path) -> Part:
    """Run the gates and the tests, and compare the generated files."""
    what = chosen.what
    of_rules = _is_of_rules(chosen)
    plan = {
        "gates": GATES if of_rules else (),
        "tests": _tests(chosen),
        "files": sorted(what.files),
        "calls": sorted(what.calls | chosen.also),
        "chapters": sorted(what.chapters),
        "steps": STEPS if of_rules else (),
    }
    part, told = _module("gates and tests", "tools.touched.gates", plan, folder)
    part.ran = f"{told.get('count', 0)} tests{'; generated files compared: ' * of_rules}{', '.join(STEPS) * of_rules}"
    return part


def _mutants(chosen: Chosen, folder: Path) -> Part:
    """Hunt the mutants of the touched calls."""
    calls = sorted(call for call in chosen.what.calls if not call.startswith("nvml")) or _conformed(chosen)
    part, told = _module("mutants", "tools.touched.mutants", {"calls": calls, "jobs": chosen.jobs}, folder)
    part.ran = f"{told.get('count', 0)} mutants"
    return part


def _module(name: str, module: str, plan: dict[str, Any], folder: Path) -> tuple[Part, dict[str, Any]]:
    """Run a module on a plan.

    Return the part with its failures, and the module's output.
    """
    given, out = folder / f"{name}.plan", folder / f"{name}.out"
    given.write_text(json.dumps(plan))
    ran = _ran(module, str(given), str(out))
    part = Part(name)
    if not out.exists():
        part.failures.append(_broken(name, ran, shlex.join(["python", "-m", "tools.touched", *sys.argv[1:]])))
        return part, {}
    told = json.loads(out.read_text())
    part.failures += [Failure(**one) for one in told["failures"]]
    return part, told


def _broken(name: str, ran: subprocess.CompletedProcess[str], command: str) -> Failure:
    """Return the failure of a crashed process, with its last lines of output."""
    ended = f"it ended with status {ran.returncode}"
    if ran.returncode < 0:
        ended = f"it was killed by {signal.Signals(-ran.returncode).name}"
    if ran.returncode == -signal.SIGKILL:
        ended += ", perhaps for want of memory"
    return Failure(name, f"{ended}:\n{_last(ran.stdout + ran.stderr)}", command)


def _first(text: str) -> str:
    """Return a check's message without the program that follows."""
    return re.split(r'\n\n"""', text)[0].strip()


def _last(text: str) -> str:
    """Return the last lines of a text."""
    lines = text.strip().splitlines()
    return "\n".join(lines[-LAST:])


def _ran(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
