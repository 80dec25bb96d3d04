"""The parts of a test for the HTML page.

They are collected in the process that runs the test.
They are plain values on the test's reports. pytest-xdist sends them to the process that writes the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import pytest

from fakecuda.errors import FakeCudaError, UndefinedBehaviour
from fakecuda.machine.machine import Machine
from fakecuda.machine.story import story
from fakecuda.testing import settings

if TYPE_CHECKING:
    from collections.abc import Generator

FIELD = "fakecuda_html"
"""The attribute of a report that holds the parts."""


class Parts:
    """A pytest plugin that collects the parts of each test.

    For a passed test it only reads the findings. For a failed test it stores calls and draws pictures.
    """

    def __init__(self) -> None:
        self._before: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the parts on the report.

        The machine is shown in its state at the end of the test.
        """
        report = yield
        made = settings.machine_of(item)
        failure = call.excinfo.value if call.excinfo is not None and report.failed else None
        if made is not None and call.when != "teardown":
            self._look(item, made)
            if failure is not None and "calls" not in item.stash.get(settings.TOLD, {}):
                self.keep(item, made)
        elif isinstance(failure, UndefinedBehaviour):  # raised when the machine ended
            self.note(item, "findings", [_finding(failure.finding)])
        if told := item.stash.get(settings.TOLD, None):
            setattr(report, FIELD, told)
            del item.stash[settings.TOLD]
        return report

    def note(self, item: pytest.Item, what: str, told: Any) -> None:
        """Set a part of a test for the page.

        Args:
            item: The test.
            what: The part: ``profile``, ``findings``, ``refused``, ``left``, ``calls``, ``pictures`` or ``notes``.
            told: A plain value.
        """
        item.stash.setdefault(settings.TOLD, {})[what] = told

    def keep(self, item: pytest.Item, made: Any) -> None:
        """Store the calls of a failed test, and draw its machine."""
        if isinstance(made, Machine):
            calls, pictures = story(made)
        elif hasattr(made, "story"):
            try:
                calls, pictures = made.story()
            except (FakeCudaError, OSError, ValueError):  # the owner has ended or is slow: the test's report says why
                return
        else:  # a driver records no calls
            return
        self.note(item, "calls", [list(one) for one in calls])
        self.note(item, "pictures", [list(one) for one in pictures])
        self.note(item, "notes", [str(one) for one in made.notes])

    def ends(self, item: pytest.Item, made: Any, left: str, *, failed: bool) -> None:
        """Store the leaks of a machine that is about to end.

        Store its calls, too, if they fail the test.

        Args:
            item: The test.
            made: The machine.
            left: The leaks, as lines.
            failed: Whether leaks or refused calls fail the test.
        """
        if left:
            self.note(item, "left", left)
        if failed:
            self.keep(item, made)

    def _look(self, item: pytest.Item, made: Any) -> None:
        """Store the findings of a machine since the last look."""
        profile = getattr(getattr(made, "profile", None), "name", "")
        found = made.findings
        new = found[self._before.get(made, 0) :]
        if found:
            self._before[made] = len(found)
        if profile:
            self.note(item, "profile", profile)
        if new:
            self.note(item, "findings", [_finding(one) for one in new])


def _finding(one: Any) -> list[str]:
    """Return a finding as plain values: the rule's id, the call and the report."""
    return [one.rule.id, one.call, str(one)]
