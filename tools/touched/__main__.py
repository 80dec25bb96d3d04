"""``python -m tools.touched [CALL|FILE]... [--mutants]``, in a checkout."""

from __future__ import annotations

import argparse
import os
import sys
import textwrap

from tools.touched.affected import Affected, affected
from tools.touched.parts import Chosen, Part, run
from tools.touched.what import Touched, UnknownTargetError, changed, touched

MANY = 12
"""Maximum number of affected calls whose cases run."""
LONG = 40
"""The number of files above which a run takes minutes."""
SHOWN = 6
"""Maximum number of names in a printed list."""
USAGE = 2


def main(arguments: list[str] | None = None) -> int:
    """Run what calls and files touch.

    Args:
        arguments: The command line; by default that of the process.

    Returns:
        The exit status: 0 if everything passes, 1 if something fails, 2 for wrong use.
    """
    options = _parser().parse_args(arguments)
    try:
        targets = options.targets or changed(options.base)
        what = touched(targets)
    except UnknownTargetError as error:
        print(f"touched: {error}", file=sys.stderr)
        return USAGE
    if not targets:
        print("touched: no file differs from main")
        return 0
    if len(targets) > LONG and not (options.targets or options.base):
        print(
            f"touched: {len(targets)} files differ from main, which takes minutes; --base HEAD checks the uncommitted ones alone"
        )
    reach = _affected(what)
    also = sorted(reach.calls - what.calls)
    _tell(what, reach, also)
    chosen = Chosen(what, frozenset(also[:MANY]), options.mutants, options.most, options.jobs)
    parts = [] if options.dry_run else run(chosen)
    return _told(parts)


def _parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m tools.touched",
        description="Run only what calls or files touch; report every failure with the command that repeats it.",
        epilog="Exit status: 0 everything passes, 1 something fails, 2 wrong use.",
    )
    add = made.add_argument
    add("targets", nargs="*", metavar="CALL|FILE", help="calls or files; by default the files that differ from main")
    add("--base", default="", metavar="REVISION", help="compare with this revision instead of main")
    add("--mutants", action="store_true", help="also break the rules of the calls, one at a time")
    add("--most", type=int, default=3000, metavar="N", help="replay N recorded programs at most (default: 3000)")
    add(
        "--jobs",
        type=int,
        default=len(os.sched_getaffinity(0)),
        metavar="N",
        help="processes at a time; default: the cores",
    )
    add("-n", "--dry-run", action="store_true", help="print what is touched and affected; run nothing")
    return made


def _affected(what: Touched) -> Affected:
    """Return what is affected; empty if a module cannot be imported."""
    try:
        return affected(what.files)
    except Exception as error:  # noqa: BLE001 - the parts report the rest
        print(f"affected: unknown, {type(error).__name__}: {error}")
        return Affected()


def _tell(what: Touched, reach: Affected, also: list[str]) -> None:
    """Print what is touched and what is affected."""
    _list("touched calls", sorted(what.calls))
    _list("touched files", sorted(what.files))
    _list("tests", sorted(what.tests))
    for path, modules in sorted(reach.modules.items()):
        _list(f"{path} is imported by", modules)
    for guard, calls in sorted(reach.guards.items()):
        if set(calls) - what.calls:
            _list(f"{guard} is reached by", sorted(calls))
    _list("affected calls", also)
    if len(also) > MANY:
        print(f"  the cases of {MANY} of them run; for all: python -m fakecuda conform")


def _list(title: str, names: list[str]) -> None:
    """Print names on a line, shortened if there are many."""
    if names:
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        print(f"{title}: {', '.join(names[:SHOWN])}{more}", flush=True)


def _told(parts: list[Part]) -> int:
    """Print the results of the parts; return the exit status."""
    failures = [failure for part in parts for failure in part.failures]
    for number, failure in enumerate(failures, 1):
        print(f"\n{number}. {failure.name}\n{textwrap.indent(failure.text, '   ')}\n   $ {failure.command}")
    print()
    for part in parts:
        print(f"{part.name}: {part.ran or 'did not run'}; {len(part.failures) or 'nothing'} failed")
    times = os.times()
    print(f"{len(failures)} failures; {sum(times[:4]):.0f} s of CPU")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
