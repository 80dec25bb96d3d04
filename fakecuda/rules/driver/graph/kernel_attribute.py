"""Attributes of kernel nodes: how a launch is done that a graph keeps.

That a kernel can be launched so is looked at when its graph is made executable, but for its cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from fakecuda.api import DRIVER
from fakecuda.api.driver import ENUMS
from fakecuda.api.sizes import BYTES
from fakecuda.codes import Result
from fakecuda.model.graph import KERNEL
from fakecuda.model.launch import CLUSTER
from fakecuda.rules.core import Rule, guard, manual, undefined
from fakecuda.rules.driver.core.initialized import ready
from fakecuda.rules.driver.execution.launch_kernel import clustered
from fakecuda.rules.driver.graph.handle import node_of
from fakecuda.rules.driver.graph.node import of_kind

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.graph import Node

SIZE = BYTES["CUkernelNodeAttrValue"]
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
"""Attributes that nodes have: CU_KERNEL_NODE_ATTRIBUTE_ACCESS_POLICY_WINDOW and so on."""

ATTRIBUTE_IS_KNOWN = Rule(
    "the attribute is one that kernel nodes have",
    Result.INVALID_VALUE,
    manual("cuGraphKernelNodeSetAttribute", "CUDA_ERROR_INVALID_VALUE"),
)
VALUE_IS_GIVEN = Rule(
    "the value is not null",
    Result.INVALID_VALUE,
    undefined("cuGraphKernelNodeSetAttribute", "silent about a null value; driver 580 reads it (segmentation fault)"),
)
PLACE_IS_GIVEN = Rule(
    "the place of the value is not null",
    Result.INVALID_VALUE,
    undefined(
        "cuGraphKernelNodeGetAttribute", "silent about a null place; driver 580 writes there (segmentation fault)"
    ),
)
NODES_SHARE_A_CONTEXT = Rule(
    "both nodes are of one context",
    Result.INVALID_VALUE,
    manual("cuGraphKernelNodeCopyAttributes", "Both node must have the same context"),
)


@guard
def kernel_node(call: Call, handle: int) -> Node:
    """Return the kernel node of that handle."""
    return of_kind(node_of(call, handle), KERNEL)


@guard
def known(attribute: int) -> None:
    """Check that nodes have an attribute."""
    if attribute not in KNOWN:
        raise ATTRIBUTE_IS_KNOWN.broken(attribute=attribute)


@DRIVER.op("cuGraphKernelNodeGetAttribute")
def graph_kernel_node_get_attribute(call: Call, handle: int, attribute: int) -> bytes:
    """Return the value of an attribute of a kernel node, a CUkernelNodeAttrValue; zeros where it was not set.

    Args:
        call: The call.
        handle: The node.
        attribute: CUkernelNodeAttrID.
    """
    # CHECK
    ready(call)
    node = kernel_node(call, handle)
    known(attribute)
    if call.nulls:
        call.undefined(PLACE_IS_GIVEN, node=node)
        raise PLACE_IS_GIVEN.broken(nulls=call.nulls)
    # EFFECT
    value: bytes = node.params.attributes.get(attribute, bytes(SIZE))
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
    ready(call)
    node = kernel_node(call, handle)
    known(attribute)
    if value is None:
        call.undefined(VALUE_IS_GIVEN, node=node)
        raise VALUE_IS_GIVEN.broken()
    told = evolve(node.params, attributes={**node.params.attributes, attribute: value})
    if attribute == CLUSTER and told.cluster is not None:
        clustered(told.function, told.config, told.cluster)
    # EFFECT
    node.change(told)


@DRIVER.op("cuGraphKernelNodeCopyAttributes")
def graph_kernel_node_copy_attributes(call: Call, target: int, source: int) -> None:
    """Give a kernel node the attributes of another.

    Args:
        call: The call.
        target: The node that gets them.
        source: The node that has them.
    """
    # CHECK
    ready(call)
    node, other = kernel_node(call, target), kernel_node(call, source)
    if node.params.function.module.context is not other.params.function.module.context:
        raise NODES_SHARE_A_CONTEXT.broken(node=node, other=other)
    # EFFECT
    node.change(evolve(node.params, attributes=dict(other.params.attributes)))
