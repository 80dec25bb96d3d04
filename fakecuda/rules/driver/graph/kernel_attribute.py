"""Attributes of kernel nodes: the launch attributes that a graph stores.

That a kernel can be launched so is looked at when they are set, and when it gets other parameters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from fakecuda.model.graph.graph import KERNEL
from fakecuda.model.work.launch import CLUSTER, COOPERATIVE
from fakecuda.rules.core import Broken, Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.context.ctx_get_stream_priority_range import clamped
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.execution.launch_attributes import AMONG, LAUNCH_VALUE_IS_KNOWN, OF_STREAMS
from fakecuda.rules.driver.graph.handle import node_of
from fakecuda.rules.driver.graph.kernel_node import attributed
from fakecuda.rules.driver.graph.node import of_kind
from fakecuda.rules.driver.graph.updatable import copyable, opted
from fakecuda.rules.driver.module.handle import FUNCTION_IS_LOADED
from fakecuda.rules.driver.stream.stream_set_attribute import suits
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import launch_config
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS
from fakecuda.spec.sizes import BYTES
from fakecuda.spec.stream_values import DOMAIN_MAP, NVLINK, PRIORITY

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.code.module import Function
    from fakecuda.model.context import Context
    from fakecuda.model.graph.graph import Node
    from fakecuda.model.work.launch import Launch

SIZE = BYTES["CUkernelNodeAttrValue"]
ON_DEVICES = 1 << 40
"""The bit in which a CUgraphDeviceNode differs from its CUgraphNode."""
_IDS = ENUMS["CUlaunchAttributeID"]
KNOWN = frozenset(
    _IDS[f"CU_LAUNCH_ATTRIBUTE_{name}"]
    for name in (
        "ACCESS_POLICY_WINDOW",
        "COOPERATIVE",
        "CLUSTER_DIMENSION",
        "CLUSTER_SCHEDULING_POLICY_PREFERENCE",
        "PRIORITY",
        "MEM_SYNC_DOMAIN_MAP",
        "MEM_SYNC_DOMAIN",
        "PREFERRED_SHARED_MEMORY_CARVEOUT",
    )
)
"""Attributes that nodes keep: CU_KERNEL_NODE_ATTRIBUTE_ACCESS_POLICY_WINDOW and so on."""
TOLD = KNOWN | {launch_config.UPDATABLE}
"""Attributes that cuGraphKernelNodeGetAttribute returns."""
SETTABLE = TOLD | {NVLINK}
"""Attributes that can be set on kernel nodes; the one for NVLink cannot be read."""
FIRST = {DOMAIN_MAP: launch_config.value(DOMAIN_MAP, (0, 1))}
"""The initial values of attributes that do not start as zeros."""
LIMITED = {number: AMONG[number] for number in (NVLINK, launch_config.CARVEOUT)} | {launch_config.UPDATABLE: {0, 1}}
"""The valid values of attributes with few values."""
SHAPING = {CLUSTER, COOPERATIVE}
"""Attributes that decide how the blocks of a launch run."""

ATTRIBUTE_IS_KNOWN = Rule(
    "`attr` is an attribute that kernel nodes have",
    Result.INVALID_VALUE,
    manual("cuGraphKernelNodeSetAttribute", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass a kernel node attribute, such as CU_KERNEL_NODE_ATTRIBUTE_ACCESS_POLICY_WINDOW",
)
VALUE_IS_GIVEN = Rule(
    "`value` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cuGraphKernelNodeSetAttribute",
        "the manual says nothing about a null value; driver 580 reads from the null pointer (segmentation fault)",
    ),
    fix="pass the address of a CUkernelNodeAttrValue",
)
PLACE_IS_GIVEN = Rule(
    "`value_out` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cuGraphKernelNodeGetAttribute",
        "the manual says nothing about a null result pointer; driver 580 writes to the null pointer "
        "(segmentation fault)",
    ),
    fix="pass the address of a CUkernelNodeAttrValue",
)
NODES_SHARE_A_CONTEXT = Rule(
    "the kernels of both nodes belong to the same context",
    Result.INVALID_VALUE,
    manual("cuGraphKernelNodeCopyAttributes", "Both node must have the same context"),
    fix="set each attribute with cuGraphKernelNodeSetAttribute: the kernels of the nodes belong to different contexts",
)

ATTRIBUTES_SUIT_THE_GRID = Rule(
    "the destination's kernel is loaded, and can be launched with the source's cluster size and cooperative attribute",
    Result.INVALID_VALUE,
    observed(
        "cuGraphKernelNodeCopyAttributes",
        "the driver answers INVALID_VALUE to clusters of two blocks for a node with one block, and to a node whose module was unloaded",
    ),
    fix="copy the attributes to a node whose grid is a multiple of the cluster",
)


@guard
def kernel_node(call: Call, handle: int) -> Node:
    """Return the kernel node of a handle."""
    return of_kind(node_of(call, handle), KERNEL)


@guard
def known(attribute: int, among: frozenset[int] = KNOWN) -> None:
    """Check that kernel nodes have an attribute."""
    if attribute not in among:
        raise ATTRIBUTE_IS_KNOWN.broken(attribute=attribute)


@guard
def _suiting(call: Call, context: Context, attribute: int, value: bytes) -> bytes:
    """Check an attribute value, and return the value that the node stores."""
    plain = launch_config.LAYOUTS[attribute].unpack_from(value)
    if attribute == PRIORITY:
        return launch_config.value(PRIORITY, [clamped(call, context, plain[0])])
    if attribute in OF_STREAMS:
        suits(context.device, attribute, plain)
    elif plain[0] not in LIMITED.get(attribute, plain):
        raise LAUNCH_VALUE_IS_KNOWN.broken(attribute=attribute, value=plain[0])
    return value


@guard
def loaded(function: Function) -> None:
    """Check that the function of a kernel node is loaded."""
    if function.module.ended:
        raise FUNCTION_IS_LOADED.broken(function=function)


def _is_suited(launch: Launch) -> bool:
    """Return whether a kernel node can be launched with its attributes."""
    try:
        loaded(launch.function)
        attributed(launch)
    except Broken:
        return False
    return True


@DRIVER.op("cuGraphKernelNodeGetAttribute")
def graph_kernel_node_get_attribute(call: Call, handle: int, attribute: int) -> bytes:
    """Return the value of an attribute of a kernel node, a CUkernelNodeAttrValue; it is mostly 0 until it is set.

    Args:
        call: The call.
        handle: The node.
        attribute: CUkernelNodeAttrID.
    """
    # CHECK
    require_initialized(call)
    node = kernel_node(call, handle)
    known(attribute, TOLD)
    if call.nulls:
        call.undefined(PLACE_IS_GIVEN, node=node)
        raise PLACE_IS_GIVEN.broken(nulls=call.nulls)
    # EFFECT
    if attribute == launch_config.UPDATABLE and node.params.updatable:
        return launch_config.value(attribute, (1, node.handle ^ ON_DEVICES))
    value: bytes = node.params.attributes.get(attribute) or FIRST.get(attribute, bytes(SIZE))
    return value


@DRIVER.op("cuGraphKernelNodeSetAttribute")
def graph_kernel_node_set_attribute(call: Call, handle: int, attribute: int, value: bytes | None) -> None:
    """Set an attribute of a kernel node.

    Args:
        call: The call.
        handle: The node.
        attribute: CUkernelNodeAttrID.
        value: A CUkernelNodeAttrValue.
    """
    # CHECK
    require_initialized(call)
    node = kernel_node(call, handle)
    known(attribute, SETTABLE)
    if value is None:
        call.undefined(VALUE_IS_GIVEN, node=node)
        raise VALUE_IS_GIVEN.broken()
    kept = _suiting(call, node.params.function.module.context, attribute, value)
    loaded(node.params.function)
    if attribute == launch_config.UPDATABLE:
        kept = opted(node, *launch_config.LAYOUTS[attribute].unpack_from(value))
    told = evolve(node.params, attributes={**node.params.attributes, attribute: kept})
    if attribute in SHAPING:
        attributed(told)
    # EFFECT
    node.change(told)


@DRIVER.op("cuGraphKernelNodeCopyAttributes")
def graph_kernel_node_copy_attributes(call: Call, target: int, source: int) -> None:
    """Copy the attributes of a kernel node to another kernel node.

    Args:
        call: The call.
        target: The node that gets them.
        source: The node that has them.
    """
    # CHECK
    require_initialized(call)
    other = kernel_node(call, source)
    node = kernel_node(call, target)
    if node.params.function.module.context is not other.params.function.module.context:
        raise NODES_SHARE_A_CONTEXT.broken(node=node, other=other)
    copyable(node, other)
    told = evolve(node.params, attributes=dict(other.params.attributes))
    if not _is_suited(told):
        raise ATTRIBUTES_SUIT_THE_GRID.broken(node=node, other=other)
    # EFFECT
    node.change(told)
