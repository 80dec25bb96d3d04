"""cuStreamCopyAttributes: copy all attributes of a stream to another.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.stream.captured_calls import told_of_captures
from conformance.cases.driver.stream.fixtures import ATTRIBUTE, LEGACY, PER_THREAD, elsewhere, refuse, stream
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


POLICY, PRIORITY, DOMAIN = (ATTRIBUTE[name] for name in ("SYNCHRONIZATION_POLICY", "PRIORITY", "MEM_SYNC_DOMAIN"))
SPIN, YIELD, BLOCK = 2, 3, 4
"""CUsynchronizationPolicy."""


def valid(w: World) -> Invocation:
    return w.process().call("cuStreamCopyAttributes", dst=0, src=0)


entry = Entry("cuStreamCopyAttributes", valid)
refuse(entry, "dst")
refuse(entry, "src")
entry.breaks("STREAMS_SHARE_A_CONTEXT", "dst", dst=lambda i: elsewhere(i.process)[0])
entry.breaks("STREAMS_SHARE_A_CONTEXT", "src", src=lambda i: elsewhere(i.process)[0])
for name in ("dst", "src"):
    told_of_captures(entry, name)
entry.also("to a created one", dst=lambda i: stream(i.process))
entry.also("from a created one", src=lambda i: stream(i.process))
entry.also("between default ones", dst=LEGACY, src=PER_THREAD)


def alike(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the destination has the attributes, independent of the source."""
    a, dst, src = i.process, i.args["dst"], i.args["src"]
    for attribute in (POLICY, PRIORITY, DOMAIN):
        assert a.ok.cuStreamGetAttribute(dst, attribute) == a.ok.cuStreamGetAttribute(src, attribute)
    a.ok.cuStreamSetAttribute(src, POLICY, (BLOCK,))
    assert a.ok.cuStreamGetAttribute(dst, POLICY) == (SPIN,)


@entry.also("all that was set", then=alike)
def all_set(_w: World, i: Invocation) -> Invocation:
    a = i.process
    dst, src = stream(a), a.ok.cuStreamCreateWithPriority(0, -1)
    a.ok.cuStreamSetAttribute(src, POLICY, (SPIN,))
    a.ok.cuStreamSetAttribute(src, DOMAIN, (1,))
    a.ok.cuStreamSetAttribute(dst, POLICY, (YIELD,))
    return i.evolve(dst=dst, src=src)


@entry.also("two streams of another context")
def both_elsewhere(_w: World, i: Invocation) -> Invocation:
    a = i.process
    a.ok.cuCtxCreate(None, 0, 0)
    both = stream(a), stream(a)
    a.ok.cuCtxPopCurrent()
    return i.evolve(dst=both[0], src=both[1])


test_stream_copy_attributes = entry.test()
