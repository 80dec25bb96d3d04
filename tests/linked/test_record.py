"""Programs that are recorded beside a driver, and their recordings on a model of the machine."""

from __future__ import annotations

import gzip
import json
import os
from typing import TYPE_CHECKING, Any

import msgpack
import pytest

from conformance.kit.program import Program
from conformance.record.checked import Checked, compared
from conformance.record.log import Log
from conformance.record.recordings import read
from fakecuda import Machine
from fakecuda.__main__ import main
from fakecuda.reach.shadow import ring
from fakecuda.reach.shadow.build import PROCESSOR
from fakecuda.reach.shadow.ring import Record
from fakecuda.reach.shadow.tables import known

from .shadow import on, recorded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.uname().machine != PROCESSOR, reason=f"programs are recorded on {PROCESSOR}")


def logged(machine: Machine, program: Path, what: str) -> Log:
    """Return the log of a program."""
    _, _, found = recorded([str(program), what], *on(machine))
    log = Log()
    log.read(found)
    return log


def replayed(log: Log) -> Checked:
    """Return what a model says of a log."""
    with Machine("h200-x2", seed=0, kernels="skip") as model:
        return compared(log.program, model)


@pytest.mark.parametrize(
    "what",
    [
        "exit",
        "exec",
        "threads",
        "fork later",
        "fork first",
        "ipc",
        "graph",
        "nodes",
        "map",
        "refused",
        "structs",
        "own stream",
    ],
)
def test_a_model_gives_the_recorded_answers(machine: Machine, compile_program: Callable[..., Path], what: str) -> None:
    """Each call is made again: names stand for addresses and handles, pages for the host's memory."""
    log = logged(machine, compile_program("shadow", "libcuda.so", options=("-ldl",)), what)
    assert (log.uncounted, log.others, log.in_flight) == ({}, {}, [])
    checked = replayed(log)
    assert (checked.differences, checked.skipped, checked.adopted, checked.ended) == ([], 0, 0, "")
    assert checked.answers == sum(step["call"].startswith("cu") for step in log.program.steps) > 0


def test_processes_of_a_log(machine: Machine, compile_program: Callable[..., Path]) -> None:
    """A fork of a process that has used the driver is that process's fork; another program is another process."""
    program = compile_program("shadow", "libcuda.so", options=("-ldl",))
    forked = [step.get("forked", False) for step in logged(machine, program, "fork later").program.steps]
    assert forked == [False, False, False, False, True, False, False]
    for what, lives in {
        "fork first": ["a spawn", "b spawn"],
        "exec": ["a kill", "a spawn", "b spawn"],
        "exit": ["a spawn"],
    }.items():
        steps = logged(machine, program, what).program.steps
        assert (
            sorted(f"{step['process']} {step['call']}" for step in steps if step["call"] in {"spawn", "kill"}) == lives
        )


def test_a_free_stands_where_it_began(machine: Machine, compile_program: Callable[..., Path]) -> None:
    """No address of the log is given twice without a free in between, though threads call at the same time."""
    log = logged(machine, compile_program("shadow", "libcuda.so", options=("-ldl",)), "threads")
    live: set[str] = set()
    for step, answer in zip(log.program.steps, log.program.answers, strict=True):
        if step["call"] == "cuMemAlloc":
            live.add(answer["outs"]["dptr"]["new"])
        elif step["call"] == "cuMemFree":
            live.remove(step["args"][0]["ref"])
    assert live == set()


def test_the_driver_ends_before_the_program() -> None:
    """From its exit on, a process's calls answer DEINITIALIZED: the process has begun to exit."""
    number = [one.name for one in known()].index("cuInit")
    called = Record(ring.CALLED, 0, number, 2, 7, 7, 0, 0, bytes(8))
    answered = Record(ring.ANSWERED, 0, number, 3, 7, 7, 4, 0, msgpack.packb([0]))
    log = Log()
    log.read([Record(ring.STARTED, 0, 0, 1, 7, 7, 0, 1, b"program"), *[called, answered] * 2])
    assert [step["call"] for step in log.program.steps] == ["spawn", "begin_exit", "cuInit", "cuInit"]
    assert [answer["code"] for answer in log.program.answers] == [0, 0, 4, 4]


