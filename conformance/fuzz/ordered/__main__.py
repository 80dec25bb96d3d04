"""Races, against every interleaving: ``python -m conformance.fuzz.ordered [--programs N] [--seed S] [--first N]``.

Programs of at most eight calls are drawn. Each runs on the model, and every interleaving of its operations is enumerated
by an executor that is written from the manual. What race detection reports first must be a pair that may overlap, and no
such pair may come earlier. A program that differs is made smaller and printed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from conformance.fuzz.ordered.draw import drawn
from conformance.fuzz.ordered.loop import Compared, compared, smaller
from fakecuda.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Sequence

BATCH = 50
"""The number of programs that a process compares at once."""
FAILURES = 5
"""The number of differences after which the command ends."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 if a program differs, else 0.

    Args:
        arguments: What stands behind the program's name; ``sys.argv`` by default.
    """
    parser = argparse.ArgumentParser(prog="python -m conformance.fuzz.ordered", description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", type=int, default=10_000, metavar="N", help="how many programs; 10000 by default")
    parser.add_argument("--seed", type=int, default=0, help="what they are drawn from; 0 by default")
    parser.add_argument(
        "--first", type=int, default=0, metavar="N", help="the number of the first program; 0 by default"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes at a time; 1 by default")
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    bar = Progress(options.programs)
    batches = range(options.first, options.first + options.programs, BATCH)
    work = [range(start, min(start + BATCH, options.first + options.programs)) for start in batches]
    with multiprocessing.get_context("fork").Pool(options.jobs) as pool:
        for done in pool.imap(partial(some, options.seed), work):
            for number, one in done:
                counts["programs"] += 1
                counts["reported"] += one.reported
                counts["states"] += one.states
                counts["too many states"] += not one.states
                if one.difference:
                    counts["differences"] += 1
                    print(f"\nseed {options.seed}, program {number}\n{shown(options.seed, number)}", flush=True)
            if counts["differences"] >= FAILURES:
                break
            bar.done = counts["programs"]
            bar.show(f"programs, {counts['differences']} differences")
    bar.end()
    print(
        ", ".join(
            f"{counts[name]} {name}" for name in ("programs", "reported", "states", "too many states", "differences")
        )
    )
    return int(counts["differences"] > 0)


def some(seed: int, numbers: range) -> list[tuple[int, Compared]]:
    """Return the comparisons of programs, with their numbers."""
    return [(number, compared(drawn(seed, number))) for number in numbers]


def shown(seed: int, number: int) -> str:
    """Return a smaller program with the same difference."""
    program = smaller(drawn(seed, number))
    return f"{program}\n{compared(program).difference}"


if __name__ == "__main__":
    sys.exit(main())
