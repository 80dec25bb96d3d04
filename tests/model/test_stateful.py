"""Several processes, any calls in any order: the machine stays whole, and a call that fails changes nothing."""

from __future__ import annotations

import os

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from .drawn_processes import DEVICES, Processes, Thing, device, some, which
from .world import GRANULE, LAZY, POSIX, READ_WRITE, pinned

HOST = (1, 0, (2, 0), 0, (0, 0, 0))
odd = st.integers(0, 15)
"""The error in a call: 0 another process, 1 a neighbouring argument, else none."""
thread = st.sampled_from(["t0", "t0", "t0", "t1"])
size = st.sampled_from([1, 512, 513, 4096, 1 << 20, (1 << 20) + 1, GRANULE, 5 * GRANULE])
granules = st.sampled_from([1, 1, 1, 2, 4]).map(lambda count: count * GRANULE)


class Calls(Processes):
    """Calls on contexts, memory and addresses, by any process with any arguments."""

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


TestCalls = Calls.TestCase
TestCalls.settings = settings(max_examples=60, stateful_step_count=50)
