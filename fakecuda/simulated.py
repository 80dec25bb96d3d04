"""The simulated machine as its users see it: the model with its surfaces."""

from __future__ import annotations

import ctypes
import mmap
import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self, TypeVar
from weakref import WeakSet

from attrs import define, evolve, field, frozen

import fakecuda.spec  # noqa: F401 - declares the operations
from fakecuda.codes import name_of
from fakecuda.controls import Controls
from fakecuda.model import machine as state
from fakecuda.model import process as process_state
from fakecuda.model.event import Event
from fakecuda.model.process import FORKED, READY
from fakecuda.model.snapshot import check, snapshot
from fakecuda.surfaces.c import CLevel
from fakecuda.surfaces.driver import Driver, driver

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from fakecuda.rule import Rule
    from fakecuda.sharing.owner import Sharing


@frozen
class CallRecord:
    """One call that was made.

    Attributes:
        process: The name of the process.
        thread: The name of the thread.
        call: The function.
        args: Its arguments as plain values, in C order.
        code: What it answered; None when undefined behaviour was raised.
        outs: Its results.
        rule: The rule that it broke.
        facts: What broke it.
    """

    process: str
    thread: str
    call: str
    args: tuple[Any, ...]
    code: int | None
    outs: Any
    rule: Rule | None
    facts: dict[str, Any] | None

    def __str__(self) -> str:
        args = ", ".join(hex(a) if isinstance(a, int) and a > 0xFFFF else repr(a) for a in self.args)  # noqa: PLR2004
        code = "undefined" if self.code is None else name_of(self.code)
        rule = f"  [{self.rule.id}]" if self.rule else ""
        return f"{self.process}/{self.thread}  {self.call}({args}) -> {code}{rule}"


@frozen
class ThreadDoor:
    """The surfaces of one named thread of a process.

    Attributes:
        process: The process.
        driver: The look-alike of cuda.bindings.driver.
        c: The C level.
    """

    process: Process
    driver: Driver
    c: CLevel


@define(eq=False)
class Process(process_state.Process):
    """A simulated OS process and the surfaces by which it is reached.

    Attributes:
        driver: The look-alike of cuda.bindings.driver; the calling Python thread is a thread of the process.
        c: The C level: plain values, null results by name.
        forked: The C level, each call made in a fork of the process.
        inside: The C level, each call made inside of a function of the host that a stream calls.
    """

    driver: Driver = field(init=False, repr=False)
    c: CLevel = field(init=False, repr=False)
    forked: CLevel = field(init=False, repr=False)
    inside: CLevel = field(init=False, repr=False)
    _maps: list[mmap.mmap] = field(factory=list, repr=False)

    def __attrs_post_init__(self) -> None:
        self.driver = driver(self.current_thread, self.machine.profile.driver_version)
        self.c = CLevel(self.current_thread)
        self.forked = CLevel(self._fork)
        self.inside = CLevel(self._function)

    def _fork(self) -> process_state.Thread:
        """Return the thread of a new fork of the process: it has its memory; of the driver, the state and copies of events.

        What is asked of an event needs no more of the driver than its memory.
        """
        self.current_thread()  # which a process that has ended does not have
        fork = process_state.Process(self.machine, f"a fork of {self.name}")
        self.give_to(fork)
        return fork.thread_of("main")

    def give_to(self, fork: process_state.Process) -> None:
        """Give a new process what a fork of this one has of its driver: the state, and copies of events."""
        fork.state = FORKED if self.state == READY else self.state
        fork.visible_devices = self.visible_devices
        for context in self.contexts.values():
            twin = evolve(context, process=fork, events={})
            twin.events = {handle: evolve(event, context=twin) for handle, event in context.events.items()}
            fork.events |= twin.events
        fork.freed.update((value, item) for value, item in self.freed.items() if isinstance(item, Event))

    def _function(self) -> process_state.Thread:
        """Return a new thread that runs functions of the host for streams."""
        self.current_thread()  # which a process that has ended does not have
        return process_state.Thread(self, self.machine, "function", in_function=True)

    def c_function(self, name: str) -> int:
        """Return the address of a function of the C library, for a stream to call."""
        return ctypes.cast(ctypes.CDLL(None)[name], ctypes.c_void_p).value or 0

    def host_memory(self, size: int) -> int:
        """Return the address of new memory of the host: whole pages, zero, kept until the process ends.

        Args:
            size: Bytes.
        """
        self._maps.append(mmap.mmap(-1, size))
        return ctypes.addressof(ctypes.c_char.from_buffer(self._maps[-1]))

    def thread(self, name: str) -> ThreadDoor:
        """Return the surfaces of the thread of that name, made on first use."""
        version = self.machine.profile.driver_version
        return ThreadDoor(self, driver(lambda: self.thread_of(name), version), CLevel(lambda: self.thread_of(name)))

    def begin_exit(self) -> None:
        """Begin an orderly end: the driver's exit handler has run, and every further call answers DEINITIALIZED."""
        self.machine.tear_down(self)

    def exit(self) -> None:
        """End the process in order: exit handlers have run, the driver is torn down, its resources are reclaimed."""
        self.machine.end(self)

    def kill(self) -> None:
        """End the process as SIGKILL does: a kernel reclaims what it held; what others still map stays."""
        self.machine.end(self)


