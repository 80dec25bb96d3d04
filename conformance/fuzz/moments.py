"""Bad moments: ``python -m conformance.fuzz.moments [PATTERN] [--side SIDE] [--seed S] [--most N]``.

Each call of the system that a machine's owner makes, or a process that attaches to it, in Python or in C, fails once: there are
no descriptors, no memory, no threads, no room for files, or a signal comes. A library that is loaded first has it fail.
And all of them do, from the first on, until the process of that moment has ended.

The owner and the process of that moment go on, or hear a documented error. A second process attaches behind it and makes calls
of each kind; the machine is whole, and no thread, descriptor, file or process is left.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import asdict, frozen

from conformance.fuzz.failing import EVER, SIDES, Failing, Point
from conformance.fuzz.moment import prepare, tried
from conformance.fuzz.trials import Trials
from conformance.fuzz.whole import tell
from fakecuda.progress import each
from fakecuda.reach.remote.linked.build import compiler

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
OPENS = ("EMFILE", "ENFILE", "ENOMEM")
FOLDERS = ("ENOSPC", "EROFS")
ERRORS = {
    "accept4": (*OPENS, "ENOBUFS", "ECONNABORTED", "EINTR"),
    "bind": FOLDERS,
    "chmod": ("EROFS",),
    "connect": ("ENOMEM", "EINTR"),
    "descriptors": ("EMFILE",),
    "dup": OPENS,
    "epoll_create1": OPENS,
    "epoll_ctl": ("ENOSPC", "ENOMEM"),
    "epoll_wait": ("EINTR",),
    "flock": ("ENOLCK", "EINTR"),
    "fork": ("EAGAIN", "ENOMEM"),
    "ftruncate": ("ENOMEM", "EINTR"),
    "getpeername": ("ENOBUFS",),
    "getsockopt": ("ENOBUFS",),
    "listen": ("ENOBUFS",),
    "memfd_create": OPENS,
    "mkdir": FOLDERS,
    "mmap": ("ENOMEM",),
    "open": (*OPENS, "EINTR"),
    "opendir": OPENS,
    "pipe2": OPENS,
    "poll": ("ENOMEM", "EINTR"),
    "pthread_create": ("EAGAIN",),
    "read": ("EINTR",),
    "recvmsg": ("ENOMEM", "EINTR"),
    "rename": FOLDERS,
    "send": ("ENOBUFS", "EINTR"),
    "sendmsg": ("ENOBUFS", "ETOOMANYREFS", "EINTR"),
    "setsockopt": ("ENOBUFS",),
    "shutdown": ("ENOTCONN",),
    "socket": OPENS,
    "symlink": FOLDERS,
    "write": ("ENOSPC", "EINTR"),
}
"""The error codes of each system call; other calls do not fail in these trials."""
ENDLESS = frozenset({"EINTR"})
"""Temporary errors, after which a program retries for ever."""


@frozen
class Job:
    """The points to try.

    Attributes:
        sides: Whose calls fail.
        pattern: Text in the names of the calls.
        seed: What draws.
        most: How many points are drawn; 0 for all of them.
        plant: Python that plants a mistake in each trial; the first trial that finds it is the last.
    """

    sides: tuple[str, ...] = SIDES
    pattern: str = ""
    seed: int = 0
    most: int = 0
    plant: str = ""


def lacking() -> str:
    """Return a reason why these trials cannot run here, or nothing."""
    if sys.platform != "linux":
        return "calls of the system fail by a library that is loaded first, on Linux"
    return "" if compiler() else "no C compiler is found"


def build(folder: Path) -> str:
    """Build the library and the C program; return the program's path."""
    command = compiler()
    assert command is not None
    for name, options in (("failing.c", ("-shared", "-fPIC", "-o", "failing.so")), ("moment.c", ("-o", "moment"))):
        source = str(HERE / name)
        subprocess.run([*command, "-std=gnu11", source, *options, "-ldl", "-pthread"], cwd=folder, check=True)  # noqa: S603 - the user's own
    return str(folder / "moment")


