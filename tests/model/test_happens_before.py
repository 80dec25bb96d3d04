"""Accesses that nothing orders are found, whatever they are, and no others are: each pair with each edge, and without it."""

from __future__ import annotations

import ctypes
from itertools import product
from typing import TYPE_CHECKING

import pytest

from fakecuda import FakeCudaError, Machine
from tests.model.racing import (
    BLOCKING,
    EDGES,
    LEGACY,
    NO_EDGES,
    NON_BLOCKING,
    PAIRS,
    PER_THREAD,
    READS,
    SIZE,
    WRITES,
    Scene,
    by_event,
    by_free,
    by_value,
    copy_out,
    fetch,
    fill,
    found,
)
from tests.model.world import created, done, mapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EMPTY = b".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry empty() { ret; }\n"


@pytest.fixture(params=["eager", "manual"])
def scene(request: pytest.FixtureRequest) -> Iterator[Scene]:
    """Return a scene, on a machine that does work at once and on one that leaves it."""
    with Machine("h200-x2", seed=1, completion=request.param) as made:
        yield Scene(made)


@pytest.mark.parametrize("completion", ["eager", "manual"])
def test_a_kernel_comes_after_the_legacy_stream(completion: str) -> None:
    """Who waits for a blocking stream with a kernel has waited for what the legacy stream did before, whatever the kernel uses."""
    with Machine("h200", seed=1, completion=completion, kernels="skip") as machine:
        scene = Scene(machine)
        blocking = int(done(scene.c.cuStreamCreate(BLOCKING)))
        function = done(scene.c.cuModuleGetFunction(done(scene.c.cuModuleLoadData(EMPTY)), b"empty"))
        for launches in (True, False):
            fill(scene, LEGACY)
            if launches:
                done(scene.c.cuLaunchKernel(function, *[1] * 6, 0, blocking, None, 0))
            done(scene.c.cuStreamSynchronize(blocking))
            if launches:
                fill(scene, scene.one)
            else:
                found(lambda: fill(scene, scene.one))
            done(scene.c.cuCtxSynchronize())


@pytest.mark.parametrize("edge", EDGES)
def test_an_edge_orders(scene: Scene, edge: Callable[[Scene], None]) -> None:
    """With it each pair is silent."""
    for first, second in PAIRS:
        done(scene.c.cuCtxSynchronize())
        if edge is by_free:
            scene.flag = int(done(scene.c.cuMemAlloc(4)))
        if edge is by_value:
            done(scene.c.cuMemsetD32(scene.flag, 0, 1))
            done(scene.c.cuCtxSynchronize())
        first(scene, scene.one)
        edge(scene)
        second(scene, scene.two)
    assert not scene.machine.findings


@pytest.mark.parametrize("edge", NO_EDGES)
def test_nothing_else_orders(scene: Scene, edge: Callable[[Scene], None]) -> None:
    """Without one each pair is found, and tells both calls."""
    for first, second in PAIRS:
        done(scene.c.cuCtxSynchronize())
        first(scene, scene.one)
        edge(scene)
        finding = found(lambda second=second: second(scene, scene.two))  # type: ignore[misc]
        earlier = finding.facts["earlier"]
        assert earlier.stream.handle == scene.one
        assert earlier.call in str(finding)
        assert first.__name__ in str(finding)


def test_what_is_only_read_needs_no_order(scene: Scene) -> None:
    """Two reads are none of its business, nor are two writes side by side."""
    for first, second in product(READS, READS):
        first(scene, scene.one)
        second(scene, scene.two)
    done(scene.c.cuMemsetD8Async(scene.flag, 1, 8, scene.one))
    done(scene.c.cuMemsetD8Async(scene.flag + 8, 1, 8, scene.two))
    assert not scene.machine.findings


