"""Measurements of the benchmarks: loaded machines, and the time of a call.

Times of one run are compared with each other, because a ratio is the same on a fast and on a slow machine.
"""

from __future__ import annotations

import os
import random
import resource
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
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from fakecuda.model.os.thread import Thread

GRANULE = 2 << 20
LIVE = (1_000, 100_000, 1_000_000)
"""Numbers of live allocations for measuring growth."""
SAMPLE = 1_000
"""Number of visited positions, in random order."""
PINNED = (1, 0, (1, 0), 0, (0, 0, 0))
WHOLE = 512


def seconds(
    function: Callable[[], object],
    *,
    number: int = SAMPLE,
    repeats: int = 7,
    timer: Callable[[], float] = time.perf_counter,
) -> float:
    """Return the time of a call in seconds, the best of several runs.

    Args:
        function: The function to call.
        number: The number of calls in a run.
        repeats: The number of runs.
        timer: The clock; ``time.process_time`` leaves out what else runs.
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
    """Return the times of several calls in seconds.

    Their runs alternate, so that all meet the same conditions.
    For the arguments see :func:`seconds`.
    """
    number = EFFORT.of(number)
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(EFFORT.of(repeats)):
        for name, function in functions.items():
            best[name] = min(best[name], timeit.timeit(function, number=number, timer=timer) / number)
    return best


def first(statement: str, *, before: str = "", runs: int = 5) -> float:
    """Return the CPU time of a statement in a new interpreter in seconds.

    It is the best of several runs. The imported files are cached.

    Args:
        statement: The statement.
        before: Code that runs before and is not counted.
        runs: The number of interpreters.
    """
    timed = f"start = process_time()\n{statement}\nprint(process_time() - start)"
    program = f"{before}\nfrom time import process_time\n{timed}"
    command = [sys.executable, "-c", program]
    environ = cached()
    subprocess.check_output(command, env=environ)  # noqa: S603 - our own interpreter
    return min(float(subprocess.check_output(command, env=environ)) for _ in range(EFFORT.of(runs)))  # noqa: S603 - our own interpreter


def spent(*arguments: str, environ: Mapping[str, str] | None = None) -> float:
    """Return the CPU time of one interpreter from its start to its end in seconds; it reads an empty standard input.

    Args:
        arguments: The arguments of the interpreter.
        environ: Its environment. None for that of this process.
    """
    command = [sys.executable, *arguments]
    before = of_children()
    subprocess.run(command, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)  # noqa: S603 - our own interpreter
    return of_children() - before


def of_children() -> float:
    """Return the CPU time of the children that have ended, with theirs, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cached() -> dict[str, str]:
    """Return the environment variables without the variable that forbids files of bytecode."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def machine() -> None:
    """Set up a machine and close it."""
    Machine("h200-x2").close()


def fixture() -> None:
    """Set up a machine and close it as a test's fixture does."""
    with fakecuda.simulate():
        pass


class Loaded:
    """A strict machine of one card with many live allocations, as a context manager.

    Its methods call the look-alike.

    Args:
        count: The number of allocations; 10 in a single round.
        size: The size of each in bytes.

    Attributes:
        thread: The calling thread.
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
        chance = random.Random(1)  # noqa: S311 - not for cryptography
        # In a short list of their own, so that the benchmark's memory does not depend on the number of allocations.
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
        """Look up the allocation at an address."""
        self._driver.cuMemGetAddressRange(self.pointers[next(self._places)] + 1)

    def replace(self) -> None:
        """Free an allocation and make another one."""
        place = next(self._places)
        self._driver.cuMemFree(self.pointers[place])
        self.pointers[place] = int(self._driver.cuMemAlloc(self.size)[1])


def invoke(thread: Thread, name: str, *args: Any) -> Any:
    """Return the results of a call that must succeed.

    Raises:
        RuntimeError: The call failed.
    """
    code, outs = DRIVER.ops[name].invoke(thread.call, *args)
    if code:
        msg = f"{name} answered {code}"
        raise RuntimeError(msg)
    return outs


class Calls:
    """Single calls through ``Op.invoke``. Each has only its own effect on the machine.

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
        """Free an allocation."""
        DRIVER.ops["cuMemFree"].invoke(self.thread.call, pointer)

    def map(self) -> None:
        """Map a granule."""
        DRIVER.ops["cuMemMap"].invoke(self.thread.call, self._start, GRANULE, 0, self._handle, 0)

    def unmap(self) -> None:
        """Unmap the granule."""
        DRIVER.ops["cuMemUnmap"].invoke(self.thread.call, self._start, GRANULE)

    def map_and_unmap(self) -> None:
        """Map and unmap the granule."""
        self.map()
        self.unmap()
