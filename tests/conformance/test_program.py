"""Programs: calls are named once and mean the same on another machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.cases.driver.graph.fixtures import launch
from conformance.kit.compare import compare
from conformance.kit.kernels import PTX
from conformance.kit.program import DIED, INSIDE, SKIPPED, Program, Recorder, run
from conformance.kit.values import decode, encode
from conformance.kit.world import GRANULE, POSIX, pinned
from conformance.record.recordings import ROOT, read
from conformance.targets import processes
from fakecuda import profiles
from fakecuda.spec.codes import CRASH, HANG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.kit.program import Recorded


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    """Return a recorder on a model that is like the driver."""
    with fakecuda.Machine(strict=False) as machine:
        made = Recorder(machine, "a program")
        yield made
        made.close()


def started(recorder: Recorder, device: int = 0) -> Recorded:
    """Return a process with a current context."""
    process = recorder.spawn()
    assert process.c.cuInit(0) == (0,)
    assert process.c.cuCtxCreate(None, 0, device)[0] == 0
    return process


def last(recorder: Recorder) -> tuple[Any, Any]:
    """Return the arguments and results of the last step."""
    return recorder.program.steps[-1].get("args"), recorder.program.answers[-1]["outs"]


@pytest.mark.parametrize("value", [0, -1, None, b"", b"\0\1", bytes(1000), (1, (2, None), b"x"), "text"])
def test_plain_values_survive_json(value: object) -> None:
    """What is written is what is read."""
    assert decode(encode(value)) == value


def test_a_buffer_is_room() -> None:
    """What a call fills is described by its size."""
    assert [encode(bytearray(8)), decode({"room": 8})] == [{"room": 8}, bytearray(8)]


def test_uniform_bytes_are_short() -> None:
    """Many equal bytes are written as one and a count."""
    assert encode(b"\7" * 4096) == {"fill": [7, 4096]}


def test_results_get_names_and_arguments_refer_to_them(recorder: Recorder) -> None:
    """An interior pointer is its allocation's name and an offset."""
    a = started(recorder)
    _, pointer = a.c.cuMemAlloc(4096)
    assert last(recorder) == ([4096], {"dptr": {"new": "a.dptr1"}})
    a.c.cuMemGetAddressRange(pointer + 512)
    assert last(recorder) == (
        [{"ref": "a.dptr1", "plus": 512}],
        {"pbase": {"name": "a.dptr1", "plus": 0}, "psize": 4096},
    )


def test_one_of_a_list_is_referred_to_by_its_place(recorder: Recorder) -> None:
    """A list of handles has one name, and replays with what it has there."""
    a = started(recorder)
    _, module = a.c.cuModuleLoadData(PTX)
    _, functions = a.c.cuModuleEnumerateFunctions(3, module)
    assert last(recorder)[1] == {"functions": {"new": "a.kernel1"}}
    for place, function in enumerate(functions):
        assert a.c.cuFuncIsLoaded(function) == (0, 0)
        reference = last(recorder)[0][0]
        assert reference == ({"ref": "a.kernel1", "plus": place} if place else {"ref": "a.kernel1"})
        assert recorder.value(reference) == function


def test_an_image_and_logs_of_a_linker_have_names(recorder: Recorder) -> None:
    """Answers do not tell where the image lies and how large it is; what takes it refers to both, and options to logs."""
    c = started(recorder).c
    log = recorder.host_memory("a", 4096)
    _, first = c.cuLinkCreate(2, (5, 6), (log + 8, 1024))
    assert last(recorder)[0] == [2, [5, 6], [{"ref": "a.host1", "plus": 8}, 1024]]
    c.cuLinkAddData(first, 1, PTX, len(PTX), None, 0, None, None)
    _, place, size = c.cuLinkComplete(first)
    assert last(recorder)[1] == {"cubinOut": {"volatile": True}, "sizeOut": {"volatile": True}}
    _, second = c.cuLinkCreate(0, None, None)
    c.cuLinkAddData(second, 0, place, size, None, 0, None, None)
    assert last(recorder)[0][:4] == [{"ref": "a.linker2"}, 0, {"ref": "a.image1"}, {"ref": "a.bytes1"}]
    with fakecuda.Machine("h200", strict=False) as other:
        assert run(recorder.program, other)[-1] == recorder.program.answers[-1]