@pytest.mark.parametrize("one", [LEGACY, PER_THREAD, 0])
def test_default_streams_order_those_that_block(scene: Scene, one: int) -> None:
    """What is in the legacy stream comes before what comes to a blocking stream later, and behind what was there."""
    blocking, other = (int(done(scene.c.cuStreamCreate(BLOCKING))) for _ in range(2))
    if one == PER_THREAD:
        fill(scene, PER_THREAD)
        found(lambda: fill(scene, blocking))
        return
    fill(scene, one)
    fill(scene, blocking)
    fill(scene, one)
    fill(scene, PER_THREAD)
    done(scene.c.cuMemsetD8(scene.flag, 1, 8))
    fill(scene, other)
    found(lambda: fill(scene, blocking))
    found(lambda: fill(scene, scene.two))


def test_event_of_the_default_stream(scene: Scene) -> None:
    """It has what blocks on that."""
    blocking = int(done(scene.c.cuStreamCreate(BLOCKING)))
    fill(scene, blocking)
    scene.record(0)
    scene.wait(scene.two)
    fill(scene, scene.two)
    assert not scene.machine.findings


def test_waiting_for_the_default_stream(scene: Scene) -> None:
    """It waits for those that block on it, and one of these does not wait for the default stream."""
    blocking = int(done(scene.c.cuStreamCreate(BLOCKING)))
    fill(scene, blocking)
    done(scene.c.cuStreamSynchronize(0))
    fill(scene, scene.two)
    done(scene.c.cuCtxSynchronize())
    fill(scene, 0)
    done(scene.c.cuStreamSynchronize(blocking))
    found(lambda: fill(scene, scene.two))


def test_calls_without_a_stream(scene: Scene) -> None:
    """A memset of a device's memory is left to the default stream, a copy to the host's is not."""
    done(scene.c.cuMemsetD8(scene.pinned, 1, SIZE))
    done(scene.c.cuMemsetD8(scene.common, 1, SIZE))
    found(lambda: fetch(scene, scene.one))
    done(scene.c.cuMemcpyDtoH(ctypes.addressof(scene.host), scene.common, SIZE))
    fetch(scene, scene.one)
    found(lambda: scene.c.cuMemcpyHtoD(scene.common, ctypes.addressof(scene.host), SIZE))


def test_copies_that_wait_beside_work_of_others(scene: Scene) -> None:
    """One that uses other bytes is silent, without a stream or in one; one of the same bytes is found behind them."""
    blocking = int(done(scene.c.cuStreamCreate(BLOCKING)))
    fill(scene, scene.one)
    done(scene.c.cuMemcpyHtoD(scene.own, scene.host, SIZE))
    done(scene.c.cuMemcpyDtoHAsync(scene.host, scene.own, SIZE, blocking))
    assert not scene.machine.findings
    found(lambda: done(scene.c.cuMemcpyHtoD(scene.common, scene.host, SIZE)))
    found(lambda: done(scene.c.cuMemcpyDtoHAsync(scene.host, scene.common, SIZE, blocking)))


@pytest.mark.parametrize("legacy", [False, True])
def test_a_copy_that_waits_has_waited_for_what_comes_before_it(machine: Machine, *, legacy: bool) -> None:
    """The work of a blocking stream comes before a copy without a stream, that of the legacy stream before one in such a stream."""
    scene = Scene(machine, BLOCKING)
    other = int(done(scene.c.cuStreamCreate(NON_BLOCKING)))
    fill(scene, LEGACY if legacy else scene.one)
    if legacy:
        done(scene.c.cuMemcpyDtoHAsync(scene.host, scene.own, SIZE, scene.one))
    else:
        done(scene.c.cuMemcpyHtoD(scene.own, scene.host, SIZE))
    fill(scene, other)
    assert not machine.findings


def test_rows_that_lie_between_others(scene: Scene) -> None:
    """Columns of a matrix are no common bytes; what has very many rows is not looked at."""
    done(scene.c.cuMemsetD2D8Async(scene.common, 64, 1, 32, 16, scene.one))
    done(scene.c.cuMemsetD2D8Async(scene.common + 32, 64, 1, 32, 16, scene.two))
    found(lambda: done(scene.c.cuMemsetD2D8Async(scene.common + 31, 64, 1, 32, 16, scene.two)))
    done(scene.c.cuCtxSynchronize())
    done(scene.c.cuMemsetD2D8Async(scene.common, 8, 1, 4, 512, scene.one))
    done(scene.c.cuMemsetD2D8Async(scene.common, 8, 1, 4, 512, scene.two))
    assert len(scene.machine.findings) == 1


