"""A newcomer's commands in CPU seconds, with those of their children, their limits, and what they took before.

A host's speed changes by a factor of two within minutes, so each command runs in turns with a loop of Python. The commands
are cold: this clone's files of bytecode are removed before a long one, and no code is kept from earlier runs. The imports of
the short ones are cached, and the best of several runs counts.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from attrs import asdict, frozen

import fakecuda
from fakecuda.reach.remote.linked.build import CACHE

from .effort import EFFORT
from .measure import cached, of_children, spent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).parents[1]
HISTORY = Path(__file__).with_name("history.jsonl")
"""Each figure that ``--commands`` took, oldest first. It is committed."""
LOOP = ("-c", "number = 0\nfor step in range(10_000_000): number = number * 31 + step & 0xFFFF")
"""A program whose CPU time says how fast the machine is meanwhile."""
USUAL = 0.6
"""The CPU time of the loop in seconds on a machine on which the limits in seconds hold. On a slower one its multiples hold."""
RUNS = 7
NOTHING = ("-c", "pass")
BINDINGS = ("-c", "import cuda.bindings.driver")
MACHINE = "import fakecuda; fakecuda.Machine()"
INSTALLED = "import fakecuda; fakecuda.simulate().__enter__()"
CHILD = "import ctypes; assert ctypes.CDLL('libcuda.so.1').cuInit(0) == 0"


@frozen
class Command:
    """A command line of Python that is held against a limit.

    Attributes:
        what: What it is, for the table.
        arguments: The interpreter's arguments.
        limit: The maximum CPU time in seconds.
        beyond: Arguments of an interpreter whose time is taken off; none for the whole time.
        attached: Whether it is a child of a process with a machine.
        long: Whether it takes minutes: it runs once, cold.
    """

    what: str
    arguments: tuple[str, ...]
    limit: float
    beyond: tuple[str, ...] = ()
    attached: bool = False
    long: bool = False


COMMANDS = {
    "help": Command("python -m fakecuda --help", ("-m", "fakecuda", "--help"), 0.1),
    "machine": Command("the first machine - import cuda.bindings", ("-c", MACHINE), 0.25, BINDINGS),
    "installed": Command("the same, installed - import cuda.bindings", ("-c", INSTALLED), 0.25, BINDINGS),
    "child": Command("a child's first call - its interpreter", ("-c", CHILD), 0.2, NOTHING, attached=True),
    "prompt": Command("python -m fakecuda, to the first prompt", ("-m", "fakecuda"), 0.35),
    "evidence": Command(
        "python -m fakecuda rules --evidence", ("-m", "fakecuda", "rules", "--evidence", "PEER_IS_NOT_ENABLED"), 2.0
    ),
    "sample": Command(
        "python -m fakecuda conform, to its verdict", ("-m", "fakecuda", "conform", "--quick"), 10.0, long=True
    ),
    "conform": Command("python -m fakecuda conform", ("-m", "fakecuda", "conform"), 60.0, long=True),
    "tests": Command("the tests", ("-m", "pytest", "-q", "-n", "auto"), 480.0, long=True),
}


@frozen
class Figure:
    """What a command took: a line of the history.

    Attributes:
        name: The command's, of :data:`COMMANDS`.
        seconds: Its CPU time with that of its children.
        loop: The loop's CPU time meanwhile, in seconds.
        commit: What was checked out; with ``+`` if files differ from it.
        status: Its exit status.
    """

    name: str
    seconds: float
    loop: float
    commit: str
    status: int = 0

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s = {self.loops:.2f} loops"

    @property
    def loops(self) -> float:
        """Its time as a multiple of the loop's."""
        return self.seconds / self.loop

    @property
    def limit(self) -> str:
        """Its limits, as text."""
        return f"{COMMANDS[self.name].limit:g} s or {COMMANDS[self.name].limit / USUAL:.2f} loops"

    @property
    def within(self) -> bool:
        """Whether it ended well, within its limit in seconds or in loops: whichever the machine's speed makes the larger."""
        return not self.status and self.seconds <= COMMANDS[self.name].limit * max(1, self.loop / USUAL)


def figures(names: Sequence[str]) -> Iterator[Figure]:
    """Yield the figures of commands: the short ones first, in turns, then the long ones.

    Args:
        names: Keys of :data:`COMMANDS`.
    """
    commit = _commit()
    short = [name for name in names if not COMMANDS[name].long]
    for name, seconds, loop in _short(short) if short else ():
        yield Figure(name, seconds, loop, commit)
    for name in names:
        if COMMANDS[name].long:
            yield _long(name, commit)


def _short(names: Sequence[str]) -> Iterator[tuple[str, float, float]]:
    """Yield the best time of each, and of the loop between them."""
    plain = cached()
    with fakecuda.simulate():
        attached = cached()
        beyond = {COMMANDS[name].beyond: plain for name in names if COMMANDS[name].beyond}
        environs = (
            {LOOP: plain}
            | beyond
            | {COMMANDS[name].arguments: attached if COMMANDS[name].attached else plain for name in names}
        )
        best = dict.fromkeys(environs, math.inf)
        for _ in range(EFFORT.of(RUNS) + 1):  # the first round writes the files of bytecode
            for arguments, environ in environs.items():
                best[arguments] = min(best[arguments], spent(*arguments, environ=environ))
    best[()] = 0.0
    for name in names:
        yield name, best[COMMANDS[name].arguments] - best[COMMANDS[name].beyond], best[LOOP]


def _long(name: str, commit: str) -> Figure:
    """Return the figure of a command that runs once, between two loops, in a clone that looks fresh."""
    for top in {Path(line).parts[0] for line in _git("ls-files", "*.py")}:
        for folder in (ROOT / top).rglob("__pycache__"):
            shutil.rmtree(folder, ignore_errors=True)
    with TemporaryDirectory() as empty:
        before, begun = spent(*LOOP), of_children()
        command = [sys.executable, *COMMANDS[name].arguments]
        ended = subprocess.run(command, cwd=ROOT, env=cached() | {CACHE: empty}, check=False)  # noqa: S603 - our own
        taken = of_children() - begun
    return Figure(name, taken, (before + spent(*LOOP)) / 2, commit, ended.returncode)


def _commit() -> str:
    """Return what is checked out; the history itself differs from it after each run."""
    changed = _git("status", "--porcelain", "-uno", "--", ".", f":!{HISTORY.relative_to(ROOT)}")
    return "".join(_git("rev-parse", "--short", "HEAD")) + "+" * bool(changed)


def _git(*arguments: str) -> list[str]:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()  # noqa: S603 - git, from the path


def before(name: str) -> str:
    """Return what the history says of a command: its last figure, and the best in loops."""
    lines = HISTORY.read_text().splitlines() if HISTORY.exists() else []
    known = [Figure(**line) for line in map(json.loads, lines) if line["name"] == name and not line["status"]]
    if not known:
        return ""
    last, best = known[-1], min(known, key=lambda one: one.loops)
    return f"{last} ({last.commit}), best {best.loops:.2f} loops ({best.commit}) of {len(known)}"


def keep(figure: Figure) -> None:
    """Add a figure to the history."""
    entry: dict[str, Any] = asdict(figure) | {"seconds": round(figure.seconds, 3), "loop": round(figure.loop, 3)}
    with HISTORY.open("a") as file:
        file.write(json.dumps(entry) + os.linesep)
