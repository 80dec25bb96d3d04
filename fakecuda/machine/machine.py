"""The simulated machine."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from functools import wraps
from itertools import count
from typing import TYPE_CHECKING, Any, Self, SupportsInt, TypeVar
from weakref import WeakSet

from fakecuda.errors import FakeCudaError
from fakecuda.explain.reports import told as _told  # noqa: F401 - it sets the hook of findings
from fakecuda.machine import finding_views as _finding_views  # noqa: F401 - it sets the hooks of findings
from fakecuda.machine.call_record import CallRecord
from fakecuda.machine.controls import Controls
from fakecuda.model.invariants import check
from fakecuda.model.machine import name_of
from fakecuda.model.os.interruption import whole
from fakecuda.model.os.rng import current_test
from fakecuda.model.snapshot import snapshot
from fakecuda.modes import RUN
from fakecuda.reach.process import Process
from fakecuda.renamed import taking_old_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import TracebackType

    from fakecuda.explain.pictures.svg import Picture
    from fakecuda.machine.faults.fault import Attempt, Fault, Guard
    from fakecuda.machine.orders.orders import Orders
    from fakecuda.reach.remote.owner.endpoint import Offer
    from fakecuda.reach.remote.protocol.questions import Report


def _run_ptx(made: Machine) -> None:
    """Make a machine run kernels from their PTX."""
    from fakecuda.kernels import launch  # noqa: PLC0415 - most machines run no PTX

    launch.install(made)


P = TypeVar("P", bound=Process)


class Machine(Controls):
    """A simulated machine; as a context manager it is closed at the end.

    See :class:`fakecuda.model.machine.Machine` for its arguments and attributes.
    """

    processes: dict[str, Process]  # type: ignore[assignment]
    acting: list[Process]
    """The processes that code in this OS process acts as, innermost last."""
    lead: Callable[[Process | None], None] | None
    """Hook: makes code in this OS process act as a process.

    Set while the machine is installed, else None.

    Called with the process, or with None for the one before, without the lock. It raises if it cannot; it must not call the
    driver.
    """
    offer: Offer | None
    """Hook: lets programs find the machine. Set by an offer, None before and after.

    Told when the machine is closed, and when this OS process forks. It must not call the driver.
    """
    guard: Guard | None
    """Hook: asks the faults about each call. Set with the first fault, None before.

    It hears of calls by effects and by ``record``. It must not call the driver.
    """
    turns: Orders | None
    """Hook: starts actors. Set when the program of a schedule begins, else None.

    Nothing calls it: ``lock`` and ``census.turns`` do its work. It must not outlive the run's program on another machine.
    """
    _free_names: Iterator[str]

    if not TYPE_CHECKING:  # for a type checker it takes what the model's takes, by name

        @taking_old_names
        @wraps(Controls.__init__)
        def __init__(self, *args: Any, **keywords: Any) -> None:
            super().__init__(*args, **keywords)
            self.offer = None
            self.guard = self.turns = None
            if self.kernels == RUN:
                _run_ptx(self)
            self.acting, self.lead = [], None
            self._free_names = map(name_of, count())  # which two threads may ask at once, as they may not a generator
            _machines.add(self)  # a forked child of the OS process goes on with a copy of it

    def draw(self, *, timeline: bool = False) -> Picture:
        """Return a picture of the machine: contexts, memory, peers, and shared objects.

        A notebook shows it; ``machine.draw().save("machine.svg")`` writes it.

        Args:
            timeline: Draw its calls in their order instead: what each stream was given, events and waits, and the accesses
                that nothing orders. The last ones are drawn, and how many there were before.
        """
        from fakecuda.explain.pictures import machine  # noqa: PLC0415 - most machines are never drawn
        from fakecuda.explain.pictures import timeline as calls  # noqa: PLC0415 - likewise

        return calls.draw(self) if timeline else machine.draw(self)

    def _repr_svg_(self) -> str:
        return self.draw().svg

    @contextmanager
    def shared(self, *, export: bool = True) -> Iterator[Offer]:
        """Let programs that start in this block attach to the machine as processes.

        They find it by environment variables; see :mod:`fakecuda.reach.remote`. An installed machine lets them without this.

        Args:
            export: Set these variables in this process, for all that it starts; otherwise ``environ`` of the result has them.

        Raises:
            FakeCudaError: The machine is shared already or says that it is not, or there is no driver library for this
                processor.
        """
        from fakecuda.reach.remote.owner.endpoint import Offer, warn_without_hook  # noqa: PLC0415 - not before somebody asks for it

        offer = before = self.offer
        if before is not None and (before.asked or before.forbidden):
            msg = "machine.shared() needs a machine that was made without shared=False: leave out shared=False"
            if before.asked:
                msg = f"the machine is shared already, at socket {before.address}: leave out machine.shared()"
            raise FakeCudaError(msg)
        if offer is None:
            offer = self.offer = Offer(self, current_test() or "a program")
        offer.asked = True
        try:
            offer.open()
            if export:
                warn_without_hook(stacklevel=3)
                offer.export()
            yield offer
        finally:
            offer.asked = False
            if before is None:
                offer.close()

    def link(self) -> Path:
        """Let programs without Python attach, too, in C, C++ or Fortran.

        A wheel has their client. In a checkout a C compiler builds it, once for all machines of a user. Programs that are
        started from now on find the libraries by LD_LIBRARY_PATH.

        Returns:
            The directory of ``libcuda.so`` and ``libcudart.so``, to link with.

        Raises:
            FakeCudaError: The machine is not shared, or there is neither a built client nor a C compiler.
        """
        if self.offer is None:
            msg = (
                "machine.link() needs a machine that other processes can use: call it inside `with "
                "machine.shared():`, or in a test that uses the `fakecuda` fixture"
            )
            raise FakeCudaError(msg)
        self.offer.link()
        return self.offer.path.parent

    def report_on(self, family: set[str], what: Report, known: dict[int, object]) -> str:
        """Return the findings about some processes as text; empty without findings.

        Args:
            family: The names of the processes.
            what: What to report.
            known: What was reported already, by ``id``; this adds what is reported now.
        """
        from fakecuda.machine.reported import report_on  # noqa: PLC0415 - few programs ask

        return report_on(self, family, what, known)

    def close(self) -> None:
        """Withdraw the offer, end every process and free the machine's memory.

        The copy that a forked child has of its parent's has nothing to give back.
        """
        here = self.processes.get("here")
        if here is not None and here.machine is not self:
            return
        self.end_faults()
        if self.offer is not None:
            self.offer.close()
        super().close()

    def fork(self, forking: int) -> None:
        """Continue in a forked child of the OS process, with a copy of the machine."""
        self.acting.clear()
        if self.offer is not None and not self.offer.forbidden:
            from fakecuda.reach.remote.client.forked import attach_instead  # noqa: PLC0415 - few tests fork

            attach_instead(self, forking)
            return
        super().fork(forking)
        here = self.processes.get("here")
        if here is not None:
            here.pid = os.getpid()
            here.become_fork(here.state)
            here.nvml.fork(here.nvml)

    @whole
    def spawn(
        self,
        name: str | None = None,
        *,
        visible_devices: str | None = None,
        module_loading: str | None = None,
        imex_channels: tuple[int, ...] | None = None,
    ) -> Process:
        """Create a simulated OS process, and return it.

        Args:
            name: Its name; the next free letter by default.
            visible_devices: Its CUDA_VISIBLE_DEVICES, ``"1,0"`` or ``"GPU-fb83"``, read by cuInit; None where it is not set.
            module_loading: Its CUDA_MODULE_LOADING, ``"EAGER"`` or ``"LAZY"``, read by cuInit. None if it is not set.
            imex_channels: The IMEX channels that its user has access to; channel 0 by default, where the machine has one.

        Raises:
            ValueError: A process of that name is alive.
            FakeCudaError: An argument is of another kind.
        """
        for option, value, kind, fix in (
            ("name", name, str, "a text"),
            ("visible_devices", visible_devices, str, 'a text, as CUDA_VISIBLE_DEVICES has it: "1,0"'),
            ("module_loading", module_loading, str, 'a text, as CUDA_MODULE_LOADING has it: "EAGER"'),
            ("imex_channels", imex_channels, tuple, "a tuple of numbers"),
        ):
            if value is not None and not isinstance(value, kind):
                msg = f"spawn({option}={value!r}): use {fix}"
                raise FakeCudaError(msg)
        if name is not None and name in self.processes and self.processes[name].alive:
            msg = f"a simulated process named {name!r} is alive: give the new one another name"
            raise ValueError(msg)
        process = self.adopt(Process, name)
        process.visible_devices, process.module_loading = visible_devices, module_loading
        if imex_channels is not None:
            process.imex_channels = imex_channels
        return process

    def adopt(self, kind: type[P], name: str | None) -> P:
        """Create a process of a kind, with a name or the next free letter."""
        name = name or next(n for n in self._free_names if n not in self.processes)
        process = self.processes[name] = kind(self, name)
        self.living[process] = None
        return process

    def fail(
        self,
        call: str,
        *,
        nth: int = 1,
        code: str | SupportsInt = "OUT_OF_MEMORY",
        times: int | None = 1,
        process: Process | str | None = None,
        when: Callable[[CallRecord], bool] | None = None,
        force: bool = False,
    ) -> Fault:
        """Make a call fail that would otherwise succeed.

        Args:
            call: The function, of any API. A driver's function is refused in calls of the runtime API, too, that make it.
            nth: Which such call is the first that is refused, counted from 1: of those that pass their checks.
            code: What it answers: a code that the manual, or a rule, has for the call, or a sticky one, which the caller's context
                goes on answering.
            times: How many calls are refused in a row; None for all from then on.
            process: The process that calls; any by default.
            when: Says of a call whether it is meant. The record has neither code nor results yet. It makes no calls.
            force: Allow a code that nobody says of the call.

        Returns:
            The fault. ``end`` ends it, as does the block of which it is the context manager, and the machine's end. A fault that
            never came then fails its test.

        Raises:
            FakeCudaError: A name or a code is unknown, and the text has the nearest; an argument is of another kind.
        """
        from fakecuda.machine.faults.setting import inject  # noqa: PLC0415 - most machines have no faults

        def meant(attempt: Attempt) -> bool:
            thread = attempt.thread
            assert when is not None
            return when(
                CallRecord(thread.process.name, thread.name, attempt.op.name, attempt.args, None, None, None, None)
            )

        meaning = meant if callable(when) else when
        return inject(self, call, nth=nth, code=code, times=times, process=process, when=meaning, force=force)

    @property
    def here(self) -> Process:
        """The simulated process of this OS process, whose code calls the driver."""
        if self.acting:
            return self.acting[-1]
        here = self.processes.get("here")
        return self._begin_here() if here is None else here

    @whole  # two threads may ask first at once
    def _begin_here(self) -> Process:
        here = self.processes.get("here")
        if here is None:
            here = self.spawn("here")
            here.is_own = True
            here.pid = os.getpid()
        return here

    @property
    def orders(self) -> Orders:
        """The object that starts actors, on a machine with a schedule.

        Raises:
            FakeCudaError: It has none.
        """
        if self.turns is None:
            msg = (
                "orders need a machine with a schedule: write schedule=0 in @pytest.mark.fakecuda() or in "
                "fakecuda.simulate(), or use fakecuda.explore()"
            )
            raise FakeCudaError(msg)
        return self.turns

    @property
    def notes(self) -> list[str]:
        """Notes for the user: clashing addresses or handles, and the schedule."""
        order = [] if self.turns is None else [f"the order, which schedule={self.turns.text!r} repeats"]
        return [*super().notes, *order]

    @property
    def log(self) -> list[CallRecord]:
        """The calls on the machine, oldest first; the last 10,000 are kept."""
        return [
            CallRecord(thread.process.name, thread.name, op.name, args, code, outs, rule, facts)
            for thread, op, args, code, outs, rule, facts in list(self.calls)  # handlers of signals may call meanwhile
        ]

    @whole
    def snapshot(self) -> list[Any]:
        """Return the whole state as a comparable value, without log and findings."""
        return snapshot(self)

    @whole
    def check_invariants(self) -> None:
        """Assert the invariants of the machine: references, counts and tables agree."""
        check(self)

    def __enter__(self) -> Self:
        """Return the machine."""
        self.territory.held = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the machine.

        Raises:
            AssertionError: A fault never came, and no exception is under way.
        """
        missed = self.end_faults()
        self.close()
        if missed and kind is None:
            raise AssertionError(missed)

    def end_faults(self) -> str:
        """End all faults, and return a message about those that refused no call."""
        if self.guard is None:
            return ""
        from fakecuda.machine.faults.setting import missed  # noqa: PLC0415 - there are some

        return missed(self)


_machines: WeakSet[Machine] = WeakSet()
_forking: list[int] = []


def _before_fork() -> None:
    _forking[:] = [threading.get_native_id()]
    for machine in list(_machines):
        if machine.offer is not None:
            machine.offer.forked = True


def _forked() -> None:
    for machine in list(_machines):
        if not machine.closed:
            machine.fork(*_forking)


os.register_at_fork(before=_before_fork, after_in_child=_forked)
