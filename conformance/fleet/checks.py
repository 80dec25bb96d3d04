"""Suite checks in a helper process, named by their group and index."""

from __future__ import annotations

import time
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest
from attrs import asdict, define, evolve, field

from conformance.fleet.slices import Listed
from conformance.kit.world import World
from conformance.run import isolated, parser, pytest_arguments
from conformance.runner.checks import FAILED, run_check
from conformance.runner.group import TELL
from conformance.runner.hooks import checks_of
from conformance.runner.options import set_target
from conformance.runner.report import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.runner.checks import Check
    from conformance.targets.target import Target


@define(eq=False, slots=False)
class Suite:
    """The collected suite; a pytest plugin that serves checks instead of running them.

    Attributes:
        target: What its checks run on; None to list them.
        serve: Takes the suite; pytest ends when it returns.
        session: What pytest collected.
        broken: What could not be collected.
    """

    target: Target | None
    serve: Callable[[Suite], None]
    session: Any = None
    broken: list[str] = field(factory=list)

    def run(self) -> None:
        """Have pytest collect, and serve the checks.

        Raises:
            RuntimeError: The suite cannot be collected.
        """
        options = parser().parse_args(["--target", "model"])
        with isolated():
            status = pytest.main(pytest_arguments(options), plugins=[self])
        if self.session is None or self.broken:
            msg = f"the suite was not collected (status {int(status)}): {' '.join(self.broken)}"
            raise RuntimeError(msg)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep collection errors."""
        if report.failed:
            self.broken.append(report.longreprtext)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Serve the collected checks instead of running them."""
        if not self.broken:
            session.config.stash[TELL] = lambda _: None  # what comes of a check is told by a slice's result
            if self.target is not None:
                set_target(session.config, self.target)
            self.session = session
            self.serve(self)
        return True

    def listing(self) -> list[dict[str, Any]]:
        """Return the groups of checks as JSON, without programs of state machines."""
        found = []
        for item in self.session.items:
            checks = checks_of(item)
            drawn = any(check.calls is None for check in checks)
            weights = [0 if drawn else check.weight for check in checks]
            alone = [place for place, check in enumerate(checks) if any(case.alone for case in check.cases)]
            found.append(asdict(Listed(item.nodeid, weights, alone, any(check.cases for check in checks))))
        return found

    @cached_property
    def groups(self) -> dict[str, list[Check]]:
        """The checks by the node id of their group."""
        return {item.nodeid: checks_of(item) for item in self.session.items}

    def handle(self, items: list[Any], begin: Callable[[int], None], seconds: float, *, widest: int) -> dict[str, Any]:
        """Run checks, and return their results.

        Args:
            items: The node id of each check's group, and its place in it.
            begin: Takes the place of each item that begins.
            seconds: How long it may take; what is not done then is left.
            widest: How many devices there are at most: a check that lacks some of these is asked again with more.
        """
        until = time.monotonic() + seconds
        report = Report()
        failed, left, lacks, names = [], [], [], {}
        for place, (group, number) in enumerate(items):
            if time.monotonic() >= until:
                left.append(place)
                continue
            begin(place)
            check = self.groups[group][number]
            with wanting() as devices:
                outcome = run_check(group, check)
            needed = [count for count in devices if count <= widest]
            if needed and outcome.status != FAILED:
                lacks.append([place, max(needed)])
                continue
            if outcome.status == FAILED:
                failed.append([place, outcome.text])
                names[place] = outcome.id
                outcome = evolve(outcome, text="")  # it is told once for all hosts
            report.add(outcome)
        plain = report.plain()
        plain["failed"] = []
        return {"report": plain, "failed": failed, "names": names, "left": left, "lacks": lacks}


@contextmanager
def wanting() -> Iterator[list[int]]:
    """Note the number of devices that checks lack; pairs skip missing devices."""
    found: list[int] = []
    needs = World.needs_devices

    def noted(world: World, count: int) -> None:
        if count > world.session.devices():
            found.append(count)
        needs(world, count)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(World, "needs_devices", noted)
        yield found