def log_of(*calls: tuple[str, list[Any]], last: int = 0) -> Log:
    """Return the log of a process that makes calls of these arguments and results, and what the last one answers."""
    numbers = {one.name: number for number, one in enumerate(known())}
    found = [Record(ring.STARTED, 0, 0, 1, 7, 7, 0, 1, b"program")]
    for place, (name, values) in enumerate(calls, 1):
        code = last if place == len(calls) else 0
        found.append(Record(ring.CALLED, 0, numbers[name], 2, 7, 7, 0, 0, b"\1" * 80))
        found.append(Record(ring.ANSWERED, 0, numbers[name], 3, 7, 7, code, 0, msgpack.packb(values)))
    log = Log()
    log.read(found)
    return log


def test_records_wait_for_the_answer_of_a_free() -> None:
    """While a program still runs, it is not known whether the driver takes a free. A thread's next call ends the wait."""
    numbers = {one.name: number for number, one in enumerate(known())}
    free, other = numbers["cuMemFree_v2"], numbers["cuCtxSynchronize"]
    log = Log()
    for kind, thread, symbol, calls in (
        (ring.STARTED, 7, 0, []),
        (ring.CALLED, 7, free, []),
        (ring.CALLED, 8, other, []),
        (ring.ANSWERED, 8, other, []),
        (ring.ANSWERED, 7, free, ["cuMemFree", "cuCtxSynchronize"]),
        (ring.CALLED, 7, free, ["cuMemFree", "cuCtxSynchronize"]),
        (ring.CALLED, 7, other, ["cuMemFree", "cuCtxSynchronize"]),
        (ring.ANSWERED, 7, other, ["cuMemFree", "cuCtxSynchronize", "cuCtxSynchronize"]),
    ):
        body = msgpack.packb([4096] if symbol == free else []) if kind == ring.ANSWERED else bytes(8)
        log.feed([Record(kind, 0, symbol, 1, 7, thread, 0, 1, body)])
        assert [step["call"] for step in log.program.steps if step["call"] != "spawn"] == calls
    assert log.in_flight == ["cuMemFree_v2"]


def test_copied_memory_that_no_call_gave_is_the_hosts() -> None:
    """An address in memory that lives is that memory; in freed memory, or elsewhere, host memory."""
    memory, host = 0x7F0000000000, 0x7F0000100000
    log = log_of(
        ("cuMemAlloc_v2", [4096, memory]),
        ("cuMemcpyAsync", [memory + 8, host + 16, 64, 0]),
        ("cuMemFree_v2", [memory]),
        ("cuMemcpyAsync", [memory + 8, host + 32, 64, 0]),
    )
    copies = [step["args"][:2] for step in log.program.steps if step["call"] == "cuMemcpyAsync"]
    first, second = ({"ref": f"a.host{number}"} for number in (1, 2))
    assert copies == [
        [{"ref": "a.dptr1", "plus": 8}, {**first, "plus": 16}],
        [{**second, "plus": 8}, {**first, "plus": 32}],
    ]


def test_a_function_without_arguments_may_have_ordered_work() -> None:
    """A step stands for it, unless its name says that it orders no work: the driver's, and those of a driver to come."""
    log = log_of(
        ("cuStreamCreate", [0, 1 << 40]),
        ("cuGetExportTable", []),
        ("cuWaitExternalSemaphoresAsync", []),
        ("cuTexRefCreate", []),
    )
    waits = {"process": "a", "call": "cuWaitExternalSemaphoresAsync", "args": [{"ref": "unseen.words"}]}
    assert [step["call"] for step in log.program.steps] == ["spawn", "cuStreamCreate", waits["call"]]
    assert log.program.steps[2] == waits
    for name in ("cuOrderOfTheFuture", "cuOfTheFutureGet"):
        log.feed([Record(ring.OTHER, 0, 0, 9, 7, 7, 0, 0, name.encode())])
    assert [step["call"] for step in log.program.steps[3:]] == ["cuOrderOfTheFuture"]
    assert log.others == {"cuOrderOfTheFuture": 1, "cuOfTheFutureGet": 1}
    checked = checked_of((log.program.steps[3], DONE), (log.program.steps[2], {"code": 1, "outs": {}}))
    assert (checked.differences, checked.skipped, checked.ended) == ([], 2, "")


