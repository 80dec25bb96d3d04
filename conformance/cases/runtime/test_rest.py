"""Pointer attributes, device properties and function addresses in the runtime API.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__UNIFIED.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.runtime.fixtures import fresh, managed, memory, pinned, pooled, registered
from conformance.kit.case import Entry, suite

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

what = Entry.of("cudaPointerGetAttributes", lambda a: (memory(a),))
what.null("attributes", "RESULTS_ARE_GIVEN")
what.also("inside", ptr=lambda i: i.args["ptr"] + 5)
what.also("null", ptr=0)
PLACES: dict[str, Callable[[Process], int]] = {
    "pinned": pinned,
    "registered": registered,
    "managed": managed,
    "of a pool": pooled,
    "of the host": lambda a: a.host_memory(4096),
}
for label, place in PLACES.items():
    what.also(label, ptr=lambda i, place=place: place(i.process))

properties = Entry.of("cudaGetDeviceProperties", lambda _: (0,))
properties.breaks("DEVICE_IS_THERE", device=99)
properties.null("prop", "RESULTS_ARE_GIVEN")

choose = Entry.of("cudaChooseDevice", lambda a: (a.ok.cudaGetDeviceProperties(0),))
choose.breaks("PROPERTIES_ARE_GIVEN", prop=None)
choose.null("device", "RESULTS_ARE_GIVEN")

symbol = Entry.of("cudaGetDriverEntryPoint", lambda _: (b"cuMemAlloc", 0))
of_version = Entry.of("cudaGetDriverEntryPointByVersion", lambda _: (b"cuMemAlloc", 12000, 0))
for each in (symbol, of_version):
    each.breaks("FLAGS_ARE_KNOWN", flags=4)
    each.also("of the legacy default stream and of the thread's", flags=3)
    each.null("funcPtr", "POINTER_IS_GIVEN")
    each.also("unknown", symbol=b"cuNothing")
of_version.breaks("VERSION_IS_SUPPORTED", cudaVersion=99000)


properties.answers_inside()
choose.answers_inside()
symbol.answers_inside()
of_version.answers_inside()


@what.also("freed")
def freed(_w: World, i: Invocation) -> None:
    i.process.ok.cudaFree(i.args["ptr"])


@what.also("before there is a context, and none is made")
def before(w: World, _i: Invocation) -> Invocation:
    return fresh(w).call("cudaPointerGetAttributes", ptr=0)


@what.after("no context is made")
def none_made(w: World, _i: Invocation, _results: tuple[Plain, ...]) -> None:
    a = fresh(w)
    a.ok.cudaPointerGetAttributes(0)
    assert a.c.cuCtxGetCurrent() == (0, 0)


test_rest = suite(what, properties, choose, symbol, of_version)
