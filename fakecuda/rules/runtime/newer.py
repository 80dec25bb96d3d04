"""Runtime calls that need a driver newer than CUDA 13.0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.copy.memcpy_batch_async import copy_of
from fakecuda.rules.driver.copy.plan import queue, read_early
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.driver.stream.launch_host_func import launch_host_func
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import active
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import CALLS
from fakecuda.spec.runtime import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.rules.driver.copy.memcpy_batch_async import Attributes

MODES = frozenset(ENUMS["cudaHostTaskSyncMode"].values())

DRIVER_HAS_THE_CALL = Rule(
    "the driver supports CUDA 13.2 for cudaMemcpyWithAttributesAsync, or 13.1 for cudaLaunchHostFunc_v2",
    Result.CALL_REQUIRES_NEWER_DRIVER,
    manual("cudaError_t", "the API call requires a newer CUDA driver than the one currently installed"),
    fix="check cudaDriverGetVersion first, and use cudaLaunchHostFunc or cudaMemcpyAsync with older drivers",
)
ATTRIBUTES_ARE_GIVEN = Rule(
    "`attr` is not null",
    Result.INVALID_VALUE,
    manual("cudaMemcpyWithAttributesAsync", "`attr` specifies the attributes for the copy"),
    fix="pass a cudaMemcpyAttributes, or call cudaMemcpyAsync, which needs none",
)
MODE_IS_KNOWN = Rule(
    "`syncMode` is a cudaHostTaskSyncMode",
    Result.INVALID_VALUE,
    manual("cudaLaunchHostFunc_v2", "Sync mode for the host function"),
    fix="pass cudaHostTaskBlocking or cudaHostTaskSpinWait",
)


@guard
def served(call: Call, name: str) -> None:
    """Check that the driver has a function, once there is a context."""
    active(call)
    version = call.machine.profile.driver_version
    if version < CALLS[name].version:
        raise DRIVER_HAS_THE_CALL.broken(driver_version=version, needed=CALLS[name].version)


@RUNTIME.op("cudaMemcpyWithAttributesAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_with_attributes_async(
    call: Call, dst: int, src: int, size: int, attr: Attributes | None, stream: int
) -> None:
    """Have a stream make a copy with attributes, as in a batch of copies.

    Args:
        call: The call.
        dst: The target, of a device or of the host.
        src: The source.
        size: Bytes.
        attr: cudaMemcpyAttributes: order of access, hints for source and target, flags.
        stream: The stream.
    """
    # CHECK
    served(call, "cuMemcpyWithAttributesAsync")
    working = stream_of(call, stream, "cudaMemcpyWithAttributesAsync")
    if attr is None:
        raise ATTRIBUTES_ARE_GIVEN.broken()
    plan = copy_of(call, working, attr, (dst, src), size)
    read_early(call, (plan,))
    # EFFECT
    queue(call, working, "cudaMemcpyWithAttributesAsync", plan)


@RUNTIME.op("cudaLaunchHostFunc_v2")
def launch_host_func_v2(call: Call, stream: int, function: int, user_data: int, sync_mode: int) -> None:
    """Have a stream call a host function.

    Args:
        call: The call.
        stream: The stream.
        function: Its address.
        user_data: Its argument.
        sync_mode: How the stream waits for it: cudaHostTaskSyncMode, which shows in nothing.
    """
    # CHECK
    served(call, "cuLaunchHostFunc_v2")
    if sync_mode not in MODES:
        raise MODE_IS_KNOWN.broken(sync_mode=sync_mode)
    # EFFECT
    launch_host_func(call, stream, function, user_data)
