"""Calls where the OS process may use no more memory: ``python -m conformance.fuzz.limits [PATTERN] [--limit LIMIT]``.

A process of its own is limited to the memory that it has, and uses up what it holds free. Then a valid call of each kind is
made at each of many levels: with some small blocks given back, or with the limit raised by some bytes. It answers as ever, or
it is refused, mostly by MemoryError, and the machine is as before. No call is cut in two.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import os
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, field

from conformance.fuzz.interrupts import World, calls, prepare
from conformance.fuzz.whole import harm
from conformance.kit.world import NotBuilt, Unavailable
from fakecuda.model.memory import headroom
from fakecuda.progress import each, say
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

LIMITS = {"AS": "VmSize", "DATA": "VmData"}
"""Limited resources, and their names in ``/proc/self/status``."""
LIFTED = 1 << 50
"""The limit in bytes while nothing is tried, larger than any machine."""
BLOCKS = (0, 1, 4, 16, 64, 256, 1024, 4096, 16384)
"""The numbers of blocks to release."""
ROOMS = (1 << 16, 1 << 18, 1 << 20, 3 << 20)
"""Increases of the limit in bytes, if smaller than a call's request."""
ABOVE = (-1 << 12, *range(0, 5 << 18, 1 << 17), 1 << 24)
"""Offsets in bytes from a call's request."""
LARGE, SMALL = range(20, 9, -2), range(512 - 33, 0, -16)
"""The sizes of blocks: powers of two, and Python's small sizes."""
MANY = 1 << 20
"""The maximum number of blocks."""
SLICE = 10
"""The number of calls of a process."""
MARK = "call "
MALLOC = {"MALLOC_MMAP_THRESHOLD_": str(1 << 17), "MALLOC_TRIM_THRESHOLD_": str(1 << 17)}
"""Settings that have malloc return memory to the system at once."""
TIMEOUT = 600
"""Seconds after which a call hangs, as Python waits for unstarted threads."""


@define
class Hoard:
    """Blocks of memory that fill a process up to its limit."""

    _blocks: list[Any] = field(factory=lambda: [None] * MANY)
    _free: list[int] = field(factory=lambda: list(range(MANY)))
    _used: int = 0

    def fill(self) -> None:
        """Allocate all free memory, large blocks first."""
        makers: list[Callable[[], Any]] = [partial(bytes, 1 << power) for power in LARGE]
        makers += [*(partial(bytes, size) for size in SMALL), partial(complex, 1, 1), object]
        for make in makers:
            try:
                while self._used < MANY:
                    self._blocks[self._free[self._used]] = make()
                    self._used += 1
            except MemoryError:
                continue

    def give_back(self, count: int) -> None:
        """Free some blocks, the last and smallest first."""
        for _ in range(min(count, self._used)):
            self._used -= 1
            self._blocks[self._free[self._used]] = None


