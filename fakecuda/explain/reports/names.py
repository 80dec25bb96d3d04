"""Texts with the names of the API that was called, for shared rules.

This module lists functions and constants to which the runtime API or HIP gives another word. Others differ in prefix and
case alone. A name that an API lacks stays the driver's.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakecuda.rules.registry import Api

FUNCTIONS = {
    "CtxEnablePeerAccess": "DeviceEnablePeerAccess",
    "CtxDisablePeerAccess": "DeviceDisablePeerAccess",
    "CtxGetLimit": "DeviceGetLimit",
    "CtxSetCurrent": "SetDevice",
    "CtxSetLimit": "DeviceSetLimit",
    "CtxSynchronize": "DeviceSynchronize",
    "DeviceGetCount": "GetDeviceCount",
    "DevicePrimaryCtxRetain": "SetDevice",
    "MemAlloc": "Malloc",
    "MemAllocAsync": "MallocAsync",
    "MemAllocFromPoolAsync": "MallocFromPoolAsync",
    "MemAllocHost": "MallocHost",
    "MemAllocManaged": "MallocManaged",
    "MemFree": "Free",
    "MemFreeAsync": "FreeAsync",
    "MemFreeHost": "FreeHost",
    "MemHostAlloc": "HostAlloc",
    "MemHostGetDevicePointer": "HostGetDevicePointer",
    "MemHostGetFlags": "HostGetFlags",
    "MemHostRegister": "HostRegister",
    "MemHostUnregister": "HostUnregister",
    "MemcpyDtoD": "Memcpy",
}
"""Functions that exist under the same name in an API."""
CONSTANTS = {
    "DEVICE_ATTRIBUTE": "DEV_ATTR",
    "DEVICE_P2P_ATTRIBUTE": "DEV_P2P_ATTR",
}
"""Prefixes of enumerators in the driver API and in other APIs."""
MACROS = {
    "EVENT_BLOCKING_SYNC": "EventBlockingSync",
    "EVENT_DISABLE_TIMING": "EventDisableTiming",
    "EVENT_INTERPROCESS": "EventInterprocess",
    "EVENT_RECORD_DEFAULT": "EventRecordDefault",
    "EVENT_RECORD_EXTERNAL": "EventRecordExternal",
    "EVENT_WAIT_DEFAULT": "EventWaitDefault",
    "EVENT_WAIT_EXTERNAL": "EventWaitExternal",
    "IPC_MEM_LAZY_ENABLE_PEER_ACCESS": "IpcMemLazyEnablePeerAccess",
    "MEM_ATTACH_GLOBAL": "MemAttachGlobal",
    "MEM_ATTACH_HOST": "MemAttachHost",
    "MEM_ATTACH_SINGLE": "MemAttachSingle",
    "MEMHOSTALLOC_DEVICEMAP": "HostAllocMapped",
    "MEMHOSTALLOC_PORTABLE": "HostAllocPortable",
    "MEMHOSTALLOC_WRITECOMBINED": "HostAllocWriteCombined",
    "MEMHOSTREGISTER_IOMEMORY": "HostRegisterIoMemory",
    "MEMHOSTREGISTER_READ_ONLY": "HostRegisterReadOnly",
    "STREAM_DEFAULT": "StreamDefault",
    "STREAM_NON_BLOCKING": "StreamNonBlocking",
    "STREAM_PER_THREAD": "StreamPerThread",
}
"""Constants that the other APIs' headers define outside of enumerations."""
NAME = re.compile(r"\b(?:cu[A-Z]\w*|CU_[A-Z0-9_]*[A-Z0-9])")


def named_for(api: Api, text: str) -> str:
    """Return a text with the API's names for the driver's functions and constants."""
    if not api.lower or "cu" not in text.lower():
        return text
    return NAME.sub(lambda found: _name(api, found[0]), text)


@cache
def _name(api: Api, name: str) -> str:
    """Return the API's name for a driver function or constant, or the driver's."""
    known = _names(api)
    if name.startswith("cu"):
        stem = name[2:]
        other = FUNCTIONS.get(stem, stem)
        return known.get(f"{api.prefix}{stem}".lower()) or known.get(f"{api.prefix}{other}".lower()) or name
    stem = name[3:]
    if stem in MACROS:
        return f"{api.prefix}{MACROS[stem]}"
    words = next((stem.replace(old, new, 1) for old, new in CONSTANTS.items() if stem.startswith(f"{old}_")), stem)
    both = (f"{api.prefix}{one}".replace("_", "").lower() for one in (stem, words))
    return next((known[one] for one in both if one in known), name)


@cache
def _names(api: Api) -> dict[str, str]:
    """Return the API's functions and constants by their letters only."""
    constants = [name for members in api.description.ENUMS.values() for name in members]
    return {name.replace("_", "").lower(): name for name in (*constants, *api.description.CALLS)}
