"""cuStreamWriteValue32, cuStreamWriteValue64: a stream writes a value to memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import READ_ONLY, registered
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, short, stream, word
from conformance.cases.driver.stream.mem_ops import NO_BARRIER, with_peers
from conformance.cases.driver.stream.values import check_width, refuse_places
from conformance.cases.driver.va.fixtures import READ, content, half_mapped
from conformance.kit.case import Entry
from conformance.kit.program import FORKED, MAIN
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def writing(width: int) -> Entry:
    """Return the entry of a call that writes a value, with its cases.

    Args:
        width: Bytes of the value.
    """
    call, stored = f"cuStreamWriteValue{8 * width}", bytes(range(width, 0, -1))

    def valid(w: World) -> Invocation:
        a = w.process()
        return a.call(call, stream=0, addr=word(a), value=int.from_bytes(stored, "little"), flags=0)

    def written(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
        """Check the value's bytes in little-endian order, and no others."""
        i.process.ok.cuStreamSynchronize(i.args["stream"])
        assert content(i.process, i.args["addr"], width + 4) == stored + bytes(4)

    def cut(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
        """Check that the bytes inside the allocation are written."""
        i.process.ok.cuStreamSynchronize(i.args["stream"])
        assert content(i.process, i.args["addr"], width // 2) == stored[: width // 2]

    entry = Entry(call, valid, written)
    refuse_places(entry, width)
    entry.breaks("FLAGS_ARE_KNOWN", flags=2)
    entry.breaks("FLAGS_ARE_KNOWN", "no barrier", flags=NO_BARRIER)
    with_peers(entry, written)
    cannot = "MEMORY_CAN_BE_WRITTEN"
    entry.undefined(cannot, code=Result.SUCCESS, addr=lambda i: half_mapped(i.process, READ))
    entry.undefined(cannot, "registered", code=Result.SUCCESS, addr=lambda i: registered(i.process, flags=READ_ONLY))
    entry.also("past the end", addr=lambda i: short(i.process, width), then=cut)
    return entry


narrow, broad = writing(4), writing(8)


@narrow.also("in forks")
def forked(_w: World, i: Invocation) -> None:
    """Check that the device runs its queue in order.

    A fork's work takes the place of the next that its parent gives, and streams get a queue with their first work.
    """
    a, place, one = i.process, i.args["addr"], stream(i.process, NON_BLOCKING)
    writers = [(FORKED, None), (FORKED, one), (MAIN, one), (FORKED, None), (FORKED, one), (FORKED, one), (MAIN, one)]
    for number, (thread, own) in enumerate((*writers, (MAIN, one))):
        a.thread(thread).ok.cuStreamWriteValue32(own or stream(a, NON_BLOCKING), place + 4 * number, 1, 0)
    a.ok.cuCtxSynchronize()
    assert content(a, place, 32)[::4] == bytes([1, 0, 0, 1, 1, 0, 0, 1])


narrow.alone("in-forks")

test_stream_write_value32 = narrow.test()
test_stream_write_value64 = broad.test()


def test_width_is_supported() -> None:
    check_width(broad)
