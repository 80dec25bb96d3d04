"""Fixtures of memory of every kind."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conformance.cases.driver.va.fixtures import NOWHERE, content, half_mapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.kit.case import Entry
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

PAGE = 4096
PORTABLE, DEVICE_MAP, WRITE_COMBINED, READ_ONLY = 1, 2, 4, 8
ATTACH_GLOBAL, ATTACH_HOST = 1, 2


def registered(a: Process, size: int = PAGE, flags: int = 0) -> int:
    """Return the address of registered host memory."""
    address = a.host_memory(size)
    a.ok.cuMemHostRegister(address, size, flags)
    return address


def memory(a: Process, kind: str) -> int:
    """Return the address of a page of memory of one of ``KINDS``."""
    address: int = KINDS[kind](a)
    return address


def pointers(parameter: str, *kinds: str) -> Iterator[tuple[str, dict[str, Plain]]]:
    """Yield the name of each kind, and an argument with memory of it.

    Args:
        parameter: The argument's C name.
        kinds: Some of ``KINDS``.
    """
    for kind in kinds:
        yield kind, {parameter: partial(_of_kind, kind)}


def _of_kind(kind: str, i: Invocation) -> int:
    return memory(i.process, kind)


def from_anywhere(entry: Entry) -> None:
    """Add the cases of a call without a context or in another context."""

    @entry.also("from a thread without a context")
    def bare_thread(_: World, i: Invocation) -> Invocation:
        return i.on_thread("bare")

    @entry.also("in another context")
    def other_context(_: World, i: Invocation) -> None:
        i.process.ok.cuCtxCreate(None, 0, 0)


def on_another_device(w: World, i: Invocation) -> Invocation:
    """Make the call in a process on the second device."""
    return w.process(device=1).call(i.call, **i.args)


def used_by_devices(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that host and devices see the same bytes of a call's host memory."""
    a, (ptr,) = i.process, results
    seen_alike(a, ptr, i.args["bytesize"])


def seen_alike(a: Process, ptr: int, size: int) -> None:
    """Check that host and devices see the same bytes, and can copy from and to them."""
    device, end = a.ok.cuMemAlloc(PAGE), ptr + size - 4
    a.write(end, b"host")
    assert content(a, end) == b"host"
    a.ok.cuMemcpyHtoD(ptr, b"device", 6)
    a.ok.cuMemsetD8(ptr + 1, 120, 2)
    a.ok.cuMemcpyDtoD(device, end, 4)
    a.ok.cuMemcpyDtoD(ptr + 8, device, 4)
    a.ok.cuCtxSynchronize()
    assert content(a, ptr) == b"dxxi"
    assert (a.read(ptr, 6), a.read(ptr + 8), a.read(end)) == (b"dxxice", b"host", b"host")


KINDS: dict[str, Callable[[Process], Plain]] = {
    "linear": lambda a: a.ok.cuMemAlloc(PAGE),
    "pinned": lambda a: a.ok.cuMemHostAlloc(PAGE, 0),
    "registered": registered,
    "managed": lambda a: a.ok.cuMemAllocManaged(PAGE, ATTACH_GLOBAL),
    "mapped": half_mapped,
    "plain": lambda a: a.host_memory(PAGE),
    "nowhere": lambda _: NOWHERE,
}
"""Functions that make memory of each kind; ``plain`` is unregistered host memory."""