def test_a_dead_name_is_referred_to(recorder: Recorder) -> None:
    """A freed pointer that is passed again is the name it had."""
    a = started(recorder)
    _, pointer = a.c.cuMemAlloc(4096)
    a.c.cuMemFree(pointer)
    assert a.c.cuMemFree(pointer)[0] == fakecuda.Result.INVALID_VALUE
    assert last(recorder)[0] == [{"ref": "a.dptr1"}]


def test_an_address_just_outside_is_near_a_name(recorder: Recorder) -> None:
    """What lies behind or before an allocation has no name of its own, nor once the allocation is freed."""
    a = started(recorder)
    _, pointer = a.c.cuMemAlloc(GRANULE)
    a.c.cuMemGetAddressRange(pointer + GRANULE + 4096)
    assert last(recorder)[0] == [{"ref": "a.dptr1", "plus": GRANULE + 4096}]
    a.c.cuMemGetAddressRange(pointer - 8)
    assert last(recorder)[0] == [{"ref": "a.dptr1", "plus": -8}]
    a.c.cuMemFree(pointer)
    a.c.cuMemGetAddressRange(pointer + GRANULE + 4096)
    assert last(recorder)[0] == [{"ref": "a.dptr1", "plus": GRANULE + 4096}]


def test_small_integers_are_literals(recorder: Recorder) -> None:
    """A size that happens to be a handle's value refers to nothing."""
    a = started(recorder)
    a.c.cuMemFree(4096)
    assert last(recorder)[0] == [4096]


def test_references_are_counted(recorder: Recorder) -> None:
    """A handle that was acquired twice is released twice before its name dies."""
    a = started(recorder)
    _, handle = a.c.cuMemCreate(GRANULE, pinned(handle_types=POSIX), 0)
    _, descriptor = a.c.cuMemExportToShareableHandle(handle, POSIX, 0)
    _, again = a.c.cuMemImportFromShareableHandle(descriptor, POSIX)
    name = recorder.names.by_text["a.handle1"]
    expected = {"name": "a.handle1", "plus": 0} if again == handle else {"new": "a.handle2"}
    assert last(recorder) == ([{"ref": "fd1"}, POSIX], {"handle": expected})
    before = name.references
    a.c.cuMemRelease(handle)
    assert name.references == before - 1


def test_processes_have_their_own_names(recorder: Recorder) -> None:
    """What another process opens is another name; what crosses has one name for all."""
    a, b = started(recorder), started(recorder)
    _, pointer = a.c.cuMemAlloc(GRANULE)
    _, handle = a.c.cuIpcGetMemHandle(pointer)
    _, opened = b.c.cuIpcOpenMemHandle(handle, 1)
    assert last(recorder) == ([{"ref": "ipc1"}, 1], {"pdptr": {"new": "b.dptr1"}})
    b.c.cuMemGetAddressRange(opened + 5)
    assert last(recorder)[0] == [{"ref": "b.dptr1", "plus": 5}]


