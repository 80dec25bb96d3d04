"""A call is begun in a copy of the tree: the skeletons stand, and the gates name the files that remain."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.targets.newer import cuda, since
from fakecuda.rules.registry import EVERY_API
from tools.codegen.steps import ROOT, STEPS
from tools.new_call import skeletons, steps
from tools.new_call.plan import Refused, plan, snake
from tools.new_call.remaining import remaining
from tools.new_call.undo import undone

if TYPE_CHECKING:
    from fakecuda.rules.registry import Api

COPIED = ("conformance", "docs", "fakecuda", "realcuda", "tests", "tools")
MOST = 6
"""The maximum number of hand-written files."""
BEGUN = {
    "cuMemcpyWithAttributesAsync": ("driver/copy/memcpy_with_attributes_async", "test_memcpy_with_attributes_async"),
    "cudaExecutionCtxDestroy": ("runtime/execution_ctx_destroy", "test_execution_ctx_destroy"),
    "hipFreeArray": ("hip/free_array", "test_free_array"),
}
"""A call of each API, the module of its operation, and the name of its cases."""
GATES = {
    "cuMemcpyWithAttributesAsync": (
        ("fakecuda", "conform", "cuMemcpyWithAttributesAsync"),
        ("pytest", "tests/bindings/test_differential.py", "-k", "every_modelled"),
    ),
    "cudaExecutionCtxDestroy": (
        ("fakecuda", "conform", "cudaExecutionCtxDestroy"),
        ("pytest", "tests/bindings/test_runtime_differential.py", "-k", "every_modelled"),
    ),
    "hipFreeArray": (("fakecuda", "conform", "hipFreeArray"),),
}
"""Gates that fail for a new call, and name a missing file."""
pytestmark = pytest.mark.skipif(bool(STEPS["description"].lacks), reason=STEPS["description"].lacks)


def run(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module of a tree."""
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a copy of the tree; recordings are those of the checkout."""
    left_out = shutil.ignore_patterns("*-pytest-*", "recordings")  # what pytest compiled knows its folder
    for name in COPIED:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=left_out)
    (tmp_path / "conformance/data/recordings").symlink_to(ROOT / "conformance/data/recordings")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


PER_API = 1
"""The number of unmodelled calls to draw from each API."""


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(
            call,
            marks=pytest.mark.long("calls of every API are begun below; these look at each file and gate"),
        )
        for call in BEGUN
    ],
)
def test_a_call_is_begun(call: str, tree: Path) -> None:
    """Ruff leaves the skeletons as they are, they import, the index knows them, and gates name the files that remain."""
    place, cases = BEGUN[call]
    api, _, module = place.partition("/")
    operation, proof = f"fakecuda/rules/{place}.py", f"conformance/cases/{place.rpartition('/')[0]}/{cases}.py"
    done = run(tree, "tools.new_call", call)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"wrote {operation}\nwrote {proof}\n")
    for arguments in (("format", "--check"), ("check",)):
        checked = run(tree, "ruff", *arguments, "--no-cache", operation, proof)
        assert checked.returncode == 0, checked.stdout
    index = json.loads((tree / "fakecuda/rules/generated/index.json").read_text())
    assert index[api][call] == f"{api}.{module.replace('/', '.')}"
    assert run(tree, "tools.codegen", "--check", "index", "surfaces", "native").returncode == 0
    listed = [line.partition(" ")[2] for line in done.stdout.splitlines() if re.match(r"\d+\. ", line)]
    assert 1 < len(listed) <= MOST
    assert listed[:2] == [operation, proof]
    assert all((tree / file).exists() for file in listed)
    if since(call):
        newer = f"on the driver of CUDA {cuda(since(call))}, the first with {call}: the driver of h200-x2 is CUDA 13.0"
        assert newer in done.stdout, "the driver of the default profile is older than the call"
    for gate in GATES[call]:
        failed = run(tree, *gate)
        assert failed.returncode == 1, failed.stdout + failed.stderr
        assert any(file in failed.stdout for file in listed), failed.stdout
    assert run(tree, "tools.new_call", call).stdout.startswith(f"{call} is modelled: {operation}")


def unmodelled(api: Api) -> list[str]:
    """Return the calls of an API that no operation models."""
    return sorted(api.calls.keys() - api.ops.keys())


def proven(tree: Path, calls: list[str]) -> None:
    """Begin calls together in a tree, and prove their skeletons.

    Raises:
        AssertionError: One cannot be begun, or its skeleton does not hold; the text says which.
    """
    script = [sys.executable, "-c", TOGETHER, *calls]
    done = subprocess.run(script, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


TOGETHER = """
import sys
from tools.new_call.plan import Refused, plan
from tools.new_call.steps import STEPS, generate, prove

def planned(call):
    try:
        return plan(call)
    except Refused:  # who begins it has to name its chapter
        return plan(call, "fresh")

