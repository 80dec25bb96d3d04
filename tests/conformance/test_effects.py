"""Effects, in recorded programs: each object is made and ended by one of them, and nothing is changed before the first.

What is proven of each effect by itself is in ``tests/model/test_effect.py``.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from attrs import evolve

from conformance.kit.program import Recorder
from conformance.record.recordings import files
from conformance.record.replay import recording
from fakecuda import Machine, profiles
from fakecuda.model.call import under_way
from fakecuda.model.code.module import Function, Kernel
from fakecuda.model.effect import watched
from fakecuda.model.graph.conditional import Condition
from fakecuda.model.graph.graph import Node
from fakecuda.model.graph.graph_memory import Planned
from fakecuda.model.graph.user_object import UserObject
from fakecuda.model.memory.array import Array
from fakecuda.model.memory.memory import Mapped
from fakecuda.model.snapshot import snapshot
from fakecuda.rules.registry import FORMS, OPS
from fakecuda.spec.codes import HANG
from tests.each import each
from tests.rotation import part

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conformance.kit.program import Program
    from fakecuda.model.effect import Act
    from fakecuda.model.os.process import Process
    from fakecuda.profiles import Profile

HOSTED = {"cuLaunchHostFunc", "cuStreamAddCallback", "cudaLaunchHostFunc", "cudaStreamAddCallback"}
"""Calls after which another thread of the OS acts at any time."""
NOTICED = "exchange.Exchange.reap"
"""The effect that notices closed descriptors, also before each snapshot."""
PATHS = [path for path in files() if path.name.startswith(("cases", "machine", "questions", "runtime"))]
PARTS = 3
"""One recording in this many has its snapshots compared by a commit."""


class Stop(Exception):  # noqa: N818 - no error
    """An effect must not act."""


def is_part(item: Any) -> bool:
    """Return whether it ends with what it is of, a graph, a module, a library, a mipmapped array, host memory, or with a last reference."""
    return isinstance(item, Condition | Function | Kernel | Mapped | Node | Planned | UserObject) or (
        isinstance(item, Array) and item.level_of is not None
    )


def objects(process: Process) -> Iterator[Any]:
    """Yield what a process has."""
    for table in (process.contexts, process.events, process.streams, process.handles, process.pools.live):
        yield from table.values()
    for others in (process.arrays, process.graphs, process.loaded):
        yield from (one for one in others.values() if not is_part(one))
    yield from (one for one in process.memory if not is_part(one))
    yield from process.reservations


class WaitGraph:
    """The objects that exist, by the effects so far.

    Args:
        machine: The machine.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.live: dict[int, Any] = {}

    def before(self, act: Act) -> None:
        """Count what ends with a process."""
        if act.effect.ends == "process" and self.counts(process := act.arguments["process"]):
            for item in objects(process):
                del self.live[id(item)]

    def after(self, act: Act) -> None:
        """Count what an effect has made and ended."""
        for item in filter(self.counts, act.made):
            assert type(item).__name__ == act.effect.makes
            assert id(item) not in self.live, f"{act.effect.name} makes {item}, which is there"
            self.live[id(item)] = item
        for item in filter(self.counts, act.ended if act.effect.ends != "process" else ()):
            assert self.live.pop(id(item), None) is item, f"{act.effect.name} ends {item}, which is not there"

    def counts(self, item: Any) -> bool:
        """Return whether it is whole, and no fork's, which begins with copies."""
        if is_part(item):
            return False
        process = getattr(getattr(item, "context", item), "process", item)
        return not hasattr(process, "contexts") or process in self.machine.processes.values()

    def check(self) -> None:
        """Check that it is what the machine has."""
        assert self.live == {id(one): one for process in self.machine.processes.values() for one in objects(process)}


def profile_of(path: Path) -> Profile:
    """Return the profile of a recording."""
    found = recording(path)
    assert not isinstance(found, Exception)
    return profiles.load(found.profile())


@cache
def rich(path: Path) -> Program:
    """Return the program of a recording that makes the most kinds of calls.

    In it no function of the host is called, if the recording has such a program. The program ends before a call that waits
    while others are made.
    """
    found = recording(path)
    assert not isinstance(found, Exception)
    calls = [{step["call"] for step in program.steps} for program in found.programs]
    waits = [any("begun" in step for step in program.steps) for program in found.programs]
    best = max(range(len(calls)), key=lambda one: (not calls[one] & HOSTED, not waits[one], len(calls[one])))
    program = found.programs[best]
    end = next((place for place, step in enumerate(program.steps) if "begun" in step), None)
    return evolve(program, steps=program.steps[:end], answers=program.answers[:end])


def steps(machine: Machine, program: Program) -> Iterator[tuple[Recorder, dict[str, Any]]]:
    """Yield the steps of a program that come to an end, with what runs them."""
    recorder = Recorder(machine, program.name, program.origin)
    try:
        for step, known in zip(program.steps, program.answers, strict=True):
            if known["code"] != HANG:
                yield recorder, step
    finally:
        recorder.close()


@each("path", PATHS)
def test_each_object_is_made_and_ended_by_one_effect(path: Path) -> None:
    """After each step the machine has what effects have made and not ended."""
    with Machine(profile_of(path), strict=False, seed=0) as machine:
        census = WaitGraph(machine)
        with watched(census.before, census.after):
            for recorder, step in steps(machine, rich(path)):
                recorder.run(step)
                census.check()


@each("path", part(PATHS, PARTS))
def test_nothing_is_changed_before_the_first_effect(path: Path) -> None:
    """A call that is stopped there leaves the machine as it was; made again, it does what it would have done."""
    stopping = False

    def before(act: Act) -> None:
        if stopping and act.outer is None and act.effect.name != NOTICED and under_way() is not None:
            if "file" in act.arguments:
                act.arguments["file"].close()  # as the effect does
            raise Stop

    with Machine(profile_of(path), strict=False, seed=0) as machine, watched(before):
        for recorder, step in steps(machine, rich(path)):
            was = snapshot(machine)
            stopping = True
            try:
                recorder.run(step)
            except Stop:
                assert snapshot(machine) == was, step
                stopping = False
                recorder.run(step)
            stopping = False


@each("path", PATHS)
def test_a_call_of_the_driver_has_one_effect(path: Path) -> None:
    """So that it happens whole or not at all when its effect does; what it is made of is inside."""
    own: list[str] = []

    def after(act: Act) -> None:
        if act.outer is None and not act.effect.beside and under_way() is not None:
            own.append(act.effect.name)

    with Machine(profile_of(path), strict=False, seed=0) as machine, watched(after=after):
        for recorder, step in steps(machine, rich(path)):
            own.clear()
            recorder.run(step)
            call = step["call"]
            through = call in FORMS.ops or call.startswith(("cuda", "hip"))
            assert len(own) < 2 or through or OPS[call].several, (step, own)
