"""The command line: ``python -m fakecuda``, ``… rules``, ``… conform``, ``… profiles``."""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda import profiles
from fakecuda.errors import ProfileError
from fakecuda.prompt.console import Prompt
from fakecuda.prompt.rules import rules_of, rules_text
from fakecuda.prompt.text import table
from fakecuda.simulated import Machine

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

USAGE = 2
BAR = 30
DOTS = 72
REDRAW = 0.05


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: What stands behind the program's name; ``sys.argv`` by default.

    Returns:
        The exit status: 0, 2 for a mistake in the use, or what the suite or a piped statement left.
    """
    parser = argparse.ArgumentParser(
        prog="fakecuda", description="A simulated CUDA driver. Without a command: a prompt.", allow_abbrev=False
    )
    parser.set_defaults(run=_prompt)
    parser.add_argument(
        "--profile", default="h200-x2", help="the prompt's machine: a profile's name or the path of a TOML file"
    )
    parser.add_argument(
        "--lax", action="store_true", help="answer as the driver does where the manual calls it undefined"
    )
    commands = parser.add_subparsers(title="commands", metavar="command")
    rules = commands.add_parser("rules", help="list the rules of the calls, with their codes and sources")
    rules.add_argument("function", nargs="?", metavar="FUNCTION", help="one call, cuMemMap; every one by default")
    rules.add_argument("--json", action="store_true", help="as a JSON list")
    rules.set_defaults(run=_rules)
    conform = commands.add_parser(
        "conform",
        help="run the conformance suite",
        epilog="Any option goes to pytest: conform -k va -x",
        allow_abbrev=False,
    )
    conform.set_defaults(run=_conform)
    commands.add_parser("profiles", help="list the profiles").set_defaults(run=_profiles)
    serve = commands.add_parser(
        "serve",
        help="offer the machine to other programs",
        epilog="serve -- COMMAND runs a command on it and all that it starts; serve alone prints what they need in their "
        "environment.",
    )
    serve.add_argument("command", nargs="*", metavar="COMMAND", help="a program and its arguments, behind --")
    serve.set_defaults(run=_serve)
    options, rest = parser.parse_known_args(arguments)
    if rest and options.run is not _conform:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    options.rest = rest
    try:
        return int(options.run(options))
    except ProfileError as error:
        print(f"fakecuda: {error}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:
        # The reader has seen enough; what is left in the buffer has nowhere to go.
        sys.stdout = None
        return 0


def _prompt(options: argparse.Namespace) -> int:
    with Machine(options.profile, strict=not options.lax) as machine:
        return Prompt(machine).run()


def _serve(options: argparse.Namespace) -> int:
    from fakecuda.sharing.serve import serve  # noqa: PLC0415 - of an extra

    return serve(options.profile, options.command, strict=not options.lax)


def _rules(options: argparse.Namespace) -> int:
    try:
        rows = rules_of(options.function)
    except LookupError as error:
        print(f"fakecuda: {error}", file=sys.stderr)
        return USAGE
    print(
        json.dumps([row.as_json() for row in rows], indent=1, ensure_ascii=False) if options.json else rules_text(rows)
    )
    sys.stdout.flush()
    return 0


def _profiles(_: argparse.Namespace) -> int:
    rows = []
    for name in profiles.names():
        profile = profiles.load(name)
        number = profile.driver_version
        cards = Counter(device.name for device in profile.devices)
        devices = ", ".join(f"{count} x {card}" for card, count in cards.items()) or "none"
        rows.append((name, profile.origin, f"{number // 1000}.{number % 1000 // 10}", devices, profile.purpose))
    print(table(("profile", "origin", "driver", "devices", "what for"), rows))
    return 0


def _conform(options: argparse.Namespace) -> int:
    missing = [name for name in ("pytest", "hypothesis", "conformance") if importlib.util.find_spec(name) is None]
    if missing:
        message = f"fakecuda: conform needs {' and '.join(missing)}: pip install 'fakecuda[conformance]'"
        print(message, file=sys.stderr)
        return USAGE
    import pytest  # noqa: PLC0415 - of an extra

    suite = Suite(bar=sys.stderr.isatty())
    # The suite's own reports tell what failed; its dots and counts give way to the bar and the table.
    quiet = ["-qq", "--no-header", "-p", "no:cacheprovider", "-o", "console_output_style=classic"]
    # This command has imported fakecuda before pytest could; its own assertions need no rewriting.
    quiet += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    # By its path, so that the settings of whatever project the user stands in do not apply.
    where = importlib.util.find_spec("conformance").submodule_search_locations  # type: ignore[union-attr]
    status = pytest.main([*(where or []), *quiet, *options.rest], plugins=[suite])
    if suite.chapters:
        print(suite.text())
    elif not suite.total:
        print("fakecuda: no case was selected", file=sys.stderr)
    return int(status)


@define
class Chapter:
    """What the suite showed of one chapter.

    Attributes:
        calls: The calls that had a case.
        counts: Cases, those that failed or were skipped, recorded programs, answers compared, differences and those explained.
        broken: Ids of the rules that a case broke.
        held: Ids of the rules that a case kept in a call that succeeded.
    """

    calls: set[str] = field(factory=set)
    counts: Counter[str] = field(factory=Counter)
    broken: set[str] = field(factory=set)
    held: set[str] = field(factory=set)

    def cells(self, name: str) -> tuple[str, ...]:
        """Return the chapter's line of the closing table."""
        of = self.counts
        return (
            name,
            str(len(self.calls)),
            ", ".join([str(of["cases"]), *(f"{of[kind]} {kind}" for kind in ("failed", "skipped") if of[kind])]),
            str(of["programs"]),
            str(of["answers"]),
            f"{of['differences']} ({of['explained']})",
            f"{len(self.broken)} / {len(self.held)}",
        )


