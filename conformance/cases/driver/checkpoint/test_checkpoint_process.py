"""Checkpoints of processes: transitions between states, and refused process ids.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CHECKPOINT.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.pool.fixtures import HOST_NUMA
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

RUNNING, LOCKED, CHECKPOINTED = range(3)
"""CUprocessState."""
PAGE, GIGABYTE, MAPPED = 4096, 1 << 30, 2
MANAGED = 2
"""CU_MEM_ALLOCATION_TYPE_MANAGED."""
NOBODY, FIRST = 999_999_999, 1
"""An unused process id, and the id of a process that never uses the driver."""


def target(w: World, state: int = RUNNING) -> int:
    """Return the id of another process in a state."""
    return at(w.process(), state)


def holding(w: World, make: Callable[[Process], object], state: int) -> int:
    """Return the id of another process in a state that owns objects."""
    other = w.process()
    w.last.append((other, other.kill))
    make(other)
    return at(other, state)


def at(other: Process, state: int) -> int:
    """Return the id of a process after it is brought into a state."""
    number = other.number()
    if state != RUNNING:
        other.ok.cuCheckpointProcessLock(number, None)
    if state == CHECKPOINTED:
        other.ok.cuCheckpointProcessCheckpoint(number, None)
    return number


def goes_on(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the process is in the expected state and resumes."""
    a, pid = i.process, i.args["pid"]
    _, state = a.c.cuCheckpointProcessGetState(pid)
    if state == CHECKPOINTED:
        a.ok.cuCheckpointProcessRestore(pid, None)
    if state != RUNNING:
        a.ok.cuCheckpointProcessUnlock(pid, None)


def entry_of(does: str, state: int) -> Entry:
    """Return the entry of a call that changes the state of a process."""
    call = f"cuCheckpointProcess{does}"

    def valid(w: World) -> Invocation:
        a = w.process()
        return a.call(call, pid=target(w, state), args=None)

    return Entry(call, valid, goes_on)


def asking(does: str) -> Entry:
    """Return the entry of a call that queries a process."""
    call = f"cuCheckpointProcess{does}"

    def valid(w: World) -> Invocation:
        a = w.process()
        return a.call(call, pid=target(w))

    return Entry(call, valid)


get_state, get_thread = asking("GetState"), asking("GetRestoreThreadId")
lock, checkpoint = entry_of("Lock", RUNNING), entry_of("Checkpoint", LOCKED)
restore, unlock = entry_of("Restore", CHECKPOINTED), entry_of("Unlock", LOCKED)


def in_state(entry: Entry, rule: str, *states: int) -> None:
    """Add the cases of a process in another state."""
    for state in states:
        entry.world(rule, f"{state}", "pid")(lambda w, i, state=state: i.evolve(pid=target(w, state)))


for one in (get_state, get_thread, lock, checkpoint, restore, unlock):
    for number in (0, -1, NOBODY):
        one.breaks("PROCESS_IS_THERE", f"{number}", pid=number)
    one.breaks("PROCESS_USES_THE_DRIVER", "the first of all", pid=FIRST)
    one.world("PROCESS_USES_THE_DRIVER", "before cuInit", "pid")(
        lambda w, i: i.evolve(pid=w.process(context=False, init=False).number())
    )
for one in (lock, checkpoint, restore):  # two of these at once would succeed, and leave a locked process
    one.without("not_initialized", "forked", "no_context", "second_thread")
get_state.null("state", "RESULT_IS_GIVEN")
get_thread.null("tid", "RESULT_IS_GIVEN")
in_state(lock, "PROCESS_IS_RUNNING", LOCKED, CHECKPOINTED)
in_state(checkpoint, "PROCESS_IS_LOCKED", RUNNING, CHECKPOINTED)
in_state(unlock, "PROCESS_IS_LOCKED", RUNNING, CHECKPOINTED)
in_state(restore, "PROCESS_IS_CHECKPOINTED", RUNNING, LOCKED)
lock.also("with a timeout", args=(5000, 0, (0,) * 7), then=goes_on)
checkpoint.also("with arguments", args=(0,), then=goes_on)
restore.also("with arguments", args=(0, 0, 0), then=goes_on)
for name, reserved in (
    ("the first", (1, (0,) * 7)),
    ("the second", (0, (1, *(0,) * 6))),
    ("the last", (0, (*(0,) * 6, 1))),
):
    lock.breaks("RESERVED_IS_ZERO", name, args=(0, *reserved))


