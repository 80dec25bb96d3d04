"""Programs with garbage for arguments: ``python -m conformance.fuzz.garbage [--seconds N] [--seed S] [--api A] [--door D]``.

A program is a few calls of the whole of an API. Some arguments are what a test would give; others are null, freed, of
another kind, out of range, too long, or no number at all. Each call answers with a code of its API, or raises what is
documented: what the binding raises for an argument that it cannot take, undefined behaviour, or an error of fakecuda's own.
Behind it the lock is free and the machine is whole. Whatever else comes, a crash included, is told with the program's seed,
and the program is made shorter and printed as code. Programs run in a process of their own.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import mmap
import os
import subprocess
import sys
import time
import traceback
import warnings
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from attrs import define, field

import fakecuda
from conformance.fuzz.by_attached import NOT_MEANT, Attached
from conformance.fuzz.by_c import InC, Library, Stored, callable_by_c
from conformance.fuzz.nonsense import FUNCTION, HOST, Held, Made, Odd, Plain
from conformance.fuzz.nvml_in_c import Drawn
from conformance.fuzz.pages import free, guarded
from conformance.fuzz.prelude import PRELUDES, PROFILES
from conformance.fuzz.whole import harm
from fakecuda.errors import FakeCudaError, NotModelledWarning
from fakecuda.progress import each, say
from fakecuda.reach.remote.protocol import schema
from fakecuda.rules.registry import EVERY_API, api_of
from fakecuda.spec.descriptors import EXPORTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Line = tuple[str, tuple[Any, ...]]
    """A call and its arguments from :mod:`conformance.fuzz.nonsense`."""

APIS = EVERY_API
OWN_DRAWS: dict[str, type[Plain]] = {"nvml": Drawn}
"""Draws of plain arguments, for APIs whose values need more than their types."""
DRAWS: dict[str, type[Plain]] = {"look-alike": Odd, "operations": Plain, "native": InC, "attached": Plain}
DOORS = tuple(DRAWS)
CAP = 32 << 20
WORD = (1 << 64) - 1
NOWHERE = frozenset(
    {("forms", "look-alike"), ("forms", "native"), ("runtime", "native"), ("nvml", "native"), ("nvml", "look-alike")}
)
"""Doors that there are not, or that garbage does not use: libcudart calls the driver; NVML and older forms have no look-alike.

