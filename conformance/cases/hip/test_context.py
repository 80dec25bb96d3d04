"""Contexts of HIP, each of which is a device; few calls do what their names say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.hip.fixtures import UNKNOWN, entries
from conformance.kit.case import suite
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, Process, World


def context(a: Process) -> int:
    """Return the context of the first device."""
    made: int = a.ok.hipDevicePrimaryCtxRetain(0)
    return made


def pushed(a: Process) -> tuple[()]:
    """Push a context, and have it popped at the end."""
    a.ok.hipCtxPushCurrent(context(a))
    return ()


every = entries(
    {
        **dict.fromkeys(("hipCtxGetCurrent", "hipCtxGetDevice", "hipCtxGetSharedMemConfig")),
        **{f"hipDevicePrimaryCtx{does}": lambda _: (0,) for does in ("GetState", "Release", "Reset", "Retain")},
        **{f"hipCtx{does}": lambda a: (context(a),) for does in ("Destroy", "PushCurrent", "SetCurrent")},
        "hipCtxCreate": lambda _: (0, 0),
        "hipCtxPopCurrent": pushed,
    }
)
every["hipCtxCreate"].breaks("DEVICE_HAS_A_CONTEXT", device=2)
every["hipCtxDestroy"].breaks("CONTEXT_IS_GIVEN", ctx=0)
every["hipCtxPushCurrent"].breaks("CONTEXT_TO_PUSH_IS_GIVEN", ctx=0)
every["hipCtxPopCurrent"].without("second_thread")


@every["hipCtxPopCurrent"].world("A_CONTEXT_WAS_PUSHED")
def nothing(_w: World, i: Invocation) -> None:
    i.process.ok.hipCtxPopCurrent()


refused = entries(
    {
        **dict.fromkeys(("hipCtxGetCacheConfig", "hipCtxGetFlags", "hipCtxSynchronize")),
        "hipCtxGetApiVersion": lambda _: (UNKNOWN,),
        "hipCtxSetCacheConfig": lambda _: (0,),
        "hipCtxSetSharedMemConfig": lambda _: (0,),
        "hipDevicePrimaryCtxSetFlags": lambda _: (0, 0),
    }
)
for one in refused.values():
    one.answers = int(Result.NOT_SUPPORTED)
flags = refused["hipDevicePrimaryCtxSetFlags"]
flags.answers = int(Result.CONTEXT_ALREADY_IN_USE)
flags.also("of an active context", rule="PRIMARY_FLAGS_STAY", flags=0)
refused["hipCtxSetCacheConfig"].breaks("CONFIG_IS_KNOWN", cacheConfig=4)

test_context = suite(*every.values(), *refused.values())
