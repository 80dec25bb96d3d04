"""Skipped launches: which launches are skipped, what they leave unknown, and what comes behind them in streams and graphs."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import pytest

from fakecuda import FakeCudaError, KernelNotDefined, Machine, UndefinedBehaviour
from fakecuda.model.code.kernels import MEANINGS, kernel
from fakecuda.rules.driver.execution.skipped import CONTENT_IS_KNOWN
from fakecuda.rules.driver.stream.race import ACCESSES_ARE_ORDERED
from fakecuda.spec.codes import Result
from fakecuda.spec.launch_config import EVENT
from tests.model.desk import HOST, NON_BLOCKING, SIZE, Desk, found, graph_of, read_of
from tests.model.test_kernels import meanings
from tests.model.world import created, done, mapped, started

if TYPE_CHECKING:
    from fakecuda.model.code.kernel_arrays import Array

__all__ = ["meanings"]


def test_the_option_is_one_of_two() -> None:
    """A wrong one names the nearest; the default is an error that names the option."""
    with pytest.raises(FakeCudaError, match="kernels='skp': 'skp' is not a mode; did you mean: skip"):
        Machine(kernels="skp")
    with (
        Machine("h200") as machine,
        pytest.raises(KernelNotDefined, match='skip launches like this one by kernels="skip"'),
    ):
        Desk(machine).launch(16)


def test_what_a_pointer_names_is_unknown_to_the_host(desk: Desk) -> None:
    """All of the allocation, wherever the pointer points in it; the finding names the launch and the bytes."""
    desk.launch(desk.memory + 8)
    finding = found(lambda: desk.c.cuMemcpyDtoH(bytearray(16), desk.memory + 32, 16))
    assert [finding.facts[name] for name in ("pointer", "size")] == [desk.memory + 32, 16]
    assert finding.facts["memory"].start == desk.memory
    report = str(finding)
    assert "object     skipped launch of kernel plain in legacy default stream" in report
    assert "launched at" in report
    assert "test_skipped.py" in report
    assert desk.is_known(desk.other)
    assert desk.machine.skipped == {"plain": 1}


def test_the_launch_is_checked_and_logged_as_any(desk: Desk) -> None:
    """Its grid, and its place in the log; a refused one is not skipped."""
    assert desk.c.cuLaunchKernel(desk.function("bare"), 0, 1, 1, 1, 1, 1, 0, 0, 0, 0) == (Result.INVALID_VALUE,)
    assert not desk.machine.skipped
    done(desk.c.cuLaunchKernel(desk.function("bare"), *[1] * 6, 0, 0, 0, 0))
    assert desk.machine.log[-1].call == "cuLaunchKernel"
    assert desk.machine.skipped == {"bare": 1}


def test_a_kernel_with_a_function_runs(desk: Desk) -> None:
    """And what it writes is known."""
    desk.launch(desk.memory)

    @kernel("plain", "u32*", "u32")
    def plain(_grid: object, _block: object, place: Array, value: int) -> None:
        place[1] = value

    desk.launch(desk.memory)
    assert desk.is_known(desk.memory + 4, 4)
    assert not desk.is_known(desk.memory, 4)
    assert not desk.is_known(desk.memory + 8, 4)


def test_what_it_cannot_write_is_known(desk: Desk) -> None:
    """Memory of another device without peer access, and read-only mappings; with access it is unknown."""
    c = desk.c
    mine = done(c.cuCtxGetCurrent())
    theirs = done(c.cuCtxCreate(None, 0, 1))
    far = done(c.cuMemAlloc(SIZE))
    done(c.cuCtxSetCurrent(mine))
    place = mapped(desk.process, created(desk.process))
    done(c.cuMemSetAccess(place, 2 << 20, (((1, 0), 1),), 1))
    for pointer in (far, place):
        desk.launch(pointer)
        assert desk.is_known(pointer)
    done(c.cuCtxEnablePeerAccess(theirs, 0))
    done(c.cuMemSetAccess(place, 2 << 20, (((1, 0), 3),), 1))
    for pointer in (far, place):
        desk.launch(pointer)
        assert not desk.is_known(pointer)


def test_what_a_pointer_names_may_span_mappings(desk: Desk) -> None:
    """Those that adjoin behind the pointer's, as in a segment that grows; not those before it, nor behind a gap."""
    size = 2 << 20
    start = done(desk.c.cuMemAddressReserve(5 * size, 0, 0, 0))
    places = [start + part * size for part in (0, 1, 2, 4)]
    for place in places:
        done(desk.c.cuMemMap(place, size, 0, created(desk.process), 0))
        done(desk.c.cuMemSetAccess(place, size, (((1, 0), 3),), 1))
    desk.launch(places[1] + 8)
    assert [desk.is_known(place) for place in places] == [True, False, False, True]
    done(desk.c.cuMemsetD8(places[2], 0, size))
    done(desk.c.cuCtxSynchronize())
    done(desk.c.cuMemUnmap(places[2], size))
    far = done(desk.c.cuMemAlloc(SIZE))
    desk.launch(places[0])
    assert [desk.is_known(place) for place in (places[0], places[1], far)] == [False, False, True]


