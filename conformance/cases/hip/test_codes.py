"""Codes of HIP's rules; cases use the code of their rule, and no card was asked."""

from __future__ import annotations

import pytest

import fakecuda
from conformance.cases.hip.fixtures import NEW, OLD
from conformance.kit.case import ENTRIES
from conformance.kit.program import Recorder
from conformance.kit.world import Session
from conformance.record.recorder import load_cases
from conformance.targets.target import play
from fakecuda.profiles import load
from fakecuda.rules.registry import HIP

CODES = {
    "hipErrorContextAlreadyInUse": "context.PRIMARY_FLAGS_STAY",
    "hipErrorContextIsDestroyed": "event.EVENT_IS_KNOWN event.EVENT_IS_LIVE stream.STREAM_IS_FOLLOWED "
    "stream.STREAM_IS_LIVE",
    "hipErrorHostMemoryNotRegistered": "host.POINTER_IS_REGISTERED host.REGISTRATION_BEGINS_THERE",
    "hipErrorInvalidConfiguration": "ipc.EVENT_IS_INTERPROCESS",
    "hipErrorInvalidContext": "context.A_CONTEXT_WAS_PUSHED context.CONTEXT_IS_KNOWN context.CONTEXT_TO_PUSH_IS_GIVEN "
    "ipc.EVENT_IS_ANOTHER_PROCESS_S ipc.HANDLE_IS_ANOTHER_PROCESS_S",
    "hipErrorInvalidDevice": "active.DEVICE_IS_THERE copy.DEVICE_IS_THERE handle.DEVICE_IS_THERE managed.DEVICE_IS_THERE "
    "peer.DEVICES_DIFFER peer.PEER_IS_REACHABLE pool.COUNT_FITS_THE_DEVICES pool.OWNER_KEEPS_ACCESS "
    "pool.POOL_IS_THE_DEVICE_S",
    "hipErrorInvalidDevicePointer": "ipc.EXPORTER_HAS_IT ipc.HANDLE_ATTACHES pointer.POINTER_TO_SET_IS_KNOWN",
    "hipErrorInvalidHandle": "event.DEVICES_ARE_ONE event.EVENTS_ARE_TIMED event.EVENT_IS_GIVEN peer.DEVICES_ARE_LINKED "
    "stream.CAPTURE_IS_FOLLOWED stream.EVENT_IS_THERE stream.EVENT_TO_AWAIT_IS_KNOWN stream.STREAM_IS_CAPTURED "
    "stream.STREAM_IS_CREATED stream.STREAM_OUTLIVES_NO_RESET stream.STREAM_TO_ASK_IS_LIVE "
    "stream.STREAM_TO_USE_IS_LIVE stream.STREAM_TO_WAIT_IS_LIVE work.STREAM_OF_MASK_IS_LIVE "
    "work.STREAM_PLACE_IS_GIVEN",
    "hipErrorInvalidMemcpyDirection": "copy.KIND_IS_KNOWN",
    "hipErrorInvalidPitchValue": "copy.PITCH_SPANS_THE_ROW volume.PITCH_SPANS_XSIZE",
    "hipErrorNotFound": "memory.POINTER_IS_IN_MEMORY",
    "hipErrorNotReady": "event.WORK_IS_DONE stream.WORK_IS_DONE",
    "hipErrorNotSupported": "context.CALL_IS_IMPLEMENTED device.LIST_IS_IMPLEMENTED handle.HANDLE_TYPE_IS_SUPPORTED "
    "managed.DEVICE_REACHES_IT pointer.ATTRIBUTE_IS_SUPPORTED pool.OWNER_KEEPS_WRITING "
    "va.ARRAYS_ARE_IMPLEMENTED",
    "hipErrorOutOfMemory": "handle.MEMORY_SUFFICES handle.PAGES_ARE_WHOLE memory.MEMORY_SUFFICES pool.LIMIT_SUFFICES "
    "pool.MEMORY_SUFFICES pool_sharing.ADDRESSES_SUFFICE pool_sharing.DATA_NAMES_MEMORY "
    "pool_sharing.HANDLE_IS_A_POOL pool_sharing.POINTER_IS_IN_MEMORY va.ADDRESSES_SUFFICE",
    "hipErrorPeerAccessAlreadyEnabled": "peer.PEER_IS_NOT_ENABLED",
    "hipErrorPeerAccessNotEnabled": "peer.PEER_IS_ENABLED",
    "hipErrorUnknown": "device.NO_CALL_HAS_FAILED va.NOTHING_IS_MAPPED",
    "hipErrorUnsupportedLimit": "device.LIMIT_IS_DOCUMENTED device.LIMIT_IS_SUPPORTED",
    "hipSuccess": "host.MEMORY_IS_REGISTERED host.RANGE_IS_NOT_REGISTERED memory.MEMORY_IS_ALLOCATED "
    "memory.POINTER_IS_THE_FIRST reach.ACCESS_IS_GIVEN reach.MEMORY_IS_REACHED values.DEVICE_CAN_ACCESS_IT",
}
"""HIP rules with these codes; all other rules have hipErrorInvalidValue."""
UNTOLD = {"hip.device.NO_CALL_HAS_FAILED"}
"""A rule that returns the code of another call."""
NAMES = {f"hip.{rule}": name for name, rules in CODES.items() for rule in rules.split()}
load_cases()


@pytest.mark.parametrize("call", sorted(HIP.ops))
def test_codes(call: str) -> None:
    """Each case that breaks such a rule returns its code, or the profile's code."""
    own = {*HIP.of_rules(HIP.ops[call])}
    for profile in map(load, (OLD, NEW)):
        there = [case.on(profile) for case in ENTRIES[call].singles()]
        wanted = [
            case
            for case in there
            if case and case.rule in own and case.rule.id not in UNTOLD | profile.hip.rules.keys()
        ]
        with fakecuda.Machine(profile, strict=False) as machine:
            for case, answer in play(wanted, Session(Recorder(machine))):
                assert case.rule is not None
                assert HIP.cname(answer) == NAMES.get(case.rule.id, "hipErrorInvalidValue"), case.id


def test_every_name_is_a_rule() -> None:
    """The table lists only existing rules."""
    assert NAMES.keys() <= {rule.id for op in HIP.ops.values() for rule in op.rules}
