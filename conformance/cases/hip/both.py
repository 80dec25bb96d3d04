"""Common behaviour of HIP and the CUDA runtime: cases of a call in both APIs.

The case makes its calls by the names that both have, and looks at memory by calls alone, so that a card can be asked.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import evolve, frozen

from conformance.cases.driver.va import fixtures as driver
from conformance.cases.hip import fixtures as hip
from conformance.kit.case import ENTRIES
from conformance.kit.program import MAIN

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

A = TypeVar("A", bound="Callable[..., None]")

for _module in (
    "copy",
    "default",
    "device",
    "memory",
    "peer",
    "through",
):  # they declare the entries of the counterparts
    importlib.import_module(f"conformance.cases.runtime.test_{_module}")


@frozen
class Calls:
    """Calls that must succeed, by the names that both APIs have: ``c.Malloc(64)`` is hipMalloc or cudaMalloc.

    Attributes:
        a: The process.
        api: ``hip`` or ``cuda``.
        thread: The name of the calling thread.
    """

    a: Process
    api: str
    thread: str = MAIN

    def __getattr__(self, name: str) -> Any:
        return getattr(self.a.thread(self.thread).ok, self.api + name)

    def of_thread(self, name: str) -> Calls:
        """Return the calls of a process's thread, which is created on first use."""
        return evolve(self, thread=name)

    def content(self, address: int, size: int = hip.SIZE) -> bytes:
        """Return the content of memory after its work."""
        self.DeviceSynchronize()
        return hip.content(self.a, address, size) if self.api == "hip" else driver.content(self.a, address, size)

    def holds(self, address: int, value: int) -> bool:
        """Return whether memory holds a byte repeatedly."""
        return self.content(address) == bytes([value]) * hip.SIZE

    def pool(self, handles: int = 0, device: int = 0) -> int:
        """Return a new pool of a device."""
        usage = (0,) if self.api == "cuda" else ()
        return int(self.MemPoolCreate((1, handles, (1, device), 0, 0, *usage)))

    def attribute(self, pool: int, which: int, value: int | None = None) -> int:
        """Return an attribute of a pool, after an optional change."""
        if value is not None:
            self.MemPoolSetAttribute(pool, which, value)
        return int(self.MemPoolGetAttribute(pool, which))

    def kept(self) -> int:
        """Return a new pool that keeps its reserved memory."""
        made = self.pool()
        assert self.attribute(made, 4, hip.ALL) == hip.ALL
        return made

    def used(self, pool: int = 0, stream: int = 0) -> int:
        """Allocate from a pool, use and free memory in a stream; return the address."""
        given = self.MallocFromPoolAsync(hip.SIZE, pool, stream) if pool else self.MallocAsync(hip.SIZE, stream)
        self.MemsetAsync(given, 5, hip.SIZE, stream)
        self.StreamSynchronize(stream)
        assert self.holds(given, 5)
        self.FreeAsync(given, stream)
        self.StreamSynchronize(stream)
        return int(given)


def both(call: str, case: str) -> Callable[[A], A]:
    """Decorate a check of a call in both APIs: a function of calls and results.

    Args:
        call: Its name without the API's.
        case: The case's name.
    """

    def declare(act: A) -> A:
        for api in ("hip", "cuda"):

            def after(_w: World, i: Invocation, results: tuple[Plain, ...], api: str = api) -> None:
                act(Calls(i.process, api), *results)

            ENTRIES[api + call].after(case)(after)
        return act

    return declare
