"""Launches of kernels in a captured stream: their attributes, edges and events, and launches that become no node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.model.graph import capture
from fakecuda.model.work.launch import AT_ONCE
from fakecuda.spec.codes import Result
from fakecuda.spec.node_params import KERNEL as KERNEL_NODE
from fakecuda.spec.node_params import pack
from tests.model.test_capture import _captured, c_of_a_process

if TYPE_CHECKING:
    from typing import TypeAlias

    Calls: TypeAlias = Any

__all__ = ["c_of_a_process"]
KERNEL = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry nothing() { ret; }
\0"""


def test_a_launch_keeps_its_attributes_as_a_node(c: Calls) -> None:
    """They are checked as those of a launch are: one that does not suit the grid breaks the capture, one that is none does not."""
    function = c.cuModuleGetFunction(c.cuModuleLoadData(KERNEL)[1], b"nothing")[1]
    stream = _captured(c)
    given = ((0,), (4, 2, 1, 1), (2, 1), (8, -1))  # nothing, a cluster, at once, a priority
    assert c.cuLaunchKernelEx((4, *[1] * 5, 0, stream, given), function, 0, 0) == (0,)
    graph = c.cuStreamEndCapture(stream)[1]
    (node,) = c.cuGraphGetNodes(graph, 1)[1]
    told = {number: c.cuGraphKernelNodeGetAttribute(node, number)[1] for number in (2, 4, 8)}
    assert told[4] == b"".join(one.to_bytes(4, "little") for one in (2, 1, 1)).ljust(64, b"\0")
    assert (told[2][0], told[8][:4]) == (1, b"\xff" * 4)
    assert c.cuGraphInstantiate(graph, 0)[0] == 0
    for wrong, code, end in (
        ((99,), Result.INVALID_VALUE, 0),
        ((10, 9), Result.INVALID_VALUE, 0),
        ((14, 101), Result.INVALID_VALUE, 0),
        ((4, 3, 1, 1), Result.INVALID_CLUSTER_SIZE, Result.STREAM_CAPTURE_INVALIDATED),
    ):
        stream = _captured(c)
        assert c.cuLaunchKernelEx((4, *[1] * 5, 0, stream, (wrong,)), function, 0, 0) == (code,)
        assert c.cuStreamEndCapture(stream)[0] == end


def test_a_launch_that_may_begin_early_has_another_edge(c: Calls) -> None:
    """Behind a kernel it is programmatic; the node keeps nothing of it, nor of a hint about links."""
    function = c.cuModuleGetFunction(c.cuModuleLoadData(KERNEL)[1], b"nothing")[1]
    for early, data in ((1, (1, 0, 1)), (0, (0, 0, 0))):
        stream = _captured(c)
        for _ in range(2):
            assert c.cuLaunchKernelEx((*[1] * 6, 0, stream, ((6, early), (16, 1))), function, 0, 0) == (0,)
        graph = c.cuStreamEndCapture(stream)[1]
        assert c.cuGraphGetEdges(graph, 1)[3] == (data,)
        (node, _) = c.cuGraphGetNodes(graph, 2)[1]
        assert c.cuGraphKernelNodeGetAttribute(node, 6)[0] == Result.INVALID_VALUE
        assert c.cuGraphInstantiate(graph, 0)[0] == 0


def test_a_launch_of_which_more_would_be_made_is_no_node(c: Calls) -> None:
    """What a driver makes of an early one behind a kernel and a memset, of an external event, and of a node that devices may update.

    The capture goes on.
    """
    function = c.cuModuleGetFunction(c.cuModuleLoadData(KERNEL)[1], b"nothing")[1]
    stream = _captured(c)
    assert c.cuMemsetD8Async(c.cuMemAllocAsync(64, stream)[1], 0, 64, stream) == (0,)
    behind_a_memset = c.cuLaunchKernelEx((*[1] * 6, 0, stream, ((6, 1),)), function, 0, 0)
    assert behind_a_memset == (0,)  # it is like any other
    other, forks, joins = c.cuStreamCreate(1)[1], *(c.cuEventCreate(2)[1] for _ in range(2))
    c.cuEventRecord(forks, stream)
    c.cuStreamWaitEvent(other, forks, 0)
    c.cuMemsetD8Async(c.cuMemAllocAsync(64, other)[1], 0, 64, other)
    c.cuLaunchKernel(function, *[1] * 6, 0, stream, 0, 0)
    c.cuEventRecord(joins, other)
    c.cuStreamWaitEvent(stream, joins, 0)
    for given in ((6, 1), (12, c.cuEventCreate(2)[1], 1), (13, 1, 0)):
        with pytest.warns(fakecuda.NotModelledWarning, match="cuLaunchKernelEx is not modelled while a stream is"):
            refused = c.cuLaunchKernelEx((*[1] * 6, 0, stream, (given,)), function, 0, 0)
        assert refused == (Result.NOT_SUPPORTED,)
    assert c.cuStreamEndCapture(stream)[0] == 0


