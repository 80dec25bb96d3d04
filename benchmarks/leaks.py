"""Leaks of machines that are not closed: ``python -m benchmarks.leaks``.

It makes 10,000 machines in a loop and uses each of them; then it does the same through the fixture. The program must
hold as much at its end as after the first few: addresses, files, directories, threads and memory. Otherwise the exit
status is 1.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import sys
import tempfile
import threading
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from attrs import asdict, frozen

import fakecuda
from fakecuda.model.work.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda import Machine, Process

SIZE, GRANULE = 1 << 16, 2 << 20
POSIX = 1
ON_DEVICE, ON_HOST = (1, 0), (2, 0)
READ_WRITE = 3
CUDA_13 = 13000
LONG = 10_000
TOLD = (100, 1_000, 5_000, 10_000)
"""Numbers of machines after which the held resources are printed."""
TIMEOUT = 60.0
"""Seconds to wait for the end of threads that serve other processes."""
COLLECTIONS = 3
"""Collections until machines are gone: the one that ends a dropped offer leaves its machine to the next."""
PAGE = os.sysconf("SC_PAGESIZE")
SLACK = {"maps": 16, "virtual": 64, "resident": 8, "threads": 2, "temporary": 1, "descriptors": 2}
"""How much more may be held at the end than early on, by resource, because allocators and caches vary."""


@frozen
class Held:
    """The resources that this OS process holds.

    Attributes:
        descriptors: Number of open files.
        maps: Number of mapped memory ranges.
        virtual: Address space in GiB.
        resident: Memory in MiB.
        threads: Number of Python threads.
        temporary: Number of files and directories in the temporary folder.
    """

    descriptors: int
    maps: int
    virtual: int
    resident: int
    threads: int
    temporary: int

    def more_than(self, before: Held) -> dict[str, tuple[int, int]]:
        """Return the resources that have grown beyond the slack, with both numbers."""
        early, late = asdict(before), asdict(self)
        return {name: (early[name], late[name]) for name, most in SLACK.items() if late[name] > early[name] + most}


def held() -> Held:
    """Return the resources that this OS process holds after a garbage collection."""
    _join_servants()  # their offers hold machines
    _await_functions()  # they hold machines, too
    for _ in range(COLLECTIONS):
        gc.collect()
    _join_workers()
    virtual, resident, *_ = map(int, Path("/proc/self/statm").read_text().split())
    return Held(
        descriptors=len(list(Path("/proc/self/fd").iterdir())),
        maps=len(Path("/proc/self/maps").read_text().splitlines()),
        virtual=virtual * PAGE >> 30,
        resident=resident * PAGE >> 20,
        threads=threading.active_count(),
        temporary=len(list(Path(tempfile.gettempdir()).iterdir())),
    )


def _join_servants() -> None:
    """Wait for ending threads that serve other processes.

    A time limit ends the wait for leaked threads.
    """
    end = monotonic() + TIMEOUT
    for thread in threading.enumerate():
        if thread.name.startswith("fakecuda "):
            thread.join(max(0.0, end - monotonic()))


def _await_functions() -> None:
    """Wait for the host functions that run.

    A time limit ends the wait for those that do not return.
    """
    end = monotonic() + TIMEOUT
    for worker in [one for one in gc.get_objects() if type(one) is Worker]:
        while worker.busy and monotonic() < end:
            sleep(0.001)


def _join_workers() -> None:
    """Wait for the threads for host functions whose machines are gone, however long they take to end.

    The thread of a machine that lives does not end.
    """
    living = {one.thread for one in gc.get_objects() if type(one) is Worker}
    for thread in threading.enumerate():
        if thread.name.startswith("functions of ") and thread not in living:
            thread.join()


def use(machine: Machine) -> None:
    """Let two processes of a machine use all kinds of resources.

    They use memory, exports and a stream's thread.

    Raises:
        RuntimeError: A call failed.
    """
    a, b = machine.spawn(), machine.spawn()
    for process in (a, b):
        call(process, "cuInit", 0)
        call(process, "cuCtxSetCurrent", call(process, "cuDevicePrimaryCtxRetain", 0))
    pointer = call(a, "cuMemAlloc", SIZE)
    call(a, "cuMemcpyHtoD", pointer, bytes(range(256)) * (SIZE >> 8), SIZE)
    handle = call(a, "cuIpcGetMemHandle", pointer)
    if machine.profile.name != "wsl":  # WSL cannot open IPC handles
        call(b, "cuIpcOpenMemHandle", handle, 1)
    for address in (call(a, "cuMemHostAlloc", SIZE, 0), call(a, "cuMemAllocManaged", SIZE, 1)):
        ctypes.memset(address, 1, SIZE)
    reserve(a, ON_HOST, 0)
    os.close(call(a, "cuMemExportToShareableHandle", reserve(a, ON_DEVICE, POSIX), POSIX, 0))
    stream = call(a, "cuStreamCreate", 1)
    call(a, "cuLaunchHostFunc", stream, a.c_function("abs"), 7)
    call(a, "cuStreamSynchronize", stream)
    call(a, "cuMemAllocAsync", SIZE, stream)
    if machine.profile.driver_version >= CUDA_13:  # what the runtime library needs
        call(b, "hipMalloc" if machine.profile.hip.name else "cudaMalloc", SIZE)


def reserve(process: Process, place: tuple[int, int], export: int) -> int:
    """Map and write memory at a place, and return its handle."""
    handle: int = call(process, "cuMemCreate", GRANULE, (1, export, place, 0, (0, 0, 0)), 0)
    start = call(process, "cuMemAddressReserve", GRANULE, 0, 0, 0)
    call(process, "cuMemMap", start, GRANULE, 0, handle, 0)
    access = tuple((where, READ_WRITE) for where in {ON_DEVICE, place})
    call(process, "cuMemSetAccess", start, GRANULE, access, len(access))
    call(process, "cuMemsetD8", start, 1, SIZE)
    return handle


def call(process: Process, name: str, *args: Any) -> Any:
    """Return the result of a call that must succeed.

    Raises:
        RuntimeError: The call failed.
    """
    code, *outs = getattr(process.c, name)(*args)
    if code:
        msg = f"{name} answered {code}"
        raise RuntimeError(msg)
    return outs[0] if outs else None


def dropped(profile: str = "h200-x2") -> None:
    """Make a machine, use it and drop it."""
    use(fakecuda.Machine(profile))


def shared(profile: str = "h200-x2") -> None:
    """Offer a machine to other OS processes, use it and drop both."""
    machine = fakecuda.Machine(profile)
    offer = machine.shared(export=False)
    offer.__enter__().environ()
    use(machine)


def installed(profile: str = "h200-x2", door: str = "auto") -> None:
    """Install a machine as the fixture does, and use it."""
    with fakecuda.simulate(profile, door=door) as machine:
        use(machine)
        if door != "native":
            machine.here.driver.cuInit(0)


WAYS: dict[str, Callable[[], None]] = {
    "dropped": dropped,
    "fixture": installed,
    "look-alike": lambda: installed(door="lookalike"),
    "shared": shared,
}


def after(count: int, make: Callable[[], object]) -> Held:
    """Return the held resources after a number of machines."""
    return list(repeated(make, count))[-1][1]


def repeated(make: Callable[[], object], count: int) -> Iterator[tuple[int, Held]]:
    """Make machines, and yield the resources held after some numbers of them."""
    for number in range(1, count + 1):
        make()
        if number in TOLD or number == count:
            yield number, held()


def main(arguments: list[str] | None = None) -> int:
    """Make machines in each way, print the held resources, and return 1 if they grow."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.leaks", description=__doc__)
    parser.add_argument("--count", type=int, default=LONG, help=f"number of machines (default: {LONG})")
    parser.add_argument("ways", nargs="*", metavar="WAY", default=["dropped", "fixture"], help=", ".join(WAYS))
    options = parser.parse_args(arguments)
    if unknown := set(options.ways) - WAYS.keys():
        parser.error(f"there is no way {min(unknown)!r}: use some of {', '.join(WAYS)}")
    with tempfile.TemporaryDirectory() as own:
        tempfile.tempdir = own  # so that the files of other programs are not counted
        try:
            grown = [way for way in options.ways if _told(way, options.count)]
        finally:
            tempfile.tempdir = None
    return int(bool(grown))


def _told(way: str, count: int) -> bool:
    """Print the resources held by machines made in a way; return whether they grow."""
    early: Held | None = None
    grows = False
    for number, now in repeated(WAYS[way], count):
        early = early or now
        more = now.more_than(early)
        grows = grows or bool(more)
        shown = ", ".join(f"{name} {value}" for name, value in asdict(now).items())
        sys.stdout.write(f"{way} {number:,}: {shown}{f'  GROWS: {more}' if more else ''}\n")
        sys.stdout.flush()
    return grows


if __name__ == "__main__":
    sys.exit(main())
