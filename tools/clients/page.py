"""Writes the page of clients, ``docs/clients.md``.

Suites, results, and reasons for failures.
"""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from fakecuda.model.history import counted
from tools.clients.reasons import KINDS, judge
from tools.codegen.steps import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tools.clients.reasons import Judgement, Reason
    from tools.clients.results import Result
    from tools.clients.suites import Suite

WIDTH = 150
"""The longest lines of the commands."""
PAGE = ROOT / "docs" / "clients.md"
INTRODUCTION = """# Clients

This page has the results of the clients' own test suites on simulated machines. Each section lists the changes to a suite. A suite runs in
one process. Each test has a new machine, unless the section says otherwise: [behaviour.md](behaviour.md#test-after-test).
`python -m tools.clients` runs the suites and writes this page.

Undefined behaviour fails a test. If the suite itself causes it, the section lists it as suppressed; [races.md](races.md#false-alarms)
gives the reasons.

Some suites have run on an H200 too, with driver 580.159.04 and Python 3.12. The last two columns count the tests that pass there, and how many of
these pass here. The section of a suite lists the rest. `card.json.gz` in `tools/clients` has the outcomes on the card.
"""
LONGEST = 100
"""Maximum length of a reason, in characters."""
NAMED = 2
"""Maximum number of tests that a line names."""


def figures(result: Result) -> str:
    """Return the numbers of tests by result, as text."""
    told = f"{result.tests} tests: {result.passed} passed, {len(result.failed)} failed, {_skips(result)} skipped"
    count = sum(result.suppressed.values())
    return f"{told}, {count} suppressed findings" if count else told


def written(suites: Mapping[str, Suite], results: Mapping[str, Result], known: Sequence[Reason]) -> str:
    """Return the page."""
    judgement = judge(results, known)
    lines = [
        INTRODUCTION,
        "| client | what was run | tests | passed | failed | skipped | pass on a card | of these, here |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, result in results.items():
        suite = suites[name]
        cells = (result.tests, result.passed, len(result.failed), _skips(result), *_beside(result))
        about = f"{suite.client} {suite.version} | [{suite.about}](#{_slug(_title(suite))})"
        lines.append(f"| {about} | {' | '.join(map(str, cells))} |")
    lines += ["", "A test that the suite expects to fail on some machines, and that fails, counts as skipped.", ""]
    for name, result in results.items():
        lines += _section(suites[name], result, judgement)
    return "\n".join(lines).rstrip() + "\n"


def _section(suite: Suite, result: Result, judgement: Judgement) -> Iterator[str]:
    yield from (f"## {_title(suite)}", "")
    yield _ran(suite, result)
    yield ""
    if suite.replaced:
        yield f"- Replaced by [{suite.ours}](../tools/clients/{suite.ours}): {suite.replaced}."
    for change in suite.changes:
        yield f"- Changed: `{change.old}` in `{change.file}` becomes `{change.new}`: {change.why}."
    for left in suite.left_out:
        yield f"- Not run: {_named(left.tests)}: {left.why}."
    if suite.one_machine:
        yield f"- One machine for all tests: {suite.one_machine}."
    if suite.card:
        yield f"- On the card: {suite.card}."
    if suite.linked:
        yield f"- Linked with the machine's libraries: {suite.linked}."
    for together in suite.together:
        yield f"- One machine for all tests of a class: {_named(together.classes)}: {together.why}."
    for one in suite.suppressed:
        where = counted(result.suppressed.get(one.what, 0), "test")
        yield f"- Suppressed in {where}: `{one.rule}` in `{one.module}`: {one.why}."
    if (
        suite.card
        or suite.replaced
        or suite.changes
        or suite.left_out
        or suite.one_machine
        or suite.together
        or suite.suppressed
    ):
        yield ""
    explained = judgement.explained[suite.name]
    if result.failed:
        yield from ("| failed | why | kind |", "|---:|---|---|")
        for reason, tests in sorted(explained.items(), key=lambda one: -len(one[1])):
            yield f"| {len(tests)} | {_cell(reason.why)}: {_named(_patterns(reason, tests))} | {KINDS[reason.kind]} |"
        for test, error in judgement.unexplained.get(suite.name, {}).items():
            yield f"| 1 | **unexplained**: `{test}`: {_cell(error)} | |"
        yield ""
    if result.missing:
        yield from _missing(result, explained)
    if result.skipped:
        yield from ("| skipped | the suite's reason |", "|---:|---|")
        for text, count in result.skipped.items():
            yield f"| {count} | {_cell(text)} |"
        yield ""


def _missing(result: Result, explained: Mapping[Reason, list[str]]) -> Iterator[str]:
    """Write the tests that pass on a card and not here, by what happens here."""
    why = {test: f"failed: {reason.why}" for reason, tests in explained.items() for test in tests}
    groups: dict[str, list[str]] = {}
    for test, text in result.missing.items():
        groups.setdefault(why.get(test, text), []).append(test)
    yield from ("| pass on a card, not here | what happens here | tests |", "|---:|---|---|")
    for text, tests in sorted(groups.items(), key=lambda one: -len(one[1])):
        yield f"| {len(tests)} | {_cell(text)} | {_named(tests[:NAMED])}{', …' if tests[NAMED:] else ''} |"
    yield ""


def _beside(result: Result) -> tuple[int | str, str]:
    """Return how many tests pass on a card, and how many of these pass here."""
    if not result.card:
        return "", ""
    here = result.card - len(result.missing)
    return result.card, f"{here}, {here / result.card:.1%}"


def _ran(suite: Suite, result: Result) -> str:
    source = ""
    if suite.source is not None:
        source = f" of [{suite.source.name}]({suite.source.url}/tree/{result.commit}) at `{result.commit[:9]}`"
    releases = ", ".join(f"{name} {release}" for name, release in result.releases.items())
    variables = [f"{name}={text.replace('{packages}', 'site-packages')}" for name, text in suite.environment.items()]
    command = " ".join((*variables, "pytest", *suite.options, *suite.arguments))
    said = f"`{command}` in `{suite.folder}`{source}, on `{suite.profile}`, with Python {result.python} and {releases}."
    return fill(said, WIDTH, break_long_words=False, break_on_hyphens=False)


def _patterns(reason: Reason, tests: list[str]) -> list[str]:
    """Return the patterns of a reason that match some tests."""
    return [
        one for one in reason.tests if any(reason.explains(reason.suites[0], one, test, reason.error) for test in tests)
    ]


def _title(suite: Suite) -> str:
    return f"{suite.client} {suite.version}: {suite.about}"


def _slug(heading: str) -> str:
    """Return GitHub's anchor for a heading."""
    return "".join(one for one in heading.lower() if one.isalnum() or one in "_- ").replace(" ", "-")


def _named(tests: Sequence[str]) -> str:
    """Return the names of tests without the folders of their files."""
    return ", ".join(f"`{one.rpartition('/')[2]}`" if "::" in one else f"`{one}`" for one in tests)


def _cell(text: str) -> str:
    short = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return short.replace("|", "\\|").replace("<", "&lt;")


def _skips(result: Result) -> int:
    return result.expected + sum(result.skipped.values())