plans = [planned(call) for call in sys.argv[1:]]
for step in STEPS[: STEPS.index(generate)]:
    for made in plans:
        list(step(made))
print(*generate(plans[0]))
print(*prove(*plans))
"""


def test_calls_that_are_drawn_can_be_begun(tree: Path, pytestconfig: pytest.Config) -> None:
    """Some of each API that lacks calls, from the seed of the run: their skeletons hold as far as they are written."""
    drawn = random.Random(pytestconfig.option.random)  # noqa: S311 - a sample
    left = [calls for calls in map(unmodelled, EVERY_API.values()) if calls]
    proven(tree, [call for calls in left for call in drawn.sample(calls, PER_API)])


@pytest.mark.long("every unmodelled call is begun: minutes")
@pytest.mark.parametrize("name", EVERY_API)
def test_every_call_can_be_begun(name: str, tree: Path) -> None:
    """Each skeleton holds as far as it is written."""
    proven(tree, unmodelled(EVERY_API[name]))


def test_every_skeleton_is_made() -> None:
    """The generators know every parameter of every unmodelled call, and each skeleton is Python."""
    for api in EVERY_API.values():
        for call in unmodelled(api):
            try:
                made = plan(call)
            except Refused:
                made = plan(call, "fresh")
            for text in (skeletons.operation(made), skeletons.cases(made)):
                compile(text, call, "exec")
            assert remaining(made)[0] == f"{call} is started. What remains to be written by hand:"


PLANTED = """
import sys
import tools.new_call.__main__ as command

def failing(step):
    def failed(made):
        list(step(made))
        raise PLANTED("planted")
        yield
    return failed

before = command.STEPS
last = len(before) - 1
for PLANTED in (KeyboardInterrupt, command.StepError, ZeroDivisionError):
    for number, step in enumerate(before):
        if number != last - 1 and PLANTED is not KeyboardInterrupt:  # generators, which run last, take a second
            continue
        command.STEPS = (*before[:number], failing(step), *before[number + 1:])
        try:
            status = command.main(sys.argv[1:])
        except ZeroDivisionError:
            status = "raised"
        print("planted", number, status)
"""


def contents(tree: Path) -> dict[str, bytes | None]:
    """Return the bytes of every file of a tree, and its folders; what git ignores is left out."""
    return {
        path.relative_to(tree).as_posix(): path.read_bytes() if path.is_file() else None
        for path in tree.rglob("*")
        if not {"__pycache__", ".codegen_cache", "recordings"} & {*path.relative_to(tree).parts}
    }


def test_a_call_that_cannot_be_begun_leaves_the_tree_as_it_was(tree: Path) -> None:
    """Ctrl-C is planted behind each step, and other errors behind what is written by then: the generators run once."""
    quick = PLANTED.replace(
        "before = command.STEPS", "before = tuple(one for one in command.STEPS if one.__name__ != 'prove')"
    )
    before = contents(tree)
    script = [sys.executable, "-c", quick, "cuGreenCtxCreate", "--chapter", "green"]
    done = subprocess.run(script, cwd=tree, capture_output=True, text=True, check=False)
    statuses = [line.split()[2] for line in done.stdout.splitlines() if line.startswith("planted ")]
    assert statuses == ["130"] * 5 + ["1", "raised"], done.stderr
    assert done.stdout.count("cuGreenCtxCreate is not started, and the tree is unchanged: ") == 6
    assert contents(tree) == before


def test_a_signal_leaves_the_tree_as_it_was(tmp_path: Path) -> None:
    """SIGTERM ends the work like Ctrl-C."""
    kept, new = tmp_path / "kept", tmp_path / "folder" / "new"
    kept.write_text("old")

    def interrupted() -> None:
        with undone([kept, new]):
            new.parent.mkdir()
            new.write_text("x")
            kept.write_text("x")
            os.kill(os.getpid(), signal.SIGTERM)

    with pytest.raises(KeyboardInterrupt, match="SIGTERM"):
        interrupted()
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert kept.read_text() == "old"
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_skeleton_that_fails_otherwise_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cases may fail by the effect that is not written, and by nothing else; the text has the case."""

    def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
        failed = {"a[valid]": "NotImplementedError: 0", "a[no_context]": "wrong answer"}
        Path(arguments[-1]).write_text(json.dumps({"failed": failed, "chapters": {"green": {"cases": 5}}}))
        return subprocess.CompletedProcess(arguments, 1, "", "")

    monkeypatch.setattr(steps, "_ran", ran)
    with pytest.raises(steps.StepError, match=r"before they reach its effect:\na\[no_context\]\nwrong answer$"):
        list(steps.prove(plan("cuGreenCtxCreate", "green")))


