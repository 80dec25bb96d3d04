"""Programs with planted bugs that are checked beside a driver, and their fixed twins."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from conformance.kit.program import Program
from conformance.record.checked import Checked, compared
from conformance.record.swept import places
from fakecuda import Machine
from fakecuda.__main__ import main
from fakecuda.reach.shadow.build import PROCESSOR

from .shadow import on

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.uname().machine != PROCESSOR, reason=f"programs are recorded on {PROCESSOR}")

STATUS = 3
"""The exit status of the programs."""
BUGS = {
    "unmap": ["undefined behaviour: cuMemUnmap in process a", "earlier    cuMemsetD8Async in stream", "in unmap"],
    "leak": ["left behind: allocation of process a", "made at    call:", "in leak", "fix        free it: cuMemFree"],
    "race": [
        "undefined behaviour: cuMemcpyDtoDAsync in process a",
        "rule       stream.race.ACCESSES_ARE_ORDERED",
        "in race",
    ],
    "pool": ["undefined behaviour: cuMemFreeAsync in process a", "in pool"],
    "twice": [
        "refused: cuMemFree in process a -> INVALID_VALUE",
        "rule       memory.mem_free.POINTER_IS_A_BASE",
        "in twice",
    ],
    "again": ["refused: cuStreamCreate in process a -> INVALID_VALUE", "refused 3 times, one after the other"],
    "share": ["undefined behaviour: cuMemFree in process", "opened at call:", "in share"],
}
"""The programs, and what the reports have."""


DONE: dict[str, Any] = {"code": 0, "outs": {}}
TEXT = {"hex": "6b"}


def _call(name: str, *args: Any) -> dict[str, Any]:
    return {"process": "a", "call": name, "args": list(args)}


def _made(out: str, name: str) -> dict[str, Any]:
    return {"code": 0, "outs": {out: {"new": name}}}


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(
    machine: Machine,
    compile_program: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    bug: str,
) -> None:
    """The status is 1, and the report has the calls and the lines of the program; the fixed twin has no finding."""
    program = compile_program("wrong", "libcuda.so", options=("-g",))
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


LOAD: list[Any] = [
    ({"process": "a", "call": "spawn"}, DONE),
    (_call("cuInit", 0), DONE),
    (_call("cuDevicePrimaryCtxRetain", 0), _made("pctx", "a.ctx1")),
    (_call("cuCtxSetCurrent", {"ref": "a.ctx1"}), DONE),
    (_call("cuModuleLoadData", {"ref": "unseen.image"}), _made("module", "a.module1")),
    (_call("cuModuleGetFunction", {"ref": "a.module1"}, TEXT), _made("hfunc", "a.kernel1")),
    (_call("cuStreamCreate", 1), _made("phStream", "a.stream1")),
]
LAUNCH = _call("cuLaunchKernel", {"ref": "a.kernel1"}, 1, 1, 1, 64, 1, 1, 0, {"ref": "a.stream1"}, 0, 1 << 40)


def checked_of(*pairs: tuple[Any, Any], stack: Any = ()) -> Checked:
    """Return what a model says of a program that has loaded a module with a kernel, and goes on; all its calls have a stack."""
    steps, answers = zip(*LOAD, *pairs, strict=True)
    steps = tuple({**step, "stack": stack} for step in steps)
    with Machine("h200", seed=0, kernels="skip") as model:
        return compared(Program("p", list(steps), list(answers)), model)


def test_launches_are_made() -> None:
    """The model checks the handles of a launch and of what its code has; the bytes of its parameters are not read."""
    checked = checked_of(
        (LAUNCH, DONE),
        (_call("cuLaunchKernelEx", [1, 1, 1, 64, 1, 1, 0, {"ref": "a.stream1"}, []], {"ref": "a.kernel1"}, 0, 0), DONE),
        (
            _call("cuModuleGetGlobal", {"ref": "a.module1"}, {"hex": "76"}),
            {"code": 0, "outs": {"dptr": {"new": "a.dptr1"}, "bytes": 8}},
        ),
        (_call("cuMemsetD8", {"ref": "a.dptr1", "plus": 7}, 0, 1), DONE),
        (_call("cuMemsetD8", {"ref": "a.dptr1", "plus": 7}, 0, 2), {"code": 1, "outs": {}}),
        (_call("cuModuleGetFunction", {"ref": "a.module1"}, {"hex": "6e6f6e65"}), {"code": 500, "outs": {}}),
        (_call("cuFuncGetAttribute", 0, {"ref": "a.kernel1"}), {"code": 0, "outs": {"pi": 64}}),
        (_call("cuFuncGetAttribute", 2, {"ref": "a.kernel1"}), {"code": 0, "outs": {"pi": 356}}),
        (_call("cuFuncGetAttribute", 9, {"ref": "a.kernel1"}), {"code": 0, "outs": {"pi": -1}}),
        (_call("cuStreamSynchronize", {"ref": "a.stream1"}), DONE),
        (_call("cuModuleUnload", {"ref": "a.module1"}), DONE),
        (LAUNCH, {"code": 400, "outs": {}}),
    )
    assert (checked.differences, checked.skipped, checked.ended) == ([], 0, "")
    assert checked.answers == len(LOAD) - 1 + 12
    wide = {**LAUNCH, "args": [*LAUNCH["args"][:4], 65, *LAUNCH["args"][5:]]}
    told = (_call("cuFuncGetAttribute", 0, {"ref": "a.kernel1"}), {"code": 0, "outs": {"pi": 64}})
    (difference,) = checked_of(told, (wide, DONE)).differences
    assert str(difference) == "step 8 a.cuLaunchKernel: INVALID_VALUE instead of SUCCESS"


def test_what_the_code_alone_decides_is_not_compared() -> None:
    """A driver may refuse a launch because of the code; the graph that lacks it is not used any more."""
    graph = {"ref": "a.graph1"}
    checked = checked_of(
        (_call("cuStreamBeginCapture", {"ref": "a.stream1"}, 0), DONE),
        (LAUNCH, {"code": 701, "outs": {}}),
        (_call("cuStreamEndCapture", {"ref": "a.stream1"}), _made("phGraph", "a.graph1")),
        (_call("cuGraphGetNodes", graph, 0), {"code": 0, "outs": {"nodes": [], "numNodes": 0}}),
        (_call("cuModuleGetFunction", {"ref": "a.module1"}, {"hex": "6f"}), {"code": 209, "outs": {}}),
        (_call("cuModuleLoadData", {"ref": "unseen.image"}), {"code": 200, "outs": {}}),
        (_call("cuModuleGetFunctionCount", {"ref": "a.module1"}), {"code": 0, "outs": {"count": 3}}),
    )
    assert (checked.differences, checked.skipped) == ([], 5)


def test_nodes_with_kernels_are_made() -> None:
    """A node's parameters are not read either."""
    node = [{"ref": "a.kernel1"}, 1, 1, 1, 64, 1, 1, 0, 0, 1 << 40, 0, 0]
    checked = checked_of(
        (_call("cuGraphCreate", 0), _made("phGraph", "a.graph1")),
        (_call("cuGraphAddKernelNode", {"ref": "a.graph1"}, None, 0, node), _made("phGraphNode", "a.node1")),
        (_call("cuGraphKernelNodeSetParams", {"ref": "a.node1"}, node), DONE),
        (_call("cuGraphInstantiate", {"ref": "a.graph1"}, 0), _made("phGraphExec", "a.executable1")),
        (_call("cuGraphLaunch", {"ref": "a.executable1"}, {"ref": "a.stream1"}), DONE),
    )
    assert (checked.differences, checked.skipped, checked.answers) == ([], 0, len(LOAD) - 1 + 5)


