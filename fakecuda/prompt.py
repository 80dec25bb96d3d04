"""The prompt: a machine with two processes at hand, and words to ask it.

``python -m fakecuda`` opens it. ``rules()`` lists what a call checks, ``why()`` tells why the last failing call
failed, ``show()`` prints the state of the machine. Fed from a pipe it runs each statement and prints its result alone.
"""

from __future__ import annotations

import code
import codeop
import contextlib
import difflib
import linecache
import re
import rlcompleter
import shutil
import sys
import textwrap
from enum import IntEnum
from importlib.metadata import PackageNotFoundError, version
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import fakecuda
from fakecuda.api import CALLS, ENUMS
from fakecuda.errors import FakeCudaError
from fakecuda.ledger import cited, modelled, pairs, summary
from fakecuda.model.memory import Allocation, Import
from fakecuda.model.process import DEINITIALIZED, NOT_INITIALIZED, READY
from fakecuda.rule import OPS

try:
    import readline
except ImportError:  # pragma: no cover - built without it
    readline = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fakecuda.ledger import Row
    from fakecuda.simulated import Machine, Process

    Rows = Iterable[Sequence[str]]

GAP = "  "
NARROWEST = 8
LONG = 1_000_000
STATES = {NOT_INITIALIZED: "not initialised", READY: "ready", DEINITIALIZED: "torn down"}
CONTINUES = re.compile(r"(elif|else|except|finally)\b|[)\]}#]")
OWN_FRAME = re.compile(r"<frozen |/code\.py:|/fakecuda/(__main__|prompt)\.py:|/bin/fakecuda:")


def table(head: Sequence[str], rows: Iterable[Sequence[str] | str], width: int | None = None) -> str:
    """Return an aligned table that fits the terminal.

    Args:
        head: The columns' titles.
        rows: Cells by row, which may have several lines; a plain string is a line of its own.
        width: Columns of text at the most; the terminal's by default.
    """
    width = width or shutil.get_terminal_size().columns
    body = list(rows)
    lines = [[cell.split("\n") for cell in row] for row in [head, *body] if not isinstance(row, str)]
    widths = [max(len(line) for row in lines for line in row[column]) for column in range(len(head))]
    while sum(widths) + len(GAP) * (len(widths) - 1) > width and max(widths) > NARROWEST:
        widths[widths.index(max(widths))] -= 1
    text = []
    for row in [head, *body]:
        if isinstance(row, str):
            text.append(row)
            continue
        cells = [
            [part for line in cell.split("\n") for part in textwrap.wrap(line, size, break_on_hyphens=False) or [""]]
            for cell, size in zip(row, widths, strict=True)
        ]
        lines_of = zip_longest(*cells, fillvalue="")
        text += [GAP.join(map(str.ljust, parts, widths)).rstrip() for parts in lines_of]
    return "\n".join(text)


def nearest(name: str, names: Iterable[str], what: str) -> str:
    """Return one line that says that there is no such name, and which ones are near."""
    names = list(names)
    lower = {known.lower(): known for known in names}
    near = [lower[found] for found in difflib.get_close_matches(name.lower(), lower, 3, 0.5)]
    return f"{name!r} is no {what}; " + (f"near it: {', '.join(near)}" if near else f"one of: {', '.join(names)}")


def rules_of(function: str | None) -> list[Row]:
    """Return the ledger's rows of a function, of every modelled one for None.

    Raises:
        LookupError: The function is unknown or not modelled; the text says so in one line.
    """
    if function is None or function in OPS:
        return pairs(*[function] if function else [])
    if function in CALLS:
        msg = f"{function} is not modelled yet: it answers CUDA_ERROR_NOT_SUPPORTED"
    else:
        msg = nearest(function, modelled(), "function of the driver API") if function else "no function is named"
    raise LookupError(msg)


