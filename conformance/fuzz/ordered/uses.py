"""The memory that calls and nodes use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.fuzz.ordered.executor import Use
from conformance.fuzz.ordered.program import (
    ARRAYS,
    FIRST,
    HOST_POOL,
    HOSTED,
    OF_HOST,
    ONE_MEMORY,
    PLAIN,
    SECOND,
    SIZE,
)

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from conformance.fuzz.ordered.program import Actor
    from conformance.fuzz.ordered.reading import Reading

WORD = 4
"""Bytes of a value."""
HOMES = {"a": FIRST, "b": FIRST, "c": SECOND}
"""The contexts of allocations."""
ALL = (1 << SIZE) - 1
"""All bytes of a buffer."""


def use(does: str, buffer: str, actor: Actor, mask: int) -> Use:
    """Return a use of memory by an actor."""
    return Use(does, ONE_MEMORY.get(buffer, buffer), (buffer, actor.process), mask)


def span(first: int, count: int) -> int:
    """Return the bit mask of consecutive bytes."""
    return (1 << count) - 1 << first


def rows(first: int, width: int, pitch: int, height: int) -> int:
    """Return the bit mask of the bytes of rows."""
    return sum(span(first + row * pitch, width) for row in range(height))


def batch_order(args: tuple[Any, ...]) -> int:
    """Return the CUmemcpySrcAccessOrder of a batch copy; 0 for other copies."""
    dst, at, src, first, count = args
    return 0 if {dst, src} & {*ARRAYS} or (at + first + count) % 4 else 1 + (at + first) // 16 % 3


def fetched_to(count: int, process: int, *, now: bool) -> str:
    """Return the host memory to which a process copies, in a stream or at once."""
    return HOST_POOL if count == SIZE // 2 and not process and not now else PLAIN


def contexts_beside(what: str, args: tuple[Any, ...], actor: Actor, *, every: bool) -> list[int]:
    """Return the other contexts whose allocations a copy without a stream uses, if it only uses memory of devices.

    Args:
        what: The step.
        args: Its arguments.
        actor: Who copies.
        every: Whether this is asked of all copies, and not of cuMemcpyPeer alone.
    """
    names = {one for one in args if isinstance(one, str)}
    is_peer = (
        what == "copy_now" and names == {"a", "b"} and args[1] % 2 == 0
    )  # "serialized with respect all pending [...] work"
    if what not in {"copy_now", "box_now"} or actor.process or names & {"u", *OF_HOST} or not (is_peer or every):
        return []
    return sorted({HOMES[name] for name in names & set(HOMES)} - {actor.context})


def returns_done(what: str, args: tuple[Any, ...], actor: Actor, reading: Reading, says_so: AbstractSet[str]) -> bool:
    """Return whether a call returns only when its copy or memset is done.

    "API synchronization behavior": copies from host to host do, and so do copies without a stream to the host or from
    page-locked memory, and memsets of page-locked memory. Managed memory has CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, which
    "ensures that synchronous memory operations [...] will always synchronize". Calls can set it for other memory.

    Args:
        what: The step.
        args: Its arguments.
        actor: Who calls.
        reading: How calls are read.
        says_so: The memory for which calls without a stream wait.
    """
    names = {one for one in args if isinstance(one, str)}
    if what.endswith("_now"):
        on_host = bool(names & {*HOSTED, *OF_HOST})
        return bool(names & says_so) or on_host or what == "fetch_now" or (what == "put_now" and reading.plain_waits)
    if what == "fetch":
        return reading.plain_waits or (args[0] in OF_HOST and fetched_to(args[2], actor.process, now=False) == PLAIN)
    if what == "as_host":
        return reading.managed_waits
    return what in {"put", "copy"} and names <= {*OF_HOST}


def uses_of(what: str, args: tuple[Any, ...], actor: Actor) -> list[Use]:
    """Return the memory that a call or a node uses."""
    if what == "put_now" and args[0] in {*HOSTED, *OF_HOST}:
        return [use("writes", args[0], actor, span(*args[1:])), use("reads", PLAIN, actor, span(0, args[2]))]
    now, what = what.endswith("_now"), what.removesuffix("_now")
    if what == "rows":
        return [use("writes", args[0], actor, rows(*args[1:]))]
    if what == "copy":
        dst, at, src, source, count = args
        return [use("writes", dst, actor, span(at, count)), use("reads", src, actor, span(source, count))]
    if what == "box":
        dst, src, *box = args
        return [use("writes", dst, actor, rows(*box)), use("reads", src, actor, rows(*box))]
    if what in {"allocate", "free"}:
        return [use("allocates" if what == "allocate" else "frees", args[0], actor, ALL)]
    if what == "attach":
        return []
    if what == "as_host":
        return uses_of("copy", args, actor)
    if what == "fetch":
        target = fetched_to(args[2], actor.process, now=now)
        return [use("reads", args[0], actor, span(*args[1:])), use("writes", target, actor, span(0, args[2]))]
    if what == "reset":
        return [use("writes", args[0], actor, span(0, WORD))]
    does = {"look": "reads", "discard": "discards", "prefetch": "prefetches"}.get(what, "writes")
    return [use(does, args[0], actor, span(args[1], args[2]))]