def test_a_refused_copy_may_have_any_address() -> None:
    """A driver has not used it, so it is not known to be host memory."""
    log = log_of(("cuMemcpyAsync", [1 << 40, 2 << 40, 64, 0]), last=1)
    assert [step.get("args") for step in log.program.steps] == [
        None,
        [{"ref": "unseen.dptr1"}, {"ref": "unseen.dptr2"}, 64, 0],
    ]


def test_a_handle_of_unloaded_code_is_given_again() -> None:
    """The functions of a library's module end with the library."""
    library, module, kernel = 1 << 40, 2 << 40, 3 << 40
    load: tuple[str, list[Any]] = "cuLibraryLoadData", [None, [], [], 0, [], [], 0, library]
    look_up = "cuLibraryGetKernel", [library, b"k", kernel]
    of_module = ("cuLibraryGetModule", [library, module]), ("cuModuleGetFunction", [module, b"k", kernel])
    log = log_of(load, *of_module, ("cuLibraryUnload", [library]), load, look_up)
    outs = [next(iter(answer["outs"].values()), None) for answer in log.program.answers]
    assert outs[3] == {"new": "a.kernel1"}
    assert outs[6] == {"new": "a.kernel2"}


def test_a_copy_of_rows_uses_host_memory() -> None:
    """Its struct says how much: layers of rows with a pitch."""
    memory, host = 0x7F0000000000, 0x7E0000000000
    source, target = [0, 0, 0, 0, 1, host, 0, 0, 0, 4096, 512], [0, 0, 0, 0, 2, 0, memory, 0, 0, 4096, 512]
    log = log_of(("cuMemAlloc_v2", [16 << 20, memory]), ("cuMemcpy3D_v2", [[*source, *target, 4096, 512, 3]]))
    sizes = [step["args"][0] for step in log.program.steps if step["call"] == "memory"]
    assert 3 * 512 * 4096 <= sizes[0] <= 5 * 512 * 4096


def test_what_lies_behind_memory_is_the_hosts() -> None:
    """A driver gives addresses near those of the host: an address outside of memory that lives is not that memory."""
    memory = 0x7F0000000000
    log = log_of(
        ("cuMemAlloc_v2", [4096, memory]),
        ("cuMemcpyDtoH_v2", [memory + (1 << 20), memory, 64]),
        ("cuMemHostRegister_v2", [memory + (4 << 20), 2 << 20, 0]),
        ("cuPointerGetAttribute", [2, memory + 4096, 0]),
        ("cuPointerGetAttribute", [2, memory + 4097, 0]),
    )
    first, second = ({"ref": f"a.host{number}"} for number in (1, 2))
    assert [step.get("args") for step in log.program.steps] == [
        None,
        [4096],
        [1 << 16],
        [first, {"ref": "a.dptr1"}, 64],
        [2 << 20],
        [second, 2 << 20, 0],
        [2, {"ref": "a.dptr1", "plus": 4096}],
        [2, {"ref": "unseen.dptr1"}],
    ]


def test_a_context_has_the_name_of_its_later_call() -> None:
    """A runtime retains it past the recorded calls, and makes it current; then the program retains it, too."""
    context, other = 1 << 40, 2 << 40
    log = log_of(
        ("cuCtxSetCurrent", [context]), ("cuCtxSetCurrent", [other]), ("cuDevicePrimaryCtxRetain", [0, context])
    )
    assert [step.get("args") for step in log.program.steps] == [
        None,
        [{"ref": "a.ctx1"}],
        [{"ref": "unseen.ctx2"}],
        [0],
    ]