:mod:`conformance.fuzz.doors` makes calls of NVML by C.
"""
CALLS = 30
"""The number of calls of a program."""
MARK = "program "
CRASH = "FAKECUDA_GARBAGE_CRASH"
"""The environment variable with a seed at which the process crashes, for tests."""
SLICE = 25
"""The number of programs of a process."""
TIMEOUT = 60
"""Seconds after which a program hangs."""
OF_PYTHON = (AttributeError, BufferError, MemoryError, OverflowError, RuntimeError, TypeError, ValueError)
"""Exceptions of a binding for an unsuitable argument."""
PLAIN = frozenset({"operations", "attached"})
"""Doors that take plain values, as frames do."""
OWN = Path(fakecuda.__file__).parent
WITHIN = tuple(f"{OWN / name}{os.sep}" for name in ("rules", "model"))
"""Paths of code in which no argument may have a wrong type."""


class NonsenseError(Exception):
    """The exception of an argument that raises when it is read."""


class Raises:
    """An argument that raises when it is read."""

    def __int__(self) -> int:
        raise NonsenseError

    __index__ = __float__ = __len__ = __iter__ = __int__


class Answers:
    """An argument whose ``__int__`` returns a text."""

    def __int__(self) -> int:
        return "number"  # type: ignore[return-value]


class Index:
    """An argument with ``__index__`` but without ``__int__``."""

    def __index__(self) -> int:
        return 1


ODDITIES: dict[str, Callable[[], Any]] = {"Raises": Raises, "Answers": Answers, "Index": Index, "object": object}


@define(eq=False)
class World:
    """A machine with objects of every kind, and a door to it.

    Args:
        api: The API.
        door: The door.
        strict: Whether undefined behaviour is raised.
    """

    api: str
    door: str
    strict: bool
    machine: fakecuda.Machine = field(init=False)
    module: Any = field(init=False)
    held: dict[str, list[Any]] = field(factory=dict)
    pages: list[int] = field(factory=list)
    descriptors: list[int] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.machine = fakecuda.Machine(PROFILES[self.api], strict=self.strict, seed=0, memory_cap=CAP)
        self.machine.scheduler.census.alone = True  # who waits for another thread waits for ever
        here = self.machine.here
        self.module = getattr(here, self.api if self.door == "look-alike" else "c")
        self.pages = [guarded(mmap.PAGESIZE) for _ in range(2)]
        self.held[HOST] = [*self.pages]
        self.held[FUNCTION] = [here.c_function("abs")]
        if self.door == "attached":
            self.module = Attached(self.machine)
        calls = self.module if self.door == "attached" else here.c
        for name, args in PRELUDES[self.api]:
            answer = getattr(calls, name)(*self.resolve(args))
            assert answer[0] == 0, (name, answer)
            self._keep(name, args, answer)
        if self.door == "native":
            self.module = Library(self.api, self.machine)

    def close(self) -> None:
        """Close the machine, and release what the program held."""
        if self.door == "attached":
            self.module.end()
        self.machine.close()
        if self.door == "native":
            self.module.detach()
        for start in self.pages:
            free(start, mmap.PAGESIZE)
        for descriptor in self.descriptors:
            os.close(descriptor)

    def make(self, name: str, args: tuple[Any, ...]) -> str:
        """Make a call; return an error in its outcome, or nothing."""
        try:
            answer = getattr(self.module, name)(*self.resolve(args))
        except BaseException as error:  # noqa: BLE001 - whatever comes is judged
            return (not self._is_documented(error) and "".join(traceback.format_exception(error))) or self._harm()
        code = int(answer[0])
        if code not in APIS[self.api].names:
            return f"{name} answers {code}"
        if not code:
            self._keep(name, args, answer)
        return self._harm()

    def resolve(self, value: Any) -> Any:
        """Return the object or number of a drawn value in this world."""
        if type(value) in {tuple, list}:
            return type(value)(map(self.resolve, value))
        if isinstance(value, Held):
            return self._held(value)
        if isinstance(value, Stored):
            return Stored(tuple(word & WORD if type(word := self.resolve(one)) is int else 0 for one in value.words))
        if not isinstance(value, Made):
            return value
        if value.name in ODDITIES:
            return ODDITIES[value.name]()
        kind = getattr(self.module, value.name, None)
        if kind is None:
            return value.value
        if isinstance(value.value, int):
            try:
                return kind(value.value)
            except ValueError:  # the installed binding has no such member
                return value.value
        made = kind()
        for label, member in value.value or ():
            try:
                setattr(made, label, self.resolve(member))
            except (*OF_PYTHON, NonsenseError):
                continue
        return made

    def _held(self, what: Held) -> Any:
        items = self.held.get(what.kind) or (
            [item for items in self.held.values() for item in items] if not what.kind else []
        )
        found = items[what.number % len(items)] if items else 0
        if not what.plus and type(found) is not bytes:
            return found if self.door == "look-alike" else int(found)
        if isinstance(found, int):
            return int(found) + what.plus & (1 << 64) - 1
        return found

    def _keep(self, name: str, args: tuple[Any, ...], answer: tuple[Any, ...]) -> None:
        for param, value in zip(api_of(name).calls[name].outputs, answer[1:], strict=False):
            if value is not None and type(value) is not tuple and param.kind in {"integer", "bytes"}:
                self.held.setdefault(param.type, []).append(value)
                if param.type == "CUdeviceptr":
                    self.held.setdefault("void", []).append(value)
        if self.door == "attached":  # descriptors are that process's
            return
        if name in EXPORTS and type(answer[1]) is int and self.resolve(args[EXPORTS[name][0]]) == EXPORTS[name][1]:
            self.descriptors.append(answer[1])

    def _is_documented(self, error: BaseException) -> bool:
        if isinstance(error, FakeCudaError):
            return not isinstance(error, NOT_MEANT)
        if self.door != "look-alike" or not isinstance(error, (*OF_PYTHON, NonsenseError)):
            return False
        frames = traceback.extract_tb(error.__traceback__)
        return not any(frame.filename.startswith(WITHIN) for frame in frames)

    def _harm(self) -> str:
        """Return a failed invariant of a machine between two calls, or nothing."""
        return next(harm(self.machine), "") or ("" if gc.isenabled() else "the collector does not work")


def drawn(api: str, door: str) -> list[str]:
    """Return the names of the calls that programs make."""
    names = sorted(APIS[api].ops)
    return callable_by_c(api, names) if door == "native" else names


def lines(seed: int, api: str, door: str) -> tuple[bool, list[Line]]:
    """Return the program of a seed: whether its machine is strict, and its calls."""
    random = Random(f"{api} {door} {seed}")  # noqa: S311 - it draws programs
    calls, names = APIS[api].calls, drawn(api, door)
    draw = (OWN_DRAWS.get(api) or DRAWS[door])(random, APIS[api])
    program: list[Line] = []
    strict = random.random() < 0.5
    while len(program) < CALLS:
        name = random.choice(names)
        program.append((name, draw.arguments(calls[name])))
    return strict, program


def run(api: str, door: str, strict: bool, program: Sequence[Line]) -> tuple[int, str]:  # noqa: FBT001 - as it is printed
    """Make a program's calls in a new world; return their number, and the last error."""
    world = World(api, door, strict)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotModelledWarning)
            for count, (name, args) in enumerate(program, 1):
                if door not in PLAIN or fits(name, world.resolve(args)):
                    wrong = world.make(name, args)
                    if wrong:
                        return count, wrong
        return len(program), ""
    finally:
        world.close()


