"""A fleet: the schedule of slices on hosts, repetitions, and follow-up slices."""

from __future__ import annotations

import time
from collections import Counter
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from attrs import asdict, define, field

from conformance.fleet.gathered import ASKED, Gathered, label_of
from conformance.fleet.handlers import KINDS
from conformance.fleet.pending import Pending
from conformance.fleet.roster import Roster
from conformance.fleet.settings import Briefing, Losses, Settings
from conformance.fleet.slices import (
    AGAIN,
    DESCRIBE,
    EXAMPLES,
    ONE,
    PROBE,
    RECHECK,
    RECORD,
    SEARCH,
    STREAMS,
    SUITE,
    Listed,
    Slice,
    examples,
    of_suite,
    of_tasks,
    searches,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from conformance.fleet.journal import Journal
    from conformance.fleet.nodes import Ended, Executor, Group, Node, Result

TRIES = 4
"""Attempts at a slice whose hosts die."""
GRACE = 20.0
"""Seconds for running slices to report when the time is over."""
FAILURES = 5
"""Failed state machine programs after which a host draws no more, as each is slow."""
LISTEN = 0.2
"""Seconds between looks at the fleet's work."""


@define
class Fleet:
    """A run on many hosts.

    Attributes:
        executor: Does slices on hosts.
        settings: What is to be done.
        listing: The suite's checks.
        tasks: The recorder's tasks, as JSON.
        journal: Where what is done is noted, or None.
        until: When to end, on the clock of ``time.monotonic``.
        show: Shows how far it is.
        begun: When it began, on that clock.
        gathered: What was found.
        losses: What was lost.
        pending: Slices that nobody does yet.
        running: Slices under way, each with its group of GPUs.
        roster: The hosts.
        cut: Why it ended before all was done, or empty.
    """

    executor: Executor
    settings: Settings
    listing: Sequence[Listed]
    tasks: Sequence[dict[str, Any]] = ()
    journal: Journal | None = None
    until: float = float("inf")
    show: Callable[[Fleet], None] = lambda _: None
    begun: float = field(factory=time.monotonic)
    gathered: Gathered = field(factory=Gathered)
    losses: Losses = field(factory=Losses)
    pending: Pending = field(factory=Pending, init=False)
    running: dict[str, tuple[Slice, Group]] = field(factory=dict, init=False)
    roster: Roster = field(init=False)
    cut: str = field(default="", init=False)
    _briefing: Briefing = field(init=False)
    _machines: set[str] = field(factory=set, init=False)
    _planned: set[str] = field(factory=set, init=False)
    _streams: dict[tuple[str, str, int], Iterator[Slice]] = field(factory=dict, init=False)
    _turn: Counter[str] = field(factory=Counter, init=False)
    _busy: float = field(factory=time.monotonic, init=False)

    @roster.default
    def _(self) -> Roster:
        return Roster(self.executor, self.settings.jobs)

    @_briefing.default
    def _(self) -> Briefing:
        return Briefing(self.settings, self.gathered)

    def resume(self) -> None:
        """Add the results of an earlier run."""
        for line in self.journal.read() if self.journal else ():
            if "lost" in line:
                self.losses.told.append((line["lost"], line["node"], line["how"]))
                continue
            one = Slice(**line["slice"])
            self.pending.pop(one)
            self._take(one, line["node"], line["machine"], line["result"])

    def run(self) -> None:
        """Run slices until all are done, time is over, or the user interrupts."""
        try:
            self._look()
            while not self._over():
                self._place()
                self._hear()
                self._look()
                self.show(self)
            end = time.monotonic() + GRACE
            while self.running and time.monotonic() < end:
                self._hear()
        except KeyboardInterrupt:
            self.cut = "interrupted"
        finally:
            self.executor.close()
            self.show(self)

    def _over(self) -> bool:
        """Return whether the fleet should end."""
        now = time.monotonic()
        if now >= self.until:
            self.cut = "the time is over"
            return True
        usable = self.roster.usable()
        if self.running or any(self._may_draw(node) for node in usable) or self._may_any(usable):
            self._busy = now
            return False
        if usable and not self.pending and all(node.machine for node in usable):
            return True  # all is done
        if now - self._busy > self.settings.idle_timeout:
            self.cut = "no host can do what is left" if self.roster.nodes else "no host has a GPU"
        return bool(self.cut)

    # What there is to do

    def _look(self) -> None:
        """Update the hosts, and reassign slices of hosts that are gone."""
        new, gone = self.roster.look()
        self._add([Slice(f"describe/{node.name}", DESCRIBE, node=node.name) for node in new])
        for name in gone:
            for group in list(self.roster.groups_of(name)):
                self._shut(group, "its host is gone")
            for one in [one for one in self.pending if one.node == name and one.kind in (AGAIN, RECHECK)]:
                self.pending.pop(one)
                self._planned.discard(one.id)
        if gone:
            self._ask()  # others

    def _known(self, node: Node, result: Result) -> None:
        """Add the slices for a host's kind of machine, once for each kind."""
        settings, machine = self.settings, result["machine"]
        if settings.code and result["code"] != settings.code:
            node.out = "it has another version of fakecuda or of the suite: install the same on all hosts"
            return
        node.machine = machine
        drawing = settings.drawing(node)
        self._add([_probe(machine, gpus) for gpus in sorted({ONE, drawing})])
        if SUITE in settings.kinds and machine not in self._machines:
            self._machines.add(machine)
            self._add(of_suite(self.listing, machine, settings.sizes))
            self._add(of_suite(self.listing, "", settings.sizes))
        if RECORD in settings.kinds:
            self._add(of_tasks(self.tasks, machine, drawing, settings.sizes))
        self._ask()

    def _add(self, slices: Sequence[Slice]) -> None:
        """Add slices that are neither done nor planned."""
        for one in slices:
            if one.id not in self._planned and one.id not in self.gathered.done:
                self._planned.add(one.id)
                self.pending.add(one)

    def _ask(self) -> None:
        """Add slices that repeat findings on other hosts."""
        for codes, found in self.gathered.differences.items():
            if found.told.kind in ASKED:
                item = partial(asdict, found.told)
                self._ask_about(AGAIN, label_of("/".join(codes)), found.nodes, found.place[1], item)
        for cause, failure in self.gathered.failures.items():
            if failure.item is not None and failure.place[0]:
                check = partial(list[Any], failure.item)
                self._ask_about(RECHECK, label_of(cause), failure.nodes, failure.place[1], check)

    def _ask_about(
        self, kind: str, label: str, answered: Mapping[str, object], gpus: int, item: Callable[[], object]
    ) -> None:
        """Add slices for hosts without an answer, some of each kind of machine."""
        asked: Counter[str] = Counter(self.gathered.kinds.get(name, "") for name in answered)
        for node in self.roster.usable():
            name = f"{kind}/{label}/{node.name}"
            if not node.machine or node.name in answered:
                continue
            if name in self._planned:
                asked[node.machine] += 1
            elif asked[node.machine] < self.settings.asked:
                asked[node.machine] += 1
                known = [
                    count for machine, count in self.gathered.probed if machine == node.machine and count <= node.gpus
                ]
                fitting = gpus if gpus in known else max(known, default=ONE)
                self._add([Slice(name, kind, node.machine, fitting, node.name, [item()])])

    # Who does what

    def _may(self, one: Slice, node: Node) -> bool:
        """Return whether a host may run a slice."""
        if one.node not in {"", node.name} or one.machine not in {"", node.machine} or one.gpus > node.gpus:
            return False
        if one.kind == DESCRIBE:
            return True
        ready = one.kind == PROBE or not one.machine or (one.machine, one.gpus) in self.gathered.probed
        return ready and bool(node.machine)

    def _may_any(self, nodes: Sequence[Node]) -> bool:
        return any(self._may(one, node) for one in self.pending.firsts() for node in nodes)

    def _place(self) -> None:
        """Assign slices to hosts."""
        for node in self.roster.rested():
            while self._place_on(node):
                pass

    def _place_on(self, node: Node) -> bool:
        """Assign a slice to a host, if there is one that it can run; return whether."""
        if not self.roster.has_room(node):
            return False
        wanted = False
        for one in self.pending.firsts():
            if self._may(one, node):
                wanted = True
                group = self.roster.room(node, one)
                if group is not None:
                    self.pending.pop(one)
                    self._submit(one, node, group)
                    return True
        return not wanted and self._draw(node)  # what waits for other slices to end comes before what has no end

    def _submit(self, one: Slice, node: Node, group: Group) -> None:
        self.roster.begins(one, group)
        self.running[one.id] = (one, group)
        given = self._briefing.of(one, node, self.roster.widest(one.machine))
        seconds = max(0.0, self.until - time.monotonic())
        self.executor.submit(group.number, one, given, min(seconds, 1e9))

    def _may_draw(self, node: Node) -> list[str]:
        """Return the kinds of endless slices that a host can run."""
        gpus = self.settings.drawing(node)
        if (node.machine, gpus) not in self.gathered.probed:
            return []
        worn = self.gathered.failed[node.name] >= FAILURES
        kinds = [kind for kind in STREAMS if kind in self.settings.kinds and not (worn and kind == EXAMPLES)]
        return [kind for kind in kinds if self._left(f"{kind}/{node.machine} x{gpus}/")]

    def _left(self, beginning: str) -> bool:
        """Return whether endless slices are left."""
        if not self.settings.most:
            return True
        names = chain(self.gathered.done, self.running, (one.id for one in self.pending))
        begun = {name.partition("+")[0] for name in names}
        return sum(name.startswith(beginning) for name in begun) < self.settings.most

    def _draw(self, node: Node) -> bool:
        """Assign a slice of drawn programs to a host; return whether it can run one."""
        gpus = self.settings.drawing(node)
        kinds = self._may_draw(node)
        group = self.roster.room(node, Slice("", SEARCH, node.machine, gpus)) if kinds else None
        if group is None:
            return False
        kind = kinds[self._turn[node.name] % len(kinds)]
        self._turn[node.name] += 1
        self._submit(self._next(kind, node.machine, gpus), node, group)
        return True

    def _next(self, kind: str, machine: str, gpus: int) -> Slice:
        """Return the next endless slice."""
        key = (kind, machine, gpus)
        if key not in self._streams:
            sizes = self.settings.sizes
            made = searches(machine, gpus, sizes) if kind == SEARCH else examples(machine, gpus, tuple(KINDS))
            self._streams[key] = made
        one = next(one for one in self._streams[key] if one.id not in self.gathered.done)
        self._planned.add(one.id)
        return one

    # What comes back

    def _hear(self) -> None:
        """Handle ended slices."""
        for ended in self.executor.wait(LISTEN):
            if ended.id not in self.running:
                self.gathered.twice.append(ended.id)
                continue
            one, group = self.running[ended.id]
            node = self.roster.nodes[group.node]
            if ended.result is None:
                self._failed(one, group, node, ended)
                continue
            del self.running[one.id]
            self.roster.ends(one, group)
            if one.kind == DESCRIBE:
                self._known(node, ended.result)
                continue
            if self.journal is not None:
                self.journal.done(one, node.name, node.machine, ended.result)
            self._take(one, node.name, node.machine, ended.result)

    def _take(self, one: Slice, node: str, machine: str, result: Result) -> None:
        """Add the results of a slice, and its follow-up slices."""
        self._planned.add(one.id)
        self._add(self.gathered.take(one, node, machine, result))
        for wider in self.gathered.wider(one, result):
            self._add([_probe(one.machine, wider.gpus), wider])
        self._ask()

    def _failed(self, one: Slice, group: Group, node: Node, ended: Ended) -> None:
        """Have a lost slice repeated, on another host if possible."""
        unstarted = ended.unstarted or (ended.kept and one.kind == DESCRIBE)
        self.roster.failed(node, ended.problem, unstarted=unstarted, kept=ended.kept)
        self._lost(one, node, ended.problem, counts=not unstarted)
        if ended.kept:
            self.roster.ends(one, group)
        else:
            self._shut(group, f"its group of GPUs was given back: {ended.problem}")

    def _shut(self, group: Group, how: str) -> None:
        """Close a damaged group; its running slices are lost."""
        self.roster.shut(group)
        for one in [one for one, other in self.running.values() if other is group]:
            self._lost(one, self.roster.nodes[group.node], how)

    def _lost(self, one: Slice, node: Node, how: str, *, counts: bool = True) -> None:
        """Note a lost slice and repeat it, unless it has too many attempts.

        Args:
            one: The slice.
            node: The host.
            how: How it was lost.
            counts: Whether it had begun.
        """
        del self.running[one.id]
        losses = self.losses
        if one.kind != DESCRIBE:
            losses.told.append((one.id, node.name, how))
            losses.tries[one.id] += counts
            if self.journal is not None:
                self.journal.lost(one, node.name, how)
        if losses.tries[one.id] >= TRIES:
            losses.given_up[one.id] = how
        elif one.kind != DESCRIBE or not node.out:
            self.pending.put_back(one)

    @property
    def unreached(self) -> dict[str, int]:
        """The number of slices of each kind that nobody has done."""
        left = [*self.pending, *(one for one, _ in self.running.values())]
        return dict(Counter(one.kind for one in left if one.kind != DESCRIBE))


def _probe(machine: str, gpus: int) -> Slice:
    return Slice(f"probe/{machine} x{gpus}", PROBE, machine, gpus)
