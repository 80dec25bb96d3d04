"""A call is begun in a copy of the tree: the skeletons stand, and the gates name the files that remain."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from fakecuda.rules.registry import DRIVER, api_of
from tools.codegen.steps import ROOT, STEPS
from tools.new_call import skeletons
from tools.new_call.plan import Refused, plan, snake
from tools.new_call.remaining import remaining

if TYPE_CHECKING:
    from pathlib import Path

COPIED = ("conformance", "docs", "fakecuda", "realcuda", "tests", "tools")
MOST = 6
"""Files that are written by hand, at most."""
BEGUN = {
    "cuMemcpyWithAttributesAsync": ("driver/copy/memcpy_with_attributes_async", "test_memcpy_with_attributes_async"),
    "cudaExecutionCtxDestroy": ("runtime/execution_ctx_destroy", "test_execution_ctx_destroy"),
    "hipFreeArray": ("hip/free_array", "call_free_array"),
}
"""A call of each API, where its operation goes, and what its module of cases is called."""
GATES = {
    "cuMemcpyWithAttributesAsync": (
        ("fakecuda", "conform", "cuMemcpyWithAttributesAsync"),
        ("pytest", "tests/surfaces/test_differential.py", "-k", "every_modelled"),
    ),
    "cudaExecutionCtxDestroy": (
        ("fakecuda", "conform", "cudaExecutionCtxDestroy"),
        ("pytest", "tests/surfaces/test_runtime_differential.py", "-k", "every_modelled"),
    ),
    "hipFreeArray": (("fakecuda", "conform", "hipFreeArray"),),
}
"""Gates that fail of a call that was begun alone, and name a file that remains."""
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


SAME = pytest.mark.long("the driver's is begun on each commit; runtime and HIP differ in the skeletons alone")


@pytest.mark.parametrize("call", [pytest.param(call, marks=[SAME] * (api_of(call) is not DRIVER)) for call in BEGUN])
def test_a_call_is_begun(call: str, tree: Path) -> None:
    """Ruff leaves the skeletons as they are, they import, the index knows them, and gates name the files that remain."""
    place, cases = BEGUN[call]
    api, _, module = place.partition("/")
    operation, proof = f"fakecuda/rules/{place}.py", f"conformance/cases/{place.rpartition('/')[0]}/{cases}.py"
    done = run(tree, "tools.new_call", call)
    far = re.sub(r"\d+ %.*\n", "", done.stderr)  # how far the generators are is told where they take a while
    assert (done.returncode, far) == (0, "")
    assert done.stdout.startswith(f"wrote {operation}\nwrote {proof}\n")
    for arguments in (("format", "--check"), ("check",)):
        checked = run(tree, "ruff", *arguments, "--no-cache", operation, proof)
        assert checked.returncode == 0, checked.stdout
    index = json.loads((tree / "fakecuda/rules/generated/index.json").read_text())
    assert index[api][call] == f"{api}.{module.replace('/', '.')}"
    assert run(tree, "tools.codegen", "--check", "index", "surfaces", "native").returncode == 0
    listed = [line.partition(" ")[2] for line in done.stdout.splitlines() if line[:1].isdecimal()]
    assert 1 < len(listed) <= MOST
    assert listed[:2] == [operation, proof]
    assert all((tree / file).exists() for file in listed)
    for gate in GATES[call]:
        failed = run(tree, *gate)
        assert failed.returncode == 1, failed.stdout + failed.stderr
        assert any(file in failed.stdout for file in listed), failed.stdout
    assert run(tree, "tools.new_call", call).stdout.startswith(f"{call} is modelled: {operation}")


@pytest.mark.parametrize(
    ("name", "chapter", "told"),
    [
        ("cuMemUnmapp", "", "no API is described with a call cuMemUnmapp; did you mean: cuMemUnmap, "),
        ("cuMemUnmap", "", "cuMemUnmap is modelled: fakecuda/rules/driver/va/mem_unmap.py; "),
        ("cuDeviceGetFabricClusterUuid", "peer", "is of the chapter device, not peer: leave out --chapter, or change "),
        (
            "cuGreenCtxCreate",
            "",
            "no chapter in tools/chapters.toml has cuGreenCtxCreate: --chapter, with one of array, ",
        ),
        ("cuGreenCtxCreate", "The graphs", "a chapter is called like a folder of rules/driver, not 'The graphs'"),
        (
            "nvmlDeviceGetRetiredPages",
            "",
            "nvmlDeviceGetRetiredPages has no skeleton: write it as a function of a module of ",
        ),
        ("cudaExecutionCtxDestroy", "peer", "peer is a module of the runtime API: without --chapter "),
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
    assert "tools/chapters.toml\n   which calls the chapter green has\n" in "\n".join(remaining(made))
    assert plan("cuMemMapArrayAsync").chapter == plan("cuMemMapArrayAsync", "va").chapter == "va"


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
    assert "   what programs call values of CUexternalSemaphore, in TYPES" in remaining(
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