def waiting(a: Process) -> None:
    """Have a stream wait for a value that never comes."""
    place = a.ok.cuMemHostGetDevicePointer(a.ok.cuMemHostAlloc(PAGE, MAPPED), 0)
    a.ok.cuStreamWaitValue32(a.ok.cuStreamCreate(1), place, 1, 1)


@lock.world("WORK_ENDS_IN_TIME", "", "pid", "args")
def busy(w: World, i: Invocation) -> Invocation:
    return i.evolve(pid=holding(w, waiting, RUNNING), args=(200, 0, (0,) * 7))


@checkpoint.world("MEMORY_IS_NOT_MANAGED", "", "pid")
def managed(w: World, i: Invocation) -> Invocation:
    return i.evolve(pid=holding(w, lambda a: a.ok.cuMemAllocManaged(PAGE, 1), LOCKED))


@checkpoint.world("CONTEXTS_ARE_OF_TODAY", "", "pid")
def of_cuda_3_1(w: World, i: Invocation) -> Invocation:
    other = w.process(context=False)
    w.last.append((other, other.kill))
    other.ok.cuCtxCreate_v1(0, 0)
    return i.evolve(pid=at(other, LOCKED))


@restore.world("MEMORY_IS_ITS_OWN", "", "pid")
def another_s(w: World, i: Invocation) -> Invocation:
    opened = i.process.ok.cuIpcGetMemHandle(i.process.ok.cuMemAlloc(GRANULE))
    return i.evolve(pid=holding(w, lambda a: a.ok.cuIpcOpenMemHandle(opened, 1), CHECKPOINTED))


@restore.world("POOLS_ARE_PUT_BACK", "", "pid")
def with_a_pool_of_the_host(w: World, i: Invocation) -> Invocation:
    return i.evolve(pid=holding(w, lambda a: a.ok.cuMemGetMemPool((HOST_NUMA, 0), MANAGED), CHECKPOINTED))


@restore.world("POOLS_ARE_PUT_BACK", "created", "pid")
def with_a_pool_of_its_own(w: World, i: Invocation) -> Invocation:
    pool = (MANAGED, 0, (1, 0), 0, 0, 0, 0)
    return i.evolve(pid=holding(w, lambda a: a.ok.cuMemPoolCreate(pool), CHECKPOINTED))


def filled(w: World, i: Invocation) -> tuple[int, int]:
    """Return a checkpointed process's id, and memory that leaves no room for it."""
    number = holding(w, lambda a: a.ok.cuMemAlloc(4 * GIGABYTE), CHECKPOINTED)
    free, _ = i.process.ok.cuMemGetInfo()
    return number, i.process.ok.cuMemAlloc(free - GIGABYTE)


@restore.world("MEMORY_SUFFICES", "", "pid")
def no_room(w: World, i: Invocation) -> Invocation:
    return i.evolve(pid=filled(w, i)[0])


@restore.world("PROCESS_CAN_COME_BACK", "", "pid")
def too_late(w: World, i: Invocation) -> Invocation:
    number, memory = filled(w, i)
    assert i.process.c.cuCheckpointProcessRestore(number, None) == (Result.OUT_OF_MEMORY,)
    i.process.ok.cuMemFree(memory)
    return i.evolve(pid=number)


def uuids(a: Process) -> list[bytes]:
    """Return the UUIDs of all devices."""
    return [a.ok.cuDeviceGetUuid(device) for device in range(a.ok.cuDeviceGetCount())]


