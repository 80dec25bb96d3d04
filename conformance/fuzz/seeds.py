"""A long search: programs that state machines draw, seed after seed: ``python -m conformance.fuzz.seeds --minutes 60``.

What fails is made smaller and printed, with what repeats it. ``fakecuda conform --random`` looks at one more seed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import secrets
import sys
import time
from typing import TYPE_CHECKING

from hypothesis import Phase

from conformance.fuzz.programs import KINDS, SLICE, draw, slice_seed
from conformance.runner.checks import text_of
from conformance.targets.target import Target
from fakecuda import profiles
from fakecuda.progress import Progress, say

if TYPE_CHECKING:
    from collections.abc import Sequence

SMALLER = (Phase.generate, Phase.shrink)
FAILURES = 5
"""The number of failures after which the command ends."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 1 if a program failed, else 0.

    Args:
        arguments: What stands behind the program's name; ``sys.argv`` by default.
    """
    parser = argparse.ArgumentParser(prog="python -m conformance.fuzz.seeds", description="look for programs that fail")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long to search")
    parser.add_argument("--seed", type=int, help="where to begin; a new seed by default, which is printed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    parser.add_argument("--profile", default="h200-x2", help="the machine's profile; HIP has its own two")
    options = parser.parse_args(arguments)
    first = secrets.randbelow(1 << 32) if options.seed is None else options.seed
    print(f"seeds from {first} on, repeat with --seed {first}", flush=True)
    end = time.monotonic() + 60 * options.minutes
    failed, steps, seeds = 0, 0, 0
    bar = Progress(max(int(60 * options.minutes), 1))
    with multiprocessing.get_context("fork").Pool(options.jobs) as pool:
        while failed < FAILURES and time.monotonic() < end:
            batch = [(options.profile, first + seeds + number) for number in range(options.jobs)]
            for seed, made, problems in pool.map(one, batch, chunksize=1):
                seeds, steps, failed = seeds + 1, steps + made, failed + len(problems)
                for problem in problems:
                    say(f"\nseed {seed}, repeat with: python -m conformance.fuzz.seeds --seed {seed}\n{problem}")
            bar.done = min(bar.total, bar.total - int(end - time.monotonic()))
            bar.show(f"s, {seeds} seeds, {steps} steps")
    bar.end()
    print(f"{seeds} seeds, {steps} steps, {failed} programs failed")
    return int(failed > 0)


def one(work: tuple[str, int]) -> tuple[int, int, list[str]]:
    """Draw a slice of each state machine's programs; return seed, steps and failures.

    Args:
        work: The profile's name and the seed.
    """
    name, seed = work
    target = Target("model", profiles.load(name))
    steps, problems = 0, []
    for kind in KINDS:
        try:
            steps += draw(kind, target, slice_seed(seed, kind, 0), SLICE, SMALLER).counts["steps"]
        except Exception as error:  # noqa: BLE001 - whatever fails is told
            problems.append(f"{kind.name}: {text_of(error)}")
    return seed, steps, problems


if __name__ == "__main__":
    sys.exit(main())
