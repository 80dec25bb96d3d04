"""A machine with two attached processes, and tests of damaged frames of one."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import sys
import threading
import time
import tracemalloc
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from attrs import define

from conformance.fuzz.exchanges import EXCHANGES, HERE, ROOM, SIZE, Peer, Stop, start
from conformance.fuzz.relay import Place, Relay
from conformance.fuzz.whole import harm, is_held
from fakecuda import Machine
from fakecuda.errors import FakeCudaError
from fakecuda.model.os.interruption import is_torn
from fakecuda.model.os.threads import running
from fakecuda.reach.remote.client import client, connecting, service
from fakecuda.reach.remote.client.client import RemoteMachine
from fakecuda.reach.remote.protocol import frames
from fakecuda.reach.remote.protocol.frames import close_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.fuzz.relay import Frame
    from conformance.fuzz.trials import Trials

PROLOGUE = 9
"""The number of first frames of each exchange, damaged only in the first exchange."""
LIMIT = 120.0
"""Seconds after which an exchange hangs."""
LEAVING = 2.0
"""Seconds that a leaving process waits for its owner, enough without damage."""
GREETED = 10.0
"""Seconds that a process waits for its greeting's answer: less than ``LIMIT``."""
TIMEOUT = 0.03
"""Seconds that the machine and the process wait for each other."""
LONGER = 3.0
"""Seconds for a second attempt, if the exchange ended before the frame."""
MOST = 4 << 20
"""The maximum bytes of memory that a frame may cost."""
SIGNAL = signal.SIGUSR1


@define(frozen=True)
class Damage:
    """A damage of a frame.

    Attributes:
        kind: One of ``KINDS``.
        at: At which of its bytes; for ``repeat``, one behind the last one means the whole frame.
        mask: The bits that are flipped.
    """

    kind: str
    at: int
    mask: int = 0

    def __call__(self, content: bytes) -> tuple[bytes, bool]:
        """Return the damaged frame, and whether the connection ends after it."""
        at = min(self.at, len(content))
        if self.kind == "flip":
            return content[:at] + bytes(one ^ self.mask for one in content[at : at + 1]) + content[at + 1 :], False
        if self.kind == "repeat":
            return content[: at + 1] + content[at if at < len(content) else 0 :], False
        return content[:at], self.kind == "cut"

    def __str__(self) -> str:
        return f"{self.kind} at {self.at}" + (f" by {self.mask:#04x}" if self.mask else "")


