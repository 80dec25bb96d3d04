"""Calls that are interrupted at every instruction: ``python -m conformance.fuzz.interrupts [PATTERN] [--step N]``.

A valid call of each kind is made on the model while a trace function counts the instructions of every function of
fakecuda that it runs. At one of them

- a signal comes whose handler raises (``raises``), or makes calls itself (``calls``),
- the trace function raises, as that of a debugger does (``traced``),
- another thread has this one raise, as limits of time do (``thrown``),
- or an exception is raised there, as when memory or the stack runs out (``cut``).

Behind it the lock is free, the collector works, and the machine is as before the call or as after it. A call that is cut
may leave a machine that says so in answer to each further call.
"""

from __future__ import annotations

import _thread
import argparse
import ctypes
import dis
import gc
import os
import signal
import sys
from collections import Counter
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, field

import conformance
import fakecuda
from conformance.fuzz.trials import Trials
from conformance.fuzz.whole import harm, is_held
from conformance.kit.case import ENTRIES
from conformance.kit.program import Recorder
from conformance.kit.world import NotBuilt, Session, Unavailable
from fakecuda import profiles
from fakecuda.errors import MachineCorrupted
from fakecuda.model.os.interruption import is_torn
from fakecuda.progress import each, say
from fakecuda.rules.registry import HIP, NVML, api_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from types import FrameType

    from conformance.kit.case import Entry

KINDS = ("raises", "calls", "traced", "thrown", "cut")
"""The ways to interrupt a call."""
NOP = dis.opmap["NOP"]
HOSTED = {prefix + name for prefix in ("cu", "cuda", "hip") for name in ("LaunchHostFunc", "StreamAddCallback")}
"""Calls after which another thread acts at any time."""
SIGNAL = signal.SIGUSR1
HURRY = 0.001
"""Seconds for another thread to raise an exception."""
bare = getattr(sys.settrace, "__wrapped__", sys.settrace)
"""The unwrapped ``sys.settrace``, whose function may raise inside a call."""
OWN = str(Path(fakecuda.__file__).parent)
sys._getframe().f_trace_opcodes = True  # noqa: SLF001 - Python 3.12 reports opcodes once a frame has asked for them


class Stop(BaseException):
    """The exception of handlers and of the trace function."""


@define
class Interrupter:
    """Interrupts calls, and counts instructions in ``seen``.

    Attributes:
        kind: How, one of ``KINDS``.
        at: At which instruction; 0 for none.
        calls: What a handler does that makes calls.
        seen: How many instructions there were.
        place: Where it came: a file, a function and a line.
    """

    kind: str
    at: int = 0
    calls: Callable[[], object] = field(default=lambda: None)
    seen: int = 0
    place: str = ""
    _throwing: Any = field(factory=_thread.allocate_lock)

    def make(self, call: Callable[[], Any]) -> Any:
        """Make a call; return its answer, or None after an exception."""
        self.seen, self.place = 0, ""
        trace = sys.settrace if self.kind == "traced" else bare
        before, collects, self._throwing = sys.gettrace(), gc.get_threshold(), _thread.allocate_lock()
        gc.set_threshold(0)  # finalisers of what was dropped elsewhere are no part of the call
        trace(self._enter)
        try:
            answer = call()
            self._throwing.acquire()  # what another thread raises comes here at the latest
        except Stop:
            return None
        else:
            return answer
        finally:
            trace(before)
            gc.set_threshold(*collects)

    def _enter(self, frame: FrameType, event: str, argument: object) -> Any:  # noqa: ARG002 - a trace function
        if not frame.f_code.co_filename.startswith(OWN):
            return None
        frame.f_trace_opcodes = True  # and lines, without which Python 3.13.0 leaves instructions out
        return self._step

    def _step(self, frame: FrameType, event: str, argument: object) -> Any:  # noqa: ARG002 - a trace function
        # The interpreter looks for signals at none of these, and does not guard all of them.
        if event == "opcode" and frame.f_code.co_code[frame.f_lasti] != NOP:
            self.seen += 1
            if self.seen == self.at:
                code = frame.f_code
                self.place = f"{code.co_filename.removeprefix(OWN)[1:]}:{frame.f_lineno} {code.co_name}"
                if self.kind in {"traced", "cut"}:
                    raise Stop
                if self.kind == "thrown":
                    self._throwing.acquire()
                    _thread.start_new_thread(throw, (_thread.get_ident(), self._throwing))
                    if self._throwing.acquire(timeout=HURRY):
                        self._throwing.release()
                else:
                    signal.raise_signal(SIGNAL)
        return self._step

    def handle(self, *_: object) -> None:
        """Act as the signal's handler."""
        if self.kind == "raises":
            raise Stop
        self.calls()


