"""``python -m tools.codegen [--check] [STEP]...``, in the root of a checkout."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time

from fakecuda.progress import each, say
from tools.codegen import cache, reads
from tools.codegen.steps import ROOT, STEPS, Step

COMMAND = "python -m tools.codegen"
BEGUN = time.time()


def main(arguments: list[str] | None = None) -> int:
    """Write generated files, or compare them.

    Args:
        arguments: The command line; by default that of the process.

    Returns:
        The exit status: 1 if a file differs, or a step cannot be taken that was asked for.
    """
    parser = argparse.ArgumentParser(
        prog=COMMAND,
        description="Write every generated file that this environment has the sources of.",
        epilog="steps: " + "; ".join(f"{step.name}, {step.about}" for step in STEPS.values()),
    )
    parser.add_argument(
        "steps", nargs="*", metavar="STEP", help="only these; a named step takes any release of its source"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; say what differs")
    parser.add_argument(
        "--fresh", action="store_true", help="take steps whose inputs have not changed, too; CI always does"
    )
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.steps if name not in STEPS]:
        parser.error(f"no such step: {', '.join(unknown)}; there are {', '.join(STEPS)}")
    # In CI, and where this is no command, nothing is taken from earlier runs.
    cached = reads.state["watching"] and not options.fresh and os.environ.get("CI") != "true"
    if len(options.steps) == 1:
        step = STEPS[options.steps[0]]
        return 0 if cached and cache.holds(step) else taken(step, check=options.check)
    status = 0
    for step in each([STEPS[name] for name in options.steps] or STEPS.values(), lambda step: step.name):
        if not options.steps and (why := step.lacks or step.apart):
            say(f"left out: {step.name}: {why}")
            continue
        if cached and cache.holds(step):
            continue
        if step.on_demand and not options.steps and not options.check:
            say(f"left out: {step.name}: {COMMAND} {step.name} draws them again")
            continue
        # In a process of its own, which reads what the steps before it wrote.
        command = [sys.executable, "-m", "tools.codegen", step.name, *(["--check"] if options.check else [])]
        command += ["--fresh"] if options.fresh else []
        taking = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.PIPE, text=True)
        say(taking.stdout.rstrip())
        status |= taking.returncode
        if status and not options.check:
            break
    return status


def taken(step: Step, *, check: bool) -> int:
    """Take one step; return its exit status."""
    try:
        files = step.files()
        differing = step.differing(files)
    except ImportError:
        if not step.lacks:
            raise
        print(f"{step.name}: {step.lacks}")
        return 1
    except NotImplementedError as unknown:
        print(f"{step.name}: {unknown}: teach it in tools/codegen")
        return 1
    for path, text in sorted(differing.items(), key=lambda one: one[0]):
        name = path.relative_to(ROOT)
        if check:
            print(f"{name} differs from what is generated: {COMMAND} {step.name}")
        elif text is None:
            path.unlink()
            print(f"deleted {name}")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            print(f"wrote {name}")
    if reads.state["watching"] and not (check and differing):
        cache.keep(step, files, BEGUN)
    return int(check and bool(differing))
