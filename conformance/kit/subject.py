"""Processes of worlds, and their calls in cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
from attrs import frozen

from conformance.kit.calls import CALLS
from conformance.kit.program import MAIN, Door, Recorded, RecordedThread
from fakecuda.spec.both import ENUMS
from fakecuda.spec.codes import name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.kit.program import Plain

GRANULE = 2 << 20
"""The granularity of memory from cuMemCreate on every known device, bytes."""
DEVICE = ENUMS["CUmemLocationType"]["CU_MEM_LOCATION_TYPE_DEVICE"]
PINNED = ENUMS["CUmemAllocationType"]["CU_MEM_ALLOCATION_TYPE_PINNED"]
READ_WRITE = ENUMS["CUmemAccess_flags"]["CU_MEM_ACCESS_FLAGS_PROT_READWRITE"]
POSIX = ENUMS["CUmemAllocationHandleType"]["CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR"]


class NotBuilt(AssertionError):  # noqa: N818 - a fact about the case
    """An exception: a call that a world needs has failed."""


def location(device: int = 0, kind: int = DEVICE) -> tuple[int, int]:
    """Return a plain CUmemLocation."""
    return (kind, device)


def pinned(device: int = 0, handle_types: int = 0) -> tuple[Plain, ...]:
    """Return a plain CUmemAllocationProp: pinned memory of a device that exports the given handle types."""
    return (PINNED, handle_types, location(device), 0, (0, 0, 0))


def access(device: int = 0, flags: int = READ_WRITE) -> tuple[Plain, ...]:
    """Return a plain CUmemAccessDesc."""
    return (location(device), flags)


class Ok:
    """Calls that must succeed: ``a.ok.cuMemAlloc(4096)`` returns only the results."""

    __slots__ = ("_door",)

    def __init__(self, door: Door) -> None:
        self._door = door

    def __getattr__(self, name: str) -> Callable[..., Plain]:
        call = getattr(self._door, name)

        def made(*inputs: Plain) -> Plain:
            code, *results = call(*inputs)
            if code:
                msg = f"{name} answered {name_of(code)}, and the case is built on it: {inputs}"
                raise NotBuilt(msg)
            return results[0] if len(results) == 1 else tuple(results) or None

        return made


@frozen
class Thread:
    """A named thread of a world's process.

    Attributes:
        subject: The process.
        name: The thread's name.
        c: Its calls.
        ok: Its calls that must succeed.
    """

    subject: Process
    name: str
    c: Door
    ok: Ok

    def call(self, name: str, /, *, null: str = "", **args: Plain) -> Invocation:
        """Return a call for this thread; see :meth:`Process.call`."""
        return attrs.evolve(self.subject.call(name, null=null, **args), thread=self.name)


class Process:
    """A process of a world.

    Attributes:
        name: Its name in the program.
        c: The calls of its main thread: ``(code, *results)``.
        ok: The calls of its main thread that must succeed: the results.
        device: The device that it works on.
        context: The context that was made current on its main thread, or 0.
    """

    def __init__(self, recorded: Recorded, device: int, context: int) -> None:
        self.recorded = recorded
        self.name = recorded.name
        self.c = recorded.c
        self.ok = Ok(recorded.c)
        self.device = device
        self.context = context

    @property
    def alive(self) -> bool:
        """Whether calls can be made."""
        return self.recorded.alive

    def thread(self, name: str) -> Thread:
        """Return a thread of the process, made on first use without a context."""
        made: RecordedThread = self.recorded.thread(name)
        return Thread(self, name, made.c, Ok(made.c))

    def begin_exit(self) -> None:
        """Run the exit handlers, including the driver's."""
        self.recorded.begin_exit()

    def exit(self) -> None:
        """End the process in order."""
        self.recorded.exit()

    def kill(self) -> None:
        """End the process with SIGKILL."""
        self.recorded.kill()

    def call(self, name: str, /, *, null: str = "", **args: Plain) -> Invocation:
        """Return a call with inputs by their C names, not made yet.

        Raises:
            TypeError: The names are not those of the inputs.
        """
        wanted = [param.name for param in CALLS[name].inputs]
        if set(args) != set(wanted):
            msg = f"{name} takes ({', '.join(wanted)}), not ({', '.join(args)})"
            raise TypeError(msg)
        return Invocation(self, name, {key: args[key] for key in wanted}, null)

    def given(self, name: str, /, *values: Plain) -> Invocation:
        """Return a call with inputs in C order; see :meth:`call`."""
        return Invocation(self, name, dict(zip([one.name for one in CALLS[name].inputs], values, strict=True)))

    def host_memory(self, size: int) -> int:
        """Return the address of new host memory, in whole pages."""
        address: int = self.recorded.recorder.host_memory(self.name, size)
        return address

    def write(self, address: int, content: bytes | tuple[int, ...]) -> None:
        """Write bytes or 64-bit numbers into host memory."""
        self.recorded.recorder.write_memory(self.name, address, content)

    def read(self, address: int, size: int = 4) -> bytes:
        """Return bytes of host memory."""
        found: bytes = self.recorded.recorder.read_memory(self.name, address, size)
        return found

    def c_function(self, name: str) -> int:
        """Return the address of a function of the C library, for a stream to call."""
        address: int = self.recorded.recorder.c_function(self.name, name)
        return address

    def number(self) -> int:
        """Return the system's number of the process."""
        number: int = self.recorded.recorder.number_of(self.name)
        return number

    def file(self, content: bytes) -> bytes:
        """Return the path of a new file with bytes."""
        path: bytes = self.recorded.recorder.write_file(content)
        return path

    def mapped(self, size: int = GRANULE, *, handle_types: int = 0, grant: bool = True) -> tuple[int, int]:
        """Map new device memory, and return its address and handle.

        Args:
            size: Bytes, a multiple of the granularity.
            handle_types: The handle types that it exports.
            grant: Whether the device may read and write it.
        """
        pointer: int = self.ok.cuMemAddressReserve(size, 0, 0, 0)
        handle: int = self.ok.cuMemCreate(size, pinned(self.device, handle_types), 0)
        self.ok.cuMemMap(pointer, size, 0, handle, 0)
        if grant:
            self.ok.cuMemSetAccess(pointer, size, (access(self.device),), 1)
        return pointer, handle


@frozen
class Invocation:
    """A call that is ready to be made.

    Attributes:
        process: The calling process.
        call: The call's name.
        args: Its inputs by the names of the C prototype.
        null: The results whose pointer is null, with spaces between.
        thread: The calling thread's name.
    """

    process: Process
    call: str
    args: Mapping[str, Plain]
    null: str = ""
    thread: str = MAIN

    @property
    def c(self) -> Door:
        """The calls of the invocation's thread."""
        return self.process.recorded.thread(self.thread).c

    def evolve(self, **args: Plain) -> Invocation:
        """Return the call with other inputs."""
        return attrs.evolve(self, args={**self.args, **args})

    def on_thread(self, name: str) -> Invocation:
        """Return the call on another thread of the process."""
        return attrs.evolve(self, thread=name)

    def run(self) -> tuple[Plain, ...]:
        """Make the call; return ``(code, *results)``."""
        values = [self.args[param.name] for param in CALLS[self.call].inputs]
        return tuple(getattr(self.c, self.call)(*values, null=self.null))
