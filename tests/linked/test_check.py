"""Programs with planted bugs that are checked beside a driver, and their fixed twins."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from conformance.kit.program import Program
from conformance.record.checked import compared
from conformance.record.swept import places
from fakecuda import Machine
from fakecuda.__main__ import main
from fakecuda.reach.shadow.build import PROCESSOR

from .shadow import DONE, LAUNCH, LOAD, TEXT, call, checked_of, made, on

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.uname().machine != PROCESSOR, reason=f"programs are recorded on {PROCESSOR}")

STATUS = 3
"""The exit statuses of the programs."""
BUGS = {
    "unmap": ["undefined behaviour: cuMemUnmap in process a", "earlier    cuMemsetD8Async in stream", "in unmap"],
    "leak": ["left behind: allocation of process a", "made at    call:", "in leak", "fix        free it: cuMemFree"],
    "race": [
        "undefined behaviour: cuMemcpyDtoDAsync in process a",
        "rule       stream.race.ACCESSES_ARE_ORDERED",
        "in race",
    ],
    "own": [
        "undefined behaviour: cuMemsetD8Async in process a",
        "rule       stream.race.ACCESSES_ARE_ORDERED",
        "in own",
    ],
    "pool": ["undefined behaviour: cuMemFreeAsync in process a", "in pool"],
    "twice": [
        "refused: cuMemFree in process a -> INVALID_VALUE",
        "rule       memory.mem_free.POINTER_IS_A_BASE",
        "in twice",
    ],
    "again": ["refused: cuStreamCreate in process a -> INVALID_VALUE", "refused 3 times, one after the other"],
    "past": [
        "undefined behaviour: cuStreamSynchronize in process a",
        "rule       stream.handle.STREAM_IS_LIVE",
        "created at call:4 in no recorded call",
        "in past",
    ],
    "hidden": ["refused: cuMemFree in process a -> INVALID_VALUE", "in hidden"],
    "share": ["undefined behaviour: cuMemFree in process", "opened at call:", "in share"],
}
"""The programs, and parts of their reports."""


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(
    machine: Machine,
    compile_program: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    bug: str,
) -> None:
    """The status is 1, and the report has the calls and the lines of the program; the fixed twin has no finding."""
    program = compile_program("wrong", "libcuda.so", options=("-g", "-ldl"))
    library, environ = on(machine)
    for name, value in {**environ, "LD_LIBRARY_PATH": str(library.parent)}.items():
        monkeypatch.setenv(name, value)
    assert main(["check", "--real", "--profile", "h200-x2", "--", str(program), bug]) == 1
    said = capfd.readouterr().err
    for part in (*BUGS[bug], " 1 finding, 0 of ", f", {program}\n"):
        assert part in said
    assert main(["check", "--real", "--profile", "h200-x2", "--", str(program), bug, "fixed"]) == STATUS
    said = capfd.readouterr().err
    assert " 0 findings, 0 of " in said


def test_launches_are_made() -> None:
    """The model checks the handles of a launch and of what its code has; the bytes of its parameters are not read."""
    checked = checked_of(
        (LAUNCH, DONE),
        (call("cuLaunchKernelEx", [1, 1, 1, 64, 1, 1, 0, {"ref": "a.stream1"}, []], {"ref": "a.kernel1"}, 0, 0), DONE),
        (
            call("cuModuleGetGlobal", {"ref": "a.module1"}, {"hex": "76"}),
            {"code": 0, "outs": {"dptr": {"new": "a.dptr1"}, "bytes": 8}},
        ),
        (call("cuMemsetD8", {"ref": "a.dptr1", "plus": 7}, 0, 1), DONE),
        (call("cuMemsetD8", {"ref": "a.dptr1", "plus": 7}, 0, 2), {"code": 1, "outs": {}}),
        (call("cuModuleGetFunction", {"ref": "a.module1"}, {"hex": "6e6f6e65"}), {"code": 500, "outs": {}}),
        (call("cuFuncGetAttribute", 0, {"ref": "a.kernel1"}), {"code": 0, "outs": {"pi": 64}}),
        (call("cuFuncGetAttribute", 2, {"ref": "a.kernel1"}), {"code": 0, "outs": {"pi": 356}}),
        (call("cuFuncGetAttribute", 9, {"ref": "a.kernel1"}), {"code": 0, "outs": {"pi": -1}}),
        (call("cuStreamSynchronize", {"ref": "a.stream1"}), DONE),
        (call("cuModuleUnload", {"ref": "a.module1"}), DONE),
        (LAUNCH, {"code": 400, "outs": {}}),
    )
    assert (checked.differences, checked.skipped, checked.ended) == ([], 0, "")
    assert checked.answers == len(LOAD) - 1 + 12
    wide = {**LAUNCH, "args": [*LAUNCH["args"][:4], 65, *LAUNCH["args"][5:]]}
    told = (call("cuFuncGetAttribute", 0, {"ref": "a.kernel1"}), {"code": 0, "outs": {"pi": 64}})
    (difference,) = checked_of(told, (wide, DONE)).differences
    assert str(difference) == "step 8 a.cuLaunchKernel: INVALID_VALUE instead of SUCCESS"


def test_what_the_code_alone_decides_is_not_compared() -> None:
    """A driver may refuse a launch because of the code; the graph that lacks it is not used any more."""
    graph = {"ref": "a.graph1"}
    checked = checked_of(
        (call("cuStreamBeginCapture", {"ref": "a.stream1"}, 0), DONE),
        (LAUNCH, {"code": 701, "outs": {}}),
        (call("cuStreamEndCapture", {"ref": "a.stream1"}), made("phGraph", "a.graph1")),
        (call("cuGraphGetNodes", graph, 0), {"code": 0, "outs": {"nodes": [], "numNodes": 0}}),
        (call("cuModuleGetFunction", {"ref": "a.module1"}, {"hex": "6f"}), {"code": 209, "outs": {}}),
        (call("cuModuleLoadData", {"ref": "unseen.image"}), {"code": 200, "outs": {}}),
        (call("cuModuleGetFunctionCount", {"ref": "a.module1"}), {"code": 0, "outs": {"count": 3}}),
    )
    assert (checked.differences, checked.skipped) == ([], 5)


def test_nodes_with_kernels_are_made() -> None:
    """A node's parameters are not read either."""
    node = [{"ref": "a.kernel1"}, 1, 1, 1, 64, 1, 1, 0, 0, 1 << 40, 0, 0]
    checked = checked_of(
        (call("cuGraphCreate", 0), made("phGraph", "a.graph1")),
        (call("cuGraphAddKernelNode", {"ref": "a.graph1"}, None, 0, node), made("phGraphNode", "a.node1")),
        (call("cuGraphKernelNodeSetParams", {"ref": "a.node1"}, node), DONE),
        (call("cuGraphInstantiate", {"ref": "a.graph1"}, 0), made("phGraphExec", "a.executable1")),
        (call("cuGraphLaunch", {"ref": "a.executable1"}, {"ref": "a.stream1"}), DONE),
    )
    assert (checked.differences, checked.skipped, checked.answers) == ([], 0, len(LOAD) - 1 + 5)