ALLOCATION: list[dict[str, Any]] = [
    {"process": "a", "call": "spawn"},
    {"process": "a", "call": "cuInit", "args": [0]},
    {"process": "a", "call": "cuDevicePrimaryCtxRetain", "args": [0]},
]
DONE: dict[str, Any] = {"code": 0, "outs": {}}
RETAINED = [DONE, DONE, {"code": 0, "outs": {"pctx": {"new": "a.ctx1"}}}]
ALLOCATES = {"process": "a", "call": "cuMemAlloc", "args": [8]}
CURRENT = {"process": "a", "call": "cuCtxGetCurrent", "args": []}
MEMORY = {"code": 0, "outs": {"dptr": {"new": "a.dptr1"}}}


def checked_of(*pairs: tuple[Any, Any]) -> Checked:
    """Return what a model says of a program that retains a primary context and goes on."""
    steps, answers = zip(*pairs, strict=True)
    with Machine("h200", seed=0, kernels="skip") as model:
        return compared(Program("p", [*ALLOCATION, *steps], [*RETAINED, *answers]), model)


def test_a_context_that_became_current_past_the_log_is_adopted() -> None:
    """The runtime makes it current by private tables; then the thread's calls have it."""
    got = {"code": 0, "outs": {"pctx": {"name": "a.ctx1", "plus": 0}}}
    checked = checked_of((CURRENT, got), (ALLOCATES, MEMORY), (CURRENT, got))
    assert (checked.differences, checked.adopted, checked.answers) == ([], 1, 4)
    (difference,) = checked_of((ALLOCATES, MEMORY)).differences
    assert str(difference) == "step 3 a.cuMemAlloc: INVALID_CONTEXT instead of SUCCESS"


def test_what_follows_failed_work_is_not_compared() -> None:
    """A kernel's fault is an input: the model does not run it."""
    waits = {"process": "a", "call": "cuCtxSynchronize", "args": []}
    current = {"process": "a", "call": "cuCtxSetCurrent", "args": [{"ref": "a.ctx1"}]}
    failed = {"code": 700, "outs": {}}
    checked = checked_of((current, DONE), (waits, failed), (ALLOCATES, failed))
    assert (checked.differences, checked.skipped, checked.answers) == ([], 1, 3)


def test_what_was_not_recorded_is_not_made() -> None:
    """The model does not know a handle that no recorded call has given."""
    stream = {"process": "a", "call": "cuStreamSynchronize", "args": [{"ref": "unseen.stream"}]}
    checked = checked_of((stream, DONE))
    assert (checked.differences, checked.skipped, checked.answers) == ([], 1, 2)


def test_a_graph_without_skipped_work_is_not_used() -> None:
    """A launch of an unknown kernel is no node of the model's graph, so that the graph is unknown, too."""
    stream, graph = {"ref": "a.stream1"}, {"ref": "a.graph1"}
    launch = [{"ref": "unseen.kernel"}, 1, 1, 1, 1, 1, 1, 0, stream, 0, 0]
    checked = checked_of(
        (_call("cuCtxSetCurrent", {"ref": "a.ctx1"}), DONE),
        (_call("cuStreamCreate", 0), {"code": 0, "outs": {"phStream": {"new": "a.stream1"}}}),
        (_call("cuStreamBeginCapture", stream, 0), DONE),
        (_call("cuLaunchKernel", *launch), DONE),
        (_call("cuStreamEndCapture", stream), {"code": 0, "outs": {"phGraph": {"new": "a.graph1"}}}),
        (_call("cuGraphGetNodes", graph, 0), {"code": 0, "outs": {"nodes": [], "numNodes": 1}}),
        (_call("cuGraphCreate", 0), {"code": 0, "outs": {"phGraph": {"new": "a.graph2"}}}),
        (_call("cuGraphAddKernelNode", {"ref": "a.graph2"}, None, 0, {"ref": "unseen.kernel"}), DONE),
        (_call("cuGraphGetNodes", {"ref": "a.graph2"}, 0), {"code": 0, "outs": {"nodes": [], "numNodes": 1}}),
    )
    assert (checked.differences, checked.skipped, checked.answers) == ([], 4, 7)