@pytest.mark.parametrize(
    ("number", "trigger", "edge"), [(7, (0,), (1, 0, 1)), (7, (1,), (2, 0, 1)), (12, (), (2, 0, 0))]
)
def test_events_of_launches_are_recorded_in_a_capture(
    c: Calls, number: int, trigger: tuple[int, ...], edge: tuple[int, int, int]
) -> None:
    """What waits for one may begin early; what the stream is given itself comes behind the whole launch, and asking breaks it."""
    function = c.cuModuleGetFunction(c.cuModuleLoadData(KERNEL)[1], b"nothing")[1]
    stream, other, event = _captured(c), c.cuStreamCreate(1)[1], c.cuEventCreate(2)[1]
    assert c.cuLaunchKernelEx((*[1] * 6, 0, stream, ((number, event, 0, *trigger),)), function, 0, 0) == (0,)
    for one, data in ((other, edge), (stream, (0, 0, 0))):
        assert c.cuStreamWaitEvent(one, event, 0) == (0,)
        assert c.cuStreamGetCaptureInfo(one)[5] == (data,)
    assert c.cuEventQuery(event) == (Result.CAPTURED_EVENT,)
    assert c.cuStreamEndCapture(stream)[0] == Result.STREAM_CAPTURE_INVALIDATED


def test_events_that_a_captured_launch_cannot_record(c: Calls) -> None:
    """They are looked at before the capture, which goes on."""
    function = c.cuModuleGetFunction(c.cuModuleLoadData(KERNEL)[1], b"nothing")[1]
    stream = _captured(c)
    plain, timed = (c.cuEventCreate(flags)[1] for flags in (2, 0))
    for event, flags, code in (
        (timed, 0, Result.NOT_SUPPORTED),
        (timed, 1, Result.NOT_SUPPORTED),
        (plain, 2, Result.INVALID_VALUE),
        (0, 1, Result.INVALID_HANDLE),
    ):
        assert c.cuLaunchKernelEx((*[1] * 6, 0, stream, ((7, event, flags, 0),)), function, 0, 0) == (code,)
    assert c.cuStreamEndCapture(stream)[0] == 0


def test_a_cooperative_launch_becomes_a_node(c: Calls) -> None:
    """It stays one when it is changed; one whose blocks cannot run at once breaks the capture, or is refused by the node."""
    fakecuda.kernel("nothing")(lambda *_: None)
    function = c.cuModuleGetFunction(c.cuModuleLoadData(KERNEL)[1], b"nothing")[1]
    stream = _captured(c, 1)
    assert c.cuLaunchCooperativeKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, 0) == (0,)
    graph = c.cuStreamEndCapture(stream)[1]
    code, (node,), count = c.cuGraphGetNodes(graph, 1)
    assert (code, count) == (0, 1)
    assert c.cuGraphKernelNodeGetAttribute(node, 2) == (0, AT_ONCE)
    assert c.cuGraphInstantiate(graph, 0)[0] == 0
    params = c.cuGraphKernelNodeGetParams(node)[1]
    large = (params[0], 1 << 20, *params[2:])
    assert c.cuGraphKernelNodeSetParams(node, large) == (Result.COOPERATIVE_LAUNCH_TOO_LARGE,)
    assert c.cuGraphNodeSetParams(node, pack(KERNEL_NODE, large)) == (Result.COOPERATIVE_LAUNCH_TOO_LARGE,)
    again = _captured(c, 1)
    assert c.cuLaunchCooperativeKernel(function, 1 << 20, 1, 1, 32, 1, 1, 0, again, 0) == (
        Result.COOPERATIVE_LAUNCH_TOO_LARGE,
    )
    assert c.cuStreamIsCapturing(again) == (0, capture.INVALIDATED)
