"""What a run of the suite has seen of the rules: the calls that broke each, and those that kept it.

Every model of the run is watched, whatever makes the calls: cases, functions of their own, and recorded programs. A
rule is kept by a call that succeeded and by one that failed at a later rule.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from attrs import define, field

from conformance.recordings import RecordingError
from conformance.replay import recording
from fakecuda.model.machine import Machine
from fakecuda.rule import EVERY, OPS, SPEC, Op, Rule
from fakecuda.spec.context.ctx_create import PROCESS_IS_SOUND
from fakecuda.spec.context.current import CONTEXT_IS_SOUND
from fakecuda.spec.context.fault import FAULTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HERE = Path(__file__).parent
GATE = "test_seen.py"
"""The module whose test comes last and asks what was seen."""
OWN = "suite"
"""The chapter of tests that are about no call."""
GENERATED = "generated"
"""The chapter of programs that the state machine generates."""


@define
class Seen:
    """Which calls ended how.

    Attributes:
        outcomes: Operations with the rule that was broken, or None for a success.
        made: How many calls there were.
    """

    outcomes: set[tuple[Op, Rule | None]] = field(factory=set)
    made: int = 0

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Take in every call on machines that are made meanwhile."""
        make = Machine.__init__

        def watched(machine: Machine, *args: Any, **options: Any) -> None:  # noqa: ANN401 - the machine's
            make(machine, *args, **options)
            record = machine.record

            def noted(call: tuple[Any, ...]) -> None:
                self.outcomes.add((call[1], _named(call[1], call[5])))
                self.made += 1
                record(call)

            machine.record = noted

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Machine, "__init__", watched)
            yield

    @property
    def calls(self) -> set[str]:
        """The calls that were made."""
        return {op.name for op, _ in self.outcomes}

    @property
    def broken(self) -> set[tuple[str, Rule]]:
        """Each call with the rules that it broke."""
        return {(op.name, rule) for op, rule in self.outcomes if rule is not None}

    @property
    def held(self) -> set[tuple[str, Rule]]:
        """Each call with the rules that it kept."""
        kept: set[tuple[str, Rule]] = set()
        for op, rule in self.outcomes:
            before = op.rules.index(rule) if rule in op.rules else 0 if rule else len(op.rules)
            kept.update((op.name, one) for one in op.rules[:before])
        return kept

    def missing(self, ops: Iterable[Op]) -> list[str]:
        """Return a line for each rule of an operation that was not seen both broken and held, or is not listed."""
        pairs = {(op.name, rule) for op in ops for rule in op.rules}
        broken, held = self.broken, self.held
        lines = [f"{name} never broke {rule.id}" for name, rule in pairs - broken]
        lines += [f"{name} never kept {rule.id}" for name, rule in pairs - held]
        lines += [f"{name} broke {rule.id}, which its operation does not name" for name, rule in broken - pairs]
        return sorted(lines)


SEEN = pytest.StashKey[Seen]()
DESELECTED = pytest.StashKey[bool]()
WHOLE = pytest.StashKey[bool]()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the question what was seen behind all else, and note whether every case is there to answer it."""
    items.sort(key=lambda item: item.path == HERE / GATE)
    collected = {item.path for item in items}
    config.stash[WHOLE] = set(HERE.rglob("test_*.py")) <= collected and not config.stash.get(DESELECTED, False)


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Note that a case was left out."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.config.stash[DESELECTED] = True


@pytest.fixture(autouse=True)
def conformance_seen(request: pytest.FixtureRequest) -> Iterator[Seen]:
    """What the run has seen so far; each test's own share goes into its properties."""
    seen = request.config.stash.setdefault(SEEN, Seen())
    own = Seen()
    with own.watch():
        yield seen
    seen.outcomes |= own.outcomes
    chapter, calls = subject(request.node)
    if chapter == GENERATED:
        calls = own.calls
    told = [("chapter", chapter), *(("call", call) for call in sorted(calls))]
    for name, pairs in (("rule", own.broken), ("held", own.held)):
        told += [(name, one) for one in sorted({rule.id for call, rule in pairs if call in calls})]
    request.node.user_properties += told


def subject(item: pytest.Item) -> tuple[str, set[str]]:
    """Return the chapter of the manual that a test belongs to and the calls that it is about."""
    match getattr(getattr(item, "callspec", None), "params", None):
        case {"cases": [first, *_]}:
            call = first.entry.call
        case {"call": str(call)}:
            pass
        case {"path": path, "number": number}:
            found = recording(path)
            call = "" if isinstance(found, RecordingError) else found.programs[number].name.partition("/")[0]
        case _:
            mirrored = SPEC + ".".join(item.path.relative_to(HERE).with_suffix("").parts).replace("test_", "")
            call = next((op.name for op in OPS.values() if op.module == mirrored), item.path.stem)
    if call in EVERY:
        return EVERY[call].module.removeprefix(SPEC).partition(".")[0], {call}
    return (GENERATED if "machine" in call else OWN), set()


def _named(op: Op, rule: Rule | None) -> Rule | None:
    """Return the rule that an operation names for a broken one: faults stand in a table, beside the rule that they break."""
    if rule is None or FAULTS.get(rule.code) is not rule:
        return rule
    return CONTEXT_IS_SOUND if CONTEXT_IS_SOUND in op.rules else PROCESS_IS_SOUND