def test_names_are_those_of_the_recording() -> None:
    """What was not made has its number all the same."""
    checked = checked_of(
        (_call("cuCtxSetCurrent", {"ref": "a.ctx1"}), DONE),
        (
            _call("cuModuleGetGlobal", {"ref": "unseen.module"}, b"x".hex()),
            {"code": 0, "outs": {"dptr": {"new": "a.dptr1"}}},
        ),
        (ALLOCATES, {"code": 0, "outs": {"dptr": {"new": "a.dptr2"}}}),
        (_call("cuMemFree", {"ref": "a.dptr1"}), DONE),
        (_call("cuMemFree", {"ref": "a.dptr2"}), DONE),
        (_call("cuMemFree", {"ref": "a.dptr2"}), {"code": 1, "outs": {}}),
    )
    assert (checked.differences, checked.skipped, checked.answers) == ([], 2, 6)


def _call(name: str, *args: Any) -> dict[str, Any]:
    return {"process": "a", "call": name, "args": list(args)}


def test_record_and_check(
    machine: Machine, compile_program: Callable[..., Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The status is the program's; an answer that was changed is listed."""
    program = compile_program("shadow", "libcuda.so", options=("-ldl",))
    library, environ = on(machine)
    file = tmp_path / "recorded" / "exit.jsonl.gz"
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**environ, "LD_LIBRARY_PATH": str(library.parent)}.items():
            patch.setenv(name, value)
        assert main(["record", "-o", str(file), "--profile", "h200-x2", "--", str(program), "exit"]) == 5
    assert capfd.readouterr() == ("at exit 0\n", f"fakecuda: {file}: 5 calls of 1 processes\n")
    found = read(file)
    assert (found.header.profile, found.programs[0].about) == ("h200-x2", f"{program} exit")
    assert main(["check", str(file)]) == 0
    summary = "answers differ, 0 calls were not made, 0 contexts were current past the recorded calls"
    kept = "process a ended with objects that libraries keep, or whose calls have no stack: retain 1"
    assert (
        capfd.readouterr().out
        == f"{file}: {program} exit: {kept}\n{file}: {program} exit: 0 findings, 0 of 5 {summary}\n"
    )
    lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    row = json.loads(lines[1])
    row["answers"][-2]["code"] = 1
    changed = file.with_name("changed.jsonl")
    changed.write_text(f"{lines[0]}\n{json.dumps(row)}\n")
    assert main(["check", str(changed)]) == 1
    line = "step 5 a.cuMemFree: SUCCESS instead of INVALID_VALUE"
    head = f"{changed}: {program} exit:"
    refused = "1 calls were refused: cuMemFree INVALID_VALUE 1"
    assert capfd.readouterr().out.endswith(f"{head} {refused}\n{line}\n{head} 1 finding, 1 of 5 {summary}\n")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["record", "-o", "x.txt", "--", "true"], "x.txt does not end in .jsonl or .jsonl.gz"),
        (["record", "-o", "x.jsonl", "--", "no-such-program"], "there is no program no-such-program"),
        (
            ["record", "-o", "/proc/x/y.jsonl", "--", "true"],
            "/proc/x/y.jsonl cannot be written (No such file or directory)",
        ),
        (["check", "--real", "--profile", "h100-x9", "--", "true"], "profile 'h100-x9' is no file, and fakecuda has"),
        (["check", "nothing.jsonl"], "nothing.jsonl: no recording"),
    ],
)
def test_wrong_use(
    command: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line says what is wrong; the status is 2."""
    monkeypatch.chdir(tmp_path)
    assert main(command) == 2
    assert capsys.readouterr().err.startswith(f"fakecuda: {told}")
    assert list(tmp_path.iterdir()) == []


def test_a_log_of_future_functions(machine: Machine, compile_program: Callable[..., Path]) -> None:
    """Images of code are not kept: loading one is not made again, nor what depends on the module."""
    log = logged(machine, compile_program("links", "libcuda.so"), "")
    checked = replayed(log)
    assert checked.differences == []
    assert checked.skipped > 0
    assert {"ref": "unseen.image"} in [arg for step in log.program.steps for arg in step.get("args", [])]
