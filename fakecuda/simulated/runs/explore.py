"""The search for an order that fails: which orders there are, what each has shown, and the report."""

from __future__ import annotations

import gc
import random
import re
import time
import traceback
from contextlib import contextmanager
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from fakecuda.errors import FakeCudaError, UndefinedBehaviour
from fakecuda.explain.reports.call import called
from fakecuda.model import history, options
from fakecuda.model.effect import watched
from fakecuda.model.machine import MANUAL
from fakecuda.progress import Progress
from fakecuda.simulated import install
from fakecuda.simulated.orders.clocks import read
from fakecuda.simulated.orders.orders import Orders
from fakecuda.simulated.orders.step import DEATH, PRUNED_NOT, Strayed, chosen_by, following, switching, text_of
from fakecuda.simulated.runs.run import call_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fakecuda.model.effect import Act
    from fakecuda.simulated.orders.step import Choose, Step

SAME_RUNS = 3
"""How often a program is run in the first order until it does what it did before: the first run may prepare something."""
MOST = 10_000
"""Steps of one run."""
SHOWN = 40
"""Steps that a report tells."""
NUMBER = re.compile(r"0x[0-9a-f]+|\d+")


@define(eq=False)
class Run:
    """What one order has shown.

    Attributes:
        steps: Its steps.
        error: The exception that came out of the program, of an actor, or at the machine's end; None for none.
        trace: Its traceback, as text.
    """

    steps: list[Step] = field(factory=list)
    error: BaseException | None = None
    trace: str = ""

    def fail(self, error: BaseException) -> None:
        """Keep an exception, and of its traceback the text: the frames hold what is to end with the machine."""
        if error is not self.error:
            self.error, self.trace = error, "".join(traceback.format_exception(error)).rstrip()
        waiting, parted = [error], set[BaseException]()
        while waiting:
            one = waiting.pop()
            if one not in parted:
                parted.add(one)
                one.__traceback__ = None
                waiting += [other for other in (one.__cause__, one.__context__) if other is not None]

    @property
    def kind(self) -> str:
        """What its failure has in common with the same failure in another order; empty for none."""
        if self.error is None:
            return ""
        if isinstance(self.error, UndefinedBehaviour):
            return self.error.finding.rule.id
        first = next(iter(str(self.error).splitlines()), "")
        return f"{type(self.error).__name__}: {NUMBER.sub('', first)}"

    @property
    def names(self) -> list[str]:
        """Who came, step by step."""
        return [step.name for step in self.steps]


@frozen
class Exploration:
    """What a search has shown.

    Attributes:
        name: The program's name.
        orders: How many orders were tried; those that only shorten a failing one are left out.
        whole: Whether there are no others.
        schedule: The order that has failed, by its switches; empty where none has, or where none is needed.
        error: The exception that came out of it, whose traceback is in the report alone; None where none has failed.
        steps: The steps of that order.
        trace: The exception's traceback, as text.
        again: What runs that order again.
    """

    name: str
    orders: int
    whole: bool
    schedule: str
    error: BaseException | None = field(repr=False)
    steps: tuple[Step, ...] = field(default=(), repr=False)
    trace: str = field(default="", repr=False)
    again: str = field(default="", repr=False)

    @property
    def report(self) -> str:
        """All that is known of it, in lines."""
        many = history.counted(self.orders, "order")
        if self.error is None:
            return f"explore of {self.name}: {many} tried, none fails; " + (
                "there are no others" if self.whole else "there are others"
            )
        switches = sum(step.is_switch for step in self.steps)
        lines = [
            f"explore of {self.name}: 1 of {many} fails, with {switches} switch{'es' * (switches != 1)}",
            *_told(self.steps),
            f"  again    {self.again}",
            self.trace,
        ]
        return "\n".join(lines)

    def check(self) -> None:
        """Assert that no order has failed.

        Raises:
            AssertionError: One has; its text is the report.
        """
        __tracebackhide__ = True
        if self.error is not None:
            raise AssertionError(self.report) from self.error

    def __str__(self) -> str:
        return self.report


def _told(steps: Sequence[Step]) -> list[str]:
    """Return a line for each step, the last ones, with an arrow for each switch."""
    width = max(len(step.name) for step in steps)
    lines = []
    for number, step in enumerate(steps, 1):
        what = called(*step.what) if isinstance(step.what, tuple) else step.what
        place = next(iter(history.places(step.line)), "")
        arrow = "->" if step.is_switch else "  "
        lines.append(f"{arrow} {number:3} {step.name:{width}}  {what}" + (f"  {place}" if place else ""))
    left = len(lines) - SHOWN
    return [f"   ... {history.counted(left, 'step')} before", *lines[left:]] if left > 0 else lines


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
    """Run a program in many orders of its actors, of what streams do, and of deaths, until one fails.

    Each run has a fresh machine. An order that fails is shortened to the switches without which it does not.

    Args:
        function: The program; it takes an :class:`~fakecuda.simulated.orders.orders.Orders`, or nothing.
        schedules: How many orders are tried at most.
        seed: Rules which orders come first.
        budget: Seconds after which no further order is tried; None for no limit.
        prune: Try one order alone of those that differ in steps that commute.
        schedule: The one order to run: as a report tells it, or drawn from a seed.
        machine: Arguments of :func:`fakecuda.simulate`. Streams do their work when their turn comes, unless ``completion`` says
            otherwise.

    Raises:
        FakeCudaError: An argument is unknown, or of another kind; the program makes other calls each time.
    """
    _check(function, schedules, seed, budget, prune)
    name = getattr(getattr(function, "func", function), "__name__", str(function))
    search = Search(function, {"seed": seed, "completion": MANUAL, "shared": False, **machine}, prune=prune)
    with watched(search.note), _collecting_between_orders():
        if schedule is not None:
            failed: Run | None = search.run(chosen_by(schedule))
            assert failed is not None
            return _exploration(name, 1, failed, whole=False)
        failed = search.search(schedules, seed, budget)
        if failed is not None:
            failed = search.shortened(failed)
    return _exploration(name, search.tried, failed or Run(), whole=not search.left)