def points(side: str, counts: str, pattern: str = "") -> Iterator[Point]:
    """Yield the points of a side, by the counts of a dry run."""
    for line in counts.splitlines():
        call, thread, count = line.split()
        for error in ERRORS.get(call, ()) if pattern in call else ():
            for first in range(1, int(count) + 1):
                yield Point(side, call, int(thread), first, error)
            if error not in ENDLESS:
                yield Point(side, call, int(thread), 1, error, EVER)


def one(failing: Failing, job: Job) -> Trials:
    """Try points in this process, which has loaded the library."""
    trials, every = Trials(), list[Point]()
    before = {}
    for side in job.sides:
        dry = tried(failing, Point(side))
        trials.wrong += [f"{side}, where nothing fails: {line}" for line in (*filter(None, dry.heard), *dry.wrong)]
        trials.counts[f"calls of the side {side}"] = sum(int(line.split()[2]) for line in dry.counts.splitlines())
        before[side] = dry.left
        every += points(side, dry.counts, job.pattern)
    if job.most:
        random.Random(job.seed).shuffle(every)  # noqa: S311 - a seed repeats it
        del every[job.most :]
    for point in each(every, str):
        seen = tried(failing, point, job.plant)
        if seen.left > before[point.side]:
            seen.wrong.append(f"leaves {seen.left - before[point.side]} descriptors")
        told = [text for text in seen.heard if text]
        trials.counts.update({"points": 1, "met": seen.hits > 0, "refused": bool(told), "wrong": bool(seen.wrong)})
        trials.outcomes.update(f"{point.side}, {point.call} {point.error}: {text}" for text in told)
        trials.wrong += [f"{point}: {line}" for line in seen.wrong]
        if job.plant and seen.wrong:
            break
    return trials


def inside(program: str, jobs: list[dict[str, Any]]) -> None:
    """Run jobs in this process, and print the results as JSON."""
    failing = Failing(program)
    prepare(failing)
    print(json.dumps([asdict(one(failing, Job(**job))) for job in jobs]))


def done(*jobs: Job) -> list[Trials]:
    """Run jobs in another process, and return the results."""
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        code = f"from conformance.fuzz.moments import inside\ninside({program!r}, {[asdict(job) for job in jobs]!r})"
        environ = os.environ | {"LD_PRELOAD": str(Path(program).with_name("failing.so"))}
        command = [sys.executable, "-X", "faulthandler", "-c", code]
        ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, env=environ)  # noqa: S603 - it is this module
    if ended.returncode or not ended.stdout:
        return [Trials(wrong=[f"the process of the trials ended by {ended.returncode}"]) for _ in jobs]
    return [Trials.of(one) for one in json.loads(ended.stdout.splitlines()[-1])]


def main() -> int:
    """Run the command; return 1 if an invariant fails."""
    parser = argparse.ArgumentParser(prog="python -m conformance.fuzz.moments", description=__doc__.partition("\n")[0])
    parser.add_argument("pattern", nargs="?", default="", help="text in the names of the system's calls")
    parser.add_argument("--side", choices=SIDES, action="append", help="whose calls fail; all sides by default")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="what draws; 0 by default")
    parser.add_argument("--most", type=int, default=0, metavar="N", help="how many points are drawn; all by default")
    parser.add_argument("--heard", action="store_true", help="print what processes heard, too")
    options = parser.parse_args()
    if why := lacking():
        print(why)
        return 0
    trials = done(Job(tuple(options.side or SIDES), options.pattern, options.seed, options.most))[0]
    for text, count in sorted(trials.outcomes.items()) if options.heard else ():
        print(f"{count} x {text}")
    return tell(trials.counts, trials.wrong)


if __name__ == "__main__":
    sys.exit(main())
