"""``python -m tools.museum [--json | --card FILE | --alone ID]``: run all programs, and say of each bug whether it was caught."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from attrs import asdict

from tools.museum import card
from tools.museum.registry import every_exhibit
from tools.museum.visit import CAUGHT, run, verdict


def main() -> int:
    """Run the programs.

    Returns:
        The exit status: 1 if a bug was not caught, or a fixed program fails.
    """
    parser = argparse.ArgumentParser(prog="python -m tools.museum", description="Run the programs of the museum.")
    parser.add_argument("--json", action="store_true", help="what became of each program, as JSON")
    parser.add_argument(
        "--card", type=Path, metavar="FILE", help="run them on a card, and write what is said of each as JSON"
    )
    parser.add_argument("--alone", metavar="ID", help="run one program on the driver of this machine, without a report")
    for name in ("--inside", "--library", "--profile", "--sanitizer"):
        parser.add_argument(name, default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        return card.alone(options.alone, options.library)
    if options.inside:
        print(json.dumps(card.inside(options.inside, Path(options.profile), options.sanitizer, options.library)))
        return 0
    if options.card:
        heard = card.visited()
        options.card.write_text(json.dumps(heard, indent=1) + "\n")
        sys.stdout.writelines(f"{line}\n" for line in card.unseen(heard["programs"]))
        return 0
    outcomes = run()
    if options.json:
        print(json.dumps({name: asdict(outcome) for name, outcome in outcomes.items()}))
        return 0
    verdicts = {
        f"{exhibit.number:>3} {exhibit.report}, {variant}": verdict(exhibit, variant, outcomes)
        for exhibit in every_exhibit()
        for variant in exhibit.programs
    }
    for name, found in verdicts.items():
        print(f"{name}: {found}")
    return int(any(found != CAUGHT for found in verdicts.values()))


if __name__ == "__main__":
    sys.exit(main())
