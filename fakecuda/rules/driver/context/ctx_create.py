"""cuCtxCreate: create a context and make it current."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import context_effects, history
from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.context.fault import caused, report
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS
from fakecuda.spec.versions import context_flags

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device

COMPUTE_MODE = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_COMPUTE_MODE"]
PROHIBITED = ENUMS["CUcomputemode"]["CU_COMPUTEMODE_PROHIBITED"]
EXCLUSIVE = ENUMS["CUcomputemode"]["CU_COMPUTEMODE_EXCLUSIVE_PROCESS"]
SCHEDULE = ENUMS["CUctx_flags"]["CU_CTX_SCHED_MASK"]
SCHEDULES = {0, 1, 2, 4}
COREDUMP = ENUMS["CUctx_flags"]["CU_CTX_COREDUMP_ENABLE"]
USER_COREDUMP = ENUMS["CUctx_flags"]["CU_CTX_USER_COREDUMP_ENABLE"]

AFFINITY_IS_GIVEN = Rule(
    "the array of execution affinity parameters is not null if their number is greater than 0",
    Result.INVALID_VALUE,
    manual("cuCtxCreate", "fail with CUDA_ERROR_INVALID_VALUE if invalid parameter was passed by client"),
    fix="set numExecAffinityParams to 0; execution affinity is for MPS clients",
)
AFFINITY_IS_LEFT_OUT = Rule(
    "the number of execution affinity parameters is 0 or less, because fakecuda has no MPS clients",
    Result.UNSUPPORTED_EXEC_AFFINITY,
    observed(
        "cuCtxCreate",
        "without MPS the driver answers UNSUPPORTED_EXEC_AFFINITY to every affinity parameter, before "
        "it checks the flags",
    ),
    fix="set numExecAffinityParams to 0; execution affinity is for MPS clients",
)
FLAGS_ARE_KNOWN = Rule(
    "`flags` has only bits of CUctx_flags, and at most one scheduling flag",
    Result.INVALID_VALUE,
    manual("cuCtxCreate", "Only one of the scheduling flags can be set when creating a context"),
    fix="pass flags of CUctx_flags, with at most one CU_CTX_SCHED flag",
)
GRAPHICS_IS_LEFT_OUT = Rule(
    "`cigParams` is null",
    Result.NOT_SUPPORTED,
    undefined(
        "cuCtxCreate",
        "the manual says nothing about missing parameters; driver 580 reads them before it checks whether CIG is "
        "supported (segmentation fault)",
    ),
    fix="set cigParams to null: fakecuda does not model CUDA in Graphics",
)
CONTEXTS_ARE_ALIKE = Rule(
    "either the oldest form of cuCtxCreate (CUDA 3.1) made all live contexts of the process, or it made none of them",
    Result.OUT_OF_MEMORY,
    observed(
        "cuCtxCreate", "a context of CUDA 3.1 beside others, or another beside one of CUDA 3.1, answers OUT_OF_MEMORY"
    ),
    fix="call cuCtxCreate by its newest symbol, cuCtxCreate_v4; the symbol without a number is the form of CUDA 3.1",
)
DEVICE_ADMITS_CONTEXTS = Rule(
    "the compute mode of the device allows contexts",
    Result.UNKNOWN,
    manual(
        "cuCtxCreate", "fail with CUDA_ERROR_UNKNOWN if the compute mode of the device is CU_COMPUTEMODE_PROHIBITED"
    ),
    fix="choose a device whose CU_DEVICE_ATTRIBUTE_COMPUTE_MODE is not CU_COMPUTEMODE_PROHIBITED",
)
DEVICE_IS_AVAILABLE = Rule(
    "the device is not lost; in exclusive-process mode, no context of any process exists on it yet",
    Result.DEVICE_UNAVAILABLE,
    manual("CUresult", "Devices are often unavailable due to use of CU_COMPUTEMODE_EXCLUSIVE_PROCESS"),
    fix="use another device if this device is lost; in exclusive-process mode, first destroy the device's other "
    "context",
)
PROCESS_IS_SOUND = Rule(
    "no earlier work of this process used an unmapped address, or an address that the device had no access to",
    Result.LAUNCH_FAILED,
    manual("CUresult", "To continue using CUDA, the process must be terminated and relaunched"),
    fix="find the work that used the invalid address, and start a new process: this one can create no more contexts",
)
MEMORY_SUFFICES = Rule(
    "the device has enough free memory for a context",
    Result.OUT_OF_MEMORY,
    manual("cuCtxCreate", "CUDA_ERROR_OUT_OF_MEMORY"),
    fix="free memory of the device or destroy a context first: each context takes up device memory",
)


def known(call: Call, flags: int) -> bool:
    """Return whether a context of the machine's driver can have these flags."""
    if not flags:
        return True
    return flags & ~context_flags(call.machine.profile.driver_version) == 0 and flags & SCHEDULE in SCHEDULES


def stored(flags: int) -> int:
    """Return the flags that cuCtxGetFlags reports for a context created with these."""
    return flags & ~USER_COREDUMP | COREDUMP if flags & USER_COREDUMP else flags


@guard
def alike(call: Call) -> None:
    """Check that the process has no context of CUDA 3.1."""
    if call.process.narrow is not None:
        raise CONTEXTS_ARE_ALIKE.broken(contexts=call.process.contexts)


def is_taken(call: Call, device: Device) -> bool:
    """Return whether a device allows one context only and already has it."""
    mode = device.profile.attributes.get(COMPUTE_MODE)
    return mode == EXCLUSIVE and bool(call.machine.contexts_on(device))


@guard
def admitting(call: Call, device: Device) -> None:
    """Check that a device allows another context, and has the memory for it."""
    if device.profile.attributes.get(COMPUTE_MODE) == PROHIBITED:
        raise DEVICE_ADMITS_CONTEXTS.broken(device=device)
    if device.lost or is_taken(call, device):
        raise DEVICE_IS_AVAILABLE.broken(device=device)
    if call.process.fault:
        report(call.process.fault, process=call.process, **caused(call.process))
        raise PROCESS_IS_SOUND.broken(process=call.process)
    memory = call.process.memory_of(device)
    if memory.used + call.machine.profile.context_memory > memory.total:
        raise MEMORY_SUFFICES.broken(device=device)


@DRIVER.op("cuCtxCreate")
def ctx_create(call: Call, parameters: tuple[int, int, int] | None, flags: int, dev: int) -> int:
    """Create a context and push it onto the calling thread's stack.

    Args:
        call: The call.
        parameters: CUctxCreateParams, or None.
        flags: CUctx_flags.
        dev: The device.

    Returns:
        The CUcontext.
    """
    # CHECK
    require_initialized(call)
    device = device_of(call, dev)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if parameters is not None and parameters[1] > 0:
        if not parameters[0]:
            raise AFFINITY_IS_GIVEN.broken(parameters=parameters)
        raise AFFINITY_IS_LEFT_OUT.broken(parameters=parameters)
    if not known(call, flags):
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    if parameters is not None and parameters[2]:
        call.undefined(GRAPHICS_IS_LEFT_OUT, parameters=parameters)
        raise GRAPHICS_IS_LEFT_OUT.broken(parameters=parameters)
    alike(call)
    admitting(call, device)
    # EFFECT
    return context_effects.enter(call.thread, device, stored(flags), history.here()).handle
