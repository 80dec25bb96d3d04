"""What is left of machines that nobody closes: ``python -m benchmarks.leaks`` makes 10,000, and as many by the fixture.

A program that makes machines in a loop, and has each called and written to, holds as much at its end as after its first
few: addresses, files, directories, threads, memory. The exit status is 1 when it does not.
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
from time import monotonic
from typing import TYPE_CHECKING, Any

from attrs import asdict, frozen

import fakecuda

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
"""After how many machines it is told what is held."""
PATIENCE = 60.0
PAGE = os.sysconf("SC_PAGESIZE")
SLACK = {"maps": 16, "virtual": 64, "resident": 8, "threads": 2, "temporary": 1, "descriptors": 2}
"""How much more may be held at the end than early on, by what: allocators and caches breathe."""


@frozen
class Held:
    """What this OS process holds.

    Attributes:
        descriptors: Open files.
        maps: Mapped ranges of memory.
        virtual: GiB of address space.
        resident: MiB of memory.
        threads: Threads of Python.
        temporary: Files and directories in the temporary folder.
    """

    descriptors: int
    maps: int
    virtual: int
    resident: int
    threads: int
    temporary: int

    def more_than(self, before: Held) -> dict[str, tuple[int, int]]:
        """Return what there is more of than before, beyond the slack: the two counts by what they count."""
        early, late = asdict(before), asdict(self)
        return {name: (early[name], late[name]) for name, most in SLACK.items() if late[name] > early[name] + most}


def held() -> Held:
    """Return what this OS process holds once the collector is done."""
    _join("fakecuda ")  # whose offers hold machines
    gc.collect()
    _join("functions of ")
    virtual, resident, *_ = map(int, Path("/proc/self/statm").read_text().split())
    return Held(
        descriptors=len(list(Path("/proc/self/fd").iterdir())),
        maps=len(Path("/proc/self/maps").read_text().splitlines()),
        virtual=virtual * PAGE >> 30,
        resident=resident * PAGE >> 20,
        threads=threading.active_count(),
        temporary=len(list(Path(tempfile.gettempdir()).iterdir())),
    )


def _join(named: str) -> None:
    """Wait for the threads that have been told to end, by how their names begin; a leaked one is waited for in vain."""
    end = monotonic() + PATIENCE
    for thread in threading.enumerate():
        if thread.name.startswith(named):
            thread.join(max(0.0, end - monotonic()))


def use(machine: Machine) -> None:
    """Have two processes of a machine hold what there is to hold: memory of each kind, exports, a stream's thread.

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
    if machine.profile.name != "wsl":  # which opens none
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
    """Map and write memory of a place, and return its handle."""
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
        RuntimeError: It failed.
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
    with fakecuda.machine(profile, door=door) as machine:
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
    """Return what is held after some machines were made."""
    return list(repeated(make, count))[-1][1]


def repeated(make: Callable[[], object], count: int) -> Iterator[tuple[int, Held]]:
    """Make machines, and yield after some of them how many there were and what is held."""
    for number in range(1, count + 1):
        make()
        if number in TOLD or number == count:
            yield number, held()


def main(arguments: list[str] | None = None) -> int:
    """Make machines in each way, print what is held meanwhile, and return 1 if that grows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.leaks", description=__doc__)
    parser.add_argument("--count", type=int, default=LONG, help=f"how many machines, {LONG} by default")
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
    """Print what is held after some machines made in a way; return whether that grows."""
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