def fits(name: str, args: tuple[Any, ...]) -> bool:
    """Return whether arguments are numbers that their C types can hold."""
    try:
        schema.check(name, args)
    except schema.Unfit:
        return False
    return True


def shorter(program: list[Line], fails: Callable[[list[Line]], bool]) -> list[Line]:
    """Return a failing program in which each line is needed; the last line stays."""
    for place in reversed(range(len(program) - 1)):
        less = program[:place] + program[place + 1 :]
        if fails(less):
            program = less
    return program


def report(api: str, door: str, seed: int) -> str:
    """Run a seed's program; return an error with the shortened program, or nothing."""
    strict, program = lines(seed, api, door)
    count, wrong = run(api, door, strict, program)
    if not wrong:
        return ""
    last = wrong.splitlines()[-1]
    program = shorter(program[:count], lambda less: run(api, door, strict, less)[1].rstrip().endswith(last))
    wrong = run(api, door, strict, program)[1] or wrong
    shown = "".join(f"    {line!r},\n" for line in program)
    return (
        f"seed {seed} of {api} by {door}: {wrong.rstrip()}\n\n"
        "from conformance.fuzz.by_c import Room, Stored\nfrom conformance.fuzz.garbage import run\n"
        "from conformance.fuzz.nonsense import Held, Made\n\n"
        f"print(run({api!r}, {door!r}, {strict}, [\n{shown}])[1])\n"
    )


def inside(api: str, door: str, first: int, count: int) -> int:
    """Run programs in this process after printing each seed; return the failures."""
    failed = 0
    for seed in range(first, first + count):
        print(f"{MARK}{seed}", flush=True)
        faulthandler.dump_traceback_later(TIMEOUT, exit=True)
        if os.environ.get(CRASH) == str(seed):
            faulthandler._sigsegv()  # type: ignore[attr-defined]  # noqa: SLF001 - it is there for tests
        told = report(api, door, seed)
        faulthandler.cancel_dump_traceback_later()
        if told:
            failed += 1
            print(told, flush=True)
    return failed


def outside(api: str, door: str, first: int, count: int, is_over: Callable[[int], bool]) -> int:
    """Run programs in other processes; print errors and crashes, return the failures.

    Args:
        api: The API.
        door: The door.
        first: The first program's seed.
        count: How many programs a process runs.
        is_over: Tells, by the next seed, whether there are enough.
    """
    failed, seed = 0, first
    while not is_over(seed):
        command = [
            sys.executable,
            "-X",
            "faulthandler",
            "-m",
            "conformance.fuzz.garbage",
            "--inside",
            "--seed",
            str(seed),
        ]
        command += ["--api", api, "--door", door, "--programs", str(count)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - it is this module
        told = ended.stdout.splitlines()
        last = max((int(line.removeprefix(MARK)) for line in told if line.startswith(MARK)), default=seed)
        failed += sum(line.startswith("seed ") for line in told)
        say("".join(f"{line}\n" for line in told if not line.startswith(MARK)).rstrip())
        if ended.returncode not in {0, 1} or last < seed + count - 1:
            failed += 1
            say(f"seed {last} of {api} by {door}: ended by {ended.returncode}\n{ended.stderr}")
        seed = last + 1
    say(f"{api} by {door}: {seed - first} programs from seed {first}, {failed} failed")
    return failed


def main() -> int:
    """Run the command; return 1 if a program fails."""
    parser = argparse.ArgumentParser(prog="python -m conformance.fuzz.garbage", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--seconds", type=float, default=60, help="how long programs are drawn of each kind; 60 by default"
    )
    parser.add_argument("--programs", type=int, default=0, help="how many of each kind, at least, instead")
    parser.add_argument("--seed", type=int, default=0, help="the first program's; others follow")
    parser.add_argument("--api", choices=APIS, action="append", help="all by default")
    parser.add_argument("--door", choices=DOORS, action="append", help="all by default")
    parser.add_argument("--inside", action="store_true", help="in this process, which a crash ends")
    options = parser.parse_args()
    failed = 0
    asked = [(api, door) for api in options.api or APIS for door in options.door or DOORS if (api, door) not in NOWHERE]
    if options.inside:
        return bool(sum(inside(api, door, options.seed, options.programs) for api, door in asked))
    for api, door in each(asked, " by ".join):
        end = time.monotonic() + options.seconds
        last = options.seed + options.programs
        is_over = last.__le__ if options.programs else lambda _, end=end: time.monotonic() >= end
        failed += outside(api, door, options.seed, SLICE, is_over)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
