"""``python -m conformance.record.waits --out FILE``: what calls answer that wait while another thread does something.

A stream waits for a flag in memory of the host. One thread makes a call that waits for that stream; then another one
destroys, frees or queues something; then the host writes the flag, and a second one for which later work waits. What
both calls answered, and when, is a line of the table that ``conformance/data/waits`` keeps. Each is asked in a process of
its own, for a driver may end it; the same calls run on a machine of fakecuda in ``tests/model/test_waits.py``.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import mmap
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, field

if TYPE_CHECKING:
    from collections.abc import Callable

PAUSE = 0.4
"""Seconds after which a call on a card waits that has not returned."""
SLOW = 3.0
"""The same for one that ends a context, once the first flag is written."""
PATIENCE = 20
"""Seconds after which a process on a card is killed."""
WHEN = ("at once", "meanwhile", "by the first flag", "by the second flag")
"""When a call has returned: before anything else was done, before a flag was written, after the first, after the second."""
NEVER = "never"
SIZE, LARGE = 4096, 1 << 20
"""Bytes of most copies, and of large ones."""


def _pages() -> tuple[ctypes.Array[ctypes.c_uint32], ...]:
    """Return two pages of memory, which the arrays keep."""
    return tuple((ctypes.c_uint32 * (SIZE // 4)).from_buffer(mmap.mmap(-1, SIZE)) for _ in range(2))


@define(eq=False)
class World:
    """What the threads of a program use.

    Attributes:
        created: Whether the context is a created one, or the primary context.
    """

    created: bool
    driver: Any = field(init=False)
    context: Any = field(init=False)
    flags: tuple[ctypes.Array[ctypes.c_uint32], ...] = field(init=False, factory=_pages)
    stream: Any = field(init=False)
    event: Any = field(init=False)
    memory: Any = field(init=False)
    pinned: int = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Make a stream that waits, an event behind it, and memory that it uses."""
        self.driver = import_module("cuda.bindings.driver")  # a simulated one, or a card's
        self.ok("cuInit", 0)
        if self.created:
            self.context = self.ok("cuCtxCreate", None, 0, 0)
        else:
            self.context = self.ok("cuDevicePrimaryCtxRetain", 0)
        self.enter()
        for flag in self.flags:  # the program's own memory: it is there still when the context has gone
            self.ok("cuMemHostRegister", ctypes.addressof(flag), SIZE, 0)
        self.memory = self.ok("cuMemAlloc", LARGE)
        self.pinned = int(self.ok("cuMemHostAlloc", SIZE, 0))
        self.stream = self.ok("cuStreamCreate", 0)
        self.event = self.ok("cuEventCreate", 0)
        self.queue(0)
        self.ok("cuMemsetD8Async", self.memory, 1, SIZE, self.stream)
        self.ok("cuEventRecord", self.event, self.stream)

    def ok(self, name: str, *args: Any) -> Any:
        """Make a call that must succeed; return its result."""
        code, *results = getattr(self.driver, name)(*args)
        assert not int(code), (name, code)
        return results[0] if results else None

    def enter(self) -> None:
        """Have the context current in the calling thread."""
        self.ok("cuCtxSetCurrent", self.context)

    def queue(self, flag: int) -> None:
        """Have the stream wait for a flag."""
        place = self.ok("cuMemHostGetDevicePointer", ctypes.addressof(self.flags[flag]), 0)
        self.ok("cuStreamWaitValue32", self.stream, place, 1, 1)

    def write(self, flag: int) -> None:
        """Write a flag."""
        self.flags[flag][0] = 1

    def driver_call(self, name: str, *args: Any) -> int:
        """Return what a call of the driver API answers."""
        return int(getattr(self.driver, name)(*args)[0])

    def runtime_call(self, name: str, *args: Any) -> int:
        """Return what a call of the runtime API answers."""
        return int(getattr(import_module("cuda.bindings.runtime"), name)(*args)[0])


def _more(world: World) -> int:
    world.queue(1)
    return 0


def _again(world: World) -> int:
    world.queue(1)
    return world.driver_call("cuEventRecord", world.event, world.stream)