@define
class Trial:
    """Tries calls in this process.

    Attributes:
        limit: What is limited, one of ``LIMITS``.
        points: How often a call was made.
        refused: How often it raised MemoryError.
        wrong: What does not hold, a line each.
    """

    limit: str
    points: int = 0
    refused: int = 0
    wrong: list[str] = field(factory=list)
    _hoard: Hoard = field(factory=Hoard)

    def levels(self) -> list[tuple[int, int]]:
        """Return the number of blocks and bytes left at each level."""
        need = next(iter(headroom.limited), headroom.NEED + headroom.STACK)
        return [(count, 0) for count in BLOCKS] + [(0, size) for size in (*ROOMS, *(need + more for more in ABOVE))]

    def call(self, name: str) -> None:
        """Make a call at each level."""
        world = World.of(name)
        expected = world.call()[0]
        world.machine.close()
        world, before = World.of(name), None
        for blocks, size in self.levels():
            before = before or world.machine.snapshot()
            answer = self._made(world, blocks, size)
            self.points += 1
            self.refused += answer == MemoryError.__name__
            acted = answer == expected
            wrong = (
                [] if acted or answer in {"MemoryError", "FakeCudaError", int(Result.OUT_OF_MEMORY)} else [f"{answer}"]
            )
            wrong += harm(world.machine)
            if not (acted or wrong) and world.machine.snapshot() != before:
                wrong.append(f"{answer}, and something has changed")
            self.wrong += [f"{name} with {blocks} blocks, {size} bytes of {self.limit}: {line}" for line in wrong]
            if acted or wrong:
                world.machine.close()
                world, before = World.of(name), None
        world.machine.close()
        self._hoard.give_back(MANY)  # what is tried takes more each time

    def _made(self, world: World, blocks: int, size: int) -> int | str:
        """Make a call with some memory left; return its code, or its exception's name."""
        set_limit, what, collects = resource.setrlimit, getattr(resource, f"RLIMIT_{self.limit}"), gc.get_threshold()
        set_limit = getattr(set_limit, "__wrapped__", set_limit)  # there is a limit all the while
        used, hard = self._used(), resource.getrlimit(what)[1]
        scarce, less, lifted = (used, hard), (used + size, hard), (LIFTED, hard)
        answer: int | str = ""
        gc.set_threshold(0)
        set_limit(what, scarce)
        try:
            self._hoard.fill()
            self._hoard.give_back(blocks)
            set_limit(what, less)
            answer = world.call()[0]
        except Exception as error:  # noqa: BLE001 - its name tells
            set_limit(what, lifted)
            answer = type(error).__name__
        finally:
            set_limit(what, lifted)
            gc.set_threshold(*collects)
        return answer

    def _used(self) -> int:
        """Return how many bytes of the limited resource the process uses."""
        found = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        return int(found[LIMITS[self.limit]].split()[0]) << 10


def inside(limit: str, names: list[str]) -> int:
    """Try calls in this process after printing each; return the number of failures."""
    what = getattr(resource, f"RLIMIT_{limit}")
    resource.setrlimit(what, (LIFTED, resource.getrlimit(what)[1]))
    trial = Trial(limit)
    prepare(names)
    missing = 0
    for name in names:
        print(f"{MARK}{name}", flush=True)
        faulthandler.dump_traceback_later(TIMEOUT, exit=True)
        try:
            trial.call(name)
        except (NotBuilt, Unavailable):
            missing += 1
    faulthandler.cancel_dump_traceback_later()
    for line in trial.wrong:
        print(line)
    print(
        f"{limit}: {len(names) - missing} calls made {trial.points} times, {trial.refused} refused by MemoryError, "
        f"{len(trial.wrong)} wrong, {missing} that this machine cannot make"
    )
    return len(trial.wrong)


def outside(limit: str, names: list[str], first: str = "") -> str:
    """Try calls in another process, and return its output.

    Args:
        limit: What is limited.
        names: The calls.
        first: Python that the process runs before.
    """
    code = (
        f"{first}\nimport sys\nfrom conformance.fuzz.limits import inside\nsys.exit(inside({limit!r}, {names!r}) > 0)"
    )
    command = [sys.executable, "-X", "faulthandler", "-c", code]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | MALLOC)  # noqa: S603 - it is this module
    told = ended.stdout.splitlines()
    last = [line for line in told if line.startswith(MARK)][-1:]
    lines = [line for line in told if not line.startswith(MARK)]
    if ended.returncode not in {0, 1} or not lines:
        lines += [f"{limit}: ended by {ended.returncode} in {last}", ended.stderr.rstrip()]
    return "\n".join(lines)


def main() -> int:
    """Run the command; return 1 if an invariant fails."""
    parser = argparse.ArgumentParser(prog="python -m conformance.fuzz.limits", description=__doc__.partition("\n")[0])
    parser.add_argument("pattern", nargs="?", default="", help="text in the names of the calls")
    parser.add_argument("--limit", choices=LIMITS, action="append", help="what is limited; both by default")
    options = parser.parse_args()
    failed, found = False, calls(options.pattern)
    if not found:
        parser.error(f"no call has {options.pattern!r} in its name")
    slices = [(one, start) for one in options.limit or LIMITS for start in range(0, len(found), SLICE)]
    for limit, start in each(slices, lambda one: one[0]):
        told = outside(limit, found[start : start + SLICE])
        failed = failed or " 0 wrong" not in told.splitlines()[-1]
        say(told)
    return failed


if __name__ == "__main__":
    sys.exit(main())
