"""``python -m tools.clients [SUITE ...]``, in the root of a checkout."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tools.clients import card, page
from tools.clients.places import Unavailable, place
from tools.clients.reasons import judge, reasons
from tools.clients.results import load, outcomes, run, save
from tools.clients.suites import suites
from tools.codegen.steps import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tools.clients.results import Result
    from tools.clients.suites import Suite

KEPT = ROOT / "build" / "clients"
LIMIT = 3600.0
"""Time limit of a suite in seconds."""


def main(arguments: list[str] | None = None) -> int:
    """Run suites and write the page.

    Return 1 if a failure has no reason or a reason is stale, otherwise 0.
    """
    known = suites()
    parser = argparse.ArgumentParser(
        prog="python -m tools.clients",
        description="Run clients' test suites on simulated machines, and write docs/clients.md.",
    )
    parser.add_argument("suite", nargs="*", help=f"the suites to run; all by default: {', '.join(known)}")
    parser.add_argument(
        "--source", action="append", default=[], metavar="NAME=PATH", help="a clone of a suite's source"
    )
    parser.add_argument("--kept", type=Path, default=KEPT, help="folder for environments and clones (%(default)s)")
    parser.add_argument("--limit", type=float, default=LIMIT, help="time limit of a suite in seconds (%(default)s)")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if a suite's figures differ from the page"
    )
    parser.add_argument(
        "--card", action="append", default=[], metavar="SUITE=REPORT", help="keep a suite's report from a card"
    )
    parser.add_argument("--page", action="store_true", help="run nothing; write the page from the last runs")
    options = parser.parse_args(arguments)
    if unknown := set(options.suite) - set(known):
        parser.error(f"no suite {min(unknown)!r}: use one of {', '.join(known)}")
    if wrong := [one for one in options.source if "=" not in one]:
        parser.error(f"--source {wrong[0]}: write NAME=PATH")
    sources = {name: Path(path).resolve() for name, _, path in (one.partition("=") for one in options.source)}
    for name, _, path in (one.partition("=") for one in options.card):
        lines = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
        card.keep(name, outcomes(lines, str(Path.cwd())))
    ran: dict[str, Result] = {}
    for name in () if options.page or options.card else options.suite or known:
        try:
            here = place(known[name], options.kept.resolve(), sources)
        except Unavailable as problem:
            print(f"-- left out: {problem}", flush=True)
            continue
        print(f"{name} runs; its output is in {options.kept / name}.txt", flush=True)
        ran[name] = run(known[name], here, options.kept.resolve(), options.limit)
        print(f"{name}: {page.figures(ran[name])}", flush=True)
    former = load()
    results = {name: one for name in known if (one := ran.get(name) or former.get(name))}
    if not options.check:
        save(results)
        page.PAGE.write_text(page.written(known, results, reasons()), encoding="utf-8")
    return _told(ran or results, results, known) or (options.check and _differing(ran, former))


def _told(judged: Mapping[str, Result], results: Mapping[str, Result], known: Mapping[str, Suite]) -> int:
    """Print failures without a reason, and stale reasons and suppressions.

    Return 1 if there are any.
    """
    unexplained = judge(judged, reasons()).unexplained
    for suite, failures in unexplained.items():
        for test, error in failures.items():
            print(f"no reason: {suite} {test}: {error}")
    stale = judge(results, reasons()).stale
    for reason, what in stale:
        print(f"stale: {what} is about no failure any more ({reason.why})")
    idle = [(name, one) for name, result in judged.items() for one in known[name].unused(result.suppressed)]
    for name, one in idle:
        print(f"stale: {one.what} suppresses nothing any more in {name} ({one.why})")
    return 1 if unexplained or stale or idle else 0


def _differing(ran: Mapping[str, Result], former: Mapping[str, Result]) -> int:
    """Print the suites whose figures differ from the page; return 1 if there are any."""
    differing = [
        name for name, one in ran.items() if name not in former or page.figures(one) != page.figures(former[name])
    ]
    for name in differing:
        was = page.figures(former[name]) if name in former else "not run"
        print(f"differs from the page: {name}, which has {was}: run python -m tools.clients {name}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