def test_a_program_means_the_same_elsewhere(recorder: Recorder) -> None:
    """Every step of a program of two processes answers alike on a second machine, with other values."""
    a, b = started(recorder), started(recorder, 1)
    _, pointer = a.c.cuMemAlloc(GRANULE)
    a.c.cuMemsetD8(pointer + 3, 9, 40)
    buffer = bytearray(40)
    a.c.cuMemcpyDtoH(buffer, pointer + 3, 40)
    assert bytes(buffer) == b"\x09" * 40
    _, handle = a.c.cuMemCreate(GRANULE, pinned(handle_types=POSIX), 0)
    _, descriptor = a.c.cuMemExportToShareableHandle(handle, POSIX, 0)
    b.c.cuMemImportFromShareableHandle(descriptor, POSIX)
    recorder.close_descriptor(descriptor)
    a.c.cuMemImportFromShareableHandle(recorder.open_file(), POSIX)
    b.thread("t").c.cuCtxGetCurrent()
    a.c.cuMemAlloc(16, null="dptr")
    b.kill()
    assert b.c.cuCtxGetDevice() == (DIED, None)
    program = recorder.program
    with fakecuda.Machine(strict=False) as other:
        answers = run(program, other)
    assert compare(program, answers) == []
    assert answers == program.answers


def test_a_step_without_its_value_is_skipped() -> None:
    """Where a call failed that gave a value, the steps that need it are not made."""
    steps: list[dict[str, Any]] = [
        {"process": "a", "call": "spawn"},
        {"process": "a", "call": "cuMemAlloc", "args": [4096]},
        {"process": "a", "call": "cuMemFree", "args": [{"ref": "a.dptr1"}]},
    ]
    with fakecuda.Machine(strict=False) as machine:
        answers = run(Program("p", steps), machine)
    assert [answer["code"] for answer in answers] == [0, fakecuda.Result.NOT_INITIALIZED, SKIPPED]


def test_a_step_that_did_not_return_need_not(recorder: Recorder) -> None:
    """Where the model waits in vain, too, it answers the same; otherwise its answer differs."""
    a = started(recorder)
    _, stream = a.c.cuStreamCreate(1)
    _, flag = a.c.cuMemAlloc(64)
    assert a.c.cuStreamWaitValue32(stream, flag, 1, 1) == (0,)
    recorder.label("another stretch")
    b = started(recorder)
    assert b.c.cuCtxSynchronize() == (0,)
    program = recorder.program
    place = next(n for n, step in enumerate(program.steps) if step["call"] == "world")
    wait = {"process": "a", "call": "cuStreamSynchronize", "args": [{"ref": "a.stream1"}]}
    program.steps.insert(place, wait)
    program.answers.insert(place, {"code": HANG, "outs": {}})
    with fakecuda.Machine(strict=False) as machine:
        assert compare(program, run(program, machine)) == []
    program.steps[place] = {**wait, "call": "cuStreamGetId"}
    with fakecuda.Machine(strict=False) as machine:
        (found,) = compare(program, run(program, machine))
    assert (found.step, found.expected) == (place, HANG)


def test_descriptors_are_closed_once(recorder: Recorder) -> None:
    """A descriptor that the program closed is not closed again at its end."""
    descriptor = recorder.open_file()
    recorder.close_descriptor(descriptor)
    with pytest.raises(ValueError, match="is not a descriptor that this program holds"):
        recorder.close_descriptor(descriptor)
    left = recorder.open_file()
    recorder.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(left)


def test_functions_are_found_anew(recorder: Recorder) -> None:
    """A program names a function of the C library; a run has the address that it has there."""
    a = started(recorder)
    address = recorder.c_function("a", "sem_post")
    _, place = a.c.cuMemAllocHost(64)
    a.c.cuLaunchHostFunc(0, address, place + 4)
    a.c.cuStreamSynchronize(0)
    recorder.call("a", INSIDE, "cuMemAlloc", (16,))
    steps, answers = recorder.program.steps, recorder.program.answers
    assert {"process": "a", "call": "function", "args": ["sem_post"]} in steps
    assert steps[-3]["args"] == [0, {"ref": "a.function1"}, {"ref": "a.pinned1", "plus": 4}]
    assert (steps[-1]["inside"], answers[-1]["code"]) == (True, fakecuda.Result.NOT_PERMITTED)
    with fakecuda.Machine(strict=False) as other:
        assert run(recorder.program, other) == answers
    text = recorder.program.as_python()
    assert "a_function1 = a.c_function('sem_post')" in text
    assert "code, _ = a.inside.cuMemAlloc(16)" in text