def test_slices_of_rows(scene: Scene) -> None:
    """What a slice has beside its rows is not used, and rows without gaps are one range."""
    done(scene.c.cudaMemset3DAsync((scene.common, 64, 32, 4), 1, (32, 2, 3), scene.one))
    done(scene.c.cuMemsetD8Async(scene.common + 128, 1, 128, scene.two))
    done(scene.c.cuMemsetD8Async(scene.common + 32, 1, 32, scene.two))
    found(lambda: done(scene.c.cuMemsetD8Async(scene.common + 256 + 64, 1, 1, scene.two)))
    done(scene.c.cuCtxSynchronize())
    done(scene.c.cudaMemset3DAsync((scene.common, 64, 64, 4), 1, (64, 4, 3), scene.one))
    found(lambda: done(scene.c.cuMemsetD8Async(scene.common + 64 * 12 - 1, 1, 1, scene.two)))
    done(scene.c.cuMemsetD8Async(scene.common + 64 * 12, 1, 1, scene.two))


def test_a_read_of_what_was_written_in_parts(scene: Scene) -> None:
    """It is kept for each part, and for what lies between them."""
    for place in (8, 24):
        done(scene.c.cuMemsetD8Async(scene.common + place, 1, 8, scene.third))
    scene.record(scene.third)
    scene.wait(scene.one)
    fetch(scene, scene.one)
    scene.record(scene.one)
    scene.wait(scene.third)
    for place in (0, 8, 16, 24, 40, SIZE - 1):
        found(lambda place=place: done(scene.c.cuMemsetD8Async(scene.common + place, 1, 1, scene.two)))  # type: ignore[misc]
        done(scene.c.cuMemsetD8Async(scene.common + place, 1, 1, scene.third))


def test_what_one_stream_does_alone(machine: Machine) -> None:
    """It is kept however often it is done, and whatever else is done."""
    scene = Scene(machine)
    for _ in range(1100):
        fill(scene, scene.one)
    for number in range(1100):
        done(scene.c.cuMemsetD8Async(scene.own + number, 1, 1, scene.one))
    found(lambda: fill(scene, scene.two))


def test_what_two_streams_do_beside_each_other(machine: Machine) -> None:
    """It is kept, too."""
    scene = Scene(machine)
    for number in range(1100):
        done(scene.c.cuMemsetD8Async(scene.own + number, 1, 1, scene.one))
        done(scene.c.cuMemsetD8Async(scene.common + number, 1, 1, scene.two))
    for number in (0, 600, 1099):
        found(lambda number=number: done(scene.c.cuMemsetD8Async(scene.own + number, 1, 1, scene.two)))  # type: ignore[misc]


@pytest.mark.parametrize("reader", READS)
@pytest.mark.parametrize("writer", WRITES)
def test_two_streams_in_turns(
    machine: Machine, writer: Callable[[Scene, int], None], reader: Callable[[Scene, int], None]
) -> None:
    """Each turn needs its own event, however many had one."""
    scene = Scene(machine)
    for _ in range(3):
        for _ in range(2):
            writer(scene, scene.one)
        by_event(scene)
        for _ in range(2):
            reader(scene, scene.two)
            copy_out(scene, scene.two)
        scene.record(scene.two)
        scene.wait(scene.one)
    writer(scene, scene.one)
    found(lambda: reader(scene, scene.two))
    scene.record(scene.one)
    scene.wait(scene.two)
    reader(scene, scene.two)
    found(lambda: writer(scene, scene.one))


def test_what_is_told_of_an_access_stays(machine: Machine) -> None:
    """The same work that comes later is another one."""
    scene = Scene(machine)
    fill(scene, scene.one)
    finding = found(lambda: fill(scene, scene.two))
    told, number = str(finding), finding.facts["earlier"].operation.number
    fill(scene, scene.one)
    fill(scene, scene.one)
    assert finding.facts["earlier"].operation.number == number
    assert str(finding) == told


