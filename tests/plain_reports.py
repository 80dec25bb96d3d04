"""A gate on reports: no repr of an internal object, and no empty fix.

It looks at each finding, each leak and each refused call of the whole run, once for each rule and kinds of facts.
A plugin of pytest, named in ``pyproject.toml``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda.explain.reports.text import shown
from fakecuda.model.finding import Finding
from fakecuda.model.leaks import Leak
from fakecuda.rules.core import Broken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

INTERNAL = re.compile(
    r"\b(?!CU|cuda|hip|nvml)[A-Z]\w*(?<!Error)(?<!Exception)\((?:\w+=|\))"  # Pool(handle=0, as attrs writes it
    r"|<(?:function|built-in|module(?!>)|class|code|frame|weakref|bound|Future|generator|<lambda)"
    r"| object at 0x|\bfunctools\.partial\(|\bdict_(?:keys|values)\(|\bmappingproxy\("
)
"""Python's default text of an object."""
seen: set[tuple[Any, ...]] = set()
wrong: list[str] = []


def check(kind: str, text: str, fix: str) -> None:
    """Note what is wrong with a text."""
    if found := INTERNAL.search(text):
        wrong.append(f"{kind} shows {text[found.start() : found.start() + 60]!r}: give the object a text")
    if not fix:
        wrong.append(f"{kind} has no fix")


def of_broken(broken: Broken) -> None:
    """Check how the facts of a refused call are shown."""
    rule = broken.rule
    key = (rule.id, *((name, type(value)) for name, value in broken.facts.items()))
    if key not in seen:
        seen.add(key)
        check(rule.id, "\n".join(shown(value) for value in broken.facts.values()), rule.fix)


def of_finding(finding: Finding) -> None:
    """Check the report of a finding."""
    key = (finding.call, finding.rule.id, *((name, type(value)) for name, value in finding.facts.items()))
    if key not in seen:
        seen.add(key)
        texts = [text for text in finding.facts.values() if isinstance(text, str)]  # of exceptions, for one
        report = re.sub(r"\n  process .*?(?=\n  \w)", "", str(finding), flags=re.DOTALL)  # a command line of the user
        report = re.sub(r"(\.cc:\d+|\+0x[0-9a-f]+) in .*", "", report)  # a function of C++, with its types
        for text in texts:
            for line in text.splitlines():
                report = report.replace(line, "")
        check(finding.rule.id, report, finding.rule.fix)


def of_leak(leak: Leak) -> None:
    """Check the text of a leak. One that a library keeps has no fix."""
    key = (leak.kind, type(leak.item), re.sub(r"(0x)?[0-9a-f]*\d[0-9a-f]*", "0", leak.text))
    if key not in seen:
        seen.add(key)
        check(f"a leak of kind {leak.kind}", leak.text, "-")


@pytest.fixture(autouse=True, scope="session")
def _watch() -> Iterator[None]:
    """Watch how reports are made."""
    before = Broken.__init__, Finding.__init__, Leak.__init__
    with pytest.MonkeyPatch.context() as patch:
        for made, look in ((Broken, of_broken), (Finding, of_finding), (Leak, of_leak)):
            patch.setattr(made, "__init__", watched(made.__init__, look))
        yield
    assert (Broken.__init__, Finding.__init__, Leak.__init__) == before
    assert not wrong, "\n".join(wrong)


def watched(init: Callable[..., None], look: Callable[[Any], None]) -> Callable[..., None]:
    """Return an ``__init__`` that looks at what it has made."""

    def made(self: Any, *args: Any, **named: Any) -> None:
        init(self, *args, **named)
        look(self)

    return made


@pytest.fixture(autouse=True)
def _reports_are_plain(_watch: None) -> Iterator[None]:
    """Fail the test that makes a report with an internal text."""
    yield
    found = wrong[:]
    del wrong[: len(found)]  # also what wider fixtures and other threads made since the last test
    assert not found, "\n".join(found)
