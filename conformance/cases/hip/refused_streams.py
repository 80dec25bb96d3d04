"""What HIP refuses on what streams are given, on devices and on pointers, as :mod:`conformance.cases.hip.refused` has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.hip.side import SIZE
from conformance.cases.hip.valid_streams import BUFFER, EQ, EVERY, UNITS
from fakecuda.spec import mem_ops
from fakecuda.spec.codes import Error, Result
from fakecuda.spec.hip import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.cases.hip.side import Side

    Changes = dict[str, Any] | Callable[[Side], int]
    Refusals = dict[str, tuple[int, Changes]]

POINTER = ENUMS["hipPointer_attribute"]
NOWHERE = 0x10
UNKNOWN = 1 << 62
VALUE: Refusals = {
    "POINTER_IS_GIVEN": (Result.INVALID_VALUE, {"ptr": 0}),
    "MEMORY_IS_KNOWN": (Result.INVALID_VALUE, {"ptr": NOWHERE}),
}
WAIT: Refusals = {**VALUE, "CONDITION_IS_KNOWN": (Result.INVALID_VALUE, {"flags": 4})}
WRITE: Refusals = {**VALUE, "WRITE_IS_KNOWN": (Result.INVALID_VALUE, {"flags": 1})}
LIMIT: Refusals = {
    "LIMIT_IS_DOCUMENTED": (Result.UNSUPPORTED_LIMIT, {"limit": ENUMS["hipLimit_t"]["hipExtLimitScratchMin"]}),
    "LIMIT_IS_IN_RANGE": (Result.INVALID_VALUE, {"limit": ENUMS["hipLimit_t"]["hipLimitRange"]}),
    "LIMIT_IS_SUPPORTED": (Result.UNSUPPORTED_LIMIT, {"limit": 1}),
}
ENTRY: Refusals = {
    "SYMBOL_IS_GIVEN": (Result.INVALID_VALUE, {"symbol": b""}),
    "FLAGS_ARE_KNOWN": (Result.INVALID_VALUE, {"flags": 3}),
    "SYMBOL_IS_FOUND": (Result.INVALID_VALUE, {"symbol": b"hipNothing"}),
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
    w.machine.scheduler.manual = True
    stream = w.stream()
    w.get("MemsetAsync", w.ptr, 0, SIZE, stream)
    return w("StreamQuery_spt", stream)


STREAMS: dict[str, Refusals] = {
    "hipChooseDevice": {"PROPERTIES_ARE_GIVEN": (Result.INVALID_VALUE, {"prop": None})},
    "hipDeviceGetAttribute": {"ATTRIBUTE_IS_KNOWN": (Result.INVALID_VALUE, {"attr": -1})},
    "hipDeviceGetLimit": LIMIT,
    "hipDeviceSetCacheConfig": {"CONFIG_IS_KNOWN": (Result.INVALID_VALUE, {"cacheConfig": 4})},
    "hipDeviceSetLimit": {
        **LIMIT,
        "VALUE_IS_WITHIN_REACH": (Result.INVALID_VALUE, {"value": 131005}),
        "VALUE_IS_WITHIN_REACH/heap": (Result.INVALID_VALUE, {"limit": 2, "value": 1 << 40}),
    },
    "hipDeviceSetSharedMemConfig": {"CONFIG_IS_KNOWN": (Result.INVALID_VALUE, {"config": 3})},
    "hipDrvPointerGetAttributes": {
        "ATTRIBUTES_ARE_GIVEN": (Result.INVALID_VALUE, {"numAttributes": 0}),
        "ATTRIBUTES_ARE_GIVEN/null": (Result.INVALID_VALUE, {"attributes": None}),
        "ATTRIBUTES_ARE_GIVEN/pointer": (Result.INVALID_VALUE, {"ptr": 0}),
    },
    "hipEventRecord_spt": {"DEVICES_ARE_ONE": (Result.INVALID_HANDLE, {"stream": other_stream})},
    "hipExtGetLinkTypeAndHopCount": {
        "DEVICES_CAN_BE_LINKED": (Result.INVALID_VALUE, {"device2": 0}),
        "DEVICES_CAN_BE_LINKED/negative": (Result.INVALID_VALUE, {"device1": -1}),
        "DEVICE_IS_THERE": (Result.INVALID_DEVICE, {"device2": 2}),
    },
    "hipExtStreamCreateWithCUMask": {
        "STREAM_PLACE_IS_GIVEN": (Result.INVALID_HANDLE, lambda w: w("ExtStreamCreateWithCUMask", 1, (7,), null=0)),
        "MASK_IS_GIVEN": (Result.INVALID_VALUE, {"cuMaskSize": 0}),
        "MASK_IS_GIVEN/null": (Result.INVALID_VALUE, {"cuMask": None}),
    },
    "hipExtStreamGetCUMask": {
        "MASK_FITS": (Result.INVALID_VALUE, {"cuMaskSize": UNITS - 1}),
        "MASK_FITS/null": (Result.INVALID_VALUE, lambda w: w("ExtStreamGetCUMask", w.stream(), UNITS, null=0)),
        "STREAM_OF_MASK_IS_LIVE": (Result.INVALID_HANDLE, {"stream": UNKNOWN}),
    },
    "hipGetDriverEntryPoint": ENTRY,
    "hipGetProcAddress": ENTRY,
    "hipLaunchHostFunc": {"FUNCTION_IS_GIVEN": (Result.INVALID_VALUE, {"fn": 0})},
    "hipPointerGetAttribute": {
        "POINTER_IS_GIVEN": (Result.INVALID_VALUE, {"ptr": 0}),
        "ATTRIBUTE_IS_KNOWN": (Result.INVALID_VALUE, {"attribute": -1}),
        "ATTRIBUTE_IS_SUPPORTED": (Result.NOT_SUPPORTED, {"attribute": POINTER["HIP_POINTER_ATTRIBUTE_P2P_TOKENS"]}),
        "POINTER_IS_KNOWN": (Result.INVALID_VALUE, {"ptr": NOWHERE}),
        "MEMORY_IS_ONE_DEVICE_S": (
            Result.INVALID_VALUE,
            {"attribute": POINTER["HIP_POINTER_ATTRIBUTE_CONTEXT"], "ptr": pinned},
        ),
        "DEVICE_CAN_ACCESS_IT": (Result.INVALID_VALUE, far),
        "HOST_CAN_ACCESS_IT": (Result.INVALID_VALUE, {"attribute": POINTER["HIP_POINTER_ATTRIBUTE_HOST_POINTER"]}),
    },
    "hipPointerSetAttribute": {
        "VALUE_IS_GIVEN": (Result.INVALID_VALUE, {"value": None}),
        "VALUE_IS_GIVEN/pointer": (Result.INVALID_VALUE, {"ptr": 0}),
        "VALUE_CAN_BE_SET": (Result.INVALID_VALUE, {"attribute": BUFFER}),
        "VALUE_CAN_BE_SET/value": (Result.INVALID_VALUE, {"value": 2}),
        "POINTER_TO_SET_IS_KNOWN": (Error.INVALID_DEVICE_POINTER, {"ptr": NOWHERE}),
    },
    "hipSetValidDevices": {
        "DEVICES_CAN_BE_LISTED": (Result.INVALID_VALUE, {"device_arr": None}),
        "DEVICES_CAN_BE_LISTED/more": (Result.INVALID_VALUE, {"len": 3}),
        "DEVICE_IS_THERE": (Result.INVALID_DEVICE, {"device_arr": (0, 2)}),
    },
    "hipStreamAddCallback": {
        "CALLBACK_IS_GIVEN": (Result.INVALID_VALUE, {"callback": 0}),
        "CALLBACK_IS_GIVEN/flags": (Result.INVALID_VALUE, {"flags": 1}),
    },
    "hipStreamAttachMemAsync": {
        "MEMORY_IS_GIVEN": (Result.INVALID_VALUE, {"dev_ptr": 0}),
        "MEMORY_IS_GIVEN/flags": (Result.INVALID_VALUE, {"flags": 3}),
        "MEMORY_IS_GIVEN/stream": (Result.INVALID_VALUE, {"stream": 0}),
        "MEMORY_CAN_BE_ATTACHED": (Result.INVALID_VALUE, {"dev_ptr": NOWHERE}),
        "LENGTH_IS_WHOLE": (Result.INVALID_VALUE, {"length": SIZE - 1}),
    },
    "hipStreamBatchMemOp": {
        "BATCH_IS_GIVEN": (Result.INVALID_VALUE, {"paramArray": None}),
        "BATCH_IS_GIVEN/none": (Result.INVALID_VALUE, {"count": 0}),
        "BATCH_IS_GIVEN/many": (Result.INVALID_VALUE, {"count": mem_ops.MOST + 1}),
        "BATCH_IS_GIVEN/flags": (Result.INVALID_VALUE, {"flags": 1}),
        "OPERATION_IS_SUPPORTED": (Result.INVALID_VALUE, {"paramArray": ((mem_ops.BARRIER, 0),)}),
        "OPERATION_IS_SUPPORTED/flush": (Result.INVALID_VALUE, {"paramArray": ((mem_ops.FLUSH, 0),)}),
        "OPERATION_IS_KNOWN": (Result.INVALID_VALUE, {"paramArray": ((9,),)}),
        "OPERATION_IS_KNOWN/condition": (
            Result.INVALID_VALUE,
            {"paramArray": lambda w: ((mem_ops.WAIT_32, w.ptr, 0, EQ + 3),)},
        ),
    },
    "hipStreamGetAttribute": {"ATTRIBUTE_IS_KNOWN": (Result.INVALID_VALUE, {"attr": 1})},
    "hipStreamQuery_spt": {"WORK_IS_DONE": (Result.NOT_READY, busy)},
    "hipStreamSetAttribute": {
        "VALUE_IS_GIVEN": (Result.INVALID_VALUE, {"value": None}),
        "ATTRIBUTE_IS_KNOWN": (Result.INVALID_VALUE, {"attr": 1}),
        "POLICY_IS_KNOWN": (Result.INVALID_VALUE, {"value": EVERY}),
    },
    **dict.fromkeys(("hipStreamWaitValue32", "hipStreamWaitValue64"), WAIT),
    **dict.fromkeys(("hipStreamWriteValue32", "hipStreamWriteValue64"), WRITE),
}
"""By the call."""
