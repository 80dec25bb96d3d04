"""What HIP refuses on what streams are given, on devices and on pointers, as :mod:`conformance.cases.hip.refused` has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.hip.side import SIZE
from conformance.cases.hip.valid_streams import BUFFER, EQ, EVERY, UNITS
from fakecuda.api import mem_ops
from fakecuda.api.hip import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.cases.hip.side import Side

    Changes = dict[str, Any] | Callable[[Side], int]
    Refusals = dict[str, tuple[int, Changes]]

POINTER = ENUMS["hipPointer_attribute"]
NOWHERE = 0x10
UNKNOWN = 1 << 62
VALUE: Refusals = {"POINTER_IS_GIVEN": (1, {"ptr": 0}), "MEMORY_IS_KNOWN": (1, {"ptr": NOWHERE})}
WAIT: Refusals = {**VALUE, "CONDITION_IS_KNOWN": (1, {"flags": 4})}
WRITE: Refusals = {**VALUE, "WRITE_IS_KNOWN": (1, {"flags": 1})}
LIMIT: Refusals = {
    "LIMIT_IS_DOCUMENTED": (215, {"limit": ENUMS["hipLimit_t"]["hipExtLimitScratchMin"]}),
    "LIMIT_IS_IN_RANGE": (1, {"limit": ENUMS["hipLimit_t"]["hipLimitRange"]}),
    "LIMIT_IS_SUPPORTED": (215, {"limit": 1}),
}
ENTRY: Refusals = {
    "SYMBOL_IS_GIVEN": (1, {"symbol": b""}),
    "FLAGS_ARE_KNOWN": (1, {"flags": 3}),
    "SYMBOL_IS_FOUND": (1, {"symbol": b"hipNothing"}),
}


def far(w: Side) -> int:
    """Ask where another device sees memory of the first, to which it has no access."""
    ptr = w.ptr
    w.get("SetDevice", 1)
    return w("PointerGetAttribute", POINTER["HIP_POINTER_ATTRIBUTE_DEVICE_POINTER"], ptr)


def pinned(w: Side) -> int:
    """Return new page-locked memory."""
    return int(w.get("HostMalloc", SIZE, 0))


def other_stream(w: Side) -> int:
    """Return a stream of another device."""
    w.get("SetDevice", 1)
    return w.stream()


def busy(w: Side) -> int:
    """Ask of work that waits until somebody waits for it."""
    w.machine.manual = True
    stream = w.stream()
    w.get("MemsetAsync", w.ptr, 0, SIZE, stream)
    return w("StreamQuery_spt", stream)


STREAMS: dict[str, Refusals] = {
    "hipChooseDevice": {"PROPERTIES_ARE_GIVEN": (1, {"prop": None})},
    "hipDeviceGetAttribute": {"ATTRIBUTE_IS_KNOWN": (1, {"attr": -1})},
    "hipDeviceGetLimit": LIMIT,
    "hipDeviceSetCacheConfig": {"CONFIG_IS_KNOWN": (1, {"cacheConfig": 4})},
    "hipDeviceSetLimit": {
        **LIMIT,
        "VALUE_IS_WITHIN_REACH": (1, {"value": 131005}),
        "VALUE_IS_WITHIN_REACH/heap": (1, {"limit": 2, "value": 1 << 40}),
    },
    "hipDeviceSetSharedMemConfig": {"CONFIG_IS_KNOWN": (1, {"config": 3})},
    "hipDrvPointerGetAttributes": {
        "ATTRIBUTES_ARE_GIVEN": (1, {"numAttributes": 0}),
        "ATTRIBUTES_ARE_GIVEN/null": (1, {"attributes": None}),
        "ATTRIBUTES_ARE_GIVEN/pointer": (1, {"ptr": 0}),
    },
    "hipEventRecord_spt": {"DEVICES_ARE_ONE": (400, {"stream": other_stream})},
    "hipExtGetLinkTypeAndHopCount": {
        "DEVICES_CAN_BE_LINKED": (1, {"device2": 0}),
        "DEVICES_CAN_BE_LINKED/negative": (1, {"device1": -1}),
        "DEVICE_IS_THERE": (101, {"device2": 2}),
    },
    "hipExtStreamCreateWithCUMask": {
        "STREAM_PLACE_IS_GIVEN": (400, lambda w: w("ExtStreamCreateWithCUMask", 1, (7,), null=0)),
        "MASK_IS_GIVEN": (1, {"cuMaskSize": 0}),
        "MASK_IS_GIVEN/null": (1, {"cuMask": None}),
    },
    "hipExtStreamGetCUMask": {
        "MASK_FITS": (1, {"cuMaskSize": UNITS - 1}),
        "MASK_FITS/null": (1, lambda w: w("ExtStreamGetCUMask", w.stream(), UNITS, null=0)),
        "STREAM_OF_MASK_IS_LIVE": (400, {"stream": UNKNOWN}),
    },
    "hipGetDriverEntryPoint": ENTRY,
    "hipGetProcAddress": ENTRY,
    "hipLaunchHostFunc": {"FUNCTION_IS_GIVEN": (1, {"fn": 0})},
    "hipPointerGetAttribute": {
        "POINTER_IS_GIVEN": (1, {"ptr": 0}),
        "ATTRIBUTE_IS_KNOWN": (1, {"attribute": -1}),
        "ATTRIBUTE_IS_SUPPORTED": (801, {"attribute": POINTER["HIP_POINTER_ATTRIBUTE_P2P_TOKENS"]}),
        "POINTER_IS_KNOWN": (1, {"ptr": NOWHERE}),
        "MEMORY_IS_ONE_DEVICE_S": (1, {"attribute": POINTER["HIP_POINTER_ATTRIBUTE_CONTEXT"], "ptr": pinned}),
        "DEVICE_CAN_ACCESS_IT": (1, far),
        "HOST_CAN_ACCESS_IT": (1, {"attribute": POINTER["HIP_POINTER_ATTRIBUTE_HOST_POINTER"]}),
    },
    "hipPointerSetAttribute": {
        "VALUE_IS_GIVEN": (1, {"value": None}),
        "VALUE_IS_GIVEN/pointer": (1, {"ptr": 0}),
        "VALUE_CAN_BE_SET": (1, {"attribute": BUFFER}),
        "VALUE_CAN_BE_SET/value": (1, {"value": 2}),
        "POINTER_TO_SET_IS_KNOWN": (17, {"ptr": NOWHERE}),
    },
    "hipSetValidDevices": {
        "DEVICES_CAN_BE_LISTED": (1, {"device_arr": None}),
        "DEVICES_CAN_BE_LISTED/more": (1, {"len": 3}),
        "DEVICE_IS_THERE": (101, {"device_arr": (0, 2)}),
    },
    "hipStreamAddCallback": {
        "CALLBACK_IS_GIVEN": (1, {"callback": 0}),
        "CALLBACK_IS_GIVEN/flags": (1, {"flags": 1}),
    },
    "hipStreamAttachMemAsync": {
        "MEMORY_IS_GIVEN": (1, {"dev_ptr": 0}),
        "MEMORY_IS_GIVEN/flags": (1, {"flags": 3}),
        "MEMORY_IS_GIVEN/stream": (1, {"stream": 0}),
        "MEMORY_CAN_BE_ATTACHED": (1, {"dev_ptr": NOWHERE}),
        "LENGTH_IS_WHOLE": (1, {"length": SIZE - 1}),
    },
    "hipStreamBatchMemOp": {
        "BATCH_IS_GIVEN": (1, {"paramArray": None}),
        "BATCH_IS_GIVEN/none": (1, {"count": 0}),
        "BATCH_IS_GIVEN/many": (1, {"count": mem_ops.MOST + 1}),
        "BATCH_IS_GIVEN/flags": (1, {"flags": 1}),
        "OPERATION_IS_SUPPORTED": (1, {"paramArray": ((mem_ops.BARRIER, 0),)}),
        "OPERATION_IS_SUPPORTED/flush": (1, {"paramArray": ((mem_ops.FLUSH, 0),)}),
        "OPERATION_IS_KNOWN": (1, {"paramArray": ((9,),)}),
        "OPERATION_IS_KNOWN/condition": (1, {"paramArray": lambda w: ((mem_ops.WAIT_32, w.ptr, 0, EQ + 3),)}),
    },
    "hipStreamGetAttribute": {"ATTRIBUTE_IS_KNOWN": (1, {"attr": 1})},
    "hipStreamQuery_spt": {"WORK_IS_DONE": (600, busy)},
    "hipStreamSetAttribute": {
        "VALUE_IS_GIVEN": (1, {"value": None}),
        "ATTRIBUTE_IS_KNOWN": (1, {"attr": 1}),
        "POLICY_IS_KNOWN": (1, {"value": EVERY}),
    },
    **dict.fromkeys(("hipStreamWaitValue32", "hipStreamWaitValue64"), WAIT),
    **dict.fromkeys(("hipStreamWriteValue32", "hipStreamWriteValue64"), WRITE),
}
"""By the call."""