def test_code_that_is_loaded_again_has_new_handles() -> None:
    """A driver may give the handles and addresses of an unloaded module to the next one."""
    checked = checked_of(
        (
            call("cuModuleGetGlobal", {"ref": "a.module1"}, {"hex": "76"}),
            {"code": 0, "outs": {"dptr": {"new": "a.dptr1"}, "bytes": 8}},
        ),
        (call("cuModuleUnload", {"ref": "a.module1"}), DONE),
        (call("cuModuleLoadData", {"ref": "unseen.image"}), made("module", "a.module2")),
        (
            call("cuModuleGetGlobal", {"ref": "a.module2"}, {"hex": "76"}),
            {"code": 0, "outs": {"dptr": {"new": "a.dptr2"}, "bytes": 8}},
        ),
        (call("cuMemsetD8", {"ref": "a.dptr2"}, 0, 8), DONE),
    )
    assert (checked.differences, checked.skipped) == ([], 0)


def test_a_library_has_what_its_module_has() -> None:
    """Kernels, functions and modules of one image are one code, and end with the library."""
    told = {"code": 0, "outs": {"pi": 64}}
    library, kernel, function = ({"ref": f"a.{one}"} for one in ("library1", "kernel2", "kernel3"))
    wide = [function, *LAUNCH["args"][1:4], 65, *LAUNCH["args"][5:]]
    checked = checked_of(
        (call("cuLibraryLoadData", {"ref": "unseen.image"}, [], [], 0, [], [], 0), made("library", "a.library1")),
        (call("cuLibraryGetKernel", library, TEXT), made("pKernel", "a.kernel2")),
        (call("cuKernelGetFunction", kernel), made("pFunc", "a.kernel3")),
        (call("cuFuncGetAttribute", 0, function), told),
        (call("cuLaunchKernel", *wide), {"code": 1, "outs": {}}),
        (call("cuLibraryGetModule", library), made("pMod", "a.module2")),
        (call("cuModuleGetFunction", {"ref": "a.module2"}, {"hex": "6c"}), made("hfunc", "a.kernel4")),
        (
            call("cuLibraryGetManaged", library, {"hex": "6d"}),
            {"code": 0, "outs": {"dptr": {"new": "a.dptr1"}, "bytes": 8}},
        ),
        (call("cuLibraryUnload", library), DONE),
    )
    assert (checked.differences, checked.skipped) == ([], 0)


