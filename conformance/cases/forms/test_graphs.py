"""Older forms of graph and capture calls.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.graph.fixtures import node, refuse_a_node
from conformance.cases.forms.fixtures import older
from conformance.kit.case import Entry, suite

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

same = [
    older(form)
    for form in (
        "cuGraphAddDependencies_v1",
        "cuGraphAddNode_v1",
        "cuGraphRemoveDependencies_v1",
        "cuStreamBeginCapture_v1",
        "cuStreamUpdateCaptureDependencies_v1",
    )
]
same[-1].without("destroyed_context")
fewer = [
    older(form, thens=False)
    for form in (
        "cuGraphGetEdges_v1",
        "cuGraphNodeGetDependencies_v1",
        "cuGraphNodeGetDependentNodes_v1",
        "cuStreamGetCaptureInfo_v1",
        "cuStreamGetCaptureInfo_v2",
    )
]


def kernel_parameters(given: dict[str, Any]) -> dict[str, Any]:
    """Return a node's parameters in the older form."""
    return {"nodeParams": given["nodeParams"][:-2]}


kernels = [
    older(form, kernel_parameters)
    for form in ("cuGraphAddKernelNode_v1", "cuGraphKernelNodeSetParams_v1", "cuGraphExecKernelNodeSetParams_v1")
]
for one in kernels:
    one.breaks("PARAMETERS_ARE_GIVEN", nodeParams=None)
shown = older("cuGraphKernelNodeGetParams_v1", thens=False)


def instantiated(form: str) -> Entry:
    """Return the entry of an older form of cuGraphInstantiate."""

    def told(_w: World, _i: Invocation, results: tuple[Plain, ...]) -> None:
        """Check that no node and no text are returned."""
        assert results[1:] == (0, b"")

    entry = older(form, lambda _: {"bufferSize": 64}, then=told)
    entry.null("phGraphExec", "RESULT_IS_GIVEN")
    entry.null("phErrorNode logBuffer", None, "nothing told")
    return entry


def updated(_w: World, _i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the result CU_GRAPH_EXEC_UPDATE_SUCCESS."""
    assert results == (0, 0)


update = older("cuGraphExecUpdate_v1", then=updated)
update.null("hErrorNode_out", None)
update.null("updateResult_out", None)


@update.world("NODES_ARE_AS_MANY")
def one_node_more(_w: World, i: Invocation) -> None:
    node(i.process, i.args["hGraph"])


@update.world("REFUSALS_STAY")
def refused_a_node(_w: World, i: Invocation) -> None:
    refuse_a_node(i.process, i.args["hGraph"])


informed = next(one for one in fewer if one.call == "cuStreamGetCaptureInfo_v1")
informed.null("captureStatus_out", "RESULT_IS_GIVEN")
informed.null("id_out", None)

test_graphs = suite(
    *same,
    *fewer,
    *kernels,
    shown,
    instantiated("cuGraphInstantiate_v1"),
    instantiated("cuGraphInstantiate_v2"),
    update,
)