@pytest.mark.parametrize(
    ("name", "chapter", "told"),
    [
        ("cuMemUnmapp", "", "no API has a call cuMemUnmapp; did you mean: cuMemUnmap, "),
        ("cuMemUnmap", "", "cuMemUnmap is modelled: fakecuda/rules/driver/va/mem_unmap.py; "),
        (
            "cuDeviceGetFabricClusterUuid",
            "peer",
            "belongs to the chapter device, not peer: leave out --chapter, or change ",
        ),
        (
            "cuGreenCtxCreate",
            "",
            "no chapter in tools/chapters.toml has cuGreenCtxCreate, and no modelled call begins like it: write --chapter with one of array, ",
        ),
        (
            "cuGreenCtxCreate",
            "The graphs",
            "a chapter has the name of a folder below rules/driver: 'The graphs' cannot be one",
        ),
        (
            "nvmlDeviceGetPgpuMetadataString",
            "memory",
            "NVML has no chapters: leave out --chapter memory; nvmlDeviceGetPgpuMetadataString gets its own module",
        ),
        ("cudaExecutionCtxDestroy", "peer", "peer is a module of the runtime API, not a chapter: leave out --chapter"),
    ],
)
def test_what_cannot_be_begun(name: str, chapter: str, told: str) -> None:
    """The text says why, and what to do."""
    with pytest.raises(Refused, match=told):
        plan(name, chapter)


def test_a_new_chapter() -> None:
    """The page of the manual is the manual then."""
    made = plan("cuGreenCtxCreate", "green")
    assert made.operation == ROOT / "fakecuda/rules/driver/green/green_ctx_create.py"
    assert made.cases == ROOT / "conformance/cases/driver/green/test_green_ctx_create.py"
    assert made.link == "https://docs.nvidia.com/cuda/cuda-driver-api/"
    assert skeletons.compared(made) == '[cuGreenCtxCreate]\nphCtx = "fresh"\n'
    assert "tools/chapters.toml\n   the calls of the chapter green\n" in "\n".join(remaining(made))
    assert plan("cuMulticastBindMem_v2").chapter == plan("cuMulticastBindMem_v2", "multicast").chapter == "multicast"


def test_null_result_pointers() -> None:
    """They have a rule already, in either API of CUDA; a call without a result has no check of it."""
    driver, runtime, silent = (
        plan(*one) for one in (("cuGreenCtxCreate", "green"), ("cudaGreenCtxCreate",), ("cuMemcpyWithAttributesAsync",))
    )
    assert "raise RESULT_IS_GIVEN.broken(nulls=call.nulls)" in skeletons.operation(driver)
    assert 'entry.null("phCtx", "RESULT_IS_GIVEN")' in skeletons.cases(driver)
    assert "    given(call)" in skeletons.operation(runtime)
    assert 'entry.null("phCtx", "RESULTS_ARE_GIVEN")' in skeletons.cases(runtime)
    assert "null" not in skeletons.operation(silent) + skeletons.cases(silent)


def test_the_manual_is_quoted() -> None:
    """A sentence that names the code, where there is one; else the name in its list. Codes of every call are left out."""
    made = plan("cuGraphicsResourceSetMapFlags", "graphics")
    assert made.in_context
    assert {code.name: made.quotes[code] for code in made.codes} == {
        "INVALID_VALUE": "If flags is not one of the above values then CUDA_ERROR_INVALID_VALUE is returned",
        "INVALID_HANDLE": "CUDA_ERROR_INVALID_HANDLE",
        "ALREADY_MAPPED": "If resource is presently mapped for access by CUDA then CUDA_ERROR_ALREADY_MAPPED is returned",
    }
    assert (
        plan("cuMemcpyWithAttributesAsync").link == "https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html"
    )


def test_handles_that_no_call_has_are_named_for_programs() -> None:
    """The suite has to know what programs call them."""
    assert "   the names of values of CUexternalSemaphore in programs, in TYPES" in remaining(
        plan("cuDestroyExternalSemaphore", "memory")
    )


def test_names_of_modules() -> None:
    """As those of the calls that there are."""
    names = ("DeviceGetP2PAttribute", "MemcpyDtoHAsync", "CtxGetDevice_v2", "FlushGPUDirectRDMAWrites", "MemsetD2D16")
    assert [snake(name) for name in names] == [
        "device_get_p2p_attribute",
        "memcpy_dtoh_async",
        "ctx_get_device_v2",
        "flush_gpu_direct_rdma_writes",
        "memset_d2d16",
    ]


def test_a_file_that_is_there_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a file was written for the call by hand, or is left of an earlier run."""
    there = plan("cuFuncSetSharedSize").operation
    monkeypatch.setattr(Path, "exists", lambda path: path == there)
    with pytest.raises(Refused, match=r"func_set_shared_size\.py exists: move it away"):
        plan("cuFuncSetSharedSize")