def test_bytes_that_a_kernel_may_have_written_make_no_finding() -> None:
    """The model does not know what kernels do."""
    checked = checked_of(
        (
            call("cuModuleGetGlobal", {"ref": "a.module1"}, {"hex": "76"}),
            {"code": 0, "outs": {"dptr": {"new": "a.dptr1"}, "bytes": 8}},
        ),
        (LAUNCH, DONE),
        (call("cuStreamSynchronize", {"ref": "a.stream1"}), DONE),
        ({"process": "a", "call": "memory", "args": [65536]}, {"code": 0, "outs": {"ptr": {"new": "a.host1"}}}),
        (call("cuMemcpyDtoH", {"ref": "a.host1"}, {"ref": "a.dptr1"}, 8), DONE),
    )
    assert (checked.differences, checked.skipped, checked.found) == ([], 0, [])


def test_handles_that_no_call_has_made_are_adopted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host function stands for another one; a context that is used before it is retained is the runtime's."""
    monkeypatch.setattr("conformance.record.adopted.HARMLESS", "usleep")  # it has returned before the next call
    steps, answers = zip(
        ({"process": "a", "call": "spawn"}, DONE),
        (call("cuInit", 0), DONE),
        (call("cuCtxSetCurrent", {"ref": "a.ctx1"}), DONE),
        (call("cuDevicePrimaryCtxRetain", 0), made("pctx", "a.ctx1")),
        (call("cuStreamCreate", 1), made("phStream", "a.stream1")),
        (call("cuLaunchHostFunc", {"ref": "a.stream1"}, {"ref": "unseen.function1"}, 50_000), DONE),
        (call("cuStreamQuery", {"ref": "a.stream1"}), DONE),
        strict=True,
    )
    with Machine("h200", seed=0, kernels="skip") as model:
        checked = compared(Program("p", list(steps), list(answers)), model)
    assert (checked.differences, checked.skipped, checked.answers) == ([], 0, 6)


def test_an_order_that_is_not_known_makes_no_finding() -> None:
    """After a call without arguments, streams may be ordered by it."""
    race = [
        (call("cuMemAlloc", 8), made("dptr", "a.dptr1")),
        (call("cuStreamCreate", 1), made("phStream", "a.stream2")),
        (call("cuMemsetD8Async", {"ref": "a.dptr1"}, 0, 8, {"ref": "a.stream1"}), DONE),
        (call("cuMemsetD8Async", {"ref": "a.dptr1"}, 1, 8, {"ref": "a.stream2"}), DONE),
    ]
    (found,) = checked_of(*race).found
    assert (found.kind, found.number, found.process) == ("undefined behaviour", 10, "a")
    assert "called at call:9 in cuMemsetD8Async" in found.text
    unread = {"ref": "unseen.words"}
    assert checked_of((call("cuLaunchKernelEx", unread), DONE), *race).found == []
    assert len(checked_of((call("cuOccupancyMaxActiveClusters", unread), DONE), *race).found) == 1