def test_code_that_is_loaded_again_has_new_handles() -> None:
    """A driver may give the handles and addresses of an unloaded module to the next one."""
    checked = checked_of(
        (
            _call("cuModuleGetGlobal", {"ref": "a.module1"}, {"hex": "76"}),
            {"code": 0, "outs": {"dptr": {"new": "a.dptr1"}, "bytes": 8}},
        ),
        (_call("cuModuleUnload", {"ref": "a.module1"}), DONE),
        (_call("cuModuleLoadData", {"ref": "unseen.image"}), _made("module", "a.module2")),
        (
            _call("cuModuleGetGlobal", {"ref": "a.module2"}, {"hex": "76"}),
            {"code": 0, "outs": {"dptr": {"new": "a.dptr2"}, "bytes": 8}},
        ),
        (_call("cuMemsetD8", {"ref": "a.dptr2"}, 0, 8), DONE),
    )
    assert (checked.differences, checked.skipped) == ([], 0)


def test_a_library_has_what_its_module_has() -> None:
    """Kernels, functions and modules of one image are one code, and end with the library."""
    told = {"code": 0, "outs": {"pi": 64}}
    library, kernel, function = ({"ref": f"a.{one}"} for one in ("library1", "kernel2", "kernel3"))
    wide = [function, *LAUNCH["args"][1:4], 65, *LAUNCH["args"][5:]]
    checked = checked_of(
        (_call("cuLibraryLoadData", {"ref": "unseen.image"}, [], [], 0, [], [], 0), _made("library", "a.library1")),
        (_call("cuLibraryGetKernel", library, TEXT), _made("pKernel", "a.kernel2")),
        (_call("cuKernelGetFunction", kernel), _made("pFunc", "a.kernel3")),
        (_call("cuFuncGetAttribute", 0, function), told),
        (_call("cuLaunchKernel", *wide), {"code": 1, "outs": {}}),
        (_call("cuLibraryGetModule", library), _made("pMod", "a.module2")),
        (_call("cuModuleGetFunction", {"ref": "a.module2"}, {"hex": "6c"}), _made("hfunc", "a.kernel4")),
        (
            _call("cuLibraryGetManaged", library, {"hex": "6d"}),
            {"code": 0, "outs": {"dptr": {"new": "a.dptr1"}, "bytes": 8}},
        ),
        (_call("cuLibraryUnload", library), DONE),
    )
    assert (checked.differences, checked.skipped) == ([], 0)


