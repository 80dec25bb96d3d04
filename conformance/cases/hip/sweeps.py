"""Common refusals of HIP calls: null results, invalid devices, destroyed streams."""

from __future__ import annotations

from conformance.cases.hip.fixtures import HUGE, NOWHERE, RELEASE, SIZE, UNKNOWN, ended, gone, mapped, new, reset
from conformance.kit.common import sweep

sweep("hip.active.RESULTS_ARE_GIVEN", null=True)
sweep("hip.active.RESULT_IS_GIVEN", null=True)
sweep("hip.active.DEVICE_IS_THERE", dev=2, device=2, deviceId=2, ordinal=2, peerDeviceId=2, dstDevice=2)
sweep("hip.active.LOCATION_IS_A_DEVICE", location=None)
sweep("hip.context.CALL_IS_IMPLEMENTED")
sweep("hip.context.CONTEXT_IS_KNOWN", hipCtx_t=UNKNOWN)
sweep("hip.copy.DEVICE_IS_THERE", dstDeviceId=2)
sweep("hip.copy.KIND_IS_KNOWN", hipMemcpyKind=7)
sweep("hip.copy.PITCH_SPANS_THE_ROW", dpitch=15)
sweep("hip.copy.POINTERS_ARE_GIVEN", dst=0, dest=0)
sweep("hip.copy.SIZES_SUFFICE", sizeBytes=SIZE + 1)
sweep("hip.device.CODE_IS_KNOWN", hipError_t=9999)
sweep("hip.device.TEXT_FITS", len=0)
sweep("hip.event.EVENT_IS_GIVEN", hipEvent_t=0)
sweep("hip.event.EVENT_IS_KNOWN", hipEvent_t=new(ended))
sweep("hip.fill.SIZE_FITS", sizeBytes=SIZE + 1, count=SIZE + 1)
sweep("hip.handle.HANDLE_IS_GIVEN", hipMemGenericAllocationHandle_t=0)
sweep("hip.handle.HANDLE_IS_HELD", hipMemGenericAllocationHandle_t=UNKNOWN)
sweep("hip.memory.MEMORY_SUFFICES", size=HUGE, sizeBytes=HUGE, height=HUGE)
sweep("hip.memory.POINTER_IS_A_BASE", ptr=NOWHERE)
sweep("hip.pool.MEMORY_SUFFICES", size=HUGE)
sweep("hip.pool.POOL_IS_GIVEN", hipMemPool_t=0)
sweep("hip.pool.POOL_IS_KNOWN", hipMemPool_t=UNKNOWN)
sweep("hip.reach.ACCESS_IS_GIVEN", dst=new(mapped), dest=new(mapped), src=new(mapped))
sweep("hip.stream.FLAGS_ARE_KNOWN", flags=2)
sweep("hip.stream.STREAM_IS_FOLLOWED", only=RELEASE, hipStream_t=new(gone))
sweep("hip.stream.STREAM_IS_LIVE", hipStream_t=new(gone))
sweep("hip.stream.STREAM_OUTLIVES_NO_RESET", hipStream_t=new(reset))
sweep("hip.stream.STREAM_TO_ASK_IS_LIVE", hipStream_t=new(gone))
sweep("hip.stream.STREAM_TO_USE_IS_LIVE", hipStream_t=new(gone))
sweep("hip.va.ARRAYS_ARE_IMPLEMENTED")