def test_errors_that_were_not_heeded() -> None:
    """New work after failed work, and ends of objects that do not exist; a call at exit does not count."""
    failed = {"code": 700, "outs": {}}
    free = call("cuMemFree", 4096)
    waits = call("cuStreamSynchronize", {"ref": "a.stream1"})
    assert checked_of((LAUNCH, DONE), (waits, failed), (free, failed), (LAUNCH, failed)).found == []
    (found,) = checked_of((LAUNCH, DONE), (waits, failed), (LAUNCH, failed), (LAUNCH, failed)).found
    assert (found.kind, found.number) == ("refused", 10)
    assert "call 8 answered ILLEGAL_ADDRESS" in found.text
    other = {**LAUNCH, "thread": "t2"}
    assert checked_of((LAUNCH, DONE), (waits, failed), (LAUNCH, failed), (other, failed), (other, failed)).found == []
    (found,) = checked_of((free, {"code": 1, "outs": {}})).found
    assert "rule       memory.mem_free.POINTER_IS_A_BASE" in found.text
    leaving = {"process": "a", "call": "begin_exit"}
    shut = checked_of((leaving, DONE), *[(free, {"code": 4, "outs": {}})] * 4)
    assert (shut.found, shut.refusals) == ([], {})
    refused = {"code": 1, "outs": {}}
    bad = call("cuStreamCreate", 99)
    assert (
        checked_of(
            (bad, refused), (bad, refused), (call("cuStreamCreate", 1), made("phStream", "a.stream2")), (bad, refused)
        ).found
        == []
    )
    assert len(checked_of(*[(bad, refused)] * 5).found) == 1
    elsewhere = {**bad, "thread": "t2"}
    assert checked_of((bad, refused), (elsewhere, refused), (bad, refused)).found == []
    assert checked_of(*[(call("cuMemAlloc", 1 << 60), {"code": 2, "outs": {}})] * 5).found == []


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("/home/me/program", True),
        ("/usr/lib/libpython3.12.so.1.0", True),
        ("/home/me/.venv/lib/python3.12/site-packages/torch/lib/libc10_cuda.so", False),
        ("/usr/lib/libucs.so.0", False),
        ("", False),
    ],
)
def test_who_made_what_a_process_left(file: str, counts: bool) -> None:  # noqa: FBT001 - a row
    """The nearest file outside of CUDA's libraries and bindings decides whether an object is the program's."""
    stack = [["/usr/lib/libcudart.so.13", 16], ["/x/site-packages/cuda/bindings/driver.so", 32], [file, 64]]
    pair = call("cuMemAlloc", 8), made("dptr", "a.dptr1")
    ends = {"process": "a", "call": "exit"}, DONE
    checked = checked_of(pair, ends, stack=stack)
    found = [("left behind", 6), ("left behind", 7)] if counts else []  # the stream and the allocation
    assert sorted((one.kind, one.number) for one in checked.found) == found
    lasting = {"module": 1, "retain": 1}
    assert checked.kept["a"] == (lasting if counts else {**lasting, "stream": 1, "allocation": 1})
    assert checked_of(pair, stack=stack).found == []  # it was killed, perhaps
    assert checked_of(pair, ends).found == []


def test_calls_of_one_line_of_python_are_one_place() -> None:
    """A sweep fails the first of them; without lines, each call of Python is a place."""
    step, python = call("cuStreamCreate", 0), ["/usr/bin/python3.12", 64]
    lines = [[python], [python], *[[["/home/me/a.py", line, "go"], python] for line in (7, 7, 8)]]
    program = Program("p", [{**step, "stack": stack} for stack in lines], [DONE] * len(lines))
    assert sorted({fault.nth for fault in places(program)}) == [1, 2, 3, 5]


@pytest.mark.parametrize("to", ["/dev/full", "closed"])
def test_a_report_that_cannot_be_written_changes_no_status(
    stand_in: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, to: str
) -> None:
    """The exit status is enough."""
    monkeypatch.setenv("LD_LIBRARY_PATH", str(stand_in[0].parent))
    command = [sys.executable, "-m", "fakecuda", "check", "--real", "--profile", "h200", "--", "sh", "-c", "exit 5"]
    redirected = ["sh", "-c", 'exec "$@" 2>&-' if to == "closed" else 'exec "$@" 2>/dev/full', "sh", *command]
    assert subprocess.run(redirected, check=False).returncode == 5
