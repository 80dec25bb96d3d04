"""Processes of a state machine with their objects, and the machine's invariants."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from attrs import frozen
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from fakecuda import Machine, UndefinedBehaviour
from fakecuda.model.os.process import NOT_INITIALIZED
from fakecuda.rules.registry import DRIVER

from .world import GRANULE, POSIX, READ_WRITE, pinned, small

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Process

CARD = 16 * GRANULE
PROCESSES = 4
DEVICES = 2
which = st.integers(0, 31)
"""The index of an object, counted from the newest."""
device = st.integers(0, DEVICES - 1)


@frozen
class Thing:
    """An object that a call has made.

    Attributes:
        owner: The process that it belongs to.
        value: A handle or an address.
        size: Bytes, where it has a size.
    """

    owner: Process
    value: Any
    size: int = 0


def some(name: str) -> Callable[[Processes], bool]:
    """Return the precondition that there are things of a kind."""
    return lambda self: bool(getattr(self, name))


class Processes(RuleBasedStateMachine):
    """Processes with two threads each on two small cards, and their objects."""

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
