"""The HTML page of a pytest session: its tests with outcomes and findings."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from fakecuda.explain.html.linked import Linker
from fakecuda.explain.html.markup import Html, joined, tag
from fakecuda.explain.html.shell import HERE, picture
from fakecuda.explain.html.shell import page as page_of
from fakecuda.model.history import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

BAD = ("failed", "error", "interrupted")
"""Outcomes that the page shows first."""
OUTCOMES = (*BAD, "xpassed", "xfailed", "skipped", "passed")
"""Outcomes from most to least interesting; a test has the first that applies."""
TAGS = {"findings": "findings", "refused": "refused calls", "left": "left behind"}
"""Additional properties of a test, by pytest's key, and their titles."""
ADDED = ("findings", "refused")
"""The keys that each phase of a test reports separately."""
LINES = 5000
"""The maximum number of shown lines of a text; pytest prints the others."""
SECOND = 1000


@define
class Test:
    """The results of a test.

    Attributes:
        nodeid: Its name for pytest.
        outcome: One of ``OUTCOMES``, or another word of a plugin's.
        duration: Seconds that it took, with its fixtures.
        place: Its file and line.
        worker: The worker of pytest-xdist that ran it; empty for none.
        told: What was kept where it ran: see :mod:`fakecuda.testing.page_rows`.
        failures: The phases in which it failed, each with what pytest says of it.
        sections: Captured output and the like, by titles.
    """

    __test__ = False

    nodeid: str
    outcome: str = ""
    duration: float = 0.0
    place: str = ""
    worker: str = ""
    told: dict[str, Any] = field(factory=dict)
    failures: list[tuple[str, str]] = field(factory=list)
    sections: dict[str, str] = field(factory=dict)

    def add(self, category: str, duration: float) -> None:
        """Add a phase of the test: its category (empty for set-up) and its seconds."""
        self.duration += duration
        if category and (not self.outcome or _rank(category) < _rank(self.outcome)):
            self.outcome = category

    def tell(self, told: dict[str, Any]) -> None:
        """Add what a phase reports; lists of several phases are joined."""
        for name, value in told.items():
            self.told[name] = self.told[name] + value if name in ADDED and name in self.told else value

    @property
    def tags(self) -> list[str]:
        """The additional properties of the test."""
        return [name for name in TAGS if self.told.get(name)]


@frozen
class Session:
    """The results of a session.

    Attributes:
        command: What was typed.
        versions: What it ran with.
        tests: The tests, in the order in which they began.
        interrupted: Whether it was cut off by Ctrl-C.
        status: The exit status.
        besides: Findings and leaks that belong to no test.
    """

    command: str
    versions: str
    tests: list[Test]
    interrupted: bool = False
    status: int = 0
    besides: list[str] = field(factory=list)


def page(session: Session) -> str:
    """Return the page of a session."""
    linker = Linker()
    tests = sorted(session.tests, key=lambda one: (_rank(one.outcome), not one.tags))
    shown = [_test(one, linker, first=number == 0) for number, one in enumerate(tests)]
    besides = [_part("Of no test", _text(one, linker)) for one in session.besides]
    rules = linker.rules()
    counts = Counter(one.outcome for one in session.tests)
    title = ", ".join(f"{counts[name]} {name}" for name in sorted(counts, key=_rank)) or "no test ran"
    head = tag(
        "header",
        tag("h1", title),
        tag("p", "Interrupted: this is what was known until then.", class_="warning") if session.interrupted else "",
        tag("p", tag("code", session.command), f"; {session.versions}; exit status {session.status}", class_="beside"),
    )
    body = [
        head,
        _tools(session.tests, counts),
        tag("div", *shown, id="tests"),
        tag("p", "No test is like that.", id="none", hidden=True),
        *besides,
        tag("section", tag("h2", "Rules"), rules, id="rules") if rules else "",
    ]
    return page_of(f"fakecuda: {title}", body, styles=[HERE / "session.css"], scripts=[HERE / "session.js"])


def _rank(outcome: str) -> int:
    return OUTCOMES.index(outcome) if outcome in OUTCOMES else len(BAD)


