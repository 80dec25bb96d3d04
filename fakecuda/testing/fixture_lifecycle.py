"""The machine of a test, a module or a session.

It is made here, used by the tests, and checked at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zlib import crc32

from fakecuda.errors import FakeCudaError
from fakecuda.fixture import FakeCuda
from fakecuda.machine import findings, leaks
from fakecuda.machine.checks import Checks, checks_of
from fakecuda.model.history import counted
from fakecuda.testing import settings
from fakecuda.testing.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest


def given(request: pytest.FixtureRequest, key: pytest.StashKey[Any]) -> Iterator[FakeCuda]:
    """Yield a machine for the life of a fixture, and check it at the end.

    Args:
        request: The fixture's request. Its node is the test, the module or the session.
        key: The stash key of the node's machine.
    """
    __tracebackhide__ = True
    node = request.node
    arguments = settings.arguments_of(node)
    if getattr(request, "param", None) is not None:
        arguments["profile"] = request.param
    elif isinstance(arguments.get("profile"), list | tuple):
        problem = (
            "a list of profiles needs a test with the argument fakecuda: it does not work with getfixturevalue, with "
            "methods of unittest.TestCase, or with the fixtures fakecuda_module and fakecuda_session"
        )
        settings.fail(problem)
    chosen = {name: arguments.pop(name) for name in settings.CHECKS if name in arguments}
    if chosen.get("explore"):
        arguments.setdefault("schedule", "")  # the first order of the search
    arguments.setdefault("door", settings.door_of(request.config))
    arguments.setdefault("races", settings.RACES[request.config.getini("fakecuda_races")])
    arguments.setdefault("kernels", settings.mode_of(request.config, "kernels"))
    if arguments.get("seed") is None:
        # The seed must not depend on machines that other fixtures of the test make before.
        arguments["seed"] = crc32(node.nodeid.encode())
    installation, problem = policy_of(request.config).machine(arguments), ""
    try:
        checks = _checks(chosen, request.config)
        made = installation.__enter__()
    except FakeCudaError as error:
        problem = str(error)
    if problem:
        settings.fail(problem)
    node.stash[key], node.stash[settings.OPTIONS] = made, arguments
    checks.begin(made)
    node.stash[settings.CHECKED] = checks
    node.stash[settings.GIVEN] = FakeCuda(made)
    yield node.stash[settings.GIVEN]
    del node.stash[key], node.stash[settings.GIVEN]
    left, is_error = checks.left(made, node.stash.get(settings.FAILURE, None))
    problem = left if is_error else ""
    refused = refusals_of(node, request.config.stash[settings.CURRENT], "teardown")
    if page := request.config.stash.get(settings.HTML, None):
        page.ends(request.config.stash[settings.CURRENT], made, left, failed=bool(problem or refused))
    for done in (settings.FAILURE, settings.CHECKED):
        node.stash.setdefault(done, None)
        del node.stash[done]
    if findings.is_driver(made) and made.notes:
        request.config.stash[settings.CURRENT].add_report_section("teardown", settings.UNSEEN, "\n".join(made.notes))
    _list_skipped(made, request.config.stash[settings.CURRENT])
    if left and node.stash.get(settings.FAILED, False):
        problem = leaks.after_failure(problem)
        left = leaks.briefly(left, "--fakecuda-leaks=error")
    if left and not problem:
        request.config.stash[settings.CURRENT].add_report_section("teardown", settings.LEFT, left)
    installation.__exit__(None, None, None)
    if problem := "\n".join(filter(None, (problem, refused))):
        settings.fail(problem)


def _list_skipped(made: Any, item: pytest.Item) -> None:
    """Add the skipped launches of a machine to a test's report; a real driver skips none."""
    if skipped := getattr(made, "skipped", None):
        text = "\n".join(f"{counted(count, 'launch', 'launches')} of kernel {name}" for name, count in skipped.items())
        item.add_report_section("teardown", settings.SKIPPED, text)


def _checks(chosen: dict[str, Any], config: pytest.Config) -> Checks:
    """Return the checks of a mark; modes that it does not set are the session's."""
    mode, errors = (chosen.get(name, settings.mode_of(config, name)) for name in ("leaks", "errors"))
    return checks_of(mode, chosen.get("leaks_allowed", ()), errors, chosen.get("errors_allowed", ()))


def refusals_of(holder: pytest.Item, item: pytest.Item, when: str, failure: BaseException | None = None) -> str:
    """Return the refused calls that fail a test; otherwise add them to its report.

    Args:
        holder: The node with the machine.
        item: The test.
        when: The phase of the test: ``call`` or ``teardown``.
        failure: The exception that failed the test; None if it passed so far.
    """
    checks: Checks | None = holder.stash.get(settings.CHECKED, None)
    failed = failure is not None or settings.FAILURE in holder.stash
    if checks is None or not (checks.errors == "error" or failed or when == "teardown"):
        return ""
    text, is_error = checks.refused(failed=failed)
    if text and (page := item.config.stash.get(settings.HTML, None)):
        page.note(item, "refused", f"{text}\n")
    if is_error:
        return text
    if text:
        item.add_report_section(when, settings.REFUSED, text)
    return ""


def policy_of(config: pytest.Config) -> Policy:
    """Return the suite's policy for undefined behaviour."""
    policy = config.stash.get(settings.POLICY, None)
    if policy is None:
        policy = config.stash[settings.POLICY] = Policy(config)
    return policy
