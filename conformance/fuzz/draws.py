"""Any call with arguments drawn by what its parameters are: mostly legal ones, often one that is a step from legal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import hypothesis.strategies as st
from hypothesis.stateful import rule

from conformance.fuzz.arguments import Arguments
from conformance.fuzz.choices import (
    CONTEXTS,
    DEVICE_MEMORY,
    DEVICES,
    EVENTS,
    HOST_MEMORY,
    LATE,
    MEMORY_POOLS,
    MOST,
    NEEDS_RESULTS,
    PAGE,
    STREAMS,
    VIRTUAL_MEMORY,
)
from conformance.fuzz.lockstep import Lockstep
from conformance.kit.program import FORKED, MAIN
from conformance.kit.world import POSIX
from fakecuda.spec.both import CALLS

if TYPE_CHECKING:
    from collections.abc import Sequence

Line = tuple[str, str, str, list[int], int | None, bool]
"""Process, thread, call, a number for each argument, the one that is wrong or None, and whether a result is null."""


def several(calls: Sequence[str]) -> st.SearchStrategy[list[Line]]:
    """Return the strategy of a few lines with some of these calls."""
    line = st.tuples(
        st.sampled_from(("a", "a", "a", "b", "b", "b", LATE)),
        st.sampled_from((*[MAIN] * 12, "second", FORKED)),
        st.sampled_from(calls),
        st.lists(st.integers(0, 15), min_size=MOST, max_size=MOST),
        st.one_of(st.none(), st.integers(0, MOST)),
        st.sampled_from((*[False] * 11, True)),
    )
    return st.lists(line, min_size=2, max_size=8)


class Drawn(Lockstep, Arguments):
    """Any call that takes plain arguments, with what the process holds."""

    @rule(process=st.sampled_from(("a", "b")), pages=st.sampled_from((1, 2)))
    def plain_memory(self, process: str, pages: int) -> None:
        """Make memory of the host that can be registered."""
        self.model.host_memory(process, pages * PAGE)
        self.follow()

    @rule(lines=several(DEVICES))
    def devices(self, lines: list[Line]) -> None:
        """Ask what the driver and the devices are."""
        self.make(lines)

    @rule(lines=several(CONTEXTS))
    def contexts(self, lines: list[Line]) -> None:
        """Ask and set what contexts have."""
        self.make(lines)

    @rule(lines=several(HOST_MEMORY))
    def host_memory(self, lines: list[Line]) -> None:
        """Make pinned, managed and registered memory, and ask of pointers."""
        self.make(lines)

    @rule(lines=several(DEVICE_MEMORY))
    def device_memory(self, lines: list[Line]) -> None:
        """Make linear memory, copy and fill."""
        self.make(lines)

    @rule(lines=several(EVENTS))
    def events(self, lines: list[Line]) -> None:
        """Make and use events."""
        self.make(lines)

    @rule(lines=several(STREAMS))
    def streams(self, lines: list[Line]) -> None:
        """Make streams and give them work."""
        self.make(lines)

    @rule(lines=several(VIRTUAL_MEMORY))
    def virtual_memory(self, lines: list[Line]) -> None:
        """Reserve, create and map."""
        self.make(lines)

    @rule(lines=several(MEMORY_POOLS))
    def memory_pools(self, lines: list[Line]) -> None:
        """Make pools, allocate in the order of streams, share."""
        self.make(lines)

    @rule(process=st.sampled_from(("a", "b")), other=st.booleans())
    def shared_pool(self, process: str, *, other: bool) -> None:
        """Share a new pool and memory of it, with another process or the same."""
        made = self.call(process, MAIN, "cuMemPoolCreate", (1, POSIX, (1, 0), 0, 0, 0, 0))
        pointer = made and self.call(process, MAIN, "cuMemAllocFromPoolAsync", PAGE, made, 0)
        if pointer:
            self.known[process].dead.clear()
            descriptor = self.call(process, MAIN, "cuMemPoolExportToShareableHandle", made, POSIX, 0)
            data = self.call(process, MAIN, "cuMemPoolExportPointer", pointer)
            importer = {"a": "b", "b": "a"}[process] if other else process
            into = self.call(importer, MAIN, "cuMemPoolImportFromShareableHandle", descriptor, POSIX, 0)
            self.model.close_descriptor(descriptor)
            self.follow()
            self.known[importer].dead.clear()
            self.call(importer, MAIN, "cuMemPoolImportPointer", into, data)

    def make(self, lines: list[Line]) -> None:
        """Make calls; of each one argument may be wrong, or the first result pointer null."""
        for process, on, call, draws, wrong, null in lines:
            if process == LATE and LATE not in self.model.processes:
                self.model.spawn(LATE)
                self.follow()
            values = self.arguments(
                process,
                call,
                draws,
                wrong % len(CALLS[call].inputs) if wrong is not None and CALLS[call].inputs else MOST,
            )
            if values is not None:
                results = [param.name for param in CALLS[call].outputs]
                left_out = results[0] if null and results and call not in NEEDS_RESULTS else ""
                made = self.call(process, on, call, *values, null=left_out)
                if made is not None and CALLS[call].acquires and process in self.known:
                    self.known[process].dead.clear()  # it may lie where something was
                if made is not None and process in self.known:
                    self.refresh(process)

    def refresh(self, process: str) -> None:
        """Forget what a drawn call has ended."""
        known, state = self.known[process], self.model.processes[process]
        known.handles = [one for one in known.handles if one[0] in state.handles and state.handles[one[0]].references]
        known.mapped = [one for one in known.mapped if state.memory.at(one.pointer) is not None]
        known.reserved = [one for one in known.reserved if state.reservations.at(one.pointer) is not None]

    def dead(self, process: str) -> Sequence[int]:
        """Return addresses that name nothing any more in a process."""
        return self.known[process].dead if process in self.known else ()
