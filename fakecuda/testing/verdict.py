"""Checks of a test's machine after the test has run."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from fakecuda.machine import deadlocks, findings, late_uses
from fakecuda.testing import both, fixture_lifecycle, hints, settings
from fakecuda.testing.at_line import raise_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from fakecuda import Machine

LAST = 20
"""Number of last calls in the report of a failed test."""


@contextmanager
def watched(item: pytest.Item) -> Iterator[None]:
    """Record the calls of a compared test.

    Also check each example of a Hypothesis test.
    """
    __tracebackhide__ = True
    with ExitStack() as stack:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            from fakecuda.testing import examples  # noqa: PLC0415 - it imports Hypothesis

            outer = item.stash[settings.MACHINE]

            @contextmanager
            def machine() -> Iterator[Machine]:
                with fixture_lifecycle.policy_of(item.config).machine(item.stash[settings.OPTIONS]) as made:
                    item.stash[settings.MACHINE] = made  # so that a failed example's calls are reported
                    try:
                        yield made
                    except Exception:
                        if page := item.config.stash.get(settings.HTML, None):
                            page.keep(item, made)  # before the example's machine ends
                        raise
                item.stash[settings.MACHINE] = outer
                for name, count in getattr(made, "skipped", {}).items():
                    outer.skipped[name] = outer.skipped.get(name, 0) + count

            stack.enter_context(examples.each(item, machine, lambda: judge(item)))
        if settings.TRACE in item.stash:
            stack.enter_context(both.traced(item.stash[settings.TRACE][1]))
        yield


def failed(item: pytest.Item, failure: Exception) -> None:
    """Report the last calls, findings and refused calls of a failed test.

    Also report differences from the card.
    """
    made, holder = settings.machine_of(item), settings.holder_of(item)
    item.stash[settings.FAILED] = True
    if holder is item:
        item.stash[settings.FAILURE] = failure
        late_uses.excuse(made)
    _missed(item)
    if waited := deadlocks.of_failure(made, failure):
        item.add_report_section("call", settings.WAITED, "\n".join(waited))
    raised = getattr(failure, "finding", None)  # reported by the failure itself
    if raised is not None or getattr(failure, "deadlock", None) is not None:
        findings.fold(failure)
    if found := [str(one) for one in findings.take(made) if one is not raised]:
        item.add_report_section("call", settings.UNDEFINED, "\n".join(found))
    _list_calls(item)
    fixture_lifecycle.refusals_of(holder, item, "call", failure)
    if differs := difference(item):
        item.add_report_section("call", "fakecuda on model and card", differs)


def _list_calls(item: pytest.Item) -> None:
    """Add the last calls on a test's machine to its report."""
    made = settings.machine_of(item)
    if calls := [str(call) for call in made.log[-LAST:]]:
        notes = [f"note: {note}" for note in made.notes]
        item.add_report_section("call", "fakecuda", "\n".join([*calls, *notes]))


def passed(item: pytest.Item) -> None:
    """Fail a passed test with findings or unexpected refused calls, and report its last calls then.

    Differences from the card fail it, too.
    """
    __tracebackhide__ = True
    item.stash[settings.FAILED] = True  # until all checks have passed
    try:
        _check(item)
    except BaseException:
        _list_calls(item)
        if settings.holder_of(item) is item:
            late_uses.excuse(settings.machine_of(item))
        raise
    item.stash[settings.FAILED] = False
    if told := list(hints.of_passed(item)):
        item.add_report_section("call", settings.UNCALLED, "\n".join(told))


def _check(item: pytest.Item) -> None:
    """Fail a passed test for findings or refused calls on its machine."""
    __tracebackhide__ = True
    judge(item)
    if missed := _missed(item):
        settings.fail(missed)
    if wrong := difference(item) or fixture_lifecycle.refusals_of(settings.holder_of(item), item, "call"):
        settings.fail(wrong)


def _missed(item: pytest.Item) -> str:
    """End the faults of a test, and return a message for those that refused no call.

    The result is empty without any.
    """
    made = settings.machine_of(item)
    return str(made.end_faults()) if hasattr(made, "end_faults") else ""


def judge(item: pytest.Item) -> None:
    """Fail a test with findings or deadlocks on its machine."""
    __tracebackhide__ = True
    made = settings.machine_of(item)
    if error := deadlocks.error_of(deadlocks.take(made)):
        findings.note(error, findings.take(made))
        raise_at(error, item)
    if made is not None and made.findings:
        fixture_lifecycle.policy_of(item.config).judge(made)


def difference(item: pytest.Item) -> str:
    """Return the first difference between card and model in a test.

    The result is empty without any.
    """
    if settings.TRACE not in item.stash:
        return ""
    side, trace = item.stash[settings.TRACE]
    del item.stash[settings.TRACE]
    traces = item.session.stash.setdefault(settings.TRACES, {})
    which: Any = item
    shared = f"{item.nodeid.partition('[')[0]} {which.callspec.id.replace(str(side), str(side.profile))}"
    if side.name == both.MODEL:
        traces[shared] = trace
        return ""
    model = traces.pop(shared, None)
    from fakecuda.testing.difference import difference as first  # noqa: PLC0415 - only for --fakecuda=both

    return first(model, trace) if model is not None else ""
