"""Checkpoint calls: lock, checkpoint, restore and unlock a process by its pid.

Other processes can use the memory of a checkpointed process. Storage of the caller is not modelled.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fakecuda.errors import EndlessWait, FakeCudaError
from fakecuda.model.memory import migration
from fakecuda.model.memory.holding import extents_of, own_sizes
from fakecuda.model.memory.pool import MANAGED
from fakecuda.model.os import checkpoint
from fakecuda.model.os.process import CHECKPOINTED, FORKED, LOCKED, NOT_INITIALIZED, READY
from fakecuda.model.work.waiting import finish
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.checkpoint.halted import gate
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.driver.stream import race
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device
    from fakecuda.model.os.process import Process

    Pairs = tuple[tuple[bytes, bytes], ...]

STATES = {READY: 0, LOCKED: 1, CHECKPOINTED: 2}
"""CUprocessState by the state of a process in the model."""
MILLISECONDS = 1000
STORED = 13040
"""The first driver version with caller storage and cuCheckpointOperationComplete."""
THREADS = 1 << 22
"""The offset of a restore thread's id from the pid. It exceeds all ids of Linux, because the thread does not exist."""

RESERVED_IS_ZERO = Rule(
    "the reserved members of `args` are 0",
    Result.INVALID_VALUE,
    observed(
        "cuCheckpointProcessLock", "the driver answers INVALID_VALUE if the first or the last reserved member is 1"
    ),
    fix="set the reserved members of args to 0",
)
PROCESS_IS_THERE = Rule(
    "`pid` is the id of an existing process",
    Result.OPERATING_SYSTEM,
    observed(
        "cuCheckpointProcessGetState",
        "all checkpoint calls answer OPERATING_SYSTEM to the process numbers 0 and -1 "
        "and to the number of a missing process",
    ),
    fix="pass the id of a running process",
)
PROCESS_USES_THE_DRIVER = Rule(
    "the process `pid` has called cuInit",
    Result.NOT_INITIALIZED,
    observed(
        "cuCheckpointProcessGetState",
        "all checkpoint calls answer NOT_INITIALIZED to the number of a process that has not called cuInit, even of "
        "the caller",
    ),
    fix="wait until the process has called cuInit",
)
PROCESS_IS_RUNNING = Rule(
    "the process `pid` is in the RUNNING state",
    Result.ILLEGAL_STATE,
    manual("cuCheckpointProcessLock", "Process must be in the RUNNING state in order to lock."),
    fix="call cuCheckpointProcessUnlock before you lock the process again",
)
WORK_ENDS_IN_TIME = Rule(
    "if `timeoutMs` is not 0, the in-flight work of the process `pid` ends within `timeoutMs` milliseconds",
    Result.NOT_READY,
    manual(
        "cuCheckpointProcessLock",
        "If timeoutMs is specified and the timeout is reached the process will be left in the RUNNING state upon return.",
    ),
    fix="raise timeoutMs, or first end the work that the process waits for",
)
PROCESS_IS_LOCKED = Rule(
    "the process `pid` is in the LOCKED state",
    Result.ILLEGAL_STATE,
    manual("cuCheckpointProcessUnlock", "Process must be in the LOCKED state."),
    fix="call cuCheckpointProcessLock first",
)
MEMORY_IS_NOT_MANAGED = Rule(
    "the process `pid` has no managed memory",
    Result.NOT_SUPPORTED,
    observed(
        "cuCheckpointProcessCheckpoint",
        "the driver answers NOT_SUPPORTED for a process with managed memory, and the process stays locked",
    ),
    fix="free the managed memory of the process before cuCheckpointProcessCheckpoint",
)
CONTEXTS_ARE_OF_TODAY = Rule(
    "the process `pid` has no context of CUDA 3.1",
    Result.NOT_SUPPORTED,
    observed(
        "cuCheckpointProcessCheckpoint",
        "the driver answers NOT_SUPPORTED for a process with a context of CUDA 3.1, and the process stays locked",
    ),
    fix="make the contexts of the process with the newest form of cuCtxCreate",
)
PROCESS_IS_CHECKPOINTED = Rule(
    "the process `pid` is in the CHECKPOINTED state",
    Result.ILLEGAL_STATE,
    manual("cuCheckpointProcessRestore", "Process must be in the"),
    fix="call cuCheckpointProcessCheckpoint first",
)
PAIRS_NAME_EACH_DEVICE = Rule(
    "`gpuPairs`, unless empty, names each device of the machine once as the old GPU and once as the new GPU",
    Result.INVALID_VALUE,
    observed(
        "cuCheckpointProcessRestore",
        "on a host with two devices the driver answers INVALID_VALUE to pairs that name one device alone, one device "
        "twice or a missing device, whichever devices the process uses",
    ),
    fix="pass a pair for each device of the host, also for devices that the process does not use",
)
PROCESS_CAN_COME_BACK = Rule(
    "no earlier restore of the process `pid` failed for lack of memory",
    Result.OPERATING_SYSTEM,
    observed(
        "cuCheckpointProcessRestore",
        "after a restore has failed for lack of memory, every later restore "
        "answers OPERATING_SYSTEM, however much memory is free",
    ),
    fix="end the process, and make sure that enough memory is free before you restore another process",
)
MEMORY_IS_ITS_OWN = Rule(
    "the process `pid` had no IPC memory of another process open when it was checkpointed",
    Result.INVALID_VALUE,
    observed(
        "cuCheckpointProcessRestore",
        "the driver answers INVALID_VALUE for a process that was checkpointed with open IPC memory of another "
        "process; the process can never be restored",
    ),
    fix="call cuIpcCloseMemHandle in the process before it is checkpointed",
)
POOLS_ARE_PUT_BACK = Rule(
    "the process `pid` has neither queried a default pool of managed memory nor created a pool of managed memory",
    Result.OPERATING_SYSTEM,
    observed(
        "cuCheckpointProcessRestore",
        "the driver answers OPERATING_SYSTEM for a process that was checkpointed after cuMemGetMemPool or cuMemPoolCreate for "
        "managed memory, of whichever location, and the process stays checkpointed",
    ),
    fix="do not call cuMemGetMemPool or cuMemPoolCreate for managed memory in a process that is checkpointed",
)
MEMORY_SUFFICES = Rule(
    "the devices have enough free memory for the device memory of the process `pid`",
    Result.OUT_OF_MEMORY,
    observed(
        "cuCheckpointProcessRestore",
        "the call answers OUT_OF_MEMORY while another process holds nearly all device memory",
    ),
    fix="free memory before cuCheckpointProcessRestore: a second attempt fails, too",
)