WAITING: dict[str, Callable[[World], int]] = {
    "cuStreamSynchronize": lambda w: w.driver_call("cuStreamSynchronize", w.stream),
    "cuStreamSynchronize of the default stream": lambda w: w.driver_call("cuStreamSynchronize", 0),
    "cuCtxSynchronize": lambda w: w.driver_call("cuCtxSynchronize"),
    "cuEventSynchronize": lambda w: w.driver_call("cuEventSynchronize", w.event),
    "cuMemFree": lambda w: w.driver_call("cuMemFree", w.memory),
    "cuMemFreeHost": lambda w: w.driver_call("cuMemFreeHost", w.pinned),
    "cuMemcpyDtoH": lambda w: w.driver_call("cuMemcpyDtoH", bytearray(SIZE), w.memory, SIZE),
    "cuMemcpyHtoD": lambda w: w.driver_call("cuMemcpyHtoD", w.memory, bytes(SIZE), SIZE),
    "cuMemcpyDtoH to pinned": lambda w: w.driver_call("cuMemcpyDtoH", w.pinned, w.memory, SIZE),
    "cuMemcpyHtoD from pinned": lambda w: w.driver_call("cuMemcpyHtoD", w.memory, w.pinned, SIZE),
    "cuMemcpyDtoH, large": lambda w: w.driver_call("cuMemcpyDtoH", bytearray(LARGE), w.memory, LARGE),
    "cuMemcpyHtoD, large": lambda w: w.driver_call("cuMemcpyHtoD", w.memory, bytes(LARGE), LARGE),
    "cuCtxDestroy": lambda w: w.driver_call("cuCtxDestroy", w.context),
}
"""Calls that wait, in a created context, by their names."""
PRIMARY: dict[str, Callable[[World], int]] = {
    "cudaStreamSynchronize": lambda w: w.runtime_call("cudaStreamSynchronize", int(w.stream)),
    "cudaDeviceSynchronize": lambda w: w.runtime_call("cudaDeviceSynchronize"),
    "cudaFree": lambda w: w.runtime_call("cudaFree", int(w.memory)),
    "cudaDeviceReset": lambda w: w.runtime_call("cudaDeviceReset"),
    "cuDevicePrimaryCtxReset": lambda w: w.driver_call("cuDevicePrimaryCtxReset", 0),
    "cuDevicePrimaryCtxRelease": lambda w: w.driver_call("cuDevicePrimaryCtxRelease", 0),
}
"""The same in the primary context."""
PASSING: dict[str, Callable[[World], int]] = {
    "cuMemcpyDtoD": lambda w: w.driver_call("cuMemcpyDtoD", int(w.memory) + SIZE, w.memory, SIZE),
    "cuMemsetD8": lambda w: w.driver_call("cuMemsetD8", w.memory, 1, SIZE),
    "cuMemAlloc": lambda w: w.driver_call("cuMemAlloc", SIZE),
    "cuMemAllocHost": lambda w: w.driver_call("cuMemAllocHost", SIZE),
    "cuStreamCreate": lambda w: w.driver_call("cuStreamCreate", 0),
    "cuStreamDestroy": lambda w: w.driver_call("cuStreamDestroy", w.stream),
    "cuEventDestroy": lambda w: w.driver_call("cuEventDestroy", w.event),
}
"""Calls in a created context that do not wait, and are made meanwhile."""
OTHERS: dict[str, Callable[[World], int]] = {
    "nothing": lambda _: 0,
    "more work is queued": _more,
    "the event is recorded again": _again,
}
"""What else is done meanwhile."""


def programs() -> list[tuple[str, str]]:
    """Return the names of the calls: that which waits, and what is done meanwhile."""
    created = [(one, other) for one in WAITING for other in (*OTHERS, *WAITING, *PASSING)]
    return created + [(one, other) for one in PRIMARY for other in (*OTHERS, *PRIMARY)]


@define(eq=False)
class Caller:
    """A thread that makes a call in a world's context.

    Attributes:
        name: The call.
        thread: The thread.
        answer: The call's code, once it has returned.
        error: What has ended the thread instead.
    """

    name: str
    thread: threading.Thread
    answer: int | None = None
    error: BaseException | None = None

    @classmethod
    def of(cls, world: World, name: str, make: Callable[[World], int]) -> Caller:
        """Start one."""

        def call() -> None:
            try:
                world.enter()
                made.answer = make(world)
            except BaseException as error:  # noqa: BLE001 - whoever waits for the answer raises it
                made.error = error

        made = cls(name, threading.Thread(target=call, daemon=True))
        made.thread.start()
        return made

    @property
    def ended(self) -> bool:
        """Whether the call has returned, or has raised something."""
        return self.answer is not None or self.error is not None


def run(one: str, other: str, pause: Callable[[Caller, str], None]) -> dict[str, Any]:
    """Make a call that waits and another one meanwhile; return what both answered, and when.

    Args:
        one: The call that waits.
        other: What is done meanwhile.
        pause: Called with a caller and what has been done by then, one of ``WHEN``; returns when it has ended or waits.

    Raises:
        BaseException: What one of the calls has raised.
    """
    calls = {**OTHERS, **WAITING, **PASSING, **PRIMARY}
    world = World(one in WAITING)
    callers: list[Caller] = []
    told: dict[Caller, str] = {}

    def look(when: str) -> None:
        for caller in callers:
            pause(caller, when)
            if caller.error is not None:
                raise caller.error
            if caller.answer is not None:
                told.setdefault(caller, when)

    callers.append(Caller.of(world, one, calls[one]))
    look(WHEN[0])
    callers.append(Caller.of(world, other, calls[other]))
    look(WHEN[1])
    for flag in (0, 1):
        world.write(flag)
        look(WHEN[2 + flag])
    first, second = ([caller.answer, told.get(caller, NEVER)] for caller in callers)
    return {"call": one, "meanwhile": other, "answer": first, "answer meanwhile": second}


def _on_a_card(names: tuple[str, str]) -> dict[str, Any]:
    """Return what a card answers, or how the process ended."""
    command = [sys.executable, "-m", "conformance.record.waits", "--one", *names]
    told = {"call": names[0], "meanwhile": names[1]}
    try:
        done = subprocess.run(  # noqa: S603 - this module
            command, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return {**told, "ended": "hang"}
    if done.returncode:
        return {**told, "ended": done.returncode, "error": done.stderr[-300:]}
    return dict(json.loads(done.stdout))


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m conformance.record.waits", description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, help="the table, JSON lines")
    parser.add_argument("--one", nargs=2, metavar=("CALL", "MEANWHILE"), help="run one program and print its line")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 1) - 2), help="processes at a time")
    options = parser.parse_args()
    if options.one:
        one, other = options.one
        sys.stdout.write(json.dumps(run(one, other, _wait)))
        sys.stdout.flush()
        os._exit(0)  # whatever waits still
    with ThreadPoolExecutor(options.jobs) as pool:
        lines = [json.dumps(line) for line in pool.map(_on_a_card, programs())]
    options.out.write_text("\n".join(lines) + "\n")


def _wait(caller: Caller, when: str) -> None:
    """Wait until a call on a card has returned, or waits itself as far as can be told."""
    slow = any(word in caller.name for word in ("CtxDestroy", "Reset", "Release"))
    caller.thread.join(SLOW if slow and when in WHEN[2:] else PAUSE)


if __name__ == "__main__":
    main()
