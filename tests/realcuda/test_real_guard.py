"""Multicast calls do not reach a real driver unless the person running says so, whoever makes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from conformance.fuzz.machine import machine_on
from conformance.kit.case import ENTRIES
from conformance.kit.program import Program, Recorder, run
from conformance.kit.world import Session, Unavailable
from conformance.record.recorder import load_cases
from conformance.record.recording_plan import cases_of
from conformance.targets.target import Target
from fakecuda.profiles import load
from fakecuda.reach.bindings.driver import FUNCTIONS
from fakecuda.spec.driver import CALLS
from fakecuda.spec.symbols import symbols
from realcuda import Machine
from realcuda.guard import GUARDED, OPTION, guarded
from tests.each import hold
from tests.limits import LONG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.kit.program import Step
    from realcuda import Process

MULTICAST = sorted(name for name in CALLS if re.search("multicast|logicalendpoint", name, re.IGNORECASE))


def inputs(call: str) -> list[object]:
    """Return nulls for the inputs of a call."""
    return [None if param.kind == "struct" else 0 for param in CALLS[call].inputs]


@pytest.fixture
def allowed(stub: str) -> Iterator[Process]:
    """Return a process of a machine that makes these calls."""
    with Machine(library=stub, limit=LONG, allow_multicast=True, warm=1) as machine:
        yield machine.spawn()


def test_every_such_call_is_known() -> None:
    """Whatever the library calls it."""
    assert [name for name in MULTICAST if not guarded(name)] == []
    assert {"cuMulticastUnbind", "cuMulticastGetGranularity", "cuMulticastBindMem_v2"} <= set(MULTICAST)
    assert all(guarded(one.name) for one in symbols() if one.base.startswith(GUARDED))


@pytest.mark.parametrize("warm", [0, 1])
def test_the_child_refuses(warm: int, stub: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call, in C, through the bindings and in a fork; the environment allows nothing."""
    monkeypatch.setenv("REALCUDA_ALLOW_MULTICAST", "1")
    with Machine(library=stub, limit=LONG, warm=warm) as machine:
        process = machine.spawn()
        doors = process.c, process.thread("other").c, process.forked
        hold(["call"], MULTICAST, _refused, process=process, doors=doors)
        assert process.c.cuInit(0) == (0,)


def _refused(call: str, process: Process, doors: tuple[Any, ...]) -> None:
    told = f"{call}.* can put the GPUs of a shared host out of service.*{OPTION}"
    for door in doors if call.startswith("cuMulticast") else ():
        with pytest.raises(PermissionError, match=told):
            getattr(door, call)(*inputs(call))
    if call in FUNCTIONS:  # of the installed release
        with pytest.raises(PermissionError, match=told):
            getattr(process.driver, call)()


def test_an_explicit_word_lets_them_through(allowed: Process) -> None:
    """Then the driver is asked."""
    assert allowed.c.cuMulticastCreate(None) == (0, 1)


def test_a_recorder_refuses(machine: Machine) -> None:
    """Before the machine is asked, and a program before its first step."""
    recorder = Recorder(machine)
    a = recorder.spawn()
    with pytest.raises(PermissionError, match=OPTION):
        a.c.cuMulticastCreate(None)
    recorder.close()
    spawned = len(machine.processes)
    steps: list[Step] = [
        {"process": "a", "call": "spawn"},
        {"process": "a", "call": "cuMulticastCreate", "args": [None]},
    ]
    with pytest.raises(PermissionError, match=OPTION):
        run(Program("multicast", steps), machine)
    assert len(machine.processes) == spawned


def test_no_case_is_asked_or_recorded(machine: Machine) -> None:
    """Neither those of the calls nor those of others whose worlds need them."""
    load_cases()
    target = Target("real", load("h200-x2"), machine)
    for call in (name for name in MULTICAST if name in ENTRIES):
        entry = ENTRIES[call]
        assert [cases_of(call, origin) for origin in ("case", "undefined", "pairs")] == [[], [], []]
        for case in entry.singles():
            with pytest.raises(Unavailable, match="for the model alone"):
                target.check([case])
    assert machine.processes == {}
    with pytest.raises(Unavailable, match=OPTION):
        Session(Recorder(machine)).world("others").needs_multicast()


def test_the_state_machine_draws_them_for_the_model_alone(machine: Machine) -> None:
    """No program that is followed on a real machine has them, and none that is kept to be."""
    profile = load("h200-x2")
    assert hasattr(machine_on(profile), "bind")
    assert not hasattr(machine_on(profile, machine), "bind")
    assert not hasattr(machine_on(profile, sink=[]), "bind")
