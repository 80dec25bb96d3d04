"""Rules of the state machine for multicast objects, on the model only."""

# ruff: noqa: D102 - a rule is named after what it does

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis.stateful import rule

from conformance.drawing.drawing import PROCESSES
from conformance.fuzz.lockstep import Lockstep
from conformance.kit.program import MAIN
from conformance.kit.world import GRANULE, POSIX, pinned

SIZE = 2 * GRANULE
MANY = 3

who = st.sampled_from(PROCESSES)
pick = st.integers(0, 15)
offset = st.sampled_from((0, 0, GRANULE, SIZE, 1))
size = st.sampled_from((GRANULE, GRANULE, SIZE, 0, 1))


class Teams(Lockstep):
    """Multicast objects of both processes, without calls that wait for devices."""

    def teams(self, process: str) -> list[tuple[int, bool]]:
        """Return the handles of a process's multicast objects, with complete or not."""
        held = self.model.processes[process].handles.values()
        return [(one.value, one.physical.complete) for one in held if one.references and hasattr(one.physical, "team")]

    @rule(
        process=who,
        devices=st.sampled_from((1, 1, 1, 2, 2, 0, 99)),
        granules=st.sampled_from((2, 2, 2, 2, 0)),
        types=st.sampled_from((POSIX, POSIX, POSIX, 0, 0, 2, 8)),
        flags=st.sampled_from((0, 0, 0, 0, 1)),
        joined=st.sampled_from((True, True, False)),
    )
    def team(self, process: str, devices: int, granules: int, types: int, flags: int, *, joined: bool) -> None:
        if len(self.teams(process)) < MANY:
            self.call(process, MAIN, "cuMulticastGetGranularity", (devices, 0, types, flags), flags)
            made = self.call(process, MAIN, "cuMulticastCreate", (devices, granules * GRANULE, types, flags))
            for device in range(devices if made and joined else 0):
                self.call(process, MAIN, "cuMulticastAddDevice", made, device)

    @rule(process=who, index=pick, device=st.sampled_from((0, 1, 0, 1, -1, 99)))
    def join(self, process: str, index: int, device: int) -> None:
        one = self.some(self.teams(process), index)
        if one is not None:
            self.call(process, MAIN, "cuMulticastAddDevice", one[0], device)

    @rule(process=who, index=pick, number=st.sampled_from((0, 1)), start=offset, other=offset, length=size)
    def bind(self, process: str, index: int, number: int, start: int, other: int, length: int) -> None:
        one = self.some([handle for handle, complete in self.teams(process) if complete], index)
        if one is not None:
            memory = self.call(process, MAIN, "cuMemCreate", SIZE, pinned(number, POSIX * (index % 4 > 0)), 0)
            if memory:
                self.call(process, MAIN, "cuMulticastBindMem", one, start, memory, other, length, int(index > 13))
                self.call(process, MAIN, "cuMulticastBindMem", one, start, one, 0, GRANULE, 0)
                self.call(process, MAIN, "cuMemRelease", memory)

    @rule(process=who, index=pick, start=offset, length=size)
    def bind_address(self, process: str, index: int, start: int, length: int) -> None:
        one = self.some([handle for handle, complete in self.teams(process) if complete], index)
        memory = self.model.processes[process].memory
        held = [
            name.value for name in self.model.names.by_text.values() if (name.kind, name.process) == ("va", process)
        ]
        place = self.some([value for value in held if memory.at(int(value)) is not None], index)
        if one is not None and place is not None:
            self.call(process, MAIN, "cuMulticastBindAddr", one, start, place, length, 0)

    @rule(process=who, index=pick, device=st.sampled_from((0, 0, 1, 99)))
    def unbind(self, process: str, index: int, device: int) -> None:
        one = self.some(self.teams(process), index)
        if one is not None:
            bound = self.model.processes[process].handles[one[0]].physical.bindings
            there = self.some(bound, index)
            if there is not None:
                self.call(process, MAIN, "cuMulticastUnbind", one[0], device, there.start + index // 15, there.size)

    @rule(process=who, index=pick)
    def end(self, process: str, index: int) -> None:
        one = self.some(self.teams(process), index)
        if one is not None:
            self.call(process, MAIN, "cuMemRelease", one[0])
