"""Memory that a skipped launch leaves unknown: which calls carry that on, and which report it."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import FakeCudaError, Machine
from fakecuda.model.memory import unknown
from fakecuda.rules.driver.execution.skipped import CONTENT_IS_KNOWN
from fakecuda.spec.codes import Result
from fakecuda.spec.node_params import CONDITIONAL, pack
from tests.model.desk import GRAPH_POOL, HOST, NON_BLOCKING, SIZE, Desk, found, graph_of, read_of
from tests.model.test_kernels import meanings
from tests.model.world import created, done, mapped, started

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["meanings"]


def test_writes_make_it_known(desk: Desk) -> None:
    """Memsets, rows of them, copies from the host, written values; what lies beside stays unknown."""
    c, place = desk.c, desk.memory
    writes: list[tuple[Callable[[], Any], int, int]] = [
        (lambda: c.cuMemsetD8(place + 64, 0, 64), 64, 64),
        (lambda: c.cuMemsetD2D8(place + 256, 64, 0, 32, 2), 256 + 64, 32),
        (lambda: c.cuMemcpyHtoD(place + 1024, bytes(64), 64), 1024, 64),
        (lambda: c.cuMemcpyDtoD(place + 2048, desk.other, 64), 2048, 64),
        (lambda: c.cuStreamWriteValue32(0, place + 3072, 1, 0), 3072, 4),
    ]
    for write, start, size in writes:
        desk.launch(place)
        done(write())
        assert desk.is_known(place + start, size)
        assert not desk.is_known(place + start - 1, 1)
        assert not desk.is_known(place + start + size, 1)
    desk.launch(place)
    done(c.cuMemsetD8(place, 0, SIZE))
    done(c.cuMemsetD2D8(place, 64, 0, 32, 2))
    assert desk.is_known(place)


def test_copies_carry_it(desk: Desk) -> None:
    """To devices, to managed memory and arrays, by rows and across an overlap; a copy of known bytes ends it."""
    c, one, two = desk.c, desk.memory, desk.other
    desk.launch(one)
    done(c.cuMemsetD8(one + 16, 0, SIZE - 16))
    done(c.cuMemcpyDtoD(two + 100, one + 8, 16))
    assert [desk.is_known(two + at, 1) for at in (99, 100, 107, 108)] == [True, False, False, True]
    done(c.cuMemcpyDtoD(one + 8, one, 16))
    assert [desk.is_known(one + at, 1) for at in (0, 23, 24)] == [False, False, True]
    managed = done(c.cuMemAllocManaged(SIZE, 1))
    done(c.cuMemcpyDtoD(managed, one, 32))
    assert not desk.is_known(managed, 32)
    assert desk.is_known(managed + 24, 8)
    array = done(c.cuArrayCreate((64, 0, 1, 1)))
    done(c.cuMemcpyDtoA(array, 0, one, 32))
    finding = found(lambda: c.cuMemcpyAtoH(bytearray(8), array, 8, 8))
    assert finding.facts["memory"] is None
    done(c.cuMemcpyDtoA(array, 0, two, 64))
    done(c.cuMemcpyAtoH(bytearray(64), array, 0, 64))
    rows = (0, 0, 2, 0, one, 0, 64, 0, 0, 2, 0, two, 0, 32, 8, 2)
    done(c.cuMemcpy2D(rows))
    assert [desk.is_known(two + at, 8) for at in (0, 32)] == [False, True]
    finding = found(lambda: c.cuMemcpy2D((0, 0, 2, 0, two, 0, 32, 0, 0, 1, ctypes.addressof(HOST), 0, 0, 8, 8, 2)))
    assert finding.facts["size"] == 8


def test_every_copy_to_the_host_is_told(desk: Desk) -> None:
    """Pageable or page-locked, by address alone, by peers, in batches; what is handed on is known there."""
    c, place = desk.c, desk.memory
    pinned, stream = done(c.cuMemHostAlloc(SIZE, 0)), done(c.cuStreamCreate(NON_BLOCKING))
    host = ctypes.addressof(HOST)
    desk.launch(place)
    done(c.cuCtxSynchronize())
    for copy in (
        lambda: c.cuMemcpyDtoH(HOST, place, 8),
        lambda: c.cuMemcpyDtoHAsync(HOST, place, 8, stream),
        lambda: c.cuMemcpy(pinned, place, 8),
        lambda: c.cuMemcpyAsync(host, place, 8, stream),
        lambda: c.cuMemcpyPeer(pinned, 0, place, 0, 8),
        lambda: c.cuMemcpyBatchAsync([host], [place], [8], 1, [(1, (0, 0), (0, 0), 0)], [0], 1, stream),
    ):
        found(copy)
        done(c.cuStreamSynchronize(stream))
    desk.machine.findings.clear()
    for new in (done(c.cuStreamCreate(NON_BLOCKING)) for _ in range(2)):  # whose first work it is
        done(c.cuMemcpyDtoHAsync(HOST, desk.other, 8, new))
        done(c.cuMemcpyBatchAsync([host], [desk.other], [8], 1, [(1, (0, 0), (0, 0), 0)], [0], 1, new))
        done(c.cuStreamSynchronize(new))
    done(c.cuMemcpyPeer(desk.other, 0, place, 0, 8))
    found(lambda: c.cuMemcpyDtoH(HOST, desk.other, 8))


def test_page_locked_memory(desk: Desk) -> None:
    """A kernel may write it; the host may have written it since, so a copy to a device carries nothing."""
    c = desk.c
    pinned = done(c.cuMemHostAlloc(SIZE, 0))
    desk.launch(pinned)
    found(lambda: c.cuMemcpy(ctypes.addressof(HOST), pinned, 8))
    done(c.cuMemcpyHtoD(desk.memory, pinned, SIZE))
    assert desk.is_known(desk.memory)


def test_one_memory_by_several_names(desk: Desk) -> None:
    """Two mappings of a handle, the memory of another process by IPC, and devices of a multicast object."""
    handle = created(desk.process)
    first, second = mapped(desk.process, handle), mapped(desk.process, handle)
    desk.launch(first)
    assert not desk.is_known(second)
    b = started(desk.machine, name="b")
    opened = done(b.c.cuIpcOpenMemHandle(done(desk.c.cuIpcGetMemHandle(desk.memory)), 1))
    desk.launch(desk.memory)
    finding = found(lambda: b.c.cuMemcpyDtoH(bytearray(8), opened, 8))
    assert finding.facts["pointer"] == opened
    assert finding.facts["launch"].stream.context.process is desk.process


def test_multicast_memory(desk: Desk) -> None:
    """A kernel that writes to the object writes the memory of each device."""
    c = desk.c
    team = done(c.cuMulticastCreate((2, 2 << 20, 1, 0)))
    parts = []
    for device in (0, 1):
        done(c.cuMulticastAddDevice(team, device))
    for device in (0, 1):
        handle = created(desk.process, device=device)
        done(c.cuMulticastBindMem(team, 0, handle, 0, 2 << 20, 0))
        parts.append(mapped(desk.process, handle))
    whole = mapped(desk.process, team)
    desk.launch(whole)
    assert not any(map(desk.is_known, parts))
    done(c.cuMemsetD8(parts[0] + 8, 0, 8))
    assert desk.is_known(parts[0] + 8, 8)


@pytest.mark.parametrize(("start", "end", "at"), [(7, 9, 7), (8, 17, 16), (0, 4, 0), (12, 60, 16), (50, 52, 50)])
def test_what_a_kernel_reads_beside_its_writes(desk: Desk, start: int, end: int, at: int) -> None:
    """The finding has the first unknown bytes, and nothing is written."""
    desk.launch(desk.memory)
    finding = found(read_of(desk, start, end))
    assert finding.facts["pointer"] == desk.memory + at
    assert finding.facts["kernel"] == "plain"
    assert not desk.is_known(desk.memory + 8, 8)


@pytest.mark.parametrize(("start", "end"), [(8, 16), (9, 12), (40, 41)])
def test_a_kernel_may_read_what_it_has_written(desk: Desk, start: int, end: int) -> None:
    """Part of it or all."""
    desk.launch(desk.memory)
    read_of(desk, start, end)()
    assert desk.is_known(desk.memory + 8, 8)


@pytest.mark.parametrize("waits", [False, True])
def test_a_wait_for_a_value_reads_it(desk: Desk, *, waits: bool) -> None:
    """If the value ends the wait, at once or when it is written; a written value is known."""
    c, stream = desk.c, done(desk.c.cuStreamCreate(NON_BLOCKING))
    if waits:
        done(c.cuStreamWaitValue32(stream, desk.memory, 1, 1))
        desk.launch(desk.memory)
        done(c.cuStreamWriteValue32(0, desk.memory, 1, 0))
        done(c.cuStreamSynchronize(stream))
        assert not desk.machine.findings
        done(c.cuStreamWaitValue32(stream, desk.memory + 4, 2, 1))
        done(c.cuStreamWriteValue32(0, desk.memory + 8, 1, 0))
        return
    desk.launch(desk.memory)
    done(c.cuStreamWaitValue32(stream, desk.memory, 1, 0))
    done(c.cuStreamWaitValue32(stream, desk.other, 1, 0))
    [finding] = desk.machine.findings
    assert (finding.rule, finding.call) == (CONTENT_IS_KNOWN, "cuStreamWaitValue32")
    assert "in test_a_wait_for_a_value_reads_it" in str(finding)
    desk.machine.findings.clear()


@pytest.mark.parametrize("completion", ["eager", "manual"])
def test_a_condition_that_a_skipped_kernel_may_set_has_no_value(completion: str) -> None:
    """A node that reads it says so; a number that is no condition changes none."""
    with Machine("h200", seed=1, kernels="skip", completion=completion) as machine:
        desk = Desk(machine)
        of, ctx = done(desk.c.cuGraphCreate(0)), done(desk.c.cuCtxGetCurrent())
        condition = done(desk.c.cuGraphConditionalHandleCreate(of, ctx, 0, 1))
        node = graph_of(desk, of, 99)
        done(desk.c.cuGraphAddNode(of, (node,), None, 1, pack(CONDITIONAL, (condition, 0, 1, 0, ctx))))
        done(desk.c.cuGraphLaunch(done(desk.c.cuGraphInstantiate(of, 0)), 0))
        done(desk.c.cuCtxSynchronize())
        graph_of(desk, of, condition)
        other = done(desk.c.cuGraphCreate(0))
        condition = done(desk.c.cuGraphConditionalHandleCreate(other, ctx, 0, 1))
        node = graph_of(desk, other, condition)
        done(desk.c.cuGraphAddNode(other, (node,), None, 1, pack(CONDITIONAL, (condition, 0, 1, 0, ctx))))
        made = done(desk.c.cuGraphInstantiate(other, 0))
        if completion == "eager":
            with pytest.raises(FakeCudaError, match="but no kernel of this launch has set it"):
                desk.c.cuGraphLaunch(made, 0)
        else:
            done(desk.c.cuGraphLaunch(made, 0))
            assert desk.c.cuCtxSynchronize() == (Result.LAUNCH_FAILED,)
            assert [one.rule.id for one in machine.findings] == ["graph.choice.CONDITION_IS_KNOWN"]


def test_new_memory_of_a_pool_is_known(desk: Desk) -> None:
    """A launch may have written what was there before; so for memory of graphs."""
    c = desk.c
    first = done(c.cuMemAllocAsync(SIZE, 0))
    desk.launch(first)
    assert not desk.is_known(first)
    done(c.cuMemFreeAsync(first, 0))
    done(c.cuStreamSynchronize(0))
    second = done(c.cuMemAllocAsync(SIZE, 0))
    items = desk.process.memory
    assert items.at(second) is not None
    assert desk.is_known(second)

    of = done(c.cuGraphCreate(0))
    node, made = done(c.cuGraphAddMemAllocNode(of, None, 0, (GRAPH_POOL, 0, 0, SIZE, 0)))
    made = made[-1]
    done(c.cuGraphAddMemFreeNode(of, (node,), 1, made))
    whole = done(c.cuGraphInstantiate(of, 0))
    for _ in range(2):
        done(c.cuGraphLaunch(whole, 0))
        done(c.cuCtxSynchronize())


def test_marks_of_freed_memory_are_dropped(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a long test does not need ever more of them."""
    monkeypatch.setattr(unknown, "MOST", 1)
    for _ in range(3):
        place = done(desk.c.cuMemAlloc(4 << 20))
        desk.launch(place)
        assert not desk.is_known(place, 1)
        done(desk.c.cuMemFree(place))
    desk.launch(desk.memory)
    desk.launch(desk.other)
    assert desk.machine.unknown is not None
    assert len(desk.machine.unknown._parts) <= 3
    assert not desk.is_known(desk.memory)
