"""Codes of broken rules that no recording shows.

A case takes its code from the rule that it breaks, and a recording says whether that is the driver's. These rules no
recorded machine breaks, or not in every call that checks them: multicast objects are never made on one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import fakecuda
from conformance.cases.driver.core.test_initialized import entry_of
from conformance.kit.program import Recorder
from conformance.kit.world import Session
from conformance.targets.newer import having
from conformance.targets.target import play
from fakecuda.profiles import load
from fakecuda.rules.core import Rule, place
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.rules.dispatch import Op

MULTICAST = "multicast."
CODES = {
    Result.INVALID_VALUE: "copy.memset.PEER_IS_ENABLED copy.range.HOST_POOLS_ARE_SUPPORTED "
    "memory.mem_host_register.READ_ONLY_IS_SAID "
    "pool.mem_pool_create.USAGE_IS_KNOWN stream.stream_attach_mem_async.LENGTH_IS_POSITIVE "
    "stream.stream_batch_mem_op.REDUCTION_IS_KNOWN unified.mem_advise.PAGEABLE_RANGE_IS_THE_HOSTS "
    "va.mem_import_from_shareable_handle.FABRIC_HANDLE_IS_KNOWN",
    Result.OUT_OF_MEMORY: "multicast.binding.RESOURCES_SUFFICE multicast.multicast_add_device.TEAMS_SUFFICE "
    "multicast.multicast_create.RESOURCES_SUFFICE pool.mem_pool_import_pointer.ADDRESSES_SUFFICE "
    "stream.stream_create.MEMORY_SUFFICES",
    Result.MULTICAST_RESOURCE_FULL: "multicast.binding.UNALIGNED_SUFFICES",
    Result.INVALID_DEVICE: "multicast.multicast_add_device.CLIQUE_IS_ONE multicast.multicast_create.DEVICES_SUFFICE "
    "multicast.handle.DEVICE_IS_OF_THE_TEAM pool.mem_pool_set_access.DEVICE_IS_REACHABLE "
    "unified.managed.ACCESS_IS_CONCURRENT unified.mem_advise.DEVICE_ACCESSES_PAGEABLE_MEMORY "
    "va.mem_set_access.DEVICE_IS_OF_THE_TEAM va.mem_set_access.DEVICE_IS_REACHABLE",
    Result.ILLEGAL_STATE: "multicast.binding.SYSTEM_IS_LEGAL va.mem_map.SYSTEM_IS_LEGAL",
    Result.NOT_PERMITTED: "multicast.multicast_create.FABRIC_IS_PERMITTED multicast.handle.MULTICAST_IS_PERMITTED "
    "va.mem_import_from_shareable_handle.CHANNEL_IS_SHARED",
    Result.NOT_SUPPORTED: "context.ctx_reset_persisting_l2cache.CACHE_CAN_PERSIST device.pool.POOLS_ARE_SUPPORTED "
    "memory.mem_alloc_managed.MANAGED_MEMORY_IS_SUPPORTED memory.mem_get_handle_for_address_range.DMA_BUF_IS_SUPPORTED "
    "memory.mem_host_register.READ_ONLY_IS_SUPPORTED multicast.multicast_add_device.DEVICE_SUPPORTS_MULTICAST "
    "multicast.handle.MULTICAST_IS_SUPPORTED pool.kind.DEVICES_SHARE_MANAGED_MEMORY "
    "stream.stream_attach_mem_async.DEVICE_HAS_MANAGED_MEMORY stream.stream_wait_value.NOR_IS_SUPPORTED "
    "stream.stream_wait_value.WIDTH_IS_SUPPORTED va.supported.VMM_IS_SUPPORTED",
    Result.SYSTEM_NOT_READY: "multicast.binding.SYSTEM_IS_READY",
}
"""The rules with these codes; other multicast rules have INVALID_VALUE."""
SHARED = {
    "core.initialized.CALLS_ARE_PERMITTED": Result.NOT_PERMITTED,
    "core.initialized.DRIVER_IS_INITIALIZED": Result.NOT_INITIALIZED,
    "core.initialized.DRIVER_IS_UP": Result.DEINITIALIZED,
    "device.ordinal.DEVICE_IS_VALID": Result.INVALID_DEVICE,
}
"""Rules of all calls, which recordings show for other calls only."""
UNASKED = {name: code for code, names in CODES.items() for name in names.split()}


def code_of(rule: Rule, op: Op) -> Result | None:
    """Return the code of a rule without a recording for the call, else None."""
    if not place(op.module).startswith(MULTICAST):
        return UNASKED.get(rule.id)
    return UNASKED.get(rule.id, SHARED.get(rule.id, Result.INVALID_VALUE))


@pytest.mark.parametrize(
    "call", sorted(op.name for op in DRIVER.ops.values() if any(code_of(rule, op) for rule in op.rules))
)
def test_codes(call: str) -> None:
    """Each case of one twist that breaks such a rule returns its code."""
    with fakecuda.Machine(having(load("h200-x2"), call), strict=False) as machine:
        codes = {case: code_of(case.rule, DRIVER.ops[call]) for case in entry_of(call).singles() if case.rule}
        cases = [case for case, code in codes.items() if code]
        for case, answer in play(cases, Session(Recorder(machine))):
            assert answer == codes[case], case.id
