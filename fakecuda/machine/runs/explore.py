"""The search for an order that fails.

The orders, the result of each, and the report.
"""

from __future__ import annotations

import gc
import random
import re
import time
from contextlib import contextmanager
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from fakecuda import modes
from fakecuda.errors import FakeCudaError, UndefinedBehaviour
from fakecuda.machine import findings, install, leaks
from fakecuda.machine.orders.clocks import read
from fakecuda.machine.orders.orders import Orders
from fakecuda.machine.orders.step import (
    PRUNED_NOT,
    Strayed,
    alternatives,
    chosen_by,
    deviations,
    following,
    switching,
    text_of,
)
from fakecuda.machine.runs.order_text import code_of, fix_of, lines_of, repeating
from fakecuda.machine.runs.run import call_with
from fakecuda.machine.simulating import simulate
from fakecuda.model import history, options
from fakecuda.model.effect import watched
from fakecuda.model.machine import MANUAL
from fakecuda.progress import Progress
from fakecuda.renamed import parameters_of, taking_old_names, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.machine.orders.step import Choose, Step
    from fakecuda.model.effect import Act

SAME_RUNS = 3
"""Maximum number of first runs, until two make the same steps. The first run may prepare something."""
MOST = 10_000
"""Maximum number of steps in a run."""
CARDS = "  handles  new objects get the handles of destroyed ones, as on a card"
NUMBER = re.compile(r"0x[0-9a-f]+|\d+")


@define(eq=False)
class Run:
    """The result of one order.

    Attributes:
        handles: Which handles new objects got: ``apart`` or ``card``.
        steps: Its steps.
        error: The exception of the program, of an actor, or of the machine's end; None if the order passed.
        trace: The traceback, as text.
        reused: Whether a new object got the handle of a destroyed one.
    """

    handles: str = modes.APART
    steps: list[Step] = field(factory=list)
    error: BaseException | None = None
    trace: str = ""
    reused: bool = False

    def fail(self, error: BaseException) -> None:
        """Keep an exception and the text of its traceback.

        The frames are dropped: they hold objects of the machine. If the exception comes again, the end of the machine
        has added notes. Those on findings and deadlocks are kept. Leaks follow from the stop, and are left out.
        """
        notes = getattr(error, "__notes__", [])
        notes[:] = [note for note in notes if not leaks.is_of_failure(note)]
        if error is not self.error:
            self.error, self.trace = error, findings.users_trace(error)
        else:
            self.trace = "\n".join([self.trace, *(note for note in notes if note not in self.trace)])
        waiting, parted = [error], set[BaseException]()
        while waiting:
            one = waiting.pop()
            if one not in parted:
                parted.add(one)
                one.__traceback__ = None
                waiting += [other for other in (one.__cause__, one.__context__) if other is not None]

    @property
    def kind(self) -> str:
        """What the same failure has in common in every order; empty if the order passed."""
        if self.error is None:
            return ""
        if isinstance(self.error, UndefinedBehaviour):
            return self.error.finding.rule.id
        first = next(iter(str(self.error).splitlines()), "")
        return f"{type(self.error).__name__}: {NUMBER.sub('', first)}"

    @property
    def choices(self) -> list[str]:
        """All choices, in order."""
        return [one for step in self.steps for one in step.choices]


@frozen
class Exploration:
    """The result of a search.

    Attributes:
        name: The program's name.
        orders: The number of orders tried, without those that only shorten a failing one.
        whole: Whether all orders were tried.
        schedule: The schedule string of the failing order. It is empty if no order failed or the order has no switch.
        error: The exception of the failing order, without its traceback; None if no order failed.
        steps: The steps of the failing order.
        trace: The exception's traceback, as text.
        again: The code that runs the failing order again.
        handles: Which handles new objects got in the failing order: ``apart`` or ``card``.
    """

    name: str
    orders: int
    whole: bool
    schedule: str
    error: BaseException | None = field(repr=False)
    steps: tuple[Step, ...] = field(default=(), repr=False)
    trace: str = field(default="", repr=False)
    again: str = field(default="", repr=False)
    handles: str = modes.APART

    @property
    def report(self) -> str:
        """The report, in lines."""
        many = history.counted(self.orders, "order")
        if self.error is None:
            return f"explore of {self.name}: {many} tried, none fails; " + (
                "there are no other orders" if self.whole else "there are other orders"
            )
        switches = len(deviations(self.steps))
        lines = [
            f"explore of {self.name}: 1 of {many} fails, with {switches} switch{'es' * (switches != 1)}",
            *lines_of(self.steps),
            *fix_of(self.steps),
            *[CARDS] * (self.handles == modes.CARD),
            f"  again    {self.again}",
            self.trace,
        ]
        return "\n".join(lines)

    def check(self) -> None:
        """Assert that no order has failed.

        Raises:
            AssertionError: An order has failed; the text is the report.
        """
        __tracebackhide__ = True
        if self.error is not None:
            raise AssertionError(self.report) from self.error

    def __str__(self) -> str:
        return self.report


