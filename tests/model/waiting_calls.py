"""Calls that wait for a stream, which waits for a flag in host memory."""

from __future__ import annotations

import ctypes
import mmap
from importlib import import_module
from typing import TYPE_CHECKING, Any

from attrs import define, field

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE, LARGE = 4096, 1 << 20
"""Bytes of most copies, and of large ones."""


def _pages() -> tuple[ctypes.Array[ctypes.c_uint32], ...]:
    """Return two pages of memory, which the arrays keep."""
    return tuple((ctypes.c_uint32 * (SIZE // 4)).from_buffer(mmap.mmap(-1, SIZE)) for _ in range(2))


@define(eq=False)
class World:
    """The objects of a program's threads.

    Attributes:
        created: Whether the context is a created one, or the primary context.
    """

    created: bool
    driver: Any = field(init=False)
    context: Any = field(init=False)
    flags: tuple[ctypes.Array[ctypes.c_uint32], ...] = field(init=False, factory=_pages)
    stream: Any = field(init=False)
    event: Any = field(init=False)
    memory: Any = field(init=False)
    pinned: int = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Make a stream that waits, an event behind it, and memory that it uses."""
        self.driver = import_module("cuda.bindings.driver")  # a simulated one, or a card's
        self.ok("cuInit", 0)
        if self.created:
            self.context = self.ok("cuCtxCreate", None, 0, 0)
        else:
            self.context = self.ok("cuDevicePrimaryCtxRetain", 0)
        self.enter()
        for flag in self.flags:  # the program's own memory: it is there still when the context has gone
            self.ok("cuMemHostRegister", ctypes.addressof(flag), SIZE, 0)
        self.memory = self.ok("cuMemAlloc", LARGE)
        self.pinned = int(self.ok("cuMemHostAlloc", SIZE, 0))
        self.stream = self.ok("cuStreamCreate", 0)
        self.event = self.ok("cuEventCreate", 0)
        self.queue(0)
        self.ok("cuMemsetD8Async", self.memory, 1, SIZE, self.stream)
        self.ok("cuEventRecord", self.event, self.stream)

    def ok(self, name: str, *args: Any) -> Any:
        """Make a call that must succeed; return its result."""
        code, *results = getattr(self.driver, name)(*args)
        assert not int(code), (name, code)
        return results[0] if results else None

    def enter(self) -> None:
        """Have the context current in the calling thread."""
        self.ok("cuCtxSetCurrent", self.context)

    def queue(self, flag: int) -> None:
        """Have the stream wait for a flag."""
        place = self.ok("cuMemHostGetDevicePointer", ctypes.addressof(self.flags[flag]), 0)
        self.ok("cuStreamWaitValue32", self.stream, place, 1, 1)

    def write(self, flag: int) -> None:
        """Write a flag."""
        self.flags[flag][0] = 1

    def driver_call(self, name: str, *args: Any) -> int:
        """Return what a call of the driver API answers."""
        return int(getattr(self.driver, name)(*args)[0])

    def runtime_call(self, name: str, *args: Any) -> int:
        """Return what a call of the runtime API answers."""
        return int(getattr(import_module("cuda.bindings.runtime"), name)(*args)[0])


WAITING: dict[str, Callable[[World], int]] = {
    "cuStreamSynchronize": lambda w: w.driver_call("cuStreamSynchronize", w.stream),
    "cuStreamSynchronize of the default stream": lambda w: w.driver_call("cuStreamSynchronize", 0),
    "cuCtxSynchronize": lambda w: w.driver_call("cuCtxSynchronize"),
    "cuEventSynchronize": lambda w: w.driver_call("cuEventSynchronize", w.event),
    "cuMemFree": lambda w: w.driver_call("cuMemFree", w.memory),
    "cuMemFreeHost": lambda w: w.driver_call("cuMemFreeHost", w.pinned),
    "cuMemcpyDtoH": lambda w: w.driver_call("cuMemcpyDtoH", bytearray(SIZE), w.memory, SIZE),
    "cuMemcpyHtoD": lambda w: w.driver_call("cuMemcpyHtoD", w.memory, bytes(SIZE), SIZE),
    "cuMemcpyDtoH to pinned": lambda w: w.driver_call("cuMemcpyDtoH", w.pinned, w.memory, SIZE),
    "cuMemcpyHtoD from pinned": lambda w: w.driver_call("cuMemcpyHtoD", w.memory, w.pinned, SIZE),
    "cuMemcpyDtoH, large": lambda w: w.driver_call("cuMemcpyDtoH", bytearray(LARGE), w.memory, LARGE),
    "cuMemcpyHtoD, large": lambda w: w.driver_call("cuMemcpyHtoD", w.memory, bytes(LARGE), LARGE),
    "cuCtxDestroy": lambda w: w.driver_call("cuCtxDestroy", w.context),
}
"""Calls that wait, in a created context, by their names."""
PRIMARY: dict[str, Callable[[World], int]] = {
    "cudaStreamSynchronize": lambda w: w.runtime_call("cudaStreamSynchronize", int(w.stream)),
    "cudaDeviceSynchronize": lambda w: w.runtime_call("cudaDeviceSynchronize"),
    "cudaFree": lambda w: w.runtime_call("cudaFree", int(w.memory)),
    "cudaDeviceReset": lambda w: w.runtime_call("cudaDeviceReset"),
    "cuDevicePrimaryCtxReset": lambda w: w.driver_call("cuDevicePrimaryCtxReset", 0),
    "cuDevicePrimaryCtxRelease": lambda w: w.driver_call("cuDevicePrimaryCtxRelease", 0),
}
"""The calls in the primary context."""
