"""What is asked about checkpoints: what waits in a locked process, and what becomes of memory."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.record.linking.entered import QUESTIONS, question

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.record.arrays.asking import Asker

LATER = 5
"""Seconds after which a process that has locked itself is unlocked by another thread of it."""
HOLDER = """
import sys
from cuda.bindings import driver as cu
cu.cuInit(0); cu.cuCtxCreate(None, 0, 0); cu.cuMemAlloc(1 << 30)
print("ready", flush=True); sys.stdin.read()
"""
"""A process that holds a gigabyte."""


def _locked(call: str, *args: Any) -> None:  # noqa: ANN401 - plain
    """Enter the question whether a call waits in a process that has locked itself."""

    def ask(a: Asker) -> None:
        mine = os.getpid()
        a.begin()
        lock = a.cu.CUcheckpointLockArgs()
        a.ask("lock", "cuCheckpointProcessLock", mine, lock)
        told: list[str] = []

        def unlock() -> None:
            told.append("waited")
            a.cu.cuCheckpointProcessUnlock(mine, None)

        later = threading.Timer(LATER, unlock)
        later.start()
        a.ask("locked", call, *args)
        a.tell("waited", bool(told))
        later.cancel()

    QUESTIONS[f"locked_{call}"] = ask


CALLS: dict[str, tuple[Any, ...]] = {
    "cuInit": (0,),
    "cuDriverGetVersion": (),
    "cuDeviceGetCount": (),
    "cuCtxGetCurrent": (),
    "cuCtxSynchronize": (),
    "cuMemGetInfo": (),
    "cuMemAlloc": (64,),
}
for _name, _args in CALLS.items():
    _locked(_name, *_args)


@question
def put_away(a: Asker) -> None:
    """The memory of another process while it is locked, put away, and back."""
    a.begin()

    def free(label: str) -> None:
        a.ask(label, "cuMemGetInfo", show=lambda told: told[0] >> 28)

    free("before")
    command: list[str] = [sys.executable, "-c", HOLDER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:  # noqa: S603 - this Python
        assert other.stdout is not None
        other.stdout.readline()
        steps: tuple[tuple[str, Callable[[], Any]], ...] = (
            ("held", lambda: a.ask("state", "cuCheckpointProcessGetState", other.pid, show=int)),
            ("locked", lambda: a.ask("lock", "cuCheckpointProcessLock", other.pid, None)),
            ("put away", lambda: a.ask("checkpoint", "cuCheckpointProcessCheckpoint", other.pid, None)),
            ("back", lambda: a.ask("restore", "cuCheckpointProcessRestore", other.pid, None)),
            ("unlocked", lambda: a.ask("unlock", "cuCheckpointProcessUnlock", other.pid, None)),
        )
        for label, act in steps:
            act()
            free(label)
            thread = "cuCheckpointProcessGetRestoreThreadId"
            number = a.ask(label, thread, other.pid)
            a.tell("a thread of it", Path(f"/proc/{other.pid}/task/{number}").exists())
        other.kill()


@question
def with_work(a: Asker) -> None:
    """A lock while work waits for what never comes, with a timeout."""
    a.begin()
    flag = a.get("cuMemHostAlloc", 4096, 2)
    stream = a.get("cuStreamCreate", 1)
    place = a.get("cuMemHostGetDevicePointer", flag, 0)
    a.ask("wait", "cuStreamWaitValue32", stream, place, 1, 1)
    lock = a.cu.CUcheckpointLockArgs()
    lock.timeoutMs = 2000
    a.ask("lock", "cuCheckpointProcessLock", os.getpid(), lock)
    a.ask("state", "cuCheckpointProcessGetState", os.getpid(), show=int)
