"""``python -m tools.codegen [--check] [STEP]...``, in the root of a checkout."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time

from fakecuda.progress import each, say
from tools.codegen import cache, reads
from tools.codegen.convention_rows import WrongRow
from tools.codegen.steps import ROOT, STEPS, Step

COMMAND = "python -m tools.codegen"
BEGUN = time.time()


def main(arguments: list[str] | None = None) -> int:
    """Write generated files, or compare them.

    Args:
        arguments: The command line; by default that of the process.

    Returns:
        The exit status: 1 if a file differs, or if a requested step cannot run.
    """
    parser = argparse.ArgumentParser(
        prog=COMMAND,
        description="Write all generated files whose sources are available in this environment.",
        epilog="steps: " + "; ".join(f"{step.name}, {step.about}" for step in STEPS.values()),
    )
    parser.add_argument(
        "steps", nargs="*", metavar="STEP", help="only these steps; a named step takes any release of its source"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; list the files that differ")
    parser.add_argument(
        "--fresh", action="store_true", help="also run steps whose inputs have not changed; CI always does"
    )
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.steps if name not in STEPS]:
        parser.error(f"no such step: {', '.join(unknown)}; use {', '.join(STEPS)}")
    # In CI, and if main() is called as a function, the cache is not used.
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
        # In a new process, which reads the files that earlier steps have written.
        command = [sys.executable, "-m", "tools.codegen", step.name, *(["--check"] if options.check else [])]
        command += ["--fresh"] if options.fresh else []
        taking = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.PIPE, text=True)
        say(taking.stdout.rstrip())
        status |= taking.returncode
        if status and not options.check:
            break
    return status


def taken(step: Step, *, check: bool) -> int:
    """Run one step; return its exit status."""
    try:
        files = step.files()
        differing = step.differing(files)
    except ImportError:
        if not step.lacks:
            raise
        print(f"{step.name}: {step.lacks}")
        return 1
    except WrongRow as wrong:
        print(f"{step.name}: {wrong}")
        return 1
    except NotImplementedError as unknown:
        print(f"{step.name}: {unknown}: add it to tools/codegen")
        return 1
    for path, text in sorted(differing.items(), key=lambda one: one[0]):
        name = path.relative_to(ROOT)
        if check:
            print(f"{name} differs from the generated content: run {COMMAND} {step.name}")
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
