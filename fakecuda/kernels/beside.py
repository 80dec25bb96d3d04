"""Other threads' calls beside a launch that executes much.

A launch changes nothing before its end: its writes are its own until then. So other threads, and processes of a shared machine,
may make calls while native code executes. Memory that the launch uses stays where it is, even if it is freed. If other calls have
changed something, the call that launches runs again from its first check (:class:`~fakecuda.model.call.RetryCall`). It takes the
result of the first run if its memory is there, and what it has used was not written to; else it launches again, alone.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.errors import MachineClosed
from fakecuda.model.call import WAITING, RetryCall, has_paused
from fakecuda.model.effect import watched
from fakecuda.model.memory.backing import DeviceMemory
from fakecuda.model.os.interruption import ATOMIC, deferred, run_deferred

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.private import PrivateRun
    from fakecuda.model.call import Call
    from fakecuda.model.effect import Act
    from fakecuda.model.machine import Machine
    from fakecuda.model.memory.backing import Extent

    Range = tuple[Extent, int, int]
    """A part of an extent: its first byte, and the end."""

LONG = 1 << 24
"""How many instructions a launch executes before other threads may come in between."""
SHORT, OFTEN = 1 << 16, 1 << 20
"""Steps of native code that execute fewer instructions than ``SHORT`` keep the lock, but for one in ``OFTEN`` instructions."""
PAUSE = 0.0005
"""Seconds for other threads after such a step."""
RELEASED = ctypes.CFUNCTYPE(ctypes.c_uint64, *[ctypes.c_uint64] * 4)
"""The type of native functions that do not hold the interpreter's lock."""


@define(eq=False)
class Done:
    """The result of a launch whose call runs again.

    Attributes:
        given: The kernel, how it is launched, and its arguments.
        run: The run.
        written: What other calls have written to meanwhile, as ranges of extents.
    """

    given: tuple[Any, ...]
    run: PrivateRun | None = None
    written: set[Range] = field(factory=set)

    def fits(self, *given: Any) -> bool:
        """Return whether it is the result of a launch that is made now."""
        run = self.run
        return run is not None and given == self.given and run.memory.is_current() and not self._conflicts(run)

    def _conflicts(self, run: PrivateRun) -> bool:
        """Return whether other calls have written to what the launch has used, but for strong loads, which may see it."""
        used = [one for place in (*run.read, *run.written, *run.updated) for one in run.pieces(*place)]
        return any(
            extent is own and start < first + size and first < end
            for own, first, size in used
            for extent, start, end in self.written
        )


@define(eq=False)
class Beside:
    """What lets other threads make their calls beside a launch.

    Attributes:
        machine: The machine.
        run: The run of the launch.
        changed: Whether something was changed meanwhile.
        written: What was written to.
        out: How often the lock was held before it was released. None while this thread holds it.
    """

    machine: Machine
    run: PrivateRun
    changed: bool = False
    written: set[Range] = field(factory=set)
    out: Any = None
    _paused: bool = False
    _held: list[tuple[DeviceMemory, int, int]] = field(factory=list)
    _until: ExitStack | None = None

    def step(self, function: Any, *args: int, brief: bool) -> int:
        """Call native code, without the machine's lock unless the launch uses memory that cannot be held.

        Args:
            function: The native function.
            args: Its arguments.
            brief: Whether it takes so little time that others need more.
        """
        if not self._holds_all():
            return int(function(*args))
        if self._until is None:
            self._until = ExitStack()
            self._until.enter_context(watched(self._note))
        self._paused = has_paused()
        released = RELEASED(ctypes.cast(function, ctypes.c_void_p).value or 0)
        return _executed(self, released, args, PAUSE if brief else 0)

    def let(self) -> None:
        """Release the lock."""
        lock: Any = self.machine.lock
        if self._paused:
            gc.enable()
        self.out = lock._release_save()  # noqa: SLF001 - as conditions do

    def take(self) -> None:
        """Take the lock again."""
        lock: Any = self.machine.lock
        lock._acquire_restore(self.out)  # noqa: SLF001 - as conditions do
        self.out = None
        if self._paused:
            gc.disable()

    def within(self, function: Callable[..., int], *args: int) -> int:
        """Serve native code under the lock. It stays taken if the launch uses memory now that cannot be held."""
        self.take()
        try:
            return function(*args)
        finally:
            if self._holds_all():
                self.let()

    def end(self) -> None:
        """Let the memory go; the launch has ended."""
        if self._until is None:
            return
        with self.machine.lock:
            self._until.close()
            for memory, start, end in self._held:
                memory.let_go(start, end)
                self.written |= memory.leave()
            self._held.clear()

    def _holds_all(self) -> bool:
        """Keep the memory that the launch uses where it is; return whether that is possible."""
        for part in self.run.memory.parts[len(self._held) :]:
            extent = part.item.extent
            memory = extent.memory
            if not isinstance(memory, DeviceMemory):
                return False
            memory.hold(extent.offset, extent.offset + extent.size)
            memory.enter()
            self._held.append((memory, extent.offset, extent.offset + extent.size))
        return True

    def _note(self, act: Act) -> None:
        """Note what an effect changes."""
        self.changed = True
        self.written.update((extent, start, start + size) for extent, start, size in act.written)


def _executed(beside: Beside, function: Callable[..., int], args: tuple[int, ...], pause: float) -> int:
    """Call native code without the lock, and then run what signals have deferred."""
    try:
        beside.let()
        found = function(*args)
        if pause:
            time.sleep(pause)
        if deferred:
            run_deferred(sys._getframe())  # noqa: SLF001 - as call.under_way
        return found
    finally:
        if beside.out is not None:
            beside.take()


WAITING.add(_executed.__code__)
ATOMIC.add(Beside.within.__code__)


def done_of(call: Call | None) -> Done | None:
    """Return the result of the launch that a call has made before. None without any."""
    if call is None or not call.awaited:
        return None
    return next((one for one in call.awaited if isinstance(one, Done)), None)


def is_alone(machine: Machine) -> bool:
    """Return whether no other thread can make a call now."""
    return threading.active_count() == 1 and len(machine.scheduler.census.callers) <= 1


def again(beside: Beside, call: Call, given: tuple[Any, ...], run: PrivateRun | None) -> None:
    """Have the call run again if other calls have changed something.

    Raises:
        RetryCall: They have.
        MachineClosed: The machine was closed.
        ProcessDied: The process has ended.
    """
    if beside.changed:
        try:
            call.process.lives()
        except MachineClosed as error:
            error.waited = True
            raise
        raise RetryCall(Done(given, run, beside.written))