@taking_old_names
def explore(
    function: Callable[..., object],
    *,
    schedules: int = 1000,
    seed: int = 0,
    budget: float | None = None,
    prune: bool = True,
    schedule: int | str | None = None,
    **machine: Any,
) -> Exploration:
    """Run a program in many orders, until an order fails.

    The orders are those of its actors, streams and deaths.
    Each run has a new machine. A failing order is reduced to the switches that it needs to fail.
    A program that makes an object after it has destroyed one of the kind runs in each order twice: with new handles
    alone, and with ``handles="card"``. An argument ``handles`` decides instead.

    Args:
        function: The program. It takes an :class:`~fakecuda.machine.orders.orders.Orders`, or nothing.
        schedules: Maximum number of orders to try.
        seed: Random seed for the sequence in which orders are tried.
        budget: Seconds after which no further order starts; None for no limit.
        prune: Try only one of the orders that differ only in steps that commute.
        schedule: The only order to run: a schedule string from a report, or a random seed.
        machine: Arguments of :func:`fakecuda.simulate`. Streams do their work when their turn comes, unless
            ``completion`` says something else. The checks of ``leaks`` and ``errors`` are made in each order.

    Raises:
        FakeCudaError: An argument is unknown or has the wrong type, or the program differs from run to run.
    """
    _check(function, schedules, seed, budget, prune)
    if problem := unknown("explore()", machine, (*parameters_of(explore), *parameters_of(simulate))):
        raise FakeCudaError(problem)
    search = Search(function, {"seed": seed, "completion": MANUAL, "shared": False, **machine}, prune=prune)
    given = {"seed": seed, **machine} if seed else machine
    with watched(search.note), _collecting_between_orders():
        if schedule is not None:
            return _exploration(function, given, 1, search.run(chosen_by(schedule), search.handles[0]), whole=False)
        failed = search.search(schedules, seed, budget)
        if failed is not None:
            failed = search.shortened(failed)
    return _exploration(function, given, search.tried, failed or Run(), whole=not search.left)


def _exploration(function: object, given: dict[str, Any], tried: int, failed: Run, *, whole: bool) -> Exploration:
    name = getattr(getattr(function, "func", function), "__name__", str(function))
    if failed.error is None:
        return Exploration(name, tried, whole, "", None)
    schedule, steps = text_of(failed.steps), tuple(failed.steps)
    arguments = repeating(schedule, failed.handles, given)
    again = f"fakecuda.explore({code_of(function)}, {arguments})"
    return Exploration(name, tried, whole, schedule, failed.error, steps, failed.trace, again, failed.handles)


def _check(function: object, schedules: object, seed: object, budget: object, prune: object) -> None:
    if not callable(function):
        msg = f"explore({function!r}): pass a function that takes an Orders object or nothing"
        raise FakeCudaError(msg)
    if install.instead is not None:
        msg = "explore() needs a simulated machine: skip this test with --fakecuda=real"
        raise FakeCudaError(msg)
    options.number("schedules", schedules, 1, "the maximum number of orders to try")
    options.number("seed", seed, None, "a whole number, or leave it out")
    options.switch("prune", prune)
    options.seconds("budget", budget)