def test_a_struct_may_name_all_that_the_context_can_write(desk: Desk) -> None:
    """But no constants."""
    room = ctypes.create_string_buffer(16)
    places = (ctypes.c_uint64 * 1)(ctypes.addressof(room))
    done(desk.c.cuLaunchKernel(desk.function("packed"), *[1] * 6, 0, 0, ctypes.addressof(places), 0))
    assert not desk.is_known(desk.memory)
    assert not desk.is_known(desk.other)
    assert not desk.is_known(desk.variable("counter"), 4)
    assert desk.is_known(desk.variable("fixed"), 4)


def test_variables_of_the_module_are_unknown(desk: Desk) -> None:
    """A kernel needs no argument to write them."""
    assert desk.is_known(desk.variable("counter"), 4)
    done(desk.c.cuLaunchKernel(desk.function("bare"), *[1] * 6, 0, 0, 0, 0))
    assert not desk.is_known(desk.variable("counter"), 4)
    assert desk.is_known(desk.variable("fixed"), 4)
    assert desk.is_known(desk.memory)


def test_late_work_keeps_its_findings(late: Desk) -> None:
    """No call is there to raise them: a copy names the line that queued it; so for kernels, and for waits for values."""
    c, stream = late.c, done(late.c.cuStreamCreate(NON_BLOCKING))
    late.launch(late.memory, stream)
    pinned = done(c.cuMemHostAlloc(SIZE, 0))
    done(c.cuMemcpyDtoHAsync(pinned, late.other, 8, stream))
    done(c.cuMemcpyDtoHAsync(pinned, late.memory, 8, stream))
    assert not late.machine.findings
    done(c.cuStreamSynchronize(stream))
    [finding] = late.machine.findings
    assert (finding.rule, finding.call) == (CONTENT_IS_KNOWN, "cuMemcpyDtoHAsync")
    assert "in test_late_work_keeps_its_findings" in str(finding)
    late.machine.findings.clear()

    read_of(late, 0, 4)()
    done(c.cuCtxSynchronize())
    [finding] = late.machine.findings
    assert (finding.rule, finding.facts["kernel"]) == (CONTENT_IS_KNOWN, "plain")
    late.machine.findings.clear()
    del MEANINGS["plain"]


def test_a_copy_without_a_stream_waits_for_the_launch(late: Desk) -> None:
    """It is the call that hands the bytes over, and it raises."""
    late.launch(late.memory)
    found(lambda: late.c.cuMemcpyDtoH(bytearray(8), late.memory, 8))
    late.launch(late.other)
    rows = (0, 0, 2, 0, late.other, 0, 32, 0, 0, 1, ctypes.addressof(HOST), 0, 0, 8, 8, 2)
    found(lambda: late.c.cuMemcpy2D(rows))