def test_a_program_as_python_runs(recorder: Recorder) -> None:
    """The text of a program makes the same calls, and holds on the same kind of machine."""
    a = started(recorder)
    _, pointer = a.c.cuMemAlloc(GRANULE)
    a.c.cuMemcpyHtoD(pointer + 1, bytes(range(8)), 8)
    a.c.cuMemcpyDtoH(bytearray(8), pointer + 1, 8)
    recorder.close_descriptor(recorder.open_file())
    a.thread("t").c.cuCtxSetCurrent(0)
    a.c.cuMemAlloc(0)
    scope: dict[str, Any] = {}
    exec(compile(recorder.program.as_python(), "program", "exec"), scope)  # noqa: S102 - that is what the text is for
    with fakecuda.Machine(strict=False) as other:
        scope["play"](other)
        calls = [record.call for record in other.log]
    made = [step["call"] for step in recorder.program.steps if step["call"].startswith("cu")]
    assert calls == made


@pytest.mark.parametrize("name", ["h100-x2/linking questions/linking/inputs", "h200-x2/nvml nvml/handles"])
def test_names_that_answers_do_not_tell_are_in_the_text(name: str) -> None:
    """The text of a program has them, and runs: the image of a linker, and texts that are written otherwise."""
    place, _, program = name.partition(" ")
    found = read(ROOT / f"{place}.jsonl.gz")
    (number,) = found.programs.named(program)
    whole = found.programs[number]
    codes = [answer["code"] for answer in whole.answers]
    end = codes.index(CRASH) if CRASH in codes else None
    space: dict[str, Any] = {}
    text = Program(program, whole.steps[:end], whole.answers[:end]).as_python()
    exec(text, space)  # noqa: S102 - our own text
    with fakecuda.Machine(found.header.profile, strict=False) as machine:
        space["play"](machine)


def test_memory_that_structs_point_to_is_named(recorder: Recorder) -> None:
    """Operations of a batch and windows of streams mean the same memory on another machine."""
    a = started(recorder)
    place = a.c.cuMemAlloc(4096)[1]
    operations = ((1, place, 0, 1), (5, place + 8, 7, 0), (6, 0), (8, 0, 0, 0, place, 1))
    a.c.cuStreamBatchMemOp(0, 3, operations, 0)
    named = {"ref": "a.dptr1"}
    assert last(recorder)[0][2] == [
        [1, named, 0, 1],
        [5, {"ref": "a.dptr1", "plus": 8}, 7, 0],
        [6, 0],
        [8, 0, 0, 0, named, 1],
    ]
    a.c.cuStreamSetAttribute(0, 1, (place, 4096, 0.5, 2, 1))
    a.c.cuStreamGetAttribute(0, 1)
    with fakecuda.Machine(strict=False) as machine:
        assert compare(recorder.program, run(recorder.program, machine)) == []