def _exploration(name: str, tried: int, failed: Run, *, whole: bool) -> Exploration:
    if failed.error is None:
        return Exploration(name, tried, whole, "", None)
    schedule = text_of(failed.steps)
    again = f'fakecuda.explore({name}, schedule="{schedule}")'
    return Exploration(name, tried, whole, schedule, failed.error, tuple(failed.steps), failed.trace, again)


def _check(function: object, schedules: object, seed: object, budget: object, prune: object) -> None:
    if not callable(function):
        msg = f"explore({function!r}): give it a function that takes an Orders object or nothing"
        raise FakeCudaError(msg)
    if install.instead is not None:
        msg = "explore() needs a simulated machine: skip this test with --fakecuda=real"
        raise FakeCudaError(msg)
    options.number("schedules", schedules, 1, "the number of orders to try at most")
    options.number("seed", seed, None, "a whole number, or leave it out")
    options.switch("prune", prune)
    options.seconds("budget", budget)


@contextmanager
def _collecting_between_orders() -> Iterator[None]:
    """Have the cyclic garbage collector keep still in the block, but where :meth:`Search.run` calls it.

    At the moments at which it comes by itself, it would end objects of the driver, in any order and any step.
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
        prune: Whether orders that differ in what commutes are one.

    Attributes:
        tried: How many orders were run.
        left: Orders that were found and not run: how many switches between actors each has, of which two that share something of the
            driver count as none, a number that was drawn, another one, and who comes.
    """

    def __init__(self, function: Callable[..., object], settings: dict[str, Any], *, prune: bool) -> None:
        self.function = function
        self.settings = settings
        self.prune = prune
        self.tried = 0
        self.left: list[tuple[int, float, int, list[str]]] = []
        self._orders: Orders | None = None

    def note(self, act: Act) -> None:
        """Tell the run under way of an effect."""
        if self._orders is not None:
            self._orders.note(act)

    def run(self, choose: Choose) -> Run:
        """Run the program in an order."""
        done = Run()
        gc.collect(1)  # what the order before has left: the collector has come to none of it more than once
        try:
            with install.simulate(**self.settings) as machine:
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
                    gc.collect(0)  # what this order has made ends on its machine
                machine.check_invariants()
        except (KeyboardInterrupt, Strayed):
            raise
        except BaseException as error:  # noqa: BLE001 - the run's outcome
            done.fail(error)
        finally:
            self._orders = None
        return done

    def search(self, schedules: int, seed: int, budget: float | None) -> Run | None:
        """Try orders until one fails; return that, or None."""
        drawn = random.Random(seed)  # noqa: S311 - a test's
        start = time.monotonic()
        progress = Progress(schedules)
        known: set[tuple[int, str]] = set()
        done = self._first()
        while True:
            self.tried += 1
            progress.add()
            progress.show(f"{len(self.left)} known")
            if done.error is not None:
                progress.end()
                return done
            self._add(done, known, drawn)
            over = budget is not None and time.monotonic() - start >= budget
            if not self.left or self.tried == schedules or over:
                progress.end()
                return None
            *_, names = heappop(self.left)
            done = self._again(names)

    def _first(self) -> Run:
        """Return the run without switches, when the program has prepared what it prepares once."""
        done = self.run(following(()))
        for _ in range(SAME_RUNS - 1):
            before = done
            if before.error is not None or (done := self.run(following(()))).names == before.names:
                break
        return done

    def _again(self, names: list[str]) -> Run:
        """Run the program in an order that begins so.

        Raises:
            FakeCudaError: That cannot be, because the program does something else each time.
        """
        try:
            return self.run(following(names))
        except Strayed as strayed:
            place, name = strayed.args
            msg = (
                f"the program differs from run to run: at {place}, {name} could come in an earlier run and cannot now; use no clock, "
                "no random values and no threads of your own in it"
            )
            raise FakeCudaError(msg) from None

    def _add(self, done: Run, known: set[tuple[int, str]], drawn: random.Random) -> None:
        """Add the orders that a run has shown to be others."""
        steps = done.steps
        if not self.prune:
            for step in steps:
                step.writes(PRUNED_NOT)
        reading = read(steps)
        known.update(zip(reading.classes, done.names, strict=False))
        found = list(reading.reversals)
        for index, step in enumerate(steps):
            found += [(index, name, True) for name in step.options if name.startswith(DEATH)]
        switches = [0]
        for step in steps:
            switches.append(switches[-1] + (step.is_switch and step.by_actor))
        for index, name, shared in found:
            if (reading.classes[index], name) not in known:
                known.add((reading.classes[index], name))
                rank = switches[index] + (not shared)
                heappush(self.left, (rank, drawn.random(), len(known), [*done.names[:index], name]))

    def shortened(self, failed: Run) -> Run:
        """Return the run with the fewest switches that fails as a run does, none of which can be left out."""
        while True:
            switches = [(step.place, step.name) for step in failed.steps if step.is_switch]
            for number in reversed(range(len(switches))):
                shorter = self.run(switching(switches[:number] + switches[number + 1 :]))
                if shorter.kind == failed.kind and sum(step.is_switch for step in shorter.steps) < len(switches):
                    failed = shorter
                    break
            else:
                return failed
