"""A state machine over HIP on its model, with invariants after every step.

Two processes make mostly valid calls, with what they hold: memory, opened handles, reservations, mappings, pools, streams,
events. Now and then an argument is a step from valid: null, freed, a device that is not there, another flag.
"""

# ruff: noqa: D102 - a rule is named after what it does

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

import hypothesis.strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

import fakecuda
from conformance.cases.hip.fixtures import HERE, READ_WRITE, G, prop
from fakecuda.rules.registry import HIP

who = st.sampled_from("ab")
pick = st.integers(0, 15)
device = st.sampled_from((0, 0, 0, 1, 2))
flags = st.sampled_from((0, 0, 0, 1))
bad = st.sampled_from((False, False, False, True))
SIZES = (1, 4096, G, 0, 1 << 50)
KEPT = 4
"""The maximum number of objects of a kind in a process."""
FURNITURE: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
    ("memory", "Malloc", (4096,)),
    ("reserved", "MemAddressReserve", (2 * G, 0, 0, 0)),
    ("handles", "MemCreate", (G, prop(), 0)),
    ("pools", "MemPoolCreate", ((1, 1, (1, 0), 0, 0),)),
    ("streams", "StreamCreateWithFlags", (1,)),
    ("events", "EventCreateWithFlags", (0,)),
)
"""Initial objects of populated processes."""