@contextmanager
def _collecting_between_orders() -> Iterator[None]:
    """Disable the cyclic garbage collector in the block.

    Only :meth:`Search.run` collects.
    Otherwise it could destroy objects of the driver in any order and at any step.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Search:
    """A search over the orders of a program.

    Args:
        function: The program.
        settings: Arguments of :func:`fakecuda.simulate`.
        prune: Whether orders that differ only in steps that commute count as one.

    Attributes:
        handles: Which handles new objects get, in turn.
        tried: The number of orders run.
        left: Orders found but not run, as a heap. Each has its number of switches between actors (two that share an
            object of the driver count as none), a random number, a serial number, its handles, and its names.
    """

    def __init__(self, function: Callable[..., object], settings: dict[str, Any], *, prune: bool) -> None:
        self.function = function
        self.settings = settings
        self.handles = [settings["handles"]] if "handles" in settings else list(modes.HANDLES)
        self.prune = prune
        self.tried = 0
        self.left: list[tuple[int, float, int, str, list[str]]] = []
        self._known: set[tuple[str, int, str]] = set()
        self._orders: Orders | None = None

    def note(self, act: Act) -> None:
        """Pass an effect to the current run."""
        if self._orders is not None:
            self._orders.note(act)

    def run(self, choose: Choose, handles: str = modes.APART) -> Run:
        """Run the program in an order."""
        done = Run(handles)
        gc.collect(1)  # garbage of the last order is in the two younger generations
        try:
            with simulate(**{**self.settings, "handles": handles}) as machine:
                orders = self._orders = Orders(machine, choose, MOST)
                done.steps = orders.steps
                try:
                    with orders.taken():
                        call_with(self.function, orders)
                except BaseException as error:
                    done.fail(error)
                    raise
                finally:
                    self._orders = None
                    gc.collect(0)  # objects of this order must end on its machine
                    done.reused = machine.territory.reused
                machine.check_invariants()
        except (KeyboardInterrupt, Strayed):
            raise
        except BaseException as error:  # noqa: BLE001 - the run's outcome
            done.fail(error)
        finally:
            self._orders = None
        return done

    def search(self, schedules: int, seed: int, budget: float | None) -> Run | None:
        """Try orders until one fails; return the failing run, or None."""
        drawn = random.Random(seed)  # noqa: S311 - not for cryptography
        start = time.monotonic()
        progress = Progress(schedules)
        first = [self._first(self.handles[0])]
        if first[0].error is None:
            more = (self.run(following(()), handles) for handles in self.handles[1:])
            first += [done for done in more if done.reused]
        while True:
            done = first.pop(0) if first else self._again(*heappop(self.left)[-2:])
            self.tried += 1
            progress.add()
            progress.show(f"{len(self.left)} known")
            if done.error is not None:
                progress.end()
                return done
            self._add(done, drawn)
            over = budget is not None and time.monotonic() - start >= budget
            if self.tried == schedules or over or not (first or self.left):
                progress.end()
                return None

    def _first(self, handles: str) -> Run:
        """Return the run without switches.

        It is repeated until the program's one-time preparations are done.
        """
        done = self.run(following(()), handles)
        for _ in range(SAME_RUNS - 1):
            before = done
            if before.error is not None or (done := self.run(following(()), handles)).choices == before.choices:
                break
        return done

    def _again(self, handles: str, names: list[str]) -> Run:
        """Run the program in an order that begins with some names.

        Raises:
            FakeCudaError: The order cannot be repeated, because the program differs from run to run.
        """
        try:
            return self.run(following(names), handles)
        except Strayed as strayed:
            place, name = strayed.args
            msg = (
                f"the explored program differs from run to run: at place {place} of the order, {name} could run next "
                "in an earlier run, but not now. In the program, do not use the clock, random values or threads of "
                "your own"
            )
            raise FakeCudaError(msg) from None

    def _add(self, done: Run, drawn: random.Random) -> None:
        """Add the orders that a run has shown to be possible and new."""
        steps = done.steps
        if not self.prune:
            for step in steps:
                step.writes(PRUNED_NOT)
        reading = read(steps)
        known, handles = self._known, done.handles
        known.update((handles, *one) for one in zip(reading.classes, [step.name for step in steps], strict=False))
        found = [(index, 0, name, int(not shared)) for index, name, shared in reading.reversals]
        found += alternatives(steps)
        switches, starts = [0], [0]
        for step in steps:
            switches.append(switches[-1] + step.weight)
            starts.append(starts[-1] + len(step.choices))
        for index, number, name, more in found:
            before = steps[index].choices[:number]
            key = handles, reading.classes[index], " ".join([*before, name])
            if key not in known:
                known.add(key)
                names = [*done.choices[: starts[index]], *before, name]
                first = switches[index + (number > 0)] + more
                heappush(self.left, (first, drawn.random(), len(known), handles, names))

    def shortened(self, failed: Run) -> Run:
        """Return a run with the same failure and the fewest switches.

        Every remaining switch is needed.
        """
        while True:
            switches = deviations(failed.steps)
            for number in reversed(range(len(switches))):
                shorter = self.run(switching(switches[:number] + switches[number + 1 :]), failed.handles)
                if shorter.kind == failed.kind and len(deviations(shorter.steps)) < len(switches):
                    failed = shorter
                    break
            else:
                return failed