class Bench:
    """A machine with two attached processes: one intact, one with damaged frames.

    Args:
        ending: Ends it.
    """

    def __init__(self, ending: ExitStack) -> None:
        self.machine = ending.enter_context(Machine("h200-x2", seed=0, wait_timeout=float("inf")))
        sharing = ending.enter_context(self.machine.shared(export=False))
        ending.enter_context(harmless())
        self.raised = ending.enter_context(caught())
        ending.enter_context(handled(self))
        self.good = RemoteMachine(sharing.path)
        ending.callback(self.good.close)
        c = start(self.good)
        self.memory = c.cuMemAlloc(SIZE)[1]
        self.calls = self.good.here.thread("calls").c  # of whichever thread looks
        self.calls.cuCtxSetCurrent(c.cuCtxGetCurrent()[1])
        self.peer = Interrupting(self.machine)
        self.peer.memory = c.cuIpcGetMemHandle(self.memory)[1]
        self.peer.event = c.cuIpcGetEventHandle(c.cuEventCreate(6)[1])[1]
        self.relay = Relay(sharing.path)
        ending.callback(self.relay.close)
        self.exchanging = False
        self._number = sharing.address.rpartition("#")[2]

    def record(self, name: str) -> list[Frame]:
        """Return the frames of an undamaged exchange."""
        self.machine.scheduler.wait_timeout = float("inf")
        for _ in range(2):  # the first one imports
            self.relay.begin()
            outcome = self._exchange(name)
            assert outcome.partition(":")[0] in {"", "UndefinedBehaviour"}, outcome
            seen = self.relay.frames
            until(lambda: not self._alive())
        return seen[0 if name == next(iter(EXCHANGES)) else PROLOGUE :]

    def damage(self, name: str, place: Place, damage: Damage, trials: Trials) -> None:
        """Damage a frame of an exchange, and check the effects."""
        for seconds in (TIMEOUT, LONGER):
            frames.REST = client.TIMEOUT = seconds
            self.machine.scheduler.wait_timeout = float("inf") if damage.kind == "stop" else seconds
            if self._reached(name, place, damage, trials):
                return

    def _reached(self, name: str, place: Place, damage: Damage, trials: Trials) -> bool:
        """Damage a frame, check the effects, and return whether the frame was reached."""
        stops = damage.kind == "stop"
        threads = running()
        before = self._descriptors()
        reached, harm = list[bool](), list[str]()

        def do(content: bytes) -> tuple[bytes, bool]:
            reached.append(True)
            if stops:
                harm.extend(self._others())
                return content, False
            if damage.kind == "kill":
                self.relay.end()
            return damage(content)

        self.relay.begin(place, do)
        stood, over = list[str](), threading.Event()
        watch = threading.Thread(target=self._watch, args=(over, stood), name="watch")
        watch.start()
        tracemalloc.reset_peak()
        base = tracemalloc.get_traced_memory()[0]
        outcome = self._exchange(name)
        wrong = [f"raises {outcome[1:]}"] if outcome.startswith("!") else []
        cost = tracemalloc.get_traced_memory()[1] - base
        wrong += harm
        if stops and outcome.partition(":")[0] not in {"", "UndefinedBehaviour"}:
            wrong.append(f"hears {outcome}, though it was stopped alone")
        if cost > MOST:
            wrong.append(f"costs {cost} bytes")
        self.machine.scheduler.wait_timeout = LIMIT  # the owner may wait when it ends a process
        wrong += self._left(threads | {watch.native_id or 0}, before)
        over.set()
        watch.join()
        wrong += stood
        wrong += self._harm()
        if reached:
            trials.counts["frames"] += 1
            trials.outcomes[outcome.partition(":")[0]] += 1
        trials.wrong += [f"{name}, {damage} of {place}: {line}" for line in wrong]
        return bool(reached)

    def _exchange(self, name: str) -> str:
        """Run an exchange; return what the process received, with ``!`` before errors."""
        process = RemoteMachine(f"{self.relay.path}#{self._number}")
        self.exchanging = True
        try:
            EXCHANGES[name](process, self.peer)
        except (FakeCudaError, Stop) as error:
            text = str(error)
            if not isinstance(error, Stop) and (not text or "Traceback" in text):
                return f"!{type(error).__name__} that says {text!r}"
            return f"{type(error).__name__}: {text}"
        except Exception as error:  # noqa: BLE001 - what must not come
            return f"!{error!r} in {_place(error)}"
        finally:
            self.exchanging = False
            process.close()
            close_all(self.peer.kept)
            self.peer.kept.clear()
            self.peer.over()
        return ""

    def _watch(self, over: threading.Event, stood: list[str]) -> None:
        """End a hanging exchange."""
        if not over.wait(LIMIT):
            faulthandler.dump_traceback()
            stood.append(f"stands still for {LIMIT:g} s: the stacks of all threads are above")
            self.relay.begin()

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Hold the machine's lock, if it is free."""
        if not self.machine.lock.acquire(timeout=LIMIT):
            faulthandler.dump_traceback()
            msg = f"nobody gets the machine's lock: {self.machine.lock!r}; the stacks of all threads are above"
            raise AssertionError(msg)
        try:
            yield
        finally:
            self.machine.lock.release()

    def _alive(self) -> list[Any]:
        with self._lock():
            return [
                one
                for one in list(self.machine.processes.values())
                if one.alive and one is not self.machine.here and one.name != self.good.here.name
            ]

    def _descriptors(self) -> int:
        """Return the number of this OS process's descriptors, after a clean-up of exports."""
        with self._lock():
            self.machine.exchange.reap()
        return descriptors()

    def _left(self, threads: Any, before: int) -> Iterator[str]:
        """Yield objects that remain of the process."""
        if not until(lambda: not self._alive()):
            yield f"leaves {self._alive()}"
        if not until(lambda: running() <= threads):
            yield f"leaves threads: {[one.name for one in threading.enumerate()]}"
        if not until(lambda: self._descriptors() <= before):
            yield f"leaves {self._descriptors() - before} descriptors"

    def _harm(self) -> Iterator[str]:
        """Yield failed invariants of the machine and of other processes."""
        for line in self.raised:
            yield f"a thread ends by {line}"
        self.raised.clear()
        yield from harm(self.machine)
        if not (is_held(self.machine) or is_torn(self.machine)):
            yield from self._others()

    def _others(self) -> Iterator[str]:
        """Yield messages that another process must not receive."""
        try:
            c = self.calls
            code, memory = c.cuMemAlloc(SIZE)
            codes = [code, c.cuMemFree(memory)[0], c.cuMemGetAddressRange(self.memory)]
            if codes != [0, 0, (0, self.memory, SIZE)]:
                yield f"another process hears {codes}"
        except Exception as error:  # noqa: BLE001 - whatever it is
            yield f"another process hears {error!r}"