def test_launches_of_graphs(desk: Desk) -> None:
    """Each node is one, at the launch of the graph."""
    of = done(desk.c.cuGraphCreate(0))
    graph_of(desk, of, desk.memory)
    made = done(desk.c.cuGraphInstantiate(of, 0))
    assert desk.is_known(desk.memory)
    done(desk.c.cuGraphLaunch(made, 0))
    assert not desk.is_known(desk.memory)
    assert desk.machine.skipped == {"plain": 1}


def test_a_machine_that_answers_as_the_driver_marks_nothing() -> None:
    """It would report nothing."""
    with Machine("h200", strict=False, kernels="skip") as machine:
        desk = Desk(machine)
        desk.launch(desk.memory)
        assert machine.unknown is None
        assert machine.skipped == {"plain": 1}
        assert desk.is_known(desk.memory)


def test_accesses_of_a_skipped_launch_make_no_race(desk: Desk) -> None:
    """Two streams may launch on the same memory, and a copy may follow in a third; copies race with each other still."""
    c, streams = desk.c, [done(desk.c.cuStreamCreate(NON_BLOCKING)) for _ in range(3)]
    for stream in streams:
        desk.launch(desk.memory, stream)
    done(c.cuMemsetD8Async(desk.memory, 1, 64, streams[0]))
    desk.launch(desk.memory, streams[1])
    with pytest.raises(UndefinedBehaviour) as raised:
        c.cuMemsetD8Async(desk.memory, 1, 64, streams[1])
    assert raised.value.finding.rule is ACCESSES_ARE_ORDERED
    desk.machine.findings.clear()


def test_a_skipped_launch_may_wait_for_another_context(desk: Desk) -> None:
    """What comes after it in its stream is not judged until the host has waited, whichever comes first."""
    c = desk.c
    started(desk.machine, name="b")
    one, two = (done(c.cuStreamCreate(NON_BLOCKING)) for _ in range(2))

    def fill(stream: int) -> None:
        done(c.cuMemsetD8Async(desk.memory, 1, 64, stream))

    fill(two)
    for _ in range(2):
        desk.launch(desk.memory, one)
    event = done(c.cuEventCreate(0))
    done(c.cuEventRecord(event, one))
    done(c.cuStreamWaitEvent(two, event, 0))
    desk.launch(desk.memory, two)
    fill(one)
    fill(two)
    done(c.cuStreamSynchronize(one))
    done(c.cuStreamSynchronize(two))
    fill(one)
    with pytest.raises(UndefinedBehaviour, match="two accesses to the same bytes"):
        fill(two)
    desk.machine.findings.clear()


def test_work_behind_an_event_counts_again_when_the_host_has_waited(desk: Desk) -> None:
    """For the launch, whatever its own stream has done since."""
    c = desk.c
    started(desk.machine, name="b")
    one, two, third = (done(c.cuStreamCreate(NON_BLOCKING)) for _ in range(3))
    event = done(c.cuEventCreate(0))
    desk.launch(desk.memory, one)
    done(c.cuEventRecord(event, one))
    done(c.cuStreamWaitEvent(two, event, 0))
    done(c.cuMemsetD8Async(desk.other, 1, 64, one))
    done(c.cuEventSynchronize(event))
    done(c.cuMemsetD8Async(desk.memory, 1, 64, two))
    with pytest.raises(UndefinedBehaviour, match="two accesses to the same bytes"):
        c.cuMemsetD8Async(desk.memory, 1, 64, third)
    desk.machine.findings.clear()


def test_without_a_search_for_races() -> None:
    """The launch is skipped all the same."""
    with Machine("h200", races=False, kernels="skip") as machine:
        desk = Desk(machine)
        desk.launch(desk.memory)
        assert not desk.is_known(desk.memory)


def test_events_of_a_launch_are_recorded(desk: Desk) -> None:
    """Behind it, as behind any."""
    event = done(desk.c.cuEventCreate(2))
    stream = done(desk.c.cuStreamCreate(NON_BLOCKING))
    config = (1, 1, 1, 1, 1, 1, 0, stream, ((EVENT, event, 0, 0),))
    done(desk.c.cuLaunchKernelEx(config, desk.function("bare"), 0, 0))
    done(desk.c.cuEventSynchronize(event))
    assert desk.machine.skipped == {"bare": 1}
