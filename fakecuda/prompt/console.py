"""The console: a machine with two processes, for typed or piped statements."""

from __future__ import annotations

import ast
import code
import codeop
import contextlib
import importlib.util
import io
import linecache
import pydoc
import re
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fakecuda
from fakecuda.errors import FakeCudaError
from fakecuda.prompt.calls import Calls, history_text, why_text
from fakecuda.prompt.manual import call_of, help_text
from fakecuda.prompt.rules import rules_of, rules_text
from fakecuda.prompt.session import Typed, as_test
from fakecuda.prompt.show import OVERVIEW, show_text
from fakecuda.prompt.shown import by_fields, meant, say, without_own_frames
from fakecuda.prompt.terminal import Keyboard
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fakecuda.simulated.machine import Machine

NO_MACHINE = " needs a prompt that made its own machine: start one with python -m fakecuda\n"
CONTINUES = re.compile(r"(elif|else|except|finally)\b|[)\]}#]")


class Prompt(code.InteractiveConsole):
    """A prompt over a machine.

    Args:
        machine: The machine. Processes ``a`` and ``b`` are spawned on it.
        again: Returns a new machine equal to the first, or one of another profile, for ``undo`` and ``replay``. Without
            it, these print that they cannot work.
        options: Arguments of the mark in a saved test; by default the name of the profile.

    Attributes:
        calls: The machine's calls by number.
        failed: Whether a statement raised an exception.
        typed: The typed statements.
        given: The names that the prompt defines itself.
    """

    def __init__(
        self,
        machine: Machine,
        again: Callable[..., Machine] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.again = again
        self.options = {"profile": machine.profile.name} if options is None else options
        self.failed = self.raised = self.wrong = self.undone = False
        self.number = 1
        self.typed: list[Typed] = []
        super().__init__(self._begin(machine))
        self.given = set(self.locals)

    def _begin(self, machine: Machine) -> dict[str, Any]:
        """Start with a machine, and return the names for statements."""
        self.machine = machine
        self.calls = Calls(machine)
        a, b = (machine.processes.get(name) or machine.spawn(name) for name in "ab")
        names: dict[str, Any] = {name: getattr(fakecuda, name) for name in fakecuda.__all__}
        names |= {name: getattr(a.driver, name) for name in ENUMS}
        names |= {"__name__": "__main__", "fakecuda": fakecuda, "machine": machine, "a": a, "b": b}
        names |= {"driver": a.driver, "c": a.c, "rules": self.rules, "why": self.why}
        for word in (self.show, self.history, self.help, self.undo, self.save, self.replay):
            names[word.__name__] = word
        return names

    @property
    def mark(self) -> str:
        """The text before the current input line."""
        return str(getattr(sys, "ps2", "... ") if self.buffer else getattr(sys, "ps1", ">>> "))

    def rules(self, function: str | None = None) -> None:
        """Print the rules of a function in the order of their checks.

        By default, print the rules of all functions.
        """
        try:
            text = rules_text(rules_of(function))
        except LookupError as error:
            text = str(error)
        say(text)

    def help(self, *what: Any) -> None:
        """Print a call's signature, manual and rules; for other objects, Python's help."""
        call = call_of(what[0]) if what else None
        if call is None:
            pydoc.help(*what)
        else:
            say(help_text(call))

    def why(self, what: int | str = -1) -> None:
        """Print why the last failed call failed.

        ``why(-2)``, ``why(12)`` and ``why("cuMemMap")`` choose another call.
        """
        say(why_text(self.calls, what))

    def show(self, what: Any = OVERVIEW, *, svg: str = "", timeline: bool = False) -> None:
        """Print the machine's state.

        ``show("va")`` prints a part, ``show(a)`` a process, ``show(p)`` an object.

        Args:
            what: What to show.
            svg: A file for a picture of the machine, in addition.
            timeline: Draw the calls in their order instead, with a row for each stream.
        """
        if svg:
            self.machine.draw(timeline=timeline).save(svg)
        say(show_text(self.machine, what))

    def history(self, what: Any = 20) -> None:
        """Print the last calls.

        ``history(5)`` prints five calls, ``history(p)`` those that mention p's object.
        """
        say(history_text(self.calls, what, self.locals))

    def undo(self, count: int = 1) -> None:
        """Undo the last statements: run the earlier ones again on a new machine.

        Their effects on files or other machines happen twice.
        """
        if self.again is None:
            sys.stdout.write("undo" + NO_MACHINE)
            return
        if not isinstance(count, int) or count < 1:
            sys.stdout.write(f"undo({count!r}): write the number of statements to undo, at least 1\n")
            self.undone = True
            return
        left = max(0, len(self.typed) - count)
        kept, gone = self.typed[:left], self.typed[left:]
        self.machine.close()
        names = self._begin(self.again())
        for name in self.locals.keys() - self.given:
            del self.locals[name]
        self.locals.update(names)
        self.typed = []
        self.repeat(kept)
        self.undone = True
        sys.stdout.write("".join(f"undone: {one.source.rstrip()}\n" for one in reversed(gone)) or "nothing was typed\n")

    def replay(self, profile: Any = None) -> None:
        """Run the typed statements on another machine.

        Print the statements with different answers.

        Args:
            profile: The profile of the other machine: a name, or the path of a TOML file.
        """
        if self.again is None:
            sys.stdout.write("replay" + NO_MACHINE)
            return
        with self.again(*[] if profile is None else [profile]) as machine:
            other = Prompt(machine)
            other.repeat(self.typed)
        differing = [(one, two) for one, two in zip(self.typed, other.typed, strict=True) if one.said != two.said]
        for one, two in differing:
            sys.stdout.write(f"{one.source.rstrip()}\n  here: {one.said}\n  on {machine.profile.name}: {two.said}\n")
        sys.stdout.write(f"{len(self.typed)} statements on {machine.profile.name}, {len(differing)} differ\n")

    def repeat(self, typed: Iterable[Typed]) -> None:
        """Run statements without printing."""
        before, sys.displayhook = sys.displayhook, lambda _: None
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                for one in typed:
                    single = len(ast.parse(one.source).body) == 1  # a cell of IPython may have several
                    self.runsource(one.source, symbol="single" if single else "exec")
        finally:
            sys.displayhook = before

    def save(self, path: str) -> None:
        """Write the typed statements to a file as a test that asserts the printed codes."""
        text = as_test(self.typed, self.options)
        Path(path).write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote {path}: pytest {path}\n")

    def runsource(self, source: str, filename: str = "", symbol: str = "single") -> bool:  # noqa: ARG002 - as in the base class
        """Run typed source under its own file name.

        So an object's history can quote it.
        """
        self.raised = self.wrong = self.undone = False
        values: list[Any] = []
        before = sys.displayhook

        def display(value: Any) -> None:
            values.append(value)
            before(by_fields(value))

        sys.displayhook = display
        try:
            more = self._run(source, symbol)
        finally:
            sys.displayhook = before
        if not (more or self.undone or self.wrong) and source.strip():
            self.keep(self.told(source, values[-1] if len(values) == 1 else None))
        return more

    def told(self, source: str, answer: Any) -> Typed:
        """Return a statement with its answer, or with its exception if ``raised`` is true."""
        if self.raised:
            return Typed(source, said=type(sys.last_value).__name__, raised=True)
        if isinstance(answer, tuple) and answer and isinstance(answer[0], int):
            return Typed(source, int(answer[0]), getattr(answer[0], "name", str(answer[0])))
        return Typed(source)

    def keep(self, one: Typed) -> None:
        """Keep a statement for ``save``, ``undo`` and ``replay``.

        A statement that only queries the prompt is not kept.
        """
        if not one.asks:
            self.typed.append(one)

    def _run(self, source: str, symbol: str) -> bool:
        filename = f"<input {self.number}>"
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
        more = super().runsource(source, filename, symbol)
        self.number += not more and bool(source.strip())
        return more

    def showtraceback(self) -> None:
        """Print an exception. fakecuda's own exceptions have no traceback."""
        self.failed = self.raised = True
        error = sys.exc_info()[1]
        sys.last_value = error
        if isinstance(error, FakeCudaError):
            self.write(without_own_frames(error) + "\n")
            return
        super().showtraceback()
        if found := meant(error, self.locals):
            self.write(f"did you mean: {', '.join(found)}\n")

    def showsyntaxerror(self, *args: Any, **options: Any) -> None:
        """Print a syntax error."""
        self.failed = self.wrong = True
        super().showsyntaxerror(*args, **options)

    def feed(self, lines: Iterable[str]) -> None:
        """Run statements as they arrive.

        Unlike at a terminal, a block needs no empty line at its end.
        """
        for line in lines:
            if self.buffer and _complete("\n".join([*self.buffer, ""])):
                if not line.strip():
                    continue
                if not line[0].isspace() and not CONTINUES.match(line):
                    self.push("")
            self.push(line.removesuffix("\n"))
            sys.stdout.flush()
        if self.buffer:
            self.push("")

    def run(self, *, plain: bool = False) -> int:
        """Read statements from a terminal or a pipe.

        Return 1 if a piped statement raised an exception.

        Args:
            plain: Use Python's own prompt even if IPython is installed.
        """
        if not sys.stdin.isatty():
            self.feed(sys.stdin)
            return int(self.failed)
        if not plain and importlib.util.find_spec("IPython"):
            from fakecuda.prompt.ipython import talk  # noqa: PLC0415 - needs an extra

            talk(self)
            return 0
        Keyboard(self).attach()
        self.interact(self.banner(), "")
        return 0

    def banner(self) -> str:
        """Return the first lines of the prompt."""
        try:
            title = f"fakecuda {version('fakecuda')}"
        except PackageNotFoundError:
            title = "fakecuda"
        profile = self.machine.profile
        cards = f"{len(profile.devices)} x {profile.devices[0].name}" if profile.devices else "no card"
        return (
            f"{title}, machine {profile.name}: {cards} ({profile.origin}), processes a and b\n"
            'Call a.driver.cuInit(0); then why(), show(), history(), help("cuMemAlloc").\n'
            "Tab completes calls, enums, live handles and addresses; ctrl-D ends."
        )


def _complete(source: str) -> bool:
    with contextlib.suppress(SyntaxError, ValueError, OverflowError):
        return codeop.compile_command(source) is not None
    return False
