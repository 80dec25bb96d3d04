"""cuStreamSetAttribute: set an attribute of a stream.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from conformance.cases.driver.stream.fixtures import ATTRIBUTE, accept, refuse, stream
from conformance.kit.case import Entry
from conformance.kit.program import FORKED, INSIDE
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


WINDOW, POLICY, PRIORITY = (ATTRIBUTE[name] for name in ("ACCESS_POLICY_WINDOW", "SYNCHRONIZATION_POLICY", "PRIORITY"))
DOMAIN_MAP, DOMAIN, NVLINK = (
    ATTRIBUTE[name] for name in ("MEM_SYNC_DOMAIN_MAP", "MEM_SYNC_DOMAIN", "NVLINK_UTIL_CENTRIC_SCHEDULING")
)
SPIN = 2
"""CU_SYNC_POLICY_SPIN."""
NORMAL, STREAMING, PERSISTING = range(3)
"""CUaccessProperty."""
SIZE = 1 << 20


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuStreamSetAttribute", hStream=stream(a), attr=POLICY, value=(SPIN,))


def kept(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the stream has the attribute, and another stream is unchanged."""
    a, attribute = i.process, i.args["attr"]
    assert a.ok.cuStreamGetAttribute(i.args["hStream"], attribute) == i.args["value"]
    assert a.ok.cuStreamGetAttribute(stream(a), attribute) != i.args["value"]


entry = Entry("cuStreamSetAttribute", valid, kept)
entry.without("not_initialized")  # to such a process the handle is garbage, which the driver follows
entry.without("no_context", "destroyed_context")  # a created stream needs none that is current
entry.without("forked", "inside_function")  # a created stream is enough there, too
refuse(entry)
accept(entry)
entry.undefined("VALUE_IS_GIVEN", code=Result.INVALID_VALUE, value=None)
entry.breaks("VALUE_IS_KNOWN", "no policy", attr=POLICY, value=(0,))
entry.breaks("VALUE_IS_KNOWN", "beyond the policies", attr=POLICY, value=(5,))
for name in ("IGNORE", "COOPERATIVE", "PREFERRED_SHARED_MEMORY_CARVEOUT"):
    entry.breaks("ATTRIBUTE_IS_A_STREAM_S", name, attr=ATTRIBUTE[name], value=())
entry.breaks("ATTRIBUTE_IS_A_STREAM_S", "none at all", attr=99, value=())
entry.breaks("DOMAINS_ARE_THERE", attr=DOMAIN_MAP, value=(4, 0))
entry.breaks("DOMAINS_ARE_THERE", "remote", attr=DOMAIN_MAP, value=(0, 255))
entry.breaks("VALUE_IS_KNOWN", "no domain", attr=DOMAIN, value=(2,))
entry.breaks("ATTRIBUTE_IS_A_STREAM_S", "NVLINK_UTIL_CENTRIC_SCHEDULING", attr=NVLINK, value=(1,))
entry.also("domains", then=kept, attr=DOMAIN_MAP, value=(2, 3))
entry.also("a domain", then=kept, attr=DOMAIN, value=(1,))
entry.also("no window", attr=WINDOW, value=(0, 0, 0.0, NORMAL, NORMAL))
for policy, name in enumerate(("auto", "spin", "yield", "block"), 1):
    entry.also(f"policy {name}", value=(policy,))


def window(
    i: Invocation, size: int = SIZE, ratio: float = 0.5, hit: int = PERSISTING, miss: int = STREAMING
) -> Invocation:
    """Return the call that sets an access policy window."""
    pointer = i.process.ok.cuMemAlloc(SIZE)
    return i.evolve(attr=WINDOW, value=(pointer, size, ratio, hit, miss))


entry.also("a window", then=kept)(lambda _w, i: window(i))
entry.also("a whole window", then=kept)(lambda _w, i: window(i, ratio=1.0, hit=STREAMING, miss=NORMAL))
entry.world("WINDOW_IS_NOT_TOO_LARGE")(lambda _w, i: window(i, size=(128 << 20) + 1))
entry.world("HIT_RATIO_IS_A_SHARE", "above")(lambda _w, i: window(i, ratio=1.5))
entry.world("HIT_RATIO_IS_A_SHARE", "below")(lambda _w, i: window(i, ratio=-0.5))
entry.world("MISSES_DO_NOT_PERSIST")(lambda _w, i: window(i, miss=PERSISTING))
entry.also("hits of a property that there is not")(lambda _w, i: window(i, hit=3))
entry.also("misses of a property that there is not")(lambda _w, i: window(i, miss=3))


def clamped(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the priority is clamped, as cuStreamGetPriority reports."""
    a, changed = i.process, i.args["hStream"]
    least, greatest = a.ok.cuCtxGetStreamPriorityRange()
    priority = max(greatest, min(least, i.args["value"][0]))
    assert a.ok.cuStreamGetAttribute(changed, PRIORITY) == (priority,)
    assert a.ok.cuStreamGetPriority(changed) == priority


for priority, name in {-1: "urgent", -1000: "beyond the most urgent", 1000: "beyond the least urgent"}.items():
    entry.also(name, then=clamped, attr=PRIORITY, value=(priority,))


@entry.world("CONTEXT_IS_CURRENT", "of nothing")
def default_of_nothing(_w: World, i: Invocation) -> Invocation:
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(hStream=0)


@entry.world("CONTEXT_IS_ALIVE", "of a destroyed context")
def default_of_the_dead(w: World, i: Invocation) -> Invocation:
    context = i.process.ok.cuCtxCreate(None, 0, 0)
    i.process.thread(w.thread_name()).ok.cuCtxDestroy(context)
    return i.evolve(hStream=0)


@entry.world("DRIVER_IS_INITIALIZED", "of nothing")
def uninitialized(w: World, _i: Invocation) -> Invocation:
    return w.process(init=False).call("cuStreamSetAttribute", hStream=0, attr=POLICY, value=(SPIN,))


@entry.world("CALLS_ARE_PERMITTED", "of a default one")
def default_inside(_w: World, i: Invocation) -> Invocation:
    return evolve(i.evolve(hStream=0), thread=INSIDE)


@entry.also("in a fork")
def forked(_w: World, i: Invocation) -> Invocation:
    return evolve(i, thread=FORKED)


@entry.also("inside of a function of the host")
def inside(_w: World, i: Invocation) -> Invocation:
    return evolve(i, thread=INSIDE)


test_stream_set_attribute = entry.test()