class HipCalls(RuleBasedStateMachine):
    """The calls, for the HIP of a profile.

    Attributes:
        profile: The profile's name.
        reached: How often each rule was broken, by its id.
    """

    profile: ClassVar[str] = "hip-clr-2026"
    reached: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.machine = fakecuda.Machine(self.profile, strict=False, seed=0)
        self.processes = {name: self.machine.spawn() for name in "ab"}
        self.held: dict[str, dict[str, list[Any]]] = {name: {} for name in "ab"}
        self.shared: list[tuple[str, bytes]] = []
        for name in "ab":
            self.call(name, "Init", 0)

    @initialize(populated=st.booleans())
    def populate(self, *, populated: bool) -> None:
        """Give the processes objects of every kind, or nothing."""
        for name in "ab" if populated else "":
            for kind, call, args in FURNITURE:
                self.make(name, kind, call, *args)
            self.call(name, "MemMap", self.some(name, "reserved", 0), G, 0, self.some(name, "handles", 0), 0)
            self.share(name, 0, missing=False)
            self.use_device(name, 1)
            self.make_stream(name, 1)
            self.use_device(name, 0)

    def call(self, process: str, name: str, *args: Any) -> tuple[Any, ...]:
        """Make a call; check the machine, unchanged if the call failed early."""
        op, subject = HIP.ops[f"hip{name}"], self.processes[process]
        thread = subject.current_thread()
        before, began = self.machine.snapshot(), (len(subject.contexts), list(thread.stack))
        answer: tuple[Any, ...] = getattr(subject.c, op.name)(*args)
        self.machine.check_invariants()
        if answer[0]:
            broken = self.machine.log[-1].rule
            assert broken in op.rules
            self.reached[broken.id] += 1
            # The first call that needs a context makes it, whatever comes of the call, and has it current for the driver's.
            acted = broken in op.acts_before or (len(subject.contexts), thread.stack) != began
            assert acted or self.machine.snapshot() == before, f"{op.name} failed and changed the machine"
        return answer

    def make(self, process: str, kind: str, name: str, *args: Any) -> None:
        """Make a call, and keep its result."""
        held = self.held[process].setdefault(kind, [])
        if len(held) < KEPT:
            code, *results = self.call(process, name, *args)
            if code == 0 and results[0] and results[0] not in held:
                held.append(results[0])

    def end(self, process: str, kind: str, index: int, name: str, *args: Any, missing: bool) -> None:
        """Make a call that destroys an object, and forget it."""
        value = self.some(process, kind, index, missing=missing)
        if self.call(process, name, value, *args)[0] == 0 and value:
            self.held[process][kind].remove(value)

    def some(self, process: str, kind: str, index: int, *, missing: bool = False) -> int:
        """Return an object of a process; 0 if it is missing, or should be."""
        found = self.held[process].get(kind, [])
        return 0 if missing or not found else int(found[index % len(found)])

    @rule(process=who, number=device)
    def use_device(self, process: str, number: int) -> None:
        self.call(process, "SetDevice", number)

    @rule(process=who, size=st.sampled_from(SIZES))
    def allocate(self, process: str, size: int) -> None:
        self.make(process, "memory", "Malloc", size)

    @rule(process=who, index=pick, missing=bad)
    def free(self, process: str, index: int, *, missing: bool) -> None:
        self.end(process, "memory", index, "Free", missing=missing)

    @rule(
        process=who, index=pick, other=pick, size=st.sampled_from((0, 1, 64, 1 << 30)), kind=st.sampled_from((4, 3, 9))
    )
    def copy(self, process: str, index: int, other: int, size: int, kind: int) -> None:
        places = [self.some(process, "memory", one) for one in (index, other)]
        self.call(process, "Memcpy", *places, size, kind)
        self.call(process, "Memset", places[0], 7, size)

    @rule(process=who, kind=st.sampled_from((0, 1, 3, 4)))
    def copy_on_the_host(self, process: str, kind: int) -> None:
        place = self.processes[process].host_memory(4096)
        self.call(process, "Memcpy", place, place + 64, 64, kind)

    @rule(process=who, index=pick, missing=bad)
    def share(self, process: str, index: int, *, missing: bool) -> None:
        pointer = self.some(process, "memory", index, missing=missing)
        code, handle = self.call(process, "IpcGetMemHandle", pointer)
        if code == 0:
            self.shared.append((process, handle))

    @rule(process=who, index=pick, flag=st.sampled_from((1, 1, 1, 0)))
    def open(self, process: str, index: int, flag: int) -> None:
        handles = [handle for _, handle in self.shared] or [bytes(64)]
        self.make(process, "opened", "IpcOpenMemHandle", handles[index % len(handles)], flag)

    @rule(process=who, index=pick, missing=bad)
    def close(self, process: str, index: int, *, missing: bool) -> None:
        self.end(process, "opened", index, "IpcCloseMemHandle", missing=missing)

    @rule(process=who, number=device, flag=flags, enable=st.booleans())
    def peer(self, process: str, number: int, flag: int, *, enable: bool) -> None:
        if enable:
            self.call(process, "DeviceEnablePeerAccess", number, flag)
        else:
            self.call(process, "DeviceDisablePeerAccess", number)

    @rule(process=who, size=st.sampled_from((G, 2 * G, 1, 0)), flag=flags)
    def reserve(self, process: str, size: int, flag: int) -> None:
        self.make(process, "reserved", "MemAddressReserve", size, 0, 0, flag)

    @rule(process=who, index=pick, missing=bad)
    def free_reservation(self, process: str, index: int, *, missing: bool) -> None:
        self.end(process, "reserved", index, "MemAddressFree", G, missing=missing)

    @rule(process=who, size=st.sampled_from((G, G, 1, 0, 1 << 50)), number=device)
    def create(self, process: str, size: int, number: int) -> None:
        self.make(process, "handles", "MemCreate", size, prop(number=number), 0)

    @rule(process=who, index=pick, missing=bad)
    def release(self, process: str, index: int, *, missing: bool) -> None:
        self.end(process, "handles", index, "MemRelease", missing=missing)

    @rule(process=who, index=pick, other=pick, size=st.sampled_from((G, G, G, 2 * G, 1)), offset=flags)
    def map(self, process: str, index: int, other: int, size: int, offset: int) -> None:
        place, handle = self.some(process, "reserved", index), self.some(process, "handles", other)
        self.call(process, "MemMap", place, size, offset, handle, 0)

    @rule(process=who, index=pick, number=device, access=st.sampled_from((READ_WRITE, READ_WRITE, 1, 0, 7)))
    def grant(self, process: str, index: int, number: int, access: int) -> None:
        place = self.some(process, "reserved", index)
        self.call(process, "MemSetAccess", place, G, (((1, number), access),), 1)
        self.call(process, "MemGetAccess", HERE, place)

    @rule(process=who, index=pick, size=st.sampled_from((G, G, 1)))
    def unmap(self, process: str, index: int, size: int) -> None:
        self.call(process, "MemUnmap", self.some(process, "reserved", index), size)

    @rule(process=who, number=device)
    def make_pool(self, process: str, number: int) -> None:
        self.make(process, "pools", "MemPoolCreate", (1, 1, (1, number), 0, 0))

    @rule(process=who, index=pick, missing=bad)
    def destroy_pool(self, process: str, index: int, *, missing: bool) -> None:
        self.end(process, "pools", index, "MemPoolDestroy", missing=missing)

    @rule(process=who, index=pick, other=pick, size=st.sampled_from(SIZES), missing=bad)
    def allocate_of_a_pool(self, process: str, index: int, other: int, size: int, *, missing: bool) -> None:
        pool, stream = self.some(process, "pools", index, missing=missing), self.some(process, "streams", other)
        self.make(process, "pooled", "MallocFromPoolAsync", size, pool, stream)

    @rule(process=who, index=pick, other=pick, missing=bad)
    def free_of_a_pool(self, process: str, index: int, other: int, *, missing: bool) -> None:
        self.end(process, "pooled", index, "FreeAsync", self.some(process, "streams", other), missing=missing)

    @rule(process=who, flag=st.sampled_from((0, 1, 2)))
    def make_stream(self, process: str, flag: int) -> None:
        self.make(process, "streams", "StreamCreateWithFlags", flag)

    @rule(process=who, index=pick, missing=bad)
    def destroy_stream(self, process: str, index: int, *, missing: bool) -> None:
        self.end(process, "streams", index, "StreamDestroy", missing=missing)

    @rule(process=who, flag=st.sampled_from((0, 2, 6, 4)))
    def make_event(self, process: str, flag: int) -> None:
        self.make(process, "events", "EventCreateWithFlags", flag)

    @rule(process=who, index=pick, other=pick, missing=bad)
    def use_event(self, process: str, index: int, other: int, *, missing: bool) -> None:
        event, stream = self.some(process, "events", index, missing=missing), self.some(process, "streams", other)
        self.call(process, "EventRecord", event, stream)
        self.call(process, "StreamWaitEvent", stream, event, 0)
        self.call(process, "EventQuery", event)

    @rule(process=who, index=pick, missing=bad)
    def destroy_event(self, process: str, index: int, *, missing: bool) -> None:
        self.end(process, "events", index, "EventDestroy", missing=missing)

    @rule(process=who, number=device, push=st.booleans())
    def context(self, process: str, number: int, *, push: bool) -> None:
        self.make(process, "contexts", "DevicePrimaryCtxRetain", number)
        if push:
            self.call(process, "CtxPushCurrent", self.some(process, "contexts", number))
        else:
            self.call(process, "CtxPopCurrent")

    @rule(process=who)
    def reset(self, process: str) -> None:
        self.call(process, "DeviceReset")
        for kind in ("memory", "opened", "streams", "events", "pooled"):
            self.held[process].pop(kind, None)

    def teardown(self) -> None:
        """End the processes."""
        for process in self.processes.values():
            process.kill()
        self.machine.check_invariants()
        self.machine.close()


def machine_of(profile: str) -> type[HipCalls]:
    """Return the state machine of a HIP."""
    return type("HipCallsOf", (HipCalls,), {"profile": profile, "reached": Counter()})
