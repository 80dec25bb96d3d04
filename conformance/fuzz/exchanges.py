"""Exchanges of frames between an attached process and its owner, for each kind."""

from __future__ import annotations

import ctypes
import signal
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.reach.remote.client.client import RemoteMachine

SIZE = 4096
GRANULE = 2 << 20
PINNED = (1, 1, (1, 0), 0, (0, 0, 0))
EQUAL = 1
ROOM = ctypes.create_string_buffer(1 << 16)
HERE = ctypes.addressof(ROOM) + -ctypes.addressof(ROOM) % 4096
"""The address of some pages of the process."""
FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: None)
PLACE = ctypes.cast(FUNCTION, ctypes.c_void_p).value or 0
"""The address of a function that does nothing."""


class Stop(BaseException):
    """The exception of a handler."""


class Peer:
    """A second process to share handles with, and to interrupt calls; default: none.

    Attributes:
        memory: The handle of memory of another process.
        event: That of an event.
        kept: Descriptors that the process has.
    """

    def __init__(self) -> None:
        self.memory = b""
        self.event = b""
        self.kept: list[int] = []

    def when_waiting(self, act: Callable[[], None]) -> None:
        """Run a function once the current thread's call waits."""


def start(machine: RemoteMachine) -> Any:
    """Return the calls of a process with a context."""
    c = machine.here.c
    c.cuInit(0)
    c.cuCtxCreate(None, 0, 0)
    return c


def getters(machine: RemoteMachine, _: Peer) -> None:
    """Attach, and make queries, one of them invalid."""
    c = start(machine)
    c.cuDriverGetVersion()
    c.cuDeviceGetCount()
    c.cuDeviceGetName(64, 0)
    c.cuMemGetInfo()
    c.cuDeviceGet(99)


def copies(machine: RemoteMachine, _: Peer) -> None:
    """Copy from, to and within the process's memory."""
    c = start(machine)
    _, memory = c.cuMemAlloc(SIZE)
    c.cuMemcpyHtoD(memory, HERE, SIZE)
    c.cuMemcpyDtoH(HERE, memory, SIZE)
    c.cuMemcpy(HERE, HERE + 64, 64)
    c.cuMemcpy2D((0, 0, 2, 0, memory, 0, 128, 0, 0, 1, HERE, 0, 0, 128, 8, 4))
    c.cuMemFree(memory)


def registered(machine: RemoteMachine, _: Peer) -> None:
    """Have streams read and write the process's memory."""
    c = start(machine)
    _, memory = c.cuMemAlloc(SIZE)
    _, stream = c.cuStreamCreate(1)
    c.cuMemHostRegister(HERE, SIZE, 0)
    c.cuMemsetD8(HERE, 1, 64)
    c.cuMemsetD32(HERE, 1, 16)
    c.cuStreamWaitValue32(stream, HERE, 2, EQUAL)
    c.cuMemcpyHtoDAsync(memory, HERE + 4096, 64, stream)
    c.cuStreamQuery(stream)
    c.cuMemsetD32(HERE, 2, 1)
    c.cuStreamQuery(stream)
    c.cuMemHostUnregister(HERE)


def functions(machine: RemoteMachine, _: Peer) -> None:
    """Have streams call functions of the process."""
    c = start(machine)
    c.cuLaunchHostFunc(0, PLACE, 42)
    c.cuStreamSynchronize(0)


def handles(machine: RemoteMachine, peer: Peer) -> None:
    """Exchange memory and events with another process, also by descriptors."""
    c = start(machine)
    _, memory = c.cuMemAlloc(SIZE)
    c.cuIpcGetMemHandle(memory)
    code, imported = c.cuIpcOpenMemHandle(peer.memory, 1)
    if not code:
        c.cuIpcCloseMemHandle(imported)
    c.cuIpcOpenEventHandle(peer.event)
    _, physical = c.cuMemCreate(GRANULE, PINNED, 0)
    code, descriptor = c.cuMemExportToShareableHandle(physical, 1, 0)
    if not code:
        peer.kept.append(descriptor)
        c.cuMemImportFromShareableHandle(descriptor, 1)


def mappings(machine: RemoteMachine, _: Peer) -> None:
    """Have the process map memory."""
    c = start(machine)
    _, physical = c.cuMemCreate(GRANULE, PINNED, 0)
    _, place = c.cuMemAddressReserve(GRANULE, 0, 0, 0)
    c.cuMemMap(place, GRANULE, 0, physical, 0)
    c.cuMemSetAccess(place, GRANULE, (((1, 0), 3),), 1)
    c.cuMemUnmap(place, GRANULE)
    c.cuMemHostAlloc(SIZE, 0)


def cancelled(machine: RemoteMachine, peer: Peer) -> None:
    """Interrupt a waiting call; the next call has its own answer."""
    c = start(machine)
    _, stream = c.cuStreamCreate(1)
    _, memory = c.cuMemAlloc(4)
    c.cuMemsetD8(memory, 0, 4)
    c.cuStreamWaitValue32(stream, memory, 1, EQUAL)
    thread = threading.get_ident()
    peer.when_waiting(lambda: signal.pthread_kill(thread, signal.SIGUSR1))
    try:
        c.cuStreamSynchronize(stream)
    except Stop:
        c.cuStreamQuery(stream)


def undefined(machine: RemoteMachine, _: Peer) -> None:
    """Make calls with undefined behaviour."""
    c = start(machine)
    _, event = c.cuEventCreate(0)
    c.cuEventDestroy(event)
    c.cuEventDestroy(event)


def leaving(machine: RemoteMachine, _: Peer) -> None:
    """Detach in order, and make a call that is too late."""
    c = start(machine)
    c.cuMemAlloc(SIZE)
    machine.leave()
    c.cuMemGetInfo()


EXCHANGES: dict[str, Callable[[RemoteMachine, Peer], None]] = {
    one.__name__: one
    for one in (getters, copies, registered, functions, handles, mappings, cancelled, undefined, leaving)
}
