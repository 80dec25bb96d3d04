"""Damaged frames: ``python -m conformance.fuzz.frames [EXCHANGE] [--kind KIND] [--seed S] [--seconds N]``.

A process attaches to a machine through a relay that does something to one frame, of either side: one of its bytes is
flipped (``flip``), the connection is cut before it (``cut``), it comes twice, or the whole frame does (``repeat``), or it
and what follows it of the frame does not come (``short``). Or nothing passes any more, as when either of the two is killed
(``kill``); or it passes only when others have gone on, as when either is stopped and continued (``stop``).

Behind that another process's calls go on, the machine is whole and its lock free, and nothing is left of the connection.
The process hears an error that is documented, as all threads of both do. What an owner has the process do to its memory
is left out: where an address is another one, a real process ends there or changes what it did not want to.
"""

from __future__ import annotations

import argparse
import random
import secrets
import sys
import time
import tracemalloc
from contextlib import ExitStack
from typing import TYPE_CHECKING

from conformance.fuzz.damage import Bench, Damage
from conformance.fuzz.exchanges import EXCHANGES
from conformance.fuzz.trials import Trials
from fakecuda.progress import each, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from conformance.fuzz.relay import Frame

KINDS = ("flip", "cut", "repeat", "short", "kill", "stop")
"""The kinds of damage."""


def damages(frame: Frame, kind: str, chance: random.Random) -> list[Damage]:
    """Return a damage for each byte of a frame."""
    count = len(frame.content)
    if kind == "flip":
        return [Damage(kind, at, chance.choice((0x01, 0x80, 0xFF, chance.randrange(1, 256)))) for at in range(count)]
    if kind in {"kill", "stop"}:
        return [Damage(kind, 0)]
    return [Damage(kind, at) for at in range(kind == "short", count + (kind == "repeat"))]


def tried(
    kinds: tuple[str, ...] = KINDS,
    pattern: str = "",
    seed: int = 0,
    most: int = 0,
    seconds: float = float("inf"),
    *,
    first: bool = False,
) -> Trials:
    """Damage frames of the exchanges.

    Args:
        kinds: How.
        pattern: Text in the names of the exchanges.
        seed: What draws.
        most: How many are drawn; 0 for all of them.
        seconds: After which no other one is begun.
        first: Whether the first one that harms is the last one.
    """
    trials, chance, end = Trials(), random.Random(seed), time.monotonic() + seconds  # noqa: S311 - a seed repeats it
    with ExitStack() as ending:
        bench = Bench(ending)
        every = [
            (name, frame.place, damage)
            for name in EXCHANGES
            if pattern in name
            for frame in bench.record(name)
            for kind in kinds
            for damage in damages(frame, kind, chance)
        ]
        chance.shuffle(every)
        tracemalloc.start()
        ending.callback(tracemalloc.stop)
        for name, place, damage in every[: most or len(every)]:
            if time.monotonic() > end or (first and trials.wrong):
                break
            bench.damage(name, place, damage, trials)
    return trials


def parser_of(name: str, about: str, kinds: tuple[str, ...]) -> argparse.ArgumentParser:
    """Return the parser of a command that damages or interrupts exchanges.

    Args:
        name: The command's module, of this package.
        about: What the command does.
        kinds: What can come to a frame.
    """
    parser = argparse.ArgumentParser(prog=f"python -m conformance.fuzz.{name}", description=about)
    parser.add_argument("pattern", nargs="?", default="", metavar="EXCHANGE", help="text in the exchanges' names")
    parser.add_argument("--kind", choices=kinds, action="append", help="what comes to a frame; all kinds by default")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1 << 32), help="what draws")
    parser.add_argument("--most", type=int, default=0, metavar="N", help="how many frames; all by default")
    return parser


def options_of(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Return the options of such a command; an unknown exchange is a usage error."""
    options = parser.parse_args()
    if not any(options.pattern in name for name in EXCHANGES):
        parser.error(f"no exchange has {options.pattern!r} in its name")
    return options


def status_of(seed: int, kinds: Iterable[str], tried_by: Callable[[str], Trials]) -> int:
    """Try each kind and print the counts; return 1 if an invariant fails."""
    print(f"seed {seed}", flush=True)
    failed = False
    for kind in each(kinds):
        trials = tried_by(kind)
        counts = ", ".join(f"{number} {name or 'unnoticed'}" for name, number in trials.outcomes.most_common())
        say(
            "\n".join([f"{kind}: {trials.counts['frames']} frames, {len(trials.wrong)} wrong; {counts}", *trials.wrong])
        )
        failed = failed or bool(trials.wrong)
    return failed


def main() -> int:
    """Run the command; return 1 if an invariant fails."""
    parser = parser_of("frames", __doc__.partition("\n")[0], KINDS)
    parser.add_argument("--seconds", type=float, default=float("inf"), metavar="N", help="for how long")
    options = options_of(parser)
    return status_of(
        options.seed,
        options.kind or KINDS,
        lambda kind: tried((kind,), options.pattern, options.seed, options.most, options.seconds),
    )


if __name__ == "__main__":
    sys.exit(main())