def throw(thread: int, done: _thread.LockType) -> None:
    """Have a thread raise an exception; a released lock signals the end."""
    try:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Stop))
    finally:
        done.release()


@define(eq=False)
class World:
    """A machine on which a valid call can be made."""

    machine: fakecuda.Machine
    process: Any
    call: Callable[[], tuple[Any, ...]]
    memory: tuple[str, str]

    @classmethod
    def of(cls, name: str) -> World:
        """Build a world.

        Args:
            name: The call.

        Raises:
            NotBuilt: The call cannot be made valid.
            Unavailable: The machine lacks what it needs.
        """
        of_hip = api_of(name) is HIP
        machine = fakecuda.Machine(profiles.load("hip-clr-2026" if of_hip else "h200-x2"), strict=False, seed=0)
        try:
            return cls._of_an_entry(
                ENTRIES[name], machine, ("hipMalloc", "hipFree") if of_hip else ("cuMemAlloc", "cuMemFree")
            )
        except BaseException:
            machine.close()
            raise

    @classmethod
    def _of_an_entry(cls, entry: Entry, machine: fakecuda.Machine, memory: tuple[str, str]) -> World:
        made = entry.valid(Session(Recorder(machine, entry.call)).world(entry.call))
        process: Any = machine.processes[made.process.name]
        values = list(made.args.values())
        calls = process.thread(made.thread).c
        null = {"null": made.null} if made.null else {}
        return cls(machine, process, lambda: getattr(calls, made.call)(*values, **null), memory)

    def use(self) -> None:
        """Make calls as a handler does."""
        allocate, free = (getattr(self.process.thread("main").c, name) for name in self.memory)
        code, pointer = allocate(512)
        if not code:
            assert free(pointer) == (0,)


def interrupt(call: str, kind: str, step: int, first: int = 1) -> Trials:
    """Interrupt a valid call at every n-th instruction.

    Args:
        call: The call.
        kind: How, one of ``KINDS``.
        step: Every how many.
        first: The first one.
    """
    trials, by = Trials(), Interrupter(kind)
    states = States.of(call, by)
    answer, count, world = states.answer, by.seen, None
    with handled(by):
        for at in range(first, count + 1, step):
            world = world or World.of(call)
            by.at, by.calls = at, world.use
            got = by.make(world.call)
            if not by.place:  # the first call of all runs more, which is what it imports
                break
            trials.counts["points"] += 1
            trials.counts["torn"] += is_torn(world.machine)
            wrong = [*_harm(world.machine, kind)]
            state = None if wrong or is_torn(world.machine) else world.machine.snapshot()
            if kind == "calls" and got[0] != answer[0]:
                wrong.append(f"answers {got} instead of {answer}")
            elif (
                kind != "calls"
                and call.removesuffix("_spt") not in HOSTED
                and state is not None
                and not states.has(state)
            ):
                wrong.append("is neither before the call nor behind it")
            trials.wrong += [f"{call}, {kind} at {at}, {by.place}: {line}" for line in wrong]
            if kind == "calls" or state is None or not states.is_before(state):
                gc.enable()
                world.machine.close()
                world = None
    if world is not None:
        world.machine.close()
    return trials