def pairs_of(old: list[bytes], new: list[bytes]) -> tuple[Plain, ...]:
    """Return arguments that map each device to another one."""
    pairs = tuple(zip(old, new, strict=True))
    return pairs, len(pairs), 0


def migrated(w: World, _i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that a migrated process keeps its ordinals and memory, and can go back."""
    a, other = w.process(), w.last[-1][0]
    number, own = other.number(), uuids(a)
    a.ok.cuCheckpointProcessUnlock(number, None)
    turned = own[1:] + own[:1]
    assert uuids(other) == turned
    assert [other.ok.cuDeviceGetPCIBusId(16, one) for one in range(len(own))] == [
        a.ok.cuDeviceGetPCIBusId(16, one) for one in range(len(own))
    ]
    assert other.ok.cuCtxGetDevice() == 0
    place = other.ok.cuMemAlloc(GRANULE)
    other.ok.cuMemsetD8(place, 1, GRANULE)
    at(other, CHECKPOINTED)
    a.ok.cuCheckpointProcessRestore(number, pairs_of(turned, own))
    a.ok.cuCheckpointProcessUnlock(number, None)
    assert uuids(other) == own
    room = bytearray(4)
    other.ok.cuMemcpyDtoH(room, place, 4)
    assert room == b"\1" * 4
    other.ok.cuMemFree(place)


@restore.also("onto other devices", then=migrated)
def turned(w: World, i: Invocation) -> Invocation:
    own = uuids(i.process)
    number = holding(w, lambda a: a.ok.cuMemAlloc(PAGE), CHECKPOINTED)
    return i.evolve(pid=number, args=pairs_of(own, own[1:] + own[:1]))


@restore.world("PAIRS_NAME_EACH_DEVICE", "one that is not there", "args")
def unknown(_w: World, i: Invocation) -> Invocation:
    own = uuids(i.process)
    return i.evolve(args=pairs_of(own, [bytes(16), *own[1:]]))


@restore.world("PAIRS_NAME_EACH_DEVICE", "one that was not", "args")
def of_none(_w: World, i: Invocation) -> Invocation:
    own = uuids(i.process)
    return i.evolve(args=pairs_of([bytes(16), *own[1:]], own))


@restore.world("PAIRS_NAME_EACH_DEVICE", "one twice", "args")
def twice(_w: World, i: Invocation) -> Invocation:
    own = uuids(i.process)
    return i.evolve(args=pairs_of([*own, own[0]], [*own, own[0]]))


checkpoint.breaks("RESERVED_IS_ZERO", args=(1,))
restore.breaks("RESERVED_IS_ZERO", args=((), 0, 1))


def takes_it_back(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that other processes had the memory until the process was restored."""
    free, _ = i.process.ok.cuMemGetInfo()
    i.process.ok.cuCheckpointProcessRestore(i.args["pid"], None)
    assert free - i.process.ok.cuMemGetInfo()[0] >= 4 * GIGABYTE


@checkpoint.also("others have its memory", then=takes_it_back)
def large(w: World, i: Invocation) -> Invocation:
    return i.evolve(pid=holding(w, lambda a: a.ok.cuMemAlloc(4 * GIGABYTE), LOCKED))


checkpoint.alone("others-have-its-memory")
restore.alone("MEMORY_SUFFICES", "PROCESS_CAN_COME_BACK")
for state in (LOCKED, CHECKPOINTED):
    get_state.also(f"{state}", then=goes_on)(lambda w, i, state=state: i.evolve(pid=target(w, state)))


@get_state.world("PROCESS_IS_THERE", "that was locked when it ended", "pid")
def ended_locked(w: World, i: Invocation) -> Invocation:
    other = w.process()
    number = at(other, LOCKED)
    other.exit()
    return i.evolve(pid=number)


test_checkpoint_process_get_state = get_state.test()
test_checkpoint_process_get_restore_thread_id = get_thread.test()
test_checkpoint_process_lock = lock.test()
test_checkpoint_process_checkpoint = checkpoint.test()
test_checkpoint_process_restore = restore.test()
test_checkpoint_process_unlock = unlock.test()
