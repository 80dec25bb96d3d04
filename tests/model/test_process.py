"""What a process does about undefined behaviour: raise, keep, or go on as the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda import UndefinedBehaviour
from fakecuda.model.os.process import DEINITIALIZED, NOT_INITIALIZED, READY
from fakecuda.spec.codes import Result

from .world import done, started

if TYPE_CHECKING:
    from fakecuda import Machine

RULE = "memory.mem_free.NO_IMPORTER_IS_OPEN"


def freed_too_early(machine: Machine) -> tuple[int, ...]:
    """Free memory that another process has open."""
    a, b = started(machine), started(machine)
    pointer = done(a.c.cuMemAlloc(4096))
    done(b.c.cuIpcOpenMemHandle(done(a.c.cuIpcGetMemHandle(pointer)), 1))
    return a.c.cuMemFree(pointer)


def test_a_strict_machine_raises_and_keeps_it(machine: Machine) -> None:
    """Python callers learn it at once; the machine knows it too, and the call is in the log without a code."""
    with pytest.raises(UndefinedBehaviour) as caught:
        freed_too_early(machine)
    assert machine.findings == [caught.value.finding]
    finding = caught.value.finding
    assert (finding.rule.id, finding.call, finding.process) == (RULE, "cuMemFree", "a")
    assert sorted(finding.facts) == ["allocation", "importer"]
    last = machine.log[-1]
    assert (last.call, last.code, last.outs, last.rule, last.facts) == (
        "cuMemFree",
        None,
        None,
        finding.rule,
        finding.facts,
    )
    assert "-> undefined  [memory.mem_free.NO_IMPORTER_IS_OPEN]" in str(last)


def test_undefined_behaviour_changes_nothing_on_a_strict_machine(machine: Machine) -> None:
    """The exception comes before the effect."""
    a, b = started(machine), started(machine)
    pointer = done(a.c.cuMemAlloc(4096))
    done(b.c.cuIpcOpenMemHandle(done(a.c.cuIpcGetMemHandle(pointer)), 1))
    before = machine.snapshot()
    with pytest.raises(UndefinedBehaviour):
        a.c.cuMemFree(pointer)
    assert machine.snapshot() == before


def test_a_finding_tells_the_whole_story(machine: Machine) -> None:
    """Rule, grade, the manual's words, the objects and where they came from."""
    with pytest.raises(UndefinedBehaviour) as caught:
        freed_too_early(machine)
    text = str(caught.value)
    assert text == str(caught.value.finding)
    lines = text.splitlines()
    assert lines[0] == "cuMemFree in process a: breaks the rule: no other process has the allocation's IPC handle open"
    assert lines[1].startswith("  call       cuMemFree(dptr=0x")
    assert lines[2].startswith("  at         ")
    assert sum(line.startswith("  object     allocation 0x") for line in lines) == 1
    assert sum(line.startswith("  object     IPC mapping 0x") for line in lines) == 1
    assert sum(line.strip().startswith(("allocated at ", "exported at ", "opened at ")) for line in lines) == 3
    fix, _, rule, source, *_ = lines[next(at for at, line in enumerate(lines) if line.startswith("  fix ")) :]
    assert fix.startswith("  fix        call cuIpcCloseMemHandle in every importing process before")
    assert rule == f"  rule       {RULE} (undefined)"
    assert source.startswith("  source     cuIpcOpenMemHandle: “Calling cuMemFree on an exported")


def test_large_facts_are_told_in_hexadecimal(machine: Machine) -> None:
    """An address reads as one, a small number as itself."""
    a = started(machine)
    for value, text in [(0x1234567, "value 0x1234567\n"), (17, "value 17\n")]:
        with pytest.raises(UndefinedBehaviour) as caught:
            a.c.cuMemRelease(value)
        assert f"  state      {text}" in str(caught.value)
        assert "found" not in str(caught.value)


def test_a_permissive_machine_goes_on_as_the_driver(permissive: Machine) -> None:
    """Nothing is raised and nothing is kept; what the driver refuses is refused."""
    assert freed_too_early(permissive) == (0,)
    assert permissive.spawn().c.cuInit(0) == (0,)
    a = started(permissive)
    assert a.c.cuMemRelease(17) == (1,)
    assert not permissive.findings


def test_a_native_thread_goes_on_and_the_finding_is_kept(machine: Machine) -> None:
    """No exception can travel through C: the test's end tells it."""
    a = started(machine)
    thread = a.current_thread()
    thread.call = thread.native
    assert a.c.cuMemRelease(17) == (1,)
    (finding,) = machine.findings
    assert finding.rule.id == "va.handle.HANDLE_IS_HELD"
    assert finding.facts == {"value": 17, "found": None}
    last = machine.log[-1]
    assert (last.code, last.rule) == (1, finding.rule)


def test_the_driver_has_three_states(machine: Machine) -> None:
    """Before cuInit, after it, and torn down."""
    a = machine.spawn()
    assert a.state == NOT_INITIALIZED
    assert a.c.cuDeviceGetCount() == (3, None)
    done(a.c.cuInit(0))
    assert a.state == READY
    a.exit()
    assert a.state == DEINITIALIZED


def test_null_results_last_for_one_call(machine: Machine) -> None:
    """The next call of the thread has all of its results again, whether this one failed or raised."""
    a = machine.spawn()
    assert a.c.cuDriverGetVersion(null="driverVersion") == (1, None)
    assert done(a.c.cuDriverGetVersion()) == machine.profile.driver_version
    with pytest.raises(UndefinedBehaviour):
        a.c.cuGetErrorName(0, null="pStr")
    assert done(a.c.cuGetErrorName(0)) == b"CUDA_SUCCESS"


def test_what_broke_a_rule_names_the_process(machine: Machine) -> None:
    """Whoever asks why is told which process had not called cuInit."""
    a = machine.spawn()
    assert a.c.cuCtxSynchronize() == (Result.NOT_INITIALIZED,)
    facts = machine.log[-1].facts
    assert facts is not None
    assert str(facts["process"]) == "process a"


def test_a_fork_has_the_runtime_library_of_its_process(machine: Machine) -> None:
    """It is the same program."""
    a = machine.spawn()
    assert a.forked.cudaRuntimeGetVersion() == a.c.cudaRuntimeGetVersion() == (0, a.runtime_version)


def test_dead_processes_are_passed_over(machine: Machine) -> None:
    """What is asked of all processes is asked of those that live; names go on."""
    for number in range(60):
        process = machine.spawn()
        assert list(machine.living) == [process]
        process.kill()
        assert not machine.living
        assert process.name == "abcdefghijklmnopqrstuvwxyz"[number % 26] + (
            str(number // 26 + 1) if number > 25 else ""
        )
    assert machine.spawn("ab").name == "ab"
    assert machine.spawn().name == "i3"
    assert len(machine.living) == 2
