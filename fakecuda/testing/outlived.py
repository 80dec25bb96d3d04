"""Reports of objects that were used after their machine had ended."""

from __future__ import annotations

import pytest

from fakecuda.machine import late_uses


def report(item: pytest.Item) -> None:
    """Report late uses of former machines as errors of tests.

    Threads and values were used. The tests that made them get the errors.
    """
    for maker, text in late_uses.take_outlived():
        # A worker of pytest-xdist may report only the current test; the text names the other one.
        nodeid = item.nodeid if hasattr(item.config, "workerinput") else maker
        path, _, name = nodeid.partition("::")
        report = pytest.TestReport(
            nodeid, (path, None, name), {}, "failed", f"{maker}: {text}", "teardown", [], 0.0, start=0.0, stop=0.0
        )
        item.config.hook.pytest_runtest_logreport(report=report)
