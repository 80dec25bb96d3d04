"""Skipped launches: what they leave unknown, what carries that, and which calls report it."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pytest

from conformance.cases.driver.graph.fixtures import launch
from conformance.kit.kernels import HEAD
from fakecuda import FakeCudaError, KernelNotDefined, Machine, UndefinedBehaviour
from fakecuda.model.code.kernels import MEANINGS, kernel
from fakecuda.model.memory import unknown
from fakecuda.rules.driver.execution.skipped import CONTENT_IS_KNOWN
from fakecuda.rules.driver.stream.race import ACCESSES_ARE_ORDERED
from fakecuda.spec.codes import Result
from fakecuda.spec.launch_config import EVENT
from fakecuda.spec.node_params import CONDITIONAL, pack
from tests.model.test_kernels import meanings
from tests.model.world import created, done, mapped, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda import Process
    from fakecuda.model.code.kernel_arrays import Array
    from fakecuda.model.finding import Finding

__all__ = ["meanings"]
CODE = (
    HEAD
    + ".visible .global .align 4 .u32 counter = 5;\n.visible .const .align 4 .u32 fixed = 6;\n"
    + ".visible .entry plain(.param .u64 p, .param .u32 v) { ret; }\n"
    + ".visible .entry packed(.param .align 8 .b8 s[16]) { ret; }\n.visible .entry bare() { ret; }\n"
).encode()
SIZE = 4096
NON_BLOCKING = 1
GRAPH_POOL = (1, 0, (1, 0), 0, 0, 0, 0)


class Desk:
    """A process whose kernels have no meaning.

    Args:
        machine: The machine.
        process: The process. A new one by default.
    """

    def __init__(self, machine: Machine, process: Process | None = None) -> None:
        self.machine = machine
        self.process = process or started(machine, name="a")
        self.c: Any = self.process.c
        self.module = done(self.c.cuModuleLoadData(CODE))
        self.memory, self.other = (int(done(self.c.cuMemAlloc(SIZE))) for _ in range(2))
        for place in (self.memory, self.other):
            done(self.c.cuMemsetD8(place, 1, SIZE))
        done(self.c.cuCtxSynchronize())

    def function(self, name: str = "plain") -> int:
        """Return a function of the module."""
        return int(done(self.c.cuModuleGetFunction(self.module, name.encode())))

    def launch(self, pointer: int, stream: int = 0) -> None:
        """Launch a kernel that gets a pointer and a number."""
        first, second = ctypes.c_uint64(pointer), ctypes.c_uint32(7)
        places = (ctypes.c_uint64 * 2)(ctypes.addressof(first), ctypes.addressof(second))
        done(self.c.cuLaunchKernel(self.function(), *[1] * 6, 0, stream, ctypes.addressof(places), 0))

    def is_known(self, pointer: int, size: int = SIZE) -> bool:
        """Return whether the host may read bytes; a finding says that it may not."""
        try:
            done(self.c.cuMemcpyDtoH(bytearray(size), pointer, size))
        except UndefinedBehaviour:
            assert self.machine.findings[-1].rule is CONTENT_IS_KNOWN
            self.machine.findings.clear()
            return False
        return True

    def variable(self, name: str) -> int:
        """Return the address of a variable of the module."""
        return int(done(self.c.cuModuleGetGlobal(self.module, name.encode()))[0])


@pytest.fixture
def desk() -> Iterator[Desk]:
    """Return a process on a strict machine that skips launches."""
    with Machine("h200-x2", seed=1, kernels="skip") as machine:
        yield Desk(machine)
        machine.check_invariants()


@pytest.fixture
def late() -> Iterator[Desk]:
    """Return a process whose streams leave their work."""
    with Machine("h200-x2", seed=1, kernels="skip", completion="manual") as machine:
        yield Desk(machine)


def found(act: Callable[[], object]) -> Finding:
    """Return the finding that a call raises."""
    with pytest.raises(UndefinedBehaviour) as raised:
        act()
    finding = raised.value.finding
    assert finding.rule is CONTENT_IS_KNOWN
    return finding


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


HOST = (ctypes.c_char * SIZE)()


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


def read_of(desk: Desk, start: int, end: int) -> Callable[[], None]:
    """Return the launch of a kernel that writes bytes 8 to 16 and reads others."""

    @kernel("plain", "u8*", "u32")
    def plain(_grid: object, _block: object, place: Array, _value: int) -> None:
        place[40] = 0
        place[8:16] = [0] * 8
        place[start:end]
        place[start:end]

    return lambda: desk.launch(desk.memory)


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


def graph_of(desk: Desk, of: int, pointer: int) -> int:
    """Add a node with the kernel to a graph."""
    first, second = ctypes.c_uint64(pointer), ctypes.c_uint32(7)
    places = (ctypes.c_uint64 * 2)(ctypes.addressof(first), ctypes.addressof(second))
    return int(
        done(desk.c.cuGraphAddKernelNode(of, None, 0, launch(desk.function(), kernelParams=ctypes.addressof(places))))
    )


def test_launches_of_graphs(desk: Desk) -> None:
    """Each node is one, at the launch of the graph."""
    of = done(desk.c.cuGraphCreate(0))
    graph_of(desk, of, desk.memory)
    made = done(desk.c.cuGraphInstantiate(of, 0))
    assert desk.is_known(desk.memory)
    done(desk.c.cuGraphLaunch(made, 0))
    assert not desk.is_known(desk.memory)
    assert desk.machine.skipped == {"plain": 1}


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
