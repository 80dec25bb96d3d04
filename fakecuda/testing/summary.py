"""Lines at the end of a session."""

from __future__ import annotations

import os
from typing import Any

import pytest

from fakecuda.machine import expected_names, findings
from fakecuda.model.history import counted
from fakecuda.testing import settings


def finish(session: pytest.Session) -> None:
    """Fail a session for findings on a shared machine or for unused entries.

    An unused entry of ``fakecuda_suppress`` suppressed nothing.
    """
    config = session.config
    policy = config.stash.get(settings.POLICY, None)
    if hasattr(config, "workeroutput"):
        if policy is not None:
            config.workeroutput["fakecuda_unmatched"] = policy.unmatched()
        return
    if policy is not None:
        config.stash[settings.UNMATCHED] = policy.unmatched()
    chosen = config.args_source not in {config.ArgsSource.TESTPATHS, config.ArgsSource.INVOCATION_DIR}
    chosen = (
        chosen or bool(config.option.keyword or config.option.markexpr) or config.stash.get(settings.PARTIAL, False)
    )
    if chosen or session.shouldstop or session.shouldfail:
        unused = config.stash.get(settings.UNMATCHED, [])
        config.stash[settings.UNMATCHED] = [entry for entry in unused if _unknown_rule(entry)]
    machine = config.stash.get(settings.SHARED, None)
    unmatched: list[str] = config.stash.get(settings.UNMATCHED, [])
    of_shared = machine is not None and (
        findings.untold(machine) or (settings.mode_of(config, "leaks") == "error" and _left_on(machine))
    )
    if unmatched or of_shared:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def tell(terminalreporter: pytest.TerminalReporter) -> None:
    """Print findings of a shared machine, unused entries, and some counts.

    The counts are those of tests with leaks and of tests with refused calls.
    """
    config, stats = terminalreporter.config, terminalreporter.stats
    for entry in config.stash.get(settings.UNMATCHED, []):
        why = _unknown_rule(entry) or "delete it"
        terminalreporter.write_line(f"fakecuda_suppress: {entry!r} suppresses nothing: {why}", red=True)
    mode = settings.mode_of(config, "leaks")
    found, left = of_no_test(config)
    for finding in found:
        terminalreporter.write_line(f"fakecuda: {finding}", red=True)
    if left:
        terminalreporter.write_line(f"fakecuda: {left}", red=mode == "error")
    ends = [one for reports in stats.values() for one in reports if getattr(one, "when", "") == "teardown"]
    for check, title, what in (
        ("leaks", settings.LEFT, "left something behind"),
        ("errors", settings.REFUSED, "made calls that were refused"),
    ):
        texts = [[text for name, text in one.sections if title in name] for one in ends]
        if count := sum(map(bool, texts)):
            listed = any(not text.startswith("also: ") for found in texts for text in found)
            how = f"--fakecuda-{check}=error fails each and lists it{', -rP lists it' * listed}"
            terminalreporter.write_line(f"fakecuda: {count} test{'s' * (count > 1)} {what}: {how}")
    skipped = [text for one in ends for name, text in one.sections if settings.SKIPPED in name]
    shared = getattr(config.stash.get(settings.SHARED, None), "skipped", {})
    if skipped or shared:
        launches = sum(int(line.split()[0]) for text in skipped for line in text.splitlines()) + sum(shared.values())
        where = f"in {counted(len(skipped), 'test')}: -rP lists them by kernel" if skipped else "on the shared machine"
        were = counted(launches, "launch was", "launches were")
        terminalreporter.write_line(f"fakecuda: {were} skipped {where}")
    if count := sum(any(settings.UNCALLED in name for name, _ in one.sections) for one in ends):
        terminalreporter.write_line(
            f"fakecuda: {count} test{'s' * (count > 1)} took the fixture and made no call: the code under test may have "
            "fallen back to the CPU; -rP lists them"
        )
    if unseen := sum(any(settings.UNSEEN in title for title, _ in one.sections) for one in ends):
        tests = f"{unseen} test{'s expect' if unseen > 1 else ' expects'}"
        terminalreporter.write_line(
            f"fakecuda: {tests} what a driver does not report; this was not checked: -rP lists it"
        )
    recorded = settings.RECORDED in os.environ  # such runs are checked when they are over
    if (
        config.getoption("--fakecuda") != "model"
        and not recorded
        and {mode, settings.mode_of(config, "errors")} != {"ignore"}
    ):
        terminalreporter.write_line("fakecuda: leaks and refused calls are not seen on a real driver")


def _unknown_rule(entry: str) -> str:
    """Return what is wrong with the rule of an entry of ``fakecuda_suppress``; an empty text if the rule exists."""
    from fakecuda.near import nearest  # noqa: PLC0415 - only for an unused entry

    rule, known = entry.split(maxsplit=1)[0], expected_names.known_rules()
    return "" if rule in known else nearest(rule, known, "rule")


def of_no_test(config: pytest.Config) -> tuple[list[str], str]:
    """Return the findings and leaks of a shared machine that no test has reported."""
    machine = config.stash.get(settings.SHARED, None)
    if machine is None:
        return [], ""
    found = [f"undefined behaviour: {finding}" for finding in findings.untold(machine)]
    left = _left_on(machine) if settings.mode_of(config, "leaks") != "ignore" else ""
    return found, f"on the shared machine {left}" if left else ""


def _left_on(machine: Any) -> str:
    """Return the leaks of a shared machine that no test has reported, as lines."""
    from fakecuda.machine import leaks  # noqa: PLC0415 - only if needed

    return str(leaks.at_end(machine, (lambda leak: leaks.is_told(machine, leak),), None))