def test_calls_of_both_apis_are_mixed(recorder: Recorder) -> None:
    """What one API made is a name to the other; structs tell which of their members are addresses."""
    a, b = recorder.spawn(), recorder.spawn()
    ptr = a.c.cudaMalloc(4096)[1]
    assert last(recorder)[1] == {"devPtr": {"new": "a.dptr1"}}
    assert a.c.cuMemsetD8(ptr + 8, 7, 8) == (0,)
    assert last(recorder)[0] == [{"ref": "a.dptr1", "plus": 8}, 7, 8]
    b.c.cudaIpcOpenMemHandle(a.c.cudaIpcGetMemHandle(ptr)[1], 1)
    assert last(recorder)[0] == [{"ref": "ipc1"}, 1]
    a.c.cudaPointerGetAttributes(ptr + 5)
    assert last(recorder)[1] == {"attributes": [2, 0, {"name": "a.dptr1", "plus": 5}, 0, {"volatile": True}]}
    rows = a.c.cudaMalloc3D((100, 10, 3))[1]
    a.c.cudaMemset3D(rows, 7, (100, 10, 3))
    assert last(recorder)[0][0] == [{"ref": "a.dptr2"}, 512, 100, 10]
    place = (0, (0, 0, 0), rows)
    a.c.cudaMemcpy3D((*place, *place, (10, 1, 1), 3))
    assert last(recorder)[0][0][2][0] == {"ref": "a.dptr2"}
    a.c.cudaGetDeviceProperties(0)
    assert last(recorder)[1]["prop"][1:4] == [{"volatile": True}] * 3
    stream = a.c.cuStreamCreate(0)[1]
    assert a.c.cudaMemcpyBatchAsync((ptr,), (ptr + 64,), (16,), 1, ((1, (0, 0), (0, 0), 0),), (0,), 1, stream)[0] == 0
    assert last(recorder)[0][0] == [{"ref": "a.dptr1"}]
    assert a.c.cudaStreamDestroy(stream) == a.c.cudaFree(ptr) == a.c.cudaFree(rows[0]) == (0,)
    assert a.c.cudaFree(ptr) == a.c.cudaGetLastError() == (1,)
    assert not recorder.names.by_text["a.stream1"].live
    with fakecuda.Machine(strict=False) as machine:
        assert not compare(recorder.program, run(recorder.program, machine))


def test_the_last_call_is_forgotten(recorder: Recorder) -> None:
    """The program is as if it had not been made."""
    a = started(recorder)
    before = list(recorder.program.steps), list(recorder.program.answers), list(recorder.rules)
    assert a.c.cuMemFree(1)[0] != 0
    recorder.forget()
    assert (recorder.program.steps, recorder.program.answers, recorder.rules) == before


def test_the_host_writes_addresses_and_reads_items_in_no_order(recorder: Recorder) -> None:
    """Numbers refer to what the program obtained; items that come in any order are sorted; a difference is found."""
    a = started(recorder)
    room = recorder.host_memory(a.name, 4096)
    recorder.write_memory(a.name, room, (room + 8, 7))
    assert recorder.program.steps[-1]["args"] == [{"ref": "a.host1"}, [{"ref": "a.host1", "plus": 8}, 7]]
    recorder.write_memory(a.name, room + 16, b"\3\1\2")
    assert recorder.read_memory(a.name, room + 16, 3) == b"\3\1\2"
    assert recorder.read_memory(a.name, room + 16, 3, items=1) == b"\1\2\3"
    program = recorder.program
    assert program.steps[-1] == {
        "process": "a",
        "call": "read",
        "args": [{"ref": "a.host1", "plus": 16}, 3],
        "sorted": 1,
    }
    assert "assert read(a, a_host1 + 16, 3, items=1) == bytes.fromhex('010203')" in program.as_python()
    with fakecuda.Machine(strict=False) as machine:
        answers = run(program, machine)
    assert compare(program, answers) == []
    with processes.machine(profiles.load("h200")) as machine:
        assert compare(program, run(program, machine)) == []
    answers[-1] = {"code": 0, "outs": {"bytes": {"hex": "010204"}}}
    (found,) = compare(program, answers)
    assert (found.call, found.out) == ("read", "bytes")


def test_parameters_of_kernels_are_referred_to(recorder: Recorder) -> None:
    """Where they lie in memory of the program; another address stays a number."""
    a = started(recorder)
    room = recorder.host_memory(a.name, 4096)
    function = a.c.cuModuleGetFunction(a.c.cuModuleLoadData(PTX)[1], b"empty")[1]
    for place, seen in ((room + 8, {"ref": "a.host1", "plus": 8}), (0, 0)):
        a.c.cuGraphAddKernelNode(a.c.cuGraphCreate(0)[1], None, 0, launch(function, kernelParams=place))
        assert recorder.program.steps[-1]["args"][3][8] == seen
