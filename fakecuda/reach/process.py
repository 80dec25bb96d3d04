"""A simulated OS process for users: the model's process with its surfaces."""

from __future__ import annotations

import ctypes
import mmap
from collections import deque
from functools import cached_property
from typing import TYPE_CHECKING, Self

from attrs import define, evolve, field, frozen

from fakecuda.errors import FakeCudaError
from fakecuda.model.code import linking
from fakecuda.model.graph import capture, user_object
from fakecuda.model.graph.in_fork import in_fork
from fakecuda.model.memory import array
from fakecuda.model.os import process as process_state
from fakecuda.model.os.process import FORKED, READY
from fakecuda.model.os.thread import Thread
from fakecuda.model.work.event import Event
from fakecuda.model.work.stream import Stream
from fakecuda.reach.bindings import lazy
from fakecuda.reach.bindings.c import CLevel

if TYPE_CHECKING:
    from fakecuda.model.os.threads import Callers
    from fakecuda.reach.bindings.driver import Driver
    from fakecuda.reach.bindings.hip import Hip
    from fakecuda.reach.bindings.runtime import Runtime
    from fakecuda.reach.native.cudart import Cudart


@frozen(slots=False)
class ThreadDoor:
    """The surfaces of a named thread of a process, each created on first use.

    Attributes:
        process: The process.
        c: The C level.
    """

    process: Process
    c: CLevel
    _callers: Callers = field(repr=False)

    @cached_property
    def driver(self) -> Driver:
        """The look-alike of cuda.bindings.driver."""
        return lazy.driver(self._callers, self.process.machine.profile.driver_version)

    @cached_property
    def runtime(self) -> Runtime:
        """The look-alike of cuda.bindings.runtime."""
        return lazy.runtime(self._callers)

    @cached_property
    def hip(self) -> Hip:
        """The look-alike of rocm.bindings.hip."""
        return lazy.hip(self._callers)


def _end_fork(thread: Thread) -> None:
    """End a fork after the one call that it was made for."""
    if thread.process.state == READY:
        thread.machine.end(thread.process)
    else:
        linking.let_go(thread.process)


