"""What the benchmarks measure: machines under load, and the time that a call takes.

Times of one run are compared with each other; a ratio says the same on a fast machine and on a slow one.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
import timeit
from itertools import cycle
from typing import TYPE_CHECKING, Any, Self

import fakecuda
from fakecuda import Machine
from fakecuda.rules.registry import DRIVER

from .effort import EFFORT

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from fakecuda.model.os.thread import Thread

GRANULE = 2 << 20
LIVE = (1_000, 100_000, 1_000_000)
"""Live allocations of which growth is measured."""
SAMPLE = 1_000
"""Positions that are visited, in random order."""
PINNED = (1, 0, (1, 0), 0, (0, 0, 0))
WHOLE = 512


def seconds(
    function: Callable[[], object],
    *,
    number: int = SAMPLE,
    repeats: int = 7,
    timer: Callable[[], float] = time.perf_counter,
) -> float:
    """Return how long a call takes, the best of several runs.

    Args:
        function: What is called.
        number: How often in a run.
        repeats: How many runs.
        timer: The clock; ``time.process_time`` tells what it costs beside whatever else runs.
    """
    number = EFFORT.of(number)
    return min(timeit.repeat(function, number=number, repeat=EFFORT.of(repeats), timer=timer)) / number


def in_turn(
    functions: dict[str, Callable[[], object]],
    *,
    number: int = 2 * SAMPLE,
    repeats: int = 15,
    timer: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Return how long each of several calls takes; their runs alternate, so that all meet the same machine.

    Arguments as of :func:`seconds`.
    """
    number = EFFORT.of(number)
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(EFFORT.of(repeats)):
        for name, function in functions.items():
            best[name] = min(best[name], timeit.timeit(function, number=number, timer=timer) / number)
    return best


def first(statement: str, *, before: str = "", runs: int = 5) -> float:
    """Return what a statement costs in a new interpreter, in seconds of CPU, the best of several; files are cached.

    Args:
        statement: The statement.
        before: What comes before and is not counted.
        runs: How many interpreters.
    """
    timed = f"start = process_time()\n{statement}\nprint(process_time() - start)"
    program = f"{before}\nfrom time import process_time\n{timed}"
    command = [sys.executable, "-c", program]
    cached = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.check_output(command, env=cached)  # noqa: S603 - our own interpreter
    return min(float(subprocess.check_output(command, env=cached)) for _ in range(EFFORT.of(runs)))  # noqa: S603 - likewise


def machine() -> None:
    """Set a machine up and take it down."""
    Machine("h200-x2").close()


def fixture() -> None:
    """Set a machine up and take it down as a test's fixture does."""
    with fakecuda.machine():
        pass


class Loaded:
    """A strict machine of one card with many live allocations, used as a context manager; calls are the look-alike's.

    Args:
        count: How many; a single round has 10.
        size: Bytes of each.

    Attributes:
        thread: The thread that calls are made by.
        pointers: Some of the allocations, in random order.
    """

    def __init__(self, count: int, size: int = WHOLE) -> None:
        self.machine = Machine("h200", seed=1)
        self.size = size
        self.thread: Thread = self.machine.here.current_thread()
        invoke(self.thread, "cuInit", 0)
        invoke(self.thread, "cuCtxCreate", None, 0, 0)
        alloc = DRIVER.ops["cuMemAlloc"].invoke
        pointers = [alloc(self.thread.call, size)[1] for _ in range(EFFORT.of(count, 10))]
        chance = random.Random(1)  # noqa: S311 - positions, no secrets
        # Alone in a short list, the harness's own memory is the same however many allocations there are.
        self.pointers: list[int] = [pointer + 0 for pointer in chance.sample(pointers, min(SAMPLE, len(pointers)))]
        self._places = cycle(range(len(self.pointers)))
        self._driver = self.machine.here.driver

    def __enter__(self) -> Self:
        """Return the loaded machine."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the machine."""
        self.machine.close()

    def look_up(self) -> None:
        """Ask for the allocation that holds an address."""
        self._driver.cuMemGetAddressRange(self.pointers[next(self._places)] + 1)

    def replace(self) -> None:
        """Free an allocation somewhere and make another."""
        place = next(self._places)
        self._driver.cuMemFree(self.pointers[place])
        self.pointers[place] = int(self._driver.cuMemAlloc(self.size)[1])


def invoke(thread: Thread, name: str, *args: Any) -> Any:
    """Return the results of a call that must succeed.

    Raises:
        RuntimeError: It failed.
    """
    code, outs = DRIVER.ops[name].invoke(thread.call, *args)
    if code:
        msg = f"{name} answered {code}"
        raise RuntimeError(msg)
    return outs


class Calls:
    """Single calls through ``Op.invoke``, each of which leaves the machine as it was but for its own effect.

    Args:
        thread: A thread with a current context.
    """

    def __init__(self, thread: Thread) -> None:
        self.thread = thread
        self._handle = invoke(thread, "cuMemCreate", GRANULE, PINNED, 0)
        self._start = invoke(thread, "cuMemAddressReserve", GRANULE, 0, 0, 0)

    def getter(self) -> None:
        """Ask for the number of devices."""
        DRIVER.ops["cuDeviceGetCount"].invoke(self.thread.call)

    def alloc(self) -> int:
        """Allocate a page."""
        code, pointer = DRIVER.ops["cuMemAlloc"].invoke(self.thread.call, 4096)
        del code
        return int(pointer)

    def free(self, pointer: int) -> None:
        """Free it."""
        DRIVER.ops["cuMemFree"].invoke(self.thread.call, pointer)

    def map(self) -> None:
        """Map a granule."""
        DRIVER.ops["cuMemMap"].invoke(self.thread.call, self._start, GRANULE, 0, self._handle, 0)

    def unmap(self) -> None:
        """Unmap it."""
        DRIVER.ops["cuMemUnmap"].invoke(self.thread.call, self._start, GRANULE)

    def map_and_unmap(self) -> None:
        """Map and unmap it."""
        self.map()
        self.unmap()