def rules_text(rows: list[Row], width: int | None = None) -> str:
    """Return the ledger's rows as a table under their functions, with a line that counts them."""
    width = width or shutil.get_terminal_size().columns

    def cells(row: Row) -> tuple[str, str, str]:
        said = [row.rule.statement, row.rule.id] if row.rule else []
        if row.status != "broken":
            answers = (
                f" (the driver answers {row.entry.answers.name})" if row.entry and row.entry.answers is not None else ""
            )
            said.append(row.status + answers + (f": {row.reason}" if row.reason else ""))
        return GAP + row.code.name, row.grade, "\n".join(said)

    body: list[Sequence[str] | str] = []
    for number, row in enumerate(rows):
        if number == 0 or rows[number - 1].function != row.function:
            body += ["", row.function]
        body.append(cells(row))
    return table(("  code", "grade", "rule"), body, width) + "\n\n" + textwrap.fill(summary(rows), width)


def why_text(machine: Machine, n: int = -1) -> str:
    """Return why a call failed: the rule, its code and source, and the state that broke it.

    Args:
        machine: The machine.
        n: Which failing call: -1 is the last, 0 the first that the machine remembers.
    """
    failed = [record for record in machine.log if record.rule is not None]
    if not -len(failed) <= n < len(failed):
        if not failed:
            return "no call has broken a rule"
        return f"{len(failed)} calls have broken a rule: why(-1) is about the last, why(-{len(failed)}) about the first"
    record = failed[n]
    rule = record.rule
    assert rule is not None
    lines = [
        str(record).removesuffix(f"  [{rule.id}]"),
        f"  rule       {rule.id}",
        f"  statement  {rule.statement}",
        f"  code       {rule.code.cname}",
        f"  source     {cited(rule)}",
        f"  grade      {rule.grade}",
    ]
    for name, value in (record.facts or {}).items():
        lines.append(f"  state      {name.replace('_', ' ')}: {_shown(value)}")
        lines += [f"             {GAP}{line}" for line in _history(value)]
    return "\n".join(lines)


def _shown(value: Any) -> str:  # noqa: ANN401 - any fact
    if value is None:
        return "nothing"
    if isinstance(value, int) and value > 0xFFFF:  # noqa: PLR2004 - addresses in hex
        return f"{value:#x} ({value})"
    if isinstance(value, frozenset):
        return ", ".join(sorted(map(str, value)))
    return str(value)


def _history(value: Any) -> list[str]:  # noqa: ANN401 - any fact
    """Return an object's history without the prompt's own frames; what was typed stands beside its number."""
    told = getattr(value, "history", None)
    lines = []
    for line in told() if told else ():
        if OWN_FRAME.search(line):
            continue
        typed = re.search(r"(<input \d+>):(\d+)", line)
        source = linecache.getline(typed[1], int(typed[2])).strip() if typed else ""
        lines.append(line.replace(" in <module>", f": {source}") if source else line)
    return lines


def _devices(machine: Machine) -> Rows:
    for device in machine.devices:
        memory = device.memory
        yield str(device.ordinal), device.profile.name, device.profile.pci, _size(memory.used), _size(memory.total)


def _ipc(machine: Machine) -> Rows:
    for share in machine.shares.values():
        openers = [
            f"{item.context.process.name} at {item.start:#x}, {_times(item.references)}" for item in share.importers
        ]
        where = share.process.name, hex(share.allocation.start), "live" if share.live else "freed"
        yield f"{share.handle[:6].hex()}…", *where, "\n".join(openers) or "nobody"


def _processes(process: Process) -> Rows:
    held = (process.contexts, process.memory, process.reservations, process.handles)
    yield STATES[process.state] if process.alive else "ended", *(str(len(item)) for item in held)


