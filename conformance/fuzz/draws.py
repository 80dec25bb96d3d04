"""Any call with arguments drawn by what its parameters are: mostly legal ones, often one that is a step from legal.

The legal and the illegal values of a parameter stand in a table by its call and name, else by its C type. What a
process holds (contexts, events, addresses) comes from the names that the program has given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import hypothesis.strategies as st
from hypothesis.stateful import rule

from conformance.fuzz.choices import (
    BY_TYPE,
    CHOICES,
    CONTEXTS,
    DEFAULT_STREAMS,
    DEVICE_MEMORY,
    DEVICES,
    EVENTS,
    HOST_MEMORY,
    KEEPS_DEAD_CONTEXTS,
    LATE,
    MEMORY_POOLS,
    MOST,
    NEEDS_RESULTS,
    NOWHERE,
    PAGE,
    POOLED,
    RANGES,
    STREAMS,
    TRUSTED,
    VIRTUAL_MEMORY,
)
from conformance.fuzz.lockstep import SAFE_DEAD, Lockstep
from conformance.kit.names import ADDRESSES, kind_of
from conformance.kit.program import FORKED, MAIN
from conformance.kit.world import POSIX
from fakecuda.api.both import CALLS, ENUMS
from fakecuda.model.memory import Managed
from fakecuda.model.pool import Pooled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.kit.names import Name
    from fakecuda.api.description import Param

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


class Drawn(Lockstep):
    """Any call that takes plain arguments, with what the process holds.

    Attributes:
        trusted: More calls that take an address which is none of a device's for one of the host.
    """

    trusted: ClassVar[frozenset[str]] = frozenset()

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

    def arguments(self, process: str, call: str, draws: list[int], wrong: int) -> tuple[Any, ...] | None:
        """Return arguments of a call, or None where the process holds nothing that it could be given.

        Args:
            process: The calling process.
            call: The call.
            draws: A number for each parameter: which of its values.
            wrong: The parameter that gets an illegal value; one that there is not leaves all of them legal.
        """
        values = []
        for index, (param, draw) in enumerate(zip(CALLS[call].inputs, draws, strict=False)):
            legal, illegal = self._choices(process, call, param)
            chosen = illegal if index == wrong else legal
            if not chosen:
                return None
            values.append(chosen[draw % len(chosen)])
        return tuple(values)

    def _choices(self, process: str, call: str, param: Param) -> tuple[Sequence[Any], Sequence[Any]]:
        """Return the legal and the illegal values of a parameter."""
        if (call, param.name) in CHOICES:
            return CHOICES[call, param.name]
        if param.type in BY_TYPE:
            return BY_TYPE[param.type]
        if param.type in ENUMS:
            return sorted(set(ENUMS[param.type].values())), (9999,)
        kind = kind_of(call, param, {})
        assert isinstance(kind, str)
        kinds = ADDRESSES if kind in ADDRESSES else (kind,)
        held = [
            name.value
            for name in self.model.names.by_text.values()
            if name.kind in kinds and self._names(process, call, name)
        ]
        if kind == "ipc":
            return held, (bytes(64),)
        if kind == "stream":
            return held if call in {"cuStreamDestroy", "cudaStreamDestroy"} else (
                *DEFAULT_STREAMS,
                *held,
            ), DEFAULT_STREAMS
        if kind == "pooldata":
            return held, (None,)
        if kind == "ctx" and call in KEEPS_DEAD_CONTEXTS:
            return held, (0, *self.model.processes[process].dead_contexts)
        if kind in ADDRESSES:
            dead = self.known[process].dead if call in SAFE_DEAD and process in self.known else []
            if not held and call == "cuMemGetHandleForAddressRange":
                held = [NOWHERE]  # it looks at the address last
            if call in RANGES:
                memory = self.model.processes[process].memory
                others, held = held, [one for one in held if isinstance(memory.at(int(one)), Managed)]
                return held, (0, *others)
            return held, (0, *dead, *[int(value) + 1 for value in held[:2] if call not in TRUSTED | self.trusted])
        return held, (0,)

    def _names(self, process: str, call: str, name: Name) -> bool:
        """Return whether a name stands for something that a process holds: the driver follows all else."""
        if not name.live or name.process not in {"", process}:
            return False
        state = self.model.processes[process]
        if name.kind == "ctx":
            return name.value in state.contexts
        if name.kind in {"event", "stream"}:
            return name.value in (state.events if name.kind == "event" else state.streams)
        if name.kind == "pool":
            return name.value in state.pools
        if name.kind == "pooldata":
            return any(data == name.value and item.live for data, item in self.machine.pool_shares.items())
        if call in POOLED or call == "cudaFreeAsync":
            memory = state.memory.at(name.value)
            return isinstance(memory, Pooled) and memory.start == name.value and not memory.importers
        if name.kind == "handle":
            return name.value in state.handles and state.handles[name.value].references > 0
        if name.kind == "va":
            return call not in TRUSTED | self.trusted and state.reservations.at(name.value) is not None
        return name.kind not in ADDRESSES or name.kind == "host" or state.memory.at(name.value) is not None
