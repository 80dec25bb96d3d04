"""Graph memory of a device: its size, its high-water marks, and trimming.

Blocks count as associated with graphs from a launch until they are given back, whatever was freed meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, observed, undefined
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.context import Device
    from fakecuda.model.graph.graph_memory import GraphPool

USED, USED_HIGH, RESERVED, RESERVED_HIGH = range(4)
"""CUgraphMem_attribute."""
VALUES: dict[int, Callable[[GraphPool], int]] = {
    USED: lambda pool: pool.reserved,
    USED_HIGH: lambda pool: pool.associated_high,
    RESERVED: lambda pool: pool.reserved,
    RESERVED_HIGH: lambda pool: pool.reserved_high,
}
MARKS = frozenset({USED_HIGH, RESERVED_HIGH})
assert set(ENUMS["CUgraphMem_attribute"].values()) == set(VALUES)

ATTRIBUTE_IS_KNOWN = Rule(
    "`attr` is a CUgraphMem_attribute",
    Result.INVALID_VALUE,
    observed("cuDeviceSetGraphMemAttribute", "the driver answers INVALID_VALUE to attributes that cannot be set"),
    fix="pass a CUgraphMem_attribute",
)
ATTRIBUTE_IS_A_MARK = Rule(
    "`attr` is CU_GRAPH_MEM_ATTR_USED_MEM_HIGH or CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH",
    Result.INVALID_VALUE,
    observed(
        "cuDeviceSetGraphMemAttribute",
        "the driver answers INVALID_VALUE to the attributes for current usage and current reservation",
    ),
    fix="set CU_GRAPH_MEM_ATTR_USED_MEM_HIGH or CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH; other attributes are read-only",
)
VALUE_IS_GIVEN = Rule(
    "`value` is not null",
    Result.INVALID_VALUE,
    undefined("cuDeviceSetGraphMemAttribute", "the manual says nothing about a null pointer"),
    fix="pass the address of a cuuint64_t",
)
MARK_IS_RESET = Rule(
    "the number at `value` is 0",
    Result.INVALID_VALUE,
    observed("cuDeviceSetGraphMemAttribute", "the driver answers INVALID_VALUE if a high-water mark is set to 1"),
    fix="set a high-water mark to 0 only",
)


@guard
def pools_of(call: Call, dev: int) -> list[GraphPool]:
    """Return the pool of graph memory on the device with this ordinal."""
    device: Device = device_of(call, dev)
    state = call.process.graph_memory
    return [] if state is None else list(state.of(device))


@guard
def known(attribute: int) -> None:
    """Check that an attribute is a CUgraphMem_attribute."""
    if attribute not in VALUES:
        raise ATTRIBUTE_IS_KNOWN.broken(attribute=attribute)


@DRIVER.op("cuDeviceGetGraphMemAttribute")
def device_get_graph_mem_attribute(call: Call, device: int, attribute: int) -> int:
    """Return how much memory a device keeps for graphs, in bytes.

    Args:
        call: The call.
        device: The device.
        attribute: CUgraphMem_attribute.
    """
    # CHECK
    require_initialized(call)
    pools = pools_of(call, device)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    known(attribute)
    # EFFECT
    return sum(map(VALUES[attribute], pools))


@DRIVER.op("cuDeviceSetGraphMemAttribute", several="each pool has marks of its own")
def device_set_graph_mem_attribute(call: Call, device: int, attribute: int, value: int | None) -> None:
    """Reset a high-water mark of a device's graph memory to the current value.

    Args:
        call: The call.
        device: The device.
        attribute: CUgraphMem_attribute, one of the marks.
        value: 0; None if its pointer is null.
    """
    # CHECK
    require_initialized(call)
    pools = pools_of(call, device)
    known(attribute)
    if attribute not in MARKS:
        raise ATTRIBUTE_IS_A_MARK.broken(attribute=attribute)
    if value is None:
        call.undefined(VALUE_IS_GIVEN, attribute=attribute)
        raise VALUE_IS_GIVEN.broken(attribute=attribute)
    if value:
        raise MARK_IS_RESET.broken(attribute=attribute, value=value)
    # EFFECT
    for pool in pools:
        pool.reset(associated=attribute == USED_HIGH)


@DRIVER.op("cuDeviceGraphMemTrim", several="each pool gives back its own")
def device_graph_mem_trim(call: Call, device: int) -> None:
    """Release unused graph memory of a device."""
    # CHECK
    require_initialized(call)
    pools = pools_of(call, device)
    # EFFECT
    for pool in pools:
        pool.give_back()