@define
class States:
    """The states of a machine before and after a call.

    Attributes:
        answer: What the call answers.
    """

    answer: Any
    _before: tuple[list[Any], list[Any]]
    _after: tuple[list[Any], list[Any]]

    @classmethod
    def of(cls, call: str, by: Interrupter) -> States:
        """Make an uninterrupted call on two machines; ignore state that differs."""
        seen: list[tuple[Any, list[Any], list[Any]]] = []
        descriptors: list[int] = []
        for _ in range(3):  # the first one imports
            world = World.of(call)
            before = world.machine.snapshot()
            seen.append((by.make(world.call), before, world.machine.snapshot()))
            world.machine.close()
            descriptors.append(os.open(os.devnull, os.O_RDONLY))
        for descriptor in descriptors:
            os.close(descriptor)
        (answer, *one), (_, *other) = seen[1:]
        return cls(answer, (one[0], other[0]), (one[1], other[1]))

    def has(self, state: list[Any]) -> bool:
        """Return whether a state is one of the two."""
        return self.is_before(state) or _is_one(state, self._after)

    def is_before(self, state: list[Any]) -> bool:
        """Return whether a state is the state before the call."""
        return _is_one(state, self._before)


def _is_one(state: list[Any], pair: tuple[list[Any], list[Any]]) -> bool:
    """Return whether a state equals a known state where two runs agree."""
    one, other = pair
    return len(state) == len(one) == len(other) and all(
        item in (first, second) or first != second for item, first, second in zip(state, one, other, strict=True)
    )


def _harm(machine: fakecuda.Machine, kind: str) -> Iterator[str]:
    """Yield failed invariants of a machine between two calls."""
    if not gc.isenabled():
        yield "the collector does not work"
    cut = kind == "cut" and is_torn(machine)
    if not cut or is_held(machine):
        yield from harm(machine)
    if is_held(machine):
        machine.lock.release()  # so that it can be closed
    elif cut:
        try:
            machine.processes["a"].thread("main").c.cuInit(0)
        except MachineCorrupted:
            pass
        else:
            yield "answers, though it is cut"


@contextmanager
def handled(by: Interrupter) -> Iterator[None]:
    """Have an interrupter handle the signal."""
    former = signal.signal(SIGNAL, by.handle)
    try:
        yield
    finally:
        signal.signal(SIGNAL, former)


def apart(call: str, kind: str, step: int) -> Trials:
    """Interrupt a call in another process, because an interrupt can leak addresses."""
    with get_context("fork").Pool(1) as pool:
        return pool.apply(interrupt, (call, kind, step))


def calls(pattern: str = "") -> list[str]:
    """Return calls with a text in their names that do not wait for others."""
    for path in modules():
        load(path)
    return sorted(call for call in ENTRIES if pattern in call and api_of(call) is not NVML)


def prepare(names: Collection[str]) -> None:
    """Load the cases of some calls; of all calls if no module has a name."""
    for path in modules():
        text = path.read_text(encoding="utf-8")
        if any(f'"{name}"' in text for name in names):
            load(path)
    if not ENTRIES.keys() >= set(names):
        calls()


def modules() -> Iterator[Path]:
    """Yield the files with the cases of all calls except NVML's."""
    for api in ("driver", "runtime", "hip"):
        yield from sorted((conformance.SUITE / "cases" / api).rglob("test_*.py"))


def load(path: Path) -> None:
    """Import a module of cases, which registers its entries."""
    import_module(".".join(("conformance", *path.relative_to(conformance.SUITE).with_suffix("").parts)))


def main() -> int:
    """Run the command; return 1 if an invariant fails."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance.fuzz.interrupts", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("pattern", nargs="?", default="", help="text in the names of the calls")
    parser.add_argument("--step", type=int, default=1, metavar="N", help="every how many instructions; 1 by default")
    parser.add_argument("--kind", choices=KINDS, action="append", help="how; all ways by default")
    options = parser.parse_args()
    if not calls(options.pattern):
        parser.error(f"no call has {options.pattern!r} in its name")
    wrong: list[str] = []
    for kind in options.kind or KINDS:
        counts: Counter[str] = Counter()
        for call in each(calls(options.pattern), f"{{}}, {kind}".format):
            try:
                trials = apart(call, kind, options.step)
            except (NotBuilt, Unavailable):
                counts["calls that this machine cannot make"] += 1
                continue
            counts.update(trials.counts)
            counts.update(
                {"calls": 1, "wrong": len(trials.wrong), "calls of which some are torn": trials.counts["torn"] > 0}
            )
            wrong += trials.wrong
        say(f"{kind}: " + ", ".join(f"{number} {what}" for what, number in counts.items()))
    for line in wrong:
        print(line)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
