"""What broken rules answer, in so many words, for calls of which no recording tells it.

A case takes its code from the rule that it breaks, and a recording says whether that is the driver's. Of some rules of
these calls no driver was asked yet; multicast objects are never recorded.
"""

from __future__ import annotations

import re

import pytest

import fakecuda
from conformance.core.test_initialized import entry_of
from conformance.program import Recorder
from conformance.target import play
from conformance.world import Session
from fakecuda.codes import Result
from fakecuda.rule import OPS, SPEC

CHAPTERS = ("multicast.", "pool.", "stream.")
OTHERS = re.compile(
    r"cuDeviceSetMemPool|cuEventElapsedTime"
    r"|cuMem(cpy(2D|3D|Batch).*|setD2D.*|(cpy|set).*Async|Advise|PrefetchAsync|RangeGet.*|SetAccess)"
)
CALLS = sorted(
    name for name, op in OPS.items() if op.module.removeprefix(SPEC).startswith(CHAPTERS) or OTHERS.fullmatch(name)
)
CODES = {
    Result.OUT_OF_MEMORY: "ADDRESSES_SUFFICE MEMORY_SUFFICES RESOURCES_SUFFICE TEAMS_SUFFICE",
    Result.NOT_INITIALIZED: "DRIVER_IS_INITIALIZED PROCESS_IS_NOT_FORKED",
    Result.DEINITIALIZED: "DRIVER_IS_UP",
    Result.MULTICAST_RESOURCE_FULL: "UNALIGNED_SUFFICES",
    Result.INVALID_DEVICE: "ACCESS_IS_CONCURRENT CLIQUE_IS_ONE DEVICES_SUFFICE DEVICE_ACCESSES_PAGEABLE_MEMORY "
    "DEVICE_IS_OF_THE_TEAM DEVICE_IS_REACHABLE DEVICE_IS_THERE DEVICE_IS_VALID OWNER_KEEPS_ACCESS",
    Result.INVALID_CONTEXT: "CONTEXTS_ARE_LIVE CONTEXT_IS_CURRENT CONTEXT_IS_KNOWN STREAM_HAS_A_CONTEXT STREAM_IS_LIVE",
    Result.INVALID_HANDLE: "EVENTS_SHARE_A_CONTEXT EVENT_IS_GIVEN EVENT_IS_KNOWN EVENT_IS_RECORDED EVENT_IS_TIMED "
    "STREAM_IS_CREATED STREAM_IS_GIVEN STREAM_IS_KNOWN TIME_IS_GIVEN",
    Result.ILLEGAL_STATE: "STREAM_IS_CAPTURING SYSTEM_IS_LEGAL",
    Result.ALREADY_MAPPED: "MEMORY_IS_NOT_MAPPED",
    Result.NOT_READY: "WORK_IS_DONE",
    Result.CONTEXT_IS_DESTROYED: "CONTEXT_IS_ALIVE EVENT_HAS_A_CONTEXT EVENT_IS_LIVE",
    Result.LAUNCH_FAILED: "CONTEXT_IS_SOUND MAPPINGS_SHARE_A_DEVICE",
    Result.NOT_PERMITTED: "CALLS_ARE_PERMITTED FABRIC_IS_PERMITTED MULTICAST_IS_PERMITTED",
    Result.NOT_SUPPORTED: "ACCESS_IS_WHOLE DESCRIPTOR_IS_A_POOL DEVICES_SHARE_MANAGED_MEMORY "
    "DEVICE_HAS_MANAGED_MEMORY DEVICE_SUPPORTS_MULTICAST FLUSH_IS_SUPPORTED HOST_KEEPS_ACCESS LOCATION_HAS_A_POOL "
    "LOCATION_IS_NO_DOMAIN LOCATION_IS_OF_MANAGED_MEMORY "
    "RANGE_IS_OF_NO_POOL "
    "LOCATION_SUITS_THE_MEMORY LOCATION_SUITS_THE_POOL MULTICAST_IS_SUPPORTED NOR_IS_SUPPORTED POOLS_ARE_SUPPORTED "
    "WIDTH_IS_SUPPORTED pool.mem_free_async.MEMORY_IS_NOT_MANAGED "
    "pool.mem_pool_import_from_shareable_handle.TYPE_IS_SUPPORTED",
    Result.UNKNOWN: "DESCRIPTOR_IS_EXPORTED",
    Result.SYSTEM_NOT_READY: "SYSTEM_IS_READY",
    Result.INVALID_VALUE: "pool.mem_pool_create.DEVICE_IS_THERE",
}
"""The constants of the rules that give these codes, or their ids; every other one gives INVALID_VALUE."""


@pytest.mark.parametrize("call", CALLS)
def test_codes(call: str) -> None:
    """Each case of one twist answers the code of its rule."""
    special = {name: code for code, names in CODES.items() for name in names.split()}
    cases = [case for case in entry_of(call).singles() if case.rule is not None]
    with fakecuda.Machine("h200-x2", strict=False) as machine:
        for case, answer in play(cases, Session(Recorder(machine))):
            assert case.rule is not None
            name = case.rule.id.rpartition(".")[2]
            assert answer == special.get(case.rule.id, special.get(name, Result.INVALID_VALUE)), case.id
