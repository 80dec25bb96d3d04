"""Many threads and signals at once: ``python -m conformance.fuzz.threads [--door DOOR] [--seed S] [--threads N] [--seconds N]``.

Threads make random calls with what any of them has made: memory, streams, events, contexts. Meanwhile signals come whose
handlers raise, call or allocate, threads end and others begin, and processes are spawned, used by one thread and killed
by another. Each call answers a code, or raises an error that is documented; behind all of it the machine is whole, its
lock free and the collector as it was.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import random
import secrets
import signal
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fakecuda
from conformance.fuzz.trials import Trials
from conformance.fuzz.whole import harm
from fakecuda.errors import FakeCudaError, MachineCorrupted
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

DOORS = ("operations", "lookalike", "native")
OWN = str(Path(fakecuda.__file__).parent)
SIGNALS = (signal.SIGALRM, signal.SIGUSR2)
SOON, OFTEN = 0.00001, 0.0005
"""Seconds between two signals."""
LIFE = 40
"""The number of calls of a thread before its replacement."""
SHARE = 0.03
"""The fraction of a thread's calls with another process, or before its kill."""
LIMIT = 300.0
"""Seconds after which threads hang."""
SIZES = (1, 512, 4096, 1 << 20)

CALLS: dict[str, tuple[str, ...]] = {
    "cuMemAlloc": ("size",),
    "cuMemFree": ("memory",),
    "cuMemsetD8": ("memory", "byte", "small"),
    "cuMemcpyDtoD": ("memory", "memory", "small"),
    "cuMemcpyHtoD": ("memory", "bytes", "small"),
    "cuMemcpyDtoH": ("room", "memory", "small"),
    "cuMemsetD8Async": ("memory", "byte", "small", "stream"),
    "cuMemAllocAsync": ("size", "stream"),
    "cuMemFreeAsync": ("memory", "stream"),
    "cuMemGetInfo": (),
    "cuMemGetAddressRange": ("memory",),
    "cuStreamCreate": ("flag",),
    "cuStreamDestroy": ("stream",),
    "cuStreamSynchronize": ("stream",),
    "cuStreamQuery": ("stream",),
    "cuStreamWaitEvent": ("stream", "event", "zero"),
    "cuEventCreate": ("flag",),
    "cuEventDestroy": ("event",),
    "cuEventRecord": ("event", "stream"),
    "cuEventSynchronize": ("event",),
    "cuEventQuery": ("event",),
    "cuCtxSynchronize": (),
    "cuCtxSetCurrent": ("context",),
    "cuCtxGetCurrent": (),
    "cuDevicePrimaryCtxRetain": ("zero",),
    "cuDevicePrimaryCtxRelease": ("zero",),
    "cuCtxCreate": ("none", "zero", "zero"),
    "cuCtxDestroy": ("context",),
}
"""The kinds of arguments of each call."""
MAKES = {
    "cuMemAlloc": "memory",
    "cuMemAllocAsync": "memory",
    "cuStreamCreate": "stream",
    "cuEventCreate": "event",
    "cuCtxCreate": "context",
}
RARE = {"cuCtxCreate": 0.05, "cuCtxDestroy": 0.02, "cuDevicePrimaryCtxRelease": 0.2}
"""Calls of which only a fraction is made, so that other calls succeed."""
KEPT = 24
"""The maximum number of known handles of a kind."""


class Stop(BaseException):
    """The exception of a signal's handler."""