def _tools(tests: list[Test], counts: Counter[str]) -> Html:
    """Return the page's filters: outcomes, properties, and words."""
    chips = [_chip("outcome", "", f"all {len(tests)}", pressed=True)]
    chips += [_chip("outcome", name, f"{name} {counts[name]}") for name in sorted(counts, key=_rank)]
    of_tags = Counter(name for one in tests for name in one.tags)
    chips += [_chip("tag", name, f"{TAGS[name]} {of_tags[name]}") for name in TAGS if of_tags[name]]
    search = tag(
        "input", type="search", id="search", placeholder="name, rule or text", aria_label="search", autocomplete="off"
    )
    keys = ["/", " search, ", "j", " and ", "k", " next and previous, ", "Enter", " open, ", "Esc", " all"]
    told = tag("p", *(tag("kbd", one) if number % 2 == 0 else one for number, one in enumerate(keys)), class_="keys")
    count = tag("p", "", id="count", role="status")
    return tag("div", search, tag("div", *chips, class_="chips"), count, told, class_="tools", role="search")


def _chip(kind: str, value: str, words: str, *, pressed: bool = False) -> Html:
    look = f"chip {value}" if kind == "outcome" else "chip"
    state = "true" if pressed else "false"
    return tag(
        "button", words, type="button", class_=look, data_filter=kind, data_value=value or "*", aria_pressed=state
    )


def _test(test: Test, linker: Linker, *, first: bool) -> Html:
    """Return a test as a line that unfolds its details, if any."""
    path, _, name = test.nodeid.partition("::")
    facts = [test.told.get("profile", ""), test.worker, _seconds(test.duration)]
    label = tag("span", tag("span", f"{path}::" if name else "", class_="file"), tag("b", name or path), class_="name")
    line = [
        tag("span", test.outcome or "ran", class_=f"badge {test.outcome}"),
        label,
        *(tag("span", TAGS[one], class_="tag") for one in test.tags),
        tag("span", " · ".join(filter(None, facts)), class_="facts"),
    ]
    known = {"data_outcome": test.outcome, "data_tags": " ".join(test.tags), "class_": "test", "data_item": True}
    parts = list(_parts(test, linker))
    if not parts:
        return tag("div", *line, tabindex="-1", **known)
    place = tag("p", tag("code", test.place), class_="beside") if test.place else ""
    opened = first and test.outcome in BAD
    return tag("details", tag("summary", *line), tag("div", place, *parts, class_="known"), open=opened, **known)


def _seconds(duration: float) -> str:
    return f"{duration * SECOND:.0f} ms" if duration < 1 else f"{duration:.2f} s"


def _parts(test: Test, linker: Linker) -> Iterator[Html]:
    """Yield the parts of a test, the most important first."""
    told = test.told
    for when, text in test.failures:
        yield _part("Reason" if test.outcome in {"skipped", "xfailed"} else f"Failure in {when}", _text(text, linker))
    findings = told.get("findings", [])
    told_already = "\n".join(text for _, text in test.failures)
    for rule, call, text in findings:
        more = "" if text.partition("\n")[0] in told_already else _text(text, linker)
        expected = "" if test.outcome in BAD else ", which was expected, suppressed, or warned of"
        yield _part(joined(["Finding: ", call, " breaks ", linker.rule(rule), expected]), more)
    if (refused := told.get("refused", "")) and refused.partition("\n")[0] not in told_already:
        yield _part("Refused calls", _text(refused, linker))
    if (left := told.get("left", "")) and left.partition("\n")[0] not in told_already:
        yield _part("Left behind", _text(left, linker))
    if calls := told.get("calls", []):
        lines = [tag("li", linker.text(text), class_=None if good else "bad") for text, good in calls]
        title = f"Story: {counted(len(calls), 'call')}, the last one lowest"
        yield _part(title, tag("ol", *lines, class_="story", tabindex="0", aria_label="calls"))
    if notes := told.get("notes", []):
        yield _part("Notes", tag("ul", *(tag("li", linker.text(one)) for one in notes)))
    for title, svg in told.get("pictures", []):
        yield _part(title, picture(svg, f"{title}, when the test ended"))
    for title, text in test.sections.items():
        yield _part(title, _text(text, linker))


def _part(title: object, *inner: object) -> Html:
    return tag("section", tag("h3", title), *inner)


def _text(text: str, linker: Linker) -> Html:
    lines = text.rstrip().splitlines()
    more = [f"… and {len(lines) - LINES} lines more"] if len(lines) > LINES else []
    return tag("pre", linker.text("\n".join([*lines[:LINES], *more])), tabindex="0")
