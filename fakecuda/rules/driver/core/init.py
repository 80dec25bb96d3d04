"""cuInit: initialise the driver in a process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.os.process import FORKED, HALTED, READY
from fakecuda.rules.core import Rule, manual, observed
from fakecuda.rules.driver.core.initialized import require_driver_up
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

FLAGS_ARE_ZERO = Rule(
    "`Flags` of cuInit is 0",
    Result.INVALID_VALUE,
    manual("cuInit", "Currently, the Flags parameter must be 0"),
    fix="call cuInit(0)",
)
PROCESS_IS_NO_FORK = Rule(
    "the process is not a fork of a process that had called cuInit",
    Result.NOT_INITIALIZED,
    observed("cuInit", "in a fork of an initialised process cuInit answers NOT_INITIALIZED, as nearly every call does"),
    fix="start the process with the start method spawn instead of fork, or call cuInit only after the fork",
)
PROC_IS_ITS_OWN = Rule(
    "the mounted /proc belongs to the PID namespace of the process",
    Result.OPERATING_SYSTEM,
    observed(
        "cuInit",
        "cuInit answers OPERATING_SYSTEM in a new PID namespace that still has the host's /proc (unshare --fork --pid)",
    ),
    fix="mount /proc for the new PID namespace: unshare --fork --pid --mount-proc",
)
DEVICE_IS_THERE = Rule(
    "the process sees at least one device",
    Result.NO_DEVICE,
    manual("CUresult", "no CUDA-capable devices were detected"),
    fix="set CUDA_VISIBLE_DEVICES to a device of the machine",
)
DEVICES_ARE_NAMED_ONCE = Rule(
    "CUDA_VISIBLE_DEVICES names no device twice",
    Result.INVALID_DEVICE,
    observed("cuInit", "cuInit answers INVALID_DEVICE if CUDA_VISIBLE_DEVICES names a device twice, as in 0,0"),
    fix="name each device once in CUDA_VISIBLE_DEVICES: 0,1 and not 0,0",
)


@DRIVER.op("cuInit")
def init(call: Call, flags: int) -> None:
    """Initialise the driver in the calling process; a second call succeeds.

    Args:
        call: The call.
        flags: 0.
    """
    # CHECK
    require_driver_up(call)
    if flags != 0:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    if call.process.state == FORKED:
        raise PROCESS_IS_NO_FORK.broken(process=call.process)
    process = call.process
    if process.state in HALTED:
        return
    if process.foreign_proc and process.state != READY:
        raise PROC_IS_ITS_OWN.broken(process=process)
    devices = process.devices if process.state == READY else call.machine.seen_by(process)
    if not devices:
        raise DEVICE_IS_THERE.broken(visible_devices=process.visible_devices)
    if len(set(devices)) < len(devices):
        raise DEVICES_ARE_NAMED_ONCE.broken(visible_devices=process.visible_devices)
    # EFFECT
    process.initialise(devices)