def _contexts(process: Process) -> Rows:
    for context in (*process.contexts.values(), *process.dead_contexts.values()):
        kind = "primary" if context.primary else "created"
        if context.destroyed:
            kind += ", destroyed"
        elif context.primary:
            kind += f", retained {_times(process.primaries[context.device.ordinal].references)}"
        yield hex(context.handle), str(context.device), kind, hex(context.flags), str(len(context.allocations))


def _threads(process: Process) -> Rows:
    for thread in process.threads.values():
        stack = [hex(context.handle) + " destroyed" * context.destroyed for context in reversed(thread.stack)]
        yield thread.name, ", below it ".join(stack) or "none"


def _memory(process: Process) -> Rows:
    for item in sorted(process.memory, key=lambda item: item.start):
        if isinstance(item, Allocation):
            kind, detail = "allocation", f"context {item.context.handle:#x}"
        elif isinstance(item, Import):
            kind, detail = "IPC mapping", f"of process {item.share.process.name}, opened {_times(item.references)}"
        else:
            access = ", ".join(f"device {device}: {flags}" for device, flags in sorted(item.access.items()))
            kind, detail = "mapping", f"handle {item.handle.value:#x}, access {access or 'none'}"
        yield hex(item.start), _size(item.size), kind, str(item.device), detail


def _reservations(process: Process) -> Rows:
    for item in sorted(process.reservations, key=lambda item: item.start):
        mapped = sum(mapping.size for mapping in item.mappings)
        yield hex(item.start), _size(item.size), _size(mapped), str(len(item.mappings))


def _handles(process: Process) -> Rows:
    for item in process.handles.values():
        physical = item.physical
        yield hex(item.value), _size(physical.size), str(physical.device), str(item.references), str(item.mappings)


def _peers(process: Process) -> Rows:
    for context in process.contexts.values():
        for peer in sorted(context.peers, key=lambda peer: peer.handle):
            yield hex(context.handle), str(context.device), hex(peer.handle), str(peer.device)


def _each(rows_of: Callable[[Process], Rows]) -> Callable[[Machine], Rows]:
    """Return the rows of every process of a machine, the process's name first."""
    return lambda machine: ((process.name, *row) for process in machine.processes.values() for row in rows_of(process))


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _size(count: int) -> str:
    """Return bytes as text in the largest unit that divides them, roughly where the number would be long."""
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)):
        if count >= size and count % size == 0 and count // size < LONG:
            return f"{count // size} {unit}"
    return f"~{count / (1 << 30):.1f} GiB" if count else "0"


TABLES: dict[str, tuple[tuple[str, ...], Callable[[Machine], Rows]]] = {
    "devices": (("device", "name", "PCI", "used", "memory"), _devices),
    "processes": (("process", "driver", "contexts", "ranges", "reservations", "handles"), _each(_processes)),
    "contexts": (("process", "context", "device", "kind", "flags", "allocations"), _each(_contexts)),
    "threads": (("process", "thread", "current context"), _each(_threads)),
    "memory": (("process", "address", "size", "kind", "device", "detail"), _each(_memory)),
    "reservations": (("process", "address", "size", "mapped", "mappings"), _each(_reservations)),
    "handles": (("process", "allocation handle", "size", "device", "references", "mappings"), _each(_handles)),
    "ipc": (("IPC handle", "exporter", "address", "state", "opened by"), _ipc),
    "peers": (("process", "context", "of", "may access", "of"), _each(_peers)),
}
"""What ``show`` shows: titles and rows by name."""


def show_text(machine: Machine, what: str | None = None, width: int | None = None) -> str:
    """Return the machine's state as tables: one by name, or all that are not empty."""
    if what is not None and what not in TABLES:
        return nearest(what, TABLES, "table")
    parts = []
    for name in [what] if what else TABLES:
        head, rows_of = TABLES[name]
        with machine.lock:
            rows = list(rows_of(machine))
        if rows:
            parts.append((f"{name}\n" if what is None else "") + table(head, rows, width))
    return "\n\n".join(parts) or f"{what}: none"