P = TypeVar("P", bound=Process)


class Machine(Controls):
    """A simulated machine; as a context manager it is closed at the end.

    See :class:`fakecuda.model.machine.Machine` for its arguments and attributes.
    """

    processes: dict[str, Process]  # type: ignore[assignment]

    def __init__(self, *args: Any, **keywords: Any) -> None:  # noqa: ANN401 - those of the model
        """Make a machine; a forked child of the OS process goes on with a copy of it."""
        super().__init__(*args, **keywords)
        self.sharing: Sharing | None = None
        _machines.add(self)

    @contextmanager
    def shared(self, *, export: bool = True) -> Iterator[Sharing]:
        """Let the programs that are started meanwhile attach to the machine: each is a process of it.

        They find it by environment variables; see :mod:`fakecuda.sharing`.

        Args:
            export: Set these variables in this process, for all that it starts; otherwise ``Sharing.environ`` has them.

        Raises:
            FakeCudaError: The machine is shared already, or there is no driver library for this processor.
        """
        from fakecuda.sharing.owner import Sharing  # noqa: PLC0415 - of an extra

        sharing = Sharing(self)
        try:
            if export:
                sharing.export()
            yield sharing
        finally:
            sharing.close()

    def close(self) -> None:
        """Take back the offer to other programs, end every process and give the machine's memory back."""
        if self.sharing is not None:
            self.sharing.close()
        super().close()

    def fork(self, forking: int) -> None:
        """Go on in a forked child of the OS process, where a driver that was initialised before does not work."""
        if self.sharing is not None:
            from fakecuda.sharing.forked import attach_instead  # noqa: PLC0415 - of an extra

            attach_instead(self)
            return
        super().fork(forking)
        here = self.processes.get("here")
        if here is not None and here.state == READY:
            here.state = FORKED

    def spawn(
        self,
        name: str | None = None,
        *,
        visible_devices: str | None = None,
        imex_channels: tuple[int, ...] | None = None,
    ) -> Process:
        """Return a new simulated OS process.

        Args:
            name: Its name; the next free letter by default.
            visible_devices: Its CUDA_VISIBLE_DEVICES, ``"1,0"`` or ``"GPU-fb83"``, read by cuInit; None where it is not set.
            imex_channels: The IMEX channels that its user has access to; channel 0 by default, where the machine has one.

        Raises:
            ValueError: A process of that name is alive.
        """
        if name is not None and name in self.processes and self.processes[name].alive:
            msg = f"a process named {name!r} is alive: give the new one another name"
            raise ValueError(msg)
        process = self.adopt(Process, name)
        process.visible_devices = visible_devices
        if imex_channels is not None:
            process.imex_channels = imex_channels
        return process

    def adopt(self, kind: type[P], name: str | None) -> P:
        """Return a new process of a kind, under a name or the next free letter."""
        name = name or next(n for n in state.names() if n not in self.processes)
        process = self.processes[name] = kind(self, name)
        return process

    @property
    def here(self) -> Process:
        """The simulated process that stands for this OS process; the native door acts as it."""
        with self.lock:  # two threads may ask first at once
            return self.processes.get("here") or self.spawn("here")

    @property
    def log(self) -> list[CallRecord]:
        """The calls that were made, oldest first; the machine keeps the last 10,000."""
        return [
            CallRecord(thread.process.name, thread.name, op.name, args, code, outs, rule, facts)
            for thread, op, args, code, outs, rule, facts in self.calls
        ]

    def snapshot(self) -> Any:  # noqa: ANN401 - nested tuples
        """Return the whole state as a comparable value; the call log and findings are no part of it."""
        return snapshot(self)

    def check_invariants(self) -> None:
        """Assert what always holds of a machine: references, accounts and tables agree."""
        check(self)

    def __enter__(self) -> Self:
        """Return the machine."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the machine."""
        self.close()


_machines: WeakSet[Machine] = WeakSet()
_forking: list[int] = []


def _before_fork() -> None:
    _forking[:] = [threading.get_native_id()]


def _forked() -> None:
    for machine in list(_machines):
        if not machine.closed:
            machine.fork(*_forking)


os.register_at_fork(before=_before_fork, after_in_child=_forked)
