"""The cost of race detection: calls on a machine with and without it."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import cycle
from time import process_time
from typing import TYPE_CHECKING, Any

from fakecuda import Machine

from .measure import in_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Programs = dict[str, tuple[Callable[[], object], float]]

SIZE = 4096
NO_MEMORY, WAITING, IN_STREAMS = 1.03, 1.05, 1.5
"""Maximum times relative to a machine without race detection, of calls that use no memory, that wait for their work, and
that queue work."""
NON_BLOCKING = 1
NUMBER, REPEATS = 100, 300
"""Short runs, and many of them. The shortest run of each kind counts."""
CALLS = 8
"""Number of calls of a stream before the host waits."""
BLOCKS = 2048
"""Number of ranges that a stream uses one after the other, before the host waits and it starts again."""


def races() -> Iterator[tuple[str, float, float]]:
    """Yield calls' names, their times with race detection, and their limits.

    The times are relative to a machine without race detection.
    """
    with ExitStack() as stack:
        looking, not_looking = (_programs(stack.enter_context(Machine(races=one)).here.driver) for one in (True, False))
        for name, (program, limit) in looking.items():
            taken = in_turn(
                {"on": program, "off": not_looking[name][0]}, number=NUMBER, repeats=REPEATS, timer=process_time
            )
            yield name, taken["on"] / taken["off"], limit


def _programs(d: Any) -> Programs:
    """Return calls by name, each with its limit."""
    d.cuInit(0)
    d.cuCtxCreate(None, 0, 0)
    a, b, c = (int(d.cuMemAlloc(SIZE)[1]) for _ in range(3))
    host = int(d.cuMemAllocHost(SIZE)[1])
    one, other, third = (d.cuStreamCreate(NON_BLOCKING)[1] for _ in range(3))
    event = d.cuEventCreate(0)[1]

    def in_turns() -> None:
        d.cuMemcpyHtoDAsync(a, host, SIZE, one)
        d.cuEventRecord(event, one)
        d.cuStreamWaitEvent(other, event, 0)
        d.cuMemcpyDtoDAsync(b, a, SIZE, other)
        d.cuEventRecord(event, other)
        d.cuStreamWaitEvent(one, event, 0)

    def waited_for() -> None:
        for _ in range(CALLS):
            d.cuMemcpyDtoDAsync(a, b, SIZE, one)
        d.cuStreamSynchronize(one)

    theirs, ours = (int(d.cuMemAlloc(BLOCKS * SIZE)[1]) for _ in range(2))
    offsets = cycle(range(0, BLOCKS * SIZE, SIZE))

    def new_range() -> int:
        """Return the offset of bytes that no in-flight work has used."""
        offset = next(offsets)
        if not offset:
            d.cuCtxSynchronize()
            d.cuMemsetD8Async(c, 1, SIZE, third)
        return offset

    def new_memset() -> None:
        d.cuMemsetD8Async(ours + new_range(), 1, SIZE, one)

    def new_copy() -> None:
        offset = new_range()
        d.cuMemcpyDtoDAsync(ours + offset, theirs + offset, SIZE, one)

    def beside_work(call: Callable[..., object], *args: object) -> Callable[[], object]:
        """Make a call while two streams have work."""

        def program() -> None:
            d.cuMemsetD8Async(c, 1, SIZE, third)
            call(*args)

        return program

    return {
        "cuDeviceGetCount": (d.cuDeviceGetCount, NO_MEMORY),
        "cuMemcpyHtoD": (lambda: d.cuMemcpyHtoD(a, host, SIZE), WAITING),
        "cuMemcpyDtoH": (lambda: d.cuMemcpyDtoH(host, a, SIZE), WAITING),
        "cuMemsetD8Async, one stream": (lambda: d.cuMemsetD8Async(a, 1, SIZE, one), IN_STREAMS),
        "cuMemcpyDtoDAsync, one stream": (lambda: d.cuMemcpyDtoDAsync(a, b, SIZE, one), IN_STREAMS),
        "cuMemcpyDtoDAsync and a wait": (
            lambda: (d.cuMemcpyDtoDAsync(a, b, SIZE, one), d.cuStreamSynchronize(one)),
            IN_STREAMS,
        ),
        f"{CALLS} times cuMemcpyDtoDAsync and a wait": (waited_for, IN_STREAMS),
        "cuMemsetD8Async, two streams": (beside_work(d.cuMemsetD8Async, a, 1, SIZE, one), IN_STREAMS),
        "cuMemcpyDtoDAsync, two streams": (beside_work(d.cuMemcpyDtoDAsync, a, b, SIZE, one), IN_STREAMS),
        "cuMemsetD8Async of new bytes, two streams": (new_memset, IN_STREAMS),
        "cuMemcpyDtoDAsync of new bytes, two streams": (new_copy, IN_STREAMS),
        "copies in two streams, in turns by events": (in_turns, IN_STREAMS),
    }