class Interrupting(Peer):
    """Interrupts a call of the damaged process while it waits.

    Args:
        machine: The machine.
    """

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self._machine = machine
        self._over = False
        self._thread: threading.Thread | None = None

    def when_waiting(self, act: Callable[[], None]) -> None:
        """Run a function once a call waits."""

        def look() -> None:
            while not self._over and not self._machine.scheduler.census.waiting:
                time.sleep(0.0005)
            if not self._over:
                act()

        self._over = False
        self._thread = threading.Thread(target=look, name="interrupts")
        self._thread.start()

    def over(self) -> None:
        """Interrupt nothing any more."""
        self._over = True
        if self._thread is not None:
            self._thread.join()
            self._thread = None


@contextmanager
def harmless() -> Iterator[None]:
    """Restrict attached processes to their own memory, no functions, and short waits."""
    before = service.ctypes, service.libc, frames.REST, client.TIMEOUT, client.LEAVING, connecting.GREETED  # type: ignore[attr-defined]
    service.ctypes = SimpleNamespace(  # type: ignore[attr-defined, assignment]
        string_at=lambda at, size: ctypes.string_at(at, size) if _own(at, size) else bytes(size),
        memmove=lambda to, content, size: (
            ctypes.memmove(to, content, size) if type(content) is bytes and _own(to, size) else None
        ),
        memset=lambda to, value, size: ctypes.memset(to, value, size) if _own(to, size) else None,
        CFUNCTYPE=lambda *_: lambda _: lambda *_: None,
        c_void_p=service.KINDS["P"],
        c_int=service.KINDS["i"],
    )
    service.libc = SimpleNamespace(mmap=lambda address, *_: address, munmap=service.libc.munmap)  # type: ignore[attr-defined, assignment]
    client.LEAVING, connecting.GREETED = LEAVING, GREETED
    try:
        yield
    finally:
        service.ctypes, service.libc, frames.REST, client.TIMEOUT, client.LEAVING, connecting.GREETED = before  # type: ignore[attr-defined]


def _own(address: int, size: int) -> bool:
    """Return whether a range is memory of the exchanges."""
    return HERE <= address <= address + size <= ctypes.addressof(ROOM) + len(ROOM)


@contextmanager
def caught() -> Iterator[list[str]]:
    """Yield exceptions that end threads or that no handler receives."""
    seen: list[str] = []
    before = threading.excepthook, sys.unraisablehook

    def hear(one: Any) -> None:
        seen.append(f"{one.exc_value!r} in {_place(one.exc_value)}")

    threading.excepthook = sys.unraisablehook = hear
    try:
        yield seen
    finally:
        threading.excepthook, sys.unraisablehook = before


@contextmanager
def handled(bench: Bench) -> Iterator[None]:
    """Handle the signal that interrupts calls."""

    def stop(*_: object) -> None:
        if bench.exchanging:
            raise Stop

    before = signal.signal(SIGNAL, stop)
    try:
        yield
    finally:
        signal.signal(SIGNAL, before)


def _place(error: BaseException) -> str:
    """Return where an exception was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else "no frame"


def until(condition: Callable[[], bool]) -> bool:
    """Return whether a condition becomes true in time."""
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.0005)
    return True


def descriptors() -> int:
    """Return the number of this process's descriptors."""
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are enough
