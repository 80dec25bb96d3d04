"""Cases have one form: a rule of any API is broken through an ``Entry``, or is listed here with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.kit.case import ENTRIES
from conformance.record.recorder import load_cases
from fakecuda.rules.registry import EVERY_API, EVERY_OP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.kit.case import Entry

ELSEWHERE = {
    "it takes what is around a process: its environment, or the files of /proc": (
        "core.init.DEVICES_ARE_NAMED_ONCE core.init.PROC_IS_ITS_OWN"
    ),
    "it takes a driver of another version": (
        "pool.mem_pool_create.USAGE_IS_KNOWN runtime.active.DRIVER_IS_RECENT "
        "runtime.newer.ATTRIBUTES_ARE_GIVEN runtime.newer.MODE_IS_KNOWN"
    ),
    "it takes a machine whose memory, addresses or links are used up, or that was set otherwise": (
        "context.ctx_create.DEVICE_IS_AVAILABLE "
        "context.ctx_create.MEMORY_SUFFICES ipc.ipc_open_mem_handle.ADDRESSES_SUFFICE "
        "ipc.ipc_open_mem_handle.PLACE_IS_EXPORTED multicast.binding.RESOURCES_SUFFICE "
        "multicast.binding.UNALIGNED_SUFFICES multicast.multicast_add_device.TEAMS_SUFFICE "
        "multicast.multicast_create.RESOURCES_SUFFICE peer.connection.CONNECTIONS_ARE_LEFT "
        "pool.mem_pool_import_pointer.ADDRESSES_SUFFICE stream.stream_create.MEMORY_SUFFICES"
    ),
    "a function breaks it in every call of a family, or the valid call of another": (
        "copy.range.HOST_POOLS_ARE_SUPPORTED copy.range.MAPPINGS_SHARE_A_DEVICE "
        "copy.range.MEMORY_IS_A_DEVICE_S copy.range.MULTICAST_IS_LEFT_ALONE "
        "va.mem_import_from_shareable_handle.DESCRIPTOR_IS_NO_POOL "
        "pool.handle.MEMORY_IS_ALLOCATED pool.handle.MEMORY_IS_NOT_FREED"
    ),
    "it takes devices or switches that are described otherwise": (
        "context.ctx_reset_persisting_l2cache.CACHE_CAN_PERSIST device.pool.POOLS_ARE_SUPPORTED "
        "hip.peer.DEVICES_ARE_LINKED ipc.ipc_open_mem_handle.DEVICE_IS_REACHABLE "
        "ipc.supported.IPC_IS_SUPPORTED memory.mem_alloc_managed.MANAGED_MEMORY_IS_SUPPORTED "
        "memory.mem_get_handle_for_address_range.DMA_BUF_IS_SUPPORTED "
        "memory.mem_host_register.READ_ONLY_IS_SAID memory.mem_host_register.READ_ONLY_IS_SUPPORTED "
        "multicast.binding.SYSTEM_IS_LEGAL multicast.binding.SYSTEM_IS_READY "
        "multicast.handle.MULTICAST_IS_PERMITTED multicast.handle.MULTICAST_IS_SUPPORTED "
        "multicast.multicast_add_device.CLIQUE_IS_ONE "
        "multicast.multicast_add_device.DEVICE_SUPPORTS_MULTICAST pool.kind.DEVICES_SHARE_MANAGED_MEMORY "
        "pool.mem_pool_set_access.DEVICE_IS_REACHABLE "
        "stream.stream_attach_mem_async.DEVICE_HAS_MANAGED_MEMORY "
        "stream.stream_attach_mem_async.LENGTH_IS_POSITIVE stream.stream_batch_mem_op.REDUCTION_IS_KNOWN "
        "stream.stream_wait_value.NOR_IS_SUPPORTED stream.stream_wait_value.WIDTH_IS_SUPPORTED "
        "tensor.region.TENSOR_MAPS_ARE_SUPPORTED unified.managed.ACCESS_IS_CONCURRENT "
        "unified.mem_advise.DEVICE_ACCESSES_PAGEABLE_MEMORY unified.mem_advise.PAGEABLE_RANGE_IS_THE_HOSTS "
        "va.mem_import_from_shareable_handle.CHANNEL_IS_SHARED "
        "va.mem_import_from_shareable_handle.FABRIC_HANDLE_IS_KNOWN va.mem_map.SYSTEM_IS_LEGAL "
        "va.mem_set_access.DEVICE_IS_REACHABLE va.supported.VMM_IS_SUPPORTED"
    ),
}
"""Rules that test functions of the suite break, by reason; the list only shrinks."""
LISTED = {rule for rules in ELSEWHERE.values() for rule in rules.split()}


@pytest.fixture(scope="module")
def entries() -> Mapping[str, Entry]:
    """The entries of the whole suite."""
    assert load_cases() == []
    return ENTRIES


def unbroken(entries: Mapping[str, Entry]) -> set[str]:
    """Return the rules of every API that no entry breaks in a call of that API."""
    broken = {rule for call in EVERY_OP.keys() & entries.keys() for rule in entries[call].broken()}
    return {rule.id for api in EVERY_API.values() for op in api.ops.values() for rule in set(api.of_rules(op)) - broken}


def test_every_call_has_an_entry(entries: Mapping[str, Entry]) -> None:
    """Of whichever API."""
    assert EVERY_OP.keys() - entries.keys() == set()


def test_every_rule_is_broken_through_an_entry(entries: Mapping[str, Entry]) -> None:
    """Write ``entry.breaks(…)`` or ``@entry.world(…)`` for a rule that is missing; take one that is broken off the list."""
    assert unbroken(entries) == LISTED


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        ("cuMemMap", "va.mem_map.TILES_ARE_ARRAYS"),
        ("cudaDriverGetVersion", "runtime.device.LIBRARY_IS_UP"),
        ("hipMemMap", "hip.va.PIECE_IS_ALIGNED"),
        ("nvmlDeviceGetHandleBySerial", "nvml.handle.SERIAL_IS_FOUND"),
    ],
)
def test_a_rule_without_an_entry_is_found(entries: Mapping[str, Entry], call: str, rule: str) -> None:
    """Proven by functions or tables alone, it is missing."""
    without = {name: entry for name, entry in entries.items() if name != call}
    assert rule in unbroken(without) - LISTED