class Crowd:
    """Threads that use one machine.

    Args:
        machine: The machine.
        door: One of ``DOORS``.
        seed: What draws.
        calls: How many calls each of them makes, also by those that take its place.
        seconds: After which none is made any more.
    """

    def __init__(self, machine: fakecuda.Machine, door: str, seed: int, calls: int, seconds: float) -> None:
        self.machine = machine
        self.trials = Trials(Counter(threads=0))
        self._seed = seed
        self._calls = calls
        self._end = time.monotonic() + seconds
        self._driver: Any = machine.here.c if door == "operations" else import_module("cuda.bindings.driver")
        self._held: dict[str, list[Any]] = {kind: [] for kind in ("memory", "stream", "event", "context")}
        self._others: list[Any] = []
        self._chance = random.Random(seed)  # noqa: S311 - a seed repeats it
        self._handling = True
        self._main = threading.get_ident()

    def run(self, count: int) -> None:
        """Have threads make calls; this thread is the first."""
        self._make("cuInit", (0,))
        self._keep("context", self._make("cuCtxCreate", (None, 0, 0)))
        ended = threading.Event()
        watch = threading.Thread(target=self._watch, args=(ended,), name="watch", daemon=True)
        watch.start()
        threads = [threading.Thread(target=self._relay, args=(number,), daemon=True) for number in range(1, count)]
        with self._signals():
            for thread in threads:
                thread.start()
            self._body(0, self._calls)
            for thread in threads:
                thread.join()
        ended.set()
        watch.join()
        if self.trials.counts["threads"] != count:
            self.trials.wrong.append(f"{count - self.trials.counts['threads']} threads have ended without a word")

    def _relay(self, number: int) -> None:
        """Make a thread's calls in successive threads."""
        left, turn = self._calls, 0
        while left > 0 and time.monotonic() < self._end:
            thread = threading.Thread(target=self._body, args=(number + 1000 * turn, min(LIFE, left)), daemon=True)
            thread.start()
            thread.join()
            left, turn = left - LIFE, turn + 1
        self.trials.counts["threads"] += 1

    def _body(self, number: int, calls: int) -> None:
        """Make calls; report any exception that ends them."""
        chance = random.Random(f"{self._seed} {number}")  # noqa: S311 - as above
        main = number == 0
        try:
            for _ in range(calls):
                if time.monotonic() > self._end:
                    break
                with suppress(Stop):
                    if main:  # what handlers do outside of this is not the machine's affair
                        self._handling = False
                        signal.setitimer(signal.ITIMER_REAL, self._chance.uniform(SOON, OFTEN))
                    self._step(chance)
                    if main:
                        self._handling = True
        except Stop:
            pass
        except BaseException as error:  # noqa: BLE001 - whatever it is
            self.trials.wrong.append(f"thread {number} ends by {error!r} in {_place(error)}")
        if main:
            self._handling = True
            self.trials.counts["threads"] += 1

    def _step(self, chance: random.Random) -> None:
        """Make a call, or act on another process."""
        if threading.get_ident() != self._main and chance.random() < SHARE:
            signal.pthread_kill(self._main, signal.SIGUSR2)
        if chance.random() < SHARE:
            self._other(chance)
            return
        name = chance.choice(list(CALLS))
        if chance.random() > RARE.get(name, 1):
            return
        if name == "cuCtxDestroy" or chance.random() < SHARE:  # most have a context that is there
            self._make("cuCtxSetCurrent", (self._draw("context", chance),))
        made = self._make(name, tuple(self._draw(kind, chance) for kind in CALLS[name]))
        self._keep(MAKES.get(name), made)

    def _other(self, chance: random.Random) -> None:
        """Spawn a process, have it make calls, or kill it."""
        what = chance.randrange(3)
        others = list(self._others)
        if what == 0 or not others:
            made = self.machine.spawn()
            self._others.append(made)
            return
        other = chance.choice(others)
        if what == 1:
            with suppress(ValueError):
                self._others.remove(other)
            other.kill()
            return
        for name, args in (("cuInit", (0,)), ("cuCtxCreate", (None, 0, 0)), ("cuMemAlloc", (4096,))):
            self._make(name, args, other.c)

    def _make(self, name: str, args: tuple[Any, ...], driver: Any = None) -> Any:
        """Make a call; return its result, if any."""
        try:
            code, *results = getattr(driver or self._driver, name)(*args)
        except MachineCorrupted as error:
            self.trials.wrong.append(f"{name}: {error}")
            return None
        except FakeCudaError as error:
            self.trials.outcomes[type(error).__name__] += 1
            return None
        self.trials.outcomes[Result(int(code)).name] += 1
        return results[0] if results and not int(code) else None

    def _keep(self, kind: str | None, value: Any) -> None:
        if kind is not None and value is not None:
            self._held[kind].append(value)
            del self._held[kind][:-KEPT]

    def _draw(self, kind: str, chance: random.Random) -> Any:
        """Return an argument of a kind."""
        held = self._held.get(kind)
        if held is not None:
            known = list(held)
            return chance.choice(known) if known else 0
        plain: dict[str, Callable[[], Any]] = {
            "size": lambda: chance.choice(SIZES),
            "small": lambda: chance.choice((0, 1, 512)),
            "byte": lambda: chance.randrange(256),
            "bytes": lambda: bytes(512),
            "room": lambda: bytearray(512),
            "flag": lambda: chance.choice((0, 1)),
            "zero": lambda: 0,
            "none": lambda: None,
        }
        return plain[kind]()

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Send signals at intervals."""
        before = {number: signal.signal(number, self._handle) for number in SIGNALS}
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            for number, former in before.items():
                signal.signal(number, former)

    def _handle(self, _: int, frame: FrameType | None) -> None:
        """Raise, make a call or allocate, if the signal interrupted fakecuda's code."""
        if self._handling or frame is None or not frame.f_code.co_filename.startswith(OWN):
            return
        what = self._chance.choice(("raises", "calls", "allocates"))
        self.trials.counts[f"signals whose handler {what}"] += 1
        if what == "raises":
            self._handling = True  # until the next call
            raise Stop
        if what == "allocates":
            del [[number] for number in range(2000)][:]
            return
        self._handling = True
        try:
            self._keep("memory", self._make("cuMemAlloc", (512,)))
            self._make("cuMemGetInfo", ())
        finally:
            self._handling = False

    def _watch(self, ended: threading.Event) -> None:
        if not ended.wait(LIMIT):
            faulthandler.dump_traceback()
            self.trials.wrong.append(f"threads stand still for {LIMIT:g} s: the stacks of all are above")
            self.machine.close()