@guard
def own_storage(call: Call, place: int) -> None:
    """Refuse caller storage. On older drivers, its struct member is reserved."""
    if place and call.machine.profile.driver_version >= STORED:
        raise FakeCudaError(OTHERWISE)
    if place:
        raise RESERVED_IS_ZERO.broken(args=place)


@guard
def process_at(call: Call, pid: int) -> Process:
    """Return the process with a pid, which uses the driver. Host functions may ask."""
    require_driver_up(call)
    found = next((one for one in call.machine.processes.values() if one.pid == pid and one.alive), None)
    if found is None and not (pid > 0 and Path(f"/proc/{pid}").exists()):
        raise PROCESS_IS_THERE.broken(pid=pid)
    if found is None or found.state in {NOT_INITIALIZED, FORKED}:
        raise PROCESS_USES_THE_DRIVER.broken(pid=pid, process=found)
    return found


@guard
def told(call: Call, pid: int) -> Process:
    """Return the process with a pid, for a query."""
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    return process_at(call, pid)


@DRIVER.op("cuCheckpointProcessGetState")
def checkpoint_process_get_state(call: Call, pid: int) -> int:
    """Return the CUprocessState of a process."""
    # CHECK
    return STATES[told(call, pid).state]


@DRIVER.op("cuCheckpointProcessGetRestoreThreadId")
def checkpoint_process_get_restore_thread_id(call: Call, pid: int) -> int:
    """Return the id of the thread that restores a process. No other thread has this id."""
    # CHECK
    return told(call, pid).pid + THREADS


@DRIVER.op("cuCheckpointProcessLock")
def checkpoint_process_lock(call: Call, pid: int, args: tuple[int, int, tuple[int, ...]] | None) -> None:
    """Lock a process after its work is complete. Most calls of a locked process wait until the process is unlocked.

    Args:
        call: The call.
        pid: The process.
        args: A CUcheckpointLockArgs: the timeout in milliseconds, or 0 for no timeout.
    """
    # CHECK
    require_driver_up(call)
    limit, *reserved = (0,) if args is None else args
    if any(any(one) if isinstance(one, tuple) else one for one in reserved):
        raise RESERVED_IS_ZERO.broken(args=args)
    process = process_at(call, pid)
    if process.state != READY:
        raise PROCESS_IS_RUNNING.broken(process=process)
    try:
        for context in list(process.contexts.values()):
            finish(context, within=limit / MILLISECONDS if limit else None)
    except EndlessWait:
        if not limit:
            raise
        raise WORK_ENDS_IN_TIME.broken(process=process, milliseconds=limit) from None
    race.seen_in(call, *process.contexts.values(), by=orders.LOCKED)
    # EFFECT
    checkpoint.lock(process, gate)


