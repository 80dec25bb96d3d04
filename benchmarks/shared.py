"""A machine shared by several OS processes: times of calls, copies and attaching.

It also measures fairness. The processes are forks that attach. They write their measurements into a pipe.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import statistics
import time
import traceback
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fakecuda import Machine
from fakecuda.reach.remote.client.client import RemoteMachine
from fakecuda.rules.registry import DRIVER

from .effort import EFFORT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.reach.remote.owner.endpoint import Offer

MICRO = 1e-6
IDLE, BUSY = 80 * MICRO, 200 * MICRO
"""Maximum median time of a getter in seconds, while the owner is idle and while it runs Python."""
ATTACH = 20e-3
SIZE = 64 << 20
SHARE = 0.5
"""Minimum speed of a copy, relative to memmove's."""
MANY = 64
CALLS = 1000
FAIR = 2.0
"""Maximum time of the slowest of many processes, relative to the fastest."""
REPEATS = 3000
COPIES = 8
STOPS, BESIDE, DELAY = 30, 100, 50e-3
"""How often a process is stopped, the number of another one's calls meanwhile, and their maximum time in seconds."""
SPIN = 100_000
"""Iterations of a loop without a call that would let other threads run."""


@contextmanager
def offered() -> Iterator[tuple[Machine, Offer]]:
    """Yield a machine and its offer."""
    with Machine("h200-x2", strict=False) as machine, machine.shared(export=False) as sharing:
        yield machine, sharing


def start(sharing: Offer, work: Callable[[RemoteMachine], Any]) -> tuple[int, int]:
    """Fork a process that attaches and works.

    Return its pid and the descriptor of its result.
    """
    ours, theirs = os.pipe()
    pid = os.fork()
    if not pid:
        status = 1
        try:
            result = work(RemoteMachine(sharing.path))
            os.write(theirs, json.dumps(result).encode())
            status = 0
        except BaseException:  # noqa: BLE001 - this process ends here
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(theirs)
    return pid, ours


def result(pid: int, line: int, *, busy: bool = False) -> Any:
    """Return a process's result; meanwhile do nothing, or run Python."""
    while busy and os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        for number in range(SPIN):
            str(number)
    with os.fdopen(line, "rb") as file:
        content = file.read()
    os.waitpid(pid, 0)
    return json.loads(content)


def getter(client: RemoteMachine) -> float:
    """Return the median of a getter's round trips."""
    client.here.c.cuInit(0)
    call, invoke = client.here.current_thread().call, DRIVER.ops["cuDeviceGetCount"].invoke
    taken = []
    for _ in range(EFFORT.of(REPEATS)):
        begun = time.perf_counter()
        invoke(call)
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)


def attach(client: RemoteMachine) -> float:
    """Return the time of the first call, which attaches."""
    begun = time.perf_counter()
    client.here.c.cuInit(0)
    return time.perf_counter() - begun


def round_trips() -> tuple[float, float]:
    """Return a getter's median time while the owner is idle, and while it runs Python."""
    with offered() as (_, sharing):
        idle = result(*start(sharing, getter))
        busy = result(*start(sharing, getter), busy=True)
    return idle, busy


def attachment() -> float:
    """Return the median time of attaching."""
    with offered() as (_, sharing):
        taken: list[float] = [result(*start(sharing, attach)) for _ in range(EFFORT.of(9))]
    return statistics.median(taken)


def many() -> tuple[int, int, float]:
    """Return the number of calls, of right answers, and the ratio of the times.

    They are those of many processes.
    """
    processes, calls = EFFORT.of(MANY, 2), EFFORT.of(CALLS)

    def work(client: RemoteMachine) -> tuple[int, float]:
        client.here.c.cuInit(0)
        call, begun = client.here.c.cuDeviceGetCount, time.perf_counter()
        return sum(call() == (0, 2) for _ in range(calls)), time.perf_counter() - begun

    with offered() as (_, sharing):
        told = [result(*one) for one in [start(sharing, work) for _ in range(processes)]]
    times = [taken for _, taken in told]
    return processes * calls, sum(count for count, _ in told), max(times) / min(times)


def beside_a_stopped_one() -> float:
    """Return the longest time of a call while another process is stopped.

    The other process is stopped in its copies.
    """

    def copy(client: RemoteMachine) -> None:
        c = client.here.c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        (_, memory), room = c.cuMemAlloc(1 << 20), bytearray(1 << 20)
        os.write(here, b"begun")
        while True:
            c.cuMemcpyHtoD(memory, room, 1 << 20)

    there, here = os.pipe()
    with offered() as (_, sharing):
        pid, line = start(sharing, copy)
        os.read(there, 5)

        def work(client: RemoteMachine) -> float:
            client.here.c.cuInit(0)
            call, longest = client.here.c.cuDeviceGetCount, 0.0
            for _ in range(EFFORT.of(STOPS)):
                os.kill(pid, signal.SIGSTOP)
                for _ in range(EFFORT.of(BESIDE)):
                    begun = time.perf_counter()
                    call()
                    longest = max(longest, time.perf_counter() - begun)
                os.kill(pid, signal.SIGCONT)
            return longest

        longest: float = result(*start(sharing, work))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    for descriptor in (there, here, line):
        os.close(descriptor)
    return longest


def copies() -> dict[str, float]:
    """Return the times of copies of 64 MiB, relative to memmove between warm buffers."""

    def work(client: RemoteMachine) -> dict[str, float]:
        c = client.here.c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        handle = os.read(there, 64)
        _, opened = c.cuIpcOpenMemHandle(handle, 1)
        _, own = c.cuMemAlloc(SIZE)
        buffers = [ctypes.create_string_buffer(b"x" * SIZE, SIZE) for _ in range(2)]
        one, other = map(ctypes.addressof, buffers)
        calls: dict[str, Callable[[], object]] = {
            "memmove": lambda: ctypes.memmove(one, other, SIZE),
            "cuMemcpyDtoD of another process's memory": lambda: c.cuMemcpyDtoD(own, opened, SIZE),
            "cuMemcpyHtoD to another process's memory": lambda: c.cuMemcpyHtoD(opened, one, SIZE),
            "cuMemcpyDtoH of another process's memory": lambda: c.cuMemcpyDtoH(one, opened, SIZE),
        }
        best = dict.fromkeys(calls, float("inf"))
        for _ in range(EFFORT.of(COPIES)):
            for name, call in calls.items():
                begun = time.perf_counter()
                call()
                best[name] = min(best[name], time.perf_counter() - begun)
        return {name: taken / best["memmove"] for name, taken in best.items() if name != "memmove"}

    there, here = os.pipe()
    with offered() as (machine, sharing):
        exporter = machine.spawn().c
        exporter.cuInit(0)
        exporter.cuCtxCreate(None, 0, 0)
        _, pointer = exporter.cuMemAlloc(SIZE)
        exporter.cuMemsetD8(pointer, 1, SIZE)
        os.write(here, exporter.cuIpcGetMemHandle(pointer)[1])
        taken: dict[str, float] = result(*start(sharing, work))
    os.close(there)
    os.close(here)
    return taken