def tried(door: str, seed: int = 0, threads: int = 16, calls: int = 200, seconds: float = float("inf")) -> Trials:
    """Have threads use a machine.

    Args:
        door: How they call, one of ``DOORS``.
        seed: What draws.
        threads: How many.
        calls: How many each of them makes.
        seconds: After which none is made any more.
    """
    collects = gc.isenabled()
    ended: list[str] = []

    def hear(one: Any) -> None:
        if not isinstance(one.exc_value, Stop):  # which a handler raises in a finaliser, too
            ended.append(f"{one.exc_value!r}")

    hooks = threading.excepthook, sys.unraisablehook
    threading.excepthook = sys.unraisablehook = hear
    installed = {} if door == "operations" else {"door": door}
    try:
        with fakecuda.simulate("h200-x2", strict=False, seed=seed, **installed) as machine:  # type: ignore[arg-type]
            crowd = Crowd(machine, door, seed, calls, seconds)
            crowd.run(threads)
            crowd.trials.wrong += [f"a thread ends by {one}" for one in ended]
            crowd.trials.wrong += _harm(machine, collects=collects)
            return crowd.trials
    finally:
        threading.excepthook, sys.unraisablehook = hooks


def _harm(machine: fakecuda.Machine, *, collects: bool) -> Iterator[str]:
    """Yield failed invariants of the machine and of the collector."""
    if gc.isenabled() is not collects:
        yield "the collector is not as it was"
    yield from harm(machine)


def _place(error: BaseException) -> str:
    """Return where an exception was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else "no frame"


def main() -> int:
    """Run the command; return 1 if an invariant fails."""
    parser = argparse.ArgumentParser(prog="python -m conformance.fuzz.threads", description=__doc__.partition("\n")[0])
    parser.add_argument("--door", choices=DOORS, action="append", help="how they call; default: every way")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1 << 32), help="the seed of all random values")
    parser.add_argument("--threads", type=int, default=16, metavar="N", help="number of threads; default: 16")
    parser.add_argument("--seconds", type=float, default=60.0, metavar="N", help="seconds of each way; default: 60")
    options = parser.parse_args()
    wrong: list[str] = []
    for door in options.door or DOORS:
        print(f"{door}: seed {options.seed}", flush=True)
        trials = tried(door, options.seed, options.threads, sys.maxsize, options.seconds)
        for what in (trials.outcomes, trials.counts):
            print("  " + ", ".join(f"{number} {name}" for name, number in what.most_common()), flush=True)
        wrong += [f"{door}: {line}" for line in trials.wrong]
    for line in wrong:
        print(line)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
