"""cuStreamGetAttribute: an attribute of a stream.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from conformance.cases.driver.stream.captured_calls import told_of_captures
from conformance.cases.driver.stream.fixtures import ATTRIBUTE, accept, refuse, stream
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


NVLINK = "NVLINK_UTIL_CENTRIC_SCHEDULING"


def valid(w: World) -> Invocation:
    return w.process().call("cuStreamGetAttribute", hStream=0, attr=ATTRIBUTE["SYNCHRONIZATION_POLICY"])


entry = Entry("cuStreamGetAttribute", valid)
refuse(entry)
accept(entry)
told_of_captures(entry)
for name in ("IGNORE", "COOPERATIVE", "CLUSTER_DIMENSION", "PREFERRED_SHARED_MEMORY_CARVEOUT", NVLINK):
    entry.breaks("ATTRIBUTE_IS_A_STREAM_S", name, attr=ATTRIBUTE[name])
entry.breaks("ATTRIBUTE_IS_A_STREAM_S", "none at all", attr=99)
entry.breaks("ATTRIBUTE_IS_A_STREAM_S", "negative", attr=-1)
for name in (
    "ACCESS_POLICY_WINDOW",
    "PRIORITY",
    "MEM_SYNC_DOMAIN_MAP",
    "MEM_SYNC_DOMAIN",
):
    entry.also(name, attr=ATTRIBUTE[name])
    entry.also(f"{name} of a created one", hStream=lambda i: stream(i.process), attr=ATTRIBUTE[name])


@entry.undefined("VALUE_IS_GIVEN", "", "value_out", code=Result.INVALID_VALUE)
def null(_w: World, i: Invocation) -> Invocation:
    return evolve(i, null="value_out")


def urgent(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    assert results == ((i.process.ok.cuStreamGetPriority(i.args["hStream"]),),)


entry.also(
    "the priority is the one it was created with",
    then=urgent,
    hStream=lambda i: i.process.ok.cuStreamCreateWithPriority(0, -1),
    attr=ATTRIBUTE["PRIORITY"],
)


test_stream_get_attribute = entry.test()
