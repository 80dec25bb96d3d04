"""Several processes, any calls in any order: the machine stays whole, and a call that fails changes nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from attrs import frozen
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from fakecuda import Machine, UndefinedBehaviour
from fakecuda.model.os.process import NOT_INITIALIZED
from fakecuda.rules.registry import DRIVER

from .world import GRANULE, LAZY, POSIX, READ_WRITE, pinned, small

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Process

CARD = 16 * GRANULE
PROCESSES = 4
DEVICES = 2
HOST = (1, 0, (2, 0), 0, (0, 0, 0))
which = st.integers(0, 31)
"""Which of the things there are, counted from the newest."""
odd = st.integers(0, 15)
"""What is wrong with the call: 0 is another process, 1 is an argument beside the right one, the others are nothing."""
thread = st.sampled_from(["t0", "t0", "t0", "t1"])
device = st.integers(0, DEVICES - 1)
size = st.sampled_from([1, 512, 513, 4096, 1 << 20, (1 << 20) + 1, GRANULE, 5 * GRANULE])
granules = st.sampled_from([1, 1, 1, 2, 4]).map(lambda count: count * GRANULE)


@frozen
class Thing:
    """What a call has made.

    Attributes:
        owner: The process that it belongs to.
        value: A handle or an address.
        size: Bytes, where it has a size.
    """

    owner: Process
    value: Any
    size: int = 0


def some(name: str) -> Callable[[Calls], bool]:
    """Return the precondition that there are things of a kind."""
    return lambda self: bool(getattr(self, name))


class Calls(RuleBasedStateMachine):
    """Calls of a few processes, each with two threads, on a machine of two small cards."""

    def __init__(self) -> None:
        super().__init__()
        self.processes: list[Process] = []
        self.contexts: list[Thing] = []
        self.allocations: list[Thing] = []
        self.shares: list[Thing] = []
        self.opened: list[Thing] = []
        self.handles: list[Thing] = []
        self.ranges: list[Thing] = []
        self.mappings: list[Thing] = []
        self.stale: list[Thing] = []
        self.descriptors: list[int] = []
        self.machine = Machine(small(CARD, devices=DEVICES, context=GRANULE), strict=False, seed=1)

    @initialize(strict=st.booleans())
    def start(self, *, strict: bool) -> None:
        """Choose the machine's fidelity and spawn its first two processes."""
        self.machine.strict = strict
        self.spawn(ready=True)
        self.spawn(ready=True)

    def call(self, owner: Process, name: str, *args: Any, at: str = "t0", wrong: int = 2) -> tuple[Any, ...]:
        """Make a call; check that nothing has changed when it failed.

        Args:
            owner: The process whose things the arguments name.
            name: The call.
            args: Plain values.
            at: The thread.
            wrong: 0 makes another process call.

        Returns:
            The results, (None,) for none; nothing when it failed.
        """
        process = owner if wrong else self.processes[self.processes.index(owner) - 1]
        # Descriptors are closed behind the machine's back: it may notice that in any call.
        self.machine.exchange.reap()
        before = self.machine.snapshot()
        try:
            code, *outs = getattr(process.thread(at).c, name)(*args)
        except UndefinedBehaviour:
            assert self.machine.strict
            assert self.machine.snapshot() == before, (name, args)
            return ()
        if not code:
            return tuple(outs) or (None,)
        broken = self.machine.calls[-1][5]
        assert outs == [None] * len(outs)
        assert broken in DRIVER.ops[name].rules
        if broken not in DRIVER.ops[name].acts_before:
            assert self.machine.snapshot() == before, (name, args, broken)
        return ()

    @staticmethod
    def pick(things: list[Any], index: int) -> Any:
        """Return one of the things."""
        return things[-1 - index % len(things)]

    def end_of(self, things: list[Thing], thing: Thing, answer: tuple[Any, ...]) -> None:
        """Move a thing to the stale ones when the call that ends it has succeeded."""
        if answer and thing in things:
            things.remove(thing)
            self.stale.append(thing)

    @precondition(lambda self: len(self.processes) < PROCESSES)
    @rule(ready=st.sampled_from([True, True, True, False]))
    def spawn(self, *, ready: bool) -> None:
        """Spawn a process, with a context that is current to both of its threads, or with nothing."""
        process = self.machine.spawn()
        self.processes.append(process)
        if ready:
            self.call(process, "cuInit", 0)
            for context in self.call(process, "cuCtxCreate", None, 0, len(self.processes) % DEVICES):
                self.contexts.append(Thing(process, context))
                self.call(process, "cuCtxSetCurrent", context, at="t1")
            self.furnish(process, len(self.processes) % DEVICES)

    def furnish(self, process: Process, on: int) -> None:
        """Give a process an allocation that it shares, and a mapping that it has exported, where there is room."""
        for address in self.call(process, "cuMemAlloc", 4096):
            self.allocations.append(Thing(process, address, 4096))
            self.shares += [Thing(process, handle, 4096) for handle in self.call(process, "cuIpcGetMemHandle", address)]
        for value in self.call(process, "cuMemCreate", GRANULE, pinned(on), 0):
            self.handles.append(Thing(process, value, GRANULE))
            self.descriptors += self.call(process, "cuMemExportToShareableHandle", value, POSIX, 0)
            for start in self.call(process, "cuMemAddressReserve", 2 * GRANULE, 0, 0, 0):
                self.ranges.append(Thing(process, start, 2 * GRANULE))
                if self.call(process, "cuMemMap", start, GRANULE, 0, value, 0):
                    self.mappings.append(Thing(process, start, GRANULE))
                    self.call(process, "cuMemSetAccess", start, GRANULE, (((1, on), READ_WRITE),), 1)

    @rule(index=which, on=device)
    def furnish_one(self, index: int, on: int) -> None:
        """Give one of the processes more of it."""
        self.furnish(self.pick(self.processes, index), on)

    @precondition(lambda self: len(self.processes) > 2)
    @rule(index=which, slowly=st.booleans())
    def end(self, index: int, *, slowly: bool) -> None:
        """End a process; what others map stays."""
        process = self.processes.pop(index % len(self.processes))
        if slowly:
            began = process.state != NOT_INITIALIZED  # a driver that was never initialised has no exit handler
            process.begin_exit()
            assert bool(process.c.cuInit(0)[0]) == began
        process.exit()
        for things in (
            self.contexts,
            self.allocations,
            self.opened,
            self.handles,
            self.ranges,
            self.mappings,
            self.stale,
        ):
            things[:] = [thing for thing in things if thing.owner is not process]

    @rule(index=which, flag=st.sampled_from([0, 0, 0, 1]))
    def initialise(self, index: int, flag: int) -> None:
        """Initialise the driver, once more mostly."""
        self.call(self.pick(self.processes, index), "cuInit", flag)

    @rule(index=which, on=st.integers(0, DEVICES), flag=st.sampled_from([0, 1, 3]), at=thread)
    def create_context(self, index: int, on: int, flag: int, at: str) -> None:
        """Make a context."""
        process = self.pick(self.processes, index)
        for context in self.call(process, "cuCtxCreate", None, flag, on, at=at):
            self.contexts.append(Thing(process, context))

    @precondition(some("contexts"))
    @rule(index=which, name=st.sampled_from(["cuCtxSetCurrent", "cuCtxPushCurrent"]), at=thread, wrong=odd)
    def use_context(self, index: int, name: str, at: str, wrong: int) -> None:
        """Make a context current."""
        context = self.pick(self.contexts, index)
        self.call(context.owner, name, context.value, at=at, wrong=wrong)

    @precondition(lambda self: len(self.contexts) > 2)
    @rule(index=which, at=thread, wrong=odd)
    def destroy_context(self, index: int, at: str, wrong: int) -> None:
        """Destroy a context, which may be current elsewhere."""
        context = self.pick(self.contexts, index)
        self.end_of(self.contexts, context, self.call(context.owner, "cuCtxDestroy", context.value, at=at, wrong=wrong))

    @rule(index=which, name=st.sampled_from(["cuCtxGetCurrent", "cuMemGetInfo", "cuCtxGetDevice"]), at=thread)
    def ask(self, index: int, name: str, at: str) -> None:
        """Ask what is current."""
        self.call(self.pick(self.processes, index), name, at=at)

    @rule(index=which)
    def pop_context(self, index: int) -> None:
        """Pop the second thread's context, and push it again mostly."""
        process = self.pick(self.processes, index)
        answer = self.call(process, "cuCtxPopCurrent", at="t1")
        if answer and index % 4:
            self.call(process, "cuCtxPushCurrent", answer[0], at="t1")

    @rule(index=which, on=device, name=st.sampled_from(["Retain", "Retain", "Release", "Reset", "GetState"]))
    def primary(self, index: int, on: int, name: str) -> None:
        """Move the life cycle of a primary context."""
        process = self.pick(self.processes, index)
        answer = self.call(process, f"cuDevicePrimaryCtx{name}", on)
        if answer and name == "Retain":
            self.contexts.append(Thing(process, answer[0]))

    @precondition(some("contexts"))
    @rule(index=which, on=st.booleans(), at=thread, wrong=odd)
    def peer(self, index: int, at: str, wrong: int, *, on: bool) -> None:
        """Enable or disable access to a context."""
        context = self.pick(self.contexts, index)
        name, more = ("cuCtxEnablePeerAccess", (0,)) if on else ("cuCtxDisablePeerAccess", ())
        self.call(context.owner, name, context.value, *more, at=at, wrong=wrong)

    @rule(index=which, count=size, at=thread)
    def alloc(self, index: int, count: int, at: str) -> None:
        """Allocate linear memory."""
        process = self.pick(self.processes, index)
        for address in self.call(process, "cuMemAlloc", count, at=at):
            self.allocations.append(Thing(process, address, count))

    @precondition(some("allocations"))
    @rule(index=which, at=thread, wrong=odd)
    def free(self, index: int, at: str, wrong: int) -> None:
        """Free linear memory."""
        thing = self.pick(self.allocations, index)
        answer = self.call(thing.owner, "cuMemFree", thing.value + (wrong == 1), at=at, wrong=wrong)
        self.end_of(self.allocations, thing, answer)

    @precondition(lambda self: self.allocations or self.opened or self.mappings)
    @rule(index=which, value=st.integers(0, 255), at=thread, wrong=odd)
    def write(self, index: int, value: int, at: str, wrong: int) -> None:
        """Fill memory and read it back."""
        thing = self.pick([*self.allocations, *self.opened, *self.mappings], index)
        count = thing.size + (wrong == 1)
        if self.call(thing.owner, "cuMemsetD8", thing.value, value, count, at=at, wrong=wrong):
            room = bytearray(count)
            assert self.call(thing.owner, "cuMemcpyDtoH", room, thing.value, count, at=at, wrong=wrong)
            assert room == bytes([value]) * count

    @precondition(lambda self: self.allocations or self.opened or self.mappings)
    @rule(source=which, goal=which, at=thread, wrong=odd)
    def copy(self, source: int, goal: int, at: str, wrong: int) -> None:
        """Copy between pieces of device memory, of one process mostly."""
        things = [*self.allocations, *self.opened, *self.mappings]
        first = self.pick(things, source)
        second = self.pick([thing for thing in things if thing.owner is first.owner], goal)
        count = max(first.size, second.size) + 1 if wrong == 1 else min(first.size, second.size)
        self.call(first.owner, "cuMemcpyDtoD", second.value, first.value, count, at=at, wrong=wrong)

    @precondition(lambda self: self.allocations or self.opened or self.mappings)
    @rule(index=which, attribute=st.integers(1, 22), at=thread, wrong=odd)
    def look(self, index: int, attribute: int, at: str, wrong: int) -> None:
        """Ask what a pointer points to."""
        thing = self.pick([*self.allocations, *self.opened, *self.mappings], index)
        self.call(thing.owner, "cuPointerGetAttribute", attribute, thing.value, at=at, wrong=wrong)

    @precondition(some("stale"))
    @rule(index=which, name=st.sampled_from(["cuMemFree", "cuIpcCloseMemHandle", "cuMemRelease", "cuCtxSetCurrent"]))
    def use_stale(self, index: int, name: str) -> None:
        """Use what has ended."""
        thing = self.pick(self.stale, index)
        # The address may be somebody else's again.
        if not any(
            thing.value == other.value for other in (*self.allocations, *self.opened, *self.handles, *self.contexts)
        ):
            self.call(thing.owner, name, thing.value)

    @precondition(some("allocations"))
    @rule(index=which, at=thread, wrong=odd)
    def share(self, index: int, at: str, wrong: int) -> None:
        """Ask for an IPC handle."""
        thing = self.pick(self.allocations, index)
        for handle in self.call(thing.owner, "cuIpcGetMemHandle", thing.value, at=at, wrong=wrong):
            self.shares.append(Thing(thing.owner, handle, thing.size))

    @precondition(some("shares"))
    @rule(index=which, who=which, at=thread)
    def open(self, index: int, who: int, at: str) -> None:
        """Open an IPC handle in another process mostly; its allocation may be gone."""
        share = self.pick(self.shares, index)
        process = self.pick([item for item in self.processes if item is not share.owner], who)
        for address in self.call(process, "cuIpcOpenMemHandle", share.value, LAZY, at=at):
            self.opened.append(Thing(process, address, share.size))

    @precondition(some("opened"))
    @rule(index=which, at=thread, wrong=odd)
    def close(self, index: int, at: str, wrong: int) -> None:
        """Close an IPC mapping."""
        thing = self.pick(self.opened, index)
        answer = self.call(thing.owner, "cuIpcCloseMemHandle", thing.value + (wrong == 1), at=at, wrong=wrong)
        self.end_of(self.opened, thing, answer)

    @rule(index=which, count=granules, on=st.integers(0, DEVICES), types=st.sampled_from([POSIX, POSIX, POSIX, 0, 2]))
    def create(self, index: int, count: int, on: int, types: int) -> None:
        """Create memory without an address, on a device or on the host."""
        process = self.pick(self.processes, index)
        for value in self.call(process, "cuMemCreate", count, pinned(on, types) if on < DEVICES else HOST, 0):
            self.handles.append(Thing(process, value, count))

    @rule(index=which, count=granules, alignment=st.sampled_from([0, 0, GRANULE, 4 * GRANULE, 3]))
    def reserve(self, index: int, count: int, alignment: int) -> None:
        """Reserve addresses, twice as many as most memory needs."""
        process = self.pick(self.processes, index)
        for start in self.call(process, "cuMemAddressReserve", 2 * count, alignment, 0, 0):
            self.ranges.append(Thing(process, start, 2 * count))

    @precondition(lambda self: any(h.owner is r.owner for h in self.handles for r in self.ranges))
    @rule(index=which, where=which, behind=st.booleans(), wrong=odd)
    def map(self, index: int, where: int, wrong: int, *, behind: bool) -> None:
        """Map memory into a reservation."""
        pairs = [(h, r) for h in self.handles for r in self.ranges if h.owner is r.owner]
        handle, room = self.pick(pairs, index * 32 + where)
        start = room.value + handle.size * behind + GRANULE * (wrong == 1)
        if self.call(handle.owner, "cuMemMap", start, handle.size, 0, handle.value, 0, wrong=wrong):
            self.mappings.append(Thing(handle.owner, start, handle.size))

    @precondition(some("mappings"))
    @rule(index=which, on=device, flag=st.sampled_from([0, 1, READ_WRITE, READ_WRITE]), wrong=odd)
    def set_access(self, index: int, on: int, flag: int, wrong: int) -> None:
        """Give a device access, or take it."""
        thing = self.pick(self.mappings, index)
        count = thing.size + GRANULE * (wrong == 1)
        self.call(thing.owner, "cuMemSetAccess", thing.value, count, (((1, on), flag),), 1, wrong=wrong)

    @precondition(some("mappings"))
    @rule(index=which, wrong=odd)
    def unmap(self, index: int, wrong: int) -> None:
        """Unmap memory."""
        thing = self.pick(self.mappings, index)
        answer = self.call(thing.owner, "cuMemUnmap", thing.value, thing.size // (1 + (wrong == 1)), wrong=wrong)
        self.end_of(self.mappings, thing, answer)

    @precondition(some("ranges"))
    @rule(index=which, wrong=odd)
    def unmap_all(self, index: int, wrong: int) -> None:
        """Unmap all that is in a reservation."""
        thing = self.pick(self.ranges, index)
        if self.call(thing.owner, "cuMemUnmap", thing.value, thing.size, wrong=wrong):
            end = thing.value + thing.size
            self.mappings = [item for item in self.mappings if not thing.value <= item.value < end]

    @precondition(some("ranges"))
    @rule(index=which, wrong=odd)
    def free_addresses(self, index: int, wrong: int) -> None:
        """Free a reservation."""
        thing = self.pick(self.ranges, index)
        answer = self.call(
            thing.owner, "cuMemAddressFree", thing.value, thing.size + GRANULE * (wrong == 1), wrong=wrong
        )
        self.end_of(self.ranges, thing, answer)

    @precondition(some("handles"))
    @rule(index=which, wrong=odd)
    def release(self, index: int, wrong: int) -> None:
        """Release an allocation handle."""
        thing = self.pick(self.handles, index)
        self.end_of(self.handles, thing, self.call(thing.owner, "cuMemRelease", thing.value, wrong=wrong))

    @precondition(some("mappings"))
    @rule(index=which, wrong=odd)
    def retain(self, index: int, wrong: int) -> None:
        """Retain the handle of a mapping."""
        thing = self.pick(self.mappings, index)
        for value in self.call(thing.owner, "cuMemRetainAllocationHandle", thing.value, wrong=wrong):
            self.handles.append(Thing(thing.owner, value, thing.size))

    @precondition(some("handles"))
    @rule(index=which, wrong=odd)
    def export(self, index: int, wrong: int) -> None:
        """Export an allocation handle."""
        thing = self.pick(self.handles, index)
        self.descriptors += self.call(thing.owner, "cuMemExportToShareableHandle", thing.value, POSIX, 0, wrong=wrong)

    @precondition(some("descriptors"))
    @rule(index=which, who=which)
    def imports(self, index: int, who: int) -> None:
        """Import a descriptor, in whichever process."""
        process = self.pick(self.processes, who)
        descriptor = self.pick(self.descriptors, index)
        for value in self.call(process, "cuMemImportFromShareableHandle", descriptor, POSIX):
            self.handles.append(Thing(process, value, process.handles[value].physical.size))

    @precondition(some("descriptors"))
    @rule(index=which)
    def close_descriptor(self, index: int) -> None:
        """Close a descriptor; the last one may free the memory."""
        os.close(self.descriptors.pop(index % len(self.descriptors)))

    @invariant()
    def whole(self) -> None:
        """References, accounts and tables agree."""
        self.machine.check_invariants()

    def teardown(self) -> None:
        """When all processes have ended and all descriptors are closed, nothing is left."""
        for process in self.processes:
            process.exit()
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.machine.exchange.reap()
        self.machine.check_invariants()
        assert [item.memory.used for item in (*self.machine.devices, self.machine.host)] == [0] * (DEVICES + 1)
        self.machine.close()


TestCalls = Calls.TestCase
TestCalls.settings = settings(max_examples=60, stateful_step_count=50)
