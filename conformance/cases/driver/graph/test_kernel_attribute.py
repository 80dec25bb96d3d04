"""Attributes of kernel nodes.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.cases.driver.execution.test_launch_kernel import MOST_SHARED
from conformance.cases.driver.graph.fixtures import ROOM, executable, graph, launch, refuse_node
from conformance.cases.driver.graph.test_node import of_kernel, of_nothing
from conformance.cases.driver.module.fixtures import function
from conformance.cases.driver.stream.captured_calls import captured
from conformance.kit.case import Entry
from fakecuda.spec import launch_config

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

WINDOW, COOPERATIVE, SYNCHRONIZATION, CLUSTER, POLICY, SERIALIZATION, PRIORITY, DOMAIN_MAP, DOMAIN, CARVEOUT = (
    *(1, 2, 3, 4, 5, 6, 8, 9, 10),
    14,
)
"""CUkernelNodeAttrID."""


def value(*numbers: int) -> bytes:
    """Return a CUkernelNodeAttrValue that begins with 32-bit numbers."""
    return b"".join(one.to_bytes(4, "little", signed=one < 0) for one in numbers).ljust(64, b"\0")


def with_attribute(a: Process, attribute: int, given: bytes, of: int | None = None) -> int:
    """Return a new kernel node with an attribute."""
    made = of_kernel(a, of)
    a.ok.cuGraphKernelNodeSetAttribute(made, attribute, given)
    return made


TOO_MANY = 132 * 32 + 1
"""More blocks than can run at once."""


def wide(a: Process, blocks: int = TOO_MANY) -> int:
    """Return a new kernel node with a number of blocks."""
    made: int = a.ok.cuGraphAddKernelNode(graph(a), None, 0, launch(function(a), gridDimX=blocks))
    return made


def short(a: Process) -> int:
    """Return a new kernel node with more shared memory than its function now allows."""
    of = function(a)
    made: int = a.ok.cuGraphAddKernelNode(graph(a), None, 0, launch(of, sharedMemBytes=1024))
    a.ok.cuFuncSetAttribute(of, MOST_SHARED, 1)
    return made


def without_code(a: Process) -> int:
    """Return a new kernel node whose module was unloaded."""
    of = function(a)
    made: int = a.ok.cuGraphAddKernelNode(graph(a), None, 0, launch(of))
    a.ok.cuModuleUnload(a.ok.cuFuncGetModule(of))
    return made


def updatable(a: Process, of: int | None = None) -> int:
    """Return a new device-updatable kernel node."""
    return with_attribute(a, launch_config.UPDATABLE, value(1), of)


def together(a: Process, of: int | None = None) -> int:
    """Return a new cooperative kernel node."""
    return with_attribute(a, COOPERATIVE, value(1), of)


def refuse_kernel_node(entry: Entry, argument: str) -> None:
    """Add the cases of a call with a node that is no kernel node."""
    refuse_node(entry, argument)
    entry.breaks("NODE_IS_OF_ITS_KIND", argument, **{argument: lambda i: of_nothing(i.process)})
    entry.also("without a current context")(lambda _w, i: i.process.ok.cuCtxPopCurrent() and None)


def valid(call: str, args: dict[str, Any], w: World) -> Invocation:
    a = w.process()
    return a.call(call, hNode=of_kernel(a), **args)


tells = Entry("cuGraphKernelNodeGetAttribute", partial(valid, "cuGraphKernelNodeGetAttribute", {"attr": COOPERATIVE}))
refuse_kernel_node(tells, "hNode")
tells.null("value_out", "PLACE_IS_GIVEN")
for attribute in (0, SYNCHRONIZATION, SERIALIZATION, 99):
    tells.breaks("ATTRIBUTE_IS_KNOWN", f"{attribute}", attr=attribute)
for attribute in (WINDOW, CLUSTER, POLICY, PRIORITY, DOMAIN_MAP, DOMAIN, CARVEOUT):
    tells.also(f"{attribute}", attr=attribute)
for attribute, given in ((COOPERATIVE, value(1)), (CLUSTER, value(1, 1, 1)), (PRIORITY, value(-1))):
    tells.also(
        f"{attribute} that was set",
        attr=attribute,
        hNode=lambda i, attribute=attribute, given=given: with_attribute(i.process, attribute, given),
    )


def of_a_capture(i: Invocation) -> int:
    """Return the node of a captured launch with attributes."""
    a, begun = i.process, captured(i.process)
    given = ((0,), (CLUSTER, 2, 1, 1), (COOPERATIVE, 1), (PRIORITY, -1))
    a.ok.cuLaunchKernelEx((4, *[1] * 5, 0, begun, given), function(a), 0, 0)
    of = a.ok.cuStreamEndCapture(begun)
    executable(a, of)
    made: int = a.ok.cuGraphGetNodes(of, 1)[0][0]
    return made


def updatable_of_a_capture(i: Invocation) -> int:
    """Return the node of a captured launch that makes it device-updatable."""
    a, begun = i.process, captured(i.process)
    a.ok.cuLaunchKernelEx((1, *[1] * 5, 0, begun, ((launch_config.UPDATABLE, 1, 0),)), function(a), 0, 0)
    made: int = a.ok.cuGraphGetNodes(a.ok.cuStreamEndCapture(begun), 1)[0][0]
    return made


tells.also("a device-updatable node", attr=launch_config.UPDATABLE, hNode=lambda i: updatable(i.process))
tells.also("a captured device-updatable node", attr=launch_config.UPDATABLE, hNode=updatable_of_a_capture)
for attribute, given in ((CLUSTER, value(2, 1, 1)), (COOPERATIVE, value(1)), (PRIORITY, value(-1))):

    def kept(_: World, _i: Invocation, results: tuple[Plain, ...], given: bytes = given) -> None:
        """Check that the node has the launch's attribute."""
        assert results == (given,)

    tells.also(f"{attribute} of a captured launch", attr=attribute, hNode=of_a_capture, then=kept)


