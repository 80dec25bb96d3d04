"""The simulated machine as its users see it: the model with its surfaces."""

from __future__ import annotations

import ctypes
import mmap
import os
import threading
from collections import deque
from contextlib import contextmanager
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Self, TypeVar
from weakref import WeakSet

from attrs import define, evolve, field, frozen

from fakecuda.controls import Controls
from fakecuda.model import machine as state
from fakecuda.model import process as process_state
from fakecuda.model.event import Event
from fakecuda.model.process import FORKED, READY
from fakecuda.model.snapshot import check, snapshot
from fakecuda.model.stream import Stream
from fakecuda.surfaces import late
from fakecuda.surfaces.c import CLevel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from fakecuda.native.cudart import Cudart
    from fakecuda.rules.core import Rule
    from fakecuda.sharing.owner import Sharing
    from fakecuda.surfaces.driver import Driver
    from fakecuda.surfaces.hip import Hip
    from fakecuda.surfaces.runtime import Runtime


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
        from fakecuda.api import api_of  # noqa: PLC0415 - many machines are never asked for their calls

        args = ", ".join(hex(a) if isinstance(a, int) and a > 0xFFFF else repr(a) for a in self.args)  # noqa: PLR2004
        code = "undefined" if self.code is None else api_of(self.call).short(self.code)
        rule = f"  [{self.rule.id}]" if self.rule else ""
        return f"{self.process}/{self.thread}  {self.call}({args}) -> {code}{rule}"


@frozen
class ThreadDoor:
    """The surfaces of one named thread of a process.

    Attributes:
        process: The process.
        driver: The look-alike of cuda.bindings.driver.
        runtime: The look-alike of cuda.bindings.runtime.
        c: The C level.
    """

    process: Process
    driver: Driver
    runtime: Runtime
    c: CLevel

    @property
    def hip(self) -> Hip:
        """The look-alike of rocm.bindings.hip."""
        return late.hip(self.c.find)


def _end_fork(thread: process_state.Thread) -> None:
    """End a fork that has initialised a driver of its own, with the one call that it was made for."""
    if thread.process.state == READY:
        thread.machine.end(thread.process)


@define(eq=False)
class Process(process_state.Process):
    """A simulated OS process and the surfaces by which it is reached, each made when it is first asked for."""

    _functions: process_state.Thread | None = field(default=None, repr=False)
    _doors: dict[str, ThreadDoor] = field(factory=dict, repr=False)
    _maps: list[mmap.mmap] = field(factory=list, repr=False)

    @cached_property
    def driver(self) -> Driver:
        """The look-alike of cuda.bindings.driver; the calling Python thread is a thread of the process."""
        return late.driver(self.current_thread, self.machine.profile.driver_version)

    @cached_property
    def runtime(self) -> Runtime:
        """The look-alike of cuda.bindings.runtime, in the same way."""
        return late.runtime(self.current_thread)

    @cached_property
    def hip(self) -> Hip:
        """The look-alike of rocm.bindings.hip, as hip-python gives it, in the same way."""
        return late.hip(self.current_thread)

    @cached_property
    def runtime_version(self) -> int:
        """The version of the runtime library: that of the installed look-alike's."""
        return late.runtime_version()

    @cached_property
    def c(self) -> CLevel:
        """The C level: plain values, null results by name."""
        return CLevel(self.current_thread)

    @cached_property
    def forked(self) -> CLevel:
        """The C level, each call made in a fork of the process."""
        return CLevel(self._fork, _end_fork)

    @cached_property
    def inside(self) -> CLevel:
        """The C level, each call made inside of a function of the host that a stream calls."""
        return CLevel(self._function)

    def _fork(self) -> process_state.Thread:
        """Return the thread of a new fork of the process.

        It has the process's memory, copies of its events and streams, the state of its driver and what the runtime library
        remembers. What is asked of these needs no more of the driver than its memory. Pools are the parent's, which calls
        of a fork leave as they are. Where nothing is initialised, the fork may do so, and has what it makes to itself.
        """
        parent = self.current_thread()
        parent = self.threads.get("main", parent)
        fork = process_state.Process(self.machine, f"a fork of {self.name}")
        self.give_to(fork)
        if fork.state == FORKED:
            fork.memory = self.memory
        thread = fork.thread_of("main")
        thread.device, thread.last_error = parent.device, parent.last_error
        return thread

    def give_to(self, fork: process_state.Process) -> None:
        """Give a new process what a fork of this one has of its driver: the state, and copies of events and streams."""
        fork.state = FORKED if self.state == READY else self.state
        fork.visible_devices = self.visible_devices
        for context in self.contexts.values():
            twin = evolve(context, process=fork, events={}, streams={})
            twin.events = {handle: evolve(event, context=twin) for handle, event in context.events.items()}
            twin.streams = {
                handle: evolve(stream, context=twin, work=deque(), follows={}, origin=stream, taken=None)
                for handle, stream in context.streams.items()
            }
            fork.events |= twin.events
            fork.streams |= twin.streams
        fork.pools, fork.default_pools = dict(self.pools), dict(self.default_pools)
        fork.current_pools = dict(self.current_pools)
        fork.freed.update((value, item) for value, item in self.freed.items() if isinstance(item, Event | Stream))
        fork.devices, fork.started = self.devices, self.started

    def _function(self) -> process_state.Thread:
        """Return the thread that runs functions of the host for streams; it is no thread of the program's own."""
        self.current_thread()  # which a process that has ended does not have
        if self._functions is None:
            self._functions = process_state.Thread(self, self.machine, "function", in_function=True)
        return self._functions

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
        door = self._doors.get(name)
        if door is None:
            find = self.finder(name)
            version = self.machine.profile.driver_version
            door = self._doors[name] = ThreadDoor(self, late.driver(find, version), late.runtime(find), CLevel(find))
        return door

    @cached_property
    def cudart(self) -> Cudart:
        """The runtime library for ctypes: ``cudart.cudaMalloc(byref(pointer), 4096)``."""
        from fakecuda.native.cudart import Cudart, Functions, soname  # noqa: PLC0415 - few programs call it

        return Cudart(Functions(self.current_thread), soname(self.runtime_version))

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
    sharing: Sharing | None

    if not TYPE_CHECKING:  # for a type checker it takes what the model's takes, by name

        @wraps(Controls.__init__)
        def __init__(self, *args: Any, **keywords: Any) -> None:  # noqa: ANN401 - those of the model
            super().__init__(*args, **keywords)
            self.sharing = None
            _machines.add(self)  # a forked child of the OS process goes on with a copy of it

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

            attach_instead(self, forking)
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

    def snapshot(self) -> list[Any]:
        """Return the whole state as a comparable value; the call log and findings are no part of it."""
        with self.lock:
            return snapshot(self)

    def check_invariants(self) -> None:
        """Assert what always holds of a machine: references, accounts and tables agree."""
        with self.lock:
            check(self)

    def __enter__(self) -> Self:
        """Return the machine."""
        self.territory.held = True
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
    for machine in list(_machines):
        if machine.sharing is not None:
            machine.sharing.known = True


def _forked() -> None:
    for machine in list(_machines):
        if not machine.closed:
            machine.fork(*_forking)


os.register_at_fork(before=_before_fork, after_in_child=_forked)
