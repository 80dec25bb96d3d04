"""cuMemPrefetchAsync: pages of managed memory move to where they will be used.

Where pages are shows in no answer, for every access goes on as before; what can be asked is where they were last sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.codes import Result
from fakecuda.model.stream import submit
from fakecuda.rule import Rule, manual, op
from fakecuda.spec.stream.valid import stream_of
from fakecuda.spec.unified.managed import RANGE_IS_NOT_EMPTY, advice_at, concurrent, place_of

if TYPE_CHECKING:
    from fakecuda.model.process import Thread

FLAGS_ARE_ZERO = Rule(
    "the flags are 0", Result.INVALID_VALUE, manual("cuMemPrefetchAsync", "flags for future use, must be zero now")
)


@op("cuMemPrefetchAsync")
def mem_prefetch_async(
    call: Thread, dev_ptr: int, count: int, location: tuple[int, int], flags: int, stream: int
) -> None:
    """Have a stream prefetch the pages of a range.

    Args:
        call: The calling thread.
        dev_ptr: The range's first address.
        count: Its bytes; whole pages are prefetched.
        location: Where to: CUmemLocation, (type, id).
        flags: 0.
        stream: The stream.
    """
    # CHECK
    working = stream_of(call, stream, "cuMemPrefetchAsync")
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    if not count:
        raise RANGE_IS_NOT_EMPTY.broken(pointer=dev_ptr)
    place = place_of(call, location)
    known = advice_at(call, dev_ptr, count)
    concurrent(working.context.device)
    # EFFECT
    # What is asked for counts at once, whether the stream has begun with it or not.
    known.change(dev_ptr, dev_ptr + count, lambda state: state._replace(prefetched=place))
    submit(working, lambda: None)