class Completer(rlcompleter.Completer):
    """Completes names and attributes, and the functions of the driver API inside quotes."""

    def global_matches(self, text: str) -> list[str]:
        """Return what the word may become."""
        before = readline.get_line_buffer()[: readline.get_begidx()] if readline else ""
        if before.endswith(("'", '"')):
            return [name for name in (*modelled(), *TABLES) if name.startswith(text)]
        return super().global_matches(text)


class Prompt(code.InteractiveConsole):
    """A prompt over a machine.

    Args:
        machine: The machine; processes ``a`` and ``b`` are spawned on it.

    Attributes:
        failed: Whether a statement has raised.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.failed = False
        self.number = 1
        a, b = (machine.processes.get(name) or machine.spawn(name) for name in "ab")
        names: dict[str, Any] = {name: getattr(fakecuda, name) for name in fakecuda.__all__}
        names |= {name: IntEnum(name, members) for name, members in ENUMS.items() if members and name != "CUresult"}
        names |= {"__name__": "__main__", "fakecuda": fakecuda, "machine": machine, "a": a, "b": b}
        names |= {"driver": a.driver, "c": a.c, "rules": self.rules, "why": self.why, "show": self.show}
        super().__init__(names)

    def rules(self, function: str | None = None) -> None:
        """Print the rules of a function in the order of their checks; of every function by default."""
        try:
            text = rules_text(rules_of(function))
        except LookupError as error:
            text = str(error)
        sys.stdout.write(text + "\n")

    def why(self, n: int = -1) -> None:
        """Print why the last failing call failed; ``why(-2)`` tells of the one before it."""
        sys.stdout.write(why_text(self.machine, n) + "\n")

    def show(self, what: str | None = None) -> None:
        """Print the machine's state; ``show("memory")`` prints one table of it."""
        sys.stdout.write(show_text(self.machine, what) + "\n")

    def runsource(self, source: str, filename: str = "", symbol: str = "single") -> bool:
        """Run what was typed under a name of its own, so that an object's history can quote it."""
        filename = f"<input {self.number}>"
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
        more = super().runsource(source, filename, symbol)
        self.number += not more and bool(source.strip())
        return more

    def showtraceback(self) -> None:
        """Print an exception; one of fakecuda's own says all in its text."""
        self.failed = True
        error = sys.exc_info()[1]
        if isinstance(error, FakeCudaError):
            self.write(f"{type(error).__name__}: {error}\n")
        else:
            super().showtraceback()

    def showsyntaxerror(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - differs between versions
        """Print a syntax error."""
        self.failed = True
        super().showsyntaxerror(*args, **options)

    def feed(self, lines: Iterable[str]) -> None:
        """Run statements as they arrive; unlike at a terminal, no empty line is needed to end a block."""
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

    def run(self) -> int:
        """Talk to the terminal, or run what a pipe brings; return 1 when a piped statement has raised."""
        if not sys.stdin.isatty():
            self.feed(sys.stdin)
            return int(self.failed)
        if readline:
            readline.set_completer(Completer(self.locals).complete)
            libedit = "libedit" in (readline.__doc__ or "")
            readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
        self.interact(self._banner(), "")
        return 0

    def _banner(self) -> str:
        try:
            title = f"fakecuda {version('fakecuda')}"
        except PackageNotFoundError:
            title = "fakecuda"
        profile = self.machine.profile
        cards = f"{len(profile.devices)} x {profile.devices[0].name}" if profile.devices else "no card"
        return (
            f"{title}: machine {profile.name} ({cards}, {profile.origin}), processes a and b\n"
            'Try a.c.cuMemAlloc(4096), then why(), rules("cuMemAlloc"), show(). Tab completes, ctrl-D ends.'
        )


def _complete(source: str) -> bool:
    with contextlib.suppress(SyntaxError, ValueError, OverflowError):
        return codeop.compile_command(source) is not None
    return False
