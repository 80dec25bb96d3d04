"""Which rules the state machine's programs break: ``python -m conformance.fuzz.coverage``.

It counts over the recorded programs of the machine. The entries ``[[unreached]]`` of :mod:`fakecuda.explain.evidence` name the rules that
none of them breaks, with the reason; a rule that is neither reached nor named fails the run, as does one that is both. Over new
programs (``--programs``) the rules are asked for of which an entry says that new programs reach them. The rules of the runtime
API and of HIP are asked for over new programs alone (``--api``).
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

import fakecuda
from conformance.cases.hip.machine import HipCalls, machine_of
from conformance.drawing.chapters import CHAPTERS
from conformance.fuzz.machine import RUNTIME_CALLS, generate
from conformance.kit.program import run
from conformance.record.recordings import RecordingError, files
from conformance.record.replay import recording
from fakecuda import profiles
from fakecuda.explain import evidence
from fakecuda.explain.evidence import file_of
from fakecuda.explain.reports.text import table
from fakecuda.rules.registry import APIS, DRIVER, HIP, Api, home

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from conformance.kit.program import Program
    from fakecuda.profiles import Profile

KEPT_TO = ("copy", "event", "ipc", "memory", "pool", "stream", "unified")
"""The chapters of half of the new programs."""
MANY = {"runtime": 200, "hip": 240}
"""The number of programs of a higher API, enough that seeds reach the same rules."""
NEW = "new programs break it"
"""The reason for rules that new programs reach but recorded ones do not."""
ELSEWHERE = "the state machine does not make"
"""The reason for rules of a higher API whose calls no program makes."""


def recorded() -> Iterator[tuple[Program, Profile]]:
    """Yield the machine's recorded programs, with the profile of the recorded card."""
    for path in files():
        content = recording(path)
        if isinstance(content, RecordingError):
            continue
        profile = profiles.load(content.profile())
        for number in range(len(content.programs)):
            if content.programs.origin(number) in {"machine", "search"}:
                yield content.programs[number], profile


def reached(programs: Iterable[tuple[Program, Profile]]) -> Counter[str]:
    """Return the number of programs that break each rule, by id."""
    count: Counter[str] = Counter()
    for program, profile in programs:
        rules: list[fakecuda.Rule | None] = []
        with fakecuda.Machine(profile, strict=False) as machine:
            run(program, machine, rules)
        count.update({rule.id for rule in rules if rule is not None})
    return count


def unreached(api: Api = DRIVER) -> dict[str, str]:
    """Return the own rules of an API with a reason why no program breaks them."""
    entries = evidence.entries("unreached")
    return {rule: entry.one("reason") for entry in entries for rule in entry.all("rule") if home(rule) is api}


def wrong(found: Collection[str], api: Api = DRIVER) -> list[str]:
    """Return a line for each own rule of an API with a missing or a wrong reason."""
    known = {rule.id for op in api.ops.values() for rule in api.of_rules(op)}
    told = unreached(api)
    lines = [
        f"{rule} is not reached: draw programs that break it, or say why none does: [[unreached]] in {file_of(rule)}"
        for rule in known - set(found) - set(told)
    ]
    lines += [f"{rule} is reached: take it out of [[unreached]] in {file_of(rule)}" for rule in set(told) & set(found)]
    lines += [f"{rule} is not a rule: take it out of [[unreached]] in {file_of(rule)}" for rule in set(told) - known]
    return sorted(lines)


def new(profile: str, count: int, number: int) -> list[tuple[Program, Profile]]:
    """Return new programs, half of which only use memory, streams and pools.

    Args:
        profile: The model's profile, a name or a path.
        count: How many.
        number: The seed.
    """
    wanted = {call for chapter in KEPT_TO for call in CHAPTERS[chapter]}
    programs = [*generate(profile, count - count // 2, number), *generate(profile, count // 2, number, wanted)]
    return [(one, profiles.load(profile)) for one in programs]


def wrong_of_new(found: Collection[str]) -> list[str]:
    """Return a line for each rule whose reason contradicts the new programs."""
    told = unreached()
    newly = {rule for rule, reason in told.items() if NEW in reason}
    lines = [f"{rule} is not reached by new programs either: another reason is true" for rule in newly - set(found)]
    lines += [f"{rule} is reached by new programs: {NEW!r} is true" for rule in set(told) - newly if rule in found]
    return sorted(lines)


def of_api(api: Api, count: int, number: int) -> Counter[str]:
    """Return how often new programs of a higher API break each of its own rules."""
    if api is HIP:
        machine = machine_of("hip-clr-2026")
        chosen = settings(max_examples=count, phases=(Phase.generate,), database=None, deadline=None)
        run_state_machine_as_test(
            seed(number)(machine), settings=settings(chosen, suppress_health_check=list(HealthCheck))
        )
        found = machine.reached
    else:
        profile = profiles.load("h200-x2")
        found = reached((one, profile) for one in generate("h200-x2", count, number, runtime=True))
    own = {rule.id for op in api.ops.values() for rule in api.of_rules(op)}
    return Counter({rule: times for rule, times in found.items() if rule in own})


def elsewhere(api: Api) -> set[str]:
    """Return the own rules of a higher API whose calls no program makes."""
    named = re.findall(r'"([A-Z]\w+)"', inspect.getsource(HipCalls))
    made = {f"hip{name}" for name in named} if api is HIP else RUNTIME_CALLS
    asked = {rule.id for op in api.ops.values() if op.name in made for rule in api.of_rules(op)}
    return {rule.id for op in api.ops.values() for rule in api.of_rules(op)} - asked


def wrong_of_api(api: Api, found: Collection[str]) -> list[str]:
    """Return a line for each own rule of an API with a missing or a wrong reason."""
    made = {rule.id for op in api.ops.values() for rule in api.of_rules(op)} - elsewhere(api)
    wrongly = [rule for rule, reason in unreached(api).items() if ELSEWHERE in reason and rule in made]
    lines = [f"{rule} is of a call that programs make: correct the reason in {file_of(rule)}" for rule in wrongly]
    return sorted([*wrong(found, api), *lines])


def main() -> int:
    """Print how many programs break each rule; return 1 if a reason is wrong."""
    parser = argparse.ArgumentParser(prog="python -m conformance.fuzz.coverage", description=main.__doc__)
    parser.add_argument("--programs", type=int, default=0, help="so many new programs instead of the recorded ones")
    parser.add_argument("--seed", type=int, default=1, help="of new programs")
    parser.add_argument("--profile", default="h200-x2", help="of new programs")
    parser.add_argument("--api", choices=("runtime", "hip"), help="its own rules, over --programs new programs or many")
    options = parser.parse_args()
    if options.api:
        api = APIS[options.api]
        found = of_api(api, options.programs or MANY[api.name], options.seed)
        print(table(("rule", ">times"), [(rule, str(times)) for rule, times in sorted(found.items())]))
        lines = wrong_of_api(api, found)
        print("\n".join(lines))
        return bool(lines)
    programs = new(options.profile, options.programs, options.seed) if options.programs else list(recorded())
    count = reached(programs)
    rows = [(rule, str(number)) for rule, number in sorted(count.items())]
    print(table(("rule", ">programs"), rows))
    lines = wrong_of_new(count) if options.programs else wrong(count)
    rules = {rule.id for op in DRIVER.ops.values() for rule in op.rules}
    print(f"{len(programs)} programs break {len(count)} of {len(rules)} rules")
    print("\n".join(lines))
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