@DRIVER.op("cuCheckpointProcessCheckpoint")
def checkpoint_process_checkpoint(call: Call, pid: int, args: tuple[int, ...] | None) -> None:
    """Checkpoint a locked process. Other processes can use the device memory of a checkpointed process.

    Args:
        call: The call.
        pid: The process.
        args: A CUcheckpointCheckpointArgs.

    Raises:
        FakeCudaError: The caller requests its own storage.
    """
    # CHECK
    require_driver_up(call)
    if args is not None:
        own_storage(call, *args)
    process = process_at(call, pid)
    if process.state != LOCKED:
        raise PROCESS_IS_LOCKED.broken(process=process)
    if any(extent.memory is call.machine.managed for extent in extents_of(process)):
        raise MEMORY_IS_NOT_MANAGED.broken(process=process)
    if process.narrow is not None:
        raise CONTEXTS_ARE_OF_TODAY.broken(process=process)
    # EFFECT
    checkpoint.save(process, own_sizes(process))


@DRIVER.op("cuCheckpointProcessRestore", acts_before=(MEMORY_SUFFICES,))
def checkpoint_process_restore(call: Call, pid: int, args: tuple[Pairs, int, int] | None) -> None:
    """Restore a checkpointed process. It stays locked.

    Args:
        call: The call.
        pid: The process.
        args: A CUcheckpointRestoreArgs.

    Raises:
        FakeCudaError: The caller has stored its memory itself, or the process would go to other devices with memory that others
            hold.
    """
    # CHECK
    require_driver_up(call)
    pairs, count, storage = args or ((), 0, 0)
    own_storage(call, storage)
    process = process_at(call, pid)
    if process.state != CHECKPOINTED:
        raise PROCESS_IS_CHECKPOINTED.broken(process=process)
    kept = checkpoint.of(process)
    onto = _onto(process, pairs, count) if count else kept.onto
    if kept.lost:
        raise PROCESS_CAN_COME_BACK.broken(process=process)
    if process.ipc.imports:
        raise MEMORY_IS_ITS_OWN.broken(process=process, memory=next(iter(process.ipc.imports.values())))
    if any(pool.props.type == MANAGED for pool in process.pools.live.values()):
        raise POOLS_ARE_PUT_BACK.broken(process=process)
    if onto != kept.onto and migration.shared(process) is not None:
        raise FakeCudaError(SHARED)
    for memory, size in migration.sizes_on(process, onto).items():
        if memory.used + size > memory.total:
            checkpoint.lose(process)
            raise MEMORY_SUFFICES.broken(size=size, free=memory.total - memory.used)
    # EFFECT
    migration.restore(process, onto)


OTHERWISE = "custom storage for checkpoints is not modelled: pass null or zeros for these arguments"
SHARED = (
    "restoring a process on other devices is not modelled if another process uses its memory, or several devices "
    "share it: have the other process close the memory first, or restore the process on its own devices"
)


@guard
def _onto(process: Process, pairs: Pairs, count: int) -> dict[Device, Device]:
    """Return the new card of each device of a restored process. The pairs name old and new cards; null keeps all cards."""
    named, known = dict(pairs or ()), migration.uuids(process)
    if count != len(known) or named.keys() != known or set(named.values()) != known:
        raise PAIRS_NAME_EACH_DEVICE.broken(pairs=pairs, count=count)
    return migration.onto(process, named)


@DRIVER.op("cuCheckpointProcessUnlock")
def checkpoint_process_unlock(call: Call, pid: int, _args: tuple[int, ...] | None) -> None:
    """Unlock a process, so that its calls continue.

    Args:
        call: The call.
        pid: The process.
    """
    # CHECK
    process = process_at(call, pid)
    if process.state != LOCKED:
        raise PROCESS_IS_LOCKED.broken(process=process)
    # EFFECT
    checkpoint.unlock(process)