def test_bytes_that_a_kernel_may_have_written_make_no_finding() -> None:
    """The model does not know what kernels do."""
    checked = checked_of(
        (
            _call("cuModuleGetGlobal", {"ref": "a.module1"}, {"hex": "76"}),
            {"code": 0, "outs": {"dptr": {"new": "a.dptr1"}, "bytes": 8}},
        ),
        (LAUNCH, DONE),
        (_call("cuStreamSynchronize", {"ref": "a.stream1"}), DONE),
        ({"process": "a", "call": "memory", "args": [65536]}, {"code": 0, "outs": {"ptr": {"new": "a.host1"}}}),
        (_call("cuMemcpyDtoH", {"ref": "a.host1"}, {"ref": "a.dptr1"}, 8), DONE),
    )
    assert (checked.differences, checked.skipped, checked.found) == ([], 0, [])


def test_handles_that_no_call_has_made_are_adopted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host function stands for another one; a context that is used before it is retained is the runtime's."""
    monkeypatch.setattr("conformance.record.checked.HARMLESS", "usleep")  # it has returned before the next call
    steps, answers = zip(
        ({"process": "a", "call": "spawn"}, DONE),
        (_call("cuInit", 0), DONE),
        (_call("cuCtxSetCurrent", {"ref": "a.ctx1"}), DONE),
        (_call("cuDevicePrimaryCtxRetain", 0), _made("pctx", "a.ctx1")),
        (_call("cuStreamCreate", 1), _made("phStream", "a.stream1")),
        (_call("cuLaunchHostFunc", {"ref": "a.stream1"}, {"ref": "unseen.function1"}, 50_000), DONE),
        (_call("cuStreamQuery", {"ref": "a.stream1"}), DONE),
        strict=True,
    )
    with Machine("h200", seed=0, kernels="skip") as model:
        checked = compared(Program("p", list(steps), list(answers)), model)
    assert (checked.differences, checked.skipped, checked.answers) == ([], 0, 6)


def test_an_order_that_is_not_known_makes_no_finding() -> None:
    """After a call without arguments, streams may be ordered by it."""
    race = [
        (_call("cuMemAlloc", 8), _made("dptr", "a.dptr1")),
        (_call("cuStreamCreate", 1), _made("phStream", "a.stream2")),
        (_call("cuMemsetD8Async", {"ref": "a.dptr1"}, 0, 8, {"ref": "a.stream1"}), DONE),
        (_call("cuMemsetD8Async", {"ref": "a.dptr1"}, 1, 8, {"ref": "a.stream2"}), DONE),
    ]
    (found,) = checked_of(*race).found
    assert (found.kind, found.number, found.process) == ("undefined behaviour", 10, "a")
    assert "called at call:9 in cuMemsetD8Async" in found.text
    unread = {"ref": "unseen.words"}
    assert checked_of((_call("cuLaunchKernelEx", unread), DONE), *race).found == []
    assert len(checked_of((_call("cuOccupancyMaxActiveClusters", unread), DONE), *race).found) == 1


def test_errors_that_were_not_heeded() -> None:
    """New work after failed work, and ends of objects that do not exist; a call at exit does not count."""
    failed = {"code": 700, "outs": {}}
    free = _call("cuMemFree", 4096)
    waits = _call("cuStreamSynchronize", {"ref": "a.stream1"})
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
    bad = _call("cuStreamCreate", 99)
    assert (
        checked_of(
            (bad, refused), (bad, refused), (_call("cuStreamCreate", 1), _made("phStream", "a.stream2")), (bad, refused)
        ).found
        == []
    )
    assert len(checked_of(*[(bad, refused)] * 5).found) == 1
    elsewhere = {**bad, "thread": "t2"}
    assert checked_of((bad, refused), (elsewhere, refused), (bad, refused)).found == []
    assert checked_of(*[(_call("cuMemAlloc", 1 << 60), {"code": 2, "outs": {}})] * 5).found == []


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
    pair = _call("cuMemAlloc", 8), _made("dptr", "a.dptr1")
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
    call, python = _call("cuStreamCreate", 0), ["/usr/bin/python3.12", 64]
    lines = [[python], [python], *[[["/home/me/a.py", line, "go"], python] for line in (7, 7, 8)]]
    program = Program("p", [{**call, "stack": stack} for stack in lines], [DONE] * len(lines))
    assert sorted({fault.nth for fault in places(program)}) == [1, 2, 3, 5]