def test_a_stream_that_waits_for_anybody() -> None:
    """What it is given meanwhile may come after anything: nothing is said of that, nor of what comes after it."""
    with Machine("h200-x2", seed=1) as machine:
        scene = Scene(machine)
        pooled = int(done(scene.c.cuMemAllocAsync(64, scene.one)))
        done(scene.c.cuStreamWaitValue32(scene.two, scene.flag, 1, 0))
        done(scene.c.cuMemFreeAsync(pooled, scene.two))
        assert done(scene.c.cuMemAllocAsync(64, scene.two))
        fill(scene, scene.two)
        scene.record(scene.two)
        scene.wait(scene.third)
        fill(scene, scene.third)
        fill(scene, scene.one)
        done(scene.c.cuStreamWriteValue32(scene.one, scene.flag, 1, 0))
        fill(scene, scene.two)
        found(lambda: fill(scene, scene.one))
        done(scene.c.cuCtxSynchronize())


def test_the_last_of_what_was_done_again_counts(scene: Scene) -> None:
    """Also where a smaller part was done between: it does not stand for what came after."""
    done(scene.c.cuMemsetD8Async(scene.common, 1, 64, scene.one))
    done(scene.c.cuMemsetD8Async(scene.common, 1, 8, scene.one))
    scene.record(scene.one)
    done(scene.c.cuMemsetD8Async(scene.common, 1, 64, scene.one))
    scene.wait(scene.two)
    found(lambda: done(scene.c.cuMemsetD8Async(scene.common, 1, 8, scene.two)))


def test_the_last_counts_when_another_stream_was_there_before(scene: Scene) -> None:
    """The same, where the work was entered already and its stream is alone again."""
    done(scene.c.cuMemsetD8Async(scene.common, 1, 64, scene.one))
    done(scene.c.cuMemsetD8Async(scene.own, 1, 8, scene.two))
    scene.settle()
    done(scene.c.cuStreamSynchronize(scene.two))
    done(scene.c.cuMemsetD8Async(scene.common, 1, 8, scene.one))
    scene.record(scene.one)
    done(scene.c.cuMemsetD8Async(scene.common, 1, 64, scene.one))
    scene.wait(scene.two)
    found(lambda: done(scene.c.cuMemsetD8Async(scene.common, 1, 8, scene.two)))


def test_call_whose_record_is_gone(machine: Machine) -> None:
    """It is work of its stream, with its line; the call is told while the log has it."""
    scene = Scene(machine)
    fill(scene, scene.one)
    assert "cuMemsetD8Async in stream" in str(found(lambda: fill(scene, scene.two)))
    machine.calls.clear()
    finding = found(lambda: fill(scene, scene.two))
    assert "work in stream" in str(finding)
    assert "fill" in finding.facts["earlier"].history()[0]


def test_races_can_be_turned_off() -> None:
    """Without the option, and where nothing undefined is reported, nothing is found; what is no switch is refused."""
    for strict, races in ((True, False), (False, True)):
        with Machine("h200-x2", seed=1, strict=strict, races=races) as machine:
            assert machine.races is None
            scene = Scene(machine)
            for edge in (*EDGES, *NO_EDGES):
                fill(scene, scene.one)
                if edge is not by_free:
                    edge(scene)
                fill(scene, scene.two)
            handle = created(scene.process)
            done(scene.c.cuMemsetD8(scene.common, 1, SIZE))
            ptr = mapped(scene.process, handle)
            done(scene.c.cuMemUnmap(ptr, 2 << 20))
            assert not machine.findings
    with pytest.raises(FakeCudaError, match="races=1: '1' is not a value of this option; one of: True, False, strict"):
        Machine("h200-x2", races=1)  # type: ignore[arg-type]
    with pytest.raises(
        FakeCudaError, match="races='strickt': 'strickt' is not a value of this option; did you mean: strict"
    ):
        Machine("h200-x2", races="strickt")