@define(eq=False)
class Suite:
    """A pytest plugin: a progress bar on stderr, and a table by chapter of what the cases showed.

    A case tells of itself by ``user_properties``: ``chapter``, ``call``, ``rule`` (an id that it broke), ``held`` (an id
    that it kept), and the numbers ``programs``, ``answers``, ``differences`` and ``explained``; all but the numbers may
    come repeatedly. Without a chapter it is the case's directory, and the call its module.

    Attributes:
        bar: Whether to draw a bar; plain dots otherwise.
        total: The cases that were collected.
        done: The cases that have ended.
        chapters: What was seen, by chapter.
    """

    bar: bool
    total: int = 0
    done: int = 0
    chapters: dict[str, Chapter] = field(factory=dict)
    _failed: set[str] = field(factory=set)
    _skipped: set[str] = field(factory=set)
    _start: float = field(factory=time.monotonic)
    _drawn: float = 0.0

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note how many cases there are."""
        self.total = len(session.items)
        self._start = time.monotonic()

    def pytest_report_teststatus(self, report: pytest.TestReport | pytest.CollectReport) -> tuple[str, str, str]:
        """Give a case's outcome to pytest's own reports without a letter of its own."""
        if hasattr(report, "wasxfail"):
            outcome = "xfailed" if report.skipped else "xpassed"
        else:
            outcome = "error" if report.failed and report.when != "call" else report.outcome
        if outcome == "passed":
            return outcome if report.when == "call" else "", "", ""
        return outcome, "", outcome.upper()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in a phase of a case; its last one ends it."""
        if report.failed:
            self._failed.add(report.nodeid)
        if report.skipped and not hasattr(report, "wasxfail"):
            self._skipped.add(report.nodeid)
        if report.when != "teardown":
            return
        self.done += 1
        failed = report.nodeid in self._failed
        self._note(report.nodeid, report.user_properties, failed=failed)
        if self.bar:
            self._draw()
        else:
            sys.stderr.write(("F" if failed else ".") + "\n" * (self.done % DOTS == 0))
            sys.stderr.flush()

    def pytest_sessionfinish(self) -> None:
        """End the line of the bar or of the dots."""
        if self.done:
            self._drawn = 0.0
            if self.bar:
                self._draw()
            sys.stderr.write("\n")
            sys.stderr.flush()

    def text(self) -> str:
        """Return the closing table."""
        total = Chapter()
        for chapter in self.chapters.values():
            total.calls |= chapter.calls
            total.counts += chapter.counts
            total.broken |= chapter.broken
            total.held |= chapter.held
        head = ("chapter", "calls", "cases", "programs", "answers", "differences (explained)", "rules broken / held")
        rows = [chapter.cells(name) for name, chapter in sorted(self.chapters.items())]
        return table(head, [*rows, total.cells("all")])

    def _note(self, nodeid: str, properties: list[tuple[str, Any]], *, failed: bool) -> None:
        told: dict[str, list[Any]] = {}
        for name, value in properties:
            told.setdefault(name, []).append(value)
        path = PurePath(nodeid.partition("::")[0])
        for name in told.get("chapter", [path.parent.name or path.stem]):
            chapter = self.chapters.setdefault(str(name), Chapter())
            chapter.calls.update(told.get("call", [] if "chapter" in told else [path.stem.removeprefix("test_")]))
            chapter.broken.update(told.get("rule", []))
            chapter.held.update(told.get("held", []))
            chapter.counts.update({"cases": 1, "failed": int(failed), "skipped": int(nodeid in self._skipped)})
            for number in ("programs", "answers", "differences", "explained"):
                chapter.counts[number] += sum(told.get(number, []))

    def _draw(self) -> None:
        now = time.monotonic()
        if now - self._drawn < REDRAW and self.done < self.total:
            return
        self._drawn = now
        full = BAR * self.done // max(self.total, 1)
        minutes, seconds = divmod(int(now - self._start), 60)
        failed = f"  {len(self._failed)} failed" if self._failed else ""
        bar = "#" * full + "-" * (BAR - full)
        sys.stderr.write(f"\r[{bar}] {self.done}/{self.total}  {minutes}:{seconds:02}{failed}")
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