@define(eq=False, slots=False)
class Process(process_state.Process):
    """A simulated OS process with its surfaces, each created on first use.

    These are kept in its ``__dict__``: with slots, attrs would write a ``__getattr__`` for them, and with that Python takes
    twice as long for every attribute, those of the model included.
    """

    _functions: Thread | None = field(default=None, repr=False)
    _doors: dict[str, ThreadDoor] = field(factory=dict, repr=False)
    _maps: list[mmap.mmap] = field(factory=list, repr=False)

    @cached_property
    def driver(self) -> Driver:
        """The look-alike of cuda.bindings.driver, for the calling Python thread."""
        return lazy.driver(self.threads, self.machine.profile.driver_version)

    @cached_property
    def runtime(self) -> Runtime:
        """The look-alike of cuda.bindings.runtime, for the calling Python thread."""
        return lazy.runtime(self.threads)

    @cached_property
    def hip(self) -> Hip:
        """The look-alike of rocm.bindings.hip, for the calling Python thread."""
        return lazy.hip(self.threads)

    @cached_property
    def runtime_version(self) -> int:
        """The version of the runtime library, that of the installed look-alike."""
        return lazy.runtime_version()

    @cached_property
    def c(self) -> CLevel:
        """The C-level surface: plain values, and null results by name."""
        return CLevel(self.current_thread)

    @cached_property
    def forked(self) -> CLevel:
        """The C-level surface in forks: each call is made in a new fork of the process."""
        return CLevel(self._fork, _end_fork)

    @cached_property
    def inside(self) -> CLevel:
        """The C-level surface in a host function that a stream calls."""
        return CLevel(self._function)

    def _fork(self) -> Thread:
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
        thread.follow(parent)
        return thread

    def give_to(self, fork: process_state.Process) -> None:
        """Give a new process what a fork inherits: state, arrays, events and streams."""
        fork.become_fork(self.state)
        fork.visible_devices, fork.module_loading = self.visible_devices, self.module_loading
        for context in self.contexts.values():
            twin = evolve(
                context,
                process=fork,
                arrays={},
                textures={},
                surfaces={},
                events={},
                streams={},
                free_places=list(context.free_places),
            )
            twin.events = {handle: evolve(event, context=twin) for handle, event in context.events.items()}
            twin.shared_events = [twin.events.get(event.handle, event) for event in context.shared_events]
            twin.streams = {
                handle: evolve(stream, context=twin, work=deque(), follows={}, origin=stream, taken=None)
                for handle, stream in context.streams.items()
            }
            twin.arrays = array.in_fork(twin, context.arrays)
            fork.contexts[context.handle] = twin
            fork.arrays |= twin.arrays
            fork.events |= twin.events
            fork.streams |= twin.streams
        fork.dead_contexts = dict(self.dead_contexts)
        objects = user_object.in_fork(fork, self.user_objects.live.values())
        fork.user_objects.live = {item.handle: twin for item, twin in objects.items()}
        fork.graphs = in_fork(fork, self.graphs, objects)
        fork.loaded = dict(linking.in_fork(fork, self.loaded))
        fork.captures = self.captures and capture.in_fork(fork, self.captures)
        fork.turn_gate()
        fork.pools = self.pools.in_fork()
        fork.freed.update((value, item) for value, item in self.freed.items() if isinstance(item, Event | Stream))
        fork.devices, fork.runtimes.started = self.devices, self.runtimes.started

    def _function(self) -> Thread:
        """Return the thread that runs host functions for streams."""
        self.current_thread()  # which a process that has ended does not have
        if self._functions is None:
            self._functions = Thread(self, self.machine, "function", in_function=True)
        return self._functions

    def __enter__(self) -> Self:
        """Make code in this OS process act as the process, in every thread.

        Raises:
            FakeCudaError: Nothing in this OS process reaches the machine, or a client is loaded that keeps objects of the
                driver for as long as its OS process lives.
            ProcessDied: The process has ended.
        """
        self.current_thread()
        lead = getattr(self.machine, "lead", None)
        if lead is None:
            msg = (
                f"no call of this program reaches the machine of simulated process {self.name}, so `with process:` "
                "is not possible: use the machine of the `fakecuda` fixture or of `with fakecuda.simulate()`"
            )
            raise FakeCudaError(msg)
        lead(self)
        return self

    def __exit__(self, *_: object) -> None:
        """Make code in this OS process act as the former process again."""
        lead = getattr(self.machine, "lead", None)
        if lead is not None:
            lead(None)

    def c_function(self, name: str) -> int:
        """Return the address of a C library function, for a stream to call."""
        return ctypes.cast(ctypes.CDLL(None)[name], ctypes.c_void_p).value or 0

    def host_memory(self, size: int) -> int:
        """Return the address of new host memory: whole zeroed pages.

        Args:
            size: Bytes.
        """
        self._maps.append(mmap.mmap(-1, size))
        return ctypes.addressof(ctypes.c_char.from_buffer(self._maps[-1]))

    def thread(self, name: str) -> ThreadDoor:
        """Return the surfaces of the thread with a name, created on first use."""
        door = self._doors.get(name)
        if door is None:
            callers = self.callers_as(name)
            door = self._doors[name] = ThreadDoor(self, CLevel(callers.current), callers)
        return door

    @cached_property
    def cudart(self) -> Cudart:
        """The runtime library for ctypes: ``cudart.cudaMalloc(byref(pointer), 4096)``."""
        from fakecuda.reach.native.cudart import Cudart, Functions, soname  # noqa: PLC0415 - few programs call it

        return Cudart(Functions(self.current_thread), soname(self.runtime_version))

    def begin_exit(self) -> None:
        """Run the driver's exit handler, so that later calls return DEINITIALIZED."""
        self.machine.tear_down(self)

    def exit(self) -> None:
        """End the process in order: run exit handlers, and release its resources."""
        self.machine.exit(self)

    def kill(self) -> None:
        """Kill the process as SIGKILL does: release its resources without exit handlers."""
        self.machine.end(self)
