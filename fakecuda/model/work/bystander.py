"""The receiver thread of a pytest-xdist worker, which wakes no call.

A thread that is older than a machine and never called it may call still, and a call waits for it for a while. This one is
an exception, for it is known what it does when its read returns. All of this must hold, or else it counts as any other thread:

- It never called the machine, which :mod:`fakecuda.model.work.wait_graph` knows.
- It is in the system call that reads the pipe of execnet's gateway, and its Python stack is the receiver of the gateway of a worker.
- Messages wake no other thread: each open channel of the gateway has a callback, so that no thread waits for its items.
- Each callback is xdist's own, which notes the numbers of tests for the main thread.
- Code that is sent runs in no thread: execnet runs it in the main thread alone, where the tests run.

The end of the connection ends the worker, as Ctrl-C does, and wakes no call either. What is asked of execnet and of xdist are names
that their releases may change: a name that is not there makes the thread any other one.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from fakecuda.model.os.threads import running
from fakecuda.model.work import blocked

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from types import FrameType

EXECNET = "execnet.gateway_base"
STACK = ("read", "from_io", "_thread_receiver")
"""The functions on the idle stack of execnet's receiver, innermost first."""
LONG, MOMENT = 60.0, 0.001
"""The maximum seconds until a receiver reads again, and between two checks."""
COMMAND = "handle_command"
"""The xdist function that receives messages."""


def are(numbers: Collection[int]) -> set[int]:
    """Return which threads of this process are idle receivers, by native id."""
    if EXECNET not in sys.modules or not numbers:
        return set()
    pipes = {pipe for frame in sys._current_frames().values() if (pipe := _pipe(frame)) is not None}  # noqa: SLF001 - no other way
    return {number for number in numbers if pipes and blocked.reads(number) in pipes}


@contextmanager
def named() -> Iterator[None]:
    """Name a worker's receiver as a service thread, for an owner in another process."""
    end, found = monotonic() + LONG, set[int]()
    while EXECNET in sys.modules and monotonic() < end:
        found, stacks = are(running()), list(sys._current_frames().values())  # noqa: SLF001 - as above
        if found or not any(map(_receives, stacks)):
            break
        sleep(MOMENT)  # what it has received, such as the number of this test, it hands on at once
    before = {number: blocked.serve(number) for number in found}
    try:
        yield
    finally:
        for number, name in before.items():
            blocked.serve(number, name)


def _receives(frame: FrameType | None) -> bool:
    """Return whether a thread is a receiver, even if it has just received data."""
    while frame is not None:
        if frame.f_code.co_name == STACK[-1] and frame.f_globals.get("__name__") == EXECNET:
            try:
                return _is_idle(frame.f_locals["self"])
            except (AttributeError, KeyError):
                return False
        frame = frame.f_back
    return False


def _pipe(frame: FrameType) -> int | None:
    """Return the descriptor from which a receiver thread reads, or None."""
    receiver: FrameType | None = frame
    for place, name in enumerate(STACK):
        receiver = receiver.f_back if receiver is not None and place else receiver
        if receiver is None or receiver.f_code.co_name != name or receiver.f_globals.get("__name__") != EXECNET:
            return None
    assert receiver is not None
    try:
        gateway = receiver.f_locals["self"]
        pipe: int = gateway._io.infile.fileno()  # noqa: SLF001 - there is no public name
        return pipe if _is_idle(gateway) else None
    except (AttributeError, KeyError, OSError, ValueError):
        return None


def _is_idle(gateway: Any) -> bool:
    """Return whether an execnet gateway serves only xdist and runs no work in threads."""
    factory = gateway._channelfactory  # noqa: SLF001 - as above
    return (
        type(gateway).__name__ == "WorkerGateway"
        and gateway.execmodel.backend == "main_thread_only"
        and not gateway._executetask_complete.is_set()  # noqa: SLF001 - as above
        and all(channel._items is None for channel in list(factory._channels.values()))  # noqa: SLF001 - as above
        and all(_is_of_xdist(callback) for callback, *_ in list(factory._callbacks.values()))  # noqa: SLF001 - as above
    )


def _is_of_xdist(callback: Any) -> bool:
    """Return whether a callback is xdist's, by its source."""
    code, file = callback.__func__.__code__, getattr(sys.modules.get("xdist"), "__file__", None)
    return file is not None and code.co_name == COMMAND and code.co_filename == str(Path(file).with_name("remote.py"))
