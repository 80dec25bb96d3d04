"""Checkpoints of processes: in which states what is done, and which numbers are refused.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CHECKPOINT.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

RUNNING, LOCKED, CHECKPOINTED = range(3)
"""CUprocessState."""
NOBODY, FIRST = 999_999_999, 1
"""A number that no process has, and that of one that never uses the driver."""


def target(w: World, state: int = RUNNING) -> int:
    """Return the number of another process, in a state."""
    other = w.process()
    number = other.number()
    if state != RUNNING:
        other.ok.cuCheckpointProcessLock(number, None)
    if state == CHECKPOINTED:
        other.ok.cuCheckpointProcessCheckpoint(number, None)
    return number


def goes_on(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """The process is what the call says, and goes on."""
    a, pid = i.process, i.args["pid"]
    _, state = a.c.cuCheckpointProcessGetState(pid)
    if state == CHECKPOINTED:
        a.ok.cuCheckpointProcessRestore(pid, None)
    if state != RUNNING:
        a.ok.cuCheckpointProcessUnlock(pid, None)


def entry_of(does: str, state: int) -> Entry:
    """Return the entry of a call that changes the state of a process which is in one."""
    call = f"cuCheckpointProcess{does}"

    def valid(w: World) -> Invocation:
        a = w.process()
        return a.call(call, pid=target(w, state), args=None)

    return Entry(call, valid, goes_on)


def asking(does: str) -> Entry:
    """Return the entry of a call that tells of a process."""
    call = f"cuCheckpointProcess{does}"

    def valid(w: World) -> Invocation:
        a = w.process()
        return a.call(call, pid=target(w))

    return Entry(call, valid)


get_state, get_thread = asking("GetState"), asking("GetRestoreThreadId")
lock, checkpoint = entry_of("Lock", RUNNING), entry_of("Checkpoint", LOCKED)
restore, unlock = entry_of("Restore", CHECKPOINTED), entry_of("Unlock", LOCKED)


def in_state(entry: Entry, rule: str, *states: int) -> None:
    """Add the cases of a process that is in another state."""
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
for state in (LOCKED, CHECKPOINTED):
    get_state.also(f"{state}", then=goes_on)(lambda w, i, state=state: i.evolve(pid=target(w, state)))

test_checkpoint_process_get_state = get_state.test()
test_checkpoint_process_get_restore_thread_id = get_thread.test()
test_checkpoint_process_lock = lock.test()
test_checkpoint_process_checkpoint = checkpoint.test()
test_checkpoint_process_restore = restore.test()
test_checkpoint_process_unlock = unlock.test()