def tells_it(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the node reports the attribute."""
    assert i.process.ok.cuGraphKernelNodeGetAttribute(i.args["hNode"], i.args["attr"]) == i.args["value"]


sets = Entry(
    "cuGraphKernelNodeSetAttribute",
    partial(valid, "cuGraphKernelNodeSetAttribute", {"attr": COOPERATIVE, "value": value(1)}),
    tells_it,
)
refuse_kernel_node(sets, "hNode")
sets.undefined("VALUE_IS_GIVEN", code=1, value=None)
sets.breaks("CLUSTER_FITS", attr=CLUSTER, value=value(2, 1, 1))
sets.breaks("GRID_RUNS_AT_ONCE", hNode=lambda i: wide(i.process))
sets.breaks("SHARED_MEMORY_IS_THERE", hNode=lambda i: short(i.process))
sets.breaks("FUNCTION_IS_LOADED", hNode=lambda i: without_code(i.process))
for rule, members in (
    ("WINDOW_IS_NOT_TOO_LARGE", (0, (128 << 20) + 1, 0.5, 0, 0)),
    ("HIT_RATIO_IS_A_SHARE", (0, ROOM, 1.5, 0, 0)),
    ("MISSES_DO_NOT_PERSIST", (0, ROOM, 0.5, 0, 2)),
):
    sets.breaks(rule, attr=WINDOW, value=launch_config.value(WINDOW, members))
sets.also("a window", attr=WINDOW, value=launch_config.value(WINDOW, (0, ROOM, 0.5, 2, 1)), then=tells_it)
sets.breaks("DOMAINS_ARE_THERE", attr=DOMAIN_MAP, value=value(0x63))
sets.breaks("VALUE_IS_KNOWN", attr=DOMAIN, value=value(9))
sets.breaks("LAUNCH_VALUE_IS_KNOWN", attr=CARVEOUT, value=value(101))
sets.breaks("LAUNCH_VALUE_IS_KNOWN", "no kind of update", attr=launch_config.UPDATABLE, value=value(2))
sets.also("the host updates the node", attr=launch_config.UPDATABLE, value=value(0))
sets.breaks("HANDLE_IS_A_RESULT", attr=launch_config.UPDATABLE, value=value(1, 0, 1))
sets.breaks(
    "HANDLE_IS_A_RESULT", "of a node that the host updates", attr=launch_config.UPDATABLE, value=value(0, 0, 0, 1)
)
sets.breaks("NODE_STAYS_UPDATABLE", hNode=lambda i: updatable(i.process), attr=launch_config.UPDATABLE, value=value(0))


def has_a_handle(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the node is device-updatable and has a handle for kernels, which it keeps."""
    told = i.process.ok.cuGraphKernelNodeGetAttribute(i.args["hNode"], launch_config.UPDATABLE)
    kind, handle = launch_config.LAYOUTS[launch_config.UPDATABLE].unpack_from(told)
    assert kind == 1
    assert handle not in {0, i.args["hNode"]}
    i.process.ok.cuGraphKernelNodeSetAttribute(i.args["hNode"], launch_config.UPDATABLE, value(1))
    assert i.process.ok.cuGraphKernelNodeGetAttribute(i.args["hNode"], launch_config.UPDATABLE) == told


sets.also("kernels update the node", attr=launch_config.UPDATABLE, value=value(1, 7), then=has_a_handle)
for attribute in (0, SYNCHRONIZATION, SERIALIZATION, 99):
    sets.breaks("ATTRIBUTE_IS_KNOWN", f"{attribute}", attr=attribute)
sets.also("a cluster", attr=CLUSTER, value=value(1, 1, 1), then=tells_it)
sets.also("no cluster", attr=CLUSTER, value=value(0), then=tells_it)
sets.also("a priority", attr=PRIORITY, value=value(-1), then=tells_it)
sets.also("any policy", attr=POLICY, value=value(9), then=tells_it)
sets.also("a share of shared memory", attr=CARVEOUT, value=value(100), then=tells_it)


def clamps(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the node reports the maximum priority."""
    greatest = i.process.ok.cuCtxGetStreamPriorityRange()[1]
    assert i.process.ok.cuGraphKernelNodeGetAttribute(i.args["hNode"], PRIORITY) == value(greatest)


sets.also("a priority is clamped", attr=PRIORITY, value=value(-99), then=clamps)


@sets.also("other parameters leave it as it is")
def stays(_w: World, i: Invocation) -> Invocation:
    a, made = i.process, i.args["hNode"]
    assert i.run() == (0,)
    a.ok.cuGraphKernelNodeSetParams(made, a.ok.cuGraphKernelNodeGetParams(made))
    assert a.ok.cuGraphKernelNodeGetAttribute(made, COOPERATIVE) == value(1)
    return i


def copied(w: World) -> Invocation:
    a = w.process()
    return a.call("cuGraphKernelNodeCopyAttributes", dst=of_kernel(a), src=with_attribute(a, COOPERATIVE, value(1)))


def has_it(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the destination has the source's attribute."""
    assert i.process.ok.cuGraphKernelNodeGetAttribute(i.args["dst"], COOPERATIVE) == value(1)


copies = Entry("cuGraphKernelNodeCopyAttributes", copied, has_it)
refuse_kernel_node(copies, "dst")
refuse_kernel_node(copies, "src")
for argument in ("dst", "src"):
    copies.breaks("ATTRIBUTES_STAY", argument, **{argument: lambda i: updatable(i.process)})
copies.breaks("ATTRIBUTES_SUIT_THE_GRID", dst=lambda i: wide(i.process))
copies.breaks("ATTRIBUTES_SUIT_THE_GRID", "an unloaded module", dst=lambda i: without_code(i.process))


@copies.world("NODES_SHARE_A_CONTEXT", "", "src")
def of_another_context(_w: World, i: Invocation) -> Invocation:
    a = i.process
    a.ok.cuCtxCreate(None, 0, a.device)
    other = of_kernel(a, graph(a))
    a.ok.cuCtxPopCurrent()
    return i.evolve(src=other)


test_graph_kernel_node_get_attribute = tells.test()
test_graph_kernel_node_set_attribute = sets.test()
test_graph_kernel_node_copy_attributes = copies.test()
