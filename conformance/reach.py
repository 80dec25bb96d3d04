"""Which rules the state machine's programs break: ``python -m conformance.reach``.

It counts over the recorded programs of the machine: there ``unreached.toml`` names the rules that none of them breaks,
with the reason, and a rule that is neither reached nor named there fails the run, as does one that is both. Over new
programs (``--programs``) the rules are asked for of which it says that new programs reach them.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import fakecuda
from conformance.choices import DEVICE_MEMORY, EVENTS, HOST_MEMORY, MEMORY_POOLS, STREAMS
from conformance.machine import generate
from conformance.program import run
from conformance.recordings import RecordingError
from conformance.replay import every, recording
from fakecuda import profiles
from fakecuda.prompt.text import table
from fakecuda.rule import OPS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from conformance.program import Program
    from fakecuda.profiles import Profile

FILE = Path(__file__).parent / "unreached.toml"
NEW = "new ones do"
"""What a reason says of rules that programs reach which are newer than the recorded ones."""


def recorded() -> list[tuple[Program, Profile]]:
    """Return the recorded programs of the machine, each with the profile of the machine that answered."""
    found = []
    for path, number in every():
        content = recording(path)
        if not isinstance(content, RecordingError) and content.programs[number].origin == "machine":
            found.append((content.programs[number], profiles.load(content.profile())))
    return found


def reached(programs: Iterable[tuple[Program, Profile]]) -> Counter[str]:
    """Return how many programs break each rule, by its id."""
    count: Counter[str] = Counter()
    for program, profile in programs:
        rules: list[fakecuda.Rule | None] = []
        with fakecuda.Machine(profile, strict=False) as machine:
            run(program, machine, rules)
        count.update({rule.id for rule in rules if rule is not None})
    return count


def unreached() -> dict[str, str]:
    """Return the rules that no program of the machine breaks, with the reasons."""
    data = tomllib.loads(FILE.read_text())
    return {rule: reason for reason, rules in data.items() for rule in rules}


def wrong(found: Collection[str]) -> list[str]:
    """Return a line for each rule that is neither reached nor explained, or explained although it is reached."""
    known = {rule.id for op in OPS.values() for rule in op.rules}
    told = unreached()
    lines = [f"{rule} is not reached" for rule in known - set(found) - set(told)]
    lines += [f"{rule} is reached: take it out of {FILE.name}" for rule in set(told) & set(found)]
    lines += [f"{rule} of {FILE.name} is no rule" for rule in set(told) - known]
    return sorted(lines)


def new(profile: str, count: int, number: int) -> list[tuple[Program, Profile]]:
    """Return new programs: half of them keep to calls with memory, streams and pools.

    Args:
        profile: The model's profile, a name or a path.
        count: How many.
        number: The seed.
    """
    wanted = {*DEVICE_MEMORY, *EVENTS, *HOST_MEMORY, *MEMORY_POOLS, *STREAMS}
    programs = [*generate(profile, count - count // 2, number), *generate(profile, count // 2, number, wanted)]
    return [(one, profiles.load(profile)) for one in programs]


def wrong_of_new(found: Collection[str]) -> list[str]:
    """Return a line for each rule that new programs reach or do not, unlike what ``unreached.toml`` says."""
    told = unreached()
    newly = {rule for rule, reason in told.items() if NEW in reason}
    lines = [f"{rule} is not reached by new programs either: another reason is true" for rule in newly - set(found)]
    lines += [f"{rule} is reached by new programs: {NEW!r} is true" for rule in set(told) - newly if rule in found]
    return sorted(lines)


def main() -> int:
    """Print how many programs break each rule; return 1 when ``unreached.toml`` is not true."""
    parser = argparse.ArgumentParser(prog="python -m conformance.reach", description=main.__doc__)
    parser.add_argument("--programs", type=int, default=0, help="so many new programs instead of the recorded ones")
    parser.add_argument("--seed", type=int, default=1, help="of new programs")
    parser.add_argument("--profile", default="h200-x2", help="of new programs")
    options = parser.parse_args()
    programs = new(options.profile, options.programs, options.seed) if options.programs else recorded()
    count = reached(programs)
    rows = [(rule, str(number)) for rule, number in sorted(count.items())]
    print(table(("rule", ">programs"), rows))
    lines = wrong_of_new(count) if options.programs else wrong(count)
    rules = {rule.id for op in OPS.values() for rule in op.rules}
    print(f"{len(programs)} programs break {len(count)} of {len(rules)} rules")
    print("\n".join(lines))
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
