"""Recordings of whole programs, shortened to the first call of each class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.kit.program import Program
from conformance.kit.world import Unavailable
from conformance.record import condensed, recordings
from conformance.record.answers import heard
from conformance.record.recordings import RECORDED, Header, RecordingError, hash_of
from conformance.record.replay import PROCESSES, replay
from fakecuda.profiles import HERE
from tests.linked.shadow import DONE, LAUNCH, LOAD, call, made

if TYPE_CHECKING:
    from pathlib import Path

HEADER = Header("h200", 13000, "", "h200", hash_of(HERE / "h200.toml"))
REFUSED = {"code": 1, "outs": {}}


def program(*pairs: tuple[Any, Any], name: str = "p") -> Program:
    """Return a recorded program that has loaded a module with a kernel, and goes on."""
    steps, answers = zip(*LOAD, *pairs, strict=True)
    return Program(name, [dict(step) for step in steps], list(answers), RECORDED)


def written(path: Path, *programs: Program) -> Path:
    """Write a recording."""
    recordings.write(path, HEADER, programs)
    return path


def shortened(path: Path, *pairs: tuple[Any, Any]) -> list[str]:
    """Return the calls of a program's shorter form, without those of LOAD."""
    short, _ = condensed.condensed(program(*pairs), set(), written(path / "p.jsonl.gz", program(*pairs)))
    return [step["call"] for step in short.steps[len(LOAD) :]]


def allocated(number: int, size: int = 4096) -> tuple[Any, Any]:
    """Return a step that allocates memory."""
    return call("cuMemAlloc", size), made("dptr", f"a.dptr{number}")


def on(name: str, number: int, *more: Any) -> Any:
    """Return a step whose first argument is memory."""
    return call(name, {"ref": f"a.dptr{number}"}, *more)


def test_a_class_is_there_once(tmp_path: Path) -> None:
    """A size below a granule is like another, a large one is not; a call on freed memory differs from one on living memory."""
    pairs = [
        allocated(1),
        allocated(2, 8192),
        allocated(3, 64 << 20),
        (on("cuMemsetD8", 2, 7, 16), DONE),
        (on("cuMemsetD8", 1, 7, 16), DONE),
        (on("cuMemFree", 2), DONE),
        (on("cuMemFree", 2), REFUSED),
        (on("cuMemFree", 1), DONE),
    ]
    assert shortened(tmp_path, *pairs) == [
        "cuMemAlloc",
        "cuMemAlloc",
        "cuMemAlloc",
        "cuMemsetD8",
        "cuMemFree",
        "cuMemFree",
    ]


def test_launches_are_there_once_and_a_capture_is_whole(tmp_path: Path) -> None:
    """The graph has what was captured, also what alone would show nothing new."""
    stream = {"ref": "a.stream1"}
    begin = (call("cuStreamBeginCapture", stream, 0), DONE)
    end = call("cuStreamEndCapture", stream)
    graph = {"ref": "a.graph1"}
    nodes = (
        call("cuGraphGetNodes", graph, 2),
        {"code": 0, "outs": {"nodes": [{"new": f"a.node{n}"} for n in (1, 2)], "numNodes": 2}},
    )
    assert shortened(tmp_path, (LAUNCH, DONE), (LAUNCH, DONE), (LAUNCH, DONE)) == ["cuLaunchKernel"]
    pairs = [begin, (LAUNCH, DONE), (LAUNCH, DONE), (end, made("phGraph", "a.graph1")), nodes]
    assert shortened(tmp_path, *pairs)[:4] == [
        "cuStreamBeginCapture",
        "cuLaunchKernel",
        "cuLaunchKernel",
        "cuStreamEndCapture",
    ]


def test_what_names_the_machine_is_left_out(tmp_path: Path) -> None:
    """Paths, numbers of processes and threads, stacks, and the command line."""
    whole = program(
        (call("cuMemAlloc", 0) | {"thread": "t4711", "stack": [["/home/me/it.py", 3, "f"]]}, {"code": 201, "outs": {}})
    )
    whole.steps[0] |= {"pid": 4710, "program": "/home/me/python"}
    whole.about = "python /home/me/it.py"
    short, counts = condensed.condensed(whole, set(), written(tmp_path / "p.jsonl.gz", whole))
    text = recordings.line_of(short)
    assert "/home" not in text
    assert "471" not in text
    assert short.steps[-1] == call("cuMemAlloc", 0) | {"thread": "t1"}
    assert counts["refusals"] == 1


def test_no_address_of_the_program_is_kept(tmp_path: Path) -> None:
    """Neither of a kernel's parameters, nor of a host function's data, nor of the buffer for a linker's messages: none is read."""
    stack, node = 0x7FFC_0000_1230, [{"ref": "a.kernel1"}, 1, 1, 1, 64, 1, 1, 0, 0x7FFC_0000_1230, 0, 0, 0]
    calls = [
        (call("cuLaunchKernel", *LAUNCH["args"][:9], stack, 0), DONE),
        (call("cuLaunchHostFunc", {"ref": "a.stream1"}, {"ref": "unseen.function1"}, stack), DONE),
        (call("cuLinkCreate", 2, [3, 4], [stack, 0]), made("stateOut", "a.linker1")),
        (call("cuGraphCreate", 0), made("phGraph", "a.graph1")),
        (call("cuGraphAddKernelNode", {"ref": "a.graph1"}, None, 0, node), made("phGraphNode", "a.node1")),
        (call("cuMemAlloc", 1 << 45), {"code": 2, "outs": {}}),
    ]
    whole = program(*calls)
    short, _ = condensed.condensed(whole, set(), written(tmp_path / "p.jsonl.gz", whole))
    assert [step["call"] for step in short.steps] == [step["call"] for step in whole.steps]
    assert str(stack) not in recordings.line_of(short)
    assert short.steps[-1]["args"] == [1 << 45]


def test_the_command_counts_a_class_once_for_all_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What it writes is replayed without a card, with code whose image was not kept. It tells no rule of it."""
    paths = [
        written(tmp_path / f"{name}.jsonl.gz", program(allocated(1), (LAUNCH, DONE), name=name))
        for name in ("one", "two")
    ]
    assert condensed.main([*map(str, paths), "--out", str(tmp_path / "out")]) == 0
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["program", "calls", "effects", "refusals", "queries", "steps", "not made"]
    assert [row[0] for row in rows[2:]] == ["programs/one", "programs/two"]
    assert [(sum(map(int, row[2:5])), int(row[6])) for row in rows[2:]] == [(8, 0), (0, 0)]
    out = tmp_path / "out" / "programs.jsonl.gz"
    replayed = replay(out, 0)
    assert (replayed.answers, replayed.unknown) == (8, ())
    assert heard(out, 0) == ()
    with pytest.raises(Unavailable, match="load no images that were not kept"):
        replay(out, 0, PROCESSES)


def test_a_program_that_the_model_answers_otherwise_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its difference is to be settled first."""
    path = written(
        tmp_path / "p.jsonl.gz", program((call("cuMemAlloc", 0), made("dptr", "a.dptr1")), (on("cuMemFree", 1), DONE))
    )
    assert condensed.main([str(path)]) == 2
    assert "cuMemAlloc: INVALID_VALUE instead of SUCCESS" in capsys.readouterr().err
    with pytest.raises(RecordingError):
        condensed.condensed(recordings.read(path).programs[0], set(), path)
