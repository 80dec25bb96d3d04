"""The console: a machine with two processes, for typed or piped statements."""

from __future__ import annotations

import ast
import code
import codeop
import contextlib
import importlib.util
import io
import linecache
import re
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fakecuda
from fakecuda.errors import FakeCudaError
from fakecuda.prompt.change import Watch
from fakecuda.prompt.names import FUNCTIONS, OBJECTS, Scope, late, names_text
from fakecuda.prompt.record import Calls
from fakecuda.prompt.session import Typed, split, typed
from fakecuda.prompt.shown import by_fields, meant, say, without_own_frames
from fakecuda.prompt.terminal import Keyboard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fakecuda.machine.machine import Machine

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
        error: The exception of the last statement. None without one.
        latest: The last statement.
        typed: The typed statements.
        scope: The names of statements.
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
        self.failed = self.wrong = self.undone = False
        self.error: BaseException | None = None
        self.latest = Typed("")
        self.number = 1
        self.typed: list[Typed] = []
        self.scope = Scope()
        super().__init__(self.scope)
        self._begin(machine)
        self.given = {*self.scope, *self.scope.late}

    def _begin(self, machine: Machine) -> None:
        """Start with a machine, and give the names of statements their first values."""
        self.machine = machine
        self.calls = Calls(machine)
        a, b = (machine.processes.get(name) or machine.spawn(name) for name in "ab")
        for name in self.scope.late:
            self.scope.pop(name, None)
        self.scope.late = late(a)
        values = {"machine": machine, "a": a, "b": b, "fakecuda": fakecuda, "__name__": "__main__"}
        self.scope.update(values | {name: getattr(self, name) for name in FUNCTIONS})
        for name in self.scope.late.keys() & {*OBJECTS, *FUNCTIONS} - {"driver"}:
            del self.scope.late[name]

    @property
    def mark(self) -> str:
        """The text before the current input line."""
        return str(getattr(sys, "ps2", "... ") if self.buffer else getattr(sys, "ps1", ">>> "))

    def rules(self, function: str | None = None) -> None:
        """Print the rules of a function in the order of their checks.

        By default, print the rules of all functions.
        """
        from fakecuda.prompt.rules import rules_of, rules_text  # noqa: PLC0415 - it loads the rules of all calls

        try:
            text = rules_text(rules_of(function))
        except LookupError as error:
            text = str(error)
        say(text)

    def help(self, *what: Any) -> None:
        """Print the names at the prompt; of a call, its signature, manual and rules; of other objects, Python's help."""
        if not what:
            say(names_text())
            return
        from fakecuda.prompt.manual import call_of, help_text  # noqa: PLC0415 - it loads the rules of all calls

        call = call_of(what[0])
        if call is None:
            pydoc = importlib.import_module("pydoc")
            pydoc.help(*what)
        else:
            say(help_text(call))

    def why(self, what: Any = -1) -> None:
        """Print why the last call was refused, or the last finding.

        Args:
            what: A number of a call, or -2 for the failure before the last. A call, by its name or the function: its last
                failure. A code: the last call that answered it. The id of a rule. A finding.
        """
        from fakecuda.prompt.why import why_text  # noqa: PLC0415 - it loads the rules of all calls

        say(why_text(self.calls, what))

    def show(self, what: Any = "overview", *, svg: str = "", timeline: bool = False) -> None:
        """Print the machine's state.

        Args:
            what: A topic, such as ``"va"``. A process. An object: its address, its handle, or the number of a device.
            svg: A file for a picture of the machine, in addition.
            timeline: Draw the calls in their order instead, with a row for each stream.
        """
        if svg:
            self.machine.draw(timeline=timeline).save(svg)
        from fakecuda.prompt.show import show_text  # noqa: PLC0415 - the first question loads it

        say(show_text(self.machine, what))

    def history(self, what: Any = 20) -> None:
        """Print the last calls.

        ``history(5)`` prints five calls, ``history(p)`` those that mention p's object.
        """
        from fakecuda.prompt.calls import history_text  # noqa: PLC0415 - the first question loads it

        say(history_text(self.calls, what, self.scope))

    def undo(self, count: int = 1) -> None:
        """Undo the last statements that changed the machine, and print them.

        The earlier statements run again on a new machine. Their effects on files or other machines happen twice. Later
        statements are taken back, too, if they made calls. Later plain Python stays, if it still runs.

        Args:
            count: The number of statements that changed the machine, at least 1.
        """
        if self.again is None:
            sys.stdout.write("undo" + NO_MACHINE)
            return
        self.undone = True
        if not isinstance(count, int) or count < 1:
            sys.stdout.write(f"undo({count!r}): write the number of statements to undo, at least 1\n")
            return
        kept, gone = split(self.typed, count)
        if not gone:
            sys.stdout.write("nothing to undo: no statement has changed the machine\n")
            return
        self.machine.close()
        for name in self.scope.keys() - self.given:
            del self.scope[name]
        self._begin(self.again())
        self.typed = []
        self.repeat(kept)
        lost = [one for one in gone if not one.done.changed and not (one.plain and self._runs(one))]
        self.undone = True
        undone = [f"undone: {one.source.rstrip()}\n" for one in reversed(gone) if one.done.changed]
        sys.stdout.write("".join(undone))
        sys.stdout.write("".join(f"gone, too, though it changed nothing: {one.source.rstrip()}\n" for one in lost))

    def _runs(self, one: Typed) -> bool:
        """Run a statement of plain Python again; return whether it still runs."""
        before = len(self.typed)
        self.repeat([one])
        if self.latest.error is not None:
            del self.typed[before:]
        return self.latest.error is None

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
            differing = []
            for one in self.typed:
                other.repeat([one])
                if one.said != other.latest.said:
                    differing.append((one, other.latest))
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
        """Write the typed statements to a file, as a test that asserts the codes of their calls, and run it once.

        Left out are statements that only look at something, and wrong Python. If the test fails, the file's last lines say
        what differs.

        Args:
            path: The file.
        """
        from fakecuda.prompt.saved import as_test, write  # noqa: PLC0415 - few sessions are saved

        saved = as_test(self.typed, self.options)
        lines = [*saved.notes, *write(saved, Path(path))]
        sys.stdout.write("".join(f"{line}\n" for line in lines))

    def runsource(self, source: str, filename: str = "", symbol: str = "single") -> bool:  # noqa: ARG002 - as in the base class
        """Run typed source under its own file name.

        So an object's history can quote it.
        """
        self.wrong = False
        watch = self.begin()
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
            done = watch.end()
        if not (more or self.undone or self.wrong) and source.strip():
            self.keep(typed(source, values[-1] if len(values) == 1 else None, done, self))
        return more

    def begin(self) -> Watch:
        """Note the state before a statement, and watch what the statement does."""
        self.error, self.undone = None, False
        self.before = dict(self.scope)
        return Watch(self.calls)

    def bound(self) -> list[str]:
        """Return the names to which the current statement gave a value. Names that begin with ``_`` are Python's or IPython's."""
        none = object()
        new = [name for name, value in self.scope.items() if self.before.get(name, none) is not value]
        return [name for name in new if name not in self.scope.late and not name.startswith("_")]

    def keep(self, one: Typed) -> None:
        """Keep a statement for ``save``, ``undo`` and ``replay``.

        A statement that only queries the prompt is not kept, nor is wrong Python that changed nothing.
        """
        self.latest = one
        own = [name for name in FUNCTIONS if self.scope.get(name) == getattr(self, name)]
        if not (one.asks(own) or one.failed):
            self.typed.append(one)

    def _run(self, source: str, symbol: str) -> bool:
        filename = f"<input {self.number}>"
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
        more = super().runsource(source, filename, symbol)
        self.number += not more and bool(source.strip())
        return more

    def showtraceback(self) -> None:
        """Print an exception. fakecuda's own exceptions have no traceback."""
        self.failed = True
        error = self.error = sys.exc_info()[1]
        if isinstance(error, FakeCudaError):
            self.write(without_own_frames(error) + "\n")
            return
        super().showtraceback()
        self.scope.load()
        if found := meant(error, self.scope):
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
            "Call a.driver.cuInit(0); then show(), why(), history(), undo(), save('test.py').\n"
            "help() lists all names. Tab completes calls, enums, live handles, addresses.\n"
            "ctrl-D ends."
        )


def _complete(source: str) -> bool:
    with contextlib.suppress(SyntaxError, ValueError, OverflowError):
        return codeop.compile_command(source) is not None
    return False
